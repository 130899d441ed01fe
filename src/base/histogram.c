/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histogram.c - log-linear buckets, half of one allocated at a time.
 *
 * Let S be the least power of two that is at least 2 * 10^digits.  Each value
 * below S has its own counter.  Every further doubling of the value has S/2
 * counters, each twice as wide as the counters before:
 *
 *	chunk 0    [0, S/2)     width 1
 *	chunk 1    [S/2, S)     width 1
 *	chunk 2    [S, 2S)      width 2
 *	chunk n    [2^(n-2) S, 2^(n-1) S)   width 2^(n-1)
 *
 * A chunk has S/2 counters and is allocated for its first value.  A bit for each
 * counter behind them says whether it counts anything, so that a walk over few
 * values takes few steps.
 */
#include "base/histogram.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	DIGITS_MAX = 5,
	/* With one digit S is 32: chunk n > 0 starts at 2^(n+3), the last chunk
	 * at 2^63. */
	CHUNKS_MAX = 61,
	/* A variance is below 2^128: 64 halvings, then six steps to full
	 * precision. */
	ROOT_STEPS_MAX = 100,
	WORD_BITS = 64
};

__extension__ typedef unsigned __int128 wide;

struct tl_histogram {
	unsigned digits;
	unsigned half_bits; /* S/2 is 1 << half_bits */
	uint64_t count;
	uint64_t min; /* exact, unlike the buckets */
	uint64_t max;
	uint64_t *chunks[CHUNKS_MAX];
};

/* The place of a value's counter. */
struct place {
	unsigned chunk;
	size_t at;
};

static size_t
chunk_length(const struct tl_histogram *h)
{
	return (size_t)1 << h->half_bits;
}

static size_t
chunk_words(const struct tl_histogram *h)
{
	return (chunk_length(h) + WORD_BITS - 1) / WORD_BITS;
}

static uint64_t *
used_of(const struct tl_histogram *h, unsigned chunk)
{
	return h->chunks[chunk] + chunk_length(h);
}

static struct place
place_of(const struct tl_histogram *h, uint64_t value)
{
	const uint64_t half = chunk_length(h);
	unsigned shift;

	if (value < half)
		return (struct place){ 0, (size_t)value };
	shift = 63 - (unsigned)__builtin_clzll(value) - h->half_bits;
	return (struct place){ shift + 1, (size_t)((value >> shift) - half) };
}

static uint64_t
width_of(unsigned chunk)
{
	return chunk == 0 ? 1 : (uint64_t)1 << (chunk - 1);
}

static uint64_t
low_of(const struct tl_histogram *h, struct place p)
{
	return (p.at + (p.chunk > 0 ? chunk_length(h) : 0)) * width_of(p.chunk);
}

static uint64_t
high_of(const struct tl_histogram *h, struct place p)
{
	return low_of(h, p) + width_of(p.chunk) - 1;
}

/* The value that stands for a bucket in the mean. */
static uint64_t
middle_of(const struct tl_histogram *h, struct place p)
{
	return low_of(h, p) + width_of(p.chunk) / 2;
}

int
tl_histogram_new(struct tl_histogram **histogram, unsigned digits)
{
	struct tl_histogram *h;
	uint64_t largest = 1;

	if (digits < 1 || digits > DIGITS_MAX)
		return -EINVAL;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->digits = digits;
	for (unsigned i = 0; i < digits; i++)
		largest *= 10;
	while (chunk_length(h) < largest)
		h->half_bits++;
	*histogram = h;
	return 0;
}

void
tl_histogram_free(struct tl_histogram *histogram)
{
	if (!histogram)
		return;
	for (unsigned i = 0; i < CHUNKS_MAX; i++)
		free(histogram->chunks[i]);
	free(histogram);
}

static int
make_chunk(struct tl_histogram *h, unsigned chunk)
{
	assert(chunk < CHUNKS_MAX);
	if (!h->chunks[chunk])
		h->chunks[chunk] = calloc(chunk_length(h) + chunk_words(h),
		    sizeof(*h->chunks[chunk]));
	return h->chunks[chunk] ? 0 : -ENOMEM;
}

static void
stretch(struct tl_histogram *h, uint64_t min, uint64_t max)
{
	if (h->count == 0 || min < h->min)
		h->min = min;
	if (h->count == 0 || max > h->max)
		h->max = max;
}

int
tl_histogram_add(struct tl_histogram *histogram, uint64_t value, uint64_t n)
{
	struct place p;
	int rc;

	if (n == 0)
		return 0;
	p = place_of(histogram, value);
	if ((rc = make_chunk(histogram, p.chunk)) < 0)
		return rc;
	histogram->chunks[p.chunk][p.at] += n;
	used_of(histogram, p.chunk)[p.at / WORD_BITS] |= UINT64_C(1)
							 << p.at % WORD_BITS;
	stretch(histogram, value, value);
	histogram->count += n;
	return 0;
}

/* Allocate first, so that a failure counts nothing. */
static int
make_same_chunks(struct tl_histogram *h, const struct tl_histogram *other)
{
	int rc;

	for (unsigned i = 0; i < CHUNKS_MAX; i++) {
		if (other->chunks[i] && (rc = make_chunk(h, i)) < 0)
			return rc;
	}
	return 0;
}

int
tl_histogram_merge(struct tl_histogram *histogram,
    const struct tl_histogram *other)
{
	int rc;

	if (histogram->digits != other->digits)
		return -EINVAL;
	if (other->count == 0)
		return 0;
	if ((rc = make_same_chunks(histogram, other)) < 0)
		return rc;
	for (unsigned i = 0; i < CHUNKS_MAX; i++) {
		for (size_t j = 0; other->chunks[i] && j < chunk_length(other);
		     j++)
			histogram->chunks[i][j] += other->chunks[i][j];
		for (size_t j = 0; other->chunks[i] && j < chunk_words(other);
		     j++)
			used_of(histogram, i)[j] |= used_of(other, i)[j];
	}
	stretch(histogram, other->min, other->max);
	histogram->count += other->count;
	return 0;
}

void
tl_histogram_reset(struct tl_histogram *histogram)
{
	const size_t size = (chunk_length(histogram) + chunk_words(histogram)) *
			    sizeof(uint64_t);

	for (unsigned i = 0; i < CHUNKS_MAX; i++) {
		if (histogram->chunks[i])
			memset(histogram->chunks[i], 0, size);
	}
	histogram->count = 0;
	histogram->min = 0;
	histogram->max = 0;
}

uint64_t
tl_histogram_count(const struct tl_histogram *histogram)
{
	return histogram->count;
}

uint64_t
tl_histogram_min(const struct tl_histogram *histogram)
{
	return histogram->min;
}

uint64_t
tl_histogram_max(const struct tl_histogram *histogram)
{
	return histogram->max;
}

/* Find the first place at or after *p with counts. */
static bool
find_counts(const struct tl_histogram *h, struct place *p)
{
	for (; p->chunk < CHUNKS_MAX; p->chunk++, p->at = 0) {
		uint64_t from = ~UINT64_C(0) << p->at % WORD_BITS;

		for (size_t i = p->at / WORD_BITS;
		     h->chunks[p->chunk] && i < chunk_words(h); i++) {
			const uint64_t bits = used_of(h, p->chunk)[i] & from;

			from = ~UINT64_C(0);
			if (bits == 0)
				continue;
			p->at = i * WORD_BITS + (size_t)__builtin_ctzll(bits);
			return true;
		}
	}
	return false;
}

double
tl_histogram_mean(const struct tl_histogram *histogram)
{
	const double min = (double)histogram->min;
	const double max = (double)histogram->max;
	wide sum = 0;
	double mean;

	if (histogram->count == 0)
		return 0;
	for (struct place p = { 0 }; find_counts(histogram, &p); p.at++)
		sum += (wide)histogram->chunks[p.chunk][p.at] *
		       middle_of(histogram, p);
	mean = (double)sum / (double)histogram->count;
	/* the middle of a bucket may lie outside of the values */
	return mean < min ? min : mean > max ? max : mean;
}

double
tl_histogram_stddev(const struct tl_histogram *histogram)
{
	const double mean = tl_histogram_mean(histogram);
	double sum = 0;

	if (histogram->count == 0)
		return 0;
	for (struct place p = { 0 }; find_counts(histogram, &p); p.at++) {
		const double d = (double)middle_of(histogram, p) - mean;

		sum += d * d * (double)histogram->chunks[p.chunk][p.at];
	}

	/* Newton's method, from above; it ends when the values no longer fall.
	 * The library needs only libc, and sqrt(3) is in libm. */
	double x = sum / (double)histogram->count;
	double root = x > 1 ? x : 1;

	for (unsigned i = 0; i < ROOT_STEPS_MAX; i++) {
		const double next = (root + x / root) / 2;

		if (next >= root)
			break;
		root = next;
	}
	return root;
}

uint64_t
tl_percentile_rank(uint64_t count, double percent)
{
	const uint64_t all = UINT64_C(100000000);
	/* in millionths, because 99.9 / 100 as a double, times 1000, is above
	 * 999 */
	const double part = percent > 0 ? percent * 1e6 + 0.5 : 0;
	unsigned __int128 product;

	if (!(part < (double)all))
		return count;
	product = (unsigned __int128)count * (uint64_t)part;
	if (product == 0)
		return count > 0;
	return (uint64_t)((product + all - 1) / all);
}

uint64_t
tl_histogram_at(const struct tl_histogram *histogram, uint64_t rank)
{
	uint64_t passed = 0, high;

	for (struct place p = { 0 }; find_counts(histogram, &p); p.at++) {
		passed += histogram->chunks[p.chunk][p.at];
		if (passed < rank)
			continue;
		high = high_of(histogram, p);
		return high < histogram->max ? high : histogram->max;
	}
	return 0;
}

uint64_t
tl_histogram_percentile(const struct tl_histogram *histogram, double percent)
{
	if (!(percent > 0))
		return tl_histogram_min(histogram);
	return tl_histogram_at(histogram,
	    tl_percentile_rank(histogram->count, percent));
}

bool
tl_histogram_bucket(const struct tl_histogram *histogram, size_t *index,
    uint64_t *low, uint64_t *high, uint64_t *count)
{
	struct place p = { (unsigned)(*index >> histogram->half_bits),
		*index & (chunk_length(histogram) - 1) };

	if (!find_counts(histogram, &p))
		return false;
	*low = low_of(histogram, p);
	*high = high_of(histogram, p);
	*count = histogram->chunks[p.chunk][p.at];
	*index = ((size_t)p.chunk << histogram->half_bits) + p.at + 1;
	return true;
}
