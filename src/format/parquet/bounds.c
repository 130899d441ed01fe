/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_bounds.c - values in an order, and what is told of them. */
#include "format/parquet/bounds.h"

#include "base/utf8.h"

#include <endian.h>

#define TOP_BIT (UINT64_C(1) << 63)

/* Of doubles those below 0 are in order the other way round. */
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

/* The compiler makes a loop for each order. */
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

/* Of doubles, both zeros are the same: the bounds hold either. */
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
			*least = *most = text; /* the first */
		if (is_less(text, *least))
			*least = text;
		if (is_less(*most, text))
			*most = text;
	}
	return texts.size > 0;
}

/* Where the last character begins that does not fit, or the end. */
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

/* One further: the last letter that has a next one in ASCII. */
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
