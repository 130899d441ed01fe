/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.h - the least and the greatest value of a column chunk, by
 * which readers skip it.
 */
#ifndef TL_FORMAT_PARQUET_BOUNDS_H
#define TL_FORMAT_PARQUET_BOUNDS_H

#include "base/text.h"

enum tl_parquet_order {
	TL_PARQUET_UNSIGNED,
	TL_PARQUET_SIGNED,
	TL_PARQUET_REAL /* bits of doubles */
};

/* Starts from all zeros. */
struct tl_parquet_bounds {
	uint64_t least; /* as keys, which are in order as unsigned numbers */
	uint64_t most;
	bool is_known; /* there was a value */
	bool is_void;  /* ... that has no place in the order: not a number */
};

void tl_parquet_bounds_take(struct tl_parquet_bounds *bounds,
    enum tl_parquet_order order, const uint64_t *values, size_t count);
/* The bounds as values: false when there are none. */
bool tl_parquet_bounds_get(const struct tl_parquet_bounds *bounds,
    enum tl_parquet_order order, uint64_t *least, uint64_t *most);

/* Of a long text not all is told: a begin of it is not greater, and with its
 * last letter one further it is not less. */
enum { TL_PARQUET_BOUND_SIZE_MAX = 64 };

/* The least and the greatest of texts, each after four bytes of its size, in
 * the order of their bytes.  False: there are none. */
bool tl_parquet_bounds_of_texts(struct tl_bytes texts, struct tl_bytes *least,
    struct tl_bytes *most);
/* What is told of them, appended to cut: is it all?  The greatest may have
 * none that is short: then cut stays empty. */
bool tl_parquet_cut_least(struct tl_text *cut, struct tl_bytes least);
bool tl_parquet_cut_most(struct tl_text *cut, struct tl_bytes most);

#endif
