/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.h - what the thread that writes shares with those that ask.
 * Only recorder*.c include this.
 */
#ifndef TL_TRACE_RECORD_WORK_H
#define TL_TRACE_RECORD_WORK_H

#include "trace/record/crew.h"
#include "trace/record/file.h"
#include "trace/record/recorder.h"
#include "trace/record/source.h"
#include "trace/record/threads.h"

struct tl_recorder {
	struct tl_recorder_host host;
	struct tl_recorder_source *sources[TL_RECORDER_SOURCES_MAX];
	size_t source_count;
	struct tl_recorder_crew *crew; /* NULL: it was not started */
	bool owns_crew;
	bool finished;

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t done;  /* the status says so */
	bool awake;           /* there is more to write, or it is to end */
	bool stop;
	struct tl_recorder_options options;
	struct tl_recorder_status status;

	/* of the thread that writes */
	struct tl_recorder_options now; /* as it read them last */
	struct tl_recorder_file file;
	struct tl_recorder_threads threads;
	int64_t due_ns;     /* CLOCK_MONOTONIC, the next turn */
	int64_t begun_ns;   /* ... the file */
	int64_t flushed_ns; /* ... and when it was last flushed */
	int64_t retry_ns;   /* ... not before this; 0: nothing is wrong */
	uint64_t fresh;     /* events since the last flush */
	uint64_t written;   /* events that lie in the file */
	struct tl_recorder_content content; /* ... or are put into it */
	uint64_t events;                    /* of all files */
	uint64_t lost;  /* that the holes of all files tell of */
	uint64_t bytes; /* of files that have ended */
	bool over;      /* no other file */
	bool ended;     /* ... and nothing more to do */
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
