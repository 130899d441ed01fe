/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - args become arguments; names and arguments become messages. */
#include "format/chrome/message.h"

#include "base/array.h"
#include "base/table.h"
#include "event/message.h"
#include "format/chrome/extensions.h"
#include "format/chrome/names.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	HEX_DIGITS_MAX = 16,
	/* A digit distinguishes equal keys. */
	SUFFIX_SIZE = 1
};

static bool
is_word(struct tl_bytes bytes, const char *word)
{
	return tl_bytes_equal(bytes, tl_bytes_of(word));
}

bool
tl_chrome_is_plain(struct tl_bytes name)
{
	if (name.size == 0)
		return true;
	return name.size <= TL_CHROME_NAME_MAX &&
	       !memchr(name.data, '$', name.size) &&
	       !memchr(name.data, '\n', name.size);
}

static bool
take_level(struct tl_chrome_args *args, struct tl_bytes name)
{
	const int level = tl_level_of(name);

	if (level > 0)
		args->level = (uint8_t)level;
	return level > 0;
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

		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
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
number_format(struct tl_bytes text)
{
	uint64_t u;
	int64_t s;

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

static uint8_t
format_of(const struct tl_chrome_value *value)
{
	uint64_t hex;

	if (value->kind == TL_JSON_NUMBER)
		return number_format(value->text);
	if (value->kind == TL_JSON_STRING && read_hex(value->text, &hex))
		return TIMELINE_ARG_HEX;
	return TIMELINE_ARG_STRING;
}

static bool
read_double(const struct tl_chrome_value *value, uint64_t *number)
{
	double d = NAN;

	if (value->kind != TL_JSON_NULL && tl_json_double(value->text, &d) < 0)
		return false;
	memcpy(number, &d, sizeof(d));
	return true;
}

bool
tl_chrome_number(const struct tl_chrome_value *value, unsigned format,
    uint64_t *number)
{
	int64_t s;

	if (value->kind == 0)
		return false;
	if (format == TIMELINE_ARG_DOUBLE)
		return read_double(value, number);
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

/* Gather the arguments except the priority. */
static unsigned
gather(struct tl_chrome_args *args, struct tl_chrome_event *e,
    const struct tl_chrome_arg *all[TL_CHROME_ARGS_MAX + 1],
    const struct tl_chrome_arg *lead)
{
	unsigned count = 0;

	if (lead)
		all[count++] = lead;
	for (unsigned i = 0; i < e->argc; i++) {
		const struct tl_chrome_arg *arg = &e->args[i];
		const uint8_t kind = arg->value.kind;

		if (kind == TL_JSON_STRING && args->level == 0 &&
		    is_word(arg->key, "priority") &&
		    take_level(args, arg->value.text))
			continue;
		if (kind != 0)
			all[count++] = arg;
	}
	return count;
}

/* Join the arguments that found no room into one argument of JSON. */
static void
join(struct tl_chrome_args *args, struct tl_chrome_event *e,
    const struct tl_chrome_arg *const *rest, unsigned count)
{
	struct tl_text *text = &e->nested;
	struct tl_chrome_arg *more = &args->arg[args->count++];

	tl_text_clear(text);
	for (unsigned i = 0; i < count; i++) {
		const struct tl_chrome_value *value = &rest[i]->value;
		const char *quote = value->kind == TL_JSON_STRING ? "\"" : "";

		tl_put_string(text, i > 0 ? ",\"" : "{\"");
		tl_put_json(text, rest[i]->key);
		tl_put_string(text, "\":");
		tl_put_string(text, quote);
		if (value->kind == TL_JSON_STRING)
			tl_put_json(text, value->text);
		else
			tl_put_bytes(text, value->text);
		tl_put_string(text, quote);
	}
	tl_put_char(text, '}');
	args->joined = true;
	*more = (struct tl_chrome_arg){ .key = tl_bytes_of("more") };
	more->value.text =
	    tl_chrome_event_keep(e, tl_bytes(text->data, text->size));
	more->value.kind = more->value.text.data ? TL_JSON_OBJECT : 0;
}

static bool
is_used(const struct tl_chrome_args *args, unsigned before, struct tl_bytes key)
{
	if (args->named && is_word(key, TL_CHROME_LABEL))
		return true;
	for (unsigned i = 0; i < before; i++) {
		if (tl_bytes_equal(args->arg[i].key, key))
			return true;
	}
	return false;
}

static bool
is_valid_key(const struct tl_chrome_args *args, unsigned index,
    struct tl_bytes key)
{
	for (size_t i = 0; i < key.size; i++) {
		if (!tl_chrome_is_name(key.data[i]))
			return false;
	}
	return key.size > 0 && !is_used(args, index, key);
}

/*
 * Make a key a valid name that no other argument has: _ replaces a character
 * that is not allowed, and a digit is appended to a key that is taken.
 */
static void
make_valid_key(struct tl_chrome_args *args, unsigned index,
    struct tl_chrome_event *e)
{
	char name[TL_CHROME_KEY_MAX + 1 + SUFFIX_SIZE];
	struct tl_bytes key = args->arg[index].key;
	size_t size = 0;

	for (; size < key.size && size < TL_CHROME_KEY_MAX; size++)
		name[size] =
		    tl_chrome_is_name(key.data[size]) ? key.data[size] : '_';
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

void
tl_chrome_args_make(struct tl_chrome_args *args, struct tl_chrome_event *e,
    const struct tl_chrome_arg *lead)
{
	const struct tl_chrome_arg *all[TL_CHROME_ARGS_MAX + 1];
	unsigned count, room = TIMELINE_ARGS_MAX;

	args->count = args->level = 0;
	args->joined = false;
	count = gather(args, e, all, lead);
	args->named = !tl_chrome_is_plain(e->field[TL_CHROME_NAME].text);
	room -= args->named;
	while (args->count < count && args->count < room - (count > room)) {
		args->arg[args->count] = *all[args->count];
		args->count++;
	}
	if (args->count < count)
		join(args, e, all + args->count, count - args->count);
	for (unsigned i = 0; i < args->count; i++) {
		struct tl_chrome_arg *arg = &args->arg[i];

		if (!is_valid_key(args, i, arg->key))
			make_valid_key(args, i, e);
		args->format[i] = format_of(&arg->value);
	}
}

#define LABEL "$" TL_CHROME_LABEL "%s"

int
tl_chrome_messages_make(struct tl_chrome_messages *m)
{
	return tl_interner_new(&m->interner);
}

void
tl_chrome_messages_free(struct tl_chrome_messages *m)
{
	tl_interner_free(m->interner);
	tl_message_cache_free(&m->memo);
	tl_text_free(&m->text);
	tl_text_free(&m->shape);
}

static const char *
suffix_of(unsigned format)
{
	static const char *const suffixes[] = { [TIMELINE_ARG_UNSIGNED] = "%u",
		[TIMELINE_ARG_SIGNED] = "",
		[TIMELINE_ARG_HEX] = "%x",
		[TIMELINE_ARG_DOUBLE] = "%f",
		[TIMELINE_ARG_DURATION] = "%t",
		[TIMELINE_ARG_STRING] = "%s" };

	return suffixes[format];
}

static void
put_arg(struct tl_text *text, const struct tl_chrome_args *args, unsigned i)
{
	tl_put_char(text, '$');
	tl_put_bytes(text, args->arg[i].key);
	tl_put_string(text, suffix_of(args->format[i]));
}

/*
 * Find the argument whose key is a word and which the text does not name yet.
 */
static unsigned
find_word(const struct tl_chrome_args *args, struct tl_bytes word,
    unsigned named)
{
	for (unsigned i = 0; i < args->count; i++) {
		if (!(named >> i & 1) && tl_bytes_equal(args->arg[i].key, word))
			return i;
	}
	return TIMELINE_ARGS_MAX;
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
		const size_t start = at;
		unsigned i = TIMELINE_ARGS_MAX;

		while (at < name.size && tl_chrome_is_name(name.data[at]))
			at++;
		if (at == start) {
			tl_put_char(text, name.data[at++]);
			continue;
		}
		i = find_word(args, tl_bytes(name.data + start, at - start),
		    named);
		if (i < TIMELINE_ARGS_MAX) {
			put_arg(text, args, i);
			named |= 1u << i;
		} else {
			tl_put_bytes(text,
			    tl_bytes(name.data + start, at - start));
		}
	}
	return named;
}

/* Make the text of a message from name and arguments. */
static int
make_text(struct tl_chrome_messages *m, const struct tl_chrome_request *request)
{
	struct tl_text *text = &m->text;
	const char *lead = request->name.size > 0 ? ": " : "";
	unsigned named = 0;

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
	return text->rc;
}

static int
define(struct tl_chrome_messages *m, const struct tl_chrome_request *request,
    struct tl_bytes text, uint8_t level, const struct tl_message **message)
{
	if (request->args->level > 0)
		level = request->args->level;
	return tl_interner_message(m->interner, request->category, text,
	    request->kind, level, request->scope, message);
}

static int
make_message(struct tl_chrome_messages *m,
    const struct tl_chrome_request *request, const struct tl_message **message)
{
	const uint8_t info = (uint8_t)tl_level_parse("info");
	int rc = make_text(m, request);

	if (rc < 0)
		return rc;
	rc = define(m, request, tl_bytes(m->text.data, m->text.size), info,
	    message);
	if (rc != -EINVAL)
		return rc;
	/* the text names more arguments than a message may have */
	return define(m, request, tl_bytes_of(LABEL), info, message);
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

int
tl_chrome_message(struct tl_chrome_messages *m,
    const struct tl_chrome_request *request, const struct tl_message **message)
{
	struct tl_message_cache_key key = { { request->category,
						request->name },
		request->kind, request->scope };
	const struct tl_message_cache_slot *slot;
	int rc = make_shape(&m->shape, request);

	if (rc < 0)
		return rc;
	key.parts[2] = tl_bytes(m->shape.data, m->shape.size);
	if ((slot = tl_message_cache_find(&m->memo, &key))) {
		*message = slot->message;
		return 0;
	}
	rc = make_message(m, request, message);
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

static int
set_value(struct tl_chrome_messages *m, const struct tl_chrome_value *value,
    unsigned format, uint64_t *to, unsigned *bad)
{
	if (format == TIMELINE_ARG_STRING)
		return tl_interner_value(m->interner, value->text, to);
	if (!tl_chrome_number(value, format, to)) {
		*to = 0;
		++*bad;
	}
	return 0;
}

int
tl_chrome_values(struct tl_chrome_messages *m,
    const struct tl_chrome_request *request, const struct tl_message *message,
    uint64_t values[TIMELINE_ARGS_MAX], unsigned *bad)
{
	const struct tl_chrome_args *args = request->args;
	const bool labelled = tl_chrome_is_labelled(message);
	const struct tl_chrome_value name = { .text = request->name,
		.kind = TL_JSON_STRING };
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < message->argc; i++) {
		const struct tl_arg *arg = &message->args[i];
		const struct tl_chrome_value *value =
		    find_value(args, arg->name, i - labelled);

		if (!value && labelled && i == 0)
			value = &name;
		if (value)
			rc = set_value(m, value, arg->format, &values[i], bad);
	}
	return rc;
}
