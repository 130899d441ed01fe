/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what /proc says of a process.
 */
#ifndef TL_DAEMON_PROCESS_H
#define TL_DAEMON_PROCESS_H

#include "daemon/writers.h"

#include <stdbool.h>

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

/* What is hidden from us stays unknown. */
void tl_process_look(struct tl_process *process, uint32_t pid);

#endif
