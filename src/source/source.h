/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - one interface for everything that can be read: a live timeline, a
 * snapshot (compressed or not), a recorded trace (alone, in a zip, or many in a
 * stream), a stream from a server, and files of all foreign formats.
 *
 *	name --open--> kind of it --ops--> struct tl_source --cursor--> events
 *	 |                                   |
 *	 "/name", a path, "-",               + messages, lanes, knots, faults,
 *	 SCHEME://host/...                     origin
 *
 * Formats are detected by content.  The plan has the known formats: the formats
 * of format/formats.def, or only our own formats, which need neither the
 * readers nor the libraries of the other formats.  Each format names the
 * function of kinds.h that opens it.  The opener sets ops and state; nothing
 * else in the programs depends on the kind of a source.  tl_source_snap and
 * tl_source_trace return the parts that only one kind has (the lanes of a
 * snapshot, the tree of a recorded trace), or NULL for any other kind.
 *
 *	kind       file         state           reads
 *	timeline   timeline.c   struct tl_snap  in place, a frozen copy if live
 *	live       timeline.c   a follower      round by round
 *	trace      trace.c      struct tl_trace in place, through its index
 *	stream     trace.c      struct tl_chain blocks, as they are reached
 *	followed   trace.c      its faults      nothing: whoever follows reads
 *	foreign    foreign.c    the sorter      all of it when it is opened;
 *						only for trees: in place,
 *						through its index
 *	zip        packed.c     that of the recording in it
 *
 * Invariants: ops is NULL while a source is not open, and fault says why the
 * source could not be opened.  name, file and fault stay valid after
 * tl_source_close.  Damage is a fault of an open source, and everything around
 * the damage is read.
 *
 * A source and its cursors belong to one thread at a time.  The messages of its
 * events live as long as the source is open.
 *
 * Rejected: a struct with a pointer for each kind, which every user had to
 * distinguish; reading the events of foreign files lazily, because they are not
 * in order of time and the first cursor needs all of them.
 */
#ifndef TL_SOURCE_SOURCE_H
#define TL_SOURCE_SOURCE_H

#include "event/hosts/origin.h"
#include "event/merge.h"
#include "event/observe.h"
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
struct tl_trees;

/* The comment of a function that may be NULL gives the default. */
struct tl_source_ops {
	void (*close)(struct tl_source *source);
	/* Read the data that the first cursor needs.  Returns 0, or -errno with
	 * source->fault.  NULL: the source needs no loading. */
	int (*load)(struct tl_source *source, struct tl_progress *progress);

	/* Open a cursor of all events as they were logged, in order of time. */
	int (*cursor)(const struct tl_source *source, enum tl_order order,
	    struct tl_cursor **cursor);
	/* Set *ns to the time of the newest entry.  Returns 0, -ENODATA without
	 * entries, or -errno.  NULL: read a cursor. */
	int (*newest)(const struct tl_source *source, int64_t *ns);
	/* The number of entries, or an upper bound of the number.  NULL: the
	 * number is not known in advance, 0. */
	uint64_t (*entries)(const struct tl_source *source);

	/* The defined messages.  Like the next two, sets *list to an array and
	 * returns the number of its elements; NULL: there are none. */
	size_t (*messages)(const struct tl_source *source,
	    const struct tl_message *const **list);
	/* Diagnostics about the file; rc is 0 if it is not damaged.  Of more
	 * than TL_SNAP_FAULTS_MAX the first are in the list. */
	size_t (*faults)(const struct tl_source *source,
	    const struct tl_fault **list);
	/* The knots of the clock. */
	size_t (*knots)(const struct tl_source *source,
	    const struct timeline_knot **list);

	/* The lanes.  NULL: one lane, without losses. */
	size_t (*lane_count)(const struct tl_source *source);
	bool (*lane_is_cut)(const struct tl_source *source, size_t i);

	/* NULL: a file with faults is damaged. */
	bool (*is_damaged)(const struct tl_source *source);
	/* TIMELINE_CLOCK_...; NULL: unknown, 0. */
	unsigned (*clock_kind)(const struct tl_source *source);
	/* What is known of the first place of the source.  Returns 0 or -errno.
	 * NULL: the levels are guessed. */
	int (*observed)(const struct tl_source *source,
	    struct tl_observed_start *start);
	/* Returns true if time never runs backwards.  NULL: true. */
	bool (*is_steady)(const struct tl_source *source);

	/* Add the known facts about the origin of the events.  NULL: none are
	 * known. */
	void (
	    *origin)(const struct tl_source *source, struct tl_origin *origin);
	/* Like tl_reader.thread.  NULL: threads are unknown. */
	bool (*thread)(const struct tl_source *source, size_t i,
	    struct tl_reader_thread *thread);

	/* The number of further timelines in the file; NULL: none. */
	size_t (*others)(const struct tl_source *source);
	/* Open the next of the further timelines as a source of its own.  other
	 * is NULL when there is no room for a source: the timelines left out
	 * are reported.  Returns 0 or -ENOMEM. */
	int (*take_other)(struct tl_source *source, struct tl_source *other);

	/* NULL: the source is of another kind. */
	struct tl_snap *(*snap)(const struct tl_source *source);
	struct tl_trace *(*trace)(const struct tl_source *source);
	struct tl_trees *(*trees)(const struct tl_source *source);
};

struct tl_source {
	const struct tl_source_ops *ops; /* NULL: the source is not open */
	void *state;                     /* the state that ops work on */
	const char *format;              /* name of the format */
	const char *name;
	const char *file;      /* the file that the source is in */
	char *own_name;        /* owned name, if not the file's name */
	char *own_file;        /* owned path of a file beside another */
	mode_t withheld;       /* tl_file_withheld() of the file */
	bool foreign;          /* read by the reader of a foreign format */
	bool beside;           /* FILE.sched, opened because FILE was */
	struct tl_fault fault; /* the failure of opening or loading */
	size_t told;           /* faults reported so far, for the caller */
	struct tl_core *core;  /* has further timelines; NULL: no core */
	struct tl_host *host;  /* set by tl_hosts_find; NULL: unknown */
	/* Set by tl_repeats_find: later files of its recording are sources,
	 * too. */
	const struct tl_repeats_part *part;
};

/* How files are opened. */
struct tl_source_plan {
	/* NULL: only our own formats */
	const struct tl_source_formats *formats;
	const struct tl_source_format *format; /* NULL: detect the format */
	uint64_t tail; /* newest entries of each lane if live; 0: all */
	bool follow;   /* only sources that can grow */
	/* Only live timelines: entries as they are logged, instead of a copy;
	 * oldest first. */
	bool live;
	bool check;    /* find damage in parts that are not shown, too */
	bool kernel;   /* open FILE.sched beside FILE, too */
	bool readonly; /* write no index beside a trace */
	/* Only trees will be read: a foreign file with an index that fits is
	 * not read before a cursor is opened. */
	bool trees;
	bool little;       /* little memory: spill more to a file */
	size_t memory_max; /* limit of the nodes of a trace; 0: no limit */
	/* Called for each fault of a single trace when the fault is found, with
	 * the name of the source, whether or not there is room to keep the
	 * fault. */
	struct tl_source_report {
		void (*tell)(void *context, const char *name,
		    const struct tl_fault *fault);
		void *context; /* must outlive the source */
	} report;
	/* The request to servers; the hosts in the request apply to all
	 * sources.  NULL: everything. */
	const struct tl_remote_plan *remote;
	struct tl_progress *progress; /* NULL: show none */
};

/*
 * Open a path as in timeline_open, "-" for standard input, or SCHEME://... for
 * a remote stream.  A FIFO is read to its end; the FIFO may lack a writer for a
 * second.  With follow, a pipe or a remote stream is not read but left to
 * tl_chain_follow (trace/chain/chain.h).  On failure source->fault is set.
 */
void tl_source_open(struct tl_source *source, const char *path,
    const struct tl_source_plan *plan);

/* The input that a library is asked to open.  name must outlive the source. */
struct tl_source_from {
	const char *name;              /* a path, unless fd or memory is set */
	const int *fd;                 /* the caller keeps fd */
	const struct tl_bytes *memory; /* the caller keeps memory while open */
};
/* Open a path (no remote stream), a descriptor or memory.  With follow, a pipe
 * is refused.  On failure source->fault is set. */
void tl_source_open_from(struct tl_source *source,
    const struct tl_source_from *from, const struct tl_source_plan *plan);
/* Close a source.  name, own_name and fault stay valid. */
void tl_source_close(struct tl_source *source);
/* Close a source and free its names; afterwards all zeros. */
void tl_source_free(struct tl_source *source);

/* Make a source of a snapshot.  The source owns the snapshot. */
void tl_source_of_snap(struct tl_source *source, struct tl_snap *snap);

/* Was the source opened as a live timeline that has not been removed since?
 * All cursors of a live timeline share one position.  A cursor returns 0 while
 * no new entry was logged, and -EPIPE once after the removal of the
 * timeline. */
bool tl_source_is_live(const struct tl_source *source);

/* The name of a file without its folders. */
const char *tl_source_base_name(const char *path);

/* Is the source a stream that is followed, not read? */
bool tl_source_is_followed(const struct tl_source *source);
/* Add a fault to a followed stream. */
void
tl_source_add_fault(struct tl_source *source, const struct tl_fault *fault);

/* Can the events of the source be read? */
static inline bool
tl_source_is_open(const struct tl_source *source)
{
	return source->ops && source->ops->cursor;
}

/* hosts.h has tl_source_cursor and tl_source_newest, which correct times by
 * hosts. */

static inline uint64_t
tl_source_entries(const struct tl_source *source)
{
	return source->ops->entries ? source->ops->entries(source) : 0;
}

static inline size_t
tl_source_message_count(const struct tl_source *source)
{
	const struct tl_message *const *list;

	return source->ops->messages ? source->ops->messages(source, &list) : 0;
}

/* Do the definitions contain an event of the kernel's scheduler? */
bool tl_source_has_kernel(const struct tl_source *source);

/* The array of all messages; NULL if there are none. */
static inline const struct tl_message *const *
tl_source_messages(const struct tl_source *source)
{
	const struct tl_message *const *list = NULL;

	if (source->ops->messages)
		source->ops->messages(source, &list);
	return list;
}

static inline const struct tl_message *
tl_source_message(const struct tl_source *source, size_t i)
{
	return tl_source_messages(source)[i];
}

/* The lane of an event of the source. */
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

/* Had the lane entries before its first entry that is shown? */
static inline bool
tl_source_lane_is_cut(const struct tl_source *source, size_t i)
{
	return source->ops->lane_is_cut && source->ops->lane_is_cut(source, i);
}

/* Diagnostics about the source: their number, and the diagnostics that are
 * kept. */
size_t tl_source_fault_count(const struct tl_source *source);
size_t tl_source_faults_kept(const struct tl_source *source);
const struct tl_fault *
tl_source_fault(const struct tl_source *source, size_t i);
/* Is the source damaged, or could it not be opened? */
bool tl_source_is_damaged(const struct tl_source *source);

/* An unfinished file lacks its end because its writer did not reach the end;
 * everything before is whole. */
enum tl_source_state {
	TL_SOURCE_WHOLE,
	TL_SOURCE_UNFINISHED,
	TL_SOURCE_DAMAGED /* tl_source_is_damaged */
};
enum tl_source_state tl_source_state(const struct tl_source *source);

static inline size_t
tl_source_knot_count(const struct tl_source *source)
{
	const struct timeline_knot *list;

	return source->ops->knots ? source->ops->knots(source, &list) : 0;
}

static inline const struct timeline_knot *
tl_source_knot(const struct tl_source *source, size_t i)
{
	const struct timeline_knot *list;

	source->ops->knots(source, &list);
	return &list[i];
}

static inline unsigned
tl_source_clock_kind(const struct tl_source *source)
{
	return source->ops->clock_kind ? source->ops->clock_kind(source) : 0;
}

/* Set the state in which an observer of all events begins, oldest first.  0 or
 * -errno. */
int tl_source_observed(const struct tl_source *source,
    struct tl_observed_start *start);
/* Set the place from which no lane of any tier has overwritten entries.  0 or
 * -errno. */
int tl_source_complete(const struct tl_source *source,
    struct tl_observed_from *from);

static inline bool
tl_source_is_steady(const struct tl_source *source)
{
	return !source->ops || !source->ops->is_steady ||
	       source->ops->is_steady(source);
}

/* Set the origin of the events, as far as it is known. */
void tl_source_origin(const struct tl_source *source, struct tl_origin *origin);

static inline bool
tl_source_thread(const struct tl_source *source, size_t i,
    struct tl_reader_thread *thread)
{
	return source->ops->thread && source->ops->thread(source, i, thread);
}

/* The snapshot of the source.  NULL: the source is no timeline of ours. */
static inline struct tl_snap *
tl_source_snap(const struct tl_source *source)
{
	return source->ops && source->ops->snap ? source->ops->snap(source)
						: NULL;
}

/* The trace of the source.  NULL: the source is no recorded trace, or one of
 * several traces in a stream. */
static inline struct tl_trace *
tl_source_trace(const struct tl_source *source)
{
	return source->ops && source->ops->trace ? source->ops->trace(source)
						 : NULL;
}

/* The trees of the source, as it has them without reading its events.  NULL:
 * the source has none, or the plan did not ask for them. */
static inline struct tl_trees *
tl_source_trees(const struct tl_source *source)
{
	return source->ops && source->ops->trees ? source->ops->trees(source)
						 : NULL;
}

struct tl_trace_read_options;

/* Open a trace, for its trees, of the threads of a source, in their order, and
 * of events of the source, oldest first, whose ends have their begins
 * (tl_spans_cursor).  Takes events over, also on failure.  The trace is in
 * unnamed files, which vanish with the trace.  options: as for tl_trace_open;
 * progress NULL: none.  Returns 0 or -errno. */
int tl_tree_make(struct tl_trace **trace,
    const struct tl_trace_read_options *options, const struct tl_source *source,
    struct tl_cursor *events, struct tl_progress *progress);

#endif
