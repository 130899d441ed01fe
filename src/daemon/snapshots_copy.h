/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_copy.h - freeze a live file at full speed, and later make of the
 * copy the file that stays.
 *
 * The copy lies in memory, or in a nameless file of the folder where it is
 * too large for that: neither waits for a disk or for zstd, so the writers do
 * not overtake what is being saved.
 */
#ifndef TL_DAEMON_SNAPSHOTS_COPY_H
#define TL_DAEMON_SNAPSHOTS_COPY_H

#include "daemon/snapshots_file.h"

#include <timeline_layout.h>

struct tl_snapshot_copy {
	int live;                        /* a descriptor of its own */
	struct timeline_header geometry; /* as checked */
	mode_t mode;                     /* of the file that stays */
	struct tl_snapshot_file file;
	bool in_memory;
};

/* Read and check the geometry of the live file.  The fault of its layout is
 * dropped: 0 or -errno. */
int tl_snapshot_copy_check(struct tl_snapshot_copy *copy);

/* Make the file that is copied to. */
int tl_snapshot_copy_prepare(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, bool in_memory);

/* Copy.  The live file is no longer needed then. */
int tl_snapshot_copy_freeze(struct tl_snapshot_copy *copy);

/* Turn it into what is to be committed, at this level of zstd, 0: plain; and
 * say how large that is. */
int tl_snapshot_copy_finish(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, int level, uint64_t *size);

void tl_snapshot_copy_close(struct tl_snapshot_copy *copy,
    const struct tl_snapshot_folder *folder);

#endif
