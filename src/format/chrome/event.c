/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - tokens become the members of an event; conversion of single values;
 * the fast path that finds the tokens of an event without the parser.
 */
#include "format/chrome/chrome.h"
#include "format/chrome/convert.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Members beyond enum tl_chrome_field. */
enum { ARGS = TL_CHROME_FIELDS, ID2, OTHER };

void
tl_chrome_event_free(struct tl_chrome_event *e)
{
	free(e->memory);
	tl_text_free(&e->nested);
}

static void
start(struct tl_chrome_event *e, uint64_t at)
{
	memset(e->field, 0, sizeof(e->field));
	e->argc = 0;
	e->at = at;
	e->is_empty = true;
	e->too_large = e->too_many = e->cut = false;
	e->used = 0;
	e->in = OTHER;
	tl_text_clear(&e->nested);
}

struct tl_bytes
tl_chrome_event_keep(struct tl_chrome_event *e, struct tl_bytes bytes)
{
	char *to = e->memory + e->used;

	if (bytes.size >= TL_CHROME_EVENT_MAX - e->used) {
		e->too_large = true;
		return tl_bytes(NULL, 0);
	}
	memcpy(to, bytes.data, bytes.size);
	to[bytes.size] = '\0';
	e->used += bytes.size + 1;
	return tl_bytes(to, bytes.size);
}

static bool
is_key(struct tl_bytes key, const char *name)
{
	return memcmp(key.data, name, key.size) == 0;
}

static unsigned
member_of(struct tl_bytes key)
{
	switch (key.size) {
	case 2:
		if (is_key(key, "ph"))
			return TL_CHROME_PH;
		if (is_key(key, "ts"))
			return TL_CHROME_TS;
		return is_key(key, "id") ? TL_CHROME_ID : OTHER;
	case 3:
		if (is_key(key, "pid"))
			return TL_CHROME_PID;
		if (is_key(key, "tid"))
			return TL_CHROME_TID;
		if (is_key(key, "cat"))
			return TL_CHROME_CAT;
		if (is_key(key, "dur"))
			return TL_CHROME_DUR;
		return is_key(key, "id2") ? ID2 : OTHER;
	case 4:
		if (is_key(key, "name"))
			return TL_CHROME_NAME;
		return is_key(key, "args") ? ARGS : OTHER;
	case 5:
		return is_key(key, "scope") ? TL_CHROME_SCOPE : OTHER;
	case 7:
		return is_key(key, TL_CHROME_LANE_OF) ? TL_CHROME_LANE : OTHER;
	default:
		return OTHER;
	}
}

static void
set(struct tl_chrome_event *e, struct tl_chrome_value *value, int kind,
    struct tl_bytes text, bool cut)
{
	value->text = tl_chrome_event_keep(e, text);
	value->kind = value->text.data ? (uint8_t)kind : 0;
	value->cut = cut;
	e->cut |= cut;
}

static void
add_arg(struct tl_chrome_event *e, struct tl_bytes key)
{
	if (e->argc == TL_CHROME_ARGS_MAX) {
		e->too_many = true;
		return;
	}
	if (key.size > TL_CHROME_KEY_MAX) {
		key.size = TL_CHROME_KEY_MAX;
		e->cut = true;
	}
	key = tl_chrome_event_keep(e, key);
	if (key.data)
		e->args[e->argc++] = (struct tl_chrome_arg){ .key = key };
}

/* Set the value of the last argument. */
static void
set_arg(struct tl_chrome_event *e, int kind, struct tl_bytes text, bool cut)
{
	struct tl_chrome_value *value;

	if (e->argc == 0)
		return;
	value = &e->args[e->argc - 1].value;
	if (value->kind == 0) /* else the value's own key was dropped */
		set(e, value, kind, text, cut);
}

static struct tl_bytes
text_of(int kind, const struct tl_json_token *token)
{
	switch (kind) {
	case TL_JSON_STRING:
	case TL_JSON_NUMBER:
		return token->text;
	case TL_JSON_TRUE:
		return tl_bytes_of("true");
	case TL_JSON_FALSE:
		return tl_bytes_of("false");
	default:
		return tl_bytes_of("null");
	}
}

static bool
is_value(int kind)
{
	return kind >= TL_JSON_STRING && kind <= TL_JSON_NULL;
}

/* Write a token of a nested value as JSON again. */
static void
put_nested(struct tl_text *text, int kind, const struct tl_json_token *token)
{
	const bool closes =
	    kind == TL_JSON_OBJECT_END || kind == TL_JSON_ARRAY_END;
	const char last = text->size > 0 ? text->data[text->size - 1] : '{';
	const bool is_string = kind == TL_JSON_KEY || kind == TL_JSON_STRING;

	if (!closes && last != '{' && last != '[' && last != ':')
		tl_put_char(text, ',');
	if (is_string) {
		tl_put_char(text, '"');
		tl_put_json(text, token->text);
		tl_put_string(text, kind == TL_JSON_KEY ? "\":" : "\"");
	} else if (is_value(kind)) {
		tl_put_bytes(text, text_of(kind, token));
	} else {
		tl_put_char(text, "?{}[]"[kind]);
	}
}

/* Take a token inside a value of the arguments. */
static int
take_nested(struct tl_chrome_event *e, int kind,
    const struct tl_json_token *token, unsigned depth)
{
	const bool opens = kind == TL_JSON_OBJECT || kind == TL_JSON_ARRAY;

	if (e->in != ARGS)
		return 0;
	if (depth == 3 && opens)
		tl_text_clear(&e->nested);
	e->cut |= token->cut;
	if (e->nested.size < TL_CHROME_EVENT_MAX)
		put_nested(&e->nested, kind, token);
	if (depth == 2) /* the value is whole */
		set_arg(e,
		    kind == TL_JSON_OBJECT_END ? TL_JSON_OBJECT : TL_JSON_ARRAY,
		    tl_text_bytes(&e->nested), false);
	return e->nested.rc;
}

int
tl_chrome_event_take(struct tl_chrome_event *e, int kind,
    const struct tl_json_token *token, unsigned depth)
{
	const bool closes =
	    kind == TL_JSON_OBJECT_END || kind == TL_JSON_ARRAY_END;

	if (depth == 0)
		return 1;
	if (depth > 2 || (depth == 2 && closes))
		return take_nested(e, kind, token, depth);
	if (depth == 1 && kind == TL_JSON_OBJECT) {
		start(e, token->at);
		return 0;
	}
	if (depth == 1)
		e->is_empty = false;
	if (kind == TL_JSON_KEY && depth == 1) {
		e->in = member_of(token->text);
	} else if (kind == TL_JSON_KEY && e->in == ARGS) {
		add_arg(e, token->text);
	} else if (kind == TL_JSON_KEY && e->in != OTHER) { /* in id2 */
		e->in = tl_bytes_are(token->text, "local") ? TL_CHROME_ID_LOCAL
			: tl_bytes_are(token->text, "global") ? TL_CHROME_ID
							      : OTHER;
	} else if (is_value(kind) && e->in < TL_CHROME_FIELDS) {
		set(e, &e->field[e->in], kind, text_of(kind, token),
		    token->cut);
	} else if (is_value(kind) && e->in == ARGS) {
		if (depth == 1) /* Chrome may write "__stripped__" */
			add_arg(e, tl_bytes_of("args"));
		set_arg(e, kind, text_of(kind, token), token->cut);
	}
	return 0;
}

/* == values == */

enum {
	US_SHIFT = 3, /* 10^3 nanoseconds */
	/* 127 bits hold so many digits and the US_SHIFT zeros behind them. */
	DIGITS_MAX = 35
};

/*
 * Read digits with at most three decimals, the form of nearly all times; false:
 * another form.
 */
static bool
read_plain(struct tl_bytes text, __int128 *ns)
{
	const bool minus = text.size > 0 && text.data[0] == '-';
	unsigned digits = 0, behind = 0;
	bool point = false;
	uint64_t low = 0;
	__int128 n = 0;

	for (size_t i = minus; i < text.size; i++) {
		const unsigned digit = (unsigned char)text.data[i] - '0';

		if (text.data[i] == '.' && !point && digits > 0) {
			point = true;
			continue;
		}
		if (digit > 9 || behind == US_SHIFT || digits == DIGITS_MAX)
			return false;
		behind += point;
		if (digits < 18)
			low = low * 10 + digit;
		else
			n = (digits == 18 ? (__int128)low : n) * 10 + digit;
		digits++;
	}
	if (digits <= 18)
		n = low;
	for (; behind < US_SHIFT; behind++)
		n *= 10;
	*ns = minus ? -n : n;
	return digits > 0;
}

bool
tl_chrome_time(const struct tl_chrome_value *value, int64_t *ns)
{
	__int128 time = 0;
	int64_t small = 0;
	double far;

	*ns = 0;
	if (value->kind != TL_JSON_NUMBER && value->kind != TL_JSON_STRING)
		return false;
	if (!read_plain(value->text, &time)) {
		if (tl_json_scaled(value->text, US_SHIFT, &small) == 0)
			time = small;
		else if (tl_json_double(value->text, &far) < 0 || isnan(far))
			return false;
		else /* out of range */
			time = far < 0 ? (__int128)INT64_MIN * 2
				       : (__int128)INT64_MAX * 2;
	}
	*ns = time > INT64_MAX   ? INT64_MAX
	      : time < INT64_MIN ? INT64_MIN
				 : (int64_t)time;
	return time == *ns;
}

/* == the fast path == */

enum {
	/* The parser takes deeper values. */
	DEPTH_MAX = 4
};

struct scan {
	struct tl_chrome_event *event;
	const char *data;
	size_t size;
	size_t at;
	uint64_t before; /* bytes of earlier pieces */
	unsigned depth;
	struct tl_json_token token;
};

/* Skip the next byte if the byte is c. */
static inline bool
skip(struct scan *s, char c)
{
	if (s->at == s->size || s->data[s->at] != c)
		return false;
	s->at++;
	return true;
}

/* Skip a comma or a colon, and a blank that may follow. */
static inline bool
skip_mark(struct scan *s, char c)
{
	if (!skip(s, c))
		return false;
	(void)skip(s, ' ');
	return true;
}

static inline int
take(struct scan *s, int kind)
{
	return tl_chrome_event_take(s->event, kind, &s->token, s->depth);
}

/* Scan a string behind its quote. */
static bool
scan_string(struct scan *s)
{
	const size_t start = s->at;
	const size_t end = tl_json_plain_end(s->data, s->size, start);

	s->token.at = s->before + start - 1;
	s->token.text = tl_bytes(s->data + start, end - start);
	s->at = end;
	return end - start <= TL_JSON_STRING_MAX && skip(s, '"');
}

/* Take the brace that was just skipped as a token. */
static int
take_brace(struct scan *s, int kind)
{
	s->token.at = s->before + s->at - 1;
	s->token.text = tl_bytes("", 0);
	return take(s, kind);
}

/*
 * Scan an event behind its brace, and the comma behind the event: 1; 0: another
 * form; -ENOMEM.
 */
static int
scan_event(struct scan *s)
{
	int kind, rc;

	s->depth = 1;
	if ((rc = take_brace(s, TL_JSON_OBJECT)) < 0)
		return rc;
	do {
		for (;;) { /* a key, behind which an object may open */
			if (!skip(s, '"') || !scan_string(s) ||
			    !skip_mark(s, ':'))
				return 0;
			if ((rc = take(s, TL_JSON_KEY)) < 0)
				return rc;
			if (!skip(s, '{'))
				break;
			if (++s->depth > DEPTH_MAX)
				return 0;
			if ((rc = take_brace(s, TL_JSON_OBJECT)) < 0)
				return rc;
		}
		if (skip(s, '"')) {
			kind = scan_string(s) ? TL_JSON_STRING : -1;
		} else {
			/* a number or a literal; negative: neither */
			const size_t start = s->at;
			const size_t end =
			    tl_json_word_end(s->data, s->size, start);

			s->token.at = s->before + start;
			s->token.text = tl_bytes(s->data + start, end - start);
			s->at = end;
			kind = tl_json_word(s->token.text);
		}
		if (kind < 0)
			return 0;
		if ((rc = take(s, kind)) < 0)
			return rc;
		while (s->depth > 1 && skip(s, '}')) {
			s->depth--;
			if ((rc = take_brace(s, TL_JSON_OBJECT_END)) < 0)
				return rc;
		}
	} while (skip_mark(s, ','));
	return s->depth == 1 && skip(s, '}') && skip(s, ',');
}

int
tl_chrome_scan(struct tl_json *json, struct tl_chrome_event *event)
{
	struct scan s = { .event = event,
		.data = json->data,
		.size = json->size,
		.at = json->at,
		.before = json->before };
	int rc;

	if (s.at == 0 || s.data[s.at - 1] != ',')
		return 0;
	(void)skip(&s, '\n');
	(void)skip(&s, ' ');
	rc = skip(&s, '{') ? scan_event(&s) : 0;
	if (rc == 1)
		json->at = s.at;
	return rc;
}
