/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox_columns.c - profiles: counters, times, and columns that
 * are longer than memory.
 */
#include "firefox_fixture.h"
#include "format/column.h"
#include "lib/test.h"

#include <errno.h>
#include <malloc.h>

static int write_rc;
static uint64_t written;

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_counter_has_differences)
{
	put_set(VIEWERS_PLAIN, UINT64_MAX);
	is_at("counters.0.name", "'depth length'");
	is_at("counters.0.category", "'queue'");
	is_at("counters.0.pid", "'40'");
	is_at("counters.0.mainThreadIndex", "0");
	is_at("counters.0.samples.length", "3");
	is_at("counters.0.samples.count.0", "0");
	is_at("counters.0.samples.count.1", "3");
	is_at("counters.0.samples.count.2", "1.8446744073709552e+19");
	is_at("counters.0.samples.time.0", "123.456809");
	is_at("counters.0.samples.time.1", "123.456809");
	is_at("counters.0.samples.time.2", "123.457918");
	is_at("counters.1.pid", "'41'");
	is_at("counters.1.samples.count.1", "5");
	is_at("counters.2.samples.count.1", "0.5");
	is_at("counters.2.display.graphType", "'line-accumulated'");
	is_at("counters.3.name", "");
}

TEST(a_counter_that_cannot_be_drawn_is_said)
{
	struct tl_event e = { .ns = 100, .kind = TL_COUNTER, .pid = 1 };

	make_message(&a, TIMELINE_THREAD, "heat $celsius%f and $more");
	a.kind = TIMELINE_RECORD_COUNTER;
	e.message = &a;
	e.args[0] = HALF;
	put(&e);
	e.args[0] = NOT_A_NUMBER;
	put(&e);
	e.ns = 50;
	e.args[0] = 0;
	put(&e);
	finish();
	is_at("counters.0.samples.length", "3");
	is_at("counters.0.samples.count.2", "-0.5");
	is_at("counters.0.samples.time.2", "0.000100");
	ck_assert_str_eq(tl_text_string(&f.noted.text),
	    "-95 - raw stamp, number, lane and error of an event have no "
	    "place in the format (3 times)\n"
	    "-95 - a counter has one value: its other arguments are left out "
	    "(3 times)\n"
	    "-95 - a counter's value that is no number is left out\n"
	    "-95 - a time that goes back within a span or a counter stands "
	    "still\n");
}

TEST(a_clock_may_be_set_back_and_years_may_pass)
{
	put_set(VIEWERS_BACK, UINT64_MAX);
	is_at("meta.startTime", "-1000");
	is_at(MARKERS "startTime.0", "999.999995");
	is_at(MARKERS "startTime.1", "1795202659123.456789");
	is_at("meta.profilingStartTime", "999.999995");
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&f.noted.text), "more than 99 days"));
}

TEST(times_at_the_ends_of_64_bits_are_times)
{
	put_event(TL_INSTANT, &a, INT64_MIN, 1);
	put_event(TL_INSTANT, &a, INT64_MAX, 1);
	finish();
	is_at("meta.startTime", "-9223372036000");
	is_at(MARKERS "startTime.0", "-854.775808");
	is_at(MARKERS "startTime.1", "18446744072854.775807");
}

static int
count_bytes(void *context, const char *data, size_t size)
{
	(void)context;
	(void)data;
	written += size;
	return write_rc;
}

static void
start_counting(void)
{
	tl_writer_free(f.writer);
	ck_assert_int_eq(tl_firefox_write_new(&f.writer, count_bytes, NULL,
			     &f.noted.report),
	    0);
}

/* What waits lies in a file: 20 MB are written with a tenth of it. */
TEST(memory_does_not_grow_with_events)
{
	const size_t before = mallinfo2().uordblks;
	struct tl_event event = { 0 };

	start_counting();
	for (uint64_t i = 0; i < 300000; i++) {
		MUST(viewers_event(VIEWERS_MANY, i, &event));
		put(&event);
	}
	ck_assert_uint_eq(written, 0);
	ck_assert_uint_lt(mallinfo2().uordblks, before + (4 << 20));
	finish();
	ck_assert_uint_gt(written, 20000000);
	ck_assert_uint_lt(mallinfo2().uordblks, before + (4 << 20));
}

/* The "x" of each thread's markers count up from 0. */
static void
check_order(struct walk *w, int kind, struct tl_bytes text)
{
	const struct level *level = &w->levels[w->depth];
	uint64_t *markers = w->user;
	char digits[32] = "";

	(void)kind;
	if (level->is_array || strcmp(level->key, "x") != 0)
		return;
	MUST(text.size < sizeof(digits));
	memcpy(digits, text.data, text.size);
	MUST(strtoull(digits, NULL, 10) == w->levels[w->depth - 1].count - 1);
	++*markers;
}

/* So many columns that all of them are moved to the file while short. */
TEST(columns_of_many_threads_keep_their_order)
{
	enum { THREADS = 4000, EACH = 250 };
	struct tl_event e = { .message = &b, .kind = TL_INSTANT, .pid = 1 };
	const size_t before = mallinfo2().uordblks;
	static struct walk w;
	uint64_t markers = 0;

	for (uint32_t i = 0; i < THREADS * EACH; i++) {
		e.ns = i;
		e.tid = i % THREADS + 1;
		e.args[0] = i / THREADS;
		put(&e);
	}
	ck_assert_uint_lt(mallinfo2().uordblks,
	    before + TL_COLUMNS_WAITING_MAX);
	finish();
	w = (struct walk){ .value = check_order, .user = &markers };
	walk(&w, tl_bytes(f.out.data, f.out.size));
	ck_assert_uint_eq(markers, THREADS * EACH);
	ck_assert_uint_eq(w.tables, SHARED_TABLES + 2 * THREADS);
}

TEST(what_is_too_many_is_left_out_and_said)
{
	for (uint32_t i = 0; i < (1 << 16) + 5; i++)
		put_event(TL_INSTANT, &a, i, i + 1);
	finish();
	ck_assert_uint_eq(count_phases().count[0], 1 << 16);
	ck_assert_ptr_nonnull(strstr(tl_text_string(&f.noted.text),
	    "-28 - too many threads, counters or messages: left out "
	    "(5 times)\n"));
}

TEST(what_the_output_says_is_passed_on)
{
	start_counting();
	put_event(TL_INSTANT, &a, 1, 1);
	write_rc = -ENOSPC;
	ck_assert_int_eq(f.writer->sink.finish(&f.writer->sink), -ENOSPC);
}

TEST(a_folder_for_columns_that_is_not_there_is_an_error)
{
	struct tl_event event = { 0 };
	int rc = 0;

	ck_assert_int_eq(setenv("TMPDIR", "/nonexistent", 1), 0);
	for (uint64_t i = 0; rc == 0 && i < 10000; i++) {
		ck_assert(viewers_event(VIEWERS_MANY, i, &event));
		rc = f.writer->sink.put(&f.writer->sink, &event);
	}
	ck_assert_int_eq(rc, -ENOENT);
}
