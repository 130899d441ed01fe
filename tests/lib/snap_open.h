/* SPDX-License-Identifier: Apache-2.0 */
/* snap_open.h - open the timeline at a path, not compressed. */
#ifndef TESTS_LIB_SNAP_OPEN_H
#define TESTS_LIB_SNAP_OPEN_H

#include "base/file.h"
#include "snap/snap.h"

#include <string.h>
#include <unistd.h>

static inline int
snap_open(struct tl_snap **snap, const char *path, uint64_t tail,
    struct tl_fault *fault)
{
	const int fd = tl_open_read(path);
	int rc;

	if (fd < 0)
		return tl_fail(fault, fd, "%s", strerror(-fd));
	rc = tl_snap_open_fd(snap, fd, tail, fault);
	close(fd);
	return rc;
}

#endif
