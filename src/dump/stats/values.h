/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.h - how a quantity is distributed.
 *
 * A histogram for the positive numbers and one for the negative.  Numbers of
 * an unsigned unit travel as their 64 bits in an int64_t.  A few
 * numbers are kept as they are until there are enough to be worth the memory
 * of a histogram, so that a file of many rare messages costs little.
 */
#ifndef TL_DUMP_STATS_VALUES_H
#define TL_DUMP_STATS_VALUES_H

#include "base/histogram.h"
#include "base/text.h"

enum {
	TL_VALUES_DIGITS = 3, /* percentiles are good to one in 10^3 */
	TL_VALUES_RAW_MAX = 2048,
	TL_VALUES_SCALE = 1000000, /* a double is counted in millionths */
	TL_VALUES_BARS = 24        /* columns of a drawn histogram */
};

/* The unit of a number. */
enum tl_values_unit {
	TL_VALUES_UNSIGNED,
	TL_VALUES_SIGNED,
	TL_VALUES_HEX,    /* unsigned, too */
	TL_VALUES_DOUBLE, /* in millionths */
	TL_VALUES_NS
};

/* Starts from all zeros. */
struct tl_values {
	int64_t *raw; /* while there are few */
	uint32_t raw_count;
	uint32_t raw_capacity;
	bool is_unsigned;              /* added by tl_values_add_bits as such */
	struct tl_histogram *positive; /* and zero */
	struct tl_histogram *negative; /* of their magnitudes */
};

struct tl_values_summary {
	uint64_t count;
	int64_t min;
	int64_t p50;
	int64_t p90;
	int64_t p99;
	int64_t p999;
	int64_t max;
	double mean;
	/* Share of each of equal steps from min to max: of the logarithm
	 * where all is positive and wide; 0 to 8 eighths of the highest. */
	uint8_t bars[TL_VALUES_BARS];
};

void tl_values_free(struct tl_values *numbers);
/* 0 or -ENOMEM. */
int tl_values_add(struct tl_values *numbers, int64_t value);
/* 64 bits of an argument of this unit; what is no number is left out. */
int tl_values_add_bits(struct tl_values *numbers, enum tl_values_unit unit,
    uint64_t bits);
/* 0 or -ENOMEM. */
int tl_values_summarise(struct tl_values *numbers,
    struct tl_values_summary *summary);
/* One value of a summary: for text, rounded where it takes more than width
 * characters (8 at least); and for JSON. */
void tl_values_put(struct tl_text *text, enum tl_values_unit unit,
    int64_t value, size_t width);
void tl_values_put_plain(struct tl_text *text, enum tl_values_unit unit,
    int64_t value);

#endif
