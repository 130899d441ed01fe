/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the lanes of a file are read as one sequence in order of time, the
 * same in both directions.
 */
#include "lib/frozen.h"
#include "lib/golden.h"
#include "lib/random.h"

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

/* == cases in order.cases == */

static void
put_knot(uint64_t number, uint64_t tsc, int64_t ns, const char *flag)
{
	struct timeline_knot *knots =
	    (void *)(file.bytes + file.header->knots_offset);
	const bool begins = strcmp(flag, "epoch") == 0;

	knots[number] = (struct timeline_knot){ .tsc = tsc,
		.utc_ns = ns,
		.mult = TL_MULT_ONE,
		.flags = strcmp(flag, "step") == 0   ? TIMELINE_KNOT_STEP
			 : strcmp(flag, "leap") == 0 ? TIMELINE_KNOT_LEAP
			 : strcmp(flag, "kink") == 0 ? TIMELINE_KNOT_KINK
			 : begins                    ? TIMELINE_KNOT_NEW_EPOCH
						     : 0,
		.epoch = begins,
		.seq = number + 1 };
	file.header->knot_count = number + 1;
}

/* Put an end that holds the stamp of its begin. */
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
 * Show an event: its lane and its stamp, behind "?" if it was not observed and
 * "|" if the one before it in its tier is cut off from it; the epoch; what an
 * end proves.
 */
static void
show(struct tl_text *out, const struct tl_event *e, uint64_t observed[2])
{
	uint64_t *const before = &observed[e->lane % 2];

	if (e->kind == TL_LOST) {
		tl_put_format(out, " %s %lu of %u",
		    e->overwritten ? "overwritten" : "lost", e->lost, e->lane);
		return;
	}
	tl_put_format(out, " %s%u:%lu",
	    e->observed == TL_UNOBSERVED                            ? "?"
	    : tl_observed_cut(*before, e->observed) && *before != 0 ? "|"
								    : "",
	    e->lane, e->tsc);
	*before = e->observed == TL_UNOBSERVED ? *before : e->observed;
	if (e->epoch > 0)
		tl_put_format(out, "/%u", e->epoch);
	if (e->kind != TL_END)
		return;
	ck_assert_uint_eq(e->args[0], 0);
	if (e->proven)
		tl_put_format(out, "(%ld)", e->duration_ns);
	else
		ck_assert_int_eq(e->duration_ns, 0);
}

/*
 * Run a line:
 *	put LANE TSC, proof TSC BEGUN	an entry; an end that proves a span
 *	torn LANE NUMBER, first LANE NUMBER
 *	epoch NUMBER HEAD...	of lanes 0 to 2
 *	knot NUMBER TSC NS [FLAG], clock realtime
 *	oldest, newest		print the events
 */
static void
run_line(struct tl_text *out, const char *line)
{
	uint64_t n[4] = { 0 }, heads[LANES] = { 0 }, observed[2] = { 0 };
	char word[16], flag[16] = "";
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	sscanf(line, "%15s %lu %lu %lu %lu", word, &n[0], &n[1], &n[2], &n[3]);
	sscanf(line, "%*s %*s %*s %*s %15s", flag);
	if (strcmp(word, "put") == 0) {
		put((uint32_t)n[0], n[1], 0);
	} else if (strcmp(word, "proof") == 0) {
		put_proof(n[0], n[1]);
	} else if (strcmp(word, "torn") == 0) {
		frozen_entry(&file, (uint32_t)n[0], n[1])->stamp = 0;
		frozen_head(&file, (uint32_t)n[0])->torn++;
	} else if (strcmp(word, "first") == 0) {
		frozen_head(&file, (uint32_t)n[0])->first = n[1];
	} else if (strcmp(word, "epoch") == 0) {
		memcpy(heads, n + 1, 3 * sizeof(*heads));
		add_epoch(n[0], heads);
	} else if (strcmp(word, "knot") == 0) {
		put_knot(n[0], n[1], (int64_t)n[2], flag);
	} else if (strcmp(word, "clock") == 0) {
		file.header->clock_kind = TIMELINE_CLOCK_REALTIME;
	} else {
		snap = frozen_open(&file, 0);
		ck_assert_ok(tl_snap_cursor(snap,
		    *word == 'o' ? TL_OLDEST_FIRST : TL_NEWEST_FIRST, &cursor));
		tl_put_string(out, " =");
		while (tl_cursor_next(cursor, &e) > 0)
			show(out, &e, observed);
		tl_cursor_close(cursor);
		tl_snap_close(snap);
	}
}

TEST_LINES(orders, "tests/unit/snap/order.cases", run_line);

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
