/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numbers.h - how a quantity is distributed.
 *
 * A histogram for the positive numbers and one for the negative.  A few
 * numbers are kept as they are until there are enough to be worth the memory
 * of a histogram, so that a file of many rare messages costs little.
 */
#ifndef TL_DUMP_NUMBERS_H
#define TL_DUMP_NUMBERS_H

#include "base/histogram.h"
#include "base/text.h"

enum {
	TL_NUMBERS_DIGITS = 3, /* percentiles are good to one in 10^3 */
	TL_NUMBERS_RAW_MAX = 2048,
	TL_NUMBERS_SCALE = 1000000, /* a double is counted in millionths */
	TL_NUMBERS_BARS = 24        /* columns of a drawn histogram */
};

/* What a number means. */
enum tl_numbers_unit {
	TL_NUMBERS_UNSIGNED,
	TL_NUMBERS_SIGNED,
	TL_NUMBERS_HEX,
	TL_NUMBERS_DOUBLE, /* in millionths */
	TL_NUMBERS_NS
};

/* Starts from all zeros. */
struct tl_numbers {
	int64_t *raw; /* while there are few */
	uint32_t raw_count;
	uint32_t raw_capacity;
	struct tl_histogram *positive; /* and zero */
	struct tl_histogram *negative; /* of their magnitudes */
};

struct tl_numbers_summary {
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
	uint8_t bars[TL_NUMBERS_BARS];
};

void tl_numbers_free(struct tl_numbers *numbers);
/* 0 or -ENOMEM. */
int tl_numbers_add(struct tl_numbers *numbers, int64_t value);
/* 64 bits of an argument of this unit; what is no number is left out. */
int tl_numbers_add_bits(struct tl_numbers *numbers, enum tl_numbers_unit unit,
    uint64_t bits);
/* 0 or -ENOMEM. */
int tl_numbers_summarise(struct tl_numbers *numbers,
    struct tl_numbers_summary *summary);
/* One value of a summary, for a person and for a program. */
void
tl_numbers_put(struct tl_text *text, enum tl_numbers_unit unit, int64_t value);
void tl_numbers_put_plain(struct tl_text *text, enum tl_numbers_unit unit,
    int64_t value);

#endif
