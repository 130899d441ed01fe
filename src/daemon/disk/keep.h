/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.h - remove snapshots and recorded traces that need not be kept.
 *
 * `keep` applies to the snapshots of each reason separately: many of one reason
 * never displace those of another.
 *
 * Only regular files whose name is exactly one that we would make for this
 * timeline are removed, the oldest first; the newest of a reason never is.  A
 * file of a future time was made before the clock was set back.  It counts as
 * older than all others, or each new file would be removed at once.
 */
#ifndef TL_DAEMON_DISK_KEEP_H
#define TL_DAEMON_DISK_KEEP_H

#include "daemon/config/config.h"
#include "daemon/disk/names.h"

/* A kind of files: how names are parsed, and the suffixes of files beside them
 * that are removed with them. */
enum { TL_KEPT_BESIDE = 2 };
struct tl_kept_kind {
	bool (*parse)(struct tl_snapshot_name *parts, const char *name);
	const char *beside[TL_KEPT_BESIDE]; /* NULL: no more */
};
extern const struct tl_kept_kind tl_kept_snapshots;
extern const struct tl_kept_kind tl_kept_traces;

enum { TL_SNAPSHOTS_KEPT_MAX = 65536 }; /* of one timeline, considered */

/*
 * Remove files that need not be kept at this Unix time.  Sets how many were
 * removed and after how many ns the next one grows too old (INT64_MAX: none).
 * directory is an open folder; busy is the name of the file that is being
 * written: it is kept, as the newest (NULL: none).  0 or -errno.
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
