/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ship.c - how many entries a second timeline-ship brings into a stream with
 * three replicas without losing one, and what it costs who logs.
 *
 * The servers, the shipper and the writers share the CPUs of one machine.
 * SHIP_URL says where the servers are: tests/ship/with_cluster starts them.
 */
#include "bench.h"
#include "place.h"
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <timeline.h>
#include <unistd.h>

enum {
	STEPS = 8,
	STEP = 500000,
	ENTRIES = 4 << 20,
	ROUNDS = 21,
	CALLS = 200000
};

static const double GOAL = 1.5e6;

static char program[512], url[1024];
static const char *folder;
static double seconds;

/* What a run of the shipper said. */
struct answer {
	double entries;
	double lost;
	double left; /* blocks that are still to be sent */
	double size;
	double lasted_s;
};

static struct answer
run_shipper(const char *name)
{
	char command[2600], line[2048] = "";
	FILE *lines;

	snprintf(command, sizeof(command),
	    "%s run /%s --to %s --spool %s/spool --replicas 3 --for %.1fs "
	    "--linger 10s --json -q",
	    program, name, url, folder, seconds);
	lines = popen(command, "r");
	if (!lines || !fgets(line, sizeof(line), lines) || pclose(lines) != 0)
		bench_die(command, -EIO);
	snprintf(command, sizeof(command), "%s/spool", folder);
	place_take(command);
	return (struct answer){ bench_member(line, "\"entries\":"),
		bench_member(line, "\"lost\":"),
		bench_member(line, "\"blocks_waiting\":"),
		bench_member(line, "\"size_sent\":"),
		bench_member(line, "\"lasted_ns\":") / 1e9 };
}

static struct answer
offer(const char *name, double rate)
{
	const pid_t writer = fork();
	struct answer answer;

	if (writer == 0)
		subject_write(name, rate);
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	answer = run_shipper(name);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	return answer;
}

/* The greatest rate of which nothing was lost. */
static void
measure_rate(const char *name)
{
	struct bench_figure figure = { .name = "ship, three replicas",
		.unit = "entries/s",
		.kind = BENCH_AT_LEAST,
		.goal = GOAL,
		.count = 1 };

	for (int i = 1; i <= STEPS; i++) {
		const struct answer a = offer(name, i * (double)STEP);
		const double rate = a.entries / a.lasted_s;

		printf("# %.1f M/s offered: %.2f M/s kept by the cluster, "
		       "%.0f lost, %.0f blocks left, %.1f bytes each\n",
		    i * (double)STEP / 1e6, rate / 1e6, a.lost, a.left,
		    a.entries > 0 ? a.size / a.entries : 0);
		if (a.lost > 0 || a.left > 0)
			break;
		if (rate > figure.samples[0])
			figure.samples[0] = rate;
	}
	bench_print(&figure, NULL, NULL);
}

/* The shipper follows in the background. */
static pid_t
follow(const char *name)
{
	const pid_t shipper = fork();
	char path[64], spool[600];

	if (shipper != 0)
		return shipper;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	snprintf(path, sizeof(path), "/%s", name);
	snprintf(spool, sizeof(spool), "%s/follow", folder);
	execl(program, program, "run", path, "--to", url, "--spool", spool,
	    "-q", (char *)NULL);
	_exit(127);
}

/* Cycles of an append while nobody follows, and while the shipper does; by
 * turns, in rounds that share the state of the machine. */
static void
measure_cost(const char *name, struct subject *s)
{
	const struct bench_case append = { .name = "append",
		.body = subject_log4,
		.arg = s };
	struct bench_figure alone = { .name = "append, nobody follows",
		.unit = "cycles",
		.count = ROUNDS };
	struct bench_figure followed = { .name = "append, shipped meanwhile",
		.unit = "cycles",
		.kind = BENCH_RATIO_AT_MOST,
		.goal = 1.25,
		.count = ROUNDS };
	const struct timespec pause = { .tv_nsec = 50000000 };
	pid_t shipper;

	bench_pin(0);
	shipper = follow(name);
	nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		kill(shipper, SIGSTOP);
		alone.samples[i] = bench_cycles(&append, CALLS);
		kill(shipper, SIGCONT);
		nanosleep(&pause, NULL);
		followed.samples[i] = bench_cycles(&append, CALLS);
		nanosleep(&pause, NULL);
	}
	kill(shipper, SIGTERM);
	waitpid(shipper, NULL, 0);
	bench_print(&alone, NULL, NULL);
	bench_print(&followed, &alone, NULL);
}

int
main(int argc, char **argv)
{
	const struct timeline_options options = { .entries = ENTRIES };
	const char *slash = strrchr(argv[0], '/');
	char name[48];
	struct subject s;

	(void)argc;
	if (!getenv("SHIP_URL"))
		bench_die("SHIP_URL says where the servers are", -EDESTADDRREQ);
	bench_begin("ship");
	snprintf(program, sizeof(program), "%.*s/../bin/timeline-ship",
	    slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	snprintf(url, sizeof(url), "%s", getenv("SHIP_URL"));
	seconds = (double)bench_setting("BENCH_SECONDS", 3);
	folder = place_make();
	snprintf(name, sizeof(name), "bench-ship-%d", (int)getpid());
	subject_new(&s, name, &options);
	measure_rate(name);
	measure_cost(name, &s);
	subject_close(&s);
	return 0;
}
