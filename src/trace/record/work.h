/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - what the files of src/trace/record share (see recorder.h).
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
#include "snap/snap.h"
#include "trace/record/recorder.h"
#include "trace/write.h"

#include <ck_ring.h>
#include <limits.h>
#include <pthread.h>

enum {
	TL_BATCH_EVENTS = 1024,
	TL_BATCHES_MAX = 64, /* of a source, made as they are needed */
	TL_BATCH_RING = 128  /* a ring holds one less than its size */
};

struct tl_batch {
	uint32_t count;
	struct tl_event events[TL_BATCH_EVENTS];
};

/* One thread puts, one takes.  ThreadSanitizer does not see the memory order of
 * ck_ring, so two words repeat it: each is stored by one side with release and
 * loaded by the other with acquire. */
struct tl_batch_ring {
	uint32_t put;
	uint32_t taken;
	ck_ring_t ring;
	ck_ring_buffer_t slots[TL_BATCH_RING];
};

/* There is always room: a ring has more than there are batches. */
void tl_batch_ring_put(struct tl_batch_ring *ring, struct tl_batch *batch);
struct tl_batch *tl_batch_ring_take(struct tl_batch_ring *ring);

struct tl_recorder_source;

/* Texts of arguments, asked for by another thread than the one that reads. */
struct tl_recorder_strings {
	struct tl_strings strings; /* first: what messages point to */
	struct tl_recorder_source *source;
};

struct tl_recorder_source {
	char name[NAME_MAX + 2];
	int fd;
	uint16_t number;
	struct tl_cursor *cursor;
	uint64_t poll_ns;
	void (*wake)(void *context); /* the thread that writes */
	void *context;

	/* of the thread that reads */
	struct tl_batch *filling; /* NULL: none */
	int64_t due_ns;           /* CLOCK_MONOTONIC, the next round */
	bool fresh;               /* the next event begins a round */
	bool last; /* a stop came before this round: it is the last */
	/* Time of the first last round, since when incomplete entries are
	 * awaited; 0: not yet. */
	int64_t last_ns;
	bool finishing; /* the wait is over: they count as lost */
	bool over;      /* nothing is read any more */
	size_t batch_count;
	uint64_t round; /* events of this one so far */
	uint64_t pause_ns;
	struct tl_message_map messages; /* to copies that have own strings */
	pthread_mutex_t lock; /* of the cursor's strings, while it changes */
	const struct tl_strings *strings_of; /* those of the cursor */
	struct tl_recorder_strings strings;

	/* shared */
	uint32_t stop;    /* what was logged before is the last */
	uint32_t abandon; /* no thread takes any more */
	uint32_t ended;
	uint64_t queued;  /* events in full */
	uint32_t trouble; /* -errno of the last round; 0 */
	struct tl_batch_ring full;
	struct tl_batch_ring empty;

	/* of the thread that writes */
	struct tl_batch *batch; /* in hand */
	uint32_t at;
	uint64_t carry;    /* missing entries that are in no file yet */
	uint64_t losses;   /* losses so far */
	uint64_t knot_tsc; /* of the last knot in the file of now */
	uint32_t knot_epoch;
	uint64_t knots;      /* that it has */
	uint64_t *positions; /* next entry of each lane, after what was put */
	size_t lane_count;
	uint64_t put_entries; /* events put into the current file */
	uint64_t put_lost;    /* losses put into it */
};

/* Follow the timeline: 0 or -errno, and why. */
int tl_recorder_source_open(struct tl_recorder_source *source, const char *name,
    int fd, const struct tl_follow_start *start, struct tl_fault *fault);
int tl_recorder_source_start(struct tl_recorder_source *source);
/* Read what there is, if that is due, but bounded: when the next turn is. */
int64_t tl_recorder_source_turn(struct tl_recorder_source *source);
/* No thread has it any more. */
void tl_recorder_source_close(struct tl_recorder_source *source);

/* So many events of this stream, the next of it, are written. */
typedef void
tl_recorder_written(void *context, int32_t stream, uint32_t events);

struct tl_recorder_file {
	struct tl_recorder_files files;
	struct tl_trace_writer *writer; /* NULL: there is none */
	struct tl_trace_codec codec;
	uint64_t data_size;
	uint64_t index_size;
	bool begun; /* the header was written: seed is known */
	uint32_t seed;
	int rc; /* the first error of appending */
	tl_recorder_written *written;
	void *context;
};

/* Starts from files, written, context and all else 0.  Takes the descriptors
 * over, even when it fails.  0 or -errno. */
int tl_recorder_file_begin(struct tl_recorder_file *file, int64_t ns,
    const struct tl_recorder_options *options);
/* How large it would be if it ended now, with its index as far as written. */
uint64_t tl_recorder_file_size(const struct tl_recorder_file *file);
/* Write what waits and the end: 0 or -errno.  Free it in any case. */
int tl_recorder_file_finish(struct tl_recorder_file *file);
/* Without its end, if it has none.  Where nothing but a header is in it, it
 * is removed. */
void tl_recorder_file_free(struct tl_recorder_file *file, bool is_empty);

/* An INFO.  0 or -errno. */
int tl_recorder_file_info(struct tl_recorder_file *file, const char *name,
    const char *value);

enum { TL_COMM_MAX = 64 };

/* What the kernel calls a process (tid 0) or one of its threads: empty when
 * it is gone. */
struct tl_bytes
tl_recorder_comm(char name[TL_COMM_MAX], uint32_t pid, uint32_t tid);

struct tl_recorder_process {
	uint32_t pid;
	bool defined; /* in the file of now, if it has a name */
	uint8_t size; /* of the name; 0: not known */
	char name[TL_COMM_MAX];
};

/* Starts from all zeros. */
struct tl_recorder_processes {
	struct tl_table table; /* of the list, by pid */
	struct tl_recorder_process *list;
	size_t count;
	size_t capacity;
};

/* A thread of this process comes next: 0, -ENOMEM or the error of writing. */
int tl_recorder_processes_define(struct tl_recorder_processes *processes,
    struct tl_trace_writer *writer, uint32_t pid);
/* The file has ended. */
void tl_recorder_processes_leave(struct tl_recorder_processes *processes);
void tl_recorder_processes_free(struct tl_recorder_processes *processes);

enum {
	/* Spans of a thread that may go on in the next file. */
	TL_RECORDER_OPEN_MAX = 1024
};

struct tl_recorder_open {
	struct tl_event begin;
	uint64_t losses; /* of the source before it */
};

struct tl_recorder_thread {
	uint64_t who; /* pid and tid; 0: losses */
	uint16_t source;
	/* in the file of now */
	struct tl_trace_stream *stream; /* NULL: none yet */
	uint64_t put;                   /* events */
	/* of these, spans that began before: the first ones */
	uint64_t continued;
	uint64_t written;
	uint64_t *holes; /* sizes of the losses that are not written */
	size_t hole_count;
	size_t hole_capacity;
	/* from file to file */
	struct tl_recorder_open *open; /* outermost first */
	size_t open_count;
	size_t open_capacity;
	size_t skipped; /* open ones within, beyond the bound */
};

/* Starts from all zeros. */
struct tl_recorder_threads {
	struct tl_table table; /* of the list, by who and source */
	struct tl_recorder_thread **list;
	size_t count;
	size_t capacity;
	struct tl_recorder_thread *last;
	struct tl_recorder_thread **streams; /* by their number in the file */
	size_t stream_count;
	size_t stream_capacity;
	struct tl_recorder_processes processes;
};

/*
 * Put an event of a source that has seen so many holes into the file: 0, or
 * -errno and it was not put.  name is that of the source.
 */
int tl_recorder_threads_put(struct tl_recorder_threads *threads,
    struct tl_trace_writer *writer, const struct tl_event *event,
    uint64_t losses, const char *name);
/* So many more events of a stream lie in the file. */
void tl_recorder_threads_written(struct tl_recorder_threads *threads,
    int32_t stream, uint32_t events);
/* What of a source was put but is not written: entries, and how many more the
 * holes among it tell of. */
struct tl_recorder_missing {
	uint64_t entries;
	uint64_t holes;
};
struct tl_recorder_missing
tl_recorder_threads_missing(const struct tl_recorder_threads *threads,
    uint16_t source);
/*
 * The file has ended: nothing has a stream any more.  Spans without a future
 * are forgotten: those older than the last of losses[source], and those of
 * processes that are gone; then threads without any.
 */
void tl_recorder_threads_leave(struct tl_recorder_threads *threads,
    const uint64_t *losses);
/* Begin a new file with the spans that are open, until its data is so large,
 * and count them: 0 or -errno. */
int tl_recorder_threads_continue(struct tl_recorder_threads *threads,
    struct tl_trace_writer *writer, uint64_t size_max, uint64_t *count);
void tl_recorder_threads_free(struct tl_recorder_threads *threads);

enum tl_crew_side { TL_CREW_READER, TL_CREW_WRITER, TL_CREW_SIDES };

/* 0, -ENOMEM. */
int tl_recorder_crew_add(struct tl_recorder_crew *crew,
    struct tl_recorder *recorder);
void tl_recorder_crew_remove(struct tl_recorder_crew *crew,
    struct tl_recorder *recorder);

struct tl_recorder {
	struct tl_recorder_host host;
	struct tl_recorder_source *sources[TL_RECORDER_SOURCES_MAX];
	size_t source_count;
	struct tl_recorder_crew *crew; /* NULL: it was not started */
	bool owns_crew;
	bool finished;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t done;  /* as the status shows */
	bool awake;           /* there is more to write, or it is to end */
	bool stop;
	struct tl_recorder_options options;
	struct tl_recorder_status status;

	/* of the thread that writes */
	struct tl_recorder_options now; /* as it read them last */
	struct tl_recorder_file file;
	struct tl_recorder_threads threads;
	int64_t due_ns;     /* CLOCK_MONOTONIC, the next turn */
	int64_t begun_ns;   /* when the file was begun */
	int64_t flushed_ns; /* when the file was last flushed */
	int64_t retry_ns;   /* the next attempt after a failure; 0: none */
	uint64_t fresh;     /* events since the last flush */
	uint64_t written;   /* events that lie in the file */
	struct tl_recorder_content content; /* of the current file */
	uint64_t events;                    /* of all files */
	uint64_t lost;                      /* sum of the losses of all files */
	uint64_t bytes;                     /* of files that have ended */
	bool over;                          /* no other file */
	bool ended;                         /* all is written */
};

/* Begin a file: 0 or -errno, and the recording waits before it is tried
 * again. */
int tl_recorder_begin_file(struct tl_recorder *recorder);
/* End the one that is open, however that goes. */
void tl_recorder_end_file(struct tl_recorder *recorder);
/* It went wrong: what is not in it is missing. */
void tl_recorder_fail_file(struct tl_recorder *recorder, int rc);
/* Say what is missing of a source, before the event that comes next; NULL:
 * none has come.  0 or -errno. */
int tl_recorder_write_carried(struct tl_recorder *recorder,
    struct tl_recorder_source *source, const struct tl_event *next);
/* An event of a source was put into the file. */
void tl_recorder_count(struct tl_recorder *recorder,
    struct tl_recorder_source *source, const struct tl_event *event);
/* Write what waits: 0 or -errno, and the file has failed. */
int tl_recorder_flush_file(struct tl_recorder *recorder);
/* Tell the host. */
void tl_recorder_changed(struct tl_recorder *recorder);

/* A turn of a thread: what is due; when the next thing is, CLOCK_MONOTONIC. */
int64_t tl_recorder_read(struct tl_recorder *recorder);
int64_t tl_recorder_write(struct tl_recorder *recorder);

#endif
