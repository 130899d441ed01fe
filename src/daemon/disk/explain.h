/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h - explain the slow spans of a snapshot by a text beside it:
 * SNAPSHOT.brief.txt.
 */
#ifndef TL_DAEMON_DISK_EXPLAIN_H
#define TL_DAEMON_DISK_EXPLAIN_H

#include "daemon/disk/snapshot_file.h"

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
