/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - the distribution of a quantity.
 */
#include "dump/stats/values.h"

#include "base/array.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_RATIO = 100 };

void
tl_values_free(struct tl_values *n)
{
	tl_histogram_clear(&n->positive);
	if (n->rest) {
		tl_histogram_clear(&n->rest->negative);
		free(n->rest->raw);
		tl_doubles_free(n->rest->doubles);
		free(n->rest);
	}
	*n = (struct tl_values){ 0 };
}

static bool
is_double(const struct tl_values *n)
{
	return n->rest && n->rest->doubles;
}

static double
number_of(const struct tl_values *n, int64_t value)
{
	if (is_double(n))
		return tl_double_of((uint64_t)value);
	return n->is_unsigned ? (double)(uint64_t)value : (double)value;
}

static struct tl_values_rest *
rest_of(struct tl_values *n)
{
	if (!n->rest)
		n->rest = calloc(1, sizeof(*n->rest));
	return n->rest;
}

static int
add_number(struct tl_histogram *h, uint64_t value)
{
	if (h->digits == 0)
		tl_histogram_init(h, TL_VALUES_DIGITS);
	return tl_histogram_add(h, value, 1);
}

int
tl_values_add(struct tl_values *n, int64_t value)
{
	if (value >= 0 || n->is_unsigned)
		return add_number(&n->positive, (uint64_t)value);
	return rest_of(n) ? add_number(&n->rest->negative, 0 - (uint64_t)value)
			  : -ENOMEM;
}

/* Count the doubles that were kept one by one. */
static int
count_raw(struct tl_values_rest *rest)
{
	int rc = rest->doubles ? 0 : tl_doubles_new(&rest->doubles);

	for (size_t i = 0; i < rest->raw_count && rc == 0; i++)
		rc = tl_doubles_add(rest->doubles, rest->raw[i]);
	free(rest->raw);
	rest->raw = NULL;
	rest->raw_count = rest->raw_capacity = 0;
	return rc;
}

static int
add_double(struct tl_values_rest *rest, double x)
{
	int rc = 0;

	rest->nan += isnan(x) != 0;
	rest->infinite += isinf(x) != 0;
	if (!isfinite(x))
		return 0;
	if (!rest->doubles && rest->raw_count == TL_VALUES_RAW_MAX)
		rc = count_raw(rest);
	if (rc == 0 && rest->doubles)
		return tl_doubles_add(rest->doubles, x);
	if (rc == 0)
		rc = TL_ARRAY_ROOM(rest->raw, rest->raw_capacity,
		    rest->raw_count);
	if (rc == 0)
		rest->raw[rest->raw_count++] = x;
	return rc;
}

int
tl_values_add_bits(struct tl_values *n, enum tl_values_unit unit, uint64_t bits)
{
	if (unit == TL_VALUES_DOUBLE)
		return rest_of(n) ? add_double(n->rest, tl_double_of(bits))
				  : -ENOMEM;
	n->is_unsigned = unit != TL_VALUES_SIGNED && unit != TL_VALUES_NS;
	return tl_values_add(n, (int64_t)bits);
}

static struct tl_histogram *
negative_of(struct tl_values *n)
{
	static struct tl_histogram none;

	return n->rest ? &n->rest->negative : &none;
}

static int64_t
negated(uint64_t value)
{
	return value > INT64_MAX ? INT64_MIN : -(int64_t)value;
}

/* The upper end of the value's bucket, which stands for a percentile; at most
 * max. */
static int64_t
at_most(const struct tl_values *n, int64_t value, int64_t max)
{
	const bool is_above =
	    n->is_unsigned ? (uint64_t)value > (uint64_t)max : value > max;

	return is_above ? max : value;
}

/* The value of a percentile.  Negative values come first, the largest magnitude
 * before all others. */
static int64_t
percentile(struct tl_values *n, double percent, int64_t max)
{
	const uint64_t below = negative_of(n)->count;
	const uint64_t rank =
	    tl_percentile_rank(below + n->positive.count, percent);

	if (rank <= below)
		return at_most(n,
		    negated(tl_histogram_at(negative_of(n), below + 1 - rank)),
		    max);
	return at_most(n, (int64_t)tl_histogram_at(&n->positive, rank - below),
	    max);
}

/* The logarithm to base 2 of x >= 1, linear between powers of two.  Precise
 * enough for drawing, and needs no libm. */
static double
rough_log(double x)
{
	return (double)tl_bits_of(x) / 0x1p52 - 1023;
}

/* Where the bars of a drawn histogram are: equal steps from low to high, or in
 * the logarithm of a value plus shift. */
struct scale {
	double low;
	double high;
	bool by_log;
	double shift;
};

/* The bar of a value.  high - low may be more than a double holds. */
static unsigned
bar_of(const struct scale *s, double value)
{
	const double low = s->low + s->shift, high = s->high + s->shift;
	const double share =
	    s->by_log
		? rough_log((value + s->shift) / low) / rough_log(high / low)
		: (value / 2 - low / 2) / (high / 2 - low / 2);

	if (!(share > 0))
		return 0;
	return share >= 1 ? TL_VALUES_BARS - 1
			  : (unsigned)(share * TL_VALUES_BARS);
}

static void
fill_bars(struct tl_histogram *h, double sign, const struct scale *s,
    double counts[TL_VALUES_BARS])
{
	uint64_t low, high, count;
	size_t index = 0;

	while (tl_histogram_bucket(h, &index, &low, &high, &count)) {
		const double middle = sign * ((double)low + (double)high) / 2;

		counts[bar_of(s, middle)] += (double)count;
	}
}

static void
fill_bars_of_doubles(const struct tl_doubles *doubles, const struct scale *s,
    double counts[TL_VALUES_BARS])
{
	double low, high;
	uint64_t count;
	size_t index = 0;

	while (tl_doubles_bucket(doubles, &index, &low, &high, &count))
		counts[bar_of(s, low / 2 + high / 2)] += (double)count;
}

static void
draw_bars(struct tl_values *n, struct tl_values_summary *summary)
{
	struct scale s = { .low = number_of(n, summary->min),
		.high = number_of(n, summary->max) };
	double counts[TL_VALUES_BARS] = { 0 }, highest = 0;

	if (summary->min == summary->max) {
		summary->bars[0] = 8;
		return;
	}
	/* integers include zero, doubles have no least step */
	s.by_log =
	    s.low >= (is_double(n) ? DBL_MIN : 0) && s.high / LOG_RATIO > s.low;
	s.shift = s.by_log && !is_double(n);
	fill_bars(negative_of(n), -1, &s, counts);
	fill_bars(&n->positive, 1, &s, counts);
	if (is_double(n))
		fill_bars_of_doubles(n->rest->doubles, &s, counts);
	for (size_t i = 0; i < TL_VALUES_BARS; i++)
		highest = counts[i] > highest ? counts[i] : highest;
	for (size_t i = 0; i < TL_VALUES_BARS; i++) {
		if (counts[i] > 0) /* a bar with few values is visible too */
			summary->bars[i] =
			    (uint8_t)(1 + 7 * counts[i] / highest);
	}
}

static int64_t
percentile_of_doubles(const struct tl_doubles *doubles, double percent)
{
	const uint64_t rank =
	    tl_percentile_rank(tl_doubles_count(doubles), percent);

	return (int64_t)tl_bits_of(tl_doubles_at(doubles, rank));
}

static void
summarise_doubles(const struct tl_doubles *doubles, struct tl_values_summary *s)
{
	s->count = tl_doubles_count(doubles);
	s->min = (int64_t)tl_bits_of(tl_doubles_min(doubles));
	s->max = (int64_t)tl_bits_of(tl_doubles_max(doubles));
	s->p50 = percentile_of_doubles(doubles, 50);
	s->p90 = percentile_of_doubles(doubles, 90);
	s->p99 = percentile_of_doubles(doubles, 99);
	s->p999 = percentile_of_doubles(doubles, 99.9);
	s->mean = tl_doubles_mean(doubles);
}

static void
summarise_integers(struct tl_values *n, struct tl_values_summary *s)
{
	struct tl_histogram *negative = negative_of(n);
	const double below = (double)negative->count;
	const double above = (double)n->positive.count;

	s->count = negative->count + n->positive.count;
	if (s->count == 0)
		return;
	s->min = below > 0 ? negated(negative->max) : (int64_t)n->positive.min;
	s->max = above > 0 ? (int64_t)n->positive.max : negated(negative->min);
	s->p50 = percentile(n, 50, s->max);
	s->p90 = percentile(n, 90, s->max);
	s->p99 = percentile(n, 99, s->max);
	s->p999 = percentile(n, 99.9, s->max);
	if (below > 0)
		s->mean -= tl_histogram_mean(negative) * below;
	if (above > 0)
		s->mean += tl_histogram_mean(&n->positive) * above;
	s->mean /= below + above;
}

int
tl_values_summarise(struct tl_values *n, bool bars, struct tl_values_summary *s)
{
	int rc = 0;

	*s = (struct tl_values_summary){ 0 };
	if (n->rest) {
		s->nan = n->rest->nan;
		s->infinite = n->rest->infinite;
		rc = n->rest->raw ? count_raw(n->rest) : 0;
	}
	if (rc == 0 && is_double(n))
		summarise_doubles(n->rest->doubles, s);
	else if (rc == 0)
		summarise_integers(n, s);
	if (s->count > 0 && bars)
		draw_bars(n, s);
	tl_values_free(n);
	return rc;
}

/* Append 1.845e19, with as many digits as fit. */
static void
put_rounded(struct tl_text *text, double value, size_t width)
{
	const size_t since = text->size;

	for (int digits = 6; digits > 0; digits--) {
		const char *e;

		text->size = since;
		tl_put_format(text, "%.*g", digits, value);
		e = strchr(tl_text_string(text) + since, 'e');
		if (e) { /* write e+07 as e7 */
			const size_t at = (size_t)(e - text->data) + 1;
			size_t rest = at + (text->data[at] == '+');

			while (text->data[rest] == '0')
				rest++;
			memmove(text->data + at, text->data + rest,
			    text->size - rest);
			text->size -= rest - at;
		}
		if (text->rc < 0 || text->size - since <= width)
			return;
	}
}

/* Append 1.234567s with fewer decimals, or 2562047h47m without minutes, if
 * necessary. */
static void
put_duration(struct tl_text *text, int64_t ns, size_t width)
{
	char word[TL_DURATION_MAX + 1];
	size_t size = (size_t)(tl_write_duration(word, ns) - word);
	const char *dot = memchr(word, '.', size);
	const char *hour = memchr(word, 'h', size);

	if (hour && size > width) {
		size = (size_t)(hour + 1 - word);
	} else if (dot && size > width) {
		const size_t unit = strcspn(dot + 1, "mnsu");
		const size_t cut =
		    size - width < unit ? size - width : unit + 1;
		char *end = word + (dot - word) + 1 + unit;

		word[size] = '\0';
		memmove(end - cut, end, size - (size_t)(end - word));
		size -= cut;
	}
	tl_put_bytes(text, tl_bytes(word, size));
}

void
tl_values_put(struct tl_text *text, enum tl_values_unit unit, int64_t value,
    size_t width)
{
	const size_t since = text->size;

	switch (unit) {
	case TL_VALUES_NS:
		put_duration(text, value, width);
		return;
	case TL_VALUES_DOUBLE:
		put_rounded(text, tl_double_of((uint64_t)value), width);
		return;
	case TL_VALUES_HEX:
		tl_put_hex(text, (uint64_t)value);
		break;
	case TL_VALUES_UNSIGNED:
		tl_put_unsigned(text, (uint64_t)value);
		break;
	case TL_VALUES_SIGNED:
		tl_put_signed(text, value);
	}
	if (text->size - since > width) {
		text->size = since;
		put_rounded(text,
		    unit == TL_VALUES_SIGNED ? (double)value
					     : (double)(uint64_t)value,
		    width);
	}
}
