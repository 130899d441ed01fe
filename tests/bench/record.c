/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - how many entries a second timelinectl record takes from two
 * writing processes without losing one: offered in steps, on a timeline as it
 * is made and on a large one, plain and packed, to /dev/shm.
 *
 * Each writer logs its share of every millisecond, on a CPU of its own, which
 * it leaves to the recorder for the rest.
 */
#include "bench.h"
#include "place.h"
#include "subject.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <timeline.h>
#include <unistd.h>

enum { WRITERS = 2, STEPS = 6, STEP = 1000000, LARGE = 8 << 20 };

static const double GOAL = 3e6;

static char program[512];
static const char *folder;
static double seconds;

/* What a run of the recorder said. */
struct answer {
	double entries;
	double lost;
	double size;
	double lasted_s;
};

static void
write_share(const char *name, int writer, double rate)
{
	bench_pin(writer % bench_cpus());
	subject_write(name, rate);
}

static struct answer
run_recorder(const char *name, const char *option)
{
	char command[1200], line[1024] = "", path[600];
	struct answer answer;
	FILE *lines;

	snprintf(path, sizeof(path), "%s/a.trace", folder);
	snprintf(command, sizeof(command),
	    "%s record /%s -o %s --for %.1fs --json %s", program, name, path,
	    seconds, option);
	lines = popen(command, "r");
	if (!lines || !fgets(line, sizeof(line), lines) || pclose(lines) != 0)
		bench_die(command, -EIO);
	place_take(path);
	strcat(path, ".idx");
	place_take(path);
	answer = (struct answer){ bench_member(line, "\"entries\":"),
		bench_member(line, "\"lost\":"),
		bench_member(line, "\"size\":"),
		bench_member(line, "\"lasted_ns\":") / 1e9 };
	return answer;
}

/* Offer so many a second. */
static struct answer
offer(const char *name, double rate, const char *option)
{
	pid_t writers[WRITERS];
	struct answer answer;

	for (int i = 0; i < WRITERS; i++) {
		writers[i] = fork();
		if (writers[i] == 0)
			write_share(name, i, rate / WRITERS);
	}
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	answer = run_recorder(name, option);
	for (int i = 0; i < WRITERS; i++) {
		kill(writers[i], SIGKILL);
		waitpid(writers[i], NULL, 0);
	}
	return answer;
}

/* The greatest rate of which nothing was lost. */
static void
measure(const char *what, uint64_t entries, const char *option)
{
	const struct timeline_options options = { .entries = entries };
	struct bench_figure figure = { .name = what,
		.unit = "entries/s",
		.kind = option[0] ? BENCH_NO_GOAL : BENCH_AT_LEAST,
		.goal = GOAL,
		.count = 1 };
	char name[48];
	struct subject s;

	snprintf(name, sizeof(name), "bench-record-%d", (int)getpid());
	subject_new(&s, name, &options);
	for (int i = 1; i <= STEPS; i++) {
		const struct answer a = offer(name, i * (double)STEP, option);

		printf("# %s: %d M/s offered: %.2f M/s recorded, %.0f lost, "
		       "%.1f bytes each\n",
		    what, i, a.entries / a.lasted_s / 1e6, a.lost,
		    a.entries > 0 ? a.size / a.entries : 0);
		if (a.lost > 0)
			break;
		figure.samples[0] = a.entries / a.lasted_s;
	}
	bench_print(&figure, NULL, NULL);
	subject_close(&s);
}

int
main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');

	(void)argc;
	bench_begin("record");
	snprintf(program, sizeof(program), "%.*s/../bin/timelinectl",
	    slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	seconds = (double)bench_setting("BENCH_SECONDS", 3);
	folder = place_make();
	measure("record, default ring", 0, "");
	measure("record, 512 MiB ring", LARGE, "");
	measure("record, packed", 0, "--zstd");
	return 0;
}
