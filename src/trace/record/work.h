/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - shared by the files of src/trace/record (see recorder.h).
 *
 *	source.c	a timeline that is followed: events in batches
 *	threads.c	the stream of each recorded thread, its open spans
 *	begin.c		begin and end a file
 *	write.c		batches into the file
 *	recorder.c	the API, and the crew: the two threads
 */
#ifndef TL_TRACE_RECORD_WORK_H
#define TL_TRACE_RECORD_WORK_H

#include "base/fault.h"
#include "base/table.h"
#include "event/cursor.h"
#include "event/message_map.h"
#include "event/observe.h"
#include "event/spans.h"
#include "snap/snap.h"
#include "trace/record/recorder.h"
#include "trace/write.h"

#include <ck_ring.h>
#include <limits.h>
#include <pthread.h>

enum {
	TL_BATCH_EVENTS = 1024,
	TL_BATCHES_MAX = 64, /* batches of a source, made when needed */
	TL_BATCH_RING = 128  /* a ring holds one less than its size */
};

struct tl_batch {
	uint32_t count;
	struct tl_event events[TL_BATCH_EVENTS];
};

/* A ring of batches: one thread puts, one takes.  ThreadSanitizer does not see
 * the memory order of ck_ring, so two words repeat it: each word is stored by
 * one side with release and loaded by the other side with acquire. */
struct tl_batch_ring {
	uint32_t put;
	uint32_t taken;
	ck_ring_t ring;
	ck_ring_buffer_t slots[TL_BATCH_RING];
};

/* Put a batch.  There is always room, because a ring has more slots than there
 * are batches. */
void tl_batch_ring_put(struct tl_batch_ring *ring, struct tl_batch *batch);
struct tl_batch *tl_batch_ring_take(struct tl_batch_ring *ring);

struct tl_recorder_source;

/* The texts of arguments, for threads other than the reading thread. */
struct tl_recorder_strings {
	struct tl_strings strings; /* first: what messages point to */
	struct tl_recorder_source *source;
};

struct tl_recorder_source {
	/* == what tl_recorder_source_rests() reads, in one cache line == */
	int64_t due_ns; /* when the next round is due, CLOCK_MONOTONIC */
	uint64_t pause_ns;
	uint64_t poll_ns;
	struct tl_cursor *cursor;
	uint32_t stop;    /* shared: entries logged later are not recorded */
	uint32_t abandon; /* shared: no thread takes batches any more */
	bool over;        /* nothing more is read */

	char name[NAME_MAX + 2];
	bool resumed; /* continues files of another recorder */
	int fd;
	uint16_t number;
	uint64_t delay_ns;
	void (*wake)(void *context); /* wakes the writing thread */
	void *context;

	/* == of the reading thread == */
	struct tl_batch *filling; /* NULL: none */
	bool fresh;               /* the next event begins a round */
	bool observed;            /* the observer has begun */
	bool last; /* a stop came before this round, which is the last */
	/* The end of the first last round, from which on incomplete entries are
	 * awaited.  0: not yet. */
	int64_t last_ns;
	bool finishing; /* the wait is over: incomplete entries count as lost */
	size_t batch_count;
	uint64_t round; /* events of this round so far */
	/* messages -> copies with strings of their own */
	struct tl_message_map messages;
	/* protects the strings of the cursor, while they change */
	pthread_mutex_t lock;
	const struct tl_strings *strings_of; /* of the cursor */
	struct tl_recorder_strings strings;

	/* == shared == */
	uint32_t ended;
	uint64_t queued;  /* number of events in full */
	uint32_t trouble; /* -errno of the last round, or 0 */
	struct tl_batch_ring full;
	struct tl_batch_ring empty;

	/* == of the writing thread == */
	struct tl_batch *batch; /* the current one */
	uint32_t at;
	/* number of missing entries that are not in a file yet */
	uint64_t carry;
	/* The account has had the event at `at`, which may be put again. */
	bool accounted;
	uint64_t begun; /* the event is the begin of the span with this id */
	/* the thread of the event or of the span that the event ended */
	uint32_t tid;
	uint64_t knot_tsc; /* of the last knot in the current file */
	uint32_t knot_epoch;
	uint64_t knots; /* number of knots in the current file */
	/* fed the changes of levels that were put; begun by the reading thread
	 * before the first batch */
	struct tl_observer observer;
	struct tl_observed_from newest; /* the latest place that was put */
	int64_t newest_ns;
	/* the next entry of each lane after the entries that were put */
	uint64_t *positions;
	size_t lane_count;
	uint64_t put_entries; /* events put into the current file */
	uint64_t put_lost; /* entries in the losses put into the current file */
};

/* Follow a timeline.  0; -errno and the fault. */
int tl_recorder_source_open(struct tl_recorder_source *source, const char *name,
    int fd, const struct tl_follow_start *start, struct tl_fault *fault);
int tl_recorder_source_start(struct tl_recorder_source *source);
/* Is there nothing to do for the timeline before its due_ns?  Reads almost no
 * memory. */
bool
tl_recorder_source_rests(struct tl_recorder_source *source, int64_t now_ns);
/* Read a bounded number of entries if a round is due.  Returns the time when
 * the next turn is due. */
int64_t tl_recorder_source_turn(struct tl_recorder_source *source);
/* Close the source when no thread uses it any more. */
void tl_recorder_source_close(struct tl_recorder_source *source);

/* The next `events` events of a stream have been written. */
typedef void
tl_recorder_written(void *context, int32_t stream, uint32_t events);

struct tl_recorder_file {
	struct tl_recorder_files files;
	struct tl_trace_writer *writer; /* NULL: there is none */
	struct tl_trace_codec codec;
	uint64_t data_size;
	uint64_t index_size;
	bool begun; /* the header has been written, and seed is known */
	uint32_t seed;
	int rc; /* first error of appending */
	tl_recorder_written *written;
	void *context;
};

/* Begin a file.  Set files, written and context, and all else to 0.  Takes the
 * descriptors over, even on failure.  0 or -errno. */
int tl_recorder_file_begin(struct tl_recorder_file *file, int64_t ns,
    const struct tl_recorder_options *options);
/* The size of the file if it ended now.  The index counts as far as it is
 * written. */
uint64_t tl_recorder_file_size(const struct tl_recorder_file *file);
/* Write the waiting data and the end of the file.  Free the file even on
 * failure.  0 or -errno. */
int tl_recorder_file_finish(struct tl_recorder_file *file);
/* Close the file without writing its end.  is_empty: remove the file. */
void tl_recorder_file_free(struct tl_recorder_file *file, bool is_empty);

/* Write an INFO.  0 or -errno. */
int tl_recorder_file_info(struct tl_recorder_file *file, const char *name,
    const char *value);

enum { TL_COMM_MAX = 64 };

/* The name of a process or a thread in a timeline.  Empty: no name. */
struct tl_bytes tl_recorder_source_comm(const struct tl_recorder_source *source,
    char name[TL_COMM_MAX], uint32_t pid, uint32_t tid);

struct tl_recorder_process {
	uint32_t pid;
	bool defined; /* in the current file, if it has a name */
	uint8_t size; /* of the name; 0: unknown */
	char name[TL_COMM_MAX];
};

/* Starts from all zeros. */
struct tl_recorder_processes {
	struct tl_table table; /* of the list, by pid */
	struct tl_recorder_process *list;
	size_t count;
	size_t capacity;
};

/* The places of the names of a source's threads. */
struct tl_recorder_place {
	struct tl_recorder_source *timeline; /* NULL: only /proc */
	/* in another PID namespace, whose ids in /proc differ */
	bool is_elsewhere;
};

/* Write the process of the next thread.  place NULL: the name is in /proc.  0,
 * -ENOMEM or an error of writing. */
int tl_recorder_processes_define(struct tl_recorder_processes *processes,
    struct tl_trace_writer *writer, uint32_t pid,
    const struct tl_recorder_place *place);
/* Call this function when a file has ended. */
void tl_recorder_processes_leave(struct tl_recorder_processes *processes);
void tl_recorder_processes_free(struct tl_recorder_processes *processes);

/* A thread in the current file or in the last. */
struct tl_recorder_thread {
	uint64_t who; /* pid and tid; 0: losses */
	uint16_t source;
	struct tl_trace_stream *stream; /* NULL: none yet */
	uint64_t put;                   /* events put */
	/* number of repeated begin events, which come first */
	uint64_t continued;
	uint64_t written;
	char name[TL_COMM_MAX];
	size_t name_size;
	uint64_t *holes; /* sizes of the losses that are not written yet */
	size_t hole_count;
	size_t hole_capacity;
	int64_t gone_ns; /* when the process was seen to have ended; 0: never */
};

/* Starts from all zeros. */
struct tl_recorder_threads {
	struct tl_table table; /* of the list, by pid, tid and source */
	struct tl_recorder_thread **list;
	size_t count;
	size_t capacity;
	struct tl_recorder_thread *last;
	struct tl_recorder_thread **streams; /* by number in the file */
	size_t stream_count;
	size_t stream_capacity;
	struct tl_recorder_processes processes;
	struct tl_spans *spans; /* of all files */
	struct tl_recorder_place
	    places[TL_RECORDER_SOURCES_MAX]; /* by source */
};

/* Find the span that the next event of a source ends, once, and set what the
 * event carries of its begin.  0 or -ENOMEM. */
int tl_recorder_threads_account(struct tl_recorder_threads *threads,
    struct tl_recorder_source *source, struct tl_event *event);
/* Put an event of a source into the file, in the stream of source->tid.  0;
 * -errno: the event was not put. */
int tl_recorder_threads_put(struct tl_recorder_threads *threads,
    struct tl_trace_writer *writer, const struct tl_recorder_source *source,
    const struct tl_event *event);
/* Write the names that have changed in the timelines.  0 or -errno. */
int tl_recorder_threads_rename(struct tl_recorder_threads *threads);
/* Note that `events` more events of a stream are in the file. */
void tl_recorder_threads_written(struct tl_recorder_threads *threads,
    int32_t stream, uint32_t events);
/* The entries of a source that were put but are not written, and the lost
 * entries in its losses that are not written. */
struct tl_recorder_missing {
	uint64_t entries;
	uint64_t holes;
};
struct tl_recorder_missing
tl_recorder_threads_missing(const struct tl_recorder_threads *threads,
    uint16_t source);
/* Take note that the file and all its streams have ended. */
void tl_recorder_threads_leave(struct tl_recorder_threads *threads);
/*
 * Begin a file with the open spans, until the data has size_max bytes: not with
 * those whose end may have been lost, whose observed interval has ended, unless
 * the end will be proven, or whose process has ended and all its entries have
 * come, nor with a begin that is put next.  *count is the number of spans.  0
 * or -errno.
 */
int tl_recorder_threads_continue(struct tl_recorder_threads *threads,
    struct tl_trace_writer *writer, uint64_t size_max, uint64_t *count);
void tl_recorder_threads_free(struct tl_recorder_threads *threads);

enum tl_crew_side { TL_CREW_READER, TL_CREW_WRITER, TL_CREW_SIDES };

struct tl_recorder {
	struct tl_recorder_host host;
	struct tl_recorder_source *sources[TL_RECORDER_SOURCES_MAX];
	size_t source_count;
	/* the crew that reads; NULL: not started */
	struct tl_recorder_crew *crew;
	/* the crew that writes: crew, or own */
	struct tl_recorder_crew *writers;
	struct tl_recorder_crew *own; /* freed at the end; NULL: none */
	bool finished;

	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t done;  /* signalled when status.done is set */
	bool awake; /* there is more to write, or the recording has to end */
	bool stop;
	struct tl_recorder_options options;
	struct tl_recorder_status status;

	/* == of the writing thread == */
	struct tl_recorder_options now; /* copy of the options */
	struct tl_recorder_file file;
	struct tl_recorder_threads threads;
	int64_t due_ns;     /* when the next turn is due, CLOCK_MONOTONIC */
	int64_t begun_ns;   /* when the file was begun */
	int64_t flushed_ns; /* when the file was last flushed */
	/* time of the next attempt after a failure; 0: none */
	int64_t retry_ns;
	uint64_t fresh;   /* number of events since the last flush */
	uint64_t written; /* events in the file */
	struct tl_recorder_content content; /* of the current file */
	uint64_t events;                    /* of all files */
	uint64_t lost;                      /* sum of the losses of all files */
	uint64_t bytes;                     /* of files that have ended */
	bool over;                          /* no further file will be begun */
	bool ended;                         /* everything is written */
};

/* Begin a file.  0; -errno: a later call tries again. */
int tl_recorder_begin_file(struct tl_recorder *recorder);
/* End the open file, even on failure. */
void tl_recorder_end_file(struct tl_recorder *recorder);
/* Leave a file that has failed.  Entries that are not in the file count as
 * missing. */
void tl_recorder_fail_file(struct tl_recorder *recorder, int rc);
/* Write the missing entries of a source before its next event; NULL: no event.
 * 0 or -errno. */
int tl_recorder_write_carried(struct tl_recorder *recorder,
    struct tl_recorder_source *source, const struct tl_event *next);
/* Count an event that has been put into the file. */
void tl_recorder_count(struct tl_recorder *recorder,
    struct tl_recorder_source *source, const struct tl_event *event);
/* Write waiting data.  0; -errno: the file has failed. */
int tl_recorder_flush_file(struct tl_recorder *recorder);
/* Call changed() of the host. */
void tl_recorder_changed(struct tl_recorder *recorder);

/* Take the turn of a thread: do the work that is due.  Returns the time when
 * work is due next, CLOCK_MONOTONIC. */
int64_t tl_recorder_read(struct tl_recorder *recorder);
/* Is there nothing to read before *due_ns?  *due_ns is not changed on false. */
bool tl_recorder_rests(struct tl_recorder *recorder, int64_t now_ns,
    int64_t *due_ns);
int64_t tl_recorder_write(struct tl_recorder *recorder);

#endif
