/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode.h - the three encodings that a Parquet file is made of: numbers packed
 * into pages, the least and the greatest value of a column chunk, and Thrift's
 * compact protocol, in which page heads and the footer are written.
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
 *	field:  how far from the field before 4, type 4 | value
 *	        0, type 4 | number, zigzag varint | value     where it is far
 *	value:  integers: zigzag varints     bytes: varint of the length, bytes
 *	        booleans: none, the type is the value     struct: its fields, 0
 *	        list: count 4, type of all 4 | values one after the other
 *	              15, type of all 4 | count, varint | values
 *
 * All of it appends to a text, whose rc is the first failure.
 */
#ifndef TL_FORMAT_PARQUET_ENCODE_H
#define TL_FORMAT_PARQUET_ENCODE_H

#include "base/text.h"

/* == numbers, packed == */

/* Arrays have room for whole groups: what is behind count may be changed. */
enum { TL_PARQUET_GROUP = 8 };

/* Levels, which are 0 or 1. */
void tl_parquet_put_levels(struct tl_text *text, uint8_t *levels, size_t count);
/* Indices of this many bits, 1 to 32. */
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

/* == the bounds of a column chunk, by which readers skip it == */

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
	bool is_void;  /* a NaN, which has no place in the order */
};

void tl_parquet_bounds_take(struct tl_parquet_bounds *bounds,
    enum tl_parquet_order order, const uint64_t *values, size_t count);
/* The bounds as values: false when there are none. */
bool tl_parquet_bounds_get(const struct tl_parquet_bounds *bounds,
    enum tl_parquet_order order, uint64_t *least, uint64_t *most);

/* Of a long text only a prefix is written: it is not greater, and with its last
 * letter one further it is not less. */
enum { TL_PARQUET_BOUND_SIZE_MAX = 64 };

/* The least and the greatest of texts, each after four bytes of its size, in
 * the order of their bytes.  False: there are none. */
bool tl_parquet_bounds_of_texts(struct tl_bytes texts, struct tl_bytes *least,
    struct tl_bytes *most);
/* What is written of them, appended to cut: is it all?  The greatest may have
 * none that is short: then cut stays empty. */
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

/* Numbers by themselves. */
void tl_thrift_varint(struct tl_text *text, uint64_t n);

/* A struct that is being written to the end of a text.  Starts with last 0. */
struct tl_thrift {
	struct tl_text *text;
	int last; /* the field before */
};

void tl_thrift_put_bool(struct tl_thrift *thrift, int field, bool is_so);
void tl_thrift_put_i8(struct tl_thrift *thrift, int field, int8_t n);
void tl_thrift_put_i32(struct tl_thrift *thrift, int field, int32_t n);
void tl_thrift_put_i64(struct tl_thrift *thrift, int field, int64_t n);
void
tl_thrift_put_bytes(struct tl_thrift *thrift, int field, struct tl_bytes bytes);

/* A struct inside: all that is put until close, which is given what open
 * returned.  They nest. */
int tl_thrift_open(struct tl_thrift *thrift, int field);
void tl_thrift_close(struct tl_thrift *thrift, int last);
/* A struct without any field. */
void tl_thrift_put_nothing(struct tl_thrift *thrift, int field);
/* The end of the struct that was begun with last 0. */
void tl_thrift_end(struct tl_thrift *thrift);

/* The head of a list; this many items must follow. */
void tl_thrift_list(struct tl_thrift *thrift, int field,
    enum tl_thrift_type type, size_t count);
void tl_thrift_item_i32(struct tl_thrift *thrift, int32_t n);
void tl_thrift_item_bytes(struct tl_thrift *thrift, struct tl_bytes bytes);
int tl_thrift_item_open(struct tl_thrift *thrift);

#endif
