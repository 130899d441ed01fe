/* SPDX-License-Identifier: Apache-2.0 */
/* thrift_write.c - fields appended to a text. */
#include "format/parquet/thrift_write.h"

#include "format/protobuf.h"

enum {
	FAR = 15, /* fields, items */
	HEAD_SHIFT = 4
};

/* Both protocols have the same varints. */
void
tl_thrift_varint(struct tl_text *text, uint64_t n)
{
	char *to = tl_text_reserve(text, TL_PB_VARINT_MAX);

	if (to)
		text->size = (size_t)(tl_pb_write_varint(to, n) - text->data);
}

void
tl_thrift_zigzag(struct tl_text *text, int64_t n)
{
	tl_thrift_varint(text, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
}

static void
put_head(struct tl_thrift *t, int field, enum tl_thrift_type type)
{
	const int step = field - t->last;

	if (step > 0 && step <= FAR) {
		tl_put_char(t->text, (char)(step << HEAD_SHIFT | (int)type));
	} else {
		tl_put_char(t->text, (char)type);
		tl_thrift_zigzag(t->text, field);
	}
	t->last = field;
}

void
tl_thrift_put_bool(struct tl_thrift *t, int field, bool is_so)
{
	put_head(t, field, is_so ? TL_THRIFT_TRUE : TL_THRIFT_FALSE);
}

void
tl_thrift_put_i8(struct tl_thrift *t, int field, int8_t n)
{
	put_head(t, field, TL_THRIFT_I8);
	tl_put_char(t->text, (char)n);
}

void
tl_thrift_put_i32(struct tl_thrift *t, int field, int32_t n)
{
	put_head(t, field, TL_THRIFT_I32);
	tl_thrift_zigzag(t->text, n);
}

void
tl_thrift_put_i64(struct tl_thrift *t, int field, int64_t n)
{
	put_head(t, field, TL_THRIFT_I64);
	tl_thrift_zigzag(t->text, n);
}

void
tl_thrift_put_bytes(struct tl_thrift *t, int field, struct tl_bytes bytes)
{
	put_head(t, field, TL_THRIFT_BYTES);
	tl_thrift_item_bytes(t, bytes);
}

int
tl_thrift_open(struct tl_thrift *t, int field)
{
	put_head(t, field, TL_THRIFT_STRUCT);
	return tl_thrift_item_open(t);
}

void
tl_thrift_close(struct tl_thrift *t, int last)
{
	tl_thrift_end(t);
	t->last = last;
}

void
tl_thrift_put_nothing(struct tl_thrift *t, int field)
{
	tl_thrift_close(t, tl_thrift_open(t, field));
}

void
tl_thrift_end(struct tl_thrift *t)
{
	tl_put_char(t->text, 0);
}

void
tl_thrift_list(struct tl_thrift *t, int field, enum tl_thrift_type type,
    size_t count)
{
	const size_t head = count < FAR ? count : FAR;

	put_head(t, field, TL_THRIFT_LIST);
	tl_put_char(t->text, (char)(head << HEAD_SHIFT | (size_t)type));
	if (count >= FAR)
		tl_thrift_varint(t->text, count);
}

void
tl_thrift_item_i32(struct tl_thrift *t, int32_t n)
{
	tl_thrift_zigzag(t->text, n);
}

void
tl_thrift_item_bytes(struct tl_thrift *t, struct tl_bytes bytes)
{
	tl_thrift_varint(t->text, bytes.size);
	tl_put_bytes(t->text, bytes);
}

int
tl_thrift_item_open(struct tl_thrift *t)
{
	const int last = t->last;

	t->last = 0;
	return last;
}
