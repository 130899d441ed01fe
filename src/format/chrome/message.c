/* SPDX-License-Identifier: Apache-2.0 */
/* chrome_message.c - names and arguments to messages. */
#include "format/chrome/message.h"

#include "base/array.h"
#include "base/table.h"
#include "format/chrome/names.h"
#include "format/chrome/words.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

#define LABEL "$" TL_CHROME_LABEL "%s"

int
tl_chrome_messages_make(struct tl_chrome_messages *m)
{
	int rc = tl_interner_new(&m->interner);

	return rc < 0 ? rc : tl_interner_new(&m->told_keys);
}

void
tl_chrome_messages_free(struct tl_chrome_messages *m)
{
	tl_interner_free(m->interner);
	tl_interner_free(m->told_keys);
	free((void *)m->told);
	tl_memo_free(&m->memo);
	tl_text_free(&m->text);
	tl_text_free(&m->shape);
}

/* The number of a category and a name among what was told. */
static int
told_key(struct tl_chrome_messages *m, struct tl_bytes category,
    struct tl_bytes name, uint64_t *number)
{
	tl_text_clear(&m->text);
	tl_put_bytes(&m->text, category);
	tl_put_char(&m->text, '\0');
	tl_put_bytes(&m->text, name);
	if (m->text.rc < 0)
		return m->text.rc;
	return tl_interner_string(m->told_keys,
	    tl_bytes(m->text.data, m->text.size), number);
}

int
tl_chrome_tell(struct tl_chrome_messages *m, struct tl_bytes text,
    uint8_t level, const struct tl_message **told)
{
	return tl_interner_message(m->interner, tl_bytes_of(""), text,
	    TIMELINE_RECORD_STRING, level, 0, told);
}

int
tl_chrome_tell_name(struct tl_chrome_messages *m, struct tl_bytes category,
    struct tl_bytes name, struct tl_bytes text, uint8_t level)
{
	const struct tl_message *told;
	uint64_t key;
	int rc = tl_chrome_tell(m, text, level, &told);

	if (rc == 0)
		rc = told_key(m, category, name, &key);
	if (rc == 0 && key > TL_ID_MAP_MAX)
		rc = -ENOSPC;
	if (rc < 0)
		return rc;
	rc = TL_ARRAY_ZEROS(m->told, m->told_capacity, key);
	if (rc == 0)
		m->told[key] = told;
	return rc;
}

/* What was told of what is asked for; NULL: nothing. */
static const struct tl_message *
find_told(struct tl_chrome_messages *m, const struct tl_chrome_ask *ask)
{
	const struct tl_bytes name =
	    ask->args->labelled ? tl_bytes_of(TL_CHROME_LABEL) : ask->name;
	uint64_t key;

	if (ask->told)
		return ask->told;
	if (m->told_capacity == 0 ||
	    told_key(m, ask->category, name, &key) < 0 ||
	    key >= m->told_capacity)
		return NULL;
	return m->told[key];
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

/* The argument that a word is the key of, and that was not named before. */
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

/* The name, its words that are keys as arguments: which, a bit each. */
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

/* The text of what is asked for. */
static int
make_text(struct tl_chrome_messages *m, const struct tl_chrome_ask *ask)
{
	struct tl_text *text = &m->text;
	const char *lead = ask->name.size > 0 ? ": " : "";
	unsigned named = 0;

	tl_text_clear(text);
	if (ask->args->named)
		tl_put_string(text, LABEL);
	else
		named = put_words(text, ask->name, ask->args);
	for (unsigned i = 0; i < ask->args->count; i++) {
		if (named >> i & 1)
			continue;
		tl_put_string(text, lead);
		put_arg(text, ask->args, i);
		lead = " ";
	}
	if (ask->which.size > 0) {
		tl_put_char(text, '\n');
		tl_put_bytes(text, ask->which);
	}
	return text->rc;
}

bool
tl_chrome_has_all(const struct tl_message *message,
    const struct tl_chrome_args *args)
{
	for (unsigned i = 0; i < args->count; i++) {
		unsigned k = 0;

		while (k < message->argc &&
		       !tl_bytes_equal(message->args[k].name, args->arg[i].key))
			k++;
		if (k == message->argc)
			return false;
	}
	return true;
}

/* Is what was told of this message?  Of a counter without arguments the value
 * is written all the same. */
static bool
is_of(const struct tl_message *told, const struct tl_chrome_ask *ask)
{
	if (ask->kind == TIMELINE_RECORD_COUNTER && told->argc == 0)
		return true;
	return tl_chrome_has_all(told, ask->args);
}

static int
define(struct tl_chrome_messages *m, const struct tl_chrome_ask *ask,
    struct tl_bytes text, uint8_t level, const struct tl_message **message)
{
	if (ask->args->level > 0)
		level = ask->args->level;
	return tl_interner_message(m->interner, ask->category, text, ask->kind,
	    level, ask->scope, message);
}

static int
make_message(struct tl_chrome_messages *m, const struct tl_chrome_ask *ask,
    const struct tl_message **message)
{
	const uint8_t info = (uint8_t)tl_level_parse("info");
	const struct tl_message *told = find_told(m, ask);
	int rc;

	if (told && is_of(told, ask))
		return define(m, ask, told->text, told->level, message);
	if ((rc = make_text(m, ask)) < 0)
		return rc;
	rc =
	    define(m, ask, tl_bytes(m->text.data, m->text.size), info, message);
	if (rc != -EINVAL)
		return rc;
	/* arguments beyond what a text may name */
	return define(m, ask, tl_bytes_of(LABEL), info, message);
}

/* All that a message depends on beside category and name. */
static int
make_shape(struct tl_text *shape, const struct tl_chrome_ask *ask)
{
	const struct tl_chrome_args *args = ask->args;
	const uint8_t head[] = { args->level, ask->scope, args->labelled,
		ask->told != NULL };
	size_t size = sizeof(head) + sizeof(ask->told) + ask->which.size;
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
		*to++ = (char)('\x80' + args->format[i]); /* of no key */
	}
	if (ask->which.size > 0)
		memcpy(to, ask->which.data, ask->which.size);
	to += ask->which.size;
	memcpy(to, &ask->told, sizeof(ask->told));
	memcpy(to + sizeof(ask->told), head, sizeof(head));
	return 0;
}

int
tl_chrome_message(struct tl_chrome_messages *m, const struct tl_chrome_ask *ask,
    const struct tl_message **message)
{
	struct tl_memo_key key = { { ask->category, ask->name }, ask->kind,
		ask->scope };
	const struct tl_memo_slot *slot;
	int rc = make_shape(&m->shape, ask);

	if (rc < 0)
		return rc;
	key.parts[2] = tl_bytes(m->shape.data, m->shape.size);
	if (ask->args->labelled) /* each has another name */
		key.parts[1] = tl_bytes("", 0);
	if ((slot = tl_memo_find(&m->memo, &key))) {
		*message = slot->message;
		return 0;
	}
	rc = make_message(m, ask, message);
	if (rc == 0)
		tl_memo_add(&m->memo, &key, *message);
	return rc;
}

/* The value of an argument of this name, likely the one at index. */
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
tl_chrome_values(struct tl_chrome_messages *m, const struct tl_chrome_ask *ask,
    const struct tl_message *message, uint64_t values[TIMELINE_ARGS_MAX],
    unsigned *bad)
{
	const struct tl_chrome_args *args = ask->args;
	const bool labelled = tl_chrome_is_labelled(message);
	const struct tl_chrome_value name = { .text = ask->name,
		.kind = TL_JSON_STRING };
	int rc = 0;

	if (message->argc == 0 && ask->kind == TIMELINE_RECORD_COUNTER &&
	    args->count > 0)
		return set_value(m, &args->arg[0].value, TIMELINE_ARG_UNSIGNED,
		    &values[0], bad);
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
