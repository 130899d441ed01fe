/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - the changes in a lane are found wherever they are: at the borders of
 * the chunks, beside losses, and by each of the searches.
 */
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/test.h"

enum {
	CHUNK = 1024, /* entries that are read at once */
	ENTRIES = 4 * CHUNK,
	FIRST_STAMP = 1000
};

/* The kinds of entries. */
enum what { PLAIN, CHANGE, MISSING };

static struct timeline_event *event, *timer;
static struct frozen file;
static enum what all[ENTRIES];

static void
setup(void)
{
	struct timeline_options options = fixture_tiny;

	options.cpu_lanes = 1;
	options.tiers = 1;
	options.entries = 4 * ENTRIES; /* a quarter is the fallback lane's */
	options.fallback_lanes = 1;
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
	ck_assert_ok(
	    timeline_define_timer(tl, "a", "info", "timer $a", &timer));
	file = frozen_save();
	memset(all, 0, sizeof(all));
}

static void
teardown(void)
{
	frozen_free(&file);
	fixture_close();
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

/* The id of the message of priority changes. */
static uint32_t
id_of_priority(void)
{
	struct tl_snap *snap = frozen_open(&file, 0);
	uint32_t id = 0;

	for (size_t i = 0; i < tl_snap_message_count(snap); i++) {
		const struct tl_message *m = tl_snap_message(snap, i);

		if (m->builtin == TIMELINE_BUILTIN_PRIORITY)
			id = m->id;
	}
	tl_snap_close(snap);
	ck_assert_uint_ne(id, 0);
	return id;
}

/*
 * Write all entries from a number on, as in a ring that was overwritten so far.
 * The changes close all levels and open them in turns.
 */
static void
write_all(uint64_t from)
{
	struct timeline_head *head = frozen_head(&file, 0);
	const uint32_t priority = id_of_priority();
	uint64_t level = TIMELINE_LEVEL_MIN;

	*head = (struct timeline_head){ .first = from,
		.head = from + ENTRIES,
		.end = from + ENTRIES };
	for (uint64_t i = 0; i < ENTRIES; i++) {
		struct timeline_entry *e = frozen_entry(&file, 0, from + i);

		*e = (struct timeline_entry){ .tsc = FIRST_STAMP + i,
			.message = event->message };
		if (all[i] == CHANGE) {
			level = level == TIMELINE_LEVEL_MIN
				    ? TIMELINE_LEVEL_NONE
				    : TIMELINE_LEVEL_MIN;
			e->message = priority;
			e->args[0] = e->args[1] = level;
		}
		if (all[i] == MISSING)
			head->torn++;
		else
			e->stamp = timeline_stamp_whole(from + i);
	}
}

static void
observe(enum tl_order order, uint64_t observed[ENTRIES])
{
	struct tl_snap *snap = frozen_open(&file, 0);
	struct tl_cursor *cursor;
	struct tl_event e;
	uint64_t lost = 0, seen = 0, wanted = 0;
	int rc;

	ck_assert_ok(tl_snap_cursor(snap, order, &cursor));
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (e.kind == TL_LOST)
			lost += e.overwritten ? 0 : e.lost;
		else
			observed[e.tsc - FIRST_STAMP] = e.observed;
		seen += e.kind != TL_LOST;
	}
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	for (size_t i = 0; i < ENTRIES; i++)
		wanted += all[i] == MISSING;
	ck_assert_uint_eq(lost, wanted);
	ck_assert_uint_eq(seen + lost, ENTRIES);
}

/*
 * Two entries are in one observed interval if the levels are open and nothing
 * between the entries ends the interval.  In a ring that was overwritten the
 * levels are unknown before their first change.
 */
static void
check_observed(const uint64_t observed[ENTRIES], bool open)
{
	size_t before = ENTRIES;
	bool cut = false, level = true;

	for (size_t k = 0; k < ENTRIES; k++) {
		if (all[k] == CHANGE)
			open = level = !level;
		cut |= all[k] != PLAIN;
		if (all[k] != PLAIN)
			continue;
		if (before < ENTRIES)
			ck_assert_msg(tl_observed_joins(observed[before],
					  observed[k]) == (open && !cut),
			    "entries %zu and %zu", before, k);
		before = k;
		cut = false;
	}
}

static void
expect_observed(uint64_t from)
{
	static uint64_t observed[ENTRIES];
	bool changes = false;

	write_all(from);
	for (size_t i = 0; i < ENTRIES; i++)
		changes |= all[i] == CHANGE;
	observe(TL_OLDEST_FIRST, observed);
	check_observed(observed, from == 0 || !changes);
	observe(TL_NEWEST_FIRST, observed);
	check_observed(observed, from == 0 || !changes);
}

TEST(a_change_is_found_at_each_border_of_what_is_read, .to = 8)
{
	/* not 0: older entries were overwritten */
	const uint64_t from = _i & 4 ? 15000 : 0;
	const enum what what = _i & 1 ? MISSING : CHANGE;

	for (unsigned at = CHUNK - 3; at < CHUNK + 3; at++) {
		memset(all, 0, sizeof(all));
		for (unsigned k = 1; k < 3; k++)
			all[k * (_i & 2 ? CHUNK - 24 : CHUNK) - CHUNK + at] =
			    what;
		expect_observed(from);
	}
}

TEST(any_changes_and_losses_are_found)
{
	uint64_t seed = 3;

	for (int i = 0; i < 60; i++) {
		const uint64_t rare = 1 + random_below(&seed, 2000);

		for (size_t k = 0; k < ENTRIES; k++)
			all[k] = random_below(&seed, rare) > 0 ? PLAIN
				 : random_below(&seed, 2)      ? CHANGE
							       : MISSING;
		expect_observed(random_below(&seed, 20000));
	}
}

/* == a file that is truncated while it is read == */

/*
 * Fill a lane with numbered entries; returns the number of its slots.  Lane 1
 * is a fallback lane, which is sorted by stamp.
 */
static uint64_t
write_numbered(uint32_t lane)
{
	struct timeline_head *head = frozen_head(&file, lane);
	uint64_t n = timeline_lane_entries(file.header, lane);

	if (n > ENTRIES)
		n = ENTRIES;
	*head = (struct timeline_head){ .head = n, .end = n };
	for (uint64_t q = 0; q < n; q++)
		*frozen_entry(&file, lane, q) = (struct timeline_entry){
			/* neighbours are out of order in a fallback lane */
			.tsc = FIRST_STAMP + (lane ? q ^ 1 : q),
			.message = event->message,
			.args = { q * 3 },
			.stamp = timeline_stamp_whole(q),
		};
	return n;
}

/*
 * Read some events, truncate the file, and read on: events that are shown are
 * unchanged, and all others are lost.
 */
static void
cut_after(uint32_t lane, uint64_t n, uint64_t after, enum tl_order order)
{
	const int fd = frozen_file(file.bytes, file.size);
	struct tl_fault fault = { 0 };
	uint64_t seen = 0, lost = 0;
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	int rc;

	ck_assert_ok(tl_snap_open_fd(&snap, fd, 0, &fault));
	ck_assert_ok(tl_snap_cursor(snap, order, &cursor));
	while ((rc = tl_cursor_next(cursor, &e)) > 0) {
		if (e.kind == TL_LOST) {
			lost += e.lost;
			continue;
		}
		ck_assert_ptr_nonnull(e.message);
		ck_assert_uint_eq(e.message->id, event->message);
		ck_assert_uint_eq(e.args[0], e.number * 3);
		ck_assert_uint_eq(e.tsc,
		    FIRST_STAMP + (lane ? e.number ^ 1 : e.number));
		if (++seen == after)
			ck_assert_int_eq(ftruncate(fd,
					     (off_t)timeline_entry_offset(
						 file.header, lane, n / 2) +
						 TIMELINE_ENTRY_SIZE - 8),
			    0);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(seen + lost, n);
	ck_assert_uint_ge(seen, order == TL_OLDEST_FIRST ? n / 2 : after);
	ck_assert_uint_eq(tl_snap_fault_count(snap), 0);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	close(fd);
}

TEST(a_file_may_be_truncated_while_it_is_read, .to = 4)
{
	const uint32_t lane = _i & 1;
	const enum tl_order order = _i & 2 ? TL_NEWEST_FIRST : TL_OLDEST_FIRST;
	const uint64_t n = write_numbered(lane);

	for (uint64_t after = 1; after < n; after += n / 9)
		cut_after(lane, n, after, order);
}

/*
 * The begin of a timer's span comes from the entry of its end, which is read
 * again for the begin.
 */
TEST(a_begin_that_was_truncated_is_not_shown)
{
	enum { SPAN_TICKS = 50, SHOWN = 20 };
	const uint64_t n = write_numbered(0);
	struct tl_fault fault = { 0 };
	uint64_t begins = 0, ends = 0;
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;
	int fd;

	for (uint64_t q = 0; q < n; q++) {
		struct timeline_entry *entry = frozen_entry(&file, 0, q);

		entry->message = timer->message | TIMELINE_MESSAGE_WHOLE |
				 TIMELINE_MESSAGE_END;
		entry->cpu = timeline_duration_code(SPAN_TICKS);
	}
	fd = frozen_file(file.bytes, file.size);
	ck_assert_ok(tl_snap_open_fd(&snap, fd, 0, &fault));
	ck_assert_ok(tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &e) > 0) {
		if (e.kind == TL_LOST)
			continue;
		ck_assert_uint_eq(e.message->id,
		    timer->message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS);
		ck_assert_uint_eq(e.args[0], e.number * 3);
		begins += e.kind == TL_BEGIN;
		ends += e.kind == TL_END;
		if (ends == SHOWN && begins == 0)
			ck_assert_int_eq(ftruncate(fd,
					     (off_t)timeline_entry_offset(
						 file.header, 0, n / 2)),
			    0);
	}
	ck_assert_uint_gt(ends, SHOWN);
	ck_assert_uint_eq(begins, n / 2);
	ck_assert_uint_eq(tl_snap_fault_count(snap), 0);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
	close(fd);
}
