/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_message.c - shape of a point --> number --> message. */
#include "format/lincheck/message.h"

#include "base/mutf8.h"
#include "format/lincheck/describe.h"
#include "format/lincheck/word.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

int
tl_lincheck_messages_init(struct tl_lincheck_messages *m)
{
	const struct tl_message *first;
	int rc = tl_definer_new(&m->definer);

	if (rc == 0) /* for its strings */
		rc = tl_definer_message(m->definer, tl_bytes_of("lincheck"),
		    tl_bytes_of("lincheck"), TIMELINE_RECORD_INSTANT,
		    (uint8_t)tl_level_parse("trace"), 0, &first);
	if (rc < 0)
		return rc;
	m->context.definer = m->definer;
	m->context.strings = first->strings;
	tl_lincheck_strings_init(&m->strings, first->strings, &m->context);
	return 0;
}

void
tl_lincheck_messages_free(struct tl_lincheck_messages *m)
{
	for (size_t i = 0; i < m->capacity; i++)
		free(m->messages[i]);
	free(m->messages);
	tl_numbers_free(&m->shapes);
	tl_lincheck_strings_free(&m->strings);
	tl_lincheck_context_free(&m->context);
	tl_definer_free(m->definer);
	tl_text_free(&m->key);
	tl_text_free(&m->text);
}

/* All that tells one message from another. */
static void
make_key(struct tl_lincheck_messages *m,
    const struct tl_lincheck_object *object)
{
	const int32_t head[] = { object->class, object->location,
		object->target, object->exception.size > 0, object->diff,
		object->inside, (int32_t)object->uuid.size };
	struct tl_data_in values = object->values;
	struct tl_lincheck_value value;

	tl_text_clear(&m->key);
	tl_put_bytes(&m->key, tl_bytes(head, sizeof(head)));
	tl_put_bytes(&m->key, object->uuid);
	tl_put_bytes(&m->key, object->stack);
	for (uint32_t i = 0; i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		tl_put_bytes(&m->key, tl_bytes(&value.tag, sizeof(value.tag)));
	}
}

/* Where the message of the key is kept. */
static int
find(struct tl_lincheck_messages *m, struct tl_message ***message)
{
	void *messages = m->messages;
	uint64_t shape;
	uint32_t number;
	int rc = m->key.rc;

	if (rc == 0)
		rc = tl_definer_string(m->definer,
		    tl_bytes(m->key.data, m->key.size), &shape);
	if (rc == 0)
		rc = tl_numbers_get(&m->shapes,
		    (struct tl_number_key){ .a = shape }, &number);
	if (rc >= 0 && number >= m->capacity) {
		rc = tl_numbers_room(&messages, &m->capacity, number,
		    sizeof(struct tl_message *));
		m->messages = messages;
	}
	if (rc < 0)
		return rc;
	*message = &m->messages[number];
	return 0;
}

static struct tl_bytes
text_of(const struct tl_lincheck_messages *m)
{
	return tl_bytes(m->text.data, m->text.size);
}

/* A definer's messages have no place in the source: ours is a copy with it. */
static int
set_place(struct tl_lincheck_messages *m, struct tl_message *message,
    int32_t location)
{
	struct tl_lincheck_place place;
	uint64_t number;
	int rc;

	if (!tl_lincheck_context_place(&m->context, location, &place))
		return 0;
	tl_text_clear(&m->text);
	tl_mutf8_decode(&m->text, tl_lincheck_context_name(&m->context,
				      TL_LINCHECK_STRING, place.texts[0]));
	if (m->text.rc < 0 || m->text.size == 0)
		return m->text.rc;
	rc = tl_definer_string(m->definer, text_of(m), &number);
	if (rc < 0)
		return rc;
	message->file = tl_message_string(message, number);
	message->line = place.line > 0 ? (uint32_t)place.line : 0;
	return 0;
}

static const char *
category_of(uint8_t class)
{
	switch (class) {
	case TL_LINCHECK_CALL:
		return "call";
	case TL_LINCHECK_FOOTER_CLASS:
		return "return";
	case TL_LINCHECK_LOOP:
	case TL_LINCHECK_ITERATION:
		return "loop";
	case TL_LINCHECK_BREAKPOINT:
	case TL_LINCHECK_THROW:
	case TL_LINCHECK_CATCH:
		return tl_lincheck_classes[class];
	}
	return tl_lincheck_is_write(class) ? "write" : "read";
}

static int
make(struct tl_lincheck_messages *m, const struct tl_lincheck_object *object,
    struct tl_message **message)
{
	const uint8_t class = object->class;
	const bool is_span = tl_lincheck_is_container(class);
	const bool is_access =
	    class > TL_LINCHECK_CALL && class < TL_LINCHECK_LOOP;
	const struct tl_message *defined;
	struct tl_message *own;
	int rc;

	tl_text_clear(&m->text);
	if (!tl_lincheck_describe(&m->text, &m->context, object))
		m->bad_name++;
	if (m->text.size > TL_DEFINER_TEXT_MAX)
		m->cut++;
	rc = m->text.rc;
	if (rc == 0)
		rc = tl_definer_message(m->definer,
		    tl_bytes_of(category_of(class)), text_of(m),
		    is_span ? TIMELINE_RECORD_SPAN : TIMELINE_RECORD_INSTANT,
		    (uint8_t)tl_level_parse(is_access ? "debug" : "info"),
		    TIMELINE_THREAD, &defined);
	if (rc < 0)
		return rc == -EINVAL ? -ENOSPC : rc;
	own = malloc(sizeof(*own));
	if (!own)
		return -ENOMEM;
	*own = *defined;
	own->strings = &m->strings.strings;
	rc = set_place(m, own, object->location);
	if (rc < 0)
		free(own);
	else
		*message = own;
	return rc;
}

int
tl_lincheck_messages_get(struct tl_lincheck_messages *m,
    const struct tl_lincheck_object *object, bool last,
    struct tl_lincheck_key *key, const struct tl_message **message)
{
	struct tl_message **kept;
	int rc;

	make_key(m, object);
	if ((rc = find(m, &kept)) < 0)
		return rc;
	if (!*kept) {
		if (tl_lincheck_context_misses(&m->context, object, key) &&
		    !last)
			return 1;
		rc = make(m, object, kept);
	}
	*message = *kept;
	return rc;
}

/* A text as the number of a string; 0, and it is noted, where there is no
 * room. */
static int
number_of(struct tl_lincheck_messages *m, uint64_t *number)
{
	int rc = m->text.rc;

	*number = 0;
	if (m->text.size > TL_DEFINER_TEXT_MAX)
		m->cut++;
	if (rc == 0)
		rc = tl_definer_value(m->definer, text_of(m), number);
	if (rc == -ENOSPC)
		m->full++;
	return rc == -ENOSPC ? 0 : rc;
}

static void
put_string(struct tl_lincheck_messages *m,
    const struct tl_lincheck_value *value)
{
	if (!tl_lincheck_put_value_text(&m->text, &m->context, value))
		m->bad_name++;
}

static int
arg_of(struct tl_lincheck_messages *m, const struct tl_lincheck_value *value,
    uint64_t *arg)
{
	if (tl_lincheck_is_number(value->tag)) {
		*arg = value->bits;
		return 0;
	}
	tl_text_clear(&m->text);
	put_string(m, value);
	return number_of(m, arg);
}

/* One more word of the last argument. */
static int
put_more(struct tl_text *more, struct tl_lincheck_messages *m,
    const struct tl_lincheck_value *value)
{
	tl_text_clear(&m->text);
	put_string(m, value);
	if (more->size > 0)
		tl_put_char(more, ' ');
	tl_lincheck_put_word(more, text_of(m));
	return m->text.rc;
}

static int
put_exception(struct tl_lincheck_messages *m, struct tl_bytes name,
    uint64_t *arg)
{
	tl_text_clear(&m->text);
	if (!tl_mutf8_decode(&m->text, name))
		m->bad_name++;
	return number_of(m, arg);
}

static int
put_args(struct tl_lincheck_messages *m,
    const struct tl_lincheck_object *object, struct tl_text *more,
    uint64_t args[TL_ARGS_MAX])
{
	const uint32_t shown = tl_lincheck_count_shown(object);
	const bool throws = object->exception.size > 0;
	struct tl_data_in values = object->values;
	struct tl_lincheck_value value;
	uint32_t slot = 0;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		if (!tl_lincheck_is_shown(object->class, i, value.tag, throws))
			continue;
		if (shown > TL_ARGS_MAX && slot >= TL_ARGS_MAX - 1)
			rc = put_more(more, m, &value);
		else
			rc = arg_of(m, &value, &args[slot]);
		slot++;
	}
	if (rc == 0 && throws)
		rc = put_exception(m, object->exception, &args[slot]);
	return rc;
}

int
tl_lincheck_messages_args(struct tl_lincheck_messages *m,
    const struct tl_lincheck_object *object, uint64_t args[TL_ARGS_MAX])
{
	struct tl_text more = { 0 };
	int rc;

	memset(args, 0, TL_ARGS_MAX * sizeof(*args));
	rc = put_args(m, object, &more, args);
	if (rc == 0 && tl_lincheck_count_shown(object) > TL_ARGS_MAX) {
		tl_text_clear(&m->text);
		tl_put_bytes(&m->text, tl_bytes(more.data, more.size));
		rc = more.rc < 0 ? more.rc
				 : number_of(m, &args[TL_ARGS_MAX - 1]);
	}
	tl_text_free(&more);
	return rc;
}
