/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm.h - the timelines in /dev/shm, and a name that none of them has.
 */
#ifndef TL_SNAP_SHM_H
#define TL_SNAP_SHM_H

#include "base/fault.h"
#include "base/text.h"

/* No file has this name: -ENOENT and the fault "no such timeline", with the
 * nearest of /dev/shm; where the name is a path, "No such file or
 * directory". */
int tl_shm_no_such(const char *name, struct tl_fault *fault);

/* A table of all for a terminal: name, size, level.  How many; -errno. */
int tl_shm_list(struct tl_text *text);

#endif
