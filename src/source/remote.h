/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - remote streams, named like nats://host/STREAM.  The program
 * timeline-ship reads the stream and writes it to a pipe.
 *
 *	nats://... --> timeline-ship read nats://... ==pipe==> stream of traces
 *
 * So only that program is linked with the libraries of servers.  It is run
 * without a shell, from TIMELINE_SHIP, else from the directory of the running
 * program, else from PATH.  It writes diagnostics to standard error.
 */
#ifndef TL_SOURCE_REMOTE_H
#define TL_SOURCE_REMOTE_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TL_REMOTE_HOSTS_MAX = 64 };

/* A request. */
struct tl_remote_plan {
	const char *const *hosts; /* globs, any of which may match; none: all */
	size_t host_count;
	int64_t since_ns; /* INT64_MIN: no bound */
	int64_t until_ns; /* INT64_MAX: no bound */
	bool follow;      /* wait for new entries */
};

struct tl_remote {
	pid_t pid;
	int fd; /* to read from */
};

/* Is it a remote name, SCHEME://...? */
bool tl_remote_is_name(const char *name);

/* Start timeline-ship.  0, or -errno and the fault. */
int tl_remote_open(struct tl_remote *remote, const char *name,
    const struct tl_remote_plan *plan, struct tl_fault *fault);

/* Stop.  early: terminate it first, which is no failure.  0; -EIO: it failed;
 * the fault. */
int
tl_remote_close(struct tl_remote *remote, bool early, struct tl_fault *fault);

#endif
