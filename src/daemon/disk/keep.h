/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.h - remove snapshots and recorded traces beyond the configured limits.
 *
 * `keep` applies to all files of a section: a file belongs to the first section
 * whose glob matches the timeline's name in the file's name, whether or not the
 * timeline still exists.  `keep` of snapshots applies to each reason
 * separately: many snapshots of one reason never displace snapshots of another
 * reason.  `keep` of a recording applies to the traces in the section's folder.
 *
 * Only regular files with a name that we would make are removed, the oldest
 * first.  A file of a future time was made before the clock was set back.  Such
 * a file counts as older than all other files; otherwise each new file would be
 * removed at once.
 */
#ifndef TL_DAEMON_DISK_KEEP_H
#define TL_DAEMON_DISK_KEEP_H

#include "daemon/config/config.h"
#include "daemon/disk/names.h"

/* A sweep of all folders of a configuration. */
struct tl_keep_sweep {
	const struct tl_config *config;
	int home;              /* the folder of snapshots, open */
	const char *home_path; /* its path in the configuration */
	int64_t now_ns;        /* Unix time */
	/* Is the file of this name being written?  Called once for each trace
	 * that was found.  Such a file is not removed, and only its bytes
	 * count.  NULL: no file is. */
	bool (*is_busy)(void *context, const char *name);
	void *context;
};

enum tl_kept { TL_KEPT_SNAPSHOT, TL_KEPT_TRACE, TL_KEPT_KINDS };

struct tl_keep_sums {
	uint64_t files; /* snapshots that stay, of all timelines */
	uint64_t bytes; /* that those occupy */
	uint64_t removed[TL_KEPT_KINDS];
};

/* Read each folder once, and remove the files that exceed the limits.  An
 * absent folder is empty.  Returns 0 or the first error, -errno; the other
 * folders and files are swept nevertheless. */
int tl_keep_sweep(const struct tl_keep_sweep *how, struct tl_keep_sums *sums);

#endif
