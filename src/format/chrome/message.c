/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - args become arguments; names and arguments become messages. */
#include "format/chrome/convert.h"

#include "base/array.h"
#include "base/table.h"
#include "event/message.h"
#include "format/chrome/chrome.h"
#include "format/label.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	HEX_DIGITS_MAX = 16,
	/* A digit distinguishes equal keys. */
	SUFFIX_SIZE = 1
};

/* May a character stand in the name of an argument? */
static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

/* Can a name be the first line of a message?  An empty name can. */
static bool
is_plain(struct tl_bytes name)
{
	if (name.size == 0)
		return true;
	return name.size <= TL_CHROME_NAME_MAX &&
	       !memchr(name.data, '$', name.size) &&
	       !memchr(name.data, '\n', name.size);
}

/* Read 0x and lower-case digits, without a leading 0. */
static bool
read_hex(struct tl_bytes text, uint64_t *number)
{
	uint64_t n = 0;

	if (text.size < 3 || text.size > 2 + HEX_DIGITS_MAX ||
	    text.data[0] != '0' || text.data[1] != 'x' ||
	    (text.data[2] == '0' && text.size > 3))
		return false;
	for (size_t i = 2; i < text.size; i++) {
		const char c = text.data[i];

		if (tl_hex_digit(c) < 0 || (c >= 'A' && c <= 'F'))
			return false;
		n = n << 4 | (uint64_t)tl_hex_digit(c);
	}
	*number = n;
	return true;
}

/* Read digits only, the form of most integers: no sign, point or exponent. */
static bool
read_digits(struct tl_bytes text, uint64_t *number)
{
	const size_t sure = 19; /* so many digits never overflow */
	uint64_t n = 0;

	if (text.size == 0 || text.size > sure)
		return false;
	for (size_t i = 0; i < text.size; i++) {
		const unsigned digit = (unsigned char)text.data[i] - '0';

		if (digit > 9)
			return false;
		n = n * 10 + digit;
	}
	*number = n;
	return true;
}

static uint8_t
format_of(const struct tl_chrome_value *value)
{
	const struct tl_bytes text = value->text;
	uint64_t u;
	int64_t s;

	if (value->kind == TL_JSON_STRING && read_hex(text, &u))
		return TIMELINE_ARG_HEX;
	if (value->kind != TL_JSON_NUMBER)
		return TIMELINE_ARG_STRING;
	if (read_digits(text, &u) && u <= INT64_MAX)
		return TIMELINE_ARG_SIGNED;
	if (memchr(text.data, '.', text.size) ||
	    memchr(text.data, 'e', text.size) ||
	    memchr(text.data, 'E', text.size))
		return TIMELINE_ARG_DOUBLE;
	if (tl_json_signed(text, &s) == 0)
		return TIMELINE_ARG_SIGNED;
	return tl_json_unsigned(text, &u) == 0 ? TIMELINE_ARG_UNSIGNED
					       : TIMELINE_ARG_DOUBLE;
}

bool
tl_chrome_number(const struct tl_chrome_value *value, unsigned format,
    uint64_t *number)
{
	double d = NAN;
	int64_t s;

	if (value->kind == 0)
		return false;
	if (format == TIMELINE_ARG_DOUBLE) {
		if (value->kind != TL_JSON_NULL &&
		    tl_json_double(value->text, &d) < 0)
			return false;
		*number = tl_bits_of(d);
		return true;
	}
	if (read_digits(value->text, number))
		return true;
	if (format == TIMELINE_ARG_HEX && read_hex(value->text, number))
		return true;
	if (tl_json_unsigned(value->text, number) == 0)
		return true;
	if (tl_json_signed(value->text, &s) < 0)
		return false;
	*number = (uint64_t)s;
	return true;
}

static bool
is_used(const struct tl_chrome_args *args, unsigned before, struct tl_bytes key)
{
	if (args->named && tl_bytes_are(key, TL_CHROME_LABEL))
		return true;
	for (unsigned i = 0; i < before; i++) {
		if (tl_bytes_equal(args->arg[i].key, key))
			return true;
	}
	return false;
}

/*
 * Make the key of an argument a valid name that no earlier argument has: _
 * replaces a character that is not allowed, and a digit is appended to a key
 * that is taken.
 */
static void
make_valid_key(struct tl_chrome_args *args, unsigned index,
    struct tl_chrome_event *e)
{
	char name[TL_CHROME_KEY_MAX + 1 + SUFFIX_SIZE];
	struct tl_bytes key = args->arg[index].key;
	size_t size = 0;

	while (size < key.size && is_name(key.data[size]))
		size++;
	if (size > 0 && size == key.size && !is_used(args, index, key))
		return;
	for (size = 0; size < key.size && size < TL_CHROME_KEY_MAX; size++)
		name[size] = is_name(key.data[size]) ? key.data[size] : '_';
	if (size == 0)
		name[size++] = '_';
	key = tl_bytes(name, size);
	for (char digit = '2'; is_used(args, index, key); digit++) {
		name[size] = digit; /* one digit suffices for four arguments */
		key.size = size + SUFFIX_SIZE;
	}
	args->arg[index].key = tl_chrome_event_keep(e, key);
	if (!args->arg[index].key.data)
		args->arg[index].key = tl_bytes_of("_");
}

/* Join arguments that found no room into one argument of JSON. */
static void
join(struct tl_chrome_arg *more, struct tl_chrome_event *e,
    const struct tl_chrome_arg *const *rest, unsigned count)
{
	struct tl_text *text = &e->nested;

	tl_text_clear(text);
	for (unsigned i = 0; i < count; i++) {
		const struct tl_chrome_value *value = &rest[i]->value;
		const bool is_string = value->kind == TL_JSON_STRING;

		tl_put_string(text, i > 0 ? ",\"" : "{\"");
		tl_put_json(text, rest[i]->key);
		tl_put_string(text, is_string ? "\":\"" : "\":");
		if (is_string)
			tl_put_json(text, value->text);
		else
			tl_put_bytes(text, value->text);
		tl_put_string(text, is_string ? "\"" : "");
	}
	tl_put_char(text, '}');
	*more = (struct tl_chrome_arg){ .key = tl_bytes_of("more") };
	more->value.text = tl_chrome_event_keep(e, tl_text_bytes(text));
	more->value.kind = more->value.text.data ? TL_JSON_OBJECT : 0;
}

void
tl_chrome_args_make(struct tl_chrome_args *args, struct tl_chrome_event *e,
    const struct tl_chrome_arg *lead)
{
	const struct tl_chrome_arg *all[TL_CHROME_ARGS_MAX + 1];
	unsigned count = 0, room = TIMELINE_ARGS_MAX;

	args->count = args->level = 0;
	if (lead)
		all[count++] = lead;
	for (unsigned i = 0; i < e->argc; i++) {
		const struct tl_chrome_arg *arg = &e->args[i];

		if (arg->value.kind == TL_JSON_STRING && args->level == 0 &&
		    tl_bytes_are(arg->key, "priority")) {
			const int level = tl_level_of(arg->value.text);

			if (level > 0) {
				args->level = (uint8_t)level;
				continue;
			}
		}
		if (arg->value.kind != 0)
			all[count++] = arg;
	}
	args->named = !is_plain(e->field[TL_CHROME_NAME].text);
	room -= args->named;
	while (args->count < count && args->count < room - (count > room)) {
		args->arg[args->count] = *all[args->count];
		args->count++;
	}
	args->joined = args->count < count;
	if (args->joined) {
		join(&args->arg[args->count], e, all + args->count,
		    count - args->count);
		args->count++;
	}
	for (unsigned i = 0; i < args->count; i++) {
		make_valid_key(args, i, e);
		args->format[i] = format_of(&args->arg[i].value);
	}
}

#define LABEL "$" TL_CHROME_LABEL "%s"

static void
put_arg(struct tl_text *text, const struct tl_chrome_args *args, unsigned i)
{
	static const char *const suffixes[] = { [TIMELINE_ARG_UNSIGNED] = "%u",
		[TIMELINE_ARG_SIGNED] = "",
		[TIMELINE_ARG_HEX] = "%x",
		[TIMELINE_ARG_DOUBLE] = "%f",
		[TIMELINE_ARG_DURATION] = "%t",
		[TIMELINE_ARG_STRING] = "%s" };

	tl_put_char(text, '$');
	tl_put_bytes(text, args->arg[i].key);
	tl_put_string(text, suffixes[args->format[i]]);
}

/*
 * Append the name, in which words that are keys become arguments.  Return a bit
 * for each such argument.
 */
static unsigned
put_words(struct tl_text *text, struct tl_bytes name,
    const struct tl_chrome_args *args)
{
	unsigned named = 0;
	size_t at = 0;

	while (at < name.size) {
		struct tl_bytes word = tl_bytes(name.data + at, 0);
		unsigned i = 0;

		while (at < name.size && is_name(name.data[at]))
			at++;
		if (!(word.size = (size_t)(name.data + at - word.data))) {
			tl_put_char(text, name.data[at++]);
			continue;
		}
		for (; i < args->count; i++) {
			if (!(named >> i & 1) &&
			    tl_bytes_equal(args->arg[i].key, word))
				break;
		}
		if (i < args->count) {
			put_arg(text, args, i);
			named |= 1u << i;
		} else {
			tl_put_bytes(text, word);
		}
	}
	return named;
}

/* Make the key of a message without its category and name. */
static int
make_shape(struct tl_text *shape, const struct tl_chrome_request *request)
{
	const struct tl_chrome_args *args = request->args;
	const uint8_t head[] = { args->level, request->scope };
	size_t size = sizeof(head) + request->instance.size;
	char *to;

	for (unsigned i = 0; i < args->count; i++)
		size += args->arg[i].key.size + 1;
	tl_text_clear(shape);
	if (!(to = tl_text_reserve(shape, size)))
		return -ENOMEM;
	shape->size = size;
	for (unsigned i = 0; i < args->count; i++) {
		memcpy(to, args->arg[i].key.data, args->arg[i].key.size);
		to += args->arg[i].key.size;
		*to++ =
		    (char)('\x80' + args->format[i]); /* never part of a key */
	}
	if (request->instance.size > 0)
		memcpy(to, request->instance.data, request->instance.size);
	to += request->instance.size;
	memcpy(to, head, sizeof(head));
	return 0;
}

/* Find or make the message of a request for a record of a kind. */
static int
find_message(struct tl_chrome_messages *m,
    const struct tl_chrome_request *request, uint8_t kind,
    const struct tl_message **message)
{
	struct tl_message_cache_key key = {
		{ request->category, request->name }, kind, request->scope
	};
	const struct tl_message_cache_slot *slot;
	const char *lead = request->name.size > 0 ? ": " : "";
	struct tl_text *text = &m->text;
	uint8_t level = request->args->level;
	unsigned named = 0;
	int rc = make_shape(&m->shape, request);

	if (rc < 0)
		return rc;
	key.parts[2] = tl_text_bytes(&m->shape);
	if ((slot = tl_message_cache_find(&m->memo, &key))) {
		*message = slot->message;
		return 0;
	}
	if (level == 0)
		level = (uint8_t)tl_level_parse("info");

	/* make the text of a message from name and arguments */
	tl_text_clear(text);
	if (request->args->named)
		tl_put_string(text, LABEL);
	else
		named = put_words(text, request->name, request->args);
	for (unsigned i = 0; i < request->args->count; i++) {
		if (named >> i & 1)
			continue;
		tl_put_string(text, lead);
		put_arg(text, request->args, i);
		lead = " ";
	}
	if (request->instance.size > 0) {
		tl_put_char(text, '\n');
		tl_put_bytes(text, request->instance);
	}
	if ((rc = text->rc) < 0)
		return rc;
	rc = tl_interner_message(m->interner, request->category,
	    tl_text_bytes(&m->text), kind, level, request->scope, message);
	/* the text may name more arguments than a message may have */
	if (rc == -EINVAL)
		rc = tl_interner_message(m->interner, request->category,
		    tl_bytes_of(LABEL), kind, level, request->scope, message);
	if (rc == 0)
		tl_message_cache_add(&m->memo, &key, *message);
	return rc;
}

/* Find the value of the argument of a name, which is usually at index. */
static const struct tl_chrome_value *
find_value(const struct tl_chrome_args *args, struct tl_bytes name,
    unsigned index)
{
	if (index < args->count && tl_bytes_equal(args->arg[index].key, name))
		return &args->arg[index].value;
	for (unsigned i = 0; i < args->count; i++) {
		if (tl_bytes_equal(args->arg[i].key, name))
			return &args->arg[i].value;
	}
	return NULL;
}

int
tl_chrome_message(struct tl_chrome_messages *m,
    const struct tl_chrome_request *request, struct tl_event *event,
    unsigned *bad)
{
	static const uint8_t records[] = { [TL_INSTANT] =
					       TIMELINE_RECORD_INSTANT,
		[TL_BEGIN] = TIMELINE_RECORD_SPAN,
		[TL_END] = TIMELINE_RECORD_SPAN,
		[TL_COUNTER] = TIMELINE_RECORD_COUNTER };
	const struct tl_chrome_value name = { .text = request->name,
		.kind = TL_JSON_STRING };
	const struct tl_message *message;
	bool labelled;
	int rc =
	    find_message(m, request, records[event->kind], &event->message);

	memset(event->args, 0, sizeof(event->args));
	if (rc < 0)
		return rc;
	message = event->message;
	labelled = tl_label_is(message);
	for (unsigned i = 0; rc == 0 && i < message->argc; i++) {
		const struct tl_arg *arg = &message->args[i];
		const struct tl_chrome_value *value =
		    find_value(request->args, arg->name, i - labelled);

		if (!value && labelled && i == 0)
			value = &name;
		if (!value)
			continue;
		if (arg->format == TIMELINE_ARG_TEXT8) {
			event->args[i] =
			    timeline_text8(value->text.data, value->text.size);
		} else if (arg->format == TIMELINE_ARG_STRING) {
			rc = tl_interner_value(m->interner, value->text,
			    &event->args[i]);
		} else if (!tl_chrome_number(value, arg->format,
			       &event->args[i])) {
			event->args[i] = 0;
			++*bad;
		}
	}
	return rc;
}

void
tl_chrome_messages_free(struct tl_chrome_messages *m)
{
	tl_interner_free(m->interner);
	tl_message_cache_free(&m->memo);
	tl_text_free(&m->text);
	tl_text_free(&m->shape);
}
