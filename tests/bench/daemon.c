/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon.c - what timelined costs and how fast it is: the price of an append
 * with it following and without, its CPU while nothing happens, how many
 * entries a second it takes in with ten rules, and the time from the commit
 * of an entry to the begin of the snapshot that it triggers.
 *
 * The daemon is the built one, on the last CPU; the writer is on the first.
 * "Without" is the same daemon, stopped.
 */
#include "bench.h"
#include "subject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	IDLE_TIMELINES = 8,
	STEPS = 40, /* batches of a round */
	STEP_NS = 1000000,
	FIRES = 100,
	WAIT_MAX = 2000 /* times 5 ms for anything */
};

static const double GOAL_COST = 1.10;
static const double GOAL_IDLE = 0.5;
static const double GOAL_STREAM = 2e6;

static char folder[] = "/tmp/bench-daemon-XXXXXX";
static char program[512];
static pid_t daemon_pid;
static unsigned port;

static void
pause_ns(long ns)
{
	const struct timespec t = { .tv_nsec = ns };

	nanosleep(&t, NULL);
}

/* Wait for the line that says it is ready, and read its port. */
static void
wait_ready(int fd)
{
	FILE *lines = fdopen(fd, "r");
	char line[1024];
	const char *at;

	while (lines && fgets(line, sizeof(line), lines)) {
		at = strstr(line, " port ");
		if (strstr(line, ": ready") && at) {
			port = (unsigned)atoi(at + 6);
			return; /* it goes on to write there */
		}
		fputs(line, stderr);
	}
	bench_die("the daemon does not start", -ENOENT);
}

static void
run_daemon(int fd)
{
	char config[64];
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(bench_cpus() - 1, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(fd, STDERR_FILENO);
	snprintf(config, sizeof(config), "%s/conf", folder);
	execl(program, "timelined", "-c", config, (char *)NULL);
	_exit(127);
}

static void
start(const char *timelines)
{
	char path[64];
	int ends[2];
	FILE *config;

	snprintf(path, sizeof(path), "%s/conf", folder);
	config = fopen(path, "w");
	if (!config || pipe(ends) != 0)
		bench_die(path, -errno);
	fprintf(config,
	    "return { directory = \"%s/saved\", socket = \"%s/sock\",\n"
	    "listen = \"127.0.0.1:0\", timelines = { %s } }\n",
	    folder, folder, timelines);
	fclose(config);
	daemon_pid = fork();
	if (daemon_pid == 0)
		run_daemon(ends[1]);
	close(ends[1]);
	wait_ready(ends[0]);
}

static void
stop(void)
{
	kill(daemon_pid, SIGCONT);
	kill(daemon_pid, SIGTERM);
	waitpid(daemon_pid, NULL, 0);
}

/* The value of a metric, summed over its labels. */
static double
metric(const char *name)
{
	char command[256], line[1024];
	double sum = 0;
	FILE *lines;

	snprintf(command, sizeof(command),
	    "curl -s http://127.0.0.1:%u/metrics", port);
	lines = popen(command, "r");
	if (!lines)
		bench_die("curl", -errno);
	while (fgets(line, sizeof(line), lines)) {
		const size_t length = strlen(name);
		const char *value = strrchr(line, ' ');

		if (strncmp(line, name, length) == 0 && value &&
		    (line[length] == '{' || line[length] == ' '))
			sum += atof(value);
	}
	pclose(lines);
	return sum;
}

/* CPU seconds that the daemon has had: all its threads. */
static double
cpu_s(void)
{
	char path[300];
	DIR *tasks;
	const struct dirent *task;
	double sum = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)daemon_pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		unsigned long long ns = 0;
		FILE *stat;

		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/schedstat",
		    (int)daemon_pid, task->d_name);
		stat = task->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (stat && fscanf(stat, "%llu", &ns) == 1)
			sum += (double)ns / 1e9;
		if (stat)
			fclose(stat);
	}
	if (tasks)
		closedir(tasks);
	return sum;
}

/* Cycles an append, of STEPS batches of n with a pause between. */
static double
paced(struct subject *s, long n)
{
	uint64_t cycles = 0;

	for (int i = 0; i < STEPS; i++) {
		const uint64_t from = __rdtsc();

		subject_log4(s, n);
		cycles += __rdtsc() - from;
		pause_ns(STEP_NS);
	}
	return (double)cycles / (double)(STEPS * n);
}

static struct bench_figure canary = { .name = "bare rdtsc", .unit = "cycles" };
static struct bench_figure without = { .name = "append, daemon stopped",
	.unit = "cycles" };
static struct bench_figure with = { .name = "append, daemon following",
	.unit = "cycles",
	.kind = BENCH_RATIO_AT_MOST,
	.goal = GOAL_COST };

static void
measure_cost(struct subject *s, int rounds)
{
	uint8_t quiet[BENCH_ROUNDS_MAX];

	for (int i = 0; i < rounds; i++) {
		canary.samples[i] = bench_canary(100000);
		kill(daemon_pid, SIGSTOP);
		pause_ns(STEP_NS);
		without.samples[i] = paced(s, 2000);
		kill(daemon_pid, SIGCONT);
		pause_ns(20 * STEP_NS); /* it catches up */
		with.samples[i] = paced(s, 2000);
	}
	canary.count = without.count = with.count = rounds;
	printf("# about 2 million a second, %d of %d rounds are quiet\n",
	    bench_quiet(canary.samples, rounds, quiet), rounds);
	bench_print(&canary, NULL, quiet);
	bench_print(&without, NULL, quiet);
	bench_print(&with, &without, quiet);
}

/* Entries a second of the daemon's CPU time, and whether all were seen. */
static void
measure_stream(struct subject *s, double seconds)
{
	struct bench_figure f = { .name = "stream, ten rules, of one core",
		.unit = "entries/s",
		.count = 1,
		.kind = BENCH_AT_LEAST,
		.goal = GOAL_STREAM };
	const double lost = metric("timeline_stream_lost_total");
	const double seen = metric("timeline_stream_entries_total");
	const double cpu = cpu_s(), from = bench_now_s();
	const uint64_t sent = s->sent;
	double took;

	while (bench_now_s() - from < seconds) {
		const double began = bench_now_s();

		subject_log4(s, 2000);
		while (bench_now_s() - began < 0.001)
			continue;
	}
	took = bench_now_s() - from;
	pause_ns(300 * STEP_NS);
	f.samples[0] =
	    (metric("timeline_stream_entries_total") - seen) / (cpu_s() - cpu);
	printf("# logged %.2f million a second\n",
	    (double)(s->sent - sent) / took / 1e6);
	bench_print(&f, NULL, NULL);
	bench_print_fact("nothing skipped at that rate",
	    metric("timeline_stream_lost_total") == lost, "%.0f lost of %.0f",
	    metric("timeline_stream_lost_total") - lost,
	    (double)(s->sent - sent));
}

/* Nanoseconds after 1970 that the name of a snapshot says; 0: none. */
static int64_t
named_ns(const char *file)
{
	const char *at = strstr(file, "-20");
	struct tm tm = { 0 };
	long us = 0;

	if (!at || !strstr(file, ".tl") ||
	    sscanf(at, "-%4d%2d%2dT%2d%2d%2d.%6ldZ", &tm.tm_year, &tm.tm_mon,
		&tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us) != 7)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * 1000000000 + us * 1000;
}

/* Take the one snapshot that lies there; its time, or 0. */
static int64_t
take_snapshot(void)
{
	char path[400];
	const struct dirent *entry;
	int64_t ns = 0;
	DIR *saved;

	snprintf(path, sizeof(path), "%s/saved", folder);
	saved = opendir(path);
	while (saved && ns == 0 && (entry = readdir(saved))) {
		ns = named_ns(entry->d_name);
		snprintf(path, sizeof(path), "%s/saved/%s", folder,
		    entry->d_name);
		if (ns != 0)
			unlink(path);
	}
	if (saved)
		closedir(saved);
	return ns;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void
measure_trigger(struct subject *s)
{
	struct bench_figure f = { .name = "trigger to snapshot begun",
		.unit = "ms",
		.count = FIRES };
	struct timeline_event *error;
	struct timespec t;
	int64_t saved;

	if (timeline_define(s->tl, "bench", "error", "went wrong $n", &error))
		bench_die("define", -EIO);
	for (int i = 0; i < FIRES; i++) {
		pause_ns(7 * STEP_NS + i * 100000);
		clock_gettime(CLOCK_REALTIME, &t);
		timeline_log(error, i);
		saved = 0;
		for (int w = 0; w < WAIT_MAX && saved == 0; w++) {
			pause_ns(5 * STEP_NS);
			saved = take_snapshot();
		}
		f.samples[i] = (double)(saved - (int64_t)t.tv_sec * 1000000000 -
					t.tv_nsec) /
			       1e6;
	}
	s->sent += FIRES;
	bench_print(&f, NULL, NULL);
	qsort(f.samples, FIRES, sizeof(double), compare);
	printf("# trigger to snapshot begun: p50 %.3f ms, p99 %.3f ms, most "
	       "%.3f ms\n",
	    f.samples[FIRES / 2], f.samples[FIRES * 99 / 100],
	    f.samples[FIRES - 1]);
}

static void
measure_idle(double seconds)
{
	struct bench_figure f = { .name = "idle, 8 timelines",
		.unit = "% of a core",
		.kind = BENCH_AT_MOST,
		.goal = GOAL_IDLE };

	pause_ns(999 * STEP_NS);
	for (f.count = 0; f.count < 5; f.count++) {
		const double cpu = cpu_s(), from = bench_now_s();

		while (bench_now_s() - from < seconds / 5)
			pause_ns(100 * STEP_NS);
		f.samples[f.count] =
		    (cpu_s() - cpu) / (bench_now_s() - from) * 100;
	}
	bench_print(&f, NULL, NULL);
}

static const char rules[] =
    "{ name = 'bad', level = 'error', snapshot = true, every = '1ms', "
    "per_hour = 0 },"
    "{ span = { message = 'no such*', longer = '1ms' } },"
    "{ span = { category = 'none', longer = '1ms' } },"
    "{ argument = { message = 'no such*', name = 'x', above = 1 } },"
    "{ argument = { message = 'other*', name = 'x', above = 1 } },"
    "{ interval = { from = { message = 'a*' }, to = { message = 'b*' }, "
    "longer = '1ms' } },"
    "{ absent = { message = 'never*', longer = '1h' } },"
    "{ rate = { message = 'none*', above = 1e9, over = '1s' } },"
    "{ rate = { above = 1e12, over = '1s' } },"
    "{ event = { message = 'none*' }, when = 'pid == 0' }";

static void
following(int rounds)
{
	struct timeline_options options = { .entries = 1 << 20 };
	char name[48], text[1600];
	struct subject s;

	snprintf(name, sizeof(name), "bench-daemon-%d", (int)getpid());
	subject_new(&s, name, &options);
	snprintf(text, sizeof(text), "{ name = '%s', triggers = { %s } }", name,
	    rules);
	start(text);
	measure_cost(&s, rounds);
	measure_stream(&s, 3);
	measure_trigger(&s);
	stop();
	subject_close(&s);
}

static void
idle(double seconds)
{
	char text[4000] = "", path[64];
	size_t at = 0;

	for (int i = 0; i < IDLE_TIMELINES; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
		    "{ name = 'bench-idle-%d-%d', create = {} },",
		    (int)getpid(), i);
	start(text);
	measure_idle(seconds);
	stop();
	for (int i = 0; i < IDLE_TIMELINES; i++) {
		snprintf(path, sizeof(path), "/bench-idle-%d-%d", (int)getpid(),
		    i);
		timeline_remove(path);
	}
}

int
main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	char command[64];

	(void)argc;
	bench_begin("daemon");
	snprintf(program, sizeof(program), "%.*s/../bin/timelined",
	    slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
	if (!mkdtemp(folder))
		bench_die(folder, -errno);
	bench_pin(0);
	following((int)bench_setting("BENCH_ROUNDS", 21));
	idle((double)bench_setting("BENCH_SECONDS", 10));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) == 0 ? 0 : 1;
}
