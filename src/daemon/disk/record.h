/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - record a timeline, as its section says, into a folder that keeps
 * what it is to keep.
 *
 * NAME-20261121T195501.123456Z.trace, its index beside it.
 */
#ifndef TL_DAEMON_DISK_RECORD_H
#define TL_DAEMON_DISK_RECORD_H

#include "daemon/daemon.h"
#include "trace/record/recorder.h"

struct tl_record;

struct tl_record_status {
	struct tl_recorder_status recorder;
	uint64_t removed; /* files, as keep says */
	int rc;           /* why nothing is recorded now; 0: it is */
};

/*
 * Record the live timeline of fd, which stays the caller's, from now on or
 * with all it still has.  A folder that is not there or full is no failure
 * here: it is said, and tried again.  0 or -errno, and why.
 */
int tl_record_new(struct tl_record **record, struct tl_daemon *daemon,
    const char *name, int fd, bool all, const struct tl_config_record *how,
    struct tl_fault *fault);
/* Another section; another folder from the next file on. */
int tl_record_configure(struct tl_record *record,
    const struct tl_config *config, const struct tl_config_record *how);
void
tl_record_status(struct tl_record *record, struct tl_record_status *status);
/* What was logged by now is written while the loop goes on; then it is freed.
 * NULL does nothing. */
void tl_record_end(struct tl_record *record);
/* Waits until the last file is whole.  NULL does nothing. */
void tl_record_free(struct tl_record *record);

#endif
