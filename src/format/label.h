/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - what a foreign format calls a thing, as a message; and what a
 * message is called in a foreign format.
 *
 * The name is the first line of the message; the second distinguishes several
 * things of that name it is:
 *
 *	"GameThread\nsource 5"
 *	"$label%s\nsource 5"	for a name that a first line cannot hold
 *
 * In the latter form the name is the string in the first argument.
 */
#ifndef TL_FORMAT_LABEL_H
#define TL_FORMAT_LABEL_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"
#include "event/intern.h"

struct tl_label {
	const struct tl_message *message;
	uint64_t arg; /* of its events: the first, or 0 */
};

/* The label of a span of scope TIMELINE_SOURCE.  suffix stands behind the
 * name in the first line ("" for none); which is the second line.  As
 * tl_interner_message. */
int tl_label_define(struct tl_interner *interner, const char *category,
    struct tl_bytes name, const char *suffix, const char *which,
    struct tl_label *label);

/* Is the name of a message the string in its first argument? */
bool tl_label_is(const struct tl_message *message);

/* Append the name of an event: its first line, with the label in place of
 * "$label%s". */
void tl_label_name(struct tl_text *text, const struct tl_event *event);

/*
 * Messages by what they are called, for sinks that count by message: two
 * labels of one message are two, and line1 of each is its name.  Starts from
 * all zeros; lives no longer than the messages.
 */
struct tl_labels {
	struct tl_id_map numbers;
	struct tl_message **made;
	size_t capacity;
};

/* The message of an event by its name: its own where it has no label, and
 * where there are too many labels or there is no memory. */
const struct tl_message *
tl_labels_get(struct tl_labels *labels, const struct tl_event *event);
void tl_labels_free(struct tl_labels *labels);

/* Append the name of an event's message, without such a suffix if it has it:
 * its label, or its first line with the bare names of the arguments. */
void tl_label_put(struct tl_text *text, const struct tl_event *event,
    const char *suffix);

#endif
