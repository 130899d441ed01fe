/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.h - remove snapshots and recorded traces beyond the configured limits.
 *
 * `keep` applies to the snapshots of each reason separately: many snapshots of
 * one reason never displace snapshots of another reason.
 *
 * Only regular files with a name that we would make for this timeline are
 * removed, the oldest first; the newest file of a reason is never removed.  A
 * file of a future time was made before the clock was set back.  Such a file
 * counts as older than all other files; otherwise each new file would be
 * removed at once.
 */
#ifndef TL_DAEMON_DISK_KEEP_H
#define TL_DAEMON_DISK_KEEP_H

#include "daemon/config/config.h"
#include "daemon/disk/names.h"

/* A kind of files: the parser of names, and the suffixes of files beside them
 * that are removed with them. */
enum { TL_KEPT_BESIDE = 2 };
struct tl_kept_kind {
	bool (*parse)(struct tl_snapshot_name *parts, const char *name);
	const char *beside[TL_KEPT_BESIDE]; /* NULL: end of the list */
};
extern const struct tl_kept_kind tl_kept_snapshots;
extern const struct tl_kept_kind tl_kept_traces;

/* limit of files considered per timeline */
enum { TL_SNAPSHOTS_KEPT_MAX = 65536 };

/*
 * Remove the files of a timeline that exceed the limits at this Unix time.
 * Sets the number of removed files and the time in ns until the next file grows
 * too old (INT64_MAX: none).  directory is an open folder; busy is the name of
 * the file being written, which is kept as the newest (NULL: none).  Returns 0
 * or -errno.
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

/* Count all snapshots in the folder, of all timelines, and the bytes they
 * occupy.  Returns 0 or -errno. */
int tl_snapshots_keep_count(int directory, uint64_t *files, uint64_t *bytes);

#endif
