/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doubles.c - a bucket is the exponent of a double and the first ten bits of
 * its fraction.
 *
 * The exponent of a number below 2^-1022 is that of its first bit.  Zero is in
 * the bucket below all of these.  Negative numbers mirror positive ones.
 */
#include "dump/stats/values.h"

#include "base/bytes.h"

#include <errno.h>
#include <stdlib.h>

enum {
	FRACTION_BITS = 52,
	BUCKET_BITS = 10,
	REST_BITS = FRACTION_BITS - BUCKET_BITS,
	/* of one sign; the first has only zero */
	POWERS = 2046 + FRACTION_BITS + 1
};

#define FRACTION (UINT64_C(1) << FRACTION_BITS)
#define REST     ((UINT64_C(1) << REST_BITS) - 1)
#define BUCKETS  ((size_t)1 << BUCKET_BITS)
#define MIDDLE   ((size_t)POWERS << BUCKET_BITS)

struct tl_doubles {
	uint64_t count;
	double min;
	double max;
	/* a sum of doubles neither overflows nor loses small ones soon */
	long double sum;
	uint64_t *powers[2 * POWERS];
};

/* The bucket of a value that is not negative. */
static size_t
bucket_of(double value)
{
	const uint64_t bits = tl_bits_of(value);
	uint64_t fraction = bits & (FRACTION - 1);
	size_t power = (size_t)(bits >> FRACTION_BITS);

	if (bits == 0)
		return 0;
	power += FRACTION_BITS;
	if (bits < FRACTION) {
		const unsigned shift =
		    (unsigned)__builtin_clzll(bits) - (63 - FRACTION_BITS);

		fraction = (bits << shift) & (FRACTION - 1);
		power -= shift - 1;
	}
	return power << BUCKET_BITS | (size_t)(fraction >> REST_BITS);
}

/* The lowest (rest 0) or the highest value (REST) of a bucket. */
static double
edge_of(size_t bucket, uint64_t rest)
{
	const uint64_t fraction =
	    (uint64_t)(bucket & (BUCKETS - 1)) << REST_BITS | rest;
	const size_t power = bucket >> BUCKET_BITS;

	if (power == 0)
		return 0;
	if (power > FRACTION_BITS)
		return tl_double_of(
		    (uint64_t)(power - FRACTION_BITS) << FRACTION_BITS |
		    fraction);
	return tl_double_of(
	    (FRACTION | fraction) >> (FRACTION_BITS + 1 - power));
}

/* The place of a value's counter among those of all values. */
static size_t
place_of(double value)
{
	return value < 0 ? MIDDLE - 1 - bucket_of(-value)
			 : MIDDLE + bucket_of(value);
}

static double
low_of(size_t place)
{
	return place < MIDDLE ? -edge_of(MIDDLE - 1 - place, REST)
			      : edge_of(place - MIDDLE, 0);
}

static double
high_of(size_t place)
{
	return place < MIDDLE ? -edge_of(MIDDLE - 1 - place, 0)
			      : edge_of(place - MIDDLE, REST);
}

int
tl_doubles_new(struct tl_doubles **doubles)
{
	*doubles = calloc(1, sizeof(**doubles));
	return *doubles ? 0 : -ENOMEM;
}

void
tl_doubles_free(struct tl_doubles *doubles)
{
	if (!doubles)
		return;
	for (size_t i = 0; i < 2 * POWERS; i++)
		free(doubles->powers[i]);
	free(doubles);
}

int
tl_doubles_add(struct tl_doubles *doubles, double value)
{
	const double number = value + 0.0; /* zero has no sign */
	const size_t place = place_of(number);
	uint64_t **power = &doubles->powers[place >> BUCKET_BITS];

	if (!*power)
		*power = calloc(BUCKETS, sizeof(**power));
	if (!*power)
		return -ENOMEM;
	(*power)[place & (BUCKETS - 1)]++;
	if (doubles->count == 0 || number < doubles->min)
		doubles->min = number;
	if (doubles->count == 0 || number > doubles->max)
		doubles->max = number;
	doubles->sum += number;
	doubles->count++;
	return 0;
}

uint64_t
tl_doubles_count(const struct tl_doubles *doubles)
{
	return doubles->count;
}

double
tl_doubles_min(const struct tl_doubles *doubles)
{
	return doubles->min;
}

double
tl_doubles_max(const struct tl_doubles *doubles)
{
	return doubles->max;
}

double
tl_doubles_mean(const struct tl_doubles *doubles)
{
	return doubles->count > 0
		   ? (double)(doubles->sum / (long double)doubles->count)
		   : 0;
}

bool
tl_doubles_bucket(const struct tl_doubles *doubles, size_t *index, double *low,
    double *high, uint64_t *count)
{
	size_t place = *index;

	while (place < 2 * MIDDLE) {
		const uint64_t *power = doubles->powers[place >> BUCKET_BITS];

		if (!power) {
			place = ((place >> BUCKET_BITS) + 1) << BUCKET_BITS;
			continue;
		}
		*count = power[place & (BUCKETS - 1)];
		if (*count > 0) {
			*low = low_of(place);
			*high = high_of(place);
			*index = place + 1;
			return true;
		}
		place++;
	}
	return false;
}

double
tl_doubles_at(const struct tl_doubles *doubles, uint64_t rank)
{
	uint64_t passed = 0, count;
	double low, high;
	size_t index = 0;

	while (tl_doubles_bucket(doubles, &index, &low, &high, &count)) {
		passed += count;
		if (passed >= rank)
			return high < doubles->max ? high : doubles->max;
	}
	return 0;
}
