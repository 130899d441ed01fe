/* SPDX-License-Identifier: Apache-2.0 */
/* json_string.c - JSON strings, eight bytes at a time where they are plain. */
#include "base/json_string.h"

#include <errno.h>

enum {
	ESCAPE_SIZE = 6, /* \uNNNN */
	UTF8_MAX = 4,
	REPLACEMENT = 0xfffd
};

size_t
tl_json_string_end(const char *data, size_t size, size_t at, bool *is_escaped,
    bool *has_escapes)
{
	if (*is_escaped && at < size) {
		*is_escaped = false;
		at++;
	}
	while ((at = tl_json_plain_end(data, size, at)) < size &&
	       data[at] == '\\') {
		*has_escapes = true;
		at++;
		*is_escaped = at == size;
		at += !*is_escaped;
	}
	return at;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of \uNNNN at byte at; -1: there is none. */
static int32_t
read_unit(struct tl_bytes text, size_t at)
{
	int32_t unit = 0;

	if (text.size < at + ESCAPE_SIZE || text.data[at] != '\\' ||
	    text.data[at + 1] != 'u')
		return -1;
	for (size_t i = 2; i < ESCAPE_SIZE; i++) {
		const int digit = hex_digit(text.data[at + i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static void
put_utf8(struct tl_text *to, uint32_t code)
{
	char bytes[UTF8_MAX];
	size_t size = 0;

	if (code < 0x80) {
		bytes[size++] = (char)code;
	} else if (code < 0x800) {
		bytes[size++] = (char)(0xc0 | code >> 6);
		bytes[size++] = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		bytes[size++] = (char)(0xe0 | code >> 12);
		bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[size++] = (char)(0x80 | (code & 0x3f));
	} else {
		bytes[size++] = (char)(0xf0 | code >> 18);
		bytes[size++] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[size++] = (char)(0x80 | (code & 0x3f));
	}
	tl_put_bytes(to, tl_bytes(bytes, size));
}

/* The character of one \u escape or of a pair: how many bytes it took; 0: it
 * is not good. */
static size_t
put_unit(struct tl_text *to, struct tl_bytes text, size_t at)
{
	const int32_t first = read_unit(text, at);
	const int32_t second =
	    first >> 10 == 0x36 ? read_unit(text, at + ESCAPE_SIZE) : -1;

	if (first < 0)
		return 0;
	if (second >> 10 == 0x37) { /* the half that belongs to it? */
		put_utf8(to, 0x10000u + ((uint32_t)first & 0x3ff) * 0x400 +
				 ((uint32_t)second & 0x3ff));
		return 2 * (size_t)ESCAPE_SIZE;
	}
	put_utf8(to, first >> 11 == 0x1b ? REPLACEMENT : (uint32_t)first);
	return ESCAPE_SIZE;
}

/* What stands behind a backslash: how many bytes both took; 0: no escape. */
static size_t
put_escape(struct tl_text *to, struct tl_bytes text, size_t at)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	const char c = text.data[at + 1];
	const char *letter = memchr(letters, c, sizeof(letters) - 1);

	if (c == 'u')
		return put_unit(to, text, at);
	if (!letter)
		return 0;
	tl_put_char(to, bytes[letter - letters]);
	return 2;
}

/* Does the end of the text cut off the escape at byte at? */
static bool
is_cut(struct tl_bytes text, size_t at)
{
	const size_t left = text.size - at;

	return left < 2 || (text.data[at + 1] == 'u' && left < ESCAPE_SIZE);
}

int
tl_json_unescape(struct tl_text *plain, struct tl_bytes *text)
{
	size_t at = 0;

	tl_text_clear(plain);
	while (at < text->size) {
		const char *from = text->data + at;
		const char *escape = memchr(from, '\\', text->size - at);
		const size_t run =
		    escape ? (size_t)(escape - from) : text->size - at;
		size_t size;

		tl_put_bytes(plain, tl_bytes(from, run));
		at += run;
		if (at == text->size)
			break;
		if (is_cut(*text, at))
			break;
		if ((size = put_escape(plain, *text, at)) == 0)
			return -EBADMSG;
		at += size;
	}
	*text = tl_bytes(tl_text_string(plain), plain->size);
	return plain->rc;
}
