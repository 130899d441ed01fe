/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - the words and numbers of JSON, exactly.
 */
#ifndef TL_BASE_JSON_H
#define TL_BASE_JSON_H

#include "base/bytes.h"
#include "base/text.h"

/* The byte at or after at that belongs to no word or number, or size. */
size_t tl_json_word_end(const char *data, size_t size, size_t at);

/* TL_JSON_NUMBER, TRUE, FALSE or NULL; -EBADMSG: none of these.  NaN, Infinity
 * and -Infinity, as JavaScript and Python write them, and nan and inf, as C
 * does, are numbers, too, that only tl_json_double takes. */
int tl_json_word(struct tl_bytes word);

/*
 * The value of a number as JSON writes it.  unsigned and signed are for whole
 * numbers (12, 12.0 and 1.2e1 are the same one); scaled gives it times
 * 10^shift, what then is behind the point rounded to the nearest.  Nothing
 * goes through a double.  0, -EINVAL no number, or not a whole one, -ERANGE.
 */
int tl_json_unsigned(struct tl_bytes number, uint64_t *value);
int tl_json_signed(struct tl_bytes number, int64_t *value);
int tl_json_scaled(struct tl_bytes number, unsigned shift, int64_t *value);

/* The double next to it; beyond all of them, infinity.  0, -EINVAL no
 * number. */
int tl_json_double(struct tl_bytes number, double *value);

/* == strings: where a JSON string ends, and its unescaped text == */

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

/*
 * == json parse ==
 *
 * JSON, one token after the other, out of pieces of bytes that
 * may be cut anywhere.
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
 * Any number of values may follow each other, as in JSON lines.  Beyond
 * RFC 8259 a comma may stand before a ] or }, control bytes other than a newline
 * within a string, and NaN where a number may: all are met in real traces.
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
	TL_JSON_END /* of the input, and all of it was whole */
};

/* text lives until the next call, data of a key or string is never NULL. */
struct tl_json_token {
	struct tl_bytes text;
	uint64_t at; /* the first byte of it in the input */
	bool cut;    /* a string that was too long */
};

/* Starts from all zeros. */
struct tl_json {
	unsigned depth;    /* objects and arrays that are open */
	const char *why;   /* after -EBADMSG: the problem */
	uint64_t wrong_at; /* after -EBADMSG: its byte */
	const char *data;  /* the piece */
	size_t size;
	size_t at;            /* the next byte of it */
	uint64_t before;      /* bytes of the pieces before it */
	uint64_t token_at;    /* of a token that an earlier piece began */
	struct tl_text part;  /* its bytes so far, as many as are kept */
	struct tl_text plain; /* a string without its escapes */
	uint64_t objects[TL_JSON_DEPTH_MAX / 64]; /* bit: not an array */
	uint8_t state;
	uint8_t begun;   /* what kind of token an earlier piece began */
	uint8_t found;   /* of what tl_json_recover looks for */
	bool is_escaped; /* the piece ended behind a backslash */
	bool has_escapes;
	bool finished;
};

void tl_json_free(struct tl_json *json);

/* The next piece, once next has asked for it.  It must outlive the tokens. */
void tl_json_feed(struct tl_json *json, struct tl_bytes piece);
/* No more pieces. */
void tl_json_finish(struct tl_json *json);

/*
 * The next token: its kind; 0 (TL_JSON_MORE); -EBADMSG, again and again: not
 * JSON, or it ends too early; -ENOMEM.
 */
int tl_json_next(struct tl_json *json, struct tl_json_token *token);

/*
 * After -EBADMSG: go on, within depth open values of which the innermost is an
 * array, at the next { behind a } and a comma.  The bytes up to there are
 * skipped.  If the input ends first, the next token is TL_JSON_END.
 */
void tl_json_recover(struct tl_json *json, unsigned depth);

/* After -EBADMSG: forget all that is open; the next piece begins anew.  For
 * lines that are fed one by one. */
void tl_json_restart(struct tl_json *json);

#endif
