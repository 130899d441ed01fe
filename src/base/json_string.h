/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_string.h - where a JSON string ends and what it says.
 */
#ifndef TL_BASE_JSON_STRING_H
#define TL_BASE_JSON_STRING_H

#include "base/text.h"

#define TL_JSON_EACH 0x0101010101010101u
#define TL_JSON_HIGH 0x8080808080808080u

/* The high bit of the first byte of x that is 0 is set, and of none before it;
 * none set: no byte is 0. */
static inline uint64_t
tl_json_zero(uint64_t x)
{
	return (x - TL_JSON_EACH) & ~x & TL_JSON_HIGH;
}

/* How many of eight bytes stand before the first that is not plain. */
static inline unsigned
tl_json_count_plain(const char *data)
{
	uint64_t x, odd;

	memcpy(&x, data, sizeof(x));
	odd = tl_json_zero(x ^ TL_JSON_EACH * '"') |
	      tl_json_zero(x ^ TL_JSON_EACH * '\\') |
	      tl_json_zero(x ^ TL_JSON_EACH * '\n');
	return odd ? (unsigned)__builtin_ctzll(odd) / 8 : 8;
}

/* The byte at or after at that is a quote, a backslash or a newline, or
 * size. */
static inline size_t
tl_json_plain_end(const char *data, size_t size, size_t at)
{
	unsigned count = 8;

	while (count == 8 && size - at >= 8) {
		count = tl_json_count_plain(data + at);
		at += count;
	}
	if (count < 8)
		return at;
	while (at < size && data[at] != '"' && data[at] != '\\' &&
	       data[at] != '\n')
		at++;
	return at;
}

/*
 * The byte at or after at that ends a string, a quote or a newline; size when
 * none does.  *is_escaped: a backslash stands before byte at; on return,
 * before byte size.  *has_escapes becomes true when there is a backslash.
 */
size_t tl_json_string_end(const char *data, size_t size, size_t at,
    bool *is_escaped, bool *has_escapes);

/*
 * The text without its escapes, in plain, which is overwritten.  Half a
 * surrogate pair becomes U+FFFD; an escape that the end cuts off is left out.
 * 0, -EBADMSG, -ENOMEM.
 */
int tl_json_unescape(struct tl_text *plain, struct tl_bytes *text);

#endif
