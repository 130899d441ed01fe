/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - the copy of a snapshot equals the snapshot. */
#include "lib/snap_open.h"
#include "lib/test.h"
#include "timeline_random.h"

static void
check_messages(struct tl_snap *a, struct tl_snap *b)
{
	struct tl_text wanted = { 0 }, got = { 0 };

	ck_assert_uint_eq(tl_snap_message_count(a), tl_snap_message_count(b));
	for (size_t i = 0; i < tl_snap_message_count(a); i++) {
		describe_message(&wanted, tl_snap_message(a, i), 0);
		describe_message(&got, tl_snap_message(b, i), 0);
	}
	check_same(&wanted, &got);
	tl_text_free(&wanted);
	tl_text_free(&got);
}

static void
check_lanes(struct tl_snap *a, struct tl_snap *b)
{
	ck_assert_uint_eq(tl_snap_lane_count(a), tl_snap_lane_count(b));
	for (size_t i = 0; i < tl_snap_lane_count(a); i++) {
		const struct tl_snap_lane *p = tl_snap_lane(a, i);
		const struct tl_snap_lane *q = tl_snap_lane(b, i);

		ck_assert_uint_eq(p->cpu, q->cpu);
		ck_assert_uint_eq(p->tier, q->tier);
		ck_assert_uint_eq(p->head, q->head);
		ck_assert_uint_eq(p->first, q->first);
		ck_assert_uint_eq(p->end, q->end);
		ck_assert_uint_eq(p->torn, q->torn);
		ck_assert_uint_eq(p->stuck, q->stuck);
		ck_assert_uint_eq(p->lapped, q->lapped);
	}
}

static void
check_header(struct tl_snap *a, struct tl_snap *b)
{
	const struct timeline_header *p = tl_snap_header(a);
	const struct timeline_header *q = tl_snap_header(b);

	ck_assert_mem_eq(&p->clock, &q->clock, sizeof(p->clock));
	ck_assert_mem_eq(&p->boot_id, &q->boot_id, 2 * 16);
	ck_assert_mem_eq(p->creator_host, q->creator_host, 128);
	ck_assert_mem_eq(p->drops, q->drops, sizeof(p->drops));
	ck_assert_uint_eq(p->levels, q->levels);
	ck_assert_uint_eq(p->clock_kind, q->clock_kind);
	ck_assert_uint_eq(p->knot_count, q->knot_count);
	ck_assert_uint_eq(p->tsc_khz, q->tsc_khz);
	ck_assert_int_eq(p->created_ns, q->created_ns);
	ck_assert_int_eq(p->saved_ns, q->saved_ns);
	ck_assert_uint_eq(tl_snap_knot_count(a), tl_snap_knot_count(b));
	for (size_t i = 0; i < tl_snap_knot_count(a); i++)
		ck_assert_mem_eq(tl_snap_knot(a, i), tl_snap_knot(b, i),
		    sizeof(struct timeline_knot));
}

/*
 * The copy has all that the snapshot has, and cannot be distinguished from it.
 */
static void
check_copy(struct tl_snap *snap)
{
	struct written w;

	written_copy(&w, snap, NULL, NULL, 0);
	written_whole(&w);
	check_header(snap, w.snap);
	check_messages(snap, w.snap);
	check_lanes(snap, w.snap);
	for (int order = 0; order < 2; order++) {
		struct tl_text wanted = describe_snap(snap,
		    order ? TL_OLDEST_FIRST : TL_NEWEST_FIRST, 0);
		struct tl_text got = describe_snap(w.snap,
		    order ? TL_OLDEST_FIRST : TL_NEWEST_FIRST, 0);

		check_same(&wanted, &got);
		tl_text_free(&wanted);
		tl_text_free(&got);
	}
	ck_assert_str_eq(tl_text_string(&w.said.text), "");
	written_free(&w);
}

static uint64_t
longest_sorted_lane(void)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < timeline_lane_count(file.header); i++) {
		const struct timeline_head *head = frozen_head(&file, i);

		if (timeline_lane_is_fallback(file.header, i) &&
		    head->end - head->first > longest)
			longest = head->end - head->first;
	}
	return longest;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(a_copy_cannot_be_told_from_its_original, .to = 4)
{
	struct tl_snap *snap;
	uint64_t tail;

	huge = true;
	first_header = *file.header;
	for (seed = (uint64_t)_i * 1000; seed < (uint64_t)_i * 1000 + 100;) {
		const uint64_t next = seed + 1;

		make_again(next % 2);
		tail = below(3) ? 0 : below(N);
		/*
		 * a reader that cuts a lane sorted by stamp shows another range
		 * than the range of the lane
		 */
		if (tail < longest_sorted_lane())
			tail = 0;
		snap = frozen_open(&file, tail);
		check_copy(snap);
		tl_snap_close(snap);
		seed = next;
	}
}

/* Let a random part of the events pass. */
static uint64_t filter_seed;

static bool
pass_some(const struct tl_event *event)
{
	return event->kind == TL_LOST || random_below(&filter_seed, 3) > 0;
}

static uint64_t
lost_in(struct tl_snap *snap)
{
	return frozen_walk(snap, TL_OLDEST_FIRST).lost;
}

/* A filter causes no loss, and lanes remain what they are. */
TEST(what_a_filter_took_out_is_no_loss)
{
	struct tl_snap *snap;
	struct written w;

	first_header = *file.header;
	for (uint64_t i = 0; i < 200; i++) {
		struct tl_text expected = { 0 };

		seed = filter_seed = i;
		make_again(false);
		snap = frozen_open(&file, 0);
		written_copy(&w, snap, pass_some, &expected,
		    NO_NUMBERS | NO_LOSSES);
		written_whole(&w);
		check_gives(w.snap, &expected, NO_NUMBERS | NO_LOSSES);
		check_messages(snap, w.snap);
		ck_assert_uint_eq(lost_in(w.snap), lost_in(snap));
		ck_assert_str_eq(tl_text_string(&w.said.text), "");
		tl_text_free(&expected);
		written_free(&w);
		tl_snap_close(snap);
	}
}

/*
 * The lanes cannot be merged into the order of the events: the order is kept.
 */
TEST(the_order_is_kept_where_lanes_cannot_be)
{
	struct tl_snap *snap;
	struct written w;
	unsigned in_a_row = 0;

	first_header = *file.header;
	for (uint64_t i = 0; i < 200; i++) {
		struct tl_text expected = { 0 };

		seed = filter_seed = i;
		make_again(true);
		snap = frozen_open(&file, 0);
		written_copy(&w, snap, pass_some, &expected,
		    NO_PLACES | NO_LOSSES);
		written_whole(&w);
		check_gives(w.snap, &expected, NO_PLACES | NO_LOSSES);
		if (w.said.text.size > 0)
			in_a_row++;
		tl_text_free(&expected);
		written_free(&w);
		tl_snap_close(snap);
	}
	ck_assert_uint_gt(in_a_row, 100);
}

/* Make lanes with one event each, all with the same stamp. */
static void
make_tied(uint64_t number)
{
	first_header = *file.header;
	make_knots(0);
	for (uint32_t lane = 0; lane < LANES; lane++) {
		struct timeline_head *head = frozen_head(&file, lane);

		memset(head, 0, sizeof(*head));
		head->first = head->end = head->cleared = number;
		put(lane, 1000, false);
	}
}

/*
 * The writer gets the events in another order than that of the lanes, and must
 * keep the order.
 */
TEST(events_of_one_time_stay_as_they_were_put)
{
	struct tl_text expected = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	struct written w;

	make_tied(0);
	snap = frozen_open(&file, 0);
	written_start(&w);
	tl_timeline_write_set_snap(w.writer, snap);
	ck_assert_ok(tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor));
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 1); /* skip one event */
	while (tl_cursor_next(cursor, &e) > 0) {
		describe(&expected, &e, NO_PLACES);
		written_put(&w, &e);
	}
	tl_cursor_close(cursor);
	written_finish(&w);
	written_whole(&w);
	check_gives(w.snap, &expected, NO_PLACES);
	tl_text_free(&expected);
	written_free(&w);
	tl_snap_close(snap);
}

static uint64_t unwanted;

static bool
pass_others(const struct tl_event *event)
{
	return event->number != unwanted;
}

/* A lane without a gap keeps its numbers; any other lane is numbered from 0. */
TEST(only_what_has_holes_is_numbered_anew)
{
	static const uint64_t firsts[] = { 11, 0, 10 };
	struct tl_snap *snap;
	struct written w;

	make_tied(10);
	put(2, 1001, false);
	put(2, 1002, false);
	snap = frozen_open(&file, 0);
	for (unwanted = 10; unwanted < 13; unwanted++) {
		const struct tl_snap_lane *lane;

		written_copy(&w, snap, pass_others, NULL, 0);
		written_whole(&w);
		lane = tl_snap_lane(w.snap, 2);
		ck_assert_uint_eq(lane->first, firsts[unwanted - 10]);
		ck_assert_uint_eq(lane->end, lane->first + 2);
		ck_assert_uint_eq(lost_in(w.snap), 0);
		written_free(&w);
	}
	tl_snap_close(snap);
}

TEST(a_clock_with_a_hole_is_copied_without_it)
{
	struct timeline_knot *knots =
	    (void *)(file.bytes + file.header->knots_offset);
	struct tl_snap *snap;
	struct written w;

	for (unsigned i = 0; i < 3; i++) {
		struct tl_text expected = { 0 };

		seed = 3;
		make_tied(0);
		make_knots(2);
		for (unsigned k = 0; k <= i; k++)
			knots[k].seq = 0;
		snap = frozen_open(&file, 0);
		ck_assert_uint_gt(tl_snap_fault_count(snap), 0);
		written_copy(&w, snap, NULL, &expected, 0);
		written_whole(&w);
		check_gives(w.snap, &expected, 0);
		tl_text_free(&expected);
		written_free(&w);
		tl_snap_close(snap);
	}
}

/* A ring of this machine whose lanes were overwritten. */
TEST(a_real_ring_is_copied)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	for (uint64_t i = 0; i < 1000; i++) {
		timeline_log(events[0], i, words[i % 2]);
		timeline_begin(events[1], i);
		timeline_log(events[2], 0.5 * (double)i);
		timeline_end(events[1]);
	}
	timeline_priority(tl, "warning");
	timeline_burst(tl, "trace", 1000000);
	ck_assert_msg(snap_open(&snap, fixture_name, 0, &fault) == 0, "%s",
	    fault.text);
	ck_assert_uint_gt(lost_in(snap), 0);
	check_copy(snap);
	tl_snap_close(snap);
}

/* Count the overwritten entries of a snapshot, and those lost otherwise. */
static void
count_losses(struct tl_snap *snap, uint64_t *overwritten, uint64_t *lost)
{
	struct tl_cursor *cursor;
	struct tl_event event;

	*overwritten = *lost = 0;
	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0)
		if (event.kind == TL_LOST)
			*(event.overwritten ? overwritten : lost) += event.lost;
	tl_cursor_close(cursor);
}

/* The begin of the timer stands before the loss, which is at the begin of its
 * lane all the same. */
TEST(what_a_timer_was_longer_than_stays_overwritten)
{
	struct tl_fault fault = { 0 };
	uint64_t overwritten, lost, begun;
	struct timeline_event *timer;
	struct tl_snap *snap;
	struct written w;

	ck_assert_ok(timeline_define_timer(tl, "t", "info", "long $n", &timer));
	begun = timeline_timer_begin(timer);
	for (uint64_t i = 0; i < 1000; i++)
		timeline_log(events[0], i, words[0]);
	timeline_timer_end(timer, begun, 1);
	ck_assert_msg(snap_open(&snap, fixture_name, 0, &fault) == 0, "%s",
	    fault.text);
	count_losses(snap, &overwritten, &lost);
	ck_assert_uint_gt(overwritten, 64);
	ck_assert_uint_eq(lost, 0);
	written_copy(&w, snap, NULL, NULL, 0);
	written_whole(&w);
	count_losses(w.snap, &overwritten, &lost);
	ck_assert_uint_gt(overwritten, 64);
	ck_assert_uint_eq(lost, 0);
	written_free(&w);
	tl_snap_close(snap);
}

TEST(a_copy_of_a_copy_is_the_same_bytes)
{
	struct tl_snap *snap;
	struct written a, b;

	first_header = *file.header;
	seed = 5;
	make_again(false);
	snap = frozen_open(&file, 0);
	written_copy(&a, snap, NULL, NULL, 0);
	written_copy(&b, a.snap, NULL, NULL, 0);
	ck_assert_uint_eq(a.out.size, b.out.size);
	ck_assert_mem_eq(a.out.data, b.out.data, a.out.size);
	written_free(&b);
	written_free(&a);
	tl_snap_close(snap);
}

static void
set_errors(uint32_t error_ns)
{
	struct timeline_knot *knots =
	    (void *)(file.bytes + file.header->knots_offset);

	for (uint32_t i = 0; i < file.header->knots_max; i++)
		knots[i].max_err_ns = error_ns;
	file.header->clock.max_err_ns = error_ns;
}

/* Two snapshots of one ring; the later snapshot knows more of the clock. */
TEST(snapshots_of_one_clock_keep_their_stamps)
{
	struct tl_text expected = { 0 };
	struct tl_cursor *cursors[2], *cursor;
	const unsigned clocks[2] = { 0, 0 };
	struct tl_snap *snaps[2];
	struct tl_event e;
	struct written w;

	first_header = *file.header;
	for (int i = 0; i < 2; i++) {
		seed = (uint64_t)i + 9;
		make_again(i);
		file.header->clock.sequence = 0;
		file.header->clock.tsc = 100000 + (uint64_t)i;
		file.header->clock.epoch = 9;
		set_errors(i ? 5 : 50);
		snaps[i] = frozen_open(&file, 0);
		ck_assert_ok(
		    tl_snap_cursor(snaps[i], TL_OLDEST_FIRST, &cursors[i]));
	}
	written_start(&w);
	tl_timeline_write_set_snap(w.writer, snaps[0]);
	tl_timeline_write_set_snap(w.writer, snaps[1]);
	ck_assert_ok(
	    tl_merge_new(&cursor, cursors, clocks, 2, TL_OLDEST_FIRST));
	while (tl_cursor_next(cursor, &e) > 0) {
		written_put(&w, &e);
		e.ns = tl_snap_time(snaps[1], e.epoch, e.tsc, &e.error_ns);
		describe(&expected, &e, NO_PLACES | NO_LOSSES | NO_IDS);
	}
	tl_cursor_close(cursor);
	written_finish(&w);
	written_whole(&w);
	check_gives(w.snap, &expected, NO_PLACES | NO_LOSSES | NO_IDS);
	ck_assert_ptr_nonnull(
	    strstr(tl_text_string(&w.said.text), "clock knots of one"));
	tl_text_free(&expected);
	written_free(&w);
	tl_snap_close(snaps[0]);
	tl_snap_close(snaps[1]);
}

/* A disk that is full after so many bytes. */
static size_t room;

static int
write_until_full(void *context, const char *data, size_t size)
{
	(void)context;
	(void)data;
	if (size > room)
		return -ENOSPC;
	room -= size;
	return 0;
}

TEST(every_write_may_fail)
{
	struct tl_snap *snap;
	struct tl_writer *writer;
	struct tl_cursor *cursor;
	struct tl_event e;
	int rc = -1;

	first_header = *file.header;
	seed = 5;
	make_again(false);
	snap = frozen_open(&file, 0);
	for (size_t max = 0; rc != 0; max += TL_OUT_SIZE_MAX / 2) {
		room = max;
		ck_assert_ok(tl_timeline_write_new(&writer, write_until_full,
		    NULL, NULL));
		tl_timeline_write_set_snap(writer, snap);
		ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
		while (tl_cursor_next(cursor, &e) > 0)
			ck_assert_ok(writer->sink.put(&writer->sink, &e));
		tl_cursor_close(cursor);
		rc = writer->sink.finish(&writer->sink);
		ck_assert(rc == 0 ? max > 0 : rc == -ENOSPC);
		tl_writer_free(writer);
	}
	tl_snap_close(snap);
}

/* The copy of a damaged file has the same events, and no damage. */
TEST(the_copy_of_a_damaged_file_is_whole)
{
	struct tl_snap *snap;
	struct written w;
	int rc;

	first_header = *file.header;
	for (uint64_t i = 0; i < 400; i++) {
		struct tl_text expected = { 0 };
		struct tl_fault fault;
		uint8_t *at;

		seed = i;
		make_again(false);
		/*
		 * flip bits in the strings or the knots, then in messages of
		 * entries and in heads
		 */
		at = file.bytes + (below(2) ? file.header->strings_offset
					    : file.header->knots_offset);
		for (uint64_t k = below(20); k > 0; k--)
			at[below(2000)] ^= (uint8_t)(1 << below(8));
		for (uint32_t lane = 0; lane < LANES; lane++)
			frozen_entry(&file, lane,
			    frozen_head(&file, lane)->first)
			    ->message ^= 0x40 * (uint32_t)below(2);
		for (uint64_t k = below(3); k > 0; k--)
			file.bytes[TIMELINE_HEADER_SIZE +
				   below(LANES * TIMELINE_HEAD_SIZE)] ^=
			    (uint8_t)(1 << below(8));
		rc = frozen_try(&snap, file.bytes, file.size, &fault);
		ck_assert_int_eq(rc, 0);
		written_copy(&w, snap, NULL, &expected, NO_LOSSES | NO_IDS);
		written_whole(&w);
		ck_assert_uint_eq(frozen_walk(w.snap, TL_OLDEST_FIRST).events,
		    frozen_walk(snap, TL_OLDEST_FIRST).events);
		if (!strstr(tl_text_string(&w.said.text), "not all are"))
			ck_assert_uint_eq(lost_in(w.snap), lost_in(snap));
		written_whole(&w);
		tl_text_free(&expected);
		written_free(&w);
		tl_snap_close(snap);
		frozen_free(&file);
		file = frozen_save();
	}
}
