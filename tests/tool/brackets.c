/* SPDX-License-Identifier: Apache-2.0 */
/*
 * brackets.c - two threads of one CPU wake each other in turns.  Each of them
 * logs before it leaves the CPU and after it gets the CPU, so every switch of
 * the kernel lies between two entries.
 *
 *	brackets NAME ROUNDS
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <timeline.h>
#include <unistd.h>

static int to_other[2], to_first[2];
static struct timeline_event *has, *leaves;

static void
pin(void)
{
	const struct sched_param p = { .sched_priority = 10 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &cpus);
	(void)sched_setaffinity(0, sizeof(cpus), &cpus);
	(void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
}

/* Wait for a turn; false: there are no more turns. */
static int
wait_turn(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		return 0;
	timeline_log(has);
	return 1;
}

static int
give_turn(int fd)
{
	const char byte = 0;

	timeline_log(leaves);
	return write(fd, &byte, 1) == 1;
}

static void *
other(void *unused)
{
	pin();
	while (wait_turn(to_other[0]) && give_turn(to_first[1]))
		;
	return unused;
}

int
main(int argc, char **argv)
{
	const int rounds = argc > 2 ? atoi(argv[2]) : 0;
	struct timeline *tl;
	pthread_t thread;
	int line;

	if (rounds <= 0 || timeline_new(&tl, argv[1], NULL) != 0 ||
	    timeline_define(tl, "brackets", "info", "has the CPU", &has) != 0 ||
	    timeline_define(tl, "brackets", "info", "leaves it", &leaves) !=
		0 ||
	    pipe(to_other) != 0 || pipe(to_first) != 0 ||
	    pthread_create(&thread, NULL, other, NULL) != 0) {
		fprintf(stderr, "brackets NAME ROUNDS: %s\n", timeline_error());
		return 1;
	}
	pin();
	puts("ready");
	fflush(stdout);
	line = getchar(); /* the kernel is recorded by now */
	for (int i = 0; line != EOF && i < rounds; i++)
		if (!give_turn(to_other[1]) || !wait_turn(to_first[0]))
			return 1;
	close(to_other[1]);
	pthread_join(thread, NULL);
	timeline_close(tl);
	return 0;
}
