/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stalls.c - spans with a planted stall of about 300 us, or US, the kinds in
 * turn:
 *
 *	stall of preemption	a busy loop of higher priority on the CPU
 *	stall of futex		held by another thread
 *	stall of sleep		nanosleep
 *	stall of memory		first touches of fresh memory; the thread runs
 *	stall of disk		64 KiB written and synced, without the page
 *				cache, because its copy costs more than a
 *				fast disk
 *
 *	stalls NAME ROUNDS FILE [CPU [US]]
 *
 * The worker has the last CPU, or the given one.  It is SCHED_FIFO if that is
 * allowed, so that other load does not take its CPU and its entries show what
 * was planted.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <timeline.h>
#include <unistd.h>

enum { STALL_US = 300, PAGES = 256, WRITTEN = 64 << 10, KINDS = 5 };

static int command; /* for the other thread; a futex */
static int held;
static int cpu;
static int64_t stall_ns;

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void
spin(int64_t ns)
{
	const int64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void
wait_while(int *word, int value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void
set(int *word, int value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void
be(int policy, int priority, int on)
{
	const struct sched_param p = { .sched_priority = priority };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(on, &cpus);
	(void)sched_setaffinity(0, sizeof(cpus), &cpus);
	if (pthread_setschedparam(pthread_self(), policy, &p) != 0)
		fputs("stalls: no real-time priority\n", stderr);
}

/*
 * Handle commands. 1: take the CPU of the worker; 2: hold the futex for a
 * while; 3: end.
 */
static void *
other(void *unused)
{
	be(SCHED_FIFO, 20, cpu);
	for (;;) {
		wait_while(&command, 0);
		switch (__atomic_load_n(&command, __ATOMIC_ACQUIRE)) {
		case 1:
			set(&command, 0);
			spin(stall_ns);
			break;
		case 2: {
			const struct timespec pause = { 0, stall_ns };

			set(&command, 0);
			nanosleep(&pause, NULL);
			set(&held, 0);
			break;
		}
		default:
			return unused;
		}
	}
}

static void
stall(int kind, int fd)
{
	_Alignas(4096) static char data[WRITTEN];
	const struct timespec pause = { 0, stall_ns };
	char *fresh;

	switch (kind) {
	case 0:
		set(&command, 1);
		break;
	case 1:
		__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
		set(&command, 2);
		wait_while(&held, 1);
		break;
	case 2:
		nanosleep(&pause, NULL);
		break;
	case 3:
		fresh = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (int i = 0; fresh != MAP_FAILED && i < PAGES; i++)
			fresh[i * 4096] = 1;
		munmap(fresh, PAGES * 4096);
		break;
	default:
		if (pwrite(fd, data, sizeof(data), 0) < 0 || fsync(fd) != 0)
			perror("stalls");
	}
}

int
main(int argc, char **argv)
{
	static const char *const texts[KINDS] = { "stall of preemption $round",
		"stall of futex $round", "stall of sleep $round",
		"stall of memory $round", "stall of disk $round" };
	struct timeline_event *spans[KINDS];
	struct timeline *tl;
	pthread_t thread;
	const int rounds = argc > 2 ? atoi(argv[2]) : 10;
	int fd, line;

	if (argc < 4 || timeline_new(&tl, argv[1], NULL) != 0) {
		fprintf(stderr, "stalls NAME ROUNDS FILE [CPU [US]]: %s\n",
		    timeline_error());
		return 1;
	}
	fd = open(argv[3], O_RDWR | O_CREAT | O_CLOEXEC | O_DIRECT, 0600);
	if (fd < 0) /* not every file system can do O_DIRECT */
		fd = open(argv[3], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return 1;
	for (int i = 0; i < KINDS; i++)
		timeline_define_span(tl, "stalls", "info", texts[i],
		    TIMELINE_THREAD, &spans[i]);
	cpu = argc > 4 ? atoi(argv[4]) : (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	stall_ns = (argc > 5 ? atoi(argv[5]) : STALL_US) * INT64_C(1000);
	pthread_create(&thread, NULL, other, NULL);
	be(SCHED_FIFO, 10, cpu);
	puts("ready");
	fflush(stdout);
	line = getchar(); /* the kernel is recorded by now */
	for (int round = 0; line != EOF && round < rounds; round++)
		for (int kind = 0; kind < KINDS; kind++) {
			timeline_begin(spans[kind], (uint64_t)round);
			stall(kind, fd);
			timeline_end(spans[kind]);
			spin(20000);
		}
	set(&command, 3);
	pthread_join(thread, NULL);
	timeline_close(tl);
	return 0;
}
