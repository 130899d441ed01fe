/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - record live timelines: their entries, as they come, become
 * traces on disk, before the rings overwrite them.
 *
 *	timeline --follow--> batches --ring--+
 *	   (the thread that reads)           +--> spans, streams --> file, file,
 *	timeline --follow--> batches --ring--+    (the thread that writes)
 *
 * Threads.  A crew is two threads, one that reads and one that writes; many
 * recordings may share a crew.  The reader must come back before a ring has
 * wrapped, so it never waits for the disk: it puts batches of events into a
 * bounded ring of its timeline (one thread puts, one takes, no lock).  The
 * writer takes batches, finds the stream of each thread, and appends blocks.
 * Processes that log are never delayed.
 *
 *	reader	tl_recorder_source_turn()	source.c
 *	writer	tl_recorder_write()		write.c, begin.c, threads.c
 *	any	status(), stop(), configure()
 *
 * Invariants.
 *	- If the disk is slower than the writers of a timeline, the rings fill
 *	  and the reader waits.  What the timeline overwrites meanwhile is
 *	  recorded as the exact number of missing entries; so are entries that
 *	  were read but could not be written.
 *	- Each file is a trace of its own.  When one file follows another, open
 *	  spans end in the old file as unfinished and begin in the new file with
 *	  the time and the arguments that they had; the INFO "continued" has
 *	  their number.  A span that was open across a loss is dropped, because
 *	  its end may be among the lost entries.
 *	- After a crash a file lacks what was not flushed, no more.
 *
 * Closing rounds.  Entries of fallback lanes become whole some time after
 * their ticket is taken.  tl_recorder_stop() therefore does not end a
 * recording at once: the reader makes rounds until every entry that was
 * logged before the stop is whole or is known to be lost, then one closing
 * round (tl_follow_finish()) counts what is left as missing, and the writer
 * ends the file.
 *
 * Rejected: one thread for both sides (a slow disk would then cost entries at
 * once); a lock per event; writing the ring's own bytes and sorting them
 * later (a crash would leave a file that no reader knows).
 */
#ifndef TL_TRACE_RECORD_RECORDER_H
#define TL_TRACE_RECORD_RECORDER_H

#include "base/fault.h"
#include "base/file.h"

#include <stdbool.h>

enum { TL_RECORDER_SOURCES_MAX = 64 };

struct tl_recorder;
struct tl_recorder_crew;

struct tl_recorder_options {
	/* Of a file with its index, by what was put into it, written or not: it
	 * ends with the event that reaches this.  Then come only what is
	 * missing and what it says of itself; spans that go on take no more
	 * than half of it.  0: no bound */
	uint64_t size_max;
	uint64_t age_ns;   /* largest age, since its first event; 0: no bound */
	uint64_t flush_ns; /* what a crash may take; 0: a second */
	uint64_t poll_ns;  /* how often idle timelines are read; 0: 10 ms */
	size_t block_size; /* of a thread; 0: 128 KiB */
	int compress;      /* zstd level, 0: plain */
	bool once;         /* one file, begun at once: the end of it is all */
	bool whole; /* a file that goes wrong is removed, all of it missing */
	const char *command; /* INFO "command" of the files; stays there */
	const char *host;    /* INFO "host"; NULL: that of the timeline */
};

/* The two files of a trace, new and empty, to append to; the paths are kept
 * for status, and to remove files that stayed empty. */
struct tl_recorder_files {
	int data;
	int index;
	char path[TL_PATH_MAX];
};

/* The content of a file. */
struct tl_recorder_content {
	uint64_t entries;   /* no losses, and no repeated begins */
	uint64_t lost;      /* that its losses stand for */
	int64_t from_ns;    /* the least time of both; more than to_ns: none */
	int64_t to_ns;      /* the greatest time */
	uint64_t data_size; /* written so far */
	uint64_t index_size;
};

/* What its owner does: in the thread that writes, or with once, what the start
 * needs, in that which starts. */
struct tl_recorder_host {
	/* Make the files of a trace that begins at this Unix time, and set
	 * all of *files: 0 or -errno, and it will be tried again. */
	int (
	    *begin)(void *context, int64_t ns, struct tl_recorder_files *files);
	/* Say more of the file, by tl_recorder_info: when it begins, content
	 * NULL, and once more before it ends.  0, or -errno and it has failed.
	 * May be NULL. */
	int (*describe)(void *context, struct tl_recorder *recorder,
	    const struct tl_recorder_content *content);
	/* The file is whole (0) or failed (-errno: what is in it stays, or with
	 * whole, or when that is nothing, it is removed next); it is still
	 * open.  May be NULL. */
	void (*ended)(void *context, struct tl_recorder *recorder,
	    const struct tl_recorder_files *files,
	    const struct tl_recorder_content *content, int rc);
	/* After each flush, and each file: time to tidy up.  May be NULL. */
	void (*rest)(void *context);
	/* The status has changed in a way worth a report: a file was begun
	 * or ended, writing failed or works again, all has ended.  NULL. */
	void (*changed)(void *context);
	void *context;
};

struct tl_recorder_status {
	uint64_t events; /* that were given to files; losses are none */
	uint64_t lost;   /* lost entries, as the files have them */
	uint64_t bytes;  /* written, of data and index */
	uint64_t files;  /* begun */
	uint64_t faults; /* files that could not be begun or went wrong */
	uint64_t queued; /* events that wait to be written */
	int rc;          /* why nothing is written; 0: it is */
	int source_rc;   /* why a timeline cannot be followed any more; 0 */
	bool done;       /* nothing more will be written */
	char path[TL_PATH_MAX]; /* of the file, or the last one; "": none */
};

/* 0, -ENOMEM. */
int tl_recorder_new(struct tl_recorder **recorder,
    const struct tl_recorder_options *options,
    const struct tl_recorder_host *host);
/*
 * Record this live timeline, too: before the start.  fd stays the caller's.
 * From now on, or with all it has had, and how much of that is overwritten.
 * -ENOSPC too many, -errno and the
 * fault has the reason.
 */
int tl_recorder_add(struct tl_recorder *recorder, const char *name, int fd,
    bool all, struct tl_fault *fault);
/* ... going on at these entries, by lane, as tl_recorder_positions told when
 * another recorder's file was whole: what was overwritten since is one loss of
 * each lane.  Besides, -ESTALE: they are of another timeline. */
int tl_recorder_add_at(struct tl_recorder *recorder, const char *name, int fd,
    const uint64_t *positions, size_t lane_count, struct tl_fault *fault);
/* By two threads of its own.  0 or -errno.  With once, the file was begun. */
int tl_recorder_start(struct tl_recorder *recorder);
/* By those of a crew.  What the owner does in the thread that writes holds up
 * all recordings of the crew. */
int tl_recorder_start_with(struct tl_recorder *recorder,
    struct tl_recorder_crew *crew);
/*
 * For describe and ended: where a source (by the order they were added in)
 * goes on after what is in the file, losses among it: the next entry of each
 * lane.  After a file that has failed, wait for one that is whole.  How many
 * lanes; *positions stays until the callback returns.
 */
size_t tl_recorder_positions(const struct tl_recorder *recorder, size_t source,
    const uint64_t **positions);
/* For describe: an INFO of the file.  0 or -errno. */
int tl_recorder_info(struct tl_recorder *recorder, const char *name,
    const char *value);
/* Other options from now on; those of blocks from the next file on. */
void tl_recorder_configure(struct tl_recorder *recorder,
    const struct tl_recorder_options *options);
/* Stop when the entries that were logged by now are recorded.  Returns at
 * once. */
void tl_recorder_stop(struct tl_recorder *recorder);
/* Any thread, any time. */
void tl_recorder_status(struct tl_recorder *recorder,
    struct tl_recorder_status *status);
/* Stops, and waits until the last file is whole: that is at once where the
 * status says done. */
void tl_recorder_finish(struct tl_recorder *recorder);
/* Finishes it, if that was not done.  NULL does nothing. */
void tl_recorder_free(struct tl_recorder *recorder);

/* Two threads, for any number of recordings.  0 or -errno. */
int tl_recorder_crew_new(struct tl_recorder_crew **crew);
/* No recording uses it any more.  NULL does nothing. */
void tl_recorder_crew_free(struct tl_recorder_crew *crew);

#endif
