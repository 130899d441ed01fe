/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_file.h - files in the snapshot directory that are complete or
 * absent, and how a live timeline becomes one.
 *
 * A file is made without a name (O_TMPFILE) and gets one when it is on the
 * disk; a daemon that dies before leaves nothing.  Where the file system has no
 * O_TMPFILE a temporary name is used, and the next daemon removes the rest.
 *
 * A live timeline is copied in two steps.  freeze copies it at full speed, to
 * memory or, if it is too large, to a nameless file in the folder; it waits for
 * neither disk nor zstd, so the writers do not overtake the copy.  finish then
 * compresses or copies it to the file that stays.
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

/* Created when it is absent, but not its parents.  Removes temporary files of
 * dead daemons. */
int tl_snapshot_folder_open(struct tl_snapshot_folder *folder, const char *path,
    struct tl_fault *fault);
void tl_snapshot_folder_close(struct tl_snapshot_folder *folder);

int tl_snapshot_file_open(struct tl_snapshot_file *file,
    struct tl_snapshot_folder *folder, mode_t mode);
/* Sync the file, then give it its name.  -EEXIST: the name is taken, and the
 * file is still open. */
int tl_snapshot_file_commit(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder, const char *name);
/* Close; a file that was not committed is removed. */
void tl_snapshot_file_close(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder);

struct tl_snapshot_copy {
	int live;                        /* a descriptor of its own */
	struct timeline_header geometry; /* as checked */
	mode_t mode;                     /* of the file that stays */
	struct tl_snapshot_file file;
	bool in_memory;
	uint64_t left_out; /* entries that were overwritten meanwhile */
};

/* Read and check the geometry of the live file.  The fault of its layout is
 * dropped: 0 or -errno. */
int tl_snapshot_copy_check(struct tl_snapshot_copy *copy);

/* Make the file that is copied to. */
int tl_snapshot_copy_prepare(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, bool in_memory);

/* Copy.  The live file is no longer needed then. */
int tl_snapshot_copy_freeze(struct tl_snapshot_copy *copy);

/* Turn the copy into the file to commit, compressed by zstd at this level (0:
 * plain), and set how many bytes it takes. */
int tl_snapshot_copy_finish(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, int level, uint64_t *used);

void tl_snapshot_copy_close(struct tl_snapshot_copy *copy,
    const struct tl_snapshot_folder *folder);

#endif
