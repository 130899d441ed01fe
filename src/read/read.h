/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - libtimeline-read: the readers of this project behind a C API.
 *
 * A reader library exists for programs that are not ours, so its interface
 * (include/timeline_read.h) must not change when ours does.  It is a thin
 * skin over what the tools use: source/ and the rendering of event/.  Nothing
 * is recognised, opened or parsed here.
 *
 *	timeline_reader
 *	  sources ---> snap | live | trace | chains	(source/source.h)
 *	  cursor ----> tl_event ----> timeline_read_event
 *	  definitions: tl_message --> C strings, made when it is first seen
 *	  roots -----> tl_node of the trace, cast: its owner is the reader
 *
 * Invariants:
 * - A definition lives as long as its reader, so copies of public events do.
 *   It is made once for each message; of more messages than a map takes
 *   (TL_MESSAGE_MAP_MAX) the reader refuses the event instead of lending a
 *   string that dies early.
 * - A public node is a tl_node.  A wrapper for each would double the number
 *   of allocations of a lazy walk; the owner in each node costs 8 bytes.
 * - A reader has one scratch text, and is used by one thread at a time.  Only
 *   the text of the last failure is outside of readers: one for each thread.
 *
 * Rejected: an iterator that returns rendered lines (callers want numbers), a
 * callback for each event (two readers cannot be walked side by side), nodes
 * by number instead of by address (every access would search).
 */
#ifndef TL_READ_READ_H
#define TL_READ_READ_H

#include "event/filter.h"
#include "event/intern.h"
#include "event/message_map.h"
#include "event/names.h"
#include "event/render.h"
#include "event/spans.h"
#include "source/kinds.h"
#include "source/sources.h"
#include "trace/read.h"

#include <timeline.h>
#include <timeline_read.h>

/* A definition with its texts in one piece of memory. */
struct tl_read_definition {
	struct timeline_read_definition shown; /* first: what callers hold */
	struct timeline_reader *reader;
	const struct tl_message *message; /* NULL: that of losses of a source */
	size_t source;
	char text[];
};

static inline const struct tl_read_definition *
tl_read_defined(const struct timeline_read_definition *shown)
{
	return (const struct tl_read_definition *)(const void *)shown;
}

/* The names of a thread as C strings of the reader, good while those they come
 * from do not change. */
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
	struct timeline_read_origin shown; /* its texts are in the others */
	struct tl_origin known;
	char host[TL_HOST_NAME_MAX];
	char boot[TL_ORIGIN_BOOT_SIZE];
};

struct tl_read_timer; /* definitions.c */
struct tl_read_nests; /* spans.c: the spans within others */

/* What is known of a source once it was asked for; NULL: it was not. */
struct tl_read_about {
	struct tl_read_definition *loss;
	struct tl_read_origin *origin;
};

/*
 * What libtimeline-formats gives.  Each library has a copy of the code that both
 * need, and they share structs that no release keeps: so both are of one release,
 * and the hash tables of both have one seed.  Our own formats are opened by this
 * library.
 */
struct timeline_read_formats {
	struct tl_read_release {
		char version[16];
		uint32_t source; /* sizes of what is shared */
		uint32_t plan;
		uint32_t event;
		uint32_t message;
	} release;
	const struct tl_source_formats *known;
	uint64_t *seed; /* of its hash tables, tl_hash_seed_chosen */
};
#define TL_READ_RELEASE \
	{ \
		TIMELINE_VERSION, sizeof(struct tl_source), \
		    sizeof(struct tl_source_plan), sizeof(struct tl_event), \
		    sizeof(struct tl_message) \
	}

struct timeline_reader {
	struct timeline_read_options options;
	struct tl_source_formats formats; /* count 0: our own alone */
	struct tl_sources sources;
	struct tl_trace *trace;   /* the one source, if it is one; or made */
	struct tl_trace *made;    /* of a file of another format */
	struct tl_cursor *cursor; /* of all sources */
	/* What is asked for, events or spans; NULL: nothing was yet. */
	int (*given_by)(struct timeline_reader *reader);
	struct tl_hosts_plan offsets;
	struct tl_read_about *about; /* by number of the source */
	size_t about_count;
	struct tl_filter filter;
	const struct tl_message *filtered; /* the message last filtered */
	bool passes;                       /* the result for filtered */
	struct tl_spans *spans;
	struct tl_read_nests *nests;
	struct timeline_read_span span;
	struct timeline_read_event span_begin;
	struct timeline_read_event span_end;
	struct tl_read_timer *timer; /* asked for last */
	uint32_t open;               /* of tl_spans_open, after all events */
	uint64_t given;              /* events or spans */
	int behind_rows; /* an error after rows that were returned */
	uint64_t damaged;
	struct tl_message_map definitions;
	struct tl_interner *names;                     /* each with its NUL */
	struct tl_read_named named[TL_READ_NAMED_MAX]; /* by tid */
	struct tl_render *render;
	struct tl_text text;
	struct timeline_read_event event;
	/* of a trace */
	struct tl_node **roots;
	struct timeline_read_thread *threads;
	char **thread_texts;
	struct timeline_read_event node_event;
	struct timeline_read_event node_end;
};

/* Set the text of timeline_read_error(); returns rc. */
int tl_read_fail(int rc, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Report faults that were found since the last call. */
void tl_read_report(struct timeline_reader *reader);

/* Open one more input, which texts of errors call name; begin to read all of
 * them.  0 or -errno, with its text. */
int tl_read_add(struct timeline_reader *reader,
    const struct tl_source_from *from, const char *name);
int tl_read_begin(struct timeline_reader *reader);

/* The definition of a message of a source.  0, -ENOMEM, -ENOSPC. */
int
tl_read_define(struct timeline_reader *reader, const struct tl_message *message,
    size_t source, const struct timeline_read_definition **definition);

/* The origin of a source.  NULL: there is no memory, which is the error. */
const struct timeline_read_origin *
tl_read_origin(struct timeline_reader *reader, size_t source);

/* What is known of a source.  NULL: there is no memory. */
struct tl_read_about *
tl_read_about(struct timeline_reader *reader, size_t source);
void tl_read_free_about(struct timeline_reader *reader);

/* A public event from ours: 0, -ENOMEM, -ENOSPC. */
int tl_read_fill(struct timeline_reader *reader, const struct tl_event *event,
    struct timeline_read_event *to);

/* The next event and, where it ends one, its span. */
enum { TL_READ_EVENT = 1, TL_READ_PAIRED };
/* One of them, 0 or -errno. */
int tl_read_advance(struct timeline_reader *reader, struct tl_event *event,
    struct tl_span *span);
/* Do the options choose it? */
bool
tl_read_passes(struct timeline_reader *reader, const struct tl_event *event);
/* One more of what next gives, which waits and is counted. */
int tl_read_one(struct timeline_reader *reader,
    int (*next)(struct timeline_reader *reader));

void tl_read_nests_free(struct tl_read_nests *nests);

/* Copy what the text of a reader holds as snprintf does, and empty it. */
int tl_read_copy(struct timeline_reader *reader, char *text, size_t size);

/* Free what roots were made. */
void tl_read_free_roots(struct timeline_reader *reader);

#endif
