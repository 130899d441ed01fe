/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.h - save evidence: a thread that copies timelines to files, which
 * are whole or absent, and removes what need not be kept.
 *
 * NAME-20261121T195501.123456Z-REASON.tl or .tl.zst in the directory.
 */
#ifndef TL_DAEMON_SNAPSHOTS_H
#define TL_DAEMON_SNAPSHOTS_H

#include "daemon/config.h"

#include <ev.h>

struct tl_snapshots;

enum { TL_SNAPSHOTS_QUEUED_MAX = 256, TL_REASON_MAX = 64 };

/* What came of one; runs in the loop's thread. */
struct tl_snapshot_result {
	const char *timeline;
	const char *path; /* where it would be or is */
	const char *reason;
	int rc;           /* 0 or -errno */
	uint64_t size;    /* of the file, bytes */
	int64_t asked_ns; /* CLOCK_MONOTONIC */
	int64_t begun_ns; /* when the copy began */
	int64_t done_ns;
};
typedef void
tl_snapshot_done(void *context, const struct tl_snapshot_result *result);

struct tl_snapshots_status {
	uint64_t saved;
	uint64_t failed;
	uint64_t removed; /* because of keep */
	size_t queued;
	uint64_t bytes; /* that lie in the directory now */
	uint64_t files;
};

/* Starts the thread; removes half files that a daemon before us left. */
int tl_snapshots_new(struct tl_snapshots **snapshots, struct ev_loop *loop,
    const char *directory, struct tl_fault *fault);
/*
 * Queue one.  fd is that of the live file and is duplicated, so the timeline
 * may be closed or removed meanwhile.  done may be NULL.  0; -EBUSY when one of
 * this name waits already; -EAGAIN queue full.
 */
int tl_snapshots_take(struct tl_snapshots *snapshots, const char *timeline,
    int fd, const char *reason, const struct tl_config_snapshots *how,
    tl_snapshot_done *done, void *context);
/* done is never called with this context any more. */
void tl_snapshots_forget(struct tl_snapshots *snapshots, void *context);
void tl_snapshots_status(struct tl_snapshots *snapshots,
    struct tl_snapshots_status *status);
/* Finishes the one in hand, drops those that wait. */
void tl_snapshots_free(struct tl_snapshots *snapshots);

#endif
