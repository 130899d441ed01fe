/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - numbers as programs write them, read where they stand: all of
 * the bytes or -EINVAL, -ERANGE.
 */
#ifndef TL_FORMAT_NUMBER_H
#define TL_FORMAT_NUMBER_H

#include "base/bytes.h"

int tl_number_unsigned(struct tl_bytes bytes, uint64_t *n);
int tl_number_signed(struct tl_bytes bytes, int64_t *n);
/* Into 32 bits. */
int tl_number_small(struct tl_bytes bytes, uint32_t *n);
/* The bits of a double: digits, sign, point, exponent; inf -inf nan. */
int tl_number_double(struct tl_bytes bytes, uint64_t *bits);

#endif
