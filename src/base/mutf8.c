/* SPDX-License-Identifier: Apache-2.0 */
/* mutf8.c - modified UTF-8 is UTF-16, each unit written like a character. */
#include "base/mutf8.h"

#include "base/utf8.h"

enum {
	UNIT_SIZE_MAX = 3,
	CHARACTER_SIZE_MAX = 2 * UNIT_SIZE_MAX,
	REPLACEMENT = 0xfffd,
	HIGH_FIRST = 0xd800, /* of the first surrogates of a pair */
	LOW_FIRST = 0xdc00,
	LOW_LAST = 0xdfff,
	ABOVE = 0x10000 /* the first character that takes a pair */
};

static bool
is_next(struct tl_bytes bytes, size_t at)
{
	return at < bytes.size && ((uint8_t)bytes.data[at] & 0xc0) == 0x80;
}

/* The unit at byte at and its size; 0 when Java would not read it.  As Java,
 * takes more bytes for a unit than it needs. */
static size_t
decode_unit(struct tl_bytes bytes, size_t at, uint32_t *unit)
{
	const uint8_t *b = (const uint8_t *)bytes.data + at;

	if (b[0] < 0x80) {
		*unit = b[0];
		return 1;
	}
	if ((b[0] & 0xe0) == 0xc0 && is_next(bytes, at + 1)) {
		*unit = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
		return 2;
	}
	if ((b[0] & 0xf0) == 0xe0 && is_next(bytes, at + 1) &&
	    is_next(bytes, at + 2)) {
		*unit =
		    (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
		return 3;
	}
	return 0;
}

/* The bytes of a code, in the form that both kinds share.  Returns how many,
 * 1 to 4. */
static size_t
encode_code(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < ABOVE) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

static void
put_code(struct tl_text *text, uint32_t code)
{
	char bytes[4];

	tl_put_bytes(text, tl_bytes(bytes, encode_code(bytes, code)));
}

/* The character at byte at, of one unit or a pair, and its size; 0: none. */
static size_t
decode_character(struct tl_bytes bytes, size_t at, uint32_t *code)
{
	const size_t size = decode_unit(bytes, at, code);
	uint32_t low;
	size_t more;

	if (size == 0 || *code < HIGH_FIRST || *code >= LOW_FIRST ||
	    at + size == bytes.size)
		return size;
	more = decode_unit(bytes, at + size, &low);
	if (more == 0 || low < LOW_FIRST || low > LOW_LAST)
		return size; /* the surrogate is alone */
	*code = ABOVE + ((*code - HIGH_FIRST) << 10 | (low - LOW_FIRST));
	return size + more;
}

bool
tl_mutf8_decode(struct tl_text *text, struct tl_bytes bytes)
{
	bool good = true;

	for (size_t at = 0; at < bytes.size;) {
		uint32_t code;
		const size_t size = decode_character(bytes, at, &code);

		put_code(text, size > 0 ? code : REPLACEMENT);
		good = good && size > 0;
		at += size > 0 ? size : 1;
	}
	return good;
}

/* What of UTF-8 stands at byte at: as tl_utf8_decode, and a surrogate. */
static size_t
decode_utf8(struct tl_bytes bytes, size_t at, uint32_t *code)
{
	const size_t size = tl_utf8_decode(bytes, at, code);

	if (size == 0 && (uint8_t)bytes.data[at] == 0xed)
		return decode_unit(bytes, at, code);
	return size;
}

/* A character in modified UTF-8: returns how many bytes, 1 to 6. */
static size_t
encode_character(char *to, uint32_t code)
{
	size_t size;

	if (code == 0) {
		to[0] = (char)0xc0;
		to[1] = (char)0x80;
		return 2;
	}
	if (code < ABOVE)
		return encode_code(to, code);
	size = encode_code(to, HIGH_FIRST + ((code - ABOVE) >> 10));
	return size +
	       encode_code(to + size, LOW_FIRST + ((code - ABOVE) & 0x3ff));
}

bool
tl_mutf8_encode(struct tl_text *text, struct tl_bytes bytes, size_t size_max)
{
	size_t left = size_max;
	bool good = true;

	for (size_t at = 0; at < bytes.size;) {
		char character[CHARACTER_SIZE_MAX];
		uint32_t code;
		const size_t taken = decode_utf8(bytes, at, &code);
		const size_t size =
		    encode_character(character, taken > 0 ? code : REPLACEMENT);

		if (size > left)
			return false;
		tl_put_bytes(text, tl_bytes(character, size));
		left -= size;
		good = good && taken > 0;
		at += taken > 0 ? taken : 1;
	}
	return good;
}
