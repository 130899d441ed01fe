/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes.h - what is said about an input or an output, once per kind.
 *
 * A file with a million strange events is worth one sentence with a number in
 * it, not a million of them: kinds are counted as they are met and said at
 * the end, each with the place of its first.
 */
#ifndef TL_EVENT_NOTES_H
#define TL_EVENT_NOTES_H

#include "event/reader.h"

enum { TL_NOTES_MAX = 16 };

/* What can be said: -EBADMSG for damage, -ENOTSUP for what a format cannot
 * carry, 0 for what is good to know. */
struct tl_note_kind {
	int rc;
	const char *text;
};

/* What more than one format cannot carry, in the same words: texts of kinds. */
#define TL_NOTE_INSTANTS    "an instant is left out"
#define TL_NOTE_COUNTERS    "a value of a counter is left out"
#define TL_NOTE_LOSSES      "lost entries cannot be told of"
#define TL_NOTE_ARGUMENTS   "the arguments of a message are left out"
#define TL_NOTE_LEVELS      "the priority of a message is left out"
#define TL_NOTE_CPUS        "the CPUs of a message are left out"
#define TL_NOTE_LONELY_ENDS "an end without a begin is left out"
#define TL_NOTE_NAMES       "name is too long or not UTF-8: changed"

/* Starts from all zeros but for kinds, in the order of a sink's own enum. */
struct tl_notes {
	const struct tl_note_kind *kinds;
	uint64_t count[TL_NOTES_MAX];
	uint64_t first[TL_NOTES_MAX];
};

/* One more of a kind, at a byte or TL_FAULT_NOWHERE. */
static inline void
tl_note(struct tl_notes *notes, unsigned kind, uint64_t at)
{
	if (notes->count[kind]++ == 0)
		notes->first[kind] = at;
}

/* Say what was noted, and forget it. */
void tl_notes_say(struct tl_notes *notes, const struct tl_report *report);

#endif
