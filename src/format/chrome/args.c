/* SPDX-License-Identifier: Apache-2.0 */
/* chrome_args.c - any args to four good arguments. */
#include "format/chrome/args.h"

#include "base/json.h"
#include "event/message.h"
#include "format/chrome/words.h"

#include <math.h>
#include <timeline.h>

enum {
	HEX_DIGITS_MAX = 16,
	/* What tells equal keys apart: a digit. */
	SUFFIX_SIZE = 1
};

/* Doubles hold every whole number below. */
#define EXACT_MAX (UINT64_C(1) << 53)

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

/* 0x and digits just as we write them. */
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

/* An integer is digits, as most are: no sign, point or exponent. */
static bool
read_digits(struct tl_bytes text, uint64_t *number)
{
	const size_t sure = 19; /* so many never overflow */
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

/* What only a string can carry: an integer of 2^53 and above? */
static bool
is_great(struct tl_bytes text)
{
	uint64_t u;
	int64_t s;

	if (tl_json_word(text) != TL_JSON_NUMBER)
		return false;
	if (tl_json_signed(text, &s) == 0)
		return s >= (int64_t)EXACT_MAX || s <= -(int64_t)EXACT_MAX;
	return tl_json_unsigned(text, &u) == 0;
}

static uint8_t
format_of(const struct tl_chrome_value *value, bool ours)
{
	uint64_t hex;

	if (value->kind == TL_JSON_NUMBER)
		return number_format(value->text);
	if (value->kind == TL_JSON_STRING && read_hex(value->text, &hex))
		return TIMELINE_ARG_HEX;
	if (ours && value->kind == TL_JSON_STRING && is_great(value->text))
		return number_format(value->text);
	if (ours && value->kind == TL_JSON_NULL)
		return TIMELINE_ARG_DOUBLE;
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

/* Take out what is no argument; gather those that are. */
static unsigned
gather(struct tl_chrome_args *args, struct tl_chrome_event *e,
    const struct tl_chrome_arg *all[TL_CHROME_ARGS_MAX + 1],
    const struct tl_chrome_arg *lead, bool ours)
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
		if (ours && kind == TL_JSON_TRUE &&
		    is_word(arg->key, TL_CHROME_LABEL)) {
			args->labelled = true;
			continue;
		}
		if (kind != 0)
			all[count++] = arg;
	}
	return count;
}

/* Those for which there is no room, as one of JSON. */
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
is_taken(const struct tl_chrome_args *args, unsigned before,
    struct tl_bytes key)
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
is_good(const struct tl_chrome_args *args, unsigned index, struct tl_bytes key)
{
	for (size_t i = 0; i < key.size; i++) {
		if (!tl_chrome_is_name(key.data[i]))
			return false;
	}
	return key.size > 0 && !is_taken(args, index, key);
}

/* Make a key a name that no other has: by _ for what none can have, and a
 * number behind it. */
static void
make_good(struct tl_chrome_args *args, unsigned index,
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
	for (char digit = '2'; is_taken(args, index, key); digit++) {
		name[size] = digit; /* at most three others have it */
		key.size = size + SUFFIX_SIZE;
	}
	args->arg[index].key = tl_chrome_event_keep(e, key);
	if (!args->arg[index].key.data)
		args->arg[index].key = tl_bytes_of("_");
}

static bool
is_of_end(struct tl_bytes key)
{
	const size_t size = sizeof(TL_CHROME_END) - 1;

	return key.size > size &&
	       memcmp(key.data + key.size - size, TL_CHROME_END, size) == 0;
}

void
tl_chrome_args_part(struct tl_chrome_args *ends, struct tl_chrome_event *e)
{
	const unsigned count = e->argc;

	e->argc = 0;
	ends->count = 0;
	for (unsigned i = 0; i < count; i++) {
		struct tl_chrome_arg arg = e->args[i];

		if (!is_of_end(arg.key) || ends->count == TIMELINE_ARGS_MAX) {
			e->args[e->argc++] = arg;
			continue;
		}
		arg.key.size -= sizeof(TL_CHROME_END) - 1;
		ends->arg[ends->count++] = arg;
	}
}

void
tl_chrome_args_settle(struct tl_chrome_args *args, struct tl_chrome_event *e,
    const struct tl_chrome_arg *lead, bool ours)
{
	const struct tl_chrome_arg *all[TL_CHROME_ARGS_MAX + 1];
	unsigned count, room = TIMELINE_ARGS_MAX;

	args->count = args->level = 0;
	args->labelled = args->joined = false;
	count = gather(args, e, all, lead, ours);
	args->named = args->labelled ||
		      !tl_chrome_is_plain(e->field[TL_CHROME_NAME].text);
	room -= args->named;
	while (args->count < count && args->count < room - (count > room)) {
		args->arg[args->count] = *all[args->count];
		args->count++;
	}
	if (args->count < count)
		join(args, e, all + args->count, count - args->count);
	for (unsigned i = 0; i < args->count; i++) {
		struct tl_chrome_arg *arg = &args->arg[i];

		if (!is_good(args, i, arg->key))
			make_good(args, i, e);
		args->format[i] = format_of(&arg->value, ours);
	}
}
