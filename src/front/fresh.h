/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fresh.h - a new timeline at a place that a user named.
 */
#ifndef TL_FRONT_FRESH_H
#define TL_FRONT_FRESH_H

#include <timeline.h>

/*
 * Make a timeline as timeline_new does, but always in a file: "name" lies in
 * the current directory, because the older APIs name their files so.  A
 * timeline of the caller's user at the path is replaced; any other file stays.
 * Returns 0; -EPERM: the file belongs to another user; -EBADMSG: the file is no
 * timeline; -EINVAL: the path is too long; or an error of timeline_new.
 */
int tl_front_fresh(struct timeline **tl, const char *path,
    const struct timeline_options *options);

#endif
