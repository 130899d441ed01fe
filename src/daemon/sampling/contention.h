/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contention.h - for how long threads had to wait for a CPU.
 *
 * A burst opens when the scheduler lets the daemon run.  Where threads wait
 * for CPUs, the moment at which the daemon runs is not independent of what
 * the writers do, and rates seen in bursts are wrong by up to a few times.
 * Nothing in the log shows that, so the daemon measures contention and each
 * sampling burst carries the measure; readers estimate only where it was low.
 *
 * The measure is a counter of microseconds that only grows:
 *
 *	/proc/pressure/cpu	"some": time in which a thread waited, of the
 *				whole machine
 *	/proc/PID/schedstat	where the kernel has none: the run delay of
 *				the daemon and of processes that log
 */
#ifndef TL_DAEMON_SAMPLING_CONTENTION_H
#define TL_DAEMON_SAMPLING_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TL_CONTENTION_PIDS_MAX = 64 /* more writers are not measured */ };

struct tl_contention {
	int fd;           /* of pressure/cpu; -1: there is none */
	int proc_fd;      /* directory; -1: none either */
	unsigned kind;    /* TIMELINE_SAMPLE_* */
	uint64_t first;   /* pressure: at the start */
	uint64_t last;    /* pressure: as last read */
	uint64_t wait_ns; /* schedstat: of all processes, summed */
	struct tl_contention_pid {
		uint32_t pid; /* 0: the daemon */
		uint64_t wait_ns;
	} pids[TL_CONTENTION_PIDS_MAX];
	size_t pid_count;
};

/* proc is "/proc".  Never fails: without either measure kind is
 * TIMELINE_SAMPLE_UNMEASURED. */
void tl_contention_open(struct tl_contention *contention, const char *proc);
void tl_contention_close(struct tl_contention *contention);

/* Read the measure again where that is one cheap read (pressure). */
void tl_contention_read(struct tl_contention *contention);
/* Does it need tl_contention_read_pids a few times a second? */
bool tl_contention_wants_pids(const struct tl_contention *contention);
/* Add the run delay of these processes since the last time. */
void tl_contention_read_pids(struct tl_contention *contention,
    const uint32_t *pids, size_t count);

/* Microseconds since tl_contention_open. */
uint64_t tl_contention_us(const struct tl_contention *contention);
/* The fourth argument of a sampling burst. */
uint64_t tl_contention_sample(const struct tl_contention *contention);

#endif
