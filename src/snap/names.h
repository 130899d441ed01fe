/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the timelines of this machine, and one that was mistyped.
 */
#ifndef TL_SNAP_NAMES_H
#define TL_SNAP_NAMES_H

#include "base/fault.h"
#include "base/text.h"

#include <stdint.h>

/* Call found with each timeline in /dev/shm that may be read: its name with a
 * slash before it, and its descriptor, which is closed afterwards; in no order.
 * 0, the first of its results that is not 0, or -errno. */
int tl_names_each(int (*found)(void *context, const char *name, int fd),
    void *context);

/* No file has this name: -ENOENT and the fault "no such timeline", with the
 * nearest of /dev/shm; where the name is a path, "No such file or directory". */
int tl_names_missing(const char *name, struct tl_fault *fault);

/* A table of them for a terminal: name, size, level.  How many; -errno. */
int tl_names_put(struct tl_text *text);

#endif
