/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - record a timeline to files.
 *
 * NAME-20261121T195501.123456Z.trace, and its index, NAME-....trace.idx.
 *
 * trace/record reads the timeline and writes the file, in two threads that all
 * recordings share; record.c names the files and logs.
 *
 * On a full disk the file ends as a failed file: its blocks so far stay
 * readable.  The log has "NAME: cannot record: No space left on device" once,
 * and "NAME: can record again" when a file could be written again; opening a
 * file is tried again as entries come.  Entries that could not be written are
 * counted (timeline_record_lost_total), and their number is recorded as a loss
 * in the next file.  timeline_record_failing is 1 meanwhile.  The queue between
 * the two threads is bounded; when the queue is full the reading thread waits,
 * and the timeline overwrites: writers never wait.
 */
#ifndef TL_DAEMON_DISK_RECORD_H
#define TL_DAEMON_DISK_RECORD_H

#include "daemon/daemon.h"
#include "trace/record/recorder.h"

struct tl_record;

struct tl_record_status {
	struct tl_recorder_status recorder;
	int rc; /* why recording fails now; 0: it works */
	/* recorder.events, but entries that a file lost later stay counted */
	uint64_t entries_ever;
};

/*
 * Record the live timeline of fd from now on, or with all entries it still has.
 * The caller keeps fd.  An absent or full folder is not an error here: it is
 * logged, and tried again.  Returns 0, or -errno with a fault.
 */
int tl_record_new(struct tl_record **record, struct tl_daemon *daemon,
    const char *name, int fd, bool all, const struct tl_config_record *how,
    struct tl_fault *fault);
/* Apply another section.  Another folder is used from the next file on. */
int tl_record_configure(struct tl_record *record,
    const struct tl_config *config, const struct tl_config_record *how);
void
tl_record_status(struct tl_record *record, struct tl_record_status *status);
/* End a recording.  The entries logged until now are written while the loop
 * continues; then the recording is freed.  NULL does nothing. */
void tl_record_end(struct tl_record *record);
/* Wait until the last file is whole, and free the recording.  NULL does
 * nothing. */
void tl_record_free(struct tl_record *record);

#endif
