/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - numbers as programs write them, read where they stand.
 */
#ifndef TL_BASE_NUMBER_H
#define TL_BASE_NUMBER_H

#include "base/bytes.h"

static inline bool
tl_is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* The number that bytes begin with: how many digits it has; 0: there is none,
 * or 64 bits do not hold it.  Quick where eight bytes more than the digits
 * may be looked at. */
size_t tl_number_take(struct tl_bytes bytes, uint64_t *n);

/* All of a field, which lies in what goes on to end: 0, -EINVAL where it is
 * no such number or one that is too large. */
int tl_number_unsigned(struct tl_bytes field, const char *end, uint64_t *n);
int tl_number_signed(struct tl_bytes field, const char *end, int64_t *n);
/* Into 32 bits. */
int tl_number_small(struct tl_bytes field, const char *end, uint32_t *n);
/* The bits of a double, as JSON writes it, or of inf -inf nan. */
int tl_number_double(struct tl_bytes field, uint64_t *bits);

#endif
