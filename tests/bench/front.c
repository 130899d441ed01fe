/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front.c - what the older APIs cost, beside timeline_log, and beside what
 * their originals did: written here again from their description, as plainly
 * as they were, into /dev/null.
 */
#define TIMELOG
#include "bench.h"
#include "subject.h"

#include <arpa/inet.h>
#include <endian.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <timeline_profiler.h>
#include <timeline_rtl.h>
#include <timeline_source.h>
#include <unistd.h>

enum { LOG_BUFFER = 4096, LABELS = 2, QUEUE = 256 };

static struct timeline_source *source;
static struct timeline_profiler *profiler;
static FILE *null;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
floor_log4(void *arg, long n)
{
	subject_log4(arg, n);
}

static void
ours_rtl(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i++)
		RTL_LOGFILE_TRACE_AUTHOR2("sfx2", "ab1", "%d of %d pages", i,
		    7);
}

static void
ours_source(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i += 2) {
		timeline_source_open(source);
		timeline_source_close(source);
	}
}

static void
ours_profiler(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i += 2) {
		timeline_profiler_mark_begin(profiler, "main.camera");
		timeline_profiler_mark_end(profiler, "main.camera");
	}
}

/* RTL_LOGFILE: gettimeofday, one buffer, one lock, a buffered file. */
__attribute__((format(printf, 1, 2))) static void
original_trace(const char *format, ...)
{
	static char buffer[LOG_BUFFER];
	static struct timeval start;
	struct timeval now;
	va_list args;
	long ms;
	int size;

	gettimeofday(&now, NULL);
	if (start.tv_sec == 0)
		start = now;
	ms = (now.tv_sec - start.tv_sec) * 1000 +
	     (now.tv_usec - start.tv_usec) / 1000;
	pthread_mutex_lock(&lock);
	size = snprintf(buffer, sizeof(buffer), "%06ld %u ", ms, 1U);
	va_start(args, format);
	size += vsnprintf(buffer + size, sizeof(buffer) - (size_t)size, format,
	    args);
	va_end(args);
	fwrite(buffer, 1, (size_t)size, null);
	pthread_mutex_unlock(&lock);
}

static void
original_rtl(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i++)
		original_trace("| sfx2 (ab1) : %ld of %d pages\n", i, 7);
}

/* LMS: a clock, a lock, a search for the label, a formatted line. */
static void
original_mark(int type, const char *label)
{
	static const char *const labels[LABELS] = { "main", "main.camera" };
	static int64_t last_us;
	struct timespec t;
	int64_t us;
	int id = 0;

	clock_gettime(CLOCK_MONOTONIC, &t);
	us = (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
	pthread_mutex_lock(&lock);
	while (id < LABELS - 1 && strcmp(labels[id], label) != 0)
		id++;
	fprintf(null, "%d,%d,%lld\n", type, id, (long long)(us - last_us));
	last_us = us;
	pthread_mutex_unlock(&lock);
}

static void
original_profiler(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i += 2) {
		original_mark(0, "main.camera");
		original_mark(1, "main.camera");
	}
}

/* TimeLogger: a clock, then a bounded queue that a thread empties. */
struct record {
	uint32_t id;
	uint8_t type;
	uint64_t ns;
};

static struct record queue[QUEUE];
static unsigned queued, taken;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *
empty_queue(void *unused)
{
	for (;;) {
		struct record record;
		char bytes[13];

		pthread_mutex_lock(&lock);
		while (taken == queued)
			pthread_cond_wait(&changed, &lock);
		record = queue[taken++ % QUEUE];
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		record.id = htonl(record.id);
		record.ns = htobe64(record.ns);
		bytes[0] = (char)record.type;
		memcpy(bytes + 1, &record.id, sizeof(record.id));
		memcpy(bytes + 5, &record.ns, sizeof(record.ns));
		fwrite(bytes, 1, sizeof(bytes), null);
	}
	return unused;
}

static void
put_queue(uint8_t type)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	pthread_mutex_lock(&lock);
	while (queued - taken == QUEUE)
		pthread_cond_wait(&changed, &lock);
	queue[queued++ % QUEUE] = (struct record){ .type = type,
		.ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec };
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void
original_source(void *arg, long n)
{
	(void)arg;
	for (long i = 0; i < n; i += 2) {
		put_queue(1);
		put_queue(2);
	}
}

static void
start(struct subject *s)
{
	const struct timeline_options options = { .entries = 1 << 17 };
	pthread_t thread;
	char name[48];

	snprintf(name, sizeof(name), "bench-front-%d", (int)getpid());
	subject_new(s, name, &options);
	null = fopen("/dev/null", "w");
	if (!null || timeline_rtl_use(s->tl) < 0 ||
	    timeline_source_new(&source, s->tl, "source") < 0 ||
	    timeline_profiler_new(&profiler, s->tl) < 0)
		bench_die(timeline_error(), 0);
	if (pthread_create(&thread, NULL, empty_queue, NULL) != 0)
		bench_die("pthread_create", 0);
}

int
main(void)
{
	const long n = bench_setting("BENCH_EVENTS", 2000);
	const int rounds = (int)bench_setting("BENCH_ROUNDS", 101);
	struct subject s;

	bench_begin("front ends, cycles an event, and their originals");
	start(&s);
	bench_pin(bench_cpus() - 1); /* the thread of the queue is elsewhere */
	const struct bench_case cases[] = {
		{ "timeline_log, 4 arguments", floor_log4, &s, BENCH_NO_GOAL,
		    0 },
		{ "RTL_LOGFILE_TRACE_AUTHOR2", ours_rtl, NULL, BENCH_NO_GOAL,
		    0 },
		{ "  as the original", original_rtl, NULL, BENCH_NO_GOAL, 0 },
		{ "timeline_source_open, _close", ours_source, NULL,
		    BENCH_NO_GOAL, 0 },
		{ "  as the original", original_source, NULL, BENCH_NO_GOAL,
		    0 },
		{ "timeline_profiler_mark_...", ours_profiler, NULL,
		    BENCH_NO_GOAL, 0 },
		{ "  as the original", original_profiler, NULL, BENCH_NO_GOAL,
		    0 },
	};

	bench_run(cases, sizeof(cases) / sizeof(cases[0]), 0, n, rounds);
	subject_close(&s);
	return 0;
}
