/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fresh.h - a new timeline at a place that a user named.
 */
#ifndef TL_FRONT_FRESH_H
#define TL_FRONT_FRESH_H

#include <timeline.h>

/*
 * As timeline_new, but path is always a file's ("name" lies in the current
 * directory: so these APIs name their files), and a timeline that lies there is
 * replaced when it is the caller's own.  Whatever else lies there stays: -EPERM
 * another user's, -EBADMSG no timeline.
 */
int tl_front_fresh(struct timeline **tl, const char *path,
    const struct timeline_options *options);

#endif
