/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - one interface for everything that can be read: a live timeline, a
 * snapshot (compressed or not), a recorded trace (alone, in a zip, or many of
 * them in a stream), a stream from a server, and files of all foreign formats.
 *
 *	name --open--> kind of it --ops--> struct tl_source --cursor--> events
 *	 |                                   |
 *	 "/name", a path, "-",               + messages, lanes, knots, faults,
 *	 SCHEME://host/...                     origin
 *
 * Formats are detected by content.  The plan has the formats that are known:
 * those of format/formats.def, or only our own, which need neither of the
 * readers and libraries of the others.  Each names the function that opens it,
 * one of kinds.h.  That function sets ops and state; nothing else in the
 * programs depends on the kind.  The parts that only one kind has (the lanes of
 * a snapshot, the tree of a recorded trace) are returned by tl_source_snap and
 * tl_source_trace, which return NULL for any other kind.
 *
 *	kind       file         state           reads
 *	timeline   timeline.c   struct tl_snap  in place, a frozen copy if live
 *	live       timeline.c   a follower      round by round
 *	trace      trace.c      struct tl_trace in place, through its index
 *	stream     trace.c      struct tl_chain blocks, as they are reached
 *	followed   trace.c      its faults      nothing: whoever follows reads
 *	foreign    foreign.c    the sorter      all of it when it is opened
 *	zip        packed.c     that of the recording in it
 *
 * Invariants: ops is NULL while a source is not open, and fault says why it
 * could not be opened.  name, file and fault stay valid after tl_source_close.
 * Damage is a fault of an open source, and everything around it is read.
 *
 * A source and its cursors belong to one thread at a time.  The messages of
 * its events live as long as the source is open.
 *
 * Rejected: a struct with a pointer for each kind, which every user had to
 * distinguish; reading foreign files lazily, as their events are not in order
 * of time and the first cursor needs all of them.
 */
#ifndef TL_SOURCE_SOURCE_H
#define TL_SOURCE_SOURCE_H

#include "event/hosts/origin.h"
#include "event/merge.h"
#include "event/reader.h"
#include "snap/snap.h"
#include "source/progress.h"
#include "source/remote.h"

#include <sys/stat.h>
#include <timeline_layout.h>

struct tl_host;
struct tl_source;
struct tl_source_format;
struct tl_source_formats;
struct tl_trace;

/* The comment of a function that may be NULL gives its default. */
struct tl_source_ops {
	void (*close)(struct tl_source *source);
	/* Read the data that the first cursor needs.  0, or -errno and
	 * source->fault.  NULL: nothing. */
	int (*load)(struct tl_source *source, struct tl_progress *progress);

	/* All events as they were logged, in order of time. */
	int (*cursor)(const struct tl_source *source, enum tl_order order,
	    struct tl_cursor **cursor);
	/* The time of the newest entry; -ENODATA: there is none.  NULL: a
	 * cursor is read. */
	int (*newest)(const struct tl_source *source, int64_t *ns);
	/* The number of entries, or more. */
	uint64_t (*entries)(const struct tl_source *source);

	/* The defined messages. */
	size_t (*message_count)(const struct tl_source *source);
	const struct tl_message *const *(*messages)(
	    const struct tl_source *source);

	/* NULL: there is one lane, without losses. */
	size_t (*lane_count)(const struct tl_source *source);
	bool (*lane_is_cut)(const struct tl_source *source, size_t i);

	/* Diagnostics about the file; rc is 0 if it is not damaged. */
	size_t (*fault_count)(const struct tl_source *source);
	const struct tl_fault *(
	    *fault)(const struct tl_source *source, size_t i);
	bool (*is_damaged)(const struct tl_source *source);

	/* NULL: nothing is known about the clock. */
	size_t (*knot_count)(const struct tl_source *source);
	const struct timeline_knot *(
	    *knot)(const struct tl_source *source, size_t i);
	/* TIMELINE_CLOCK_...; NULL: unknown, 0. */
	unsigned (*clock_kind)(const struct tl_source *source);
	/* Does time never run backwards?  NULL: it does not. */
	bool (*is_steady)(const struct tl_source *source);

	/* Add what is known about the origin of the events; NULL: nothing. */
	void (
	    *origin)(const struct tl_source *source, struct tl_origin *origin);
	/* As tl_reader.thread; NULL: threads are unknown. */
	bool (*thread)(const struct tl_source *source, size_t i,
	    struct tl_reader_thread *thread);

	/* The number of further timelines in the file; NULL: none. */
	size_t (*others)(const struct tl_source *source);
	/* Open the next of them as a source of its own.  other NULL: there is
	 * no room for them, which is reported.  0, -ENOMEM. */
	int (*take_other)(struct tl_source *source, struct tl_source *other);

	/* NULL: it is not such a file. */
	struct tl_snap *(*snap)(const struct tl_source *source);
	struct tl_trace *(*trace)(const struct tl_source *source);
};

struct tl_source {
	const struct tl_source_ops *ops; /* NULL: it is not open */
	void *state;                     /* what they work on */
	const char *format;              /* its name */
	const char *name;
	const char *file; /* that it is in */
	char *own_name;   /* where that is not the file's */
	char *own_file;   /* the path of a file that is beside another */
	mode_t withheld;  /* tl_file_withheld() of the file */
	bool foreign;     /* of another format, read by a reader of it */
	bool beside;      /* FILE.sched, which was opened because FILE was */
	struct tl_fault fault; /* of opening it, or since */
	size_t told;           /* for the caller: faults that were reported */
	struct tl_core *core;  /* has further timelines; NULL: it is none */
	struct tl_host *host;  /* among those of other sources; NULL: unknown */
};

/* How files are opened. */
struct tl_source_plan {
	const struct tl_source_formats *formats; /* NULL: our own alone */
	const struct tl_source_format *format;   /* NULL: detect it */
	uint64_t tail; /* newest entries of each lane of a live one; 0 all */
	bool follow;   /* only what can grow */
	bool live;     /* only live timelines: what is logged, as it comes, in
			* place of a copy; oldest first */
	bool check;    /* find damage also in parts that are not shown */
	bool kernel;   /* FILE.sched, too, where it lies beside FILE */
	bool readonly; /* write no index beside a trace */
	bool little;   /* in little memory: what does not fit is in a file */
	size_t memory_max; /* of the nodes of a trace; 0: no bound */
	/* Told of each fault of a single trace, by the name of its source, when
	 * it is found, whether or not there is room to keep it. */
	struct tl_source_report {
		void (*tell)(void *context, const char *name,
		    const struct tl_fault *fault);
		void *context; /* outlives the source */
	} report;
	/* What servers are asked for; its hosts are of all sources.  NULL:
	 * everything. */
	const struct tl_remote_plan *remote;
	struct tl_progress *progress; /* NULL: none is shown */
};

/*
 * Open a path as in timeline_open, "-" for standard input, or SCHEME://... for
 * a remote stream.  A FIFO is read to its end; it may be without a writer for
 * a second.  With follow, a pipe or a remote stream is not read but left to
 * tl_chain_follow (trace/chain/follow.h).  On failure source->fault is set.
 */
void tl_source_open(struct tl_source *source, const char *path,
    const struct tl_source_plan *plan);

/* What a library is asked to open.  name outlives the source. */
struct tl_source_from {
	const char *name; /* a path, unless one of the others is given */
	const int *fd;    /* it stays the caller's */
	const struct tl_bytes *memory; /* stays while the source is open */
};
/* The same of a path that is none of a remote stream, of a descriptor or of
 * memory.  With follow, a pipe is refused. */
void tl_source_open_from(struct tl_source *source,
    const struct tl_source_from *from, const struct tl_source_plan *plan);
/* name, own_name and fault stay. */
void tl_source_close(struct tl_source *source);
/* As it was before it was opened. */
void tl_source_free(struct tl_source *source);

/* Make a source of a snapshot, which is taken over. */
void tl_source_of_snap(struct tl_source *source, struct tl_snap *snap);

/* Was it opened as a live timeline, and is not removed since?  Its cursors are
 * all at one place; they return 0 where nothing new was logged, and -EPIPE once
 * when the timeline was removed. */
bool tl_source_is_live(const struct tl_source *source);

/* Is it a stream that is followed, not read? */
bool tl_source_is_followed(const struct tl_source *source);
/* Report something of a followed stream. */
void
tl_source_add_fault(struct tl_source *source, const struct tl_fault *fault);

/* Can its events be read? */
static inline bool
tl_source_is_open(const struct tl_source *source)
{
	return source->ops && source->ops->cursor;
}

/* tl_source_cursor and tl_source_newest, which know about hosts: hosts.h. */

static inline uint64_t
tl_source_entries(const struct tl_source *source)
{
	return source->ops->entries(source);
}

static inline size_t
tl_source_message_count(const struct tl_source *source)
{
	return source->ops->message_count(source);
}

/* Do the definitions contain an event of the kernel? */
bool tl_source_has_kernel(const struct tl_source *source);

/* An array of all messages; may be NULL if there is none. */
static inline const struct tl_message *const *
tl_source_messages(const struct tl_source *source)
{
	return source->ops->messages(source);
}

static inline const struct tl_message *
tl_source_message(const struct tl_source *source, size_t i)
{
	return source->ops->messages(source)[i];
}

/* The lane of an event of it. */
static inline size_t
tl_source_lane(const struct tl_source *source, const struct tl_event *event)
{
	return source->ops->lane_count ? event->lane : 0;
}

static inline size_t
tl_source_lane_count(const struct tl_source *source)
{
	return source->ops->lane_count ? source->ops->lane_count(source) : 1;
}

/* Had it entries before those that are shown? */
static inline bool
tl_source_lane_is_cut(const struct tl_source *source, size_t i)
{
	return source->ops->lane_is_cut && source->ops->lane_is_cut(source, i);
}

/* Diagnostics about it: how many in all, and those that are kept. */
size_t tl_source_fault_count(const struct tl_source *source);
size_t tl_source_faults_kept(const struct tl_source *source);
const struct tl_fault *
tl_source_fault(const struct tl_source *source, size_t i);
/* Was it damaged, or could it not be opened? */
bool tl_source_is_damaged(const struct tl_source *source);

/* Of a file that is unfinished its writer did not reach the end; everything
 * before that is whole. */
enum tl_source_state {
	TL_SOURCE_WHOLE,
	TL_SOURCE_UNFINISHED,
	TL_SOURCE_DAMAGED /* as tl_source_is_damaged */
};
enum tl_source_state tl_source_state(const struct tl_source *source);

static inline size_t
tl_source_knot_count(const struct tl_source *source)
{
	return source->ops->knot_count ? source->ops->knot_count(source) : 0;
}

static inline const struct timeline_knot *
tl_source_knot(const struct tl_source *source, size_t i)
{
	return source->ops->knot(source, i);
}

static inline unsigned
tl_source_clock_kind(const struct tl_source *source)
{
	return source->ops->clock_kind ? source->ops->clock_kind(source) : 0;
}

static inline bool
tl_source_is_steady(const struct tl_source *source)
{
	return !source->ops || !source->ops->is_steady ||
	       source->ops->is_steady(source);
}

/* Where its events come from, as far as that is known. */
void tl_source_origin(const struct tl_source *source, struct tl_origin *origin);

static inline bool
tl_source_thread(const struct tl_source *source, size_t i,
    struct tl_reader_thread *thread)
{
	return source->ops->thread && source->ops->thread(source, i, thread);
}

/* NULL: it is no file of ours. */
static inline struct tl_snap *
tl_source_snap(const struct tl_source *source)
{
	return source->ops && source->ops->snap ? source->ops->snap(source)
						: NULL;
}

/* NULL: it is no recorded trace, or one of several in a stream. */
static inline struct tl_trace *
tl_source_trace(const struct tl_source *source)
{
	return source->ops && source->ops->trace ? source->ops->trace(source)
						 : NULL;
}

#endif
