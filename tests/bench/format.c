/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - every reader and every writer of the table of formats: events
 * and bytes a second, at several sizes, and the memory they took beside it.
 *
 *	format [SIZE...] [NAME...]
 *
 * A measurement is a process of its own, so that its memory is known.  A
 * writer is fed made-up events, and its bytes are counted and forgotten; the
 * floor is the same events into nothing.  A reader gets the file that the
 * writer of its format made in /dev/shm; the floor is to read the same file
 * and to add up its words.
 */
#include "bench.h"
#include "child.h"
#include "format/registry.h"
#include "place.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SIZES_MAX = 8,
	NAMES_MAX = 32,
	PIECE_SIZE = 64 << 10,
	SLOW_NS = 500, /* an event: one round of the largest size is enough */
	LARGE = 10000000
};

/* Time and memory may grow so much from one size to the next. */
static const double LINEAR = 1.25;
static const double FLAT = 1.1;
static const double FLAT_MIB = 1; /* ... and this besides */

struct job {
	const struct tl_format_row *row;
	bool reads;
	bool is_floor;
	bool spans; /* all that the format carries */
	long size;
	int file; /* to read */
};

static const struct {
	const char *name;
	bool reads;
	double rate; /* million events a second */
} goals[] = {
	{ "timelogger", true, 5 },
	{ "rtl", true, 5 },
	{ "lms", true, 5 },
	{ "chrome", false, 3 },
	{ "perfetto", false, 3 },
	{ "parquet", false, 3 },
};

static const char *folder;
static bool terminal;

/* == what a process does == */

struct counter {
	struct tl_sink sink; /* first */
	uint64_t events;
	uint64_t sum;
};

static int
count_event(struct tl_sink *sink, const struct tl_event *event)
{
	struct counter *c = (struct counter *)(void *)sink;

	c->events++;
	c->sum += (uint64_t)event->ns ^ event->args[0];
	return 0;
}

static int
count_finish(struct tl_sink *sink)
{
	(void)sink;
	return 0;
}

static int
count_bytes(void *context, const char *data, size_t size)
{
	struct result *result = context;

	__asm__ volatile("" ::"r"(data) : "memory");
	result->bytes += size;
	return 0;
}

/* Add up a file as it is read, or feed it. */
static int
pass_file(int fd, struct tl_reader *reader, struct result *result)
{
	static _Alignas(uint64_t) char piece[PIECE_SIZE];
	volatile uint64_t kept;
	uint64_t sum = 0, word;
	off_t at = 0;
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (n = pread(fd, piece, sizeof(piece), at)) > 0) {
		at += n;
		if (reader) {
			rc = reader->feed(reader, tl_bytes(piece, (size_t)n));
			continue;
		}
		for (size_t i = 0; i + 8 <= (size_t)n; i += 8) {
			memcpy(&word, piece + i, sizeof(word));
			sum += word;
		}
	}
	kept = sum;
	(void)kept;
	result->bytes = (uint64_t)at;
	return rc < 0 || !reader ? rc : reader->finish(reader);
}

static void
read_file(const struct job *job, struct result *result)
{
	struct counter counter = { .sink = { count_event, count_finish } };
	struct tl_reader *reader = NULL;

	if (!job->is_floor)
		result->rc = tl_format_reading(job->row)->read_new(&reader,
		    &counter.sink, NULL);
	if (result->rc == 0)
		result->rc = pass_file(job->file, reader, result);
	if (reader)
		reader->free(reader);
	result->events = counter.events;
}

static void
write_events(const struct job *job, struct result *result)
{
	struct counter counter = { .sink = { count_event, count_finish } };
	struct tl_writer *writer = NULL;
	char path[80];

	snprintf(path, sizeof(path), "%s/out", folder);
	if (!job->is_floor)
		result->rc = job->row->write_new
				 ? job->row->write_new(&writer, count_bytes,
				       result, NULL)
				 : job->row->write_at(&writer, path, NULL);
	if (result->rc == 0)
		result->rc = stream_put(writer ? &writer->sink : &counter.sink,
		    job->size, job->spans);
	tl_writer_free(writer);
	result->events = (uint64_t)job->size;
	if (!job->is_floor && job->row->write_at)
		result->bytes = place_take(path);
}

static void
do_job(const void *context, struct result *result)
{
	const struct job *job = context;

	if (job->reads)
		read_file(job, result);
	else
		write_events(job, result);
}

/* == many processes == */

static struct result
run(const struct job *job)
{
	struct result result;

	if (terminal)
		fprintf(stderr, "\r\033[K%s %s, %ld ...",
		    job->reads ? "read" : "write", job->row->name, job->size);
	result = child_run(job->row->name, do_job, job);
	if (terminal)
		fputs("\r\033[K", stderr);
	return result;
}

/* What was measured of one job, round by round. */
struct rounds {
	struct bench_figure rate; /* million events a second */
	struct bench_figure flow; /* million bytes a second */
	struct bench_figure floor;
	double mib;
	double ns; /* an event, in the round that was disturbed least */
	double bytes_each;
};

static double
goal_of(const struct job *job)
{
	for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
		if (goals[i].reads == job->reads &&
		    strcmp(goals[i].name, job->row->name) == 0)
			return goals[i].rate;
	}
	return 0;
}

static int
rounds_of(const struct job *job, double seconds)
{
	int rounds = (int)bench_setting("BENCH_ROUNDS", 5);

	if (rounds > BENCH_ROUNDS_MAX)
		rounds = BENCH_ROUNDS_MAX;
	if (job->size < LARGE)
		return rounds;
	return seconds / (double)job->size > SLOW_NS / 1e9 ? 1
							   : (rounds + 1) / 2;
}

static void
measure_round(const struct job *job, struct rounds *m, int r)
{
	struct job floor = *job;
	struct result was = run(job), bare;

	floor.is_floor = true;
	bare = run(&floor);
	m->rate.samples[r] = (double)was.events / was.seconds / 1e6;
	m->flow.samples[r] = (double)was.bytes / was.seconds / 1e6;
	/* bytes were only added up, or there were none: events, then */
	m->floor.samples[r] = job->reads
				  ? (double)bare.bytes / bare.seconds / 1e6
				  : (double)bare.events / bare.seconds / 1e6;
	m->mib = was.mib > m->mib ? was.mib : m->mib;
	m->bytes_each = (double)was.bytes / (double)was.events;
	if (r == 0 || was.seconds / (double)was.events * 1e9 < m->ns)
		m->ns = was.seconds / (double)was.events * 1e9;
	if (r == 0)
		m->rate.count = rounds_of(job, was.seconds);
}

static void
measure(const struct job *job, struct rounds *m)
{
	const double goal = goal_of(job);
	char name[64], flow[64];

	*m = (struct rounds){ .rate = { .unit = "M/s", .count = 1 },
		.flow = { .unit = "MB/s" } };
	for (int r = 0; r < m->rate.count; r++)
		measure_round(job, m, r);
	m->flow.count = m->floor.count = m->rate.count;
	snprintf(name, sizeof(name), "%s %s, %ld",
	    job->reads ? "read" : "write", job->row->name, job->size);
	snprintf(flow, sizeof(flow), "  %.1f bytes each, %.2f MiB",
	    m->bytes_each, m->mib);
	m->rate.name = name;
	m->flow.name = flow;
	if (goal > 0 && job->size >= 1000000) {
		m->rate.kind = BENCH_AT_LEAST;
		m->rate.goal = goal;
	}
	bench_print(&m->rate, job->reads ? NULL : &m->floor, NULL);
	bench_print(&m->flow, job->reads ? &m->floor : NULL, NULL);
}

/* == files to read == */

static int
write_file(void *context, const char *data, size_t size)
{
	const int *fd = context;

	while (size > 0) {
		const ssize_t n = write(*fd, data, size);

		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* A file of size events, by the writer of the format. */
static int
make_file(const struct job *job)
{
	const int fd = memfd_create("bench-format", MFD_CLOEXEC);
	int status, rc;
	pid_t child;

	if (fd < 0 || (child = fork()) < 0)
		bench_die("memfd_create", -errno);
	if (child == 0) {
		struct tl_writer *w;

		rc = job->row->write_new(&w, write_file, (void *)(uintptr_t)&fd,
		    NULL);
		if (rc == 0)
			rc = stream_put(&w->sink, job->size, job->spans);
		_exit(rc < 0);
	}
	place_worker(child);
	if (waitpid(child, &status, 0) != child || status != 0)
		bench_die("cannot make a file to read", -ENOSPC);
	place_worker(0);
	return fd;
}

/* Does the format carry nothing but spans? */
static bool
has_spans_only(const struct tl_format_row *row)
{
	struct job job = { .row = row, .reads = true, .size = 1200 };
	struct result all;

	job.file = make_file(&job);
	all = run(&job);
	close(job.file);
	return all.events < (uint64_t)job.size;
}

static void
print_growth(const struct job *job, const struct rounds *small,
    const struct rounds *large)
{
	char name[64];

	snprintf(name, sizeof(name), "%s %s is linear",
	    job->reads ? "read" : "write", job->row->name);
	bench_print_fact(name, large->ns <= small->ns * LINEAR,
	    "%.1f to %.1f ns an event", small->ns, large->ns);
	snprintf(name, sizeof(name), "%s %s is flat",
	    job->reads ? "read" : "write", job->row->name);
	bench_print_fact(name, large->mib <= small->mib * FLAT + FLAT_MIB,
	    "%.2f to %.2f MiB", small->mib, large->mib);
}

/* One direction of one format at all sizes. */
static void
measure_sizes(const struct tl_format_row *row, bool reads, const long *sizes,
    int count)
{
	static struct rounds measured[SIZES_MAX];
	struct job job = { .row = row, .reads = reads };

	job.spans = reads && has_spans_only(row);
	for (int i = 0; i < count; i++) {
		job.size = sizes[i];
		if (reads)
			job.file = make_file(&job);
		measure(&job, &measured[i]);
		if (reads)
			close(job.file);
	}
	if (count > 1) /* the least is mostly the begin of the process */
		print_growth(&job, &measured[count > 2 ? count - 2 : 0],
		    &measured[count - 1]);
}

static bool
is_wanted(const char *name, char **names, int count)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return count == 0;
}

int
main(int argc, char **argv)
{
	long sizes[SIZES_MAX] = { 10000, 1000000, LARGE };
	int size_count = 0, name_count = 0;
	const struct tl_format_row *row;

	for (int i = 1; i < argc; i++) {
		if (atol(argv[i]) <= 0)
			argv[1 + name_count++] = argv[i];
		else if (size_count < SIZES_MAX)
			sizes[size_count++] = atol(argv[i]);
	}
	if (size_count == 0)
		size_count = 3;
	bench_begin("format");
	terminal = isatty(STDERR_FILENO);
	folder = place_make();
	bench_pin(bench_cpus() - 1);
	for (size_t i = 0; (row = tl_formats_at(i)); i++) {
		if (!is_wanted(row->name, argv + 1, name_count))
			continue;
		if (tl_format_reading(row)->read_new && row->write_new)
			measure_sizes(row, true, sizes, size_count);
		if (tl_format_is_written(row))
			measure_sizes(row, false, sizes, size_count);
	}
	return 0;
}
