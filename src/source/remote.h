/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - remote streams, named like nats://host/STREAM.  The program
 * timeline-ship reads the stream and writes it to a pipe.
 *
 *	nats://... --> timeline-ship read nats://... ==pipe==> stream of traces
 *
 * So only timeline-ship is linked with the libraries of servers.  The program
 * is run without a shell: the path in TIMELINE_SHIP, or timeline-ship in the
 * directory of the running program, or in PATH.  timeline-ship writes
 * diagnostics to standard error.
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
	const char *const *hosts; /* globs; any may match; none: all hosts */
	size_t host_count;
	int64_t since_ns; /* INT64_MIN: no bound */
	int64_t until_ns; /* INT64_MAX: no bound */
	bool follow;      /* wait for new entries */
};

struct tl_remote {
	pid_t pid;
	int fd; /* output of timeline-ship */
};

/* Does the request name the machine?  An unknown machine counts as named. */
bool tl_remote_is_meant(const struct tl_remote_plan *plan, const char *machine);
/* Is name a remote name, SCHEME://...? */
bool tl_remote_is_name(const char *name);

/* Start timeline-ship.  Returns 0, or -errno with a fault. */
int tl_remote_open(struct tl_remote *remote, const char *name,
    const struct tl_remote_plan *plan, struct tl_fault *fault);

/* Wait for the end of timeline-ship.  early: terminate the program first, which
 * is no failure.  Returns 0, or -EIO with a fault if the program failed. */
int
tl_remote_close(struct tl_remote *remote, bool early, struct tl_fault *fault);

#endif
