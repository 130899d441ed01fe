/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_parse.h - JSON, one token after the other, out of pieces of bytes that
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
 * RFC 8259 a comma may stand before a ] and control bytes other than a newline
 * within a string: both are met in real traces.
 */
#ifndef TL_BASE_JSON_PARSE_H
#define TL_BASE_JSON_PARSE_H

#include "base/text.h"

enum {
	TL_JSON_DEPTH_MAX = 256,
	TL_JSON_STRING_MAX = 1 << 20, /* raw bytes; what is longer is cut */
	TL_JSON_NUMBER_MAX = 1 << 10  /* ... is refused */
};

enum tl_json_kind {
	TL_JSON_MORE = 0, /* another piece is needed */
	TL_JSON_OBJECT,
	TL_JSON_OBJECT_END,
	TL_JSON_ARRAY,
	TL_JSON_ARRAY_END,
	TL_JSON_KEY,    /* text: without its escapes */
	TL_JSON_STRING, /* text: without its escapes */
	TL_JSON_NUMBER, /* text: as written; see json_number.h */
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
	const char *why;   /* after -EBADMSG: what is wrong ... */
	uint64_t wrong_at; /* ... at which byte */
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
 * array, at the next { behind a } and a comma.  What lies between is lost.
 * Where the input ends first the next token is TL_JSON_END.
 */
void tl_json_recover(struct tl_json *json, unsigned depth);

/* After -EBADMSG: forget all that is open; the next piece begins anew.  For
 * lines that are fed one by one. */
void tl_json_restart(struct tl_json *json);

#endif
