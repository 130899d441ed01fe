/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_foreign.c - a snapshot made of events from any source is read as
 * exactly these events.
 */
#include "lib/test.h"
#include "timeline_fixture.h"

#include "clock/clock.h"
#include "lib/viewers.h"
#include "snap/write_parts.h"

#include <sys/resource.h>

static uint64_t seed;

static uint64_t
below(uint64_t n)
{
	return random_below(&seed, n);
}

/*
 * The events that were put, described as readers return them: adjacent losses
 * are merged.
 */
struct expected {
	struct tl_text text;
	uint64_t lost;
	uint64_t lost_in_all;
};

static void
expect(struct expected *x, const struct tl_event *e)
{
	if (e->kind == TL_LOST) {
		x->lost += e->lost;
		x->lost_in_all += e->lost;
		return;
	}
	if (x->lost > 0)
		tl_put_format(&x->text, "lost %" PRIu64 "\n", x->lost);
	x->lost = 0;
	describe(&x->text, e, FOREIGN | NO_ERRORS);
}

static void
expect_end(struct expected *x)
{
	if (x->lost > 0)
		tl_put_format(&x->text, "lost %" PRIu64 "\n", x->lost);
}

/* Make an event of a table; the caller sets time, thread and CPU. */
static void
make_event(struct tl_event *e)
{
	const int64_t ns = e->ns;

	viewers_event(VIEWERS_MANY, 0, e);
	e->message = &viewers_messages[below(MESSAGES)];
	e->kind = TL_INSTANT;
	if (e->message->kind == TIMELINE_RECORD_SPAN)
		e->kind = below(2) ? TL_BEGIN : TL_END;
	if (e->message->kind == TIMELINE_RECORD_COUNTER)
		e->kind = TL_COUNTER;
	e->level = e->message->level;
	e->ns = ns;
	e->lost = 0;
	e->bare = e->kind == TL_END && below(2);
	e->pid = (uint32_t)random_next(&seed);
	e->tid = (uint32_t)below(3);
	e->cpu = below(3) ? (uint32_t)below(5) : (uint32_t)random_next(&seed);
	memset(e->args, 0, sizeof(e->args));
	for (unsigned i = 0; i < e->message->argc; i++)
		e->args[i] = e->message->args[i].format == TIMELINE_ARG_STRING
				 ? 1 + below(5)
				 : random_next(&seed);
	e->error_ns = 0;
	e->lane = (uint32_t)below(9);
	e->number = below(9);
	e->epoch = (uint32_t)below(3);
	e->tsc = below(2) * random_next(&seed);
}

static uint64_t
make_loss(void)
{
	static const uint64_t sizes[] = { 1, 2, TL_TIMELINE_TORN_MAX - 1,
		TL_TIMELINE_TORN_MAX, TL_TIMELINE_TORN_MAX + 1, 1000, 1000000,
		UINT64_C(1) << 40, UINT64_C(1) << 56 };

	return sizes[below(sizeof(sizes) / sizeof(sizes[0]))];
}

/* Make times close to the limits of the type, or close to each other. */
static int64_t
make_time(int64_t before, unsigned how)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1,
		INT64_MAX - 1, INT64_MAX };
	int64_t ns;

	switch (how) {
	case 0: /* in order, many equal */
		return before + (int64_t)below(3);
	case 1: /* in order, far apart */
		ns = tl_add_ns(before, (int64_t)(random_next(&seed) >> 6));
		return ns;
	case 2:
		return (int64_t)random_next(&seed);
	default:
		return ends[below(sizeof(ends) / sizeof(ends[0]))];
	}
}

static struct written w;
static struct expected x;

/*
 * Put random events.  Losses are long only where the file can record them at
 * their place.
 */
static void
put_random(unsigned how, unsigned count, bool losses)
{
	struct tl_event e = { .ns = how == 1 ? INT64_MIN : 1700000000 };

	memset(&x, 0, sizeof(x));
	written_start(&w);
	for (unsigned i = 0; i < count; i++) {
		e.ns = make_time(e.ns, how);
		if (losses && below(10) == 0) {
			const struct tl_event lost = { .kind = TL_LOST,
				.lost = how < 2 ? make_loss() : 1 + below(9),
				.cpu = TL_CPU_UNKNOWN };

			expect(&x, &lost);
			written_put(&w, &lost);
			i++; /* the next event is no loss */
		}
		make_event(&e);
		expect(&x, &e);
		written_put(&w, &e);
	}
	expect_end(&x);
	written_finish(&w);
	written_whole(&w);
}

static void
free_all(void)
{
	tl_text_free(&x.text);
	written_free(&w);
}

TEST_FILE(.timeout = 120);

TEST(events_from_anywhere_are_read_again, .to = 4)
{
	for (uint64_t i = 0; i < 40; i++) {
		seed = i * 4 + (uint64_t)_i;
		put_random((unsigned)_i, (unsigned)below(2000), true);
		check_gives(w.snap, &x.text, FOREIGN | NO_ERRORS);
		ck_assert_uint_eq(frozen_walk(w.snap, TL_OLDEST_FIRST).lost,
		    x.lost_in_all);
		free_all();
	}
}

/* Lanes come and go, but the file stays about as small as its events. */
TEST(the_file_is_not_much_larger_than_its_events)
{
	for (unsigned i = 0; i < 9; i++) {
		const unsigned count = 10000 + i * 10007;

		seed = i;
		put_random(i % 3, count, false);
		ck_assert_uint_lt(w.out.size,
		    (i % 3 < 2 ? 76 : 256) * (size_t)count + (1 << 17));
		free_all();
	}
}

TEST(what_viewers_show_is_read_again, .from = VIEWERS_PLAIN,
    .to = VIEWERS_MANY + 1)
{
	struct tl_event e = { 0 };

	memset(&x, 0, sizeof(x));
	written_start(&w);
	for (uint64_t i = 0;
	     i < 1000 && viewers_event((enum viewers_set)_i, i, &e); i++) {
		expect(&x, &e);
		written_put(&w, &e);
	}
	expect_end(&x);
	written_finish(&w);
	written_whole(&w);
	check_gives(w.snap, &x.text, FOREIGN | NO_ERRORS);
	free_all();
}

/* Put one event at a time. */
static void
put_at(int64_t ns, uint32_t error_ns)
{
	struct tl_event e = { .ns = ns };

	make_event(&e);
	e.ns = ns;
	e.tsc = 0;
	e.error_ns = error_ns;
	written_put(&w, &e);
}

static void
put_lost(uint64_t lost, uint32_t cpu)
{
	const struct tl_event e = { .kind = TL_LOST, .lost = lost, .cpu = cpu };

	written_put(&w, &e);
}

TEST(errors_are_that_of_the_worst, .to = 5)
{
	static const int64_t times[][3] = { { 0, 5, 10 },
		{ INT64_MIN, 0, INT64_MAX - 2 },
		{ -5, -4, 1700000000000000000 },
		{ 1700000000000000000, 1700000000000000000,
		    1700000000000000000 },
		{ INT64_MAX - 3, INT64_MAX - 2, INT64_MAX - 2 } };
	struct tl_cursor *cursor;
	struct tl_event e;

	written_start(&w);
	for (unsigned i = 0; i < 3; i++)
		put_at(times[_i][i], 10 * i);
	written_finish(&w);
	written_whole(&w);
	ck_assert_ok(tl_snap_cursor(w.snap, TL_OLDEST_FIRST, &cursor));
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
		ck_assert_int_eq(e.ns, times[_i][i]);
		ck_assert_uint_eq(e.error_ns, 20);
	}
	tl_cursor_close(cursor);
	ck_assert_str_eq(tl_text_string(&w.said.text),
	    "-95 - times have one bound of their error: that of the worst\n");
	written_free(&w);
}

TEST(stamps_are_the_time_from_1970_on)
{
	struct tl_cursor *cursor;
	struct tl_event e;

	written_start(&w);
	put_at(1700000000000000000, 0);
	written_finish(&w);
	ck_assert_ok(tl_snap_cursor(w.snap, TL_OLDEST_FIRST, &cursor));
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
	ck_assert_uint_eq(e.tsc, 1700000000000000000);
	ck_assert_uint_eq(e.error_ns, 0);
	tl_cursor_close(cursor);
	ck_assert_str_eq(tl_text_string(&w.said.text), "");
	written_free(&w);
}

TEST(a_snapshot_may_have_no_events)
{
	written_start(&w);
	written_finish(&w);
	written_whole(&w);
	ck_assert_uint_eq(frozen_walk(w.snap, TL_OLDEST_FIRST).events, 0);
	written_free(&w);
	written_start(&w);
	put_lost(7, TL_CPU_UNKNOWN);
	written_finish(&w);
	written_whole(&w);
	ck_assert_uint_eq(frozen_walk(w.snap, TL_NEWEST_FIRST).lost, 7);
	written_free(&w);
}

TEST(what_is_lost_on_the_way_is_said)
{
	struct tl_event e = { .ns = 5 };

	written_start(&w);
	put_lost(UINT64_MAX, 3);
	make_event(&e);
	e.tsc = 9;
	written_put(&w, &e);
	/* the time goes back: a long loss cannot stand before the event */
	e.ns = 4;
	put_lost(1000, TL_CPU_UNKNOWN);
	written_put(&w, &e);
	written_finish(&w);
	written_whole(&w);
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&w.said.text), "raw stamps are not kept"));
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&w.said.text), "do not keep their CPU"));
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&w.said.text), "not at their place"));
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&w.said.text), "not all are recorded"));
	written_free(&w);
}

/*
 * The losses are before the first event, in slots between two events, and at
 * the start of a lane.
 */
TEST(a_loss_keeps_its_cpu)
{
	static const struct {
		uint64_t lost;
		uint32_t cpu;
	} losses[] = { { 100000, 2 }, { 5, 1 }, { 1000, 300 },
		{ 7, TL_CPU_UNKNOWN }, { 1, 0 }, { TL_TIMELINE_TORN_MAX, 4 },
		{ 2000, TL_CPU_UNKNOWN } };
	const unsigned count = sizeof(losses) / sizeof(losses[0]);
	struct tl_cursor *cursor;
	struct tl_event e;

	written_start(&w);
	for (unsigned i = 0; i < count; i++) {
		put_lost(losses[i].lost, losses[i].cpu);
		put_at(i, 0);
	}
	written_finish(&w);
	written_whole(&w);
	for (unsigned back = 0; back < 2; back++) {
		ck_assert_ok(tl_snap_cursor(w.snap,
		    back ? TL_NEWEST_FIRST : TL_OLDEST_FIRST, &cursor));
		for (unsigned i = 0, at; i < count; i++) {
			at = back ? count - 1 - i : i;
			if (back)
				ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
			ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
			ck_assert_int_eq(e.kind, TL_LOST);
			ck_assert_uint_eq(e.lost, losses[at].lost);
			ck_assert_uint_eq(e.cpu, losses[at].cpu);
			if (!back)
				ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
		}
		ck_assert_int_eq(tl_cursor_next(cursor, &e), 0);
		tl_cursor_close(cursor);
	}
	ck_assert_str_eq(tl_text_string(&w.said.text), "");
	written_free(&w);
}

TEST(losses_of_two_cpus_at_one_place_have_none)
{
	struct tl_cursor *cursor;
	struct tl_event e;

	written_start(&w);
	put_lost(3, 1);
	put_lost(4, 2);
	put_at(1, 0);
	written_finish(&w);
	written_whole(&w);
	ck_assert_ok(tl_snap_cursor(w.snap, TL_OLDEST_FIRST, &cursor));
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
	ck_assert_uint_eq(e.lost, 7);
	ck_assert_uint_eq(e.cpu, TL_CPU_UNKNOWN);
	tl_cursor_close(cursor);
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&w.said.text), "do not keep their CPU"));
	written_free(&w);
}

/* There are more places with long losses than lanes. */
TEST(very_many_long_losses_are_all_counted)
{
	uint64_t lost = 0;

	written_start(&w);
	for (int64_t i = 0; i < 3 * TL_TIMELINE_BREAKS_MAX; i++) {
		put_at(i, 0);
		put_lost(1000, TL_CPU_UNKNOWN);
		lost += 1000;
	}
	written_finish(&w);
	written_whole(&w);
	ck_assert_uint_eq(frozen_walk(w.snap, TL_OLDEST_FIRST).lost, lost);
	ck_assert_uint_eq(frozen_walk(w.snap, TL_OLDEST_FIRST).events,
	    3 * TL_TIMELINE_BREAKS_MAX);
	written_free(&w);
}

/* Losses around the ends of lanes are not split. */
TEST(losses_at_the_ends_of_lanes_are_whole)
{
	for (uint64_t lost = 1; lost <= TL_TIMELINE_TORN_MAX; lost += 9) {
		memset(&x, 0, sizeof(x));
		written_start(&w);
		for (int64_t i = 0; i < 1000; i++) {
			struct tl_event e = { .ns = i };
			const struct tl_event loss = { .kind = TL_LOST,
				.lost = lost };

			make_event(&e);
			expect(&x, &e);
			expect(&x, &loss);
			written_put(&w, &e);
			put_lost(lost, TL_CPU_UNKNOWN);
		}
		expect_end(&x);
		written_finish(&w);
		written_whole(&w);
		check_gives(w.snap, &x.text, FOREIGN | NO_ERRORS);
		free_all();
	}
}

static int
count_bytes(void *context, const char *data, size_t size)
{
	(void)data;
	*(uint64_t *)context += size;
	return 0;
}

/* Memory does not grow with the number of events. */
TEST(a_million_events_take_little_memory)
{
	enum { MILLION = 1000000, MEMORY_MAX_KB = 200 << 10 };
	struct tl_event e = { 0 };
	struct rusage usage;
	uint64_t bytes = 0;

	ck_assert_ok(
	    tl_timeline_write_new(&w.writer, count_bytes, &bytes, NULL));
	for (uint64_t i = 0; i < MILLION; i++) {
		ck_assert(viewers_event(VIEWERS_MANY, i, &e));
		written_put(&w, &e);
	}
	ck_assert_ok(w.writer->sink.finish(&w.writer->sink));
	tl_writer_free(w.writer);
	ck_assert_uint_gt(bytes, MILLION * UINT64_C(64));
	getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
	ck_assert_int_lt(usage.ru_maxrss, MEMORY_MAX_KB);
#endif
}

TEST(without_a_place_for_the_events_putting_fails)
{
	struct tl_event e = { 0 };
	int rc = 0;

	setenv("TMPDIR", "/nonexistent", 1);
	written_start(&w);
	for (uint64_t i = 0; i < 1000000 && rc == 0; i++) {
		viewers_event(VIEWERS_MANY, i, &e);
		rc = w.writer->sink.put(&w.writer->sink, &e);
	}
	ck_assert_int_eq(rc, -ENOENT);
	tl_writer_free(w.writer);
	tl_text_free(&w.out);
}

/* The table alone: an event that finds no room gets a message that says so. */
TEST(a_full_table_says_so)
{
	struct tl_timeline_table table;
	uint32_t offset, lost = 0, first;
	unsigned refused = 0;
	struct tl_event e = { 0 };
	struct tl_record r;
	uint64_t named;

	viewers_event(VIEWERS_MANY, 0, &e);
	ck_assert_ok(tl_timeline_table_init(&table, 0, 1));
	table.size_max = 500;
	ck_assert_ok(tl_timeline_table_message(&table, e.message,
	    e.message->kind, &first));
	for (int i = 0; i < MESSAGES; i++)
		if (tl_timeline_table_message(&table, &viewers_messages[i],
			TIMELINE_RECORD_INSTANT, &offset) == -ENOSPC) {
			refused++;
			lost = offset;
		}
	ck_assert_uint_gt(refused, 0);
	ck_assert_ok(tl_record_at(&r, table.bytes, table.tail, lost, 0, NULL));
	ck_assert_mem_eq(r.text.data, "message lost", 12);
	ck_assert_ok(tl_timeline_table_message(&table, e.message,
	    e.message->kind, &offset));
	ck_assert_uint_eq(first, offset);
	ck_assert_int_eq(tl_timeline_table_string(&table,
			     &viewers_messages[LABEL], 5, &named),
	    -ENOSPC);
	ck_assert_uint_eq(named, 0);
	tl_timeline_table_free(&table);
}

/* A begin whose message is no span, five arguments, and a NULL category. */
TEST(strange_messages_are_written_as_they_can_be)
{
	struct tl_message five = { .kind = TIMELINE_RECORD_INSTANT,
		.level = 77,
		.category = { NULL, 0 },
		.text = { "$a$b$c$d$e", 10 } };
	struct tl_event e = { .message = &five, .kind = TL_BEGIN };
	struct tl_cursor *cursor;

	written_start(&w);
	written_put(&w, &e);
	e.kind = TL_INSTANT;
	written_put(&w, &e);
	written_finish(&w);
	written_whole(&w);
	ck_assert_ok(tl_snap_cursor(w.snap, TL_OLDEST_FIRST, &cursor));
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
	ck_assert_uint_eq(e.kind, TL_BEGIN);
	ck_assert_uint_eq(e.level, TIMELINE_LEVEL_MAX);
	ck_assert(tl_bytes_equal(e.message->text, tl_bytes_of("_a_b_c_d_e")));
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
	ck_assert_uint_eq(e.kind, TL_INSTANT);
	tl_cursor_close(cursor);
	written_free(&w);
}
