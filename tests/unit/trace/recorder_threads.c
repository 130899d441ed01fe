/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder_threads.c - the content of a failed file and the reported loss add
 * up to all events that were put, and each file begins with the spans that a
 * simple list has open.
 */
#include "lib/fixture.h"
#include "lib/random.h"
#include "lib/test.h"
#include "trace/read.h"
#include "trace/record/work.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <timeline.h>
#include <unistd.h>

enum { ROUNDS = 60, FILES = 4, PUTS = 4000, THREADS = 3, SPANS = 3, OPEN = 64 };

static struct tl_message messages[SPANS + 1]; /* the last one is an instant */

/* The reference: the open spans of each thread. */
static struct open_span {
	unsigned message;
	uint64_t number; /* the number of the begin */
	bool lossy;
} open_spans[THREADS][OPEN];
static size_t open_counts[THREADS];

static struct tl_recorder_threads threads;
static struct tl_recorder_source timeline;
static struct tl_recorder_file file;
static uint64_t number; /* events so far; the next one's first argument */
static uint64_t entries, lost; /* put into the present file */

static void
written(void *context, int32_t stream, uint32_t events)
{
	(void)context;
	tl_recorder_threads_written(&threads, stream, events);
}

static void
define(void)
{
	static const char *const texts[] = { "a $n", "b $n", "c $n",
		"tick $n" };

	timeline.accounted = false;
	timeline.begun = 0;
	threads.places[0].timeline = &timeline;
	ck_assert_ok(tl_spans_new(&threads.spans));
	for (unsigned i = 0; i <= SPANS; i++) {
		messages[i] = (struct tl_message){ .id = 64 * (i + 1),
			.kind = i < SPANS ? TIMELINE_RECORD_SPAN
					  : TIMELINE_RECORD_INSTANT,
			.scope = TIMELINE_THREAD,
			.level = 6,
			.gate = 6 };
		ck_assert_ok(
		    tl_message_parse(&messages[i], tl_bytes_of(texts[i])));
	}
}

static void
setup(void)
{
	char path[80];
	struct tl_fault fault = { 0 };
	int fd;

	fixture_setup_tiny();
	snprintf(path, sizeof(path), "/dev/shm%s", fixture_name);
	fd = open(path, O_RDONLY);
	ck_assert_msg(tl_recorder_source_open(&timeline, "t", fd,
			  &(struct tl_follow_start){ 0 }, &fault) == 0,
	    "%s", fault.text);
	close(fd);
}

static void
teardown(void)
{
	tl_recorder_source_close(&timeline);
	fixture_close();
}

static void
begin_file(void)
{
	static const struct tl_recorder_options options = { .block_size =
								16384 };

	file = (struct tl_recorder_file){ .written = written };
	file.files.data = memfd_create("data", MFD_ALLOW_SEALING);
	file.files.index = memfd_create("index", 0);
	ck_assert_ok(tl_recorder_file_begin(&file, 1, &options));
	entries = lost = 0;
}

/* Let no more bytes fit from now on. */
static void
fill_disk(void)
{
	ck_assert_int_eq(fcntl(file.files.data, F_ADD_SEALS, F_SEAL_GROW), 0);
}

/* == the reference == */

static void
dumb_begin(unsigned thread, unsigned message)
{
	open_spans[thread][open_counts[thread]++] =
	    (struct open_span){ message, number, false };
}

static void
dumb_end(unsigned thread, unsigned message)
{
	struct open_span *open = open_spans[thread];
	size_t i = open_counts[thread];

	while (i > 0 && open[i - 1].message != message)
		i--;
	if (i == 0)
		return;
	open_counts[thread]--;
	memmove(&open[i - 1], &open[i],
	    (open_counts[thread] - (i - 1)) * sizeof(*open));
}

static void
dumb_loss(void)
{
	for (unsigned t = 0; t < THREADS; t++)
		for (size_t i = 0; i < open_counts[t]; i++)
			open_spans[t][i].lossy = true;
}

/* Start a new file in the reference; returns how many spans continue. */
static uint64_t
dumb_leave(void)
{
	uint64_t count = 0;

	for (unsigned t = 0; t < THREADS; t++) {
		size_t kept = 0;

		for (size_t i = 0; i < open_counts[t]; i++)
			if (!open_spans[t][i].lossy)
				open_spans[t][kept++] = open_spans[t][i];
		open_counts[t] = kept;
		count += kept;
	}
	return count;
}

/* == events == */

static struct tl_event
draw(uint64_t *seed, unsigned *thread, unsigned *message)
{
	struct tl_event event = { .ns = (int64_t)number * 100,
		.pid = (uint32_t)getpid(),
		.level = 6 };

	*thread = (unsigned)random_below(seed, THREADS);
	*message = (unsigned)random_below(seed, SPANS + 1);
	event.tid = 1000 + *thread;
	event.args[0] = number;
	event.message = &messages[*message];
	event.kind = TL_INSTANT;
	if (random_below(seed, 40) == 0) {
		event.kind = TL_LOST;
		event.message = NULL;
		event.level = 0;
		event.lost = 1 + random_below(seed, 1000);
	} else if (*message < SPANS) {
		event.kind =
		    random_below(seed, 2) || open_counts[*thread] == OPEN
			? TL_END
			: TL_BEGIN;
	}
	return event;
}

/* Take an event that the account has had: a begin goes on once it is put. */
static void
follow(const struct tl_event *event, unsigned thread, unsigned message)
{
	if (event->kind == TL_LOST)
		dumb_loss();
	else if (event->kind == TL_END)
		dumb_end(thread, message);
}

static void
remember(const struct tl_event *event, unsigned thread, unsigned message)
{
	lost += event->lost;
	entries += event->kind != TL_LOST;
	if (event->kind == TL_BEGIN)
		dumb_begin(thread, message);
}

/* Put an event, as the recorder does. */
static int
put(struct tl_event *event)
{
	int rc = tl_recorder_threads_account(&threads, &timeline, event);

	ck_assert_int_eq(rc, 0);
	rc = tl_recorder_threads_put(&threads, file.writer, &timeline, event);
	if (rc == 0) {
		timeline.accounted = false;
		timeline.begun = 0;
	}
	return rc;
}

/* Put events until one cannot be put any more, or until all are put.  The event
 * that could not be put is put first the next time. */
static void
put_many(uint64_t *seed)
{
	const uint64_t fill_at = random_below(seed, 2 * PUTS);
	static struct tl_event event;
	static unsigned thread, message;

	for (uint64_t i = 0; i < PUTS; i++) {
		if (i == fill_at)
			fill_disk();
		if (!timeline.accounted) {
			event = draw(seed, &thread, &message);
			follow(&event, thread, message);
		}
		if (put(&event) != 0)
			return;
		remember(&event, thread, message);
		number++;
		if (random_below(seed, 3000) == 0 &&
		    tl_trace_writer_flush(file.writer) != 0)
			return;
	}
}

/* == the content of the file == */

static void
check_file(uint64_t first, uint64_t continued)
{
	const struct tl_trace_read_options options = { 0 };
	const struct tl_recorder_missing missing =
	    tl_recorder_threads_missing(&threads, 0);
	struct tl_storage *storage;
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_trace *trace;
	struct tl_event event;
	uint64_t seen = 0, seen_lost = 0, before = 0;

	ck_assert_ok(tl_storage_of_fd(&storage, file.files.data));
	ck_assert_msg(tl_trace_open_storage(&trace, storage, NULL, &options,
			  &fault) == 0,
	    "%s", fault.text);
	ck_assert_ok(tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		if (event.kind == TL_LOST)
			seen_lost += event.lost;
		else if (event.args[0] < first && event.kind == TL_BEGIN)
			before += event.continued;
		else
			seen++;
	}
	ck_assert_uint_eq(seen + missing.entries, entries);
	ck_assert_uint_eq(seen_lost + missing.holes, lost);
	ck_assert_uint_le(before, continued);
	if (missing.entries == 0)
		ck_assert_uint_eq(before, continued);
	tl_cursor_close(cursor);
	tl_trace_close(trace);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(what_is_written_and_what_is_missing_is_all)
{
	uint64_t seed = 1;

	for (int round = 0; round < ROUNDS; round++) {
		define();
		number = 1;
		memset(open_counts, 0, sizeof(open_counts));
		for (int i = 0; i < FILES; i++) {
			const uint64_t first = number;
			const uint64_t expected = dumb_leave();
			uint64_t continued;

			begin_file();
			ck_assert_ok(tl_recorder_threads_continue(&threads,
			    file.writer, UINT64_MAX, &continued));
			ck_assert_uint_eq(continued, expected);
			put_many(&seed);
			if (random_below(&seed, 2))
				(void)tl_recorder_file_finish(&file);
			check_file(first, continued);
			tl_recorder_file_free(&file, false);
			tl_recorder_threads_leave(&threads);
		}
		tl_recorder_threads_free(&threads);
	}
}

/* == spans without an end == */

/*
 * Record a file of the continued spans and these events; returns how many spans
 * continued.
 */
static uint64_t
record_file(struct tl_event *events, size_t count)
{
	uint64_t continued;

	begin_file();
	ck_assert_ok(tl_recorder_threads_continue(&threads, file.writer,
	    UINT64_MAX, &continued));
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(put(&events[i]), 0);
	tl_recorder_file_free(&file, false);
	tl_recorder_threads_leave(&threads);
	return continued;
}

/* The last entries of a process come late where a recorder is behind.  An end
 * that comes after the span was left out still has its begin. */
TEST(spans_of_a_process_that_is_gone_go_on_until_its_entries_have_come)
{
	struct tl_event begin = { .kind = TL_BEGIN, .tid = 7, .tsc = 10 };
	struct tl_event end = { .kind = TL_END, .tid = 7, .tsc = 30 };
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	define();
	begin.message = end.message = &messages[0];
	begin.pid = end.pid = (uint32_t)pid;
	timeline.newest_ns = 1; /* long before the process ended */
	ck_assert_uint_eq(record_file(&begin, 1), 0);
	ck_assert_uint_eq(record_file(NULL, 0), 1);
	ck_assert_uint_eq(record_file(NULL, 0), 1);
	timeline.newest_ns = tl_clock_read(CLOCK_REALTIME);
	ck_assert_uint_eq(record_file(NULL, 0), 0);
	ck_assert_uint_eq(record_file(&end, 1), 0);
	ck_assert_int_eq(end.begun, TL_BEGUN);
	ck_assert_uint_eq(end.begun_tsc, 10);
	tl_recorder_threads_free(&threads);
}

/*
 * The span stays open after an end that proves nothing and after an end that
 * proves another span.
 */
TEST(a_span_whose_end_will_be_proven_goes_on_until_that_end)
{
	struct tl_event events[4];

	define();
	for (size_t i = 0; i < 4; i++)
		events[i] =
		    (struct tl_event){ .kind = i == 0 ? TL_BEGIN : TL_END,
			    .message = &messages[0],
			    .tsc = 10 * (i + 1),
			    .begun_tsc = i == 2   ? 15
					 : i == 3 ? 10
						  : 0,
			    .proven = i != 1,
			    .pid = (uint32_t)getpid(),
			    .tid = 7,
			    .level = 6 };
	ck_assert_uint_eq(record_file(events, 3), 0);
	ck_assert_uint_eq(record_file(NULL, 0), 1);
	ck_assert_uint_eq(record_file(&events[3], 1), 1);
	ck_assert_uint_eq(record_file(NULL, 0), 0);
	tl_recorder_threads_free(&threads);
}

/* The end has its begin, and is unsure. */
TEST(spans_before_a_loss_do_not_go_on)
{
	struct tl_event events[] = { { .kind = TL_BEGIN, .tsc = 10 },
		{ .kind = TL_LOST, .lost = 5000 }, { .kind = TL_BEGIN },
		{ .kind = TL_END, .tsc = 20 }, { .kind = TL_END, .tsc = 30 },
		{ .kind = TL_END, .tsc = 40 } };

	define();
	for (size_t i = 0; i < 6; i++) {
		events[i].message = i == 1 ? NULL : &messages[0];
		events[i].pid = (uint32_t)getpid();
		events[i].tid = 7;
	}
	ck_assert_uint_eq(record_file(events, 1), 0);
	ck_assert_uint_eq(record_file(&events[1], 1), 1);
	ck_assert_uint_eq(record_file(&events[2], 1), 0);
	ck_assert_uint_eq(record_file(&events[3], 3), 1);
	ck_assert_int_eq(events[3].begun, TL_BEGUN);
	ck_assert_int_eq(events[4].begun, TL_BEGUN_UNSURE);
	ck_assert_uint_eq(events[4].begun_tsc, 10);
	ck_assert_int_eq(events[5].begun, TL_BEGUN_NONE);
	tl_recorder_threads_free(&threads);
}

/* Count the ends of sure spans in the file. */
static uint64_t
count_sure(void)
{
	const struct tl_trace_read_options options = { 0 };
	struct tl_storage *storage;
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_trace *trace;
	struct tl_event event;
	uint64_t count = 0;

	ck_assert_ok(tl_storage_of_fd(&storage, file.files.data));
	ck_assert_ok(
	    tl_trace_open_storage(&trace, storage, NULL, &options, &fault));
	ck_assert_ok(tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0)
		count += event.kind == TL_END && event.begun == TL_BEGUN;
	tl_cursor_close(cursor);
	tl_trace_close(trace);
	return count;
}

TEST(an_end_of_another_interval_has_no_begin_in_the_file_before, .to = 2)
{
	struct tl_event begin = { .kind = TL_BEGIN,
		.message = &messages[0],
		.pid = (uint32_t)getpid(),
		.tid = 7,
		.tsc = 10,
		.level = 6,
		.observed = 5 };
	struct tl_event end = begin;
	uint64_t continued;

	define();
	ck_assert_uint_eq(record_file(&begin, 1), 0);
	end.kind = TL_END;
	end.tsc = 20;
	end.observed = _i == 0 ? 5 : 6;
	begin_file();
	ck_assert_ok(tl_recorder_threads_continue(&threads, file.writer,
	    UINT64_MAX, &continued));
	ck_assert_uint_eq(continued, 1);
	ck_assert_int_eq(put(&end), 0);
	ck_assert_ok(tl_recorder_file_finish(&file));
	ck_assert_uint_eq(count_sure(), _i == 0);
	tl_recorder_file_free(&file, false);
	tl_recorder_threads_free(&threads);
}
