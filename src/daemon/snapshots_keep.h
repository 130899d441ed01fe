/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots_keep.h - which snapshots stay.
 *
 * Only regular files that are named just as we name those of this timeline
 * are ever removed, the oldest first; the newest one never is.
 */
#ifndef TL_DAEMON_SNAPSHOTS_KEEP_H
#define TL_DAEMON_SNAPSHOTS_KEEP_H

#include "daemon/config.h"

enum { TL_SNAPSHOTS_KEPT_MAX = 65536 }; /* of one timeline, looked at */

/*
 * Remove what need not be kept at this Unix time.  Sets how many were removed
 * and after how long the next one grows too old (INT64_MAX: none will).
 * directory is an open folder.  0 or -errno.
 */
int tl_snapshots_keep_apply(int directory, const char *timeline,
    const struct tl_config_keep *keep, int64_t now_ns, uint64_t *removed,
    int64_t *next_ns);

/* All snapshots in the folder, of whatever timeline, and what they occupy. */
int tl_snapshots_keep_count(int directory, uint64_t *files, uint64_t *bytes);

#endif
