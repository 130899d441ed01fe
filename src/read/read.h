/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - libtimeline-read: the readers of this project behind a C API.
 *
 * Programs that are not ours use the reader library, so its interface
 * (include/timeline_read.h) must not change when ours does.  The library is a
 * thin layer over source/ and the rendering of event/, which our tools use.  No
 * file is recognised, opened or parsed here.
 *
 *	timeline_reader
 *	  sources ---> snap | live | trace | chains	(source/source.h)
 *	  cursor ----> tl_event ----> timeline_read_event
 *	  definitions: tl_message --> C strings, made when it is first seen
 *	  roots -----> tl_node of the trace, cast: its owner is the reader
 *
 * Invariants:
 *
 * - A definition lives as long as its reader, so copies of public events stay
 *   valid.  A definition is made once for each message; beyond the messages
 *   that a map takes (TL_MESSAGE_MAP_MAX) the reader refuses the event instead
 *   of lending a string that dies early.
 * - A public node is a tl_node.  A wrapper for each node would double the
 *   number of allocations of a lazy walk; the owner in each node costs 8 bytes.
 * - A reader has one scratch text, and one thread at a time uses a reader.
 *   Only the text of the last failure is outside of readers: one per thread.
 *
 * Rejected: an iterator that returns rendered lines (callers want numbers), a
 * callback for each event (a caller could not walk two readers side by side),
 * nodes by number instead of by address (every access would search).
 */
#ifndef TL_READ_READ_H
#define TL_READ_READ_H

#include "event/details.h"
#include "event/filter.h"
#include "event/intern.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/render.h"
#include "source/kinds.h"
#include "source/sources.h"
#include "trace/read.h"

#include <timeline.h>
#include <timeline_read.h>

/* A definition with its texts in one piece of memory. */
struct tl_read_definition {
	/* first: callers hold a pointer to it */
	struct timeline_read_definition shown;
	struct timeline_reader *reader;
	const struct tl_message *message; /* NULL: losses of a source */
	size_t source;
	char text[];
};

static inline const struct tl_read_definition *
tl_read_defined(const struct timeline_read_definition *shown)
{
	return (const struct tl_read_definition *)(const void *)shown;
}

/* The names of a thread as C strings of the reader, valid until the names in
 * from change. */
struct tl_read_named {
	const struct tl_names *from;
	uint64_t changes;
	uint32_t pid;
	uint32_t tid;
	const char *thread;
	const char *process;
};

enum { TL_READ_NAMED_MAX = 64 };

struct tl_read_origin {
	/* its texts are in the other members */
	struct timeline_read_origin shown;
	struct tl_origin known;
	char host[TL_HOST_NAME_MAX];
	char boot[TL_ORIGIN_BOOT_SIZE];
};

struct tl_read_timer; /* definitions.c */

/* Facts about a source; each member is NULL until it is asked for. */
struct tl_read_about {
	struct tl_read_definition *loss;
	struct tl_read_origin *origin;
};

/*
 * The formats of libtimeline-formats.  Each of the two libraries has a copy of
 * the code that both need, and both share structs that change between releases.
 * Therefore both libraries must be of one release, and their hash tables use
 * one seed.  This library opens our own formats.
 */
struct timeline_read_formats {
	struct tl_read_release {
		char version[16];
		uint32_t source; /* sizes of the shared structs */
		uint32_t plan;
		uint32_t event;
		uint32_t message;
	} release;
	const struct tl_source_formats *known;
	uint64_t *seed; /* tl_hash_seed_chosen of that library */
};
#define TL_READ_RELEASE \
	{ \
		TIMELINE_VERSION, sizeof(struct tl_source), \
		    sizeof(struct tl_source_plan), sizeof(struct tl_event), \
		    sizeof(struct tl_message) \
	}

struct timeline_reader {
	struct timeline_read_options options;
	struct tl_source_formats formats; /* count 0: only our own formats */
	struct tl_sources sources;
	struct tl_trees *trees;   /* of the only source, or of made */
	struct tl_trace *made;    /* from a file of another format */
	struct tl_cursor *cursor; /* of all sources */
	/* The function that gives events or spans, as the caller asked first;
	 * NULL: the caller has not asked yet. */
	int (*given_by)(struct timeline_reader *reader);
	struct tl_hosts_plan offsets;
	struct tl_read_about *about; /* by index of the source */
	size_t about_count;
	struct tl_filter filter;
	const struct tl_message *filtered; /* the message last filtered */
	bool passes;                       /* the result for filtered */
	struct tl_spans *spans;
	struct tl_details *details; /* of spans.c */
	struct timeline_read_span span;
	struct timeline_read_event span_begin;
	struct timeline_read_event span_end;
	struct tl_read_timer *timer; /* the timer asked for last */
	uint32_t open;               /* for tl_spans_open, after all events */
	uint64_t given;              /* events or spans given */
	int behind_rows;             /* error after rows that were returned */
	uint64_t damaged;
	struct tl_message_map definitions;
	/* texts end with a NUL */
	struct tl_interner *names;
	struct tl_read_named named[TL_READ_NAMED_MAX]; /* by tid */
	struct tl_render *render;
	struct tl_text text;
	struct timeline_read_event event;
	/* The trees of a trace: */
	struct tl_node **roots;
	struct timeline_read_thread *threads;
	char **thread_texts;
	struct timeline_read_event node_event;
	struct timeline_read_event node_end;
};

/* Set the text of timeline_read_error(); returns rc. */
int tl_read_fail(int rc, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Report the faults that were found since the last call. */
void tl_read_report(struct timeline_reader *reader);

/* Open a further input; errors call the input name.  tl_read_begin starts to
 * read all inputs.  Both return 0, or -errno with the text of the error. */
int tl_read_add(struct timeline_reader *reader,
    const struct tl_source_from *from, const char *name);
int tl_read_begin(struct timeline_reader *reader);

/* The definition of a message of a source.  Returns 0, -ENOMEM or -ENOSPC. */
int
tl_read_define(struct timeline_reader *reader, const struct tl_message *message,
    size_t source, const struct timeline_read_definition **definition);

/* The origin of a source.  NULL: out of memory, which is set as the error. */
const struct timeline_read_origin *
tl_read_origin(struct timeline_reader *reader, size_t source);

/* The facts about a source.  NULL: out of memory. */
struct tl_read_about *
tl_read_about(struct timeline_reader *reader, size_t source);
void tl_read_free_about(struct timeline_reader *reader);

#define tl_read_flag(is_set, name) ((is_set) ? TIMELINE_READ_##name : 0U)
/* Fill a public event from ours.  Returns 0, -ENOMEM or -ENOSPC. */
int tl_read_fill(struct timeline_reader *reader, const struct tl_event *event,
    struct timeline_read_event *to);

/* Results of tl_read_advance: an event, or an event that ended *span. */
enum { TL_READ_EVENT = 1, TL_READ_PAIRED };
/* Read the next event.  Returns TL_READ_EVENT, TL_READ_PAIRED, 0 or -errno. */
int tl_read_advance(struct timeline_reader *reader, struct tl_event *event,
    struct tl_span *span);
/* Do the options select the event? */
bool
tl_read_passes(struct timeline_reader *reader, const struct tl_event *event);
/* Get one more result of next.  Waits for followed timelines and counts the
 * result. */
int tl_read_one(struct timeline_reader *reader,
    int (*next)(struct timeline_reader *reader));

/* Copy the reader's text as snprintf does, and empty the text.  Returns the
 * length of the text or -errno. */
int tl_read_copy(struct timeline_reader *reader, char *text, size_t size);

/* Free the roots that were made. */
void tl_read_free_roots(struct timeline_reader *reader);

#endif
