/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - what a foreign format calls a thing, as a message; and what a
 * message is called in a foreign format.
 *
 * The name is the first line of the message, the second says which of several
 * things of that name it is:
 *
 *	"GameThread\nsource 5"
 *	"$label%s\nsource 5"	for a name that a first line cannot hold
 *
 * In the latter form the name is the string in the first argument.
 */
#ifndef TL_FORMAT_LABEL_H
#define TL_FORMAT_LABEL_H

#include "base/text.h"
#include "event/event.h"
#include "format/definer.h"

struct tl_label {
	const struct tl_message *message;
	uint64_t arg; /* of its events: the first, or 0 */
};

/* The label of a span of scope TIMELINE_SOURCE.  suffix stands behind the
 * name in the first line ("" for none); which is the second line.  As
 * tl_definer_message. */
int tl_label_define(struct tl_definer *definer, const char *category,
    struct tl_bytes name, const char *suffix, const char *which,
    struct tl_label *label);

/* Append the name of an event's message, without such a suffix if it has it:
 * its label, or its first line with the bare names of the arguments. */
void tl_label_put(struct tl_text *text, const struct tl_event *event,
    const char *suffix);

#endif
