/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what /proc says of a process.
 */
#ifndef TL_DAEMON_PROCESS_H
#define TL_DAEMON_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

enum { TL_COMMAND_MAX = 64 };

struct tl_process {
	char command[TL_COMMAND_MAX]; /* escaped; "?" unknown */
	uint64_t start_ticks;         /* since boot; 0 unknown */
	int64_t start_ns;             /* Unix time; INT64_MIN unknown */
	bool ended;                   /* but not reaped */
	/* As of wait(2), of one that has ended; 0: it is not known, for the
	 * kernel gives 0 to those that may not ask, too. */
	int status;
	/* It lives in a pid namespace below ours and knows itself by another
	 * number: what was logged under this one is not its. */
	bool elsewhere;
};

/* What a descriptor of a process tells since Linux 6.13: how it ended, since
 * 6.15 and once it was reaped.  Headers of today do not have it yet. */
struct tl_pidfd_info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t pids[3];
	uint32_t ids[8];
	int32_t exit_code; /* as of wait(2) */
};
#define TL_PIDFD_INFO_EXIT (UINT64_C(1) << 3)
#define TL_PIDFD_GET_INFO  _IOWR(0xff, 11, struct tl_pidfd_info)

/* What is hidden from us stays unknown. */
void tl_process_inspect(struct tl_process *process, uint32_t pid);

#endif
