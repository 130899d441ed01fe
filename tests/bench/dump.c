/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.c - how fast timeline-dump reads: text, JSON, CSV, statistics and a
 * filter in Lua, at three sizes, beside a bare loop of number formatting; and
 * statistics of few and many messages.
 *
 *	dump [timeline-dump]
 *
 * Without an argument it takes the tool beside its own folder.
 */
#include "bench.h"
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZES = 3, ARGUMENTS_MAX = 6, LINE_BYTES_MAX = 256 };

static const long sizes[SIZES] = { 1 << 14, 1 << 20, 1 << 23 };
static const char NOWHERE[] = "/dev/null";

/* What one run of the tool took. */
struct spent {
	double seconds;
	long rss_kib;
	int status;
};

struct job {
	const char *what;
	const char *arguments[ARGUMENTS_MAX]; /* after the file's name */
	double goal;                          /* million entries a second */
	bool to_file;
	bool empty; /* no entry matches: exit status 1 and a message */
};

static const struct job jobs[] = {
	{ "text", { NULL }, 8, false, false },
	{ "text to a file", { NULL }, 8, true, false },
	{ "json", { "--format", "json" }, 0, false, false },
	{ "csv", { "--format", "csv" }, 0, false, false },
	{ "--stats", { "--stats" }, 0, false, false },
	{ "-e, every entry", { "-e", "args.udp >= 0" }, 6, false, false },
	{ "-e, no entry", { "-e", "args.udp == 12345" }, 10, false, true },
};

static char tool[PATH_MAX];
static char saved[64], output[64];

/* Freeing the pages of the round before is not what is measured. */
static void
forget(const char *to)
{
	if (strcmp(to, NOWHERE) != 0)
		unlink(to);
}

static struct spent
run(const char *const *arguments, const char *to, bool quiet)
{
	const char *argv[ARGUMENTS_MAX + 3] = { tool, saved };
	struct spent spent;
	struct rusage usage;
	double start_s;
	pid_t child;

	forget(to);
	start_s = bench_now_s();
	for (int i = 0; i < ARGUMENTS_MAX && arguments[i]; i++)
		argv[i + 2] = arguments[i];
	if ((child = vfork()) == 0) {
		const int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
			_exit(126);
		if (quiet)
			dup2(open(NOWHERE, O_WRONLY), STDERR_FILENO);
		execv(tool, (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	if (child < 0 || wait4(child, &spent.status, 0, &usage) != child)
		bench_die(tool, -errno);
	spent.seconds = bench_now_s() - start_s;
	spent.rss_kib = usage.ru_maxrss;
	return spent;
}

static char *
put_number(char *at, uint64_t n)
{
	char digits[20];
	int i = 0;

	do
		digits[i++] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	while (i > 0)
		*at++ = digits[--i];
	return at;
}

/* One line of the same numbers, without reading any file: what no tool that
 * prints them can beat by much. */
static char *
put_line(char *at, uint64_t i)
{
	static const char stamp[] = "<2026-11-20T19:24:18.";
	static const char words[] = "+00:00> bench      processed ";
	const uint64_t args[] = { i, i % 1000, 2, 1 << 20 };

	memcpy(at, stamp, sizeof(stamp) - 1);
	at = put_number(at + sizeof(stamp) - 1, 100000000 + i);
	memcpy(at, words, sizeof(words) - 1);
	at += sizeof(words) - 1;
	for (int k = 0; k < 4; k++) {
		memcpy(at, "name(", 5);
		at = put_number(at + 5, args[k]);
		*at++ = ')';
	}
	*at++ = '\n';
	return at;
}

static double
bare_rate(long n, const char *to)
{
	static char buffer[1 << 16];
	double start_s;
	char *at = buffer;
	int fd;

	forget(to);
	start_s = bench_now_s();
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (long i = 0; i < n; i++) {
		at = put_line(at, (uint64_t)i);
		if (at > buffer + sizeof(buffer) - LINE_BYTES_MAX) {
			if (write(fd, buffer, (size_t)(at - buffer)) < 0)
				bench_die(to, -errno);
			at = buffer;
		}
	}
	close(fd);
	return (double)n / (bench_now_s() - start_s) / 1e6;
}

/* A snapshot of one full lane. */
static off_t
make_snapshot(long entries)
{
	const struct timeline_options options = { .entries = (uint64_t)entries,
		.tiers = 1,
		.cpu_lanes = 1 };
	struct subject s;
	struct stat st;
	char name[48];

	snprintf(name, sizeof(name), "bench-dump-%d", (int)getpid());
	subject_new(&s, name, &options);
	bench_pin(0);
	for (long i = 0; i < entries + entries / 8; i++)
		timeline_log(s.open, i, i % 1000, 2, 1 << 20);
	if (timeline_save(s.tl, saved) < 0)
		bench_die(timeline_error(), 0);
	subject_close(&s);
	if (stat(saved, &st) < 0)
		bench_die(saved, -errno);
	return st.st_size;
}

/* A snapshot of many messages, in no order. */
static void
make_names(long names, long entries)
{
	const struct timeline_options options = { .entries = (uint64_t)entries,
		.stringtablesize = 16 << 20,
		.tiers = 1,
		.cpu_lanes = 1 };
	struct timeline_event **events = calloc((size_t)names, sizeof(*events));
	uint64_t random = 1;
	struct subject s;
	char text[64];

	snprintf(text, sizeof(text), "bench-names-%d", (int)getpid());
	subject_new(&s, text, &options);
	bench_pin(0);
	for (long i = 0; i < names; i++) {
		snprintf(text, sizeof(text), "step %ld of $a and $b", i);
		if (!events || timeline_define(s.tl, "bench", "info", text,
				   &events[i]) < 0)
			bench_die(timeline_error(), 0);
	}
	for (long i = 0; i < entries; i++) {
		random = random * 6364136223846793005U + 1442695040888963407U;
		timeline_log(events[(random >> 33) % (uint64_t)names], i,
		    i % 1000);
	}
	if (timeline_save(s.tl, saved) < 0)
		bench_die(timeline_error(), 0);
	subject_close(&s);
	free(events);
}

/* --stats of a million entries of few and many messages. */
static void
print_names(int rounds)
{
	static const char *const stats[ARGUMENTS_MAX] = { "--stats" };
	static const long counts[] = { 1, 100, 10000 };
	struct bench_figure f = { .unit = "ms", .count = rounds };
	char name[48];

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		make_names(counts[i], 1 << 20);
		bench_pin(bench_cpus() - 1);
		for (int r = 0; r < rounds; r++)
			f.samples[r] = run(stats, NOWHERE, false).seconds * 1e3;
		snprintf(name, sizeof(name), "--stats, %ld messages",
		    counts[i]);
		f.name = name;
		bench_print(&f, NULL, NULL);
	}
}

static void
print_job(const struct job *job, long entries, int rounds)
{
	struct bench_figure floor = { .count = rounds };
	struct bench_figure rate = { .unit = "M/s", .count = rounds };
	const char *to = job->to_file ? output : NOWHERE;
	char name[48];

	/* a virtual machine gets its memory when it is first written to */
	(void)bare_rate(entries, to);
	for (int r = 0; r < rounds; r++) {
		const struct spent spent = run(job->arguments, to, job->empty);

		if (!WIFEXITED(spent.status) ||
		    WEXITSTATUS(spent.status) != job->empty) {
			printf("%s: status %d\n", job->what, spent.status);
			return;
		}
		rate.samples[r] = (double)entries / spent.seconds / 1e6;
		floor.samples[r] = bare_rate(entries, to);
	}
	snprintf(name, sizeof(name), "%s, %ld", job->what, entries);
	rate.name = name;
	if (entries >= 1 << 20 && job->goal > 0) {
		rate.kind = BENCH_AT_LEAST;
		rate.goal = job->goal;
	}
	bench_print(&rate, &floor, NULL);
}

/* Every line that should be there, counted once. */
static void
print_lines(long entries)
{
	static const char *const none[ARGUMENTS_MAX];
	static char buffer[1 << 16];
	const struct spent spent = run(none, output, false);
	FILE *file = fopen(output, "r");
	long lines = 0;
	size_t n;

	if (!file)
		bench_die(output, -errno);
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0) {
		for (size_t i = 0; i < n; i++)
			lines += buffer[i] == '\n';
	}
	fclose(file);
	unlink(output);
	/* the oldest slot is never shown: it may be half overwritten */
	bench_print_fact("lines", spent.status == 0 && lines >= entries - 1,
	    "%ld of %ld", lines, entries);
}

/* What the tool needed besides the pages of the file that it looked at. */
static double
print_memory(off_t file_size)
{
	static const char *const none[ARGUMENTS_MAX];
	const double rss_mib = (double)run(none, NOWHERE, false).rss_kib / 1024;
	const double file_mib = (double)file_size / (1 << 20);
	const double beyond_mib =
	    rss_mib > file_mib ? rss_mib - file_mib : rss_mib;

	printf("%-34s %9.2f MiB       file %.2f MiB, beyond it at most "
	       "%.2f MiB\n",
	    "memory", rss_mib, file_mib, beyond_mib);
	return beyond_mib;
}

static void
print_newest(off_t file_size)
{
	static const char *const newest[ARGUMENTS_MAX] = { "-n", "20" };
	struct bench_figure f = { .name = "-n 20",
		.unit = "ms",
		.count = 15,
		.kind = BENCH_AT_MOST,
		.goal = 10 };

	printf("# a file of %.0f MiB\n", (double)file_size / (1 << 20));
	for (int r = 0; r < f.count; r++)
		f.samples[r] = run(newest, NOWHERE, false).seconds * 1e3;
	bench_print(&f, NULL, NULL);
}

static void
print_bare(int rounds)
{
	struct bench_figure bare = { .name = "bare number formatting",
		.unit = "M/s",
		.count = rounds };

	for (int r = 0; r < rounds; r++)
		bare.samples[r] = bare_rate(1 << 20, NOWHERE);
	bench_print(&bare, NULL, NULL);
}

static void
find_tool(int argc, char **argv)
{
	char self[PATH_MAX];

	if (argc > 1) {
		snprintf(tool, sizeof(tool), "%s", argv[1]);
	} else {
		snprintf(self, sizeof(self), "%s", argv[0]);
		snprintf(tool, sizeof(tool), "%.*s/../bin/timeline-dump",
		    PATH_MAX - 32, dirname(self));
	}
	if (access(tool, X_OK) != 0)
		bench_die(tool, -errno);
}

int
main(int argc, char **argv)
{
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 5);
	double memory_mib[SIZES];
	off_t size = 0;

	bench_begin("dump");
	find_tool(argc, argv);
	snprintf(saved, sizeof(saved), "/dev/shm/bench-%d.saved",
	    (int)getpid());
	snprintf(output, sizeof(output), "/dev/shm/bench-%d.out",
	    (int)getpid());
	bench_temporary(saved);
	bench_temporary(output);
	print_bare(rounds);
	for (int i = 0; i < SIZES; i++) {
		size = make_snapshot(sizes[i]);
		bench_pin(bench_cpus() - 1);
		for (size_t k = 0; k < sizeof(jobs) / sizeof(jobs[0]); k++)
			print_job(&jobs[k], sizes[i],
			    i == SIZES - 1 ? (rounds + 1) / 2 : rounds);
		print_lines(sizes[i]);
		memory_mib[i] = print_memory(size);
	}
	bench_print_fact("memory beyond the file is flat",
	    memory_mib[SIZES - 1] <= memory_mib[0] + 1, "%.2f to %.2f MiB",
	    memory_mib[0], memory_mib[SIZES - 1]);
	print_newest(size);
	print_names(rounds);
	unlink(saved);
	unlink(output);
	return 0;
}
