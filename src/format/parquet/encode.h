/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode.h - the three encodings of a Parquet file: numbers packed into pages,
 * the bounds of a column chunk, and Thrift's compact protocol for page headers
 * and the footer.
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
 *
 * Thrift: a struct is fields in the order of their numbers, then a byte 0.
 *
 *	field:  distance from the field before 4, type 4 | value
 *	        0, type 4 | number, zigzag varint | value     if it is far
 *	value:  integers: zigzag varints     bytes: varint of the length, bytes
 *	        booleans: none, the type is the value     struct: its fields, 0
 *	        list: count 4, type of all 4 | values one after the other
 *	              15, type of all 4 | count, varint | values
 *
 * All functions append to a text; the rc of the text is the first failure.
 */
#ifndef TL_FORMAT_PARQUET_ENCODE_H
#define TL_FORMAT_PARQUET_ENCODE_H

#include "base/text.h"

/* == numbers, packed == */

/* Arrays have room for whole groups; values behind count may be changed. */
enum { TL_PARQUET_GROUP = 8 };

/* Append levels, which are 0 or 1. */
void tl_parquet_put_levels(struct tl_text *text, uint8_t *levels, size_t count);
/* Append indices of width bits, 1 to 32. */
void tl_parquet_put_indices(struct tl_text *text, uint64_t *indices,
    size_t count, unsigned width);
/* Append booleans, packed without a head. */
void tl_parquet_put_bools(struct tl_text *text, uint64_t *values, size_t count);
/* Append at least one number; narrow: numbers of 32 bits. */
void tl_parquet_put_delta(struct tl_text *text, const uint64_t *values,
    size_t count, bool narrow);

/* The number of bits that a number needs. */
static inline unsigned
tl_parquet_width(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

/* == bounds of a column chunk, by which readers skip chunks == */

enum tl_parquet_order {
	TL_PARQUET_UNSIGNED,
	TL_PARQUET_SIGNED,
	TL_PARQUET_REAL /* bits of doubles */
};

/* Starts from all zeros. */
struct tl_parquet_bounds {
	uint64_t least; /* keys, ordered as unsigned numbers */
	uint64_t most;
	bool is_known; /* there was a value */
	bool is_void;  /* a NaN, which has no order, was met */
};

void tl_parquet_bounds_take(struct tl_parquet_bounds *bounds,
    enum tl_parquet_order order, const uint64_t *values, size_t count);
/* Return the bounds as values; false: there are none. */
bool tl_parquet_bounds_get(const struct tl_parquet_bounds *bounds,
    enum tl_parquet_order order, uint64_t *least, uint64_t *most);

/*
 * A prefix serves as the lower bound of a long text.  The prefix with its last
 * letter increased serves as the upper bound.
 */
enum { TL_PARQUET_BOUND_SIZE_MAX = 64 };

/*
 * Find the least and the greatest of texts in byte order; four bytes of size
 * precede each text.  false: there are no texts.
 */
bool tl_parquet_bounds_of_texts(struct tl_bytes texts, struct tl_bytes *least,
    struct tl_bytes *most);
/*
 * Append a bound of a text to cut; true: the bound is the whole text.  If no
 * short text is greater, tl_parquet_cut_most() appends nothing.
 */
bool tl_parquet_cut_least(struct tl_text *cut, struct tl_bytes least);
bool tl_parquet_cut_most(struct tl_text *cut, struct tl_bytes most);

/* == Thrift == */

enum tl_thrift_type {
	TL_THRIFT_TRUE = 1,
	TL_THRIFT_FALSE = 2,
	TL_THRIFT_I8 = 3,
	TL_THRIFT_I32 = 5,
	TL_THRIFT_I64 = 6,
	TL_THRIFT_BYTES = 8,
	TL_THRIFT_LIST = 9,
	TL_THRIFT_STRUCT = 12
};

/* Append a number without a field. */
void tl_thrift_varint(struct tl_text *text, uint64_t n);

/* A struct that is being appended to a text; last starts as 0. */
struct tl_thrift {
	struct tl_text *text;
	int last; /* number of the field before */
};

void tl_thrift_put_bool(struct tl_thrift *thrift, int field, bool is_so);
void tl_thrift_put_i8(struct tl_thrift *thrift, int field, int8_t n);
void tl_thrift_put_i32(struct tl_thrift *thrift, int field, int32_t n);
void tl_thrift_put_i64(struct tl_thrift *thrift, int field, int64_t n);
void
tl_thrift_put_bytes(struct tl_thrift *thrift, int field, struct tl_bytes bytes);

/*
 * Open a struct inside; close takes the value that open returned.  Structs
 * nest.
 */
int tl_thrift_open(struct tl_thrift *thrift, int field);
void tl_thrift_close(struct tl_thrift *thrift, int last);
/* Append a struct without fields. */
void tl_thrift_put_nothing(struct tl_thrift *thrift, int field);
/* End the outermost struct. */
void tl_thrift_end(struct tl_thrift *thrift);

/* Append the head of a list, which count items must follow. */
void tl_thrift_list(struct tl_thrift *thrift, int field,
    enum tl_thrift_type type, size_t count);
void tl_thrift_item_i32(struct tl_thrift *thrift, int32_t n);
void tl_thrift_item_bytes(struct tl_thrift *thrift, struct tl_bytes bytes);
int tl_thrift_item_open(struct tl_thrift *thrift);

#endif
