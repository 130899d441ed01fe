/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_parse.c - the grammar of JSON as a machine of a few states; what each
 * open value is, object or array, is one bit.  A string or a number that lies
 * within one piece is not copied.
 */
#include "base/json_parse.h"

#include "base/json_number.h"
#include "base/json_string.h"

#include <assert.h>
#include <errno.h>

/* What may come next. */
enum state {
	BEFORE_VALUE,      /* at the top, too */
	BEFORE_FIRST_ITEM, /* or ] */
	BEFORE_ITEM,       /* after a comma; ] is forgiven */
	BEFORE_FIRST_KEY,  /* or } */
	BEFORE_KEY,        /* after a comma */
	BEFORE_COLON,
	AFTER_VALUE, /* a comma, ] or } */
	AFTER_FAULT,
	RECOVERING /* see tl_json_recover */
};

/* How much of } , { was found. */
enum { FOUND_NOTHING, FOUND_END, FOUND_COMMA };

void
tl_json_free(struct tl_json *json)
{
	tl_text_free(&json->part);
	tl_text_free(&json->plain);
}

void
tl_json_feed(struct tl_json *json, struct tl_bytes piece)
{
	assert(json->at == json->size && !json->finished);
	json->before += json->size;
	json->data = piece.data;
	json->size = piece.size;
	json->at = 0;
}

void
tl_json_finish(struct tl_json *json)
{
	json->finished = true;
}

static void
forget_token(struct tl_json *json)
{
	json->begun = 0;
	json->is_escaped = false;
	json->has_escapes = false;
	tl_text_clear(&json->part);
}

void
tl_json_recover(struct tl_json *json, unsigned depth)
{
	assert(json->state == AFTER_FAULT && depth <= json->depth);
	json->depth = depth;
	json->state = RECOVERING;
	json->found = FOUND_NOTHING;
	forget_token(json);
}

void
tl_json_restart(struct tl_json *json)
{
	json->depth = 0;
	json->state = BEFORE_VALUE;
	json->at = json->size;
	json->finished = false;
	forget_token(json);
}

static int
fault(struct tl_json *json, uint64_t at, const char *why)
{
	json->state = AFTER_FAULT;
	json->why = why;
	json->wrong_at = at;
	return -EBADMSG;
}

/* The byte of the input that is next. */
static uint64_t
place(const struct tl_json *json)
{
	return json->before + json->at;
}

static bool
is_white(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool
is_in_object(const struct tl_json *json)
{
	const unsigned i = json->depth - 1;

	return json->depth > 0 && (json->objects[i / 64] >> i % 64 & 1);
}

/* Take the byte c if it is the next. */
static bool
skip_byte(struct tl_json *json, char c)
{
	if (json->at == json->size || json->data[json->at] != c)
		return false;
	json->at++;
	return true;
}

/* A value ended: what comes next lies in what is around it, and is a comma
 * most often. */
static void
end_value(struct tl_json *json)
{
	if (json->depth == 0)
		json->state = BEFORE_VALUE;
	else if (!skip_byte(json, ','))
		json->state = AFTER_VALUE;
	else
		json->state = is_in_object(json) ? BEFORE_KEY : BEFORE_ITEM;
}

static int
open_value(struct tl_json *json, bool object)
{
	const unsigned i = json->depth;
	const uint64_t bit = UINT64_C(1) << i % 64;

	if (i == TL_JSON_DEPTH_MAX)
		return fault(json, place(json), "nested too deeply");
	json->at++;
	json->depth++;
	if (object) {
		json->objects[i / 64] |= bit;
		json->state = BEFORE_FIRST_KEY;
		return TL_JSON_OBJECT;
	}
	json->objects[i / 64] &= ~bit;
	json->state = BEFORE_FIRST_ITEM;
	return TL_JSON_ARRAY;
}

static int
close_value(struct tl_json *json, bool object)
{
	json->at++;
	json->depth--;
	end_value(json);
	return object ? TL_JSON_OBJECT_END : TL_JSON_ARRAY_END;
}

/* Keep what this piece has of a token, as much as is needed of any. */
static int
keep_part(struct tl_json *json, struct tl_bytes bytes)
{
	const size_t room = TL_JSON_STRING_MAX + 1 - json->part.size;

	if (bytes.size > room)
		bytes.size = room;
	tl_put_bytes(&json->part, bytes);
	return json->part.rc;
}

/*
 * The bytes of the token that begins here or began before, without quotes: 1;
 * 0 when its end lies in a later piece, and what there is of it is kept.
 */
static int
take_bytes(struct tl_json *json, int kind, struct tl_bytes *bytes)
{
	const bool word = kind == TL_JSON_NUMBER;
	const size_t end =
	    word ? tl_json_word_end(json->data, json->size, json->at)
		 : tl_json_string_end(json->data, json->size, json->at,
		       &json->is_escaped, &json->has_escapes);
	const bool is_whole = end < json->size || (word && json->finished);
	int rc = 0;

	*bytes = tl_bytes(json->data + json->at, end - json->at);
	json->at = end;
	if (is_whole && json->begun == 0)
		return 1;
	json->begun = (uint8_t)kind;
	if ((rc = keep_part(json, *bytes)) < 0)
		return rc;
	*bytes = tl_bytes(json->part.data, json->part.size);
	return is_whole;
}

/* A key or a string ended. */
static int
end_text(struct tl_json *json, int kind)
{
	if (kind == TL_JSON_KEY)
		json->state =
		    skip_byte(json, ':') ? BEFORE_VALUE : BEFORE_COLON;
	else
		end_value(json);
	return kind;
}

static int
end_string(struct tl_json *json, struct tl_json_token *token, int kind)
{
	int rc;

	if (json->data[json->at] != '"')
		return fault(json, place(json), "a line ends within a string");
	json->at++;
	token->cut = token->text.size > TL_JSON_STRING_MAX;
	if (token->cut)
		token->text.size = TL_JSON_STRING_MAX;
	if (json->has_escapes) {
		rc = tl_json_unescape(&json->plain, &token->text);
		if (rc == -ENOMEM)
			return rc;
		if (rc < 0)
			return fault(json, token->at, "a bad escape");
	}
	return end_text(json, kind);
}

static int
end_word(struct tl_json *json, const struct tl_json_token *token)
{
	const int kind = tl_json_word(token->text);

	if (kind < 0)
		return fault(json, token->at, "not a value");
	end_value(json);
	return kind;
}

/* A string or word that begins at the next byte, or whose begin is kept. */
static int
read_token(struct tl_json *json, struct tl_json_token *token, int kind)
{
	int rc = take_bytes(json, kind, &token->text);

	token->at = json->token_at;
	if (rc == 0 && json->finished)
		return fault(json, token->at, "a string has no end");
	if (rc <= 0)
		return rc;
	rc = kind == TL_JSON_NUMBER ? end_word(json, token)
				    : end_string(json, token, kind);
	if (json->begun || json->has_escapes)
		forget_token(json);
	return rc;
}

/* Most strings end within the piece and have no escapes. */
static int
begin_string(struct tl_json *json, struct tl_json_token *token, int kind)
{
	const size_t start = json->at + 1;
	const size_t end = tl_json_plain_end(json->data, json->size, start);

	json->token_at = place(json);
	json->at = start;
	if (end == json->size || json->data[end] != '"' ||
	    end - start > TL_JSON_STRING_MAX)
		return read_token(json, token, kind);
	token->text = tl_bytes(json->data + start, end - start);
	json->at = end + 1;
	return end_text(json, kind);
}

static int
read_value(struct tl_json *json, struct tl_json_token *token, char c)
{
	switch (c) {
	case '"':
		return begin_string(json, token, TL_JSON_STRING);
	case '{':
	case '[':
		return open_value(json, c == '{');
	case ']':
		if (json->state == BEFORE_FIRST_ITEM ||
		    json->state == BEFORE_ITEM)
			return close_value(json, false);
		break;
	default:
		json->token_at = place(json);
		if (tl_json_word_end(&c, 1, 0) == 1)
			return read_token(json, token, TL_JSON_NUMBER);
	}
	return fault(json, place(json), "no value where one must be");
}

static int
read_key(struct tl_json *json, struct tl_json_token *token, char c)
{
	if (c == '"')
		return begin_string(json, token, TL_JSON_KEY);
	if (c == '}' && json->state == BEFORE_FIRST_KEY)
		return close_value(json, true);
	return fault(json, place(json), "no key where one must be");
}

/* What follows a value: -EAGAIN after a comma. */
static int
read_after(struct tl_json *json, char c)
{
	const bool object = is_in_object(json);

	if (c == (object ? '}' : ']'))
		return close_value(json, object);
	if (c != ',')
		return fault(json, place(json), "no comma after a value");
	json->at++;
	json->state = object ? BEFORE_KEY : BEFORE_ITEM;
	return -EAGAIN;
}

static int
read_colon(struct tl_json *json, char c)
{
	if (c != ':')
		return fault(json, place(json), "no colon after a key");
	json->at++;
	json->state = BEFORE_VALUE;
	return -EAGAIN;
}

/* Look for } , { and begin there: -EAGAIN. */
static int
look_on(struct tl_json *json, char c)
{
	if (c == '{' && json->found == FOUND_COMMA) {
		json->state = BEFORE_ITEM;
		return -EAGAIN;
	}
	if (c == '}')
		json->found = FOUND_END;
	else if (c == ',' && json->found == FOUND_END)
		json->found = FOUND_COMMA;
	else
		json->found = FOUND_NOTHING;
	json->at++;
	return -EAGAIN;
}

/* No byte is left. */
static int
end_input(struct tl_json *json)
{
	if (!json->finished)
		return TL_JSON_MORE;
	if (json->state == RECOVERING ||
	    (json->depth == 0 && json->state == BEFORE_VALUE))
		return TL_JSON_END;
	return fault(json, place(json), "it ends too early");
}

/* What the byte c, which is not white, begins.  -EAGAIN: no token. */
static int
step(struct tl_json *json, struct tl_json_token *token, char c)
{
	switch (json->state) {
	case BEFORE_FIRST_KEY:
	case BEFORE_KEY:
		return read_key(json, token, c);
	case BEFORE_COLON:
		return read_colon(json, c);
	case AFTER_VALUE:
		return read_after(json, c);
	case RECOVERING:
		return look_on(json, c);
	default:
		return read_value(json, token, c);
	}
}

int
tl_json_next(struct tl_json *json, struct tl_json_token *token)
{
	int rc = -EAGAIN;

	token->text = tl_bytes("", 0);
	token->cut = false;
	if (json->state == AFTER_FAULT)
		return -EBADMSG;
	if (json->begun)
		return read_token(json, token, json->begun);
	while (rc == -EAGAIN) {
		while (json->at < json->size && is_white(json->data[json->at]))
			json->at++;
		if (json->at == json->size)
			return end_input(json);
		token->at = place(json);
		rc = step(json, token, json->data[json->at]);
	}
	return rc;
}
