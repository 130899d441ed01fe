/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - the name, start and state of a process, from /proc.
 */
#ifndef TL_DAEMON_PROCESS_H
#define TL_DAEMON_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { TL_COMMAND_MAX = 64 };

struct tl_process {
	char command[TL_COMMAND_MAX]; /* escaped; "?" unknown */
	uint64_t start_ticks;         /* since boot; 0 unknown */
	int64_t start_ns;             /* Unix time; INT64_MIN unknown */
	bool ended;                   /* but not reaped */
	/* As of wait(2), of a process that has ended; 0: not known, because
	 * the kernel also gives 0 to readers without the right. */
	int status;
	/* It is in a pid namespace below ours and has another pid there:
	 * entries with this pid are not its own. */
	bool elsewhere;
};

/* PIDFD_GET_INFO of Linux 6.13; the exit status is there since 6.15, once the
 * process was reaped.  Defined here because headers may be older. */
struct tl_pidfd_info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t pids[3];
	uint32_t ids[8];
	int32_t exit_code; /* as of wait(2) */
};
#define TL_PIDFD_INFO_EXIT (UINT64_C(1) << 3)
#define TL_PIDFD_GET_INFO  _IOWR(0xff, 11, struct tl_pidfd_info)

/* Do the user and the groups of a process let it write a file, and is the pid
 * its own, not that of a process in a pid namespace below ours?  False where
 * /proc does not show it. */
bool tl_process_may_write(uint32_t pid, const struct stat *file);

/* Fill in what /proc shows; the rest stays unknown. */
void tl_process_inspect(struct tl_process *process, uint32_t pid);

#endif
