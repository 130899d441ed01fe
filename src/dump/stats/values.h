/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.h - the distribution of a quantity.  Positive and negative numbers
 * have a histogram each, doubles one of their own.  Numbers of an unsigned unit
 * and doubles are passed as 64 bits in an int64_t.  The first few doubles are
 * kept one by one, so that a file with many rare messages takes little memory;
 * histograms of few numbers are small.
 */
#ifndef TL_DUMP_STATS_VALUES_H
#define TL_DUMP_STATS_VALUES_H

#include "base/histogram.h"
#include "base/text.h"
#include "dump/stats/doubles.h"

enum {
	TL_VALUES_DIGITS = 3, /* percentiles are exact to one in 10^3 */
	TL_VALUES_RAW_MAX = 2048,
	TL_VALUES_BARS = 24 /* columns of a drawn histogram */
};

/* The unit of a number. */
enum tl_values_unit {
	TL_VALUES_UNSIGNED,
	TL_VALUES_SIGNED,
	TL_VALUES_HEX,    /* unsigned */
	TL_VALUES_DOUBLE, /* the bits of a double */
	TL_VALUES_NS
};

/* What few quantities have. */
struct tl_values_rest {
	struct tl_histogram negative; /* magnitudes */
	double *raw;                  /* the first doubles */
	size_t raw_count;
	size_t raw_capacity;
	struct tl_doubles *doubles;
	uint64_t nan; /* doubles that are not among the numbers */
	uint64_t infinite;
};

/* Starts from all zeros. */
struct tl_values {
	struct tl_histogram positive; /* includes zero */
	struct tl_values_rest *rest;  /* NULL: none */
	bool is_unsigned; /* tl_values_add_bits() has added such numbers */
};

struct tl_values_summary {
	uint64_t count;
	uint64_t nan; /* doubles that are not counted */
	uint64_t infinite;
	int64_t min;
	int64_t p50;
	int64_t p90;
	int64_t p99;
	int64_t p999;
	int64_t max;
	double mean;
	/* The share of each of equal steps from min to max, in eighths of the
	 * highest, 0 to 8.  If all numbers are positive and the range is wide,
	 * the steps are equal in the logarithm. */
	uint8_t bars[TL_VALUES_BARS];
};

void tl_values_free(struct tl_values *numbers);
/* Add a number.  0 or -ENOMEM. */
int tl_values_add(struct tl_values *numbers, int64_t value);
/* Add the 64 bits of an argument of a unit.  Doubles that are not finite are
 * only counted.  0 or -ENOMEM. */
int tl_values_add_bits(struct tl_values *numbers, enum tl_values_unit unit,
    uint64_t bits);
/* Summarise the numbers, with or without the bars, and free them: the
 * histograms take more memory than the rest of a message's row.  0 or
 * -ENOMEM. */
int tl_values_summarise(struct tl_values *numbers, bool bars,
    struct tl_values_summary *summary);
/* Append a value of a summary: as text, rounded if the value takes more than
 * width characters (at least 8); or as JSON. */
void tl_values_put(struct tl_text *text, enum tl_values_unit unit,
    int64_t value, size_t width);
void tl_values_put_plain(struct tl_text *text, enum tl_values_unit unit,
    int64_t value);

#endif
