/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - a reader of a foreign format: pieces of bytes in, events out.
 *
 * A reader knows no file: it is fed whatever pieces of the input there are,
 * in order, and puts each event into a sink as soon as it is whole, in the
 * order of the input (who needs order of time sorts: event/store.h).  Memory
 * is bounded by what is open at a time, not by the size of the input.
 * Damage is reported, and what follows is read.
 */
#ifndef TL_EVENT_READER_H
#define TL_EVENT_READER_H

#include "base/bytes.h"
#include "base/fault.h"
#include "event/cursor.h"

/* Told of each thing that is wrong with an input (at: its byte) or that an
 * output cannot carry.  say may be NULL. */
struct tl_report {
	void (*say)(void *context, const struct tl_fault *fault);
	void *context;
};

/* A thread as its format knows it. */
struct tl_reader_thread {
	uint32_t pid; /* of its events */
	uint32_t tid;
	uint64_t number;      /* as the original's tools show it */
	struct tl_bytes name; /* empty: none */
	bool shows_name;      /* do the original's tools show that? */
	bool is_empty;        /* there are no events of it */
};

struct tl_storage;

struct tl_reader {
	/* The next piece: 0, -errno of the sink, -ENOMEM; -EBADMSG: this is
	 * not the format at all, and a fault was said. */
	int (*feed)(struct tl_reader *reader, struct tl_bytes piece);
	/* The end of the input; what is unfinished is reported.  As feed. */
	int (*finish)(struct tl_reader *reader);
	/* Gives back the messages of its events, too. */
	void (*free)(struct tl_reader *reader);
	/* Told the name of the file before the first feed, where that says
	 * something; NULL: it does not. */
	void (*named)(struct tl_reader *reader, const char *name);
	/* The suffix of a file that may lie beside the input; NULL: none does.
	 * Shown to the reader after its finish; what is wrong is reported. */
	const char *beside_suffix;
	int (*beside)(struct tl_reader *reader, struct tl_storage *storage);
	/* Thread number i of its events, in the order of the original, after
	 * the finish; false: there are no more.  NULL: nothing is known. */
	bool (*thread)(struct tl_reader *reader, size_t i,
	    struct tl_reader_thread *thread);
};

/* Every reader's way to be made; sink and report outlive it.  0, -ENOMEM. */
typedef int tl_reader_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report);

/* Does an input that begins like this (its first 4096 bytes or all of it)
 * look like the format?  0 no, up to 100 certainly. */
typedef unsigned tl_recognise(struct tl_bytes first);

/* Say one thing: printf words, at a byte or TL_FAULT_NOWHERE. */
void tl_report_say(const struct tl_report *report, int rc, uint64_t at,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * == notes ==
 *
 * what is said about an input or an output, once per kind.
 *
 * A file with a million strange events is worth one sentence with a number in
 * it, not a million of them: kinds are counted as they are met and said at
 * the end, each with the place of its first.
 */

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
#define TL_NOTE_LOSSES      "lost entries are left out"
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
