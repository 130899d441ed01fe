/* SPDX-License-Identifier: Apache-2.0 */
/* encode.c - packed numbers, bounds of values, fields of Thrift. */
#include "format/parquet/encode.h"

#include "base/utf8.h"
#include "format/protobuf.h"

#include <endian.h>

/* == Thrift == */

enum {
	FAR = 15, /* larger distances and counts have a long form */
	HEAD_SHIFT = 4
};

/* Thrift and protobuf have the same varints. */
void
tl_thrift_varint(struct tl_text *text, uint64_t n)
{
	char *to = tl_text_reserve(text, TL_PB_VARINT_MAX);

	if (to)
		text->size = (size_t)(tl_pb_write_varint(to, n) - text->data);
}

static void
put_zigzag(struct tl_text *text, int64_t n)
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
		put_zigzag(t->text, field);
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
	put_zigzag(t->text, n);
}

void
tl_thrift_put_i64(struct tl_thrift *t, int field, int64_t n)
{
	put_head(t, field, TL_THRIFT_I64);
	put_zigzag(t->text, n);
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
	put_zigzag(t->text, n);
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

/* == numbers, packed == */

enum {
	GROUP = TL_PARQUET_GROUP,
	RUN_GROUPS_MIN = 2, /* shorter runs do not pay */
	BLOCK = 128,
	PART = 32, /* a part of a block */
	PARTS = BLOCK / PART,
	BLOCK_SIZE_MAX =
	    TL_PB_VARINT_MAX + PARTS + BLOCK * (int)sizeof(uint64_t),
	WORD_BITS = 64
};

#define EACH_BYTE UINT64_C(0x0101010101010101)
/* A multiplication with GATHER moves bit 0 of byte i to bit 56 + i. */
#define GATHER UINT64_C(0x0102040810204080)

/*
 * Values are bytes (size 1) or words (size 8); inlining makes a loop for each.
 */
struct values {
	const void *data;
	size_t size;
	size_t count;
	unsigned width; /* bits of each value */
};

static inline uint64_t
value_at(const struct values *v, size_t i)
{
	return v->size == 1 ? ((const uint8_t *)v->data)[i]
			    : ((const uint64_t *)v->data)[i];
}

/* Are all values of a group equal? */
static inline bool
is_even(const struct values *v, size_t group)
{
	const uint64_t first = value_at(v, group * GROUP);
	uint64_t odd = 0, word;

	if (v->size == 1) {
		memcpy(&word, (const char *)v->data + group * GROUP,
		    sizeof(word));
		return word == first * EACH_BYTE;
	}
	for (size_t i = 1; i < GROUP; i++)
		odd |= value_at(v, group * GROUP + i) ^ first;
	return odd == 0;
}

static inline char *
write_group(char *to, const struct values *v, size_t group)
{
	uint64_t bits = 0;
	unsigned filled = 0;

	if (v->size == 1) {
		memcpy(&bits, (const char *)v->data + group * GROUP,
		    sizeof(bits));
		*to++ = (char)(bits * GATHER >> 56);
		return to;
	}
	for (size_t i = 0; i < GROUP; i++) {
		bits |= value_at(v, group * GROUP + i) << filled;
		for (filled += v->width; filled >= 8; filled -= 8) {
			*to++ = (char)bits;
			bits >>= 8;
		}
	}
	return to;
}

static inline void
put_packed(struct tl_text *text, const struct values *v, size_t group,
    size_t end)
{
	char *to;

	if (group == end)
		return;
	tl_thrift_varint(text, (end - group) << 1 | 1);
	to = tl_text_reserve(text, (end - group) * v->width);
	if (!to)
		return;
	for (; group < end; group++)
		to = write_group(to, v, group);
	text->size = (size_t)(to - text->data);
}

static void
put_run(struct tl_text *text, size_t count, uint64_t value, unsigned width)
{
	tl_thrift_varint(text, count << 1);
	for (unsigned at = 0; at < width; at += 8)
		tl_put_char(text, (char)(value >> at));
}

static inline void
put_hybrid(struct tl_text *text, const struct values *v)
{
	const size_t groups = (v->count + GROUP - 1) / GROUP;
	size_t packed = 0, at = 0;

	while (at < groups) {
		/*
		 * The number of groups, from this group on, that have one
		 * single value.
		 */
		const uint64_t first = value_at(v, at * GROUP);
		size_t end = at;

		while (end < groups && value_at(v, end * GROUP) == first &&
		       is_even(v, end))
			end++;

		const size_t run = end - at;

		if (run < RUN_GROUPS_MIN && run < groups) {
			at += run > 0 ? run : 1;
			continue;
		}
		put_packed(text, v, packed, at);
		packed = at + run;
		put_run(text,
		    (packed < groups ? packed * GROUP : v->count) - at * GROUP,
		    value_at(v, at * GROUP), v->width);
		at = packed;
	}
	put_packed(text, v, packed, groups);
}

void
tl_parquet_put_levels(struct tl_text *text, uint8_t *levels, size_t count)
{
	const struct values v = { levels, 1, count, 1 };

	for (size_t i = count; i % GROUP != 0; i++)
		levels[i] = levels[count - 1];
	put_hybrid(text, &v);
}

/* Fill the last group with its last value. */
static void
fill_group(uint64_t *values, size_t count)
{
	for (size_t i = count; i % GROUP != 0; i++)
		values[i] = values[count - 1];
}

void
tl_parquet_put_indices(struct tl_text *text, uint64_t *indices, size_t count,
    unsigned width)
{
	const struct values v = { indices, sizeof(*indices), count, width };

	fill_group(indices, count);
	put_hybrid(text, &v);
}

void
tl_parquet_put_bools(struct tl_text *text, uint64_t *values, size_t count)
{
	const struct values v = { values, sizeof(*values), count, 1 };
	const size_t groups = (count + GROUP - 1) / GROUP;
	char *to = tl_text_reserve(text, groups);

	if (!to)
		return;
	fill_group(values, count);
	for (size_t i = 0; i < groups; i++)
		to = write_group(to, &v, i);
	text->size = (size_t)(to - text->data);
}

/* == steps == */

static inline char *
write_word(char *to, uint64_t word)
{
	word = htole64(word);
	memcpy(to, &word, sizeof(word));
	return to + sizeof(word);
}

/*
 * Write PART numbers of width bits.  32 numbers end on a word or in the middle
 * of a word.
 */
static char *
write_part(char *to, const uint64_t *part, unsigned width)
{
	unsigned filled = 0;
	uint64_t bits = 0;

	if (width == 0)
		return to;
	for (size_t i = 0; i < PART; i++) {
		bits |= part[i] << filled;
		filled += width;
		if (filled < WORD_BITS)
			continue;
		to = write_word(to, bits);
		filled -= WORD_BITS;
		bits = filled > 0 ? part[i] >> (width - filled) : 0;
	}
	return filled > 0 ? write_word(to, bits) - WORD_BITS / 16 : to;
}

static int64_t
widened(uint64_t value, bool narrow)
{
	return narrow ? (int32_t)(uint32_t)value : (int64_t)value;
}

/*
 * Compute the steps to count values, each from the value before; narrow: steps
 * wrap to 32 bits, as the values.  Return the least step.
 */
static int64_t
take_steps(uint64_t *steps, const uint64_t *values, size_t count, bool narrow)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		const int64_t step =
		    widened(values[i] - values[(ptrdiff_t)i - 1], narrow);

		least = step < least ? step : least;
		steps[i] = (uint64_t)step;
	}
	return least;
}

static uint64_t
lift_part(uint64_t *part, size_t count, int64_t least)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++) {
		part[i] -= (uint64_t)least;
		all |= part[i];
	}
	return all;
}

/* Write the steps to at most BLOCK values; a value precedes the array. */
static char *
write_block(char *to, const uint64_t *values, size_t count, bool narrow)
{
	uint64_t steps[BLOCK] = { 0 };
	const int64_t least = take_steps(steps, values, count, narrow);
	char *widths = tl_pb_write_varint(to,
	    (uint64_t)least << 1 ^ (uint64_t)(least >> 63));

	to = widths + PARTS;
	for (size_t i = 0; i < PARTS; i++) {
		const size_t at = i * PART;
		const size_t left = count > at ? count - at : 0;
		const unsigned width = tl_parquet_width(
		    lift_part(steps + at, left < PART ? left : PART, least));

		widths[i] = (char)width;
		to = write_part(to, steps + at, width);
	}
	return to;
}

void
tl_parquet_put_delta(struct tl_text *text, const uint64_t *values, size_t count,
    bool narrow)
{
	size_t at = 1;

	tl_thrift_varint(text, BLOCK);
	tl_thrift_varint(text, PARTS);
	tl_thrift_varint(text, count);
	put_zigzag(text, widened(values[0], narrow));
	while (at < count) {
		const size_t n = count - at < BLOCK ? count - at : BLOCK;
		char *to = tl_text_reserve(text, BLOCK_SIZE_MAX);

		if (!to)
			return;
		to = write_block(to, values + at, n, narrow);
		text->size = (size_t)(to - text->data);
		at += n;
	}
}

/* == bounds == */

#define TOP_BIT (UINT64_C(1) << 63)

/* Doubles below 0 are in the reverse order of their bits. */
static inline uint64_t
key_of(enum tl_parquet_order order, uint64_t value)
{
	if (order == TL_PARQUET_UNSIGNED)
		return value;
	if (order == TL_PARQUET_REAL && value >> 63)
		return ~value;
	return value ^ TOP_BIT;
}

static uint64_t
value_of(enum tl_parquet_order order, uint64_t key)
{
	if (order == TL_PARQUET_UNSIGNED)
		return key;
	if (order == TL_PARQUET_REAL && !(key >> 63))
		return ~key;
	return key ^ TOP_BIT;
}

static bool
is_not_a_number(uint64_t bits)
{
	const uint64_t infinity = UINT64_C(0x7ff) << 52;

	return (bits & ~TOP_BIT) > infinity;
}

static inline void
take(struct tl_parquet_bounds *b, enum tl_parquet_order order,
    const uint64_t *values, size_t count)
{
	uint64_t least = b->is_known ? b->least : UINT64_MAX;
	uint64_t most = b->is_known ? b->most : 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t key = key_of(order, values[i]);

		least = key < least ? key : least;
		most = key > most ? key : most;
	}
	b->least = least;
	b->most = most;
	b->is_known |= count > 0;
}

/* Inlining makes a loop for each order. */
void
tl_parquet_bounds_take(struct tl_parquet_bounds *b, enum tl_parquet_order order,
    const uint64_t *values, size_t count)
{
	switch (order) {
	case TL_PARQUET_UNSIGNED:
		take(b, TL_PARQUET_UNSIGNED, values, count);
		return;
	case TL_PARQUET_SIGNED:
		take(b, TL_PARQUET_SIGNED, values, count);
		return;
	case TL_PARQUET_REAL:
		take(b, TL_PARQUET_REAL, values, count);
		for (size_t i = 0; i < count; i++)
			b->is_void |= is_not_a_number(values[i]);
	}
}

/* -0.0 and 0.0 are equal, so the bounds include either zero. */
bool
tl_parquet_bounds_get(const struct tl_parquet_bounds *b,
    enum tl_parquet_order order, uint64_t *least, uint64_t *most)
{
	if (!b->is_known || b->is_void)
		return false;
	*least = value_of(order, b->least);
	*most = value_of(order, b->most);
	if (order == TL_PARQUET_REAL && *least == 0)
		*least = TOP_BIT;
	if (order == TL_PARQUET_REAL && *most == TOP_BIT)
		*most = 0;
	return true;
}

static bool
is_less(struct tl_bytes a, struct tl_bytes b)
{
	const size_t size = a.size < b.size ? a.size : b.size;
	const int order = size > 0 ? memcmp(a.data, b.data, size) : 0;

	return order < 0 || (order == 0 && a.size < b.size);
}

bool
tl_parquet_bounds_of_texts(struct tl_bytes texts, struct tl_bytes *least,
    struct tl_bytes *most)
{
	uint32_t size;

	for (size_t at = 0; at < texts.size; at += size) {
		struct tl_bytes text;

		memcpy(&size, texts.data + at, sizeof(size));
		size = le32toh(size);
		at += sizeof(size);
		text = tl_bytes(texts.data + at, size);
		if (text.data == texts.data + sizeof(size))
			*least = *most = text; /* first text */
		if (is_less(text, *least))
			*least = text;
		if (is_less(*most, text))
			*most = text;
	}
	return texts.size > 0;
}

/* The end of the longest prefix of whole characters that fits. */
static size_t
cut_at(struct tl_bytes text)
{
	size_t at = 0, size = 0;
	uint32_t code;

	while (at + size <= TL_PARQUET_BOUND_SIZE_MAX) {
		at += size;
		if (at == text.size)
			break;
		size = tl_utf8_decode(text, at, &code);
		size = size > 0 ? size : 1;
	}
	return at;
}

bool
tl_parquet_cut_least(struct tl_text *cut, struct tl_bytes least)
{
	const size_t size = cut_at(least);

	tl_put_bytes(cut, tl_bytes(least.data, size));
	return size == least.size;
}

/* Increase the last letter that has a successor in ASCII. */
bool
tl_parquet_cut_most(struct tl_text *cut, struct tl_bytes most)
{
	const size_t size = cut_at(most);
	size_t at = size;

	if (size == most.size) {
		tl_put_bytes(cut, most);
		return true;
	}
	while (at > 0 && (unsigned char)most.data[at - 1] >= 0x7f)
		at--;
	if (at > 0) {
		tl_put_bytes(cut, tl_bytes(most.data, at - 1));
		tl_put_char(cut, (char)(most.data[at - 1] + 1));
	}
	return false;
}
