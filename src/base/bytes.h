/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - a run of bytes and bounded access to it.
 *
 * Bytes of a file are hostile until they have been read through these
 * functions.
 */
#ifndef TL_BASE_BYTES_H
#define TL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that the caller owns, not ended by a NUL. */
struct tl_bytes {
	const char *data;
	size_t size;
};

static inline struct tl_bytes
tl_bytes(const void *data, size_t size)
{
	return (struct tl_bytes){ .data = (const char *)data, .size = size };
}

static inline struct tl_bytes
tl_bytes_of(const char *text)
{
	return tl_bytes(text, strlen(text));
}

/* Do `count` elements of size `each`, starting at offset, lie within total
 * bytes? */
static inline bool
tl_fits(uint64_t total, uint64_t offset, uint64_t count, uint64_t each)
{
	return offset <= total &&
	       (each == 0 || count <= (total - offset) / each);
}

static inline bool
tl_bytes_equal(struct tl_bytes a, struct tl_bytes b)
{
	return a.size == b.size &&
	       (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Are the bytes the text? */
static inline bool
tl_bytes_are(struct tl_bytes bytes, const char *text)
{
	return tl_bytes_equal(bytes, tl_bytes_of(text));
}

static inline bool
tl_bytes_begin_with(struct tl_bytes bytes, const char *begin)
{
	const size_t size = strlen(begin);

	return bytes.size >= size && memcmp(bytes.data, begin, size) == 0;
}

/* Take bytes off the front if they are the text begin. */
static inline bool
tl_bytes_take(struct tl_bytes *bytes, const char *begin)
{
	const size_t size = strlen(begin);

	if (!tl_bytes_begin_with(*bytes, begin))
		return false;
	*bytes = tl_bytes(bytes->data + size, bytes->size - size);
	return true;
}

static inline bool
tl_bytes_end_with(struct tl_bytes bytes, const char *end)
{
	const size_t size = strlen(end);

	return bytes.size >= size &&
	       memcmp(bytes.data + bytes.size - size, end, size) == 0;
}

static inline uint64_t
tl_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
tl_most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The double of 64 bits, and the bits of a double. */
static inline double
tl_double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t
tl_bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* FNV-1a of 64 bits (draft-eastlake-fnv), continued from TL_FNV_BASIS: the same
 * in each process, for numbers that are stored or sent.  A table uses
 * tl_hash_bytes, of which no file can make keys collide. */
#define TL_FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define TL_FNV_PRIME UINT64_C(0x100000001b3)
static inline uint64_t
tl_fnv(uint64_t hash, struct tl_bytes bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		hash = (hash ^ (uint8_t)bytes.data[i]) * TL_FNV_PRIME;
	return hash;
}

/* The value of a hexadecimal digit, or -1. */
static inline int
tl_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * == data ==
 *
 * big-endian numbers as of Java's DataOutput, written into a buffer of a fixed
 * size and read from bytes that may have any value.
 *
 * Writer and reader remember their first failure, so that callers check once,
 * at the end of an object.  A varint has seven bits in each byte, the lowest
 * first; the top bit is set if more bytes follow.  A signed varint is folded
 * first (0 -1 1 -2 ...).
 */

enum { TL_VARINT_MAX = 10 };

struct tl_data_out {
	uint8_t *data;
	size_t size;
	size_t capacity;
	bool full; /* bytes did not fit and were left out */
};

/* Reserve room for `size` bytes.  Returns the place, or NULL and sets full. */
static inline uint8_t *
tl_data_room(struct tl_data_out *out, size_t size)
{
	if (out->full || out->capacity - out->size < size) {
		out->full = true;
		return NULL;
	}
	out->size += size;
	return out->data + (out->size - size);
}

static inline void
tl_data_put_u8(struct tl_data_out *out, uint8_t n)
{
	uint8_t *to = tl_data_room(out, 1);

	if (to)
		*to = n;
}

static inline void
tl_data_put_u16(struct tl_data_out *out, uint16_t n)
{
	uint8_t *to = tl_data_room(out, sizeof(n));

	n = __builtin_bswap16(n);
	if (to)
		memcpy(to, &n, sizeof(n));
}

static inline void
tl_data_put_u32(struct tl_data_out *out, uint32_t n)
{
	uint8_t *to = tl_data_room(out, sizeof(n));

	n = __builtin_bswap32(n);
	if (to)
		memcpy(to, &n, sizeof(n));
}

static inline void
tl_data_put_u64(struct tl_data_out *out, uint64_t n)
{
	uint8_t *to = tl_data_room(out, sizeof(n));

	n = __builtin_bswap64(n);
	if (to)
		memcpy(to, &n, sizeof(n));
}

static inline void
tl_data_put_i32(struct tl_data_out *out, int32_t n)
{
	tl_data_put_u32(out, (uint32_t)n);
}

static inline void
tl_data_put_i64(struct tl_data_out *out, int64_t n)
{
	tl_data_put_u64(out, (uint64_t)n);
}

static inline void
tl_data_put_bytes(struct tl_data_out *out, struct tl_bytes bytes)
{
	uint8_t *to = tl_data_room(out, bytes.size);

	if (to && bytes.size > 0)
		memcpy(to, bytes.data, bytes.size);
}

/* Put a text of Java's writeUTF, already in modified UTF-8: its size in 16
 * bits, then its bytes. */
static inline void
tl_data_put_utf(struct tl_data_out *out, struct tl_bytes text)
{
	if (text.size > UINT16_MAX) {
		out->full = true;
		return;
	}
	tl_data_put_u16(out, (uint16_t)text.size);
	tl_data_put_bytes(out, text);
}

static inline uint64_t
tl_data_fold(int64_t n)
{
	return (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0);
}

static inline int64_t
tl_data_unfold(uint64_t n)
{
	return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

/* Write to a place that has room, and return the place after it: at most
 * TL_VARINT_MAX bytes. */
static inline uint8_t *
tl_data_write_varint(uint8_t *to, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		*to++ = (uint8_t)(n | 0x80);
	*to++ = (uint8_t)n;
	return to;
}

static inline uint8_t *
tl_data_write_folded(uint8_t *to, int64_t n)
{
	return tl_data_write_varint(to, tl_data_fold(n));
}

struct tl_data_in {
	const uint8_t *data;
	size_t size;
	size_t at;
	bool bad; /* the input ended too early, or a varint was invalid */
};

static inline struct tl_data_in
tl_data_in(const void *data, size_t size)
{
	return (struct tl_data_in){ .data = data, .size = size };
}

/* Take the next `size` bytes.  Returns their place, or NULL and sets bad. */
static inline const uint8_t *
tl_data_take(struct tl_data_in *in, size_t size)
{
	if (in->bad || in->size - in->at < size) {
		in->bad = true;
		return NULL;
	}
	in->at += size;
	return in->data + (in->at - size);
}

static inline uint8_t
tl_data_u8(struct tl_data_in *in)
{
	const uint8_t *from = tl_data_take(in, 1);

	return from ? *from : 0;
}

static inline uint16_t
tl_data_u16(struct tl_data_in *in)
{
	const uint8_t *from = tl_data_take(in, sizeof(uint16_t));
	uint16_t n = 0;

	if (from)
		memcpy(&n, from, sizeof(n));
	return __builtin_bswap16(n);
}

static inline uint32_t
tl_data_u32(struct tl_data_in *in)
{
	const uint8_t *from = tl_data_take(in, sizeof(uint32_t));
	uint32_t n = 0;

	if (from)
		memcpy(&n, from, sizeof(n));
	return __builtin_bswap32(n);
}

static inline uint64_t
tl_data_u64(struct tl_data_in *in)
{
	const uint8_t *from = tl_data_take(in, sizeof(uint64_t));
	uint64_t n = 0;

	if (from)
		memcpy(&n, from, sizeof(n));
	return __builtin_bswap64(n);
}

static inline int32_t
tl_data_i32(struct tl_data_in *in)
{
	return (int32_t)tl_data_u32(in);
}

static inline int64_t
tl_data_i64(struct tl_data_in *in)
{
	return (int64_t)tl_data_u64(in);
}

static inline struct tl_bytes
tl_data_bytes(struct tl_data_in *in, size_t size)
{
	const uint8_t *from = tl_data_take(in, size);

	return tl_bytes(from, from ? size : 0);
}

static inline struct tl_bytes
tl_data_text(struct tl_data_in *in)
{
	const uint32_t size = tl_data_u32(in);

	return tl_data_bytes(in, size);
}

static inline struct tl_bytes
tl_data_utf(struct tl_data_in *in)
{
	const uint16_t size = tl_data_u16(in);

	return tl_data_bytes(in, size);
}

static inline uint64_t
tl_data_varint(struct tl_data_in *in)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t byte = tl_data_u8(in);

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (shift == 63 && byte > 1)
			break; /* more than 64 bits */
		if (byte < 0x80)
			return n;
	}
	in->bad = true;
	return 0;
}

/* Take a varint that must fit into 32 bits. */
static inline uint32_t
tl_data_varint32(struct tl_data_in *in)
{
	const uint64_t n = tl_data_varint(in);

	if (n > UINT32_MAX)
		in->bad = true;
	return (uint32_t)n;
}

static inline int64_t
tl_data_folded(struct tl_data_in *in)
{
	return tl_data_unfold(tl_data_varint(in));
}

#endif
