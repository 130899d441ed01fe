/* SPDX-License-Identifier: Apache-2.0 */
/* label.c - names of foreign things to messages and back. */
#include "format/label.h"

#include "base/array.h"
#include "event/render.h"

#include <stdlib.h>
#include <string.h>
#include <timeline.h>

/* Leaves room for a suffix and a second line. */
enum { NAME_SIZE_MAX = TL_INTERNER_TEXT_MAX - 256 };
/* Labels that get messages of their own. */
enum { LABELS_MAX = 1 << 16 };

#define LABEL "$label%s"

int
tl_label_define(struct tl_interner *interner, const char *category,
    struct tl_bytes name, const char *suffix, const char *which,
    struct tl_label *label)
{
	struct tl_text text = { 0 };
	const bool plain = name.size > 0 && name.size <= NAME_SIZE_MAX &&
			   !memchr(name.data, '$', name.size) &&
			   !memchr(name.data, '\n', name.size) &&
			   !memchr(name.data, '\0', name.size);
	int rc = 0;

	*label = (struct tl_label){ 0 };
	if (!plain)
		rc = tl_interner_string(interner, name, &label->arg);
	tl_put_bytes(&text, plain ? name : tl_bytes_of(LABEL));
	tl_put_string(&text, suffix);
	tl_put_char(&text, '\n');
	tl_put_string(&text, which);
	if (rc == 0)
		rc = text.rc;
	if (rc == 0)
		rc = tl_interner_message(interner, tl_bytes_of(category),
		    tl_text_bytes(&text), TIMELINE_RECORD_SPAN,
		    (uint8_t)tl_level_parse("info"), TIMELINE_SOURCE,
		    &label->message);
	tl_text_free(&text);
	return rc;
}

bool
tl_label_is(const struct tl_message *m)
{
	const struct tl_bytes label = tl_bytes_of(LABEL);

	return m->argc > 0 && m->args[0].format == TIMELINE_ARG_STRING &&
	       m->line1.size >= label.size &&
	       memcmp(m->line1.data, label.data, label.size) == 0;
}

/* The label of an event, or #5 if string 5 is missing; data is NULL if there is
 * no label.  The first argument of a counter is its value. */
static struct tl_bytes
label_of(const struct tl_event *event, char missing[TL_MISSING_MAX])
{
	struct tl_bytes label;

	if (!tl_label_is(event->message) || !tl_event_has_args(event) ||
	    event->kind == TL_COUNTER)
		return tl_bytes(NULL, 0);
	label = tl_message_string(event->message, event->args[0]);
	return label.data ? label : tl_render_missing(missing, event->args[0]);
}

void
tl_label_name(struct tl_text *text, const struct tl_event *event)
{
	char missing[TL_MISSING_MAX];
	const struct tl_bytes label = label_of(event, missing);
	const struct tl_bytes line1 = event->message->line1;
	const size_t skip = label.data ? sizeof(LABEL) - 1 : 0;

	tl_put_bytes(text, label);
	tl_put_bytes(text, tl_bytes(line1.data + skip, line1.size - skip));
}

const struct tl_message *
tl_labels_get(struct tl_labels *labels, const struct tl_event *event)
{
	struct tl_id_key key = { .a = (uint64_t)(uintptr_t)event->message };
	char missing[TL_MISSING_MAX];
	uint32_t number;

	if (!event->message || !label_of(event, missing).data ||
	    labels->numbers.count >= LABELS_MAX)
		return event->message;
	key.b = event->args[0];
	if (TL_ID_MAP_ROOM(&labels->numbers, key, &number, labels->made,
		labels->capacity) < 0)
		return event->message;
	if (!labels->made[number]) {
		/* Copy the message of an event, with the label as its name. */
		struct tl_text name = { 0 };
		struct tl_message *m;
		char *line1;

		tl_label_name(&name, event);
		m = name.rc == 0 ? malloc(sizeof(*m) + name.size) : NULL;
		if (m) {
			line1 = (char *)(m + 1);
			*m = *event->message;
			if (name.size > 0)
				memcpy(line1, name.data, name.size);
			m->line1 = tl_bytes(line1, name.size);
		}
		tl_text_free(&name);
		labels->made[number] = m;
	}
	return labels->made[number] ? labels->made[number] : event->message;
}

void
tl_labels_free(struct tl_labels *labels)
{
	for (size_t i = 0; i < labels->capacity; i++)
		free(labels->made[i]);
	free(labels->made);
	tl_id_map_free(&labels->numbers);
	*labels = (struct tl_labels){ 0 };
}

void
tl_label_put(struct tl_text *text, const struct tl_event *event)
{
	const struct tl_message *m = event->message;
	char missing[TL_MISSING_MAX];
	const struct tl_bytes label = label_of(event, missing);

	for (unsigned i = 0; i < m->argc; i++) {
		tl_put_bytes(text, m->args[i].before);
		tl_put_bytes(text,
		    i == 0 && label.data ? label : m->args[i].name);
	}
	tl_put_bytes(text, m->after);
}
