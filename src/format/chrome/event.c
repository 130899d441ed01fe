/* SPDX-License-Identifier: Apache-2.0 */
/* chrome_event.c - tokens to the members of an event. */
#include "format/chrome/event.h"

#include "format/chrome/words.h"

#include <errno.h>
#include <stdlib.h>

/* Members beside those of enum tl_chrome_field. */
enum { ARGS = TL_CHROME_FIELDS, ID2, OTHER };

int
tl_chrome_event_make(struct tl_chrome_event *e)
{
	e->memory = malloc(TL_CHROME_EVENT_MAX);
	return e->memory ? 0 : -ENOMEM;
}

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
	e->too_large = e->too_many = e->cut = e->is_place = false;
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
		if (is_key(key, "scope"))
			return TL_CHROME_SCOPE;
		return is_key(key, "begun") ? TL_CHROME_BEGUN : OTHER;
	default:
		return OTHER;
	}
}

/* Within id2. */
static unsigned
id_of(struct tl_bytes key)
{
	if (key.size == 5 && is_key(key, "local"))
		return TL_CHROME_ID_LOCAL;
	return key.size == 6 && is_key(key, "global") ? TL_CHROME_ID : OTHER;
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

/* The value of the argument whose key came last. */
static void
set_arg(struct tl_chrome_event *e, int kind, struct tl_bytes text, bool cut)
{
	struct tl_chrome_value *value;

	if (e->argc == 0)
		return;
	value = &e->args[e->argc - 1].value;
	if (value->kind == 0) /* its key was kept? */
		set(e, value, kind, text, cut);
}

static const char *
word_of(int kind)
{
	return kind == TL_JSON_TRUE    ? "true"
	       : kind == TL_JSON_FALSE ? "false"
				       : "null";
}

static struct tl_bytes
text_of(int kind, const struct tl_json_token *token)
{
	return kind == TL_JSON_STRING || kind == TL_JSON_NUMBER
		   ? token->text
		   : tl_bytes_of(word_of(kind));
}

static bool
is_value(int kind)
{
	return kind >= TL_JSON_STRING && kind <= TL_JSON_NULL;
}

/* One token of a nested value, as JSON again. */
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

/* What lies deeper than the arguments. */
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
	if (depth == 2) /* it ends here */
		set_arg(e,
		    kind == TL_JSON_OBJECT_END ? TL_JSON_OBJECT : TL_JSON_ARRAY,
		    tl_bytes(e->nested.data, e->nested.size), false);
	return e->nested.rc;
}

static void
take_member(struct tl_chrome_event *e, int kind,
    const struct tl_json_token *token)
{
	e->is_empty = false;
	if (kind == TL_JSON_KEY) {
		e->in = member_of(token->text);
	} else if (!is_value(kind)) {
		return;
	} else if (e->in < TL_CHROME_FIELDS) {
		set(e, &e->field[e->in], kind, text_of(kind, token),
		    token->cut);
	} else if (e->in == ARGS) { /* Chrome writes "__stripped__" */
		add_arg(e, tl_bytes_of("args"));
		set_arg(e, kind, text_of(kind, token), token->cut);
	}
}

/* Within the arguments or id2. */
static void
take_inner(struct tl_chrome_event *e, int kind,
    const struct tl_json_token *token)
{
	if (kind == TL_JSON_KEY) {
		if (e->in == ARGS)
			add_arg(e, token->text);
		else if (e->in != OTHER)
			e->in = id_of(token->text);
	} else if (!is_value(kind)) {
		return;
	} else if (e->in == ARGS) {
		set_arg(e, kind, text_of(kind, token), token->cut);
	} else if (e->in < TL_CHROME_FIELDS) {
		set(e, &e->field[e->in], kind, text_of(kind, token),
		    token->cut);
	}
}

/* Does an object open that has the members of the event? */
static bool
opens_place(const struct tl_chrome_event *e, int kind, unsigned depth)
{
	return depth == 2 && kind == TL_JSON_OBJECT && e->in == ARGS &&
	       !e->is_place &&
	       tl_bytes_equal(e->field[TL_CHROME_NAME].text,
		   tl_bytes_of(TL_CHROME_PLACE));
}

int
tl_chrome_event_take(struct tl_chrome_event *e, int kind,
    const struct tl_json_token *token, unsigned depth)
{
	const bool closes =
	    kind == TL_JSON_OBJECT_END || kind == TL_JSON_ARRAY_END;

	if (depth == 0)
		return 1;
	if (depth == 1 && kind == TL_JSON_OBJECT) {
		start(e, token->at);
		return 0;
	}
	if (opens_place(e, kind, depth)) {
		e->is_place = true;
		return 0;
	}
	depth -= e->is_place;
	if (depth == 1)
		take_member(e, kind, token);
	else if (depth > 2 || (depth == 2 && closes))
		return take_nested(e, kind, token, depth);
	else if (depth == 2)
		take_inner(e, kind, token);
	return 0; /* behind a place when depth is 0 */
}
