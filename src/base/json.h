/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - the words and numbers of JSON, exactly.
 */
#ifndef TL_BASE_JSON_H
#define TL_BASE_JSON_H

#include "base/bytes.h"
#include "base/text.h"

/* The first byte from `at` on that belongs to no word or number; size: none. */
size_t tl_json_word_end(const char *data, size_t size, size_t at);

/* The kind of a word: TL_JSON_NUMBER, TRUE, FALSE or NULL; -EBADMSG: none of
 * these.  NaN, Infinity and -Infinity, as JavaScript and Python write them, and
 * nan and inf, as C does, are numbers too, but only tl_json_double() accepts
 * them. */
int tl_json_word(struct tl_bytes word);

/*
 * Get the value of a JSON number.  unsigned and signed accept whole numbers
 * (12, 12.0 and 1.2e1 are equal); scaled returns the number times 10^shift,
 * rounded to the nearest.  No value passes through a double.  0, -EINVAL not a
 * number, or not a whole one, -ERANGE.
 */
int tl_json_unsigned(struct tl_bytes number, uint64_t *value);
int tl_json_signed(struct tl_bytes number, int64_t *value);
int tl_json_scaled(struct tl_bytes number, unsigned shift, int64_t *value);

/* Get the nearest double; infinity for numbers beyond all doubles.  0, -EINVAL
 * not a number. */
int tl_json_double(struct tl_bytes number, double *value);

/* == strings: the end of a JSON string, and its unescaped text == */

#define TL_JSON_EACH 0x0101010101010101u
#define TL_JSON_HIGH 0x8080808080808080u

/* Set the high bit of the first zero byte of x, and of no byte before.  No bit
 * set: no byte is zero. */
static inline uint64_t
tl_json_zero(uint64_t x)
{
	return (x - TL_JSON_EACH) & ~x & TL_JSON_HIGH;
}

/* The number of plain bytes, of eight, before the first that is not plain. */
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

/* The first quote, backslash or newline from `at` on; size: none. */
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
 * The first byte from `at` on that ends a string: a quote or a newline; size:
 * none.  *is_escaped: a backslash precedes byte at; on return, byte size.
 * *has_escapes becomes true if there is a backslash.
 */
size_t tl_json_string_end(const char *data, size_t size, size_t at,
    bool *is_escaped, bool *has_escapes);

/*
 * Unescape a text into plain, which is overwritten.  Half a surrogate pair
 * becomes U+FFFD; an escape cut off by the end is left out.  0, -EBADMSG,
 * -ENOMEM.
 */
int tl_json_unescape(struct tl_text *plain, struct tl_bytes *text);

/*
 * == json parse ==
 *
 * JSON, token by token, from pieces of bytes that may be cut anywhere.
 *
 *	struct tl_json json = { 0 };
 *
 *	tl_json_feed(&json, piece);
 *	while ((rc = tl_json_next(&json, &token)) > 0)
 *		...
 *	if (rc == 0)
 *		... feed the next piece, or tl_json_finish and next again ...
 *	tl_json_free(&json);
 *
 * Any number of values may follow each other, as in JSON lines.  Beyond RFC
 * 8259 a comma may stand before a ] or }, control bytes other than a newline
 * within a string, and NaN in place of a number; all three occur in real
 * traces.
 */

enum {
	TL_JSON_DEPTH_MAX = 256,
	TL_JSON_STRING_MAX = 1 << 20, /* raw bytes; a longer string is cut */
	TL_JSON_NUMBER_MAX = 1 << 10  /* bytes; a longer number is refused */
};

enum tl_json_kind {
	TL_JSON_MORE = 0, /* another piece is needed */
	TL_JSON_OBJECT,
	TL_JSON_OBJECT_END,
	TL_JSON_ARRAY,
	TL_JSON_ARRAY_END,
	TL_JSON_KEY,    /* text: without its escapes */
	TL_JSON_STRING, /* text: without its escapes */
	TL_JSON_NUMBER, /* text: as written; see tl_json_unsigned */
	TL_JSON_TRUE,
	TL_JSON_FALSE,
	TL_JSON_NULL,
	TL_JSON_END /* the end of a complete input */
};

/* text is valid until the next call.  data of a key or string is never NULL. */
struct tl_json_token {
	struct tl_bytes text;
	uint64_t at; /* first byte in the input */
	bool cut;    /* the string was too long */
};

/* Starts from all zeros. */
struct tl_json {
	unsigned depth;    /* number of open objects and arrays */
	const char *why;   /* after -EBADMSG: the problem */
	uint64_t wrong_at; /* after -EBADMSG: offset of the problem */
	const char *data;  /* the current piece */
	size_t size;
	size_t at;         /* next byte of the piece */
	uint64_t before;   /* bytes of the earlier pieces */
	uint64_t token_at; /* offset of a token that an earlier piece began */
	/* bytes of this token so far, as many as are kept */
	struct tl_text part;
	struct tl_text plain; /* the unescaped string */
	/* a bit for each open value: 1 for an object */
	uint64_t objects[TL_JSON_DEPTH_MAX / 64];
	uint8_t state;
	uint8_t begun; /* kind of the token that an earlier piece began */
	/* part of the pattern of tl_json_recover() found so far */
	uint8_t found;
	/* the last byte of the piece was an escaping backslash */
	bool is_escaped;
	bool has_escapes;
	bool finished;
};

void tl_json_free(struct tl_json *json);

/* Feed the next piece, after tl_json_next() has asked for it.  The piece must
 * outlive its tokens. */
void tl_json_feed(struct tl_json *json, struct tl_bytes piece);
/* There are no more pieces. */
void tl_json_finish(struct tl_json *json);

/*
 * Get the next token.  Returns its kind; 0 (TL_JSON_MORE); -EBADMSG, also in
 * all later calls: not JSON, or the input ends too early; -ENOMEM.
 */
int tl_json_next(struct tl_json *json, struct tl_json_token *token);

/*
 * After -EBADMSG: continue, within `depth` open values of which the innermost
 * is an array, at the next { after a } and a comma.  The bytes in between are
 * skipped.  If the input ends first, the next token is TL_JSON_END.
 */
void tl_json_recover(struct tl_json *json, unsigned depth);

/* After -EBADMSG: close all open values; the next piece begins anew.  For lines
 * that are fed one by one. */
void tl_json_restart(struct tl_json *json);

#endif
