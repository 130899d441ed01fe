/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - the name of a foreign thing as a message, and the name of a message
 * in a foreign format.
 *
 * The name is the first line of the message; the second line distinguishes
 * things of one name:
 *
 *	"GameThread\nsource 5"
 *	"$label%s\nsource 5"	for a name that a first line cannot hold
 *
 * In the second form the name is the string in the first argument.
 */
#ifndef TL_FORMAT_LABEL_H
#define TL_FORMAT_LABEL_H

#include "base/table.h"
#include "base/text.h"
#include "event/event.h"
#include "event/intern.h"

struct tl_label {
	const struct tl_message *message;
	uint64_t arg; /* first argument of its events, or 0 */
};

/*
 * Define the label of a span of scope TIMELINE_SOURCE.  suffix follows the name
 * in the first line ("" for none); which is the second line.  Errors as
 * tl_interner_message().
 */
int tl_label_define(struct tl_interner *interner, const char *category,
    struct tl_bytes name, const char *suffix, const char *which,
    struct tl_label *label);

/* Is the name of a message the string in its first argument? */
bool tl_label_is(const struct tl_message *message);

/*
 * Append the name of an event: its first line, with the label in place of
 * "$label%s".
 */
void tl_label_name(struct tl_text *text, const struct tl_event *event);

/*
 * Messages by name, for sinks that count by message: two labels of one message
 * give two messages, whose line1 is the name.  Starts from all zeros; the
 * messages must live as long.
 */
struct tl_labels {
	struct tl_id_map numbers;
	struct tl_message **made;
	size_t capacity;
};

/*
 * Return the message of an event by its name.  An event without a label keeps
 * its own message, and so does any event if there are too many labels or no
 * memory.
 */
const struct tl_message *
tl_labels_get(struct tl_labels *labels, const struct tl_event *event);
void tl_labels_free(struct tl_labels *labels);

/*
 * Append the name of an event for a format that shows names: the first line
 * with the bare names of the arguments, and with the label in place of its own.
 */
void tl_label_put(struct tl_text *text, const struct tl_event *event);

#endif
