/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_values.c - numbers as they are, and texts read again. */
#include "format/lincheck/values.h"

#include "base/mutf8.h"
#include "base/number.h"
#include "format/lincheck/word.h"

void
tl_lincheck_values_start(struct tl_lincheck_values *v,
    const struct tl_lincheck_form *form, const struct tl_event *event)
{
	v->form = form;
	v->event = event;
	v->more = tl_bytes(NULL, 0);
	v->slot = 0;
	if (form->shown > TL_ARGS_MAX)
		v->more = tl_message_string(event->message,
		    event->args[TL_ARGS_MAX - 1]);
}

/* A text into v->text. */
static bool
take_text(struct tl_lincheck_values *v, struct tl_bytes text,
    struct tl_bytes *name)
{
	const bool good = tl_mutf8_encode(&v->text, text, TL_MUTF8_SIZE_MAX);

	*name = tl_bytes(v->text.size > 0 ? v->text.data : "", v->text.size);
	return good;
}

/* The UTF-16 unit of a character. */
static bool
take_unit(struct tl_lincheck_values *v, struct tl_bytes text, uint64_t *unit)
{
	const uint8_t *b;
	struct tl_bytes name;

	if (!take_text(v, text, &name) || name.size == 0 || name.size > 3)
		return false;
	b = (const uint8_t *)name.data;
	if (name.size == 1)
		*unit = b[0];
	else if (name.size == 2)
		*unit = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
	else
		*unit =
		    (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
	return true;
}

/* The hash behind the name of an object's class. */
static bool
take_hash(struct tl_bytes text, uint64_t *bits)
{
	const char *end = text.data + text.size, *at = end;
	int64_t hash;

	while (at > text.data && at[-1] != '@')
		at--;
	if (at == text.data ||
	    tl_number_signed(tl_bytes(at, (size_t)(end - at)), end, &hash) < 0)
		return false;
	*bits = (uint64_t)hash;
	return true;
}

static bool
take_number(struct tl_bytes text, uint64_t *bits)
{
	int64_t n;

	if (tl_number_signed(text, text.data + text.size, &n) < 0)
		return false;
	*bits = (uint64_t)n;
	return true;
}

/* What a text says of a value of a tag. */
static bool
read_value(struct tl_lincheck_values *v, struct tl_bytes text,
    struct tl_lincheck_value *value)
{
	if (!text.data)
		text = tl_bytes("", 0);
	switch (value->tag) {
	case TL_LINCHECK_NULL:
	case TL_LINCHECK_VOID:
	case TL_LINCHECK_UNIT:
		return true;
	case TL_LINCHECK_TEXT:
	case TL_LINCHECK_RAW:
		return take_text(v, text, &value->text);
	case TL_LINCHECK_CHAR:
		return take_unit(v, text, &value->bits);
	case TL_LINCHECK_BOOLEAN:
		value->bits = tl_bytes_equal(text, tl_bytes_of("true"));
		return true;
	case TL_LINCHECK_FLOAT:
	case TL_LINCHECK_DOUBLE:
		return tl_number_double(text, &value->bits) == 0;
	}
	return value->tag >= 0 ? take_hash(text, &value->bits)
			       : take_number(text, &value->bits);
}

/* One of those that share the last argument. */
static bool
next_more(struct tl_lincheck_values *v, struct tl_lincheck_value *value)
{
	struct tl_bytes word;

	if (!tl_lincheck_next_word(&v->more, &word))
		return false;
	tl_text_clear(&v->word);
	tl_lincheck_take_word(&v->word, word);
	if (v->word.rc < 0)
		v->text.rc = v->word.rc;
	return read_value(v, tl_bytes(v->word.data, v->word.size), value);
}

bool
tl_lincheck_values_next(struct tl_lincheck_values *v, uint32_t i,
    struct tl_lincheck_value *value)
{
	const struct tl_lincheck_form *f = v->form;
	uint32_t slot;

	*value = (struct tl_lincheck_value){ .tag = f->tags[i] };
	tl_text_clear(&v->text);
	if (!tl_lincheck_is_shown(f->class, i, value->tag, f->throws))
		return true;
	slot = v->slot++;
	if (f->shown > TL_ARGS_MAX && slot >= TL_ARGS_MAX - 1)
		return next_more(v, value);
	if (tl_lincheck_is_number(value->tag)) {
		value->bits = v->event->args[slot];
		return true;
	}
	return read_value(v,
	    tl_message_string(v->event->message, v->event->args[slot]), value);
}

bool
tl_lincheck_values_exception(struct tl_lincheck_values *v,
    struct tl_bytes *name)
{
	const struct tl_bytes text = tl_message_string(v->event->message,
	    v->event->args[v->slot % TL_ARGS_MAX]);

	tl_text_clear(&v->text);
	return take_text(v, text.data ? text : tl_bytes("", 0), name);
}

void
tl_lincheck_values_free(struct tl_lincheck_values *v)
{
	tl_text_free(&v->word);
	tl_text_free(&v->text);
}
