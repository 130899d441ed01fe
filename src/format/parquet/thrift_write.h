/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thrift_write.h - write Thrift's compact protocol: a struct is fields in the
 * order of their numbers, then a byte that is 0.
 *
 *	field:  how far from the field before 4, type 4 | value
 *	        0, type 4 | number, zigzag varint | value     where it is far
 *	value:  integers: zigzag varints     bytes: varint of the length, bytes
 *	        booleans: none, the type says it     struct: its fields, 0
 *	        list: count 4, type of all 4 | values one after the other
 *	              15, type of all 4 | count, varint | values
 */
#ifndef TL_FORMAT_PARQUET_THRIFT_WRITE_H
#define TL_FORMAT_PARQUET_THRIFT_WRITE_H

#include "base/text.h"

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
void tl_thrift_zigzag(struct tl_text *text, int64_t n);

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

/* The head of a list; so many items must follow. */
void tl_thrift_list(struct tl_thrift *thrift, int field,
    enum tl_thrift_type type, size_t count);
void tl_thrift_item_i32(struct tl_thrift *thrift, int32_t n);
void tl_thrift_item_bytes(struct tl_thrift *thrift, struct tl_bytes bytes);
int tl_thrift_item_open(struct tl_thrift *thrift);

#endif
