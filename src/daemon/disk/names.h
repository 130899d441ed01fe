/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of snapshots and of recorded traces: make and parse.
 *
 *	NAME-20261121T195501.123456Z-REASON.tl[.zst]
 *	NAME-20261121T195501.123456Z.trace	(its index: .trace.idx)
 *
 * NAME is the timeline's name and may contain anything but a slash; REASON has
 * no dot, so that the last dot before the suffix is the dot of the seconds.
 */
#ifndef TL_DAEMON_DISK_NAMES_H
#define TL_DAEMON_DISK_NAMES_H

#include "daemon/config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons besides the names of triggers. */
#define TL_REASON_DEATH    "writer-died"
#define TL_REASON_REQUEST  "request"
#define TL_REASON_SCHEDULE "schedule"

#define TL_RECORD_INDEX_SUFFIX ".idx"

enum {
	TL_REASON_MAX = 64,
	TL_FILE_NAME_MAX = 256,      /* including the NUL */
	TL_SNAPSHOT_STAMP_SIZE = 23, /* characters of the time */
	/* limit of NAME, so that a name with a reason of one character fits */
	TL_SNAPSHOT_TIMELINE_MAX = 222,
	/* limit of NAME of a trace with an index */
	TL_RECORD_TIMELINE_MAX = 221
};

/* Make the reason for the name of a trigger: letters, digits, '_', and one '-'
 * for each run of other characters; never empty. */
void tl_snapshot_reason_make(char reason[TL_REASON_MAX + 1], const char *name);

/* Make the name of a snapshot.  ns is Unix time; the name has microseconds.
 * Characters that a reason may not contain become '_', and a long reason is
 * cut.  Returns 0, -EINVAL if the timeline's name is empty or has a slash, or
 * -ENAMETOOLONG. */
int tl_snapshot_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns, const char *reason, bool compressed);

struct tl_snapshot_name {
	size_t timeline_size;
	const char *stamp; /* order of text is order of time */
	int64_t ns;
	const char *reason; /* of a snapshot only */
	size_t reason_size; /* 0: a trace */
};

/* Parse the name of a snapshot.  Returns false if tl_snapshot_name_make could
 * not have made the name. */
bool tl_snapshot_name_parse(struct tl_snapshot_name *parts, const char *name);

/* Make and parse the name of a recorded trace, in the same way. */
int tl_record_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns);
bool tl_record_name_parse(struct tl_snapshot_name *parts, const char *name);

/* == keep == */

/*
 * Remove snapshots and recorded traces beyond the configured limits.
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
