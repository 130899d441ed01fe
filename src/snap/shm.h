/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shm.h - tell timelines from other files, list the timelines in /dev/shm, and
 * report a name that does not exist.
 */
#ifndef TL_SNAP_SHM_H
#define TL_SNAP_SHM_H

#include "base/bytes.h"
#include "base/fault.h"
#include "base/text.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Are these the first bytes of a timeline?  Timelines of any version and byte
 * order count, compressed ones do not. */
bool tl_begins_timeline(struct tl_bytes first);
/* Is an open file a timeline, by its first bytes? */
bool tl_is_timeline(int fd);
/* May a file that cannot be read be a timeline, by its kind and size? */
bool tl_may_be_timeline(const struct stat *status);

/* Set the fault "no such timeline" with the nearest name in /dev/shm, or for a
 * path "No such file or directory".  Returns -ENOENT. */
int tl_shm_no_such(const char *name, struct tl_fault *fault);

/* Append a table of all timelines for a terminal: name, size, level.  Returns
 * their number, or -errno. */
int tl_shm_list(struct tl_text *text);

#endif
