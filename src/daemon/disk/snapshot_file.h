/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_file.h - files in the folder of snapshots that are whole or
 * absent.
 *
 * A file without a name (O_TMPFILE) gets one when it is on the disk; who dies
 * before leaves nothing.  Where the file system has no such files a temporary
 * name stands in, and the next daemon removes what is left of it.
 */
#ifndef TL_DAEMON_DISK_SNAPSHOT_FILE_H
#define TL_DAEMON_DISK_SNAPSHOT_FILE_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <timeline_layout.h>

enum { TL_TEMPORARY_MAX = 64 };

struct tl_snapshot_folder {
	int fd;
	bool nameless;    /* files can be made without a name */
	uint32_t counter; /* of temporary names; two threads take some */
};

struct tl_snapshot_file {
	int fd;                           /* -1: none */
	char temporary[TL_TEMPORARY_MAX]; /* empty: it has no name */
};

/* Made when it is absent, but not the folders above it.  Removes what dead
 * daemons left there. */
int tl_snapshot_folder_open(struct tl_snapshot_folder *folder, const char *path,
    struct tl_fault *fault);
void tl_snapshot_folder_close(struct tl_snapshot_folder *folder);

int tl_snapshot_file_open(struct tl_snapshot_file *file,
    struct tl_snapshot_folder *folder, mode_t mode);
/* To the disk, then under its name.  -EEXIST: the name is taken and the file
 * still open. */
int tl_snapshot_file_commit(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder, const char *name);
/* What was not committed is gone. */
void tl_snapshot_file_close(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder);

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
