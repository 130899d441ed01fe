/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot_file.h - files in the snapshot directory that are complete or
 * absent, and the copy of a live timeline into such a file.
 *
 * A file is made without a name (O_TMPFILE) and gets its name when it is on the
 * disk; a daemon that dies before leaves nothing.  On a file system without
 * O_TMPFILE the file has a temporary name, and the next daemon removes leftover
 * files.
 *
 * A live timeline is copied in two steps.  freeze copies the timeline at full
 * speed, to memory or, if it is too large, to a nameless file in the folder;
 * freeze waits for neither disk nor zstd, so the writers do not overtake the
 * copy.  finish then compresses or copies the result to the file that stays.
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
	bool nameless;    /* the file system has O_TMPFILE */
	uint32_t counter; /* of temporary names, for two threads */
};

struct tl_snapshot_file {
	int fd;                           /* -1: no file */
	char temporary[TL_TEMPORARY_MAX]; /* empty: the file has no name */
};

/* Open the folder.  An absent folder is made, but not its parents.  Temporary
 * files of dead daemons are removed.  Returns 0, or -errno with a fault. */
int tl_snapshot_folder_open(struct tl_snapshot_folder *folder, const char *path,
    struct tl_fault *fault);
void tl_snapshot_folder_close(struct tl_snapshot_folder *folder);

int tl_snapshot_file_open(struct tl_snapshot_file *file,
    struct tl_snapshot_folder *folder, mode_t mode);
/* Sync the file, then give it its name.  Returns 0 or -errno.  On -EEXIST the
 * name is taken, and the file is still open. */
int tl_snapshot_file_commit(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder, const char *name);
/* Close the file; a file that was not committed is removed. */
void tl_snapshot_file_close(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder);

struct tl_snapshot_copy {
	int live;                        /* own descriptor of the live file */
	struct timeline_header geometry; /* header, checked */
	mode_t mode;                     /* of the final file */
	struct tl_snapshot_file file;
	bool in_memory;
	uint64_t left_out; /* entries overwritten during the copy */
};

/* Read and check the geometry of the live file.  Returns 0 or -errno, without a
 * fault. */
int tl_snapshot_copy_check(struct tl_snapshot_copy *copy);

/* Make the file that freeze copies to. */
int tl_snapshot_copy_prepare(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, bool in_memory);

/* Copy the live file, and close it. */
int tl_snapshot_copy_freeze(struct tl_snapshot_copy *copy);

/* Make the final file of the copy, compressed by zstd at this level (0: plain),
 * and set the number of bytes it takes. */
int tl_snapshot_copy_finish(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, int level, uint64_t *used);

void tl_snapshot_copy_close(struct tl_snapshot_copy *copy,
    const struct tl_snapshot_folder *folder);

/* == explain == */

/*
 * Explain the slow spans of a snapshot by a text beside it: SNAPSHOT.brief.txt.
 */

#define TL_EXPLANATION_SUFFIX ".brief.txt"

enum { TL_EXPLANATION_GLOB_MAX = 256 };

/* The spans of a snapshot to explain, and the limit from which a span is
 * slow. */
struct tl_snapshot_why {
	char glob[TL_EXPLANATION_GLOB_MAX]; /* empty: none */
	int64_t slower_ns;
};

/* Read the snapshot at path, which is in the folder, and write the text.  Any
 * thread may call the function.  Returns 0 or -errno. */
int tl_snapshot_explain(struct tl_snapshot_folder *folder, const char *path,
    const struct tl_snapshot_why *why, mode_t mode);

#endif
