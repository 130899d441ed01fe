/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - numbers that people read: a few digits without an exponent, and the
 * noun that is counted.
 */
#ifndef TL_BASE_FIGURES_H
#define TL_BASE_FIGURES_H

#include "base/text.h"

/* This many significant digits, 17 at most, without zeros behind them, as %g; but
 * all digits before the point, so that 12345 is 12345 and not 1.23e+04, and 0.00001
 * for 1e-05. */
void tl_put_rounded(struct tl_text *text, double value, int digits);

/* "1 begin", "2 begins", "0 entries". */
void tl_put_count(struct tl_text *text, uint64_t n, const char *noun);

#endif
