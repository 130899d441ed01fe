/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bits.h - numbers as Parquet packs them.
 *
 * Levels and indices, "hybrid", eight at a time:
 *
 *	run:     count << 1, varint | the value, in whole bytes
 *	packed:  groups << 1 | 1, varint | groups of 8 values, lowest bits first
 *
 * Numbers, "delta":
 *
 *	128 | 4 | count, varints | first, zigzag     then blocks of 128:
 *	least step, zigzag | 4 widths | 4 times 32 packed steps above the least
 */
#ifndef TL_FORMAT_PARQUET_BITS_H
#define TL_FORMAT_PARQUET_BITS_H

#include "base/text.h"

/* Arrays have room for whole groups: what is behind count may be changed. */
enum { TL_PARQUET_GROUP = 8 };

/* Levels, which are 0 or 1. */
void tl_parquet_put_levels(struct tl_text *text, uint8_t *levels, size_t count);
/* Indices of so many bits, 1 to 32. */
void tl_parquet_put_indices(struct tl_text *text, uint64_t *indices,
    size_t count, unsigned width);
/* Booleans, packed without any head. */
void tl_parquet_put_bools(struct tl_text *text, uint64_t *values, size_t count);
/* At least one number; narrow: of 32 bits. */
void tl_parquet_put_delta(struct tl_text *text, const uint64_t *values,
    size_t count, bool narrow);

/* How many bits the largest of them needs. */
static inline unsigned
tl_parquet_width(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

#endif
