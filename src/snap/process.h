/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - the name, start and state of a process, read from /proc.
 */
#ifndef TL_SNAP_PROCESS_H
#define TL_SNAP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { TL_COMMAND_MAX = 64 };

struct tl_process {
	char command[TL_COMMAND_MAX]; /* escaped; "?": unknown */
	uint64_t start_ticks;         /* since boot; 0: unknown */
	int64_t start_ns;             /* Unix time; INT64_MIN: unknown */
	bool ended;                   /* ended, but not reaped */
	/* The status of an ended process, like wait(2).  0 is unknown, because
	 * the kernel also gives 0 to readers without the right. */
	int status;
	/* The process is in a pid namespace below ours and has another pid
	 * there: entries with this pid are not its own. */
	bool elsewhere;
};

/* PIDFD_GET_INFO of Linux 6.13.  Since 6.15 the kernel gives the exit status of
 * a reaped process.  Defined here because headers may be older. */
struct tl_pidfd_info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t pids[3];
	uint32_t ids[8];
	int32_t exit_code; /* like wait(2) */
};
#define TL_PIDFD_INFO_EXIT (UINT64_C(1) << 3)
#define TL_PIDFD_GET_INFO  _IOWR(0xff, 11, struct tl_pidfd_info)

/* Do the user and the groups of a process let it write a file, and is the pid
 * its own, not the pid of a process in a pid namespace below ours?  False if
 * /proc does not show the process. */
bool tl_process_may_write(uint32_t pid, const struct stat *file);

/* Set the members that /proc shows; other members stay unknown. */
void tl_process_inspect(struct tl_process *process, uint32_t pid);

#endif
