/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm.h - list the timelines in /dev/shm, and report a name that does not
 * exist.
 */
#ifndef TL_SNAP_SHM_H
#define TL_SNAP_SHM_H

#include "base/fault.h"
#include "base/text.h"

/* Set the fault "no such timeline" with the nearest name in /dev/shm, or for a
 * path "No such file or directory".  Returns -ENOENT. */
int tl_shm_no_such(const char *name, struct tl_fault *fault);

/* Append a table of all timelines for a terminal: name, size, level.  Returns
 * their number, or -errno. */
int tl_shm_list(struct tl_text *text);

#endif
