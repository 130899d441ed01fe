/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_keep.h - which snapshots stay, and which recorded traces.
 *
 * What is said of a timeline holds for the snapshots of each reason by
 * themselves: many of one reason never push out those of another.
 *
 * Only regular files that are named just as we name those of this timeline
 * are ever removed, the oldest first; the newest of a reason never is.  One of a time
 * that is still to come was made before the clock was set back: it is older
 * than all others, or what is made from then on would go at once.
 */
#ifndef TL_DAEMON_DISK_KEEP_H
#define TL_DAEMON_DISK_KEEP_H

#include "daemon/config/config.h"
#include "daemon/disk/names.h"

/* What lies in a folder: how it is named, and what lies beside it, and goes
 * with it, under a longer name (NULL: nothing). */
struct tl_kept_kind {
	bool (*parse)(struct tl_snapshot_name *parts, const char *name);
	const char *beside;
};
extern const struct tl_kept_kind tl_kept_snapshots;
extern const struct tl_kept_kind tl_kept_traces;

enum { TL_SNAPSHOTS_KEPT_MAX = 65536 }; /* of one timeline, looked at */

/*
 * Remove what need not be kept at this Unix time.  Sets how many were removed
 * and after how long the next one grows too old (INT64_MAX: none will).
 * directory is an open folder; busy is the name of the file that is written
 * just now: it stays, as the newest (NULL: none is).  0 or -errno.
 */
int tl_kept_apply(const struct tl_kept_kind *kind, int directory,
    const char *timeline, const char *busy, const struct tl_config_keep *keep,
    int64_t now_ns, uint64_t *removed, int64_t *next_ns);
static inline int
tl_snapshots_keep_apply(int directory, const char *timeline,
    const struct tl_config_keep *keep, int64_t now_ns, uint64_t *removed,
    int64_t *next_ns)
{
	return tl_kept_apply(&tl_kept_snapshots, directory, timeline, NULL,
	    keep, now_ns, removed, next_ns);
}

/* All snapshots in the folder, of whatever timeline, and what they occupy. */
int tl_snapshots_keep_count(int directory, uint64_t *files, uint64_t *bytes);

#endif
