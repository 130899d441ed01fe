/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.c - a copy of a live file takes exactly the whole entries for whole.
 *
 * The test makes the live file by hand in the mapping of a fixture: heads,
 * stamps, and the traces of a dead or stopped writer.
 */
#include "snap/take.h"
#include "lib/frozen.h"
#include "lib/snap_open.h"
#include "lib/test.h"
#include "snap/reader.h"

enum { CPU_LANE = 0, KEEP_LANE = 1, FALLBACK_LANE = 2, N = 64 };

static struct timeline_event *event;
static uint64_t beside; /* entries in other lanes */

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
}

static void
put_entry(uint32_t lane, uint64_t q)
{
	struct timeline_entry *e = fixture_entry(lane, q);

	*e = (struct timeline_entry){ .tsc = q + 1,
		.message = event->message,
		.args = { q },
		.stamp = timeline_stamp_whole(q) };
	if (tl->header->major > 1)
		fixture_stamp(lane, q);
}

/* Fill a lane as if so many entries had been appended to it. */
static void
fill_lane(uint32_t lane, uint64_t head)
{
	for (uint64_t q = head > N ? head - N : 0; q < head; q++)
		put_entry(lane, q);
	fixture_head(lane)->head = head;
}

static struct tl_snap *
open_live(uint64_t tail)
{
	struct tl_fault fault = { 0 };
	struct tl_snap *snap;

	ck_assert_msg(snap_open(&snap, fixture_name, tail, &fault) == 0, "%s",
	    fault.text);
	ck_assert(tl_snap_was_live(snap));
	return snap;
}

/* Check the range and the counts of a lane. */
static void
expect_lane(uint32_t number, uint64_t first, uint64_t end, uint64_t torn,
    uint64_t stuck)
{
	struct tl_snap *snap = open_live(0);
	const struct tl_snap_lane *lane = tl_snap_lane(snap, number);
	const struct walk w = frozen_walk(snap, TL_OLDEST_FIRST);

	ck_assert_uint_eq(lane->first, first);
	ck_assert_uint_eq(lane->end, end);
	ck_assert_uint_eq(lane->torn, torn);
	ck_assert_uint_eq(lane->stuck, stuck);
	ck_assert_uint_eq(w.events, end - first - torn + beside);
	ck_assert_uint_eq(lane->lapped,
	    first > lane->cleared && first < end ? first - lane->cleared : 0);
	ck_assert_uint_eq(w.lost, torn + lane->lapped);
	ck_assert_uint_eq(frozen_walk(snap, TL_NEWEST_FIRST).events, w.events);
	ck_assert_uint_eq(tl_snap_fault_count(snap), 0);
	tl_snap_close(snap);
}

TEST_FILE(.setup = setup, .teardown = fixture_close, .timeout = 60);

TEST(a_lane_yields_one_less_than_it_has_slots)
{
	expect_lane(CPU_LANE, 0, 0, 0, 0);
	for (uint64_t head = 1; head < 4 * N; head++) {
		fill_lane(CPU_LANE, head);
		expect_lane(CPU_LANE, head < N ? 0 : head - N + 1, head, 0, 0);
	}
}

/* An append was cut short right before its commit. */
TEST(an_unfinished_entry_is_neither_shown_nor_lost)
{
	fill_lane(CPU_LANE, 2 * N);
	fixture_entry(CPU_LANE, 2 * N)->stamp = timeline_stamp_whole(2 * N);
	fixture_entry(CPU_LANE, 2 * N)->args[0] = 666;
	expect_lane(CPU_LANE, N + 1, 2 * N, 0, 0);
}

TEST(an_entry_with_another_stamp_is_torn)
{
	const uint64_t q = 3 * N - 10;
	const uint64_t stamps[] = { 0, timeline_stamp_writing(q),
		timeline_stamp_whole(q - N), timeline_stamp_whole(q + N),
		timeline_stamp_whole(q) + 1, UINT64_MAX };

	fill_lane(CPU_LANE, 3 * N);
	for (int i = 0; i < 6; i++) {
		fixture_entry(CPU_LANE, q)->stamp = stamps[i];
		expect_lane(CPU_LANE, 2 * N + 1, 3 * N, 1, 0);
	}
}

/* Each entry of a fallback lane proves itself, including the oldest one. */
TEST(a_fallback_lane_yields_all_its_slots)
{
	for (uint64_t head = 1; head < 4 * N; head++) {
		fill_lane(FALLBACK_LANE, head);
		expect_lane(FALLBACK_LANE, head < N ? 0 : head - N, head, 0, 0);
	}
}

TEST(a_fallback_entry_with_another_sum_is_torn)
{
	const uint64_t q = 3 * N - 10;
	struct timeline_entry *e = fixture_entry(FALLBACK_LANE, q);
	uint64_t *words = (void *)e;

	for (int word = 0; word < 8; word++) {
		fill_lane(FALLBACK_LANE, 3 * N);
		words[word]++;
		expect_lane(FALLBACK_LANE, 2 * N, 3 * N, 1, 0);
	}
	fill_lane(FALLBACK_LANE, 3 * N);
	e->stamp = timeline_stamp_fallback(q - N, e);
	expect_lane(FALLBACK_LANE, 2 * N, 3 * N, 1, 0);
	/* the stamp holds the number, but not the sum */
	e->stamp = timeline_stamp_whole(q);
	expect_lane(FALLBACK_LANE, 2 * N, 3 * N, 1, 0);
}

/* The head of a fallback lane runs ahead of its entries. */
TEST(tickets_that_are_not_written_yet_are_not_lost)
{
	fill_lane(FALLBACK_LANE, 10);
	fixture_head(FALLBACK_LANE)->head = 13;
	expect_lane(FALLBACK_LANE, 0, 10, 0, 0);
	put_entry(FALLBACK_LANE, 11);
	expect_lane(FALLBACK_LANE, 0, 12, 1, 0);
	fill_lane(FALLBACK_LANE, 0);
	fixture_head(FALLBACK_LANE)->head = 5;
	memset(fixture_entry(FALLBACK_LANE, 0), 0,
	    N * sizeof(struct timeline_entry));
	expect_lane(FALLBACK_LANE, 0, 0, 0, 0);
}

/*
 * Fallback lanes of version 1 had no sums: their stamps are plain, and they
 * yield one entry less.
 */
TEST(a_fallback_lane_of_version_1_has_plain_stamps)
{
	tl->header->major = 1;
	for (uint64_t head = 1; head < 4 * N; head++) {
		fill_lane(FALLBACK_LANE, head);
		expect_lane(FALLBACK_LANE, head < N ? 0 : head - N + 1, head, 0,
		    0);
	}
	fixture_entry(FALLBACK_LANE, 4 * N - 10)->stamp++;
	expect_lane(FALLBACK_LANE, 3 * N, 4 * N - 1, 1, 0);
	fixture_head(FALLBACK_LANE)->head += 3;
	expect_lane(FALLBACK_LANE, 3 * N + 3, 4 * N - 1, 1, 0);
}

/* A snapshot has plain stamps only, and its readers know no others. */
TEST(a_snapshot_has_plain_stamps)
{
	struct frozen f;

	fill_lane(FALLBACK_LANE, N + 5);
	fixture_entry(FALLBACK_LANE, N)->args[1]++;
	f = frozen_save();
	for (uint64_t q = 5; q < N + 5; q++)
		ck_assert_uint_eq(frozen_entry(&f, FALLBACK_LANE, q)->stamp,
		    q == N ? 0 : timeline_stamp_whole(q));
	ck_assert_uint_eq(frozen_head(&f, FALLBACK_LANE)->torn, 1);
	frozen_free(&f);
}

TEST(a_snapshot_blanks_what_is_not_whole)
{
	struct frozen f;

	fill_lane(CPU_LANE, N + 5);
	fixture_entry(CPU_LANE, N)->stamp = 7;
	f = frozen_save();
	ck_assert_uint_eq(f.header->state, TIMELINE_SAVED);
	ck_assert_int_gt(f.header->saved_ns, 0);
	ck_assert_uint_eq(frozen_head(&f, CPU_LANE)->first, 6);
	ck_assert_uint_eq(frozen_head(&f, CPU_LANE)->end, N + 5);
	ck_assert_uint_eq(frozen_head(&f, CPU_LANE)->torn, 1);
	ck_assert_uint_eq(frozen_entry(&f, CPU_LANE, N)->stamp, 0);
	ck_assert_uint_eq(frozen_entry(&f, CPU_LANE, 5)->stamp, 0);
	ck_assert_uint_eq(frozen_entry(&f, CPU_LANE, 6)->stamp, 14);
	/* a timeline without timers has no room for them */
	ck_assert_uint_eq(f.size, tl->geometry.timers_offset);
	ck_assert_uint_eq(f.size, f.header->total_size);
	frozen_free(&f);
}

TEST(what_was_seen_before_is_not_copied_again)
{
	uint64_t from[4] = { 0 };
	struct tl_faults faults = { 0 };
	struct tl_take take = { .from = from };
	int out;

	fill_lane(CPU_LANE, 2 * N);
	for (uint64_t i = 0; i <= 2 * N + 2; i++) {
		const uint64_t oldest = N + 1;
		const uint64_t end = 2 * N;
		uint64_t first = i < oldest ? oldest : i;

		from[CPU_LANE] = i;
		take.tail = 0;
		out = frozen_file("", 0);
		ck_assert_ok(
		    tl_take(&take, tl->fd, &tl->geometry, out, &faults));
		ck_assert_uint_eq(take.heads[CPU_LANE].first,
		    first < end ? first : end);
		ck_assert_uint_eq(take.heads[CPU_LANE].end, end);
		close(out);
		free(take.heads);
	}
	ck_assert_uint_eq(faults.count, 0);
}

TEST(a_tail_is_the_newest_of_each_lane)
{
	struct tl_snap *snap;

	fill_lane(CPU_LANE, 2 * N);
	fill_lane(KEEP_LANE, 3);
	fill_lane(FALLBACK_LANE, 10);
	for (uint64_t tail = 1; tail < 2 * N; tail++) {
		const uint64_t shown = tail < N - 1 ? tail : N - 1;

		snap = open_live(tail);
		ck_assert_uint_eq(tl_snap_lane(snap, CPU_LANE)->end -
				      tl_snap_lane(snap, CPU_LANE)->first,
		    shown);
		ck_assert_uint_eq(frozen_walk(snap, TL_NEWEST_FIRST).events,
		    shown + (tail < 3 ? tail : 3) + (tail < 10 ? tail : 10));
		tl_snap_close(snap);
	}
}

TEST(what_was_cleared_is_hidden)
{
	fill_lane(CPU_LANE, 40);
	fill_lane(FALLBACK_LANE, 3 * N);
	timeline_clear(tl);
	beside = 1; /* the clear logs an entry */
	expect_lane(CPU_LANE, 40, 40, 0, 0);
	expect_lane(FALLBACK_LANE, 3 * N, 3 * N, 0, 0);
	fill_lane(CPU_LANE, 45);
	expect_lane(CPU_LANE, 40, 45, 0, 0);
	fixture_head(CPU_LANE)->cleared = UINT64_MAX;
	expect_lane(CPU_LANE, 45, 45, 0, 0);
}

static uint64_t
complete_since(unsigned tier)
{
	struct tl_observed_start start;
	struct tl_snap *snap = open_live(0);

	ck_assert_ok(tl_snap_observed(snap, &start));
	tl_snap_close(snap);
	return start.complete_from[tier].tsc;
}

TEST(a_lane_that_was_cleared_is_complete_since_then)
{
	uint64_t cleared;

	fill_lane(CPU_LANE, 40);
	ck_assert_uint_eq(complete_since(0), 0);
	timeline_clear(tl);
	cleared = fixture_newest()->tsc;
	ck_assert_uint_eq(fixture_newest()->message, tl->clear_event->message);
	ck_assert_uint_eq(complete_since(0), cleared);
	/* a second clear was killed before it logged its entry */
	fill_lane(CPU_LANE, 45);
	fixture_head(CPU_LANE)->cleared = 45;
	ck_assert_uint_eq(complete_since(0), UINT64_MAX);
	timeline_clear(tl);
	ck_assert_uint_eq(complete_since(0), fixture_newest()->tsc);
	ck_assert_uint_gt(complete_since(0), cleared);
}

TEST(impossible_heads_are_faults)
{
	const uint64_t heads[] = { UINT64_MAX, UINT64_MAX / 2,
		UINT64_C(1) << 63, UINT64_MAX / 4 + 1 };
	struct tl_snap *snap;

	for (int i = 0; i < 4; i++) {
		fixture_head(CPU_LANE)->head = heads[i];
		snap = open_live(0);
		ck_assert_uint_ge(tl_snap_fault_count(snap), 1);
		ck_assert_uint_eq(frozen_walk(snap, TL_OLDEST_FIRST).events, 0);
		tl_snap_close(snap);
	}
}

TEST(a_writer_sees_nothing_of_a_snapshot)
{
	struct timeline_header before = *tl->header;
	struct timeline_head head;

	fill_lane(CPU_LANE, 10);
	head = *fixture_head(CPU_LANE);
	tl_snap_close(open_live(0));
	/* without the clock, to which a save may add a point */
	ck_assert_mem_eq(&before, tl->header,
	    offsetof(struct timeline_header, clock));
	ck_assert_mem_eq(&head, fixture_head(CPU_LANE), sizeof(head));
}

/* Copy the live file with the geometry of the header that was checked. */
static struct frozen
take_checked(const struct timeline_header *checked)
{
	struct tl_take take = { .close_clock = true };
	struct tl_faults faults = { 0 };
	struct frozen f = { .size = checked->timers_offset };
	const int out = frozen_file("", 0);

	ck_assert_ok(tl_take(&take, tl->fd, checked, out, &faults));
	free(take.heads);
	f.bytes = malloc(f.size);
	ck_assert(pread(out, f.bytes, f.size, 0) == (ssize_t)f.size);
	f.header = (void *)f.bytes;
	close(out);
	return f;
}

/* Change each word of the header in turn after the check. */
TEST(a_word_that_changed_since_the_check_is_not_believed)
{
	const struct timeline_header checked = *tl->header;
	uint32_t *const words = (void *)tl->map;
	struct frozen f;

	fill_lane(CPU_LANE, 20);
	for (size_t i = 0; i < sizeof(checked) / sizeof(*words); i++) {
		const uint32_t before = words[i];

		words[i] ^= UINT32_MAX;
		f = take_checked(&checked);
		words[i] = before;
		ck_assert_ok(tl_layout_check(f.header, NULL));
		ck_assert_uint_eq(f.header->clock_kind, checked.clock_kind);
		ck_assert_mem_eq(f.header->boot_id, checked.boot_id,
		    sizeof(checked.boot_id));
		ck_assert_int_eq(f.header->created_ns, checked.created_ns);
		ck_assert_uint_eq(frozen_entry(&f, CPU_LANE, 19)->stamp, 40);
		tl_snap_close(frozen_open(&f, 0));
		frozen_free(&f);
	}
}

TEST(a_program_saves_whatever_became_of_its_header)
{
	uint32_t *const words = (void *)tl->map;
	struct frozen f;

	fill_lane(CPU_LANE, 20);
	for (size_t i = 0; i < TIMELINE_HEADER_SIZE / sizeof(*words); i++) {
		const uint32_t before = words[i];

		words[i] ^= UINT32_MAX;
		f = frozen_save();
		words[i] = before;
		ck_assert_ok(tl_layout_check(f.header, NULL));
		ck_assert_uint_eq(f.header->clock_kind,
		    tl->geometry.clock_kind);
		frozen_free(&f);
	}
}
