/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - the sorter keeps events and returns them in order of time. */
#include "event/sorter.h"
#include "lib/test.h"

#include <errno.h>
#include <stdlib.h>

enum { COUNT = 30000, SMALL = 1 };

static struct tl_store *store;
static struct tl_event events[COUNT]; /* in the order in which they were put */
static struct tl_message message = { .argc = 3 };

static void
put_all(size_t memory_max, int64_t (*ns)(unsigned i))
{
	struct tl_sink *sink;

	ck_assert_ok(tl_store_new(&store, memory_max));
	sink = tl_store_sink(store);
	for (unsigned i = 0; i < COUNT; i++) {
		events[i] = (struct tl_event){ .ns = ns(i),
			.tsc = i % 2 ? i : 0,
			.args = { i, UINT64_MAX, 3 },
			.message = &message,
			.number = i % 3 ? i : 0,
			.error_ns = i % 5,
			.epoch = i % 7,
			.cpu = i % 11 ? i : TL_CPU_UNKNOWN,
			.pid = UINT32_MAX,
			.tid = i,
			.lane = i % 13,
			.kind = TL_BEGIN,
			.level = 9,
			.bare = i % 2,
			.known = i % 6 == 1,
			.moved = i % 19 == 0,
			.continued = i % 17 == 0 };
		if (i % 100 == 99)
			events[i] = (struct tl_event){ .ns = ns(i),
				.kind = TL_LOST,
				.lost = i,
				.cpu = 1 };
		ck_assert_ok(sink->put(sink, &events[i]));
	}
	ck_assert_ok(sink->finish(sink));
	ck_assert_uint_eq(tl_store_count(store), COUNT);
}

/* The index of an event among those that were put. */
static unsigned
index_of(const struct tl_event *e)
{
	return (unsigned)(e->message ? e->args[0] : e->lost);
}

static void
read_all(enum tl_order order, unsigned found[COUNT])
{
	struct tl_cursor *cursor;
	struct tl_event event;
	unsigned n = 0;
	int rc;

	ck_assert_ok(tl_store_cursor(store, order, &cursor));
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		const struct tl_event *put = &events[index_of(&event)];

		ck_assert_uint_lt(n, COUNT);
		found[n++] = index_of(&event);
		ck_assert_int_eq(event.ns, put->ns);
		ck_assert_uint_eq(event.tsc, put->tsc);
		ck_assert_mem_eq(event.args, put->args, sizeof(event.args));
		ck_assert_ptr_eq(event.message, put->message);
		ck_assert_uint_eq(event.number, put->number);
		ck_assert_uint_eq(event.lost, put->lost);
		ck_assert_uint_eq(event.error_ns, put->error_ns);
		ck_assert_uint_eq(event.epoch, put->epoch);
		ck_assert_uint_eq(event.cpu, put->cpu);
		ck_assert_uint_eq(event.pid, put->pid);
		ck_assert_uint_eq(event.tid, put->tid);
		ck_assert_uint_eq(event.lane, put->lane);
		ck_assert_uint_eq(event.kind, put->kind);
		ck_assert_uint_eq(event.level, put->level);
		ck_assert_int_eq(event.bare, put->bare);
		ck_assert_int_eq(event.known, put->known);
		ck_assert_int_eq(event.continued, put->continued);
	}
	tl_cursor_close(cursor);
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(n, COUNT);
}

static int64_t
rising(unsigned i)
{
	return i / 3;
}

static int64_t
falling(unsigned i)
{
	return -(int64_t)(i / 3);
}

static int64_t
scattered(unsigned i)
{
	return (int64_t)(i * 7919u % 1000u) - 500;
}

static int64_t (*const times[])(unsigned) = { rising, falling, scattered };

/*
 * Check the order by time.  Events of one time keep the order in which they
 * were put, or its reverse where all times fell.
 */
static void
check_order(bool turned)
{
	static unsigned oldest[COUNT], newest[COUNT];

	read_all(TL_OLDEST_FIRST, oldest);
	read_all(TL_NEWEST_FIRST, newest);
	for (unsigned i = 0; i < COUNT; i++)
		ck_assert_uint_eq(oldest[i], newest[COUNT - 1 - i]);
	for (unsigned i = 1; i < COUNT; i++) {
		const int64_t a = events[oldest[i - 1]].ns;
		const int64_t b = events[oldest[i]].ns;

		ck_assert_int_le(a, b);
		if (a == b)
			ck_assert_int_eq(oldest[i - 1] < oldest[i], !turned);
	}
	tl_store_free(store);
}

TEST_FILE(.timeout = 60);

TEST(events_in_memory_are_given_in_order_of_time, .to = 3)
{
	put_all(TL_STORE_MEMORY_MAX, times[_i]);
	check_order(times[_i] == falling);
}

TEST(events_that_were_spilled_are_given_in_order_of_time, .to = 3)
{
	put_all(SMALL, times[_i]);
	check_order(times[_i] == falling);
}

TEST(the_newest_is_known)
{
	int64_t ns;

	put_all(SMALL, scattered);
	ck_assert_ok(tl_store_newest(store, &ns));
	ck_assert_int_eq(ns, 499);
	tl_store_free(store);
}

TEST(an_empty_store_gives_nothing)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int64_t ns;

	ck_assert_ok(tl_store_new(&store, SMALL));
	ck_assert_int_eq(tl_store_sink(store)->finish(tl_store_sink(store)), 0);
	ck_assert_int_eq(tl_store_newest(store, &ns), -ENODATA);
	ck_assert_ok(tl_store_cursor(store, TL_NEWEST_FIRST, &cursor));
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 0);
	tl_cursor_close(cursor);
	tl_store_free(store);
}

TEST(without_a_place_for_the_file_putting_fails)
{
	const struct tl_event event = { .kind = TL_LOST };
	int rc = 0;

	setenv("TMPDIR", "/nonexistent", 1);
	ck_assert_ok(tl_store_new(&store, SMALL));
	for (unsigned i = 0; i < COUNT && rc == 0; i++)
		rc = tl_store_sink(store)->put(tl_store_sink(store), &event);
	ck_assert_int_eq(rc, -ENOENT);
	tl_store_free(store);
}
