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
 * A chunk has S/2 counters and is allocated for its first value.
 *
 * At first the histogram is a list of the numbers of the values' counters, at
 * two bytes for each value.  The list becomes counters when it is full, when a
 * number has more than 16 bits, and for a value that counts several times.  A
 * reader sorts the list.
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
	FEW_FIRST = 12, /* what the smallest block of malloc has room for */
	FEW_MAX = 1 << 14,
	BYTES = 256
};

__extension__ typedef unsigned __int128 wide;

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

/* The number of a counter, and its place. */
static size_t
number_of(const struct tl_histogram *h, struct place p)
{
	return ((size_t)p.chunk << h->half_bits) + p.at;
}

static struct place
place_at(const struct tl_histogram *h, size_t number)
{
	return (struct place){ (unsigned)(number >> h->half_bits),
		number & (chunk_length(h) - 1) };
}

static uint64_t *
counter_of(const struct tl_histogram *h, struct place p)
{
	return &h->chunks[p.chunk][p.at];
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

void
tl_histogram_init(struct tl_histogram *histogram, unsigned digits)
{
	struct tl_histogram h = { .digits = (uint8_t)digits };
	uint64_t largest = 1;

	assert(digits >= 1 && digits <= DIGITS_MAX);
	for (unsigned i = 0; i < digits; i++)
		largest *= 10;
	while (chunk_length(&h) < largest)
		h.half_bits++;
	*histogram = h;
}

static void
free_chunks(struct tl_histogram *h)
{
	for (unsigned i = 0; h->chunks && i < CHUNKS_MAX; i++)
		free(h->chunks[i]);
	free(h->chunks);
	h->chunks = NULL;
}

void
tl_histogram_clear(struct tl_histogram *histogram)
{
	free_chunks(histogram);
	free(histogram->few);
	*histogram = (struct tl_histogram){ 0 };
}

static int
make_chunk(struct tl_histogram *h, unsigned chunk)
{
	assert(chunk < CHUNKS_MAX);
	if (!h->chunks[chunk])
		h->chunks[chunk] =
		    calloc(chunk_length(h), sizeof(*h->chunks[chunk]));
	return h->chunks[chunk] ? 0 : -ENOMEM;
}

/* Make counters of the list. */
static int
make_chunks(struct tl_histogram *h)
{
	const size_t count = h->few ? h->count : 0;
	int rc = 0;

	if (h->chunks)
		return 0;
	h->chunks = calloc(CHUNKS_MAX, sizeof(h->chunks[0]));
	if (!h->chunks)
		return -ENOMEM;
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = make_chunk(h, place_at(h, h->few[i]).chunk);
	if (rc < 0) {
		free_chunks(h);
		return rc;
	}
	for (size_t i = 0; i < count; i++)
		++*counter_of(h, place_at(h, h->few[i]));
	free(h->few);
	h->few = NULL;
	return 0;
}

/* Add a value to the list.  1: the list has no room for it; 0; -ENOMEM. */
static int
add_to_few(struct tl_histogram *h, size_t number)
{
	uint16_t *grown;
	size_t more;

	if (number > UINT16_MAX || h->count == FEW_MAX)
		return 1;
	if (h->count == h->few_capacity) {
		more = h->few ? (size_t)h->few_capacity * 3 / 2 : FEW_FIRST;
		more = more < FEW_MAX ? more : FEW_MAX;
		grown = realloc(h->few, more * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		h->few = grown;
		h->few_capacity = (uint16_t)more;
	}
	h->few[h->count] = (uint16_t)number;
	h->is_sorted = false;
	return 0;
}

/* Sort the list: by the low bytes, then by the high bytes. */
static void
sort_few(struct tl_histogram *h)
{
	uint16_t spare[FEW_MAX];
	uint16_t *from = h->few, *to = spare;

	for (unsigned shift = 0; shift < 16; shift += 8) {
		uint16_t ends[BYTES + 1] = { 0 }, *swap = from;

		for (size_t i = 0; i < h->count; i++)
			ends[(from[i] >> shift) % BYTES + 1]++;
		for (size_t i = 0; i < BYTES; i++)
			ends[i + 1] = (uint16_t)(ends[i + 1] + ends[i]);
		for (size_t i = 0; i < h->count; i++)
			to[ends[(from[i] >> shift) % BYTES]++] = from[i];
		from = to;
		to = swap;
	}
	h->is_sorted = true;
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
	rc = histogram->chunks || n > 1
		 ? 1
		 : add_to_few(histogram, number_of(histogram, p));
	if (rc > 0) {
		if ((rc = make_chunks(histogram)) < 0 ||
		    (rc = make_chunk(histogram, p.chunk)) < 0)
			return rc;
		*counter_of(histogram, p) += n;
	}
	if (rc < 0)
		return rc;
	stretch(histogram, value, value);
	histogram->count += n;
	return 0;
}

/* Get the counter of the next values: start with *at 0 and continue until
 * false.  *at is a place in the list, or the number of a counter. */
static bool
next_counter(struct tl_histogram *h, size_t *at, struct place *p, uint64_t *n)
{
	const size_t from = *at;

	if (!h->chunks && from < h->count) {
		if (!h->is_sorted)
			sort_few(h);
		while (*at < h->count && h->few[*at] == h->few[from])
			++*at;
		*n = *at - from;
		*p = place_at(h, h->few[from]);
		return true;
	}
	for (*p = place_at(h, from); h->chunks && p->chunk < CHUNKS_MAX;
	     p->chunk++, p->at = 0) {
		while (h->chunks[p->chunk] && p->at < chunk_length(h)) {
			if ((*n = *counter_of(h, *p)) > 0) {
				*at = number_of(h, *p) + 1;
				return true;
			}
			p->at++;
		}
	}
	return false;
}

int
tl_histogram_merge(struct tl_histogram *histogram, struct tl_histogram *other)
{
	struct place p;
	uint64_t n;
	int rc;

	if (histogram->digits != other->digits)
		return -EINVAL;
	if (other->count == 0)
		return 0;
	/* allocate first, so that a failure counts nothing */
	rc = make_chunks(histogram);
	for (size_t at = 0; rc == 0 && next_counter(other, &at, &p, &n);)
		rc = make_chunk(histogram, p.chunk);
	if (rc < 0)
		return rc;
	for (size_t at = 0; next_counter(other, &at, &p, &n);)
		*counter_of(histogram, p) += n;
	stretch(histogram, other->min, other->max);
	histogram->count += other->count;
	return 0;
}

double
tl_histogram_mean(struct tl_histogram *histogram)
{
	const double min = (double)histogram->min;
	const double max = (double)histogram->max;
	struct place p;
	wide sum = 0;
	uint64_t n;
	double mean;

	if (histogram->count == 0)
		return 0;
	for (size_t at = 0; next_counter(histogram, &at, &p, &n);)
		sum += (wide)n * middle_of(histogram, p);
	mean = (double)sum / (double)histogram->count;
	/* the middle of a bucket may lie outside of the values */
	return mean < min ? min : mean > max ? max : mean;
}

double
tl_histogram_stddev(struct tl_histogram *histogram)
{
	const double mean = tl_histogram_mean(histogram);
	struct place p;
	double sum = 0, x, root;
	uint64_t n;

	if (histogram->count == 0)
		return 0;
	for (size_t at = 0; next_counter(histogram, &at, &p, &n);) {
		const double d = (double)middle_of(histogram, p) - mean;

		sum += d * d * (double)n;
	}
	/* Newton's method, from above; it ends when the values no longer fall.
	 * The library needs only libc, and sqrt(3) is in libm. */
	x = sum / (double)histogram->count;
	root = x > 1 ? x : 1;
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
tl_histogram_at(struct tl_histogram *histogram, uint64_t rank)
{
	uint64_t passed = 0, high, n;
	struct place p;
	size_t at = 0;

	if (!histogram->chunks && rank <= histogram->count) {
		/* from the last value of lower rank on */
		at = rank > 0 ? rank - 1 : 0;
		passed = at;
	}
	while (next_counter(histogram, &at, &p, &n)) {
		passed += n;
		if (passed < rank)
			continue;
		high = high_of(histogram, p);
		return high < histogram->max ? high : histogram->max;
	}
	return 0;
}

uint64_t
tl_histogram_percentile(struct tl_histogram *histogram, double percent)
{
	if (!(percent > 0))
		return histogram->min;
	return tl_histogram_at(histogram,
	    tl_percentile_rank(histogram->count, percent));
}

bool
tl_histogram_bucket(struct tl_histogram *histogram, size_t *index,
    uint64_t *low, uint64_t *high, uint64_t *count)
{
	struct place p;

	if (!next_counter(histogram, index, &p, count))
		return false;
	*low = low_of(histogram, p);
	*high = high_of(histogram, p);
	return true;
}
