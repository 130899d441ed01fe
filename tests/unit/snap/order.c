/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the lanes of a file are read as one sequence in order of time, the
 * same in both directions.
 */
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/test.h"

enum { LANES = 8, N = 64, EVENTS_MAX = LANES * N };

static struct timeline_event *event, *span;
static struct frozen file;

/* The entries of the file, in no order. */
struct put {
	uint64_t tsc;
	uint64_t number;
	uint32_t lane;
	uint32_t epoch;
};
static struct put all_puts[EVENTS_MAX];
static size_t put_count;

static void
setup(void)
{
	struct timeline_options options = fixture_tiny;

	/* each of two tiers has a fallback lane, too */
	options.cpu_lanes = LANES / 2 - 1;
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
	ck_assert_ok(timeline_define_span(tl, "a", "info", "span $a",
	    TIMELINE_THREAD, &span));
	file = frozen_save();
	put_count = 0;
}

static void
teardown(void)
{
	frozen_free(&file);
	fixture_close();
}

static void
put(uint32_t lane, uint64_t tsc, uint32_t epoch)
{
	struct timeline_head *head = frozen_head(&file, lane);
	const uint64_t q = head->end;

	*frozen_entry(&file, lane, q) = (struct timeline_entry){ .tsc = tsc,
		.message = event->message,
		.cpu = 77,
		.args = { put_count },
		.stamp = timeline_stamp_whole(q) };
	head->end = head->head = q + 1;
	all_puts[put_count++] = (struct put){ tsc, q, lane, epoch };
}

static int
compare_puts(const void *left, const void *right)
{
	const struct put *a = left, *b = right;

	if (a->epoch != b->epoch)
		return a->epoch < b->epoch ? -1 : 1;
	if (a->tsc != b->tsc)
		return a->tsc < b->tsc ? -1 : 1;
	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void
expect_order(enum tl_order order)
{
	struct tl_snap *snap = frozen_open(&file, 0);
	struct tl_cursor *cursor;
	struct tl_event e;

	ck_assert_ok(tl_snap_cursor(snap, order, &cursor));
	for (size_t i = 0; i < put_count; i++) {
		const struct put *p =
		    &all_puts[order == TL_OLDEST_FIRST ? i : put_count - 1 - i];

		ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
		ck_assert_uint_eq(e.kind, TL_INSTANT);
		ck_assert_uint_eq(e.tsc, p->tsc);
		ck_assert_uint_eq(e.lane, p->lane);
		ck_assert_uint_eq(e.number, p->number);
		ck_assert_uint_eq(e.epoch, p->epoch);
		/* in a fallback lane the entry itself holds its CPU */
		ck_assert_uint_eq(e.cpu,
		    p->lane >= LANES - 2 ? 77 : p->lane / 2);
	}
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 0);
	ck_assert_int_eq(tl_cursor_next(cursor, &e), 0);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(random_lanes_come_sorted_both_ways)
{
	uint64_t seed = 11;

	for (int i = 0; i < 200; i++) {
		uint64_t tsc = 1000000;
		const unsigned many = (unsigned)random_below(&seed, 300);

		put_count = 0;
		for (uint32_t lane = 0; lane < LANES; lane++)
			memset(frozen_head(&file, lane), 0,
			    sizeof(struct timeline_head));
		for (unsigned k = 0; k < many; k++) {
			/* some stamps are equal */
			tsc += random_below(&seed, 3);
			const uint32_t lane =
			    (uint32_t)random_below(&seed, LANES);

			if (frozen_head(&file, lane)->end < N)
				put(lane, tsc, 0);
		}
		qsort(all_puts, put_count, sizeof(all_puts[0]), compare_puts);
		expect_order(TL_OLDEST_FIRST);
		expect_order(TL_NEWEST_FIRST);
	}
}

/*
 * Stamps of a fallback lane go back, a little or as far as a thread was
 * stalled.  The order also holds for any number of newest entries.
 */
TEST(fallback_lanes_come_in_order_of_their_stamps)
{
	uint64_t seed = 12;

	for (int i = 0; i < 200; i++) {
		uint64_t tsc = 1000000;

		put_count = 0;
		for (uint32_t lane = 0; lane < LANES; lane++)
			memset(frozen_head(&file, lane), 0,
			    sizeof(struct timeline_head));
		for (unsigned k = 0; k < 200; k++) {
			const uint32_t lane =
			    (uint32_t)random_below(&seed, LANES);
			const uint64_t late = random_below(&seed, 5)
						  ? random_below(&seed, 3)
						  : random_below(&seed, 300);

			tsc += random_below(&seed, 3);
			if (frozen_head(&file, lane)->end < N)
				put(lane, lane < LANES - 2 ? tsc : tsc - late,
				    0);
		}
		qsort(all_puts, put_count, sizeof(all_puts[0]), compare_puts);
		expect_order(TL_OLDEST_FIRST);
		expect_order(TL_NEWEST_FIRST);
	}
}

/*
 * The options -n and --since need the newest entries by stamp, and no newer
 * entry among those left out.
 */
TEST(a_tail_of_a_fallback_lane_is_its_newest_by_stamp)
{
	/* the higher half of the numbers has the older stamps */
	for (uint64_t q = 0; q < N; q++)
		put(LANES - 2, 1000 + (q < N / 2 ? q + N : q), 0);
	for (uint64_t tail = 1; tail <= N; tail++) {
		struct tl_snap *snap = frozen_open(&file, tail);
		struct tl_cursor *cursor;
		struct tl_event e;
		uint64_t n = 0;

		qsort(all_puts, put_count, sizeof(all_puts[0]), compare_puts);
		ck_assert_ok(tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor));
		for (; tl_cursor_next(cursor, &e) > 0; n++)
			ck_assert_uint_eq(e.tsc, all_puts[N - 1 - n].tsc);
		ck_assert_uint_eq(n, tail);
		tl_cursor_close(cursor);
		tl_snap_close(snap);
	}
}

/*
 * Inside a CPU lane the order is the entry's number, whatever the stamps are.
 */
TEST(a_lane_is_never_put_in_another_order)
{
	struct tl_snap *snap;
	struct tl_cursor *cursor;
	struct tl_event e;
	static const uint64_t stamps[] = { 500, 400, 900, 100, 901, 3 };

	for (int i = 0; i < 6; i++)
		put(0, stamps[i], 0);
	put(2, 450, 0);
	snap = frozen_open(&file, 0);
	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	for (uint64_t next = 0; tl_cursor_next(cursor, &e) > 0;)
		if (e.lane == 0)
			ck_assert_uint_eq(e.number, next++);
	tl_cursor_close(cursor);
	ck_assert_ok(tl_snap_cursor(snap, TL_NEWEST_FIRST, &cursor));
	for (uint64_t next = 6; tl_cursor_next(cursor, &e) > 0;)
		if (e.lane == 0)
			ck_assert_uint_eq(e.number, --next);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

/*
 * Publish a record by hand: link it to the newest record, and make it the
 * newest.
 */
static void
add_epoch(uint64_t number, const uint64_t heads[LANES])
{
	const uint64_t at = file.header->strings_tail;
	const uint32_t text = (LANES + 1) * sizeof(uint64_t);
	uint8_t *to = file.bytes + file.header->strings_offset + at;
	struct timeline_record r = { .kind = TIMELINE_RECORD_EPOCH,
		.size = (sizeof(r) + text + 3 + 15) & ~15U,
		.link = file.header->newest,
		.text = sizeof(r),
		.text_length = text,
		.category = sizeof(r) + text + 1,
		.file = sizeof(r) + text + 2 };

	memset(to, 0, r.size);
	memcpy(to, &r, sizeof(r));
	memcpy(to + sizeof(r), &number, sizeof(number));
	memcpy(to + sizeof(r) + 8, heads, LANES * sizeof(uint64_t));
	file.header->strings_tail += r.size;
	file.header->newest = at;
}

TEST(epochs_part_what_stamps_cannot)
{
	const uint64_t first[LANES] = { 2, 0, 1 };
	const uint64_t second[LANES] = { 3, 0, 2 };

	put(0, 900, 0);
	put(0, 1000, 0);
	put(2, 950, 0);
	add_epoch(1, first);
	put(0, 5, 1);
	put(2, 7, 1);
	add_epoch(2, second);
	put(2, 1, 2);
	put(0, 2, 2);
	/* A lane whose head was 0 at each epoch begins in the last epoch. */
	put(4, 1, 2);
	qsort(all_puts, put_count, sizeof(all_puts[0]), compare_puts);
	expect_order(TL_OLDEST_FIRST);
	expect_order(TL_NEWEST_FIRST);
}

TEST(an_epoch_of_other_lanes_is_a_fault)
{
	const uint64_t heads[LANES] = { 0 };
	struct timeline_record *r;
	struct tl_snap *snap;

	add_epoch(1, heads);
	r = (void *)(file.bytes + file.header->strings_offset +
		     file.header->newest);
	r->text_length -= 8;
	memset((uint8_t *)r + r->text + r->text_length, 0, 8);
	put(0, 10, 0);
	snap = frozen_open(&file, 0);
	ck_assert_uint_eq(tl_snap_fault_count(snap), 1);
	ck_assert_uint_eq(frozen_walk(snap, TL_OLDEST_FIRST).events, 1);
	tl_snap_close(snap);
}

/* == ends that hold the stamp of their begin == */

static void
put_proof(uint64_t tsc, uint64_t begun)
{
	struct timeline_entry *e;

	put(0, tsc, 0);
	e = frozen_entry(&file, 0, all_puts[put_count - 1].number);
	e->message = span[TIMELINE_PART_SCOPE_END].message;
	e->args[0] = begun;
}

/*
 * Check the proven durations of the ends in the file, oldest first; 0: the end
 * proves nothing.
 */
static void
expect_proofs(const int64_t *took, size_t count)
{
	struct tl_snap *snap = frozen_open(&file, 0);
	struct tl_cursor *cursor;
	struct tl_event e;
	size_t i = 0;

	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &e) > 0) {
		if (e.kind != TL_END)
			continue;
		ck_assert_uint_lt(i, count);
		ck_assert_msg(e.proven == (took[i] != 0), "end %zu", i);
		ck_assert_msg(e.duration_ns == took[i], "end %zu took %ld", i,
		    e.duration_ns);
		ck_assert_uint_eq(e.args[0], 0);
		i++;
	}
	ck_assert_uint_eq(i, count);
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

static void
put_knot(uint64_t number, uint64_t tsc, int64_t ns, uint16_t flags)
{
	struct timeline_knot *knots =
	    (void *)(file.bytes + file.header->knots_offset);

	knots[number] = (struct timeline_knot){ .tsc = tsc,
		.utc_ns = ns,
		.mult = TL_MULT_ONE,
		.flags = flags,
		.seq = number + 1 };
	file.header->knot_count = number + 1;
}

/* Stamps that are wall times prove nothing over a step of the clock. */
TEST(no_span_is_proven_over_a_step_of_its_clock)
{
	static const int64_t took[] = { 400, 0, 0, 100, 0, 300 };

	file.header->clock_kind = TIMELINE_CLOCK_REALTIME;
	put_knot(0, 1000, 1000, 0);
	put_knot(1, 2000, 2000, TIMELINE_KNOT_STEP);
	put_knot(2, 5000, 5000, TIMELINE_KNOT_LEAP);
	put_knot(3, 8000, 8000, TIMELINE_KNOT_KINK);
	put_proof(1600, 1200);
	put_proof(2500, 1700); /* over the step */
	put_proof(3000, 1999); /* over the step */
	put_proof(3100, 3000);
	put_proof(6000, 4999); /* over the leap second */
	put_proof(8200, 7900);
	expect_proofs(took, 6);
}

/*
 * Stamps of a counter prove a span over a step of the clock, because the
 * counter goes on.
 */
TEST(a_step_of_the_clock_does_not_touch_a_proof_by_the_counter)
{
	static const int64_t took[] = { 400, 800 };

	put_knot(0, 1000, 1000, 0);
	put_knot(1, 2000, 20002000, TIMELINE_KNOT_STEP);
	put_proof(1600, 1200);
	put_proof(2500, 1700);
	expect_proofs(took, 2);
}

TEST(a_begin_after_its_end_proves_nothing)
{
	static const int64_t took[] = { 0, 0, 1 };

	put_knot(0, 1000, 1000, 0);
	put_proof(1600, 1601);
	put_proof(1700, 0);
	put_proof(1800, 1799);
	expect_proofs(took, 3);
}

/*
 * The counter begins again: a begin before the epoch may be a stamp of the old
 * counter.
 */
TEST(a_begin_before_its_epoch_proves_nothing)
{
	static const int64_t took[] = { 200, 0, 0, 100 };
	const uint64_t first[LANES] = { 1 };
	struct timeline_knot *knots =
	    (void *)(file.bytes + file.header->knots_offset);

	put_knot(0, 1000, 1000, 0);
	put_knot(1, 500, 90000, TIMELINE_KNOT_NEW_EPOCH);
	knots[1].epoch = 1;
	put_proof(1600, 1400);
	add_epoch(1, first);
	put_proof(600, 1400);
	put_proof(650, 499);
	put_proof(700, 600);
	expect_proofs(took, 4);
}

TEST(losses_are_said_where_they_happened)
{
	static const uint8_t wanted[] = { 1, 1, 0, 1, 1 }; /* 0: a loss of 3 */
	struct tl_snap *snap;
	struct tl_cursor *cursor;
	struct tl_event e;

	for (uint64_t i = 0; i < 7; i++)
		put(0, 100 + i, 0);
	for (uint64_t i = 2; i < 5; i++)
		frozen_entry(&file, 0, i)->stamp = 0;
	for (int order = 0; order < 2; order++) {
		snap = frozen_open(&file, 0);
		ck_assert_ok(tl_snap_cursor(snap,
		    order ? TL_OLDEST_FIRST : TL_NEWEST_FIRST, &cursor));
		for (size_t i = 0; i < sizeof(wanted); i++) {
			ck_assert_int_eq(tl_cursor_next(cursor, &e), 1);
			ck_assert_int_eq(e.kind != TL_LOST, wanted[i]);
			if (e.kind == TL_LOST)
				ck_assert_uint_eq(e.lost, 3);
		}
		ck_assert_int_eq(tl_cursor_next(cursor, &e), 0);
		tl_cursor_close(cursor);
		tl_snap_close(snap);
	}
}

TEST(overwritten_entries_are_a_loss_of_their_own)
{
	for (uint64_t i = 0; i < 10; i++)
		put(0, 100 + i, 0);
	frozen_head(&file, 0)->first = 4;
	frozen_entry(&file, 0, 6)->stamp = 0;
	for (int order = 0; order < 2; order++) {
		struct tl_snap *snap = frozen_open(&file, 0);
		unsigned losses = 0;
		struct tl_cursor *cursor;
		struct tl_event e;

		ck_assert_ok(tl_snap_cursor(snap,
		    order ? TL_OLDEST_FIRST : TL_NEWEST_FIRST, &cursor));
		while (tl_cursor_next(cursor, &e) > 0) {
			losses += e.kind == TL_LOST;
			if (e.kind == TL_LOST)
				ck_assert_uint_eq(e.lost,
				    e.overwritten ? 4 : 1);
		}
		ck_assert_uint_eq(losses, 2);
		tl_cursor_close(cursor);
		tl_snap_close(snap);
	}
}

TEST(losses_at_either_end_are_said_too)
{
	struct tl_snap *snap;
	struct walk w;

	for (uint64_t i = 0; i < 10; i++)
		put(0, 100 + i, 0);
	for (uint64_t i = 0; i < 4; i++)
		put(4, 50 + i, 0);
	for (uint64_t i = 0; i < 4; i++)
		frozen_entry(&file, 4, i)->stamp = 0; /* the whole lane is
						       * torn */
	frozen_entry(&file, 0, 0)->stamp = 0;
	frozen_entry(&file, 0, 9)->stamp = 0;
	snap = frozen_open(&file, 0);
	w = frozen_walk(snap, TL_OLDEST_FIRST);
	ck_assert_uint_eq(w.events, 8);
	ck_assert_uint_eq(w.lost, 6);
	w = frozen_walk(snap, TL_NEWEST_FIRST);
	ck_assert_uint_eq(w.events, 8);
	ck_assert_uint_eq(w.lost, 6);
	tl_snap_close(snap);
}

TEST(tails_of_a_saved_file_are_its_newest)
{
	struct tl_snap *snap;

	for (uint64_t i = 0; i < 30; i++)
		put(0, 100 + i, 0);
	for (uint64_t i = 0; i < 5; i++)
		put(2, 100 + i, 0);
	for (uint64_t tail = 1; tail < 40; tail++) {
		snap = frozen_open(&file, tail);
		ck_assert_uint_eq(frozen_walk(snap, TL_NEWEST_FIRST).events,
		    (tail < 30 ? tail : 30) + (tail < 5 ? tail : 5));
		tl_snap_close(snap);
	}
}

TEST(snapshots_of_one_boot_share_their_clock)
{
	struct tl_snap *a = frozen_open(&file, 0), *b, *c, *d;

	b = frozen_open(&file, 0);
	file.header->boot_id[3] ^= 1;
	c = frozen_open(&file, 0);
	memset(file.header->boot_id, 0, 16);
	d = frozen_open(&file, 0);
	ck_assert(tl_snap_same_clock(a, b));
	ck_assert(!tl_snap_same_clock(a, c));
	ck_assert(!tl_snap_same_clock(d, d)); /* the clock is unknown */
	tl_snap_close(a);
	tl_snap_close(b);
	tl_snap_close(c);
	tl_snap_close(d);
}

/* == losses == */

/* Read the number of the observed interval of the entry with each stamp. */
static void
observe_all(enum tl_order order, uint64_t *observed)
{
	struct tl_snap *snap = frozen_open(&file, 0);
	struct tl_cursor *cursor;
	struct tl_event e;

	ck_assert_ok(tl_snap_cursor(snap, order, &cursor));
	while (tl_cursor_next(cursor, &e) > 0)
		if (e.kind != TL_LOST)
			observed[e.tsc] = e.observed;
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

TEST(nothing_of_a_tier_is_observed_while_a_lane_misses_entries, .to = 2)
{
	const enum tl_order order = _i ? TL_NEWEST_FIRST : TL_OLDEST_FIRST;
	uint64_t observed[64];

	for (unsigned i = 1; i <= 4; i++)
		put(0, i * 10, 0);
	for (unsigned i = 0; i < 4; i++) {
		put(1, i * 10 + 6, 0); /* an entry of the other tier */
		put(2, i * 10 + 5, 0);
	}
	frozen_entry(&file, 0, 1)->stamp = 0; /* the entry at 20 is lost */
	frozen_head(&file, 0)->torn = 1;
	observe_all(order, observed);
	ck_assert_uint_ne(observed[5], TL_UNOBSERVED);
	ck_assert_uint_eq(observed[10], observed[5]);
	ck_assert_uint_eq(observed[15], TL_UNOBSERVED);
	ck_assert_uint_eq(observed[25], TL_UNOBSERVED);
	ck_assert(tl_observed_cut(observed[10], observed[30]));
	ck_assert_uint_ne(observed[30], TL_UNOBSERVED);
	ck_assert_uint_eq(observed[35], observed[30]);
	ck_assert_uint_eq(observed[40], observed[30]);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(observed[i * 10 + 6], observed[6]);
	ck_assert_uint_ne(observed[6], TL_UNOBSERVED);
}
