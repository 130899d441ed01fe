/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - helpers for tests with several processes: children, shared
 * memory, unique names, and failures.
 */
#ifndef TESTS_LIB_PROCESS_H
#define TESTS_LIB_PROCESS_H

#include "ring/ring.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEST_SKIPPED = 77, TEST_NAME_MAX = 64 };

/* Report a failure, and end this process and its children. */
__attribute__((noreturn, format(printf, 1, 2))) static inline void
fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

__attribute__((noreturn)) static inline void
skip(const char *why)
{
	printf("%s\n", why);
	exit(TEST_SKIPPED);
}

#define expect(condition, ...) \
	do { \
		if (!(condition)) \
			fail(__VA_ARGS__); \
	} while (0)

/* Fail with the error text of the library unless the call returns 0. */
#define expect_ok(call) \
	do { \
		const int rc_ = (call); \
\
		expect(rc_ == 0, "%s: %d: %s", #call, rc_, timeline_error()); \
	} while (0)

static char test_name[TEST_NAME_MAX];
static pid_t test_owner;

static inline void
remove_test_name(void)
{
	if (getpid() == test_owner)
		timeline_remove(test_name);
}

/*
 * A name in /dev/shm, removed when this process ends.  A killed process with
 * the same pid may have left a file of this name, so remove the file first.
 */
static inline const char *
choose_test_name(const char *test)
{
	test_owner = getpid();
	snprintf(test_name, sizeof(test_name), "/test-%s-%d", test,
	    (int)test_owner);
	timeline_remove(test_name);
	atexit(remove_test_name);
	return test_name;
}

/* Zeroed memory that children share. */
static inline void *
share(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	expect(p != MAP_FAILED, "mmap: %m");
	return p;
}

static inline pid_t
spawn(void (*run)(void *), void *context)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	expect(pid >= 0, "fork: %m");
	if (pid == 0) {
		/* no child outlives a failure */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(context);
		fflush(stdout);
		_exit(0); /* without the exit handlers of the parent */
	}
	return pid;
}

/* Wait for a child; returns its status. */
static inline int
wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) != pid)
		expect(errno == EINTR, "waitpid: %m");
	return status;
}

static inline void
expect_success(pid_t pid)
{
	const int status = wait_for(pid);

	expect(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	    "child %d ended with status 0x%x", (int)pid, status);
}

/* The duration of a stress test: HAMMER_SECONDS, else this many
 * milliseconds. */
static inline uint64_t
storm_ns(uint64_t default_ms)
{
	const char *text = getenv("HAMMER_SECONDS");
	const double seconds = text ? atof(text) : 0;

	return seconds > 0 ? (uint64_t)(seconds * 1e9) : default_ms * 1000000;
}

static inline uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline void
sleep_ns(uint64_t ns)
{
	const struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

/*
 * The nth CPU that this process may use; n is taken modulo the number of CPUs.
 */
static inline int
nth_cpu(unsigned n)
{
	cpu_set_t set;
	unsigned count;

	expect(sched_getaffinity(0, sizeof(set), &set) == 0,
	    "sched_getaffinity: %m");
	count = (unsigned)CPU_COUNT(&set);
	n %= count ? count : 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && n-- == 0)
			return cpu;
	return 0;
}

/*
 * Pin a process (0: this process) to a CPU.  The process may have died: ESRCH
 * is no error.
 */
static inline void
pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) != 0)
		expect(errno == ESRCH, "sched_setaffinity: %m");
}

static inline struct timeline_head *
head_of(const struct timeline *tl, uint32_t lane)
{
	return (
	    struct timeline_head *)(void *)(tl->map +
					    timeline_head_offset(&tl->geometry,
						lane));
}

/*
 * True if threads here append to the lanes of their CPUs, where no entry is
 * dropped.
 */
static inline bool
has_cpu_lanes(const struct timeline *tl)
{
#ifdef TL_LOG_C
	(void)tl;
	return false;
#else
	return tl->use_rseq;
#endif
}

/* The number of entries appended or, in fallback lanes, attempted. */
static inline uint64_t
sum_of_heads(const struct timeline *tl)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++)
		sum += __atomic_load_n(&head_of(tl, i)->head, __ATOMIC_ACQUIRE);
	return sum;
}

static inline uint64_t
sum_of_drops(const struct timeline *tl)
{
	return tl->header->drops[TIMELINE_DROP_BUSY] +
	       tl->header->drops[TIMELINE_DROP_LAPPED] +
	       tl->header->drops[TIMELINE_DROP_RACED];
}

#endif
