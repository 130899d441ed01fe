/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - recorded traces: what it costs to write one in every way, and to
 * open, look into and read one, at several sizes.
 *
 *	trace [SIZE...]
 *
 * A measurement is a process of its own, so that its memory is known.  The
 * files lie in /dev/shm.  The floor of writing is the same number of bytes
 * copied into such a file by write(2), that of reading the file read and its
 * words added up.
 */
#include "bench.h"
#include "child.h"
#include "place.h"
#include "self.h"
#include "stream.h"
#include "trace/read.h"
#include "trace/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SIZES_MAX = 8,
	PIECE_SIZE = 128 << 10,
	LARGE = 10000000,
	RANGES = 20,    /* of children, in one measurement */
	RANGE_SIZE = 50 /* a screen of them */
};

static const double WRITE_GOAL = 5;  /* million events a second */
static const double BYTES_GOAL = 40; /* of an event */
static const double OPEN_GOAL = 200; /* ms */
static const double RANGE_GOAL = 1;  /* ms */

struct job {
	const char *name;
	void (*body)(const struct job *job, struct result *result);
	int how; /* strategy, order, threads or with an index */
	long size;
	uint64_t bytes; /* of the file, where it is the floor */
};

static const char *folder;
static char path[96]; /* of the trace to read, and to write */

static const char *
file_in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static uint64_t
size_of(const char *name)
{
	struct stat st;

	return stat(file_in_folder(name), &st) < 0 ? 0 : (uint64_t)st.st_size;
}

/* == writing == */

static void
write_strategy(const struct job *job, struct result *result)
{
	const struct tl_trace_options options = {
		.strategy = (enum tl_trace_strategy)job->how
	};
	struct tl_trace_writer *writer;
	struct tl_sink *sink;

	result->rc = tl_trace_create(&writer, file_in_folder("out"), &options);
	if (result->rc < 0)
		return;
	result->rc = tl_trace_sink(writer, &sink);
	if (result->rc == 0)
		result->rc = stream_put(sink, job->size, false);
	tl_trace_writer_free(writer);
	result->events = (uint64_t)job->size;
	result->bytes = size_of("out") + size_of("out" TL_TRACE_INDEX_SUFFIX);
}

static int
swallow(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	__asm__ volatile("" ::"r"(event) : "memory");
	return 0;
}

static int
swallow_end(struct tl_sink *sink)
{
	(void)sink;
	return 0;
}

static void
make_events(const struct job *job, struct result *result)
{
	struct tl_sink sink = { swallow, swallow_end };

	result->rc = stream_put(&sink, job->size, false);
	result->events = (uint64_t)job->size;
}

/* The floor: so many bytes by write(2), out of a warm buffer. */
static void
write_bytes(const struct job *job, struct result *result)
{
	static char piece[PIECE_SIZE];
	const int fd = open(file_in_folder("out"),
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	for (uint64_t at = 0; fd >= 0 && at < job->bytes; at += PIECE_SIZE) {
		memset(piece, (int)at, sizeof(piece));
		if (write(fd, piece, sizeof(piece)) < 0)
			result->rc = -errno;
	}
	close(fd);
	result->bytes = job->bytes;
	result->events = (uint64_t)job->size;
}

static void
write_self(const struct job *job, struct result *result)
{
	result->rc = self_record(file_in_folder("out"), job->size, job->how);
	result->events = (uint64_t)job->size;
}

/* == reading == */

static struct tl_trace *
open_file(bool with_index, struct result *result)
{
	static const struct tl_trace_read_options options;
	struct tl_storage *data = NULL, *index = NULL;
	struct tl_fault fault = { 0 };
	struct tl_trace *trace = NULL;
	const int fd = open(file_in_folder("in"), O_RDONLY | O_CLOEXEC);
	const int index_fd = open(file_in_folder("in" TL_TRACE_INDEX_SUFFIX),
	    O_RDONLY | O_CLOEXEC);

	result->rc = tl_storage_of_fd(&data, fd);
	if (result->rc == 0 && with_index)
		result->rc = tl_storage_of_fd(&index, index_fd);
	close(fd);
	close(index_fd);
	if (result->rc == 0) /* an index that is made stays in memory */
		result->rc = tl_trace_open_storage(&trace, data, index,
		    &options, &fault);
	if (result->rc < 0)
		bench_die(fault.text[0] ? fault.text : "open", result->rc);
	return trace;
}

static void
open_lazily(const struct job *job, struct result *result)
{
	struct tl_trace *trace = open_file(job->how, result);

	result->events = (uint64_t)job->size;
	__asm__ volatile("" ::"r"(trace) : "memory");
}

/* Ranges of children all over the thread; the mean of them, or the slowest. */
static void
load_ranges(const struct job *job, struct result *result)
{
	struct tl_trace *trace = open_file(true, result);
	struct tl_node *root = tl_trace_root(trace, 0);
	double slowest = 0, sum = 0;
	uint64_t at = 1;

	for (int i = 0; i < RANGES && result->rc == 0; i++) {
		const double start_s = bench_now_s();
		double took;

		at = at * UINT64_C(6364136223846793005) + 1;
		result->rc = tl_trace_load(trace, root,
		    (at >> 33) % root->child_count, RANGE_SIZE);
		took = bench_now_s() - start_s;
		sum += took;
		slowest = took > slowest ? took : slowest;
	}
	result->events = RANGE_SIZE;
	result->seconds = job->how ? slowest : sum / RANGES;
}

/* A child in the middle, with all that is below. */
static void
load_subtree(const struct job *job, struct result *result)
{
	struct tl_trace *trace = open_file(true, result);
	struct tl_node *root = tl_trace_root(trace, 0), *node = root;
	const double start_s = bench_now_s();
	uint64_t at = root->child_count / 2;

	(void)job;
	while (node && node->child_count > 0 && result->rc == 0) {
		result->rc = tl_trace_load(trace, node, at,
		    node == root ? 1 : UINT64_MAX);
		result->events += node == root ? 1 : node->child_count;
		node = tl_node_child(node, at);
		at = 0;
	}
	result->seconds = bench_now_s() - start_s;
}

/* All that is below a node. */
static void
load_below(struct tl_trace *trace, struct tl_node *node, struct result *result)
{
	result->rc = tl_trace_load(trace, node, 0, UINT64_MAX);
	for (uint64_t i = 0; result->rc == 0 && i < node->child_count; i++) {
		result->events++;
		if (tl_node_child(node, i)->child_count > 0)
			load_below(trace, tl_node_child(node, i), result);
	}
}

static void
load_all(const struct job *job, struct result *result)
{
	struct tl_trace *trace = open_file(true, result);

	(void)job;
	for (size_t i = 0; i < tl_trace_thread_count(trace); i++)
		load_below(trace, tl_trace_root(trace, i), result);
}

static void
read_cursor(const struct job *job, struct result *result)
{
	struct tl_trace *trace = open_file(true, result);
	struct tl_cursor *cursor;
	struct tl_event event;

	result->rc = tl_trace_cursor(trace, (enum tl_order)job->how, &cursor);
	while (result->rc == 0 && tl_cursor_next(cursor, &event) > 0)
		result->events++;
}

/* The floor of reading. */
static void
sum_file(const struct job *job, struct result *result)
{
	static _Alignas(uint64_t) char piece[PIECE_SIZE];
	const int fd = open(file_in_folder("in"), O_RDONLY | O_CLOEXEC);
	uint64_t sum = 0, word;
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0) {
		for (size_t i = 0; i + sizeof(word) <= (size_t)n;
		     i += sizeof(word)) {
			memcpy(&word, piece + i, sizeof(word));
			sum += word;
		}
	}
	close(fd);
	__asm__ volatile("" ::"r"(sum));
	result->events = (uint64_t)job->size;
}

/* == measuring == */

static void
run_job(const void *job, struct result *result)
{
	const struct job *j = job;

	j->body(j, result);
}

static struct result
run(const struct job *job)
{
	return child_run(job->name, run_job, job);
}

static void
remove_output(void)
{
	unlink(file_in_folder("out"));
	unlink(file_in_folder("out" TL_TRACE_INDEX_SUFFIX));
}

static int
rounds_for(long size)
{
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 5);

	return size < LARGE ? rounds : (rounds + 1) / 2;
}

/* Events a second, beside a floor of the same events. */
static struct result
measure_rate(const struct job *job, const struct job *floor, double goal)
{
	struct bench_figure rate = { .unit = "M/s" }, bare = { .unit = "M/s" };
	struct result was = { 0 }, least;
	char name[80];

	rate.count = bare.count = rounds_for(job->size);
	for (int r = 0; r < rate.count; r++) {
		was = run(job);
		remove_output();
		rate.samples[r] = (double)was.events / was.seconds / 1e6;
		least = run(floor);
		remove_output();
		bare.samples[r] = (double)least.events / least.seconds / 1e6;
	}
	snprintf(name, sizeof(name), "%s, %ld (%.1f MiB)", job->name, job->size,
	    was.mib);
	rate.name = name;
	if (goal > 0 && job->size >= LARGE / 10) {
		rate.kind = BENCH_AT_LEAST;
		rate.goal = goal;
	}
	bench_print(&rate, &bare, NULL);
	return was;
}

/* How long one takes, in ms. */
static void
measure_time(const struct job *job, double goal)
{
	struct bench_figure time = { .unit = "ms" };
	struct result was = { 0 };
	char name[80];

	time.count = rounds_for(job->size);
	for (int r = 0; r < time.count; r++) {
		was = run(job);
		time.samples[r] = was.seconds * 1e3;
	}
	snprintf(name, sizeof(name), "%s, %ld (%.1f MiB)", job->name, job->size,
	    was.mib);
	time.name = name;
	if (goal > 0) {
		time.kind = BENCH_AT_MOST;
		time.goal = goal;
	}
	bench_print(&time, NULL, NULL);
}

static void
measure_writing(long size)
{
	struct job job = { "write, streaming", write_strategy,
		TL_TRACE_STREAMING, size, 0 };
	const struct job made = { "make events", make_events, 0, size, 0 };
	struct job floor = { "write bytes", write_bytes, 0, size, 0 };
	struct result was = run(&job);
	char name[80];

	remove_output();
	floor.bytes = was.bytes;
	measure_rate(&job, &floor, WRITE_GOAL);
	job.name = "write, collecting";
	job.how = TL_TRACE_COLLECT;
	measure_rate(&job, &floor, 0);
	job.name = "write, to nothing";
	job.how = TL_TRACE_NULL;
	measure_rate(&job, &made, 0);
	job.body = write_self;
	job.name = "timeline_trace.h, 1 thread";
	job.how = 1;
	measure_rate(&job, &floor, WRITE_GOAL);
	job.name = "timeline_trace.h, 2 threads";
	job.how = 2;
	measure_rate(&job, &floor, 0);
	snprintf(name, sizeof(name), "at most %.0f bytes, %ld", BYTES_GOAL,
	    size);
	bench_print_fact(name,
	    (double)was.bytes <= BYTES_GOAL * (double)was.events,
	    "%.2f an event, with its index",
	    (double)was.bytes / (double)was.events);
}

static void
move(const char *from, const char *to)
{
	char old[sizeof(path)];

	strcpy(old, file_in_folder(from));
	if (rename(old, file_in_folder(to)) < 0)
		bench_die("rename", -errno);
}

/* The file that is read. */
static void
make_file(long size)
{
	const struct job job = { "write", write_strategy, TL_TRACE_STREAMING,
		size, 0 };

	run(&job);
	move("out", "in");
	move("out" TL_TRACE_INDEX_SUFFIX, "in" TL_TRACE_INDEX_SUFFIX);
}

static void
measure_reading(long size)
{
	static const struct job times[] = {
		{ "open with an index", open_lazily, true, 0, 0 },
		{ "open without", open_lazily, false, 0, 0 },
		{ "a range of children", load_ranges, 0, 0, 0 },
		{ "... the slowest of 20", load_ranges, 1, 0, 0 },
		{ "one subtree", load_subtree, 0, 0, 0 },
	}, rates[] = {
		{ "load all", load_all, 0, 0, 0 },
		{ "newest first", read_cursor, TL_NEWEST_FIRST, 0, 0 },
		{ "oldest first", read_cursor, TL_OLDEST_FIRST, 0, 0 },
	};
	const double goals[] = { OPEN_GOAL, 0, RANGE_GOAL, 0, 0 };
	const struct job floor = { "sum", sum_file, 0, size, 0 };

	for (int i = 0; i < 5; i++) {
		struct job job = times[i];

		job.size = size;
		measure_time(&job, goals[i]);
	}
	for (int i = 0; i < 3; i++) {
		struct job job = rates[i];

		job.size = size;
		measure_rate(&job, &floor, 0);
	}
}

int
main(int argc, char **argv)
{
	long sizes[SIZES_MAX] = { 100000, 1000000, LARGE };
	int count = 0;

	for (int i = 1; i < argc && count < SIZES_MAX; i++)
		sizes[count++] = atol(argv[i]);
	if (count == 0)
		count = 3;
	bench_begin("trace");
	folder = place_make();
	for (int i = 0; i < count; i++) {
		measure_writing(sizes[i]);
		make_file(sizes[i]);
		measure_reading(sizes[i]);
	}
	return 0;
}
