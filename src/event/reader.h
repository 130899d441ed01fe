/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - a reader of a foreign format: pieces of bytes in, events out.
 *
 * A reader does not open files.  The caller feeds the reader the pieces of the
 * input in order, of any size.  The reader puts each event into a sink as soon
 * as the event is complete, in the order of the input; a caller that needs the
 * order of time sorts the events (event/sorter.h).  A reader whose events need
 * all of the input keeps them in a store and puts them when it finishes.
 * Memory is bounded by the number of open spans, not by the size of the input.
 * Damage is reported and skipped.
 */
#ifndef TL_EVENT_READER_H
#define TL_EVENT_READER_H

#include "base/bytes.h"
#include "base/fault.h"
#include "event/cursor.h"

/* Receives the diagnostics: each fault of an input with its byte, and each
 * property that an output cannot carry.  write may be NULL. */
struct tl_report {
	void (*write)(void *context, const struct tl_fault *fault);
	void *context;
};

/* A thread as its format describes it.  Events of the thread carry pid and tid;
 * the tools of the format show number. */
struct tl_reader_thread {
	uint32_t pid;
	uint32_t tid;
	uint64_t number;
	struct tl_bytes name; /* empty: no name */
	bool shows_name;      /* the format's tools show the name */
	bool is_empty;        /* the thread has no events */
};

struct tl_origin;
struct tl_storage;
struct tl_trees;

struct tl_reader {
	/* Read the next piece.  Returns 0, -ENOMEM, -errno of the sink, or
	 * -EBADMSG after reporting that the input has another format. */
	int (*feed)(struct tl_reader *reader, struct tl_bytes piece);
	/* End the input and report incomplete parts.  Returns as feed. */
	int (*finish)(struct tl_reader *reader);
	/* Free the reader and the messages of its events. */
	void (*free)(struct tl_reader *reader);
	/* Take the name of the input file before the first feed.  NULL when the
	 * format does not use the name. */
	void (*named)(struct tl_reader *reader, const char *name);
	/* The suffix of a second file that may lie beside the input, or NULL.
	 * beside reads that file after finish and reports its faults. */
	const char *beside_suffix;
	int (*beside)(struct tl_reader *reader, struct tl_storage *storage);
	/* Make the trees of an input (trace/read.h) through the index beside
	 * it, instead of all feeding.  The trees need the reader and both
	 * storages.  Returns 0; -EBADMSG when the index does not fit the input,
	 * so that another reader has to be fed; -errno.  NULL when the format
	 * has no such index. */
	int (*trees)(struct tl_reader *reader, struct tl_storage *input,
	    struct tl_storage *index, struct tl_trees **trees);
	void (*trees_free)(struct tl_trees *trees);
	/* Set *thread to thread number i of the input, in the order of the
	 * format's own tools.  Call thread after finish or trees.  Returns
	 * false when there are no more threads.  NULL when the format does not
	 * describe threads. */
	bool (*thread)(struct tl_reader *reader, size_t i,
	    struct tl_reader_thread *thread);
	/* Set the members of *origin that the input names and that hold for all
	 * of its events.  Call origin after finish.  NULL when the format does
	 * not describe an origin. */
	void (
	    *origin)(const struct tl_reader *reader, struct tl_origin *origin);
};

/* Make a reader.  sink and report must outlive it.  Returns 0 or -ENOMEM. */
typedef int tl_reader_new(struct tl_reader **reader, struct tl_sink *sink,
    const struct tl_report *report);

/* Rate how well the first 4096 bytes of an input, or the whole of a shorter
 * input, match the format: from 0 (no match) to 100 (certain). */
typedef unsigned tl_recognise(struct tl_bytes first);

/* Write a diagnostic about byte at of the input or TL_FAULT_NOWHERE; rc is
 * -EBADMSG, -ENOTSUP or 0 as in tl_note_kind.  report may be NULL. */
void tl_report_write(const struct tl_report *report, int rc, uint64_t at,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * == notes ==
 *
 * Diagnostics that are written once per kind, because a file may hold a million
 * faults of one kind.  The reader counts the faults and reports each kind at
 * the end as one diagnostic, with the number of faults and the place of the
 * first.
 */

enum { TL_NOTES_MAX = 20 };

/* A kind of diagnostic.  rc is -EBADMSG for damage, -ENOTSUP for a property
 * that a format cannot carry, and 0 for information. */
struct tl_note_kind {
	int rc;
	const char *text;
};

/* The texts of kinds that several writers share. */
#define TL_NOTE_INSTANTS    "an instant is left out"
#define TL_NOTE_COUNTERS    "a value of a counter is left out"
#define TL_NOTE_LOSSES      "lost entries are left out"
#define TL_NOTE_ARGUMENTS   "the arguments of a message are left out"
#define TL_NOTE_LEVELS      "the priority of a message is left out"
#define TL_NOTE_CPUS        "the CPUs of a message are left out"
#define TL_NOTE_LONELY_ENDS "an end without a begin is left out"
#define TL_NOTE_NAMES       "name is too long or not UTF-8: changed"

/* All zeros at first except kinds, which the user's own enum indexes. */
struct tl_notes {
	const struct tl_note_kind *kinds;
	uint64_t count[TL_NOTES_MAX];
	uint64_t first[TL_NOTES_MAX];
};

/* Count a fault of a kind, at a byte or TL_FAULT_NOWHERE. */
static inline void
tl_note(struct tl_notes *notes, unsigned kind, uint64_t at)
{
	if (notes->count[kind]++ == 0)
		notes->first[kind] = at;
}

/* Report each kind with a count and reset the count to 0. */
void tl_notes_report(struct tl_notes *notes, const struct tl_report *report);

#endif
