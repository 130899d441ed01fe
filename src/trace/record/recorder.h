/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - record live timelines: write their entries to traces on disk
 * before the rings overwrite them.
 *
 *	timeline --follow--> batches --ring--+
 *	   (the thread that reads)           +--> spans, streams --> file, file,
 *	timeline --follow--> batches --ring--+    (the thread that writes)
 *
 * Threads.  A crew is two threads, one that reads and one that writes.  Many
 * recordings may share a crew, or only its reader.  The reader must come back
 * before a ring has wrapped, so it never waits for the disk: it puts batches of
 * events into a bounded ring of its timeline (one thread puts, one takes, no
 * lock).  The writer takes batches, finds the stream of each thread, and
 * appends blocks.  Processes that log are never delayed.
 *
 *	reader	tl_recorder_source_turn()	source.c
 *	writer	tl_recorder_write()		write.c, begin.c, threads.c
 *	any	status(), stop(), configure()
 *
 * Invariants.
 *	- If the disk is slower than the writers of a timeline, the rings fill
 *	  and the reader waits.  Entries that the timeline overwrites meanwhile
 *	  are recorded as an exact number of missing entries; so are entries
 *	  that were read but could not be written.
 *	- Each file is a trace of its own.  The recorder pairs begins and ends by
 *	  what the timeline says of its levels, of which a file has only a part,
 *	  and each end says its begin: readers take the pair as said, in any
 *	  order and from any part of the files.
 *	- When one file follows another, open spans end in the old file as
 *	  unfinished and begin in the new file with their old time and arguments;
 *	  the INFO "continued" has their number.  A span does not go on if its
 *	  end may be among lost entries, if its observed interval has ended,
 *	  unless its end will be proven, or if its process has ended.
 *	- After a crash a file lacks only entries that were not flushed.
 *
 * Closing rounds.  Entries of fallback lanes become whole some time after their
 * ticket is taken.  tl_recorder_stop() therefore does not end a recording at
 * once: the reader makes rounds until every entry that was logged before the
 * stop is whole or is known to be lost, then one closing round
 * (tl_follow_finish()) counts the remaining entries as missing, and the writer
 * ends the file.
 *
 * Rejected: one thread for both sides (a slow disk would then cost entries at
 * once); a lock per event; writing the ring's own bytes and sorting them later
 * (a crash would leave a file that no reader knows).
 */
#ifndef TL_TRACE_RECORD_RECORDER_H
#define TL_TRACE_RECORD_RECORDER_H

#include "base/fault.h"
#include "base/file.h"
#include "base/ns.h"

#include <stdbool.h>
#include <sys/types.h>

enum { TL_RECORDER_SOURCES_MAX = 64 };

struct tl_recorder;
struct tl_recorder_crew;

#define TL_RECORDER_FLUSH_NS TL_NS_PER_S

struct tl_recorder_options {
	/* Largest size of a file with its index, including data that is not
	 * written yet.  The file ends with the event that reaches the size;
	 * only missing entries and INFOs follow this event.  Continued spans
	 * take at most half of the size.  0: no bound. */
	uint64_t size_max;
	/* largest age of a file, since its first event; 0: no bound */
	uint64_t age_ns;
	/* time between flushes, which a crash can lose; 0: one second */
	uint64_t flush_ns;
	uint64_t poll_ns; /* time between reads of idle timelines; 0: 10 ms */
	/* The time for which a few entries may wait to be read together.  This
	 * time is a part of flush_ns.  0: a fifth of flush_ns, at most 200
	 * ms. */
	uint64_t delay_ns;
	size_t block_size; /* of the stream of a thread; 0: 128 KiB */
	int compress;      /* zstd level, 0: plain */
	/* one file, begun at the start; the recording ends with the file */
	bool once;
	/* a failed file is removed, and all its entries are missing */
	bool whole;
	const char *command; /* INFO "command"; must outlive the recorder */
	const char *host;    /* INFO "host"; NULL: the host of the timeline */
};

/* The two files of a trace, new and empty.  The path is for the status, and for
 * removing files without events. */
struct tl_recorder_files {
	int data;
	int index;
	char path[TL_PATH_MAX];
};

/* Create the files NAME and NAME.idx in a folder, or neither, and set all of
 * *files but the path.  stale: an index whose trace is absent is replaced.  0;
 * -EEXIST: a file exists; -errno. */
int tl_recorder_files_make(struct tl_recorder_files *files, int folder,
    const char *name, mode_t mode, bool stale);

/* The content of a file. */
struct tl_recorder_content {
	uint64_t entries;   /* without losses and repeated begin events */
	uint64_t lost;      /* entries counted in the losses of the file */
	int64_t from_ns;    /* earliest time; greater than to_ns: no events */
	int64_t to_ns;      /* latest time */
	uint64_t data_size; /* written so far */
	uint64_t index_size;
};

/* The functions of the owner of a recording.  They are called in the writing
 * thread; with once, the calls during the start are made in the thread that
 * starts. */
struct tl_recorder_host {
	/* Create the files of a trace that begins at a Unix time, and set all
	 * of *files.  0; -errno: a later call tries again. */
	int (
	    *begin)(void *context, int64_t ns, struct tl_recorder_files *files);
	/* Add INFOs to the file with tl_recorder_info().  Called when the file
	 * begins, with content NULL, and before the file ends.  0; -errno: the
	 * file fails.  May be NULL. */
	int (*describe)(void *context, struct tl_recorder *recorder,
	    const struct tl_recorder_content *content);
	/* The file is complete (rc 0) or has failed (-errno), and is still
	 * open.  A failed file is kept, unless it has no events or whole is
	 * set; the file is then removed next.  May be NULL. */
	void (*ended)(void *context, struct tl_recorder *recorder,
	    const struct tl_recorder_files *files,
	    const struct tl_recorder_content *content, int rc);
	/* Clean up; called after each flush and each file.  May be NULL. */
	void (*rest)(void *context);
	/* The status has changed: a file was begun or ended, writing failed or
	 * works again, or the recording has ended.  May be NULL. */
	void (*changed)(void *context);
	void *context;
};

struct tl_recorder_status {
	uint64_t events; /* put into files, without losses */
	uint64_t lost;   /* counted in the losses of the files */
	uint64_t bytes;  /* of data and indexes, written */
	uint64_t files;  /* begun */
	uint64_t faults; /* files that could not be begun, or failed */
	uint64_t queued; /* events not yet put into a file */
	int rc;          /* the reason why writing fails; 0: it does not */
	/* the reason why a timeline can no longer be followed; 0: none */
	int source_rc;
	bool done;              /* nothing will be written any more */
	char path[TL_PATH_MAX]; /* of the current or last file; "": none */
};

/* Create a recorder.  0 or -ENOMEM. */
int tl_recorder_new(struct tl_recorder **recorder,
    const struct tl_recorder_options *options,
    const struct tl_recorder_host *host);
/*
 * Add a live timeline before the start.  fd stays the caller's.  Entries are
 * recorded from now on; all: from the first entry on, with the overwritten
 * entries as a loss.  0; -ENOSPC: too many timelines; -errno; with a fault.
 */
int tl_recorder_add(struct tl_recorder *recorder, const char *name, int fd,
    bool all, struct tl_fault *fault);
/* Add a live timeline from the given entry of each lane on, as
 * tl_recorder_positions() returned them when a file of another recorder was
 * complete.  Entries overwritten since are one loss of each lane.  As
 * tl_recorder_add(); -ESTALE: the positions belong to another timeline. */
int tl_recorder_add_at(struct tl_recorder *recorder, const char *name, int fd,
    const uint64_t *positions, size_t lane_count, struct tl_fault *fault);
/* Start with two threads of the recorder's own.  With once, the file has been
 * begun.  0 or -errno. */
int tl_recorder_start(struct tl_recorder *recorder);
/* Start with the threads of a crew.  The owner's functions in the writing
 * thread delay all recordings of the crew.  0 or -errno. */
int tl_recorder_start_with(struct tl_recorder *recorder,
    struct tl_recorder_crew *crew);
/*
 * For describe() and ended(): the number of the next entry in each lane of a
 * source after the entries and losses in the file.  Sources are numbered in the
 * order in which they were added.  After a failed file, use the positions of
 * the next complete file.  Returns the number of lanes; *positions is valid
 * until the callback returns.
 */
size_t tl_recorder_positions(const struct tl_recorder *recorder, size_t source,
    const uint64_t **positions);
/* For describe(): write an INFO.  0 or -errno. */
int tl_recorder_info(struct tl_recorder *recorder, const char *name,
    const char *value);
/* Change the options.  Options of blocks apply from the next file on. */
void tl_recorder_configure(struct tl_recorder *recorder,
    const struct tl_recorder_options *options);
/* Stop when all entries logged before this call have been recorded.  Returns at
 * once. */
void tl_recorder_stop(struct tl_recorder *recorder);
/* Get the status.  Any thread may call this function at any time. */
void tl_recorder_status(struct tl_recorder *recorder,
    struct tl_recorder_status *status);
/* Stop, and wait until the last file is complete; it is complete if the status
 * has done set. */
void tl_recorder_finish(struct tl_recorder *recorder);
/* Finish the recording if necessary, and free the recorder.  NULL does
 * nothing. */
void tl_recorder_free(struct tl_recorder *recorder);

/* Create a crew: two threads, for any number of recordings.  0 or -errno. */
int tl_recorder_crew_new(struct tl_recorder_crew **crew);
/* Create a crew that shares only the thread that reads.  Each recording has a
 * thread of its own that writes and that delays no other recording.  0 or
 * -errno. */
int tl_recorder_readers_new(struct tl_recorder_crew **crew);
/* Free a crew that no recording uses any more.  NULL does nothing. */
void tl_recorder_crew_free(struct tl_recorder_crew *crew);

#endif
