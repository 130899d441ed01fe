/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.h - copy timelines to files, and remove old files.
 *
 * The files are NAME-20261121T195501.123456Z-REASON.tl or .tl.zst in the
 * directory.  If the timeline has a file NAME.sched of kernel events, that file
 * is copied right after the timeline and saved beside the snapshot, with the
 * suffix .sched, where timeline-dump finds it.  If the daemon itself keeps
 * these events, the copier first moves them from the kernel's buffer to
 * NAME.sched (kernel_events.h).
 *
 *	take --> waiting --> frozen --> done --> the loop
 *	          copier      saver
 *
 * The copier freezes a timeline as fast as memory allows, and starts at once.
 * The saver compresses, waits for the disk and sweeps the folders (keep.h),
 * also those of recordings.  Both threads block all signals and have the rights
 * of the thread that made them.
 *
 * On a full disk the write fails with ENOSPC in the saver: the file, which has
 * no name yet, is closed and thereby freed; the result carries -ENOSPC, which
 * target.c logs as "NAME: cannot save PATH: No space left on device" and counts
 * in timelined_snapshots_failed_total and timeline_snapshots_failed_total; then
 * keep is applied, which may free space.  A failed snapshot is not retried: by
 * then the entries it was for are overwritten.  Writers and the loop never
 * wait.  The copies that wait for the saver are bounded: 256 jobs, 128 MiB of
 * memory; a larger copy goes to a nameless file in the directory.
 */
#ifndef TL_DAEMON_DISK_SNAPSHOTS_H
#define TL_DAEMON_DISK_SNAPSHOTS_H

#include "daemon/config/config.h"
#include "daemon/disk/explain.h"
#include "daemon/disk/names.h"
#include "daemon/kernel_events.h"

#include <ev.h>

struct tl_snapshots;

enum { TL_SNAPSHOTS_QUEUED_MAX = 256 /* limit of jobs not done */ };

/* The result of a snapshot, passed to done in the thread of the loop. */
struct tl_snapshot_result {
	const char *timeline;
	const char *path; /* the file, or its intended path */
	const char *reason;
	int rc;            /* 0 or -errno */
	int why_rc;        /* likewise, of the explanation */
	int kernel_rc;     /* likewise, of the kernel's events */
	uint64_t used;     /* bytes of the file on the disk */
	uint64_t left_out; /* entries overwritten during the copy */
	int64_t asked_ns;  /* CLOCK_MONOTONIC */
	int64_t begun_ns;  /* start of the copy */
	int64_t done_ns;
};
typedef void
tl_snapshot_done(void *context, const struct tl_snapshot_result *result);

struct tl_snapshots_status {
	uint64_t saved;
	uint64_t failed;
	uint64_t removed;        /* because of keep */
	uint64_t traces_removed; /* likewise */
	size_t queued;           /* jobs not done */
	/* All snapshots in the directory, and their bytes on disk: counted by
	 * each sweep, and increased by each snapshot. */
	uint64_t bytes;
	uint64_t files;
};

/* Start the threads, and remove incomplete files of earlier daemons.  An absent
 * directory is made.  Returns 0, or -errno with a fault. */
int tl_snapshots_new(struct tl_snapshots **snapshots, struct ev_loop *loop,
    const char *directory, struct tl_fault *fault);
/* The files saved beside a snapshot; either may be NULL. */
struct tl_snapshot_beside {
	const struct tl_snapshot_why *why; /* explanation of the slow spans */
	/* The kernel's events, moved from the kernel's buffer after the
	 * copy. */
	struct tl_kernel_events *kernel;
};
/*
 * Queue a snapshot of the live file fd, which is duplicated, so that the
 * timeline may be closed or removed meanwhile.  A leading slash of the name is
 * skipped.  done may be NULL.  Returns 0, -EBUSY when a snapshot of this name
 * and reason waits already, -EAGAIN when the queue is full, -EINVAL or
 * -ENAMETOOLONG when the names make no name of a file, -EMFILE or -ENOMEM.
 */
int tl_snapshots_take(struct tl_snapshots *snapshots, const char *timeline,
    int fd, const char *reason, const struct tl_config_snapshots *how,
    const struct tl_snapshot_beside *beside, tl_snapshot_done *done,
    void *context);
/*
 * Apply keep of this configuration, which is held, from now on: sweep the
 * folders now, at most every two seconds when a file was begun or saved, and
 * otherwise every minute.
 */
void
tl_snapshots_keep(struct tl_snapshots *snapshots, struct tl_config *config);
/*
 * The trace of this name is about to be made, and is not being written any
 * more: meanwhile sweeps do not remove it.  The name must not change.  Any
 * thread may call.  Returns 0, -EEXIST if a trace of this name is being
 * written, or -ENOMEM.
 */
int tl_snapshots_trace_begun(struct tl_snapshots *snapshots, const char *name);
void tl_snapshots_trace_ended(struct tl_snapshots *snapshots, const char *name);
/* Make sure that done is not called with this context any more. */
void tl_snapshots_cancel(struct tl_snapshots *snapshots, void *context);
void tl_snapshots_status(struct tl_snapshots *snapshots,
    struct tl_snapshots_status *status);
/* Finish the snapshots that were copied, and drop the snapshots that wait. */
void tl_snapshots_free(struct tl_snapshots *snapshots);

#endif
