/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - a follower sees every entry once, and reports what it missed. */
#include "lib/frozen.h"
#include "lib/random.h"
#include "lib/test.h"

#include <sys/resource.h>

enum { N = 64, LANES = 4 };
#define LONG_NS (3600 * UINT64_C(1000000000))

static struct timeline_event *event;
static struct timeline_event *error;
static struct tl_cursor *follow;

static void
open_follow(uint64_t tail)
{
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_follow_open(&follow, fixture_name, tail, &fault) == 0,
	    "%s", fault.text);
}

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "$a", &event));
	ck_assert_ok(timeline_define(tl, "a", "error", "$a", &error));
}

static void
teardown(void)
{
	tl_cursor_close(follow);
	follow = NULL; /* not every test opens a follower */
	fixture_close();
}

/* Log the numbers [from, to) through one lane. */
static void
log_numbers(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		tl_append_fallback(event, i, 0, 0, 0);
}

/* Expect these numbers, and nothing new after them. */
static void
expect_numbers(uint64_t from, uint64_t to)
{
	struct tl_event e;

	for (uint64_t i = from; i < to; i++) {
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.kind, TL_INSTANT);
		ck_assert_uint_eq(e.args[0], i);
	}
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
}

static void
expect_lost(uint64_t lost)
{
	struct tl_event e;

	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.kind, TL_LOST);
	ck_assert_uint_eq(e.lost, lost);
	ck_assert(e.overwritten && e.unread);
}

/* Expect so many events, and then that the file was removed. */
static void
expect_removed(int events)
{
	struct tl_event e;

	for (int i = 0; i < events; i++)
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), -EPIPE);
	ck_assert_int_eq(tl_cursor_next(follow, &e), -EPIPE);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(what_is_logged_from_now_on_comes_once)
{
	log_numbers(0, 10);
	open_follow(0);
	expect_numbers(0, 0);
	for (uint64_t i = 10; i < 500; i += 30) {
		log_numbers(i, i + 30);
		expect_numbers(i, i + 30);
	}
}

TEST(a_tail_comes_first)
{
	log_numbers(0, 20);
	open_follow(5);
	expect_numbers(15, 20);
	log_numbers(20, 30);
	expect_numbers(20, 30);
}

TEST(a_tail_longer_than_all_there_is_loses_nothing)
{
	log_numbers(0, 3);
	open_follow(1000);
	expect_numbers(0, 3);
	log_numbers(3, 4);
	expect_numbers(3, 4);
}

TEST(what_was_overwritten_is_said_to_be_lost)
{
	open_follow(0);
	log_numbers(0, 10);
	expect_numbers(0, 10);
	log_numbers(10, 10 + 2 * N);
	expect_lost(N);
	expect_numbers(10 + N, 10 + 2 * N);
	log_numbers(200, 203);
	expect_numbers(200, 203);
}

TEST(what_was_cleared_is_not_lost)
{
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 10);
	timeline_clear(tl);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->builtin, TIMELINE_BUILTIN_CLEAR);
	expect_numbers(0, 0);
	log_numbers(10, 12);
	expect_numbers(10, 12);
}

TEST(what_was_cleared_was_not_observed)
{
	struct tl_event before, after;

	open_follow(0);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &before), 1);
	expect_numbers(1, 1);
	log_numbers(1, 10);
	timeline_clear(tl);
	log_numbers(10, 12);
	ck_assert_int_eq(tl_cursor_next(follow, &after), 1); /* the clear */
	ck_assert_int_eq(tl_cursor_next(follow, &after), 1);
	ck_assert_uint_eq(after.args[0], 10);
	ck_assert(tl_observed_cut(before.observed, after.observed));
	expect_numbers(11, 12);
	log_numbers(12, 13);
	ck_assert_int_eq(tl_cursor_next(follow, &before), 1);
	ck_assert(tl_observed_joins(before.observed, after.observed));
}

TEST(lanes_come_merged_within_a_round)
{
	struct tl_event e;

	open_follow(0);
	for (uint64_t i = 0; i < 20; i++)
		tl_append_fallback(i % 3 ? event : error, i, 0, 0, 0);
	for (uint64_t i = 0; i < 20; i++) {
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.args[0], i);
	}
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
}

TEST(messages_defined_meanwhile_are_known)
{
	const struct tl_message *first;
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	first = e.message;
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	for (int i = 0; i < 30; i++) {
		struct timeline_event *own;
		char text[32];

		snprintf(text, sizeof(text), "message %d", i);
		ck_assert_ok(timeline_define(tl, "later", "info", text, &own));
		tl_append_fallback(own, 0, 0, 0, 0);
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert(tl_bytes_equal(e.message->line1, tl_bytes_of(text)));
		ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	}
	/* messages keep their addresses */
	log_numbers(1, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_ptr_eq(e.message, first);
}

/* A writer has taken its ticket, but has not finished its entry. */
TEST(what_is_not_whole_yet_comes_later)
{
	struct timeline_entry *slot;

	open_follow(0);
	log_numbers(0, 3);
	expect_numbers(0, 3);
	fixture_head(2)->head = 4;
	expect_numbers(0, 0);
	slot = fixture_entry(2, 3);
	slot->args[0] = 3;
	slot->message = event->message;
	fixture_stamp(2, 3);
	expect_numbers(3, 4);
}

/* Return the next event, however many rounds it takes. */
static void
wait_next(struct tl_event *e)
{
	int rc;

	while ((rc = tl_cursor_next(follow, e)) == 0)
		usleep(1000);
	ck_assert_int_eq(rc, 1);
}

TEST(a_writer_that_never_finishes_is_said_once)
{
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 1);
	fixture_head(2)->head = 2;
	log_numbers(2, 4);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.args[0], 0);
	expect_numbers(2, 4); /* the unfinished entry may still come */
	wait_next(&e);
	ck_assert_uint_eq(e.kind, TL_LOST);
	ck_assert_uint_eq(e.lost, 1);
	ck_assert_uint_eq(e.number, 1);
	ck_assert(!e.overwritten);
	expect_numbers(0, 0);
	log_numbers(4, 5);
	expect_numbers(4, 5);
}

/* Threads were stopped between their ticket and their last store. */
TEST(late_entries_come_in_a_later_round_and_once)
{
	uint64_t given = 0;

	if (random_is_slow()) /* the follower waits for them for one second */
		return;
	open_follow(0);
	for (uint64_t q = 0; q < 40; q++) {
		log_numbers(q, q + 1);
		if (q % 3 == 0)
			fixture_entry(2, q)->stamp ^= UINT64_C(1) << 40;
	}
	for (uint64_t q = 0; q < 40; q++) {
		struct tl_event e;

		if (q % 3 == 0)
			continue;
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.number, q);
		given++;
	}
	expect_numbers(0, 0);
	for (uint64_t q = 39; q > 0; q -= 3) { /* the last entry first */
		fixture_stamp(2, q);
		expect_numbers(q, q + 1);
		given++;
	}
	fixture_stamp(2, 0);
	expect_numbers(0, 1);
	ck_assert_uint_eq(given + 1, 40);
}

/*
 * Tickets whose entries were overwritten before they were written are lost at
 * once.
 */
TEST(holes_that_are_overwritten_are_lost)
{
	struct tl_event e;

	open_follow(0);
	for (uint64_t q = 0; q < 10; q++) {
		log_numbers(q, q + 1);
		if (q < 3)
			fixture_entry(2, q)->stamp = 0;
	}
	expect_numbers(3, 10);
	log_numbers(10, 10 + N);
	expect_lost(3);
	expect_numbers(10, 10 + N);
	log_numbers(0, 2 * N);
	expect_lost(N);
	expect_numbers(N, 2 * N);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
}

/*
 * An entry with a stamp after the start of the round comes in the next round,
 * unless its stamp is wrong.
 */
TEST(stamps_ahead_wait_for_a_second_at_most)
{
	const uint64_t second =
	    tl_calibrate_ticks(tl->header, UINT64_C(1000000000));
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 3);
	fixture_entry(2, 1)->tsc += second / 4;
	fixture_stamp(2, 1);
	fixture_entry(2, 2)->tsc += 3 * second;
	fixture_stamp(2, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.args[0], 0);
	expect_numbers(2, 3);
	wait_next(&e);
	ck_assert_uint_eq(e.args[0], 1);
	expect_numbers(0, 0);
}

/* In a CPU lane with stamps ahead only the end of the lane waits. */
TEST(the_end_of_a_cpu_lane_waits_for_its_time)
{
	const uint64_t second =
	    tl_calibrate_ticks(tl->header, UINT64_C(1000000000));
	const uint64_t now = tl_stamp_now(tl);
	const uint64_t stamps[] = { now, now + second / 2, now + 1,
		now + second / 4, now + second / 4 };
	struct tl_event e;

	if (random_is_slow())
		return;
	open_follow(0);
	for (uint64_t q = 0; q < 5; q++) {
		*fixture_entry(0, q) =
		    (struct timeline_entry){ .tsc = stamps[q],
			    .message = event->message,
			    .args = { q },
			    .stamp = timeline_stamp_whole(q) };
		fixture_head(0)->head = q + 1;
	}
	expect_numbers(0, 3); /* the order inside a CPU lane is the number */
	wait_next(&e);
	ck_assert_uint_eq(e.args[0], 3);
	expect_numbers(4, 5);
}

TEST(with_a_delay_entries_wait_until_a_quarter_of_a_lane_is_new)
{
	open_follow(0);
	tl_follow_delay(follow, LONG_NS);
	log_numbers(0, N / 4 - 1);
	expect_numbers(0, 0);
	log_numbers(N / 4 - 1, N / 4);
	expect_numbers(0, N / 4);
	log_numbers(N / 4, N / 4 + 1);
	expect_numbers(0, 0);
	tl_follow_delay(follow, 0);
	expect_numbers(N / 4, N / 4 + 1);
}

TEST(with_a_delay_entries_come_when_they_are_that_old)
{
	struct tl_event e;
	int rounds = 0;

	open_follow(0);
	tl_follow_delay(follow, 1);
	log_numbers(0, 1);
	while (tl_cursor_next(follow, &e) == 0)
		rounds++;
	ck_assert_int_ge(rounds, 1); /* the entry waits in the first round */
	ck_assert_uint_eq(e.args[0], 0);
}

TEST(a_delay_does_not_outlive_the_file)
{
	open_follow(0);
	tl_follow_delay(follow, LONG_NS);
	log_numbers(0, 2);
	timeline_remove(fixture_name);
	expect_removed(2);
}

TEST(a_lane_that_grows_is_looked_at_before_a_burst_fills_it)
{
	open_follow(0);
	expect_numbers(0, 0);
	ck_assert_uint_eq(tl_follow_again_ns(follow), UINT64_MAX);
	log_numbers(0, 1);
	tl_follow_delay(follow, LONG_NS);
	ck_assert_int_eq(tl_cursor_next(follow, &(struct tl_event){ 0 }), 0);
	ck_assert_uint_eq(tl_follow_again_ns(follow), N / 4 * 200);
}

TEST(a_round_opens_no_file)
{
	struct rlimit limit;

	open_follow(0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (uint64_t i = 0; i < 200; i += 7) {
		log_numbers(i, i + 7);
		expect_numbers(i, i + 7);
	}
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(a_removed_file_ends_it)
{
	open_follow(0);
	log_numbers(0, 2);
	timeline_remove(fixture_name);
	expect_removed(2);
}

TEST(a_saved_file_does_not_grow)
{
	struct tl_fault fault = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/test-follow-%d", (int)getpid());
	ck_assert_ok(timeline_save(tl, path));
	follow = NULL;
	ck_assert_int_eq(tl_follow_open(&follow, path, 0, &fault), -EINVAL);
	ck_assert_str_ne(fault.text, "");
	unlink(path);
	ck_assert_int_eq(tl_follow_open(&follow, "/nobody-has-this", 0, &fault),
	    -ENOENT);
	ck_assert_int_eq(tl_follow_open(&follow, "", 0, &fault), -EINVAL);
	ck_assert_ptr_null(follow);
}

/* Read each lane until there is nothing new, and sum up its events. */
struct rest {
	uint64_t events[LANES];
	uint64_t lost[LANES];
	uint64_t sum[LANES];
	uint64_t next[LANES];
};

static struct rest
take_rest(struct tl_cursor *cursor)
{
	struct rest rest = { 0 };
	const uint64_t *positions;
	struct tl_event e;

	while (tl_cursor_next(cursor, &e) > 0) {
		rest.events[e.lane] += e.kind != TL_LOST;
		rest.lost[e.lane] += e.lost;
		rest.sum[e.lane] += e.args[0] + e.number;
	}
	ck_assert_uint_eq(tl_follow_positions(cursor, &positions), LANES);
	memcpy(rest.next, positions, sizeof(rest.next));
	return rest;
}

/*
 * A second follower that starts at the first follower's positions gets the same
 * rest.
 */
static void
expect_twin(void)
{
	struct tl_fault fault = { 0 };
	struct tl_follow_start start = { 0 };
	struct tl_cursor *twin;
	struct rest mine, other;

	start.lane_count = tl_follow_positions(follow, &start.from);
	ck_assert_msg(tl_follow_open_at(&twin, tl->fd, &start, &fault) == 0,
	    "%s", fault.text);
	other = take_rest(twin);
	mine = take_rest(follow);
	ck_assert_mem_eq(&mine, &other, sizeof(mine));
	tl_cursor_close(twin);
}

/* Read so many events, or as many as there are. */
static void
take(unsigned count)
{
	struct tl_event e;

	while (count > 0 && tl_cursor_next(follow, &e) > 0)
		count--;
}

/* Make the newest entry of a lane unfinished. */
static void
tear_last(uint32_t lane)
{
	const uint64_t head = fixture_head(lane)->head;

	if (head > 0)
		fixture_entry(lane, head - 1)->stamp = 0;
}

/*
 * A follower may be handed over at any entry, even if entries are overwritten,
 * torn or cleared.
 */
TEST(another_goes_on_where_one_is)
{
	for (unsigned at = 0; at < N; at++) {
		open_follow(0);
		log_numbers(0, 5);
		/* a round has ended, or no round has begun */
		take(at % 2 ? N : 0);
		log_numbers(5, 5 + 3 * N);
		timeline_log(event, 1);
		timeline_log(error, 2);
		take(at);
		expect_twin();
		tl_cursor_close(follow);
	}
	tear_last(0);
	open_follow(UINT64_MAX);
	take(N);
	take(N);
	expect_twin();
	log_numbers(0, 10);
	timeline_clear(tl);
	log_numbers(10, 20);
	take(3);
	expect_twin();
}

TEST(a_loss_has_the_number_of_the_first_that_is_missing)
{
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 10);
	expect_numbers(0, 10);
	log_numbers(10, 10 + 2 * N);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.kind, TL_LOST);
	ck_assert_uint_eq(e.number, 10);
}

/*
 * In one of two lanes only entries later than the other lane's entries are
 * left.
 */
TEST(a_loss_stands_where_what_is_left_begins)
{
	struct tl_event e, loss;

	open_follow(0);
	for (uint64_t i = 0; i < 10; i++)
		tl_append_fallback(error, i, 0, 0, 0);
	log_numbers(10, 10 + 2 * N);
	for (uint64_t i = 0; i < 10; i++) {
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.args[0], i);
	}
	ck_assert_int_eq(tl_cursor_next(follow, &loss), 1);
	ck_assert_uint_eq(loss.kind, TL_LOST);
	ck_assert_uint_eq(loss.lost, N);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.args[0], 10 + N);
	ck_assert_uint_eq(loss.tsc, e.tsc);
	ck_assert_int_eq(loss.ns, e.ns);
}

/* The entries left are unfinished, so none of them can be returned yet. */
TEST(a_loss_with_nothing_behind_it_ends_its_round)
{
	const int64_t before = (int64_t)tl_clock_read(CLOCK_REALTIME);
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 2 * N);
	for (uint64_t q = N; q < 2 * N; q++)
		fixture_entry(2, q)->stamp = 0;
	tl_append_fallback(error, 7, 0, 0, 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.args[0], 7);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.kind, TL_LOST);
	ck_assert_uint_eq(e.lost, N); /* the other entries may still come */
	ck_assert_uint_eq(e.number, 0);
	ck_assert_int_ge(e.ns, before);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
}

/* Move the time that the next round computes for a stamp. */
static void
move_clock(int64_t ns)
{
	tl->header->clock.utc_ns += ns;
	for (uint32_t i = 0; i < tl->geometry.knots_max; i++)
		((struct timeline_knot *)(void *)(tl->map +
						  tl->geometry.knots_offset))[i]
		    .utc_ns += ns;
}

TEST(time_known_better_turns_no_order_round)
{
	struct tl_event a, b, c;

	open_follow(0);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &a), 1);
	ck_assert_int_eq(tl_cursor_next(follow, &b), 0);
	tl->header->clock.max_err_ns = 500 * 1000 * 1000;
	move_clock(-400 * 1000 * 1000);
	log_numbers(1, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &b), 1);
	ck_assert_uint_gt(b.tsc, a.tsc);
	ck_assert_int_eq(b.ns, a.ns);
	ck_assert_int_eq(tl_cursor_next(follow, &c), 0);
	/* a step beyond the error bound: the clock was set */
	move_clock(-INT64_C(3600) * 1000 * 1000 * 1000);
	log_numbers(2, 3);
	ck_assert_int_eq(tl_cursor_next(follow, &c), 1);
	ck_assert_int_lt(c.ns, b.ns - INT64_C(3000) * 1000 * 1000 * 1000);
}

TEST(positions_that_cannot_be_are_refused)
{
	struct tl_fault fault = { 0 };
	const uint64_t *positions;
	uint64_t from[64];
	struct tl_follow_start start = { .from = from };
	struct tl_cursor *other;

	open_follow(0);
	start.lane_count = tl_follow_positions(follow, &positions);
	memcpy(from, positions, start.lane_count * sizeof(*from));
	from[0]++;
	ck_assert_int_eq(tl_follow_open_at(&other, tl->fd, &start, &fault),
	    -ESTALE);
	from[0]--;
	start.lane_count++;
	ck_assert_int_eq(tl_follow_open_at(&other, tl->fd, &start, &fault),
	    -ESTALE);
}

/* A hostile writer may change the constant part of the header. */
TEST(other_geometry_than_before_is_refused)
{
	struct tl_event e;
	const struct timeline_header good = *tl->header;

	open_follow(0);
	log_numbers(0, 3);
	tl->header->fallback_lanes = 2;
	tl->header->tiers = 1;
	tl->header->cpu_lanes = 1;
	ck_assert_int_lt(tl_cursor_next(follow, &e), 0);
	memcpy(tl->header, &good, offsetof(struct timeline_header, levels));
	expect_numbers(0, 3);
}

/*
 * The new geometry has more lanes than the follower has room for, at other
 * places.
 */
TEST(a_geometry_that_changes_ends_it)
{
	const struct timeline_header honest = *tl->header;
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 2);
	expect_numbers(0, 2);
	log_numbers(2, 3);
	tl->header->tier_entries[0] = tl->header->tier_entries[1] = 2;
	tl->header->cpu_lanes = 14;
	ck_assert_ok(tl_layout_check(tl->header, NULL));
	ck_assert_int_eq(tl_cursor_next(follow, &e), -EBADMSG);
	*tl->header = honest;
	tl->header->state = TIMELINE_SAVED;
	ck_assert_int_eq(tl_cursor_next(follow, &e), -EBADMSG);
	*tl->header = honest;
	expect_numbers(2, 3);
}

TEST(a_file_that_is_truncated_ends_it)
{
	struct tl_event e;

	open_follow(0);
	log_numbers(0, 2);
	expect_numbers(0, 2);
	log_numbers(2, 3);
	ck_assert_int_eq(ftruncate(tl->fd,
			     (off_t)tl->geometry.total_size - 4096),
	    0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), -ENODATA);
	ck_assert_int_eq(ftruncate(tl->fd, 4096), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), -ENODATA);
	ck_assert_int_eq(ftruncate(tl->fd, 0), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), -EBADMSG);
	/* the teardown closes a whole file */
	ck_assert_int_eq(ftruncate(tl->fd, (off_t)tl->geometry.total_size), 0);
}

/*
 * The place of the message was reserved, but nothing was written yet, when a
 * round copied the string table.
 */
TEST(a_message_that_was_half_written_is_known_when_it_is_whole)
{
	const uint64_t newest = tl->header->newest;
	const uint64_t at = tl->header->strings_tail;
	struct timeline_event *later;
	uint8_t record[256];
	struct tl_event e;

	ck_assert_ok(timeline_define(tl, "a", "info", "later", &later));
	memcpy(record, tl->strings + at, sizeof(record));
	memset(tl->strings + at, 0, sizeof(record));
	tl->header->newest = newest;
	open_follow(0);
	log_numbers(0, 1);
	expect_numbers(0, 1);
	memcpy(tl->strings + at, record, sizeof(record));
	tl->header->newest = at;
	tl_append_fallback(later, 0, 0, 0, 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->id, at);
	ck_assert(tl_bytes_equal(e.message->line1, tl_bytes_of("later")));
}

/* == observed time == */

TEST(the_gates_of_messages_are_those_of_now)
{
	struct tl_event e;

	log_numbers(0, 1);
	open_follow(0);
	log_numbers(1, 2);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->gate, 6);
	ck_assert_uint_eq(e.observed, 1);
	ck_assert_ok(timeline_level(tl, "a", "*", "debug"));
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	/* two entries for each of the two messages */
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
		ck_assert_uint_eq(e.message->builtin, TIMELINE_BUILTIN_LEVEL);
	}
	log_numbers(2, 3);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 0);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_eq(e.message->gate, 5);
}

static void
log_while_open(struct timeline_event *detail)
{
	timeline_priority(tl, "trace");
	timeline_log(detail);
	timeline_priority(tl, "info");
}

/* Log an entry at each of three times, and raise its message then. */
static void
raise_late(struct timeline_event *detail)
{
	log_while_open(detail);
	log_while_open(detail);
	/* of another message, and changes nothing */
	ck_assert_ok(timeline_level(tl, "a", "*", "default"));
	log_while_open(detail);
	ck_assert_ok(timeline_level(tl, "b", "*", "warning"));
}

/* The file has the gate of now when the entries before the change are read: by
 * a follower that was there before the message, before the entries, after them,
 * or that goes on between them. */
TEST(an_entry_before_a_change_of_its_gate_has_the_gate_before, .to = 4)
{
	uint64_t from[LANES] = { 0 }, observed[3] = { 0 };
	const struct tl_follow_start start = { .from = from,
		.lane_count = LANES };
	const uint64_t *positions;
	struct timeline_event *detail;
	struct tl_fault fault = { 0 };
	struct tl_event e;
	unsigned n = 0;
	int rc;

	timeline_priority(tl, "info");
	if (_i == 0)
		open_follow(0);
	ck_assert_ok(timeline_define(tl, "b", "trace", "detail", &detail));
	if (_i == 1)
		open_follow(0);
	if (_i == 3) {
		open_follow(UINT64_MAX);
		log_numbers(0, 1);
		while (tl_cursor_next(follow, &e) > 0)
			;
		tl_follow_positions(follow, &positions);
		memcpy(from, positions, sizeof(from));
		tl_cursor_close(follow);
	}
	raise_late(detail);
	if (_i > 1)
		ck_assert_msg(tl_follow_open_at(&follow, tl->fd, &start,
				  &fault) == 0,
		    "%s", fault.text);
	while ((rc = tl_cursor_next(follow, &e)) > 0)
		if (tl_bytes_equal(e.message->line1, tl_bytes_of("detail")))
			observed[n++ % 3] = e.observed;
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_ne(observed[0], observed[1]);
	ck_assert_uint_ne(observed[1], observed[2]);
}

/* A loss in the other lane is as late as the entries. */
TEST(entries_beside_a_loss_are_not_observed)
{
	struct tl_event e;
	bool lost = false;

	open_follow(0);
	for (uint64_t i = 0; i < N; i++) {
		tl_append_fallback(error, i, 0, 0, 0);
		log_numbers(i, i + 1);
	}
	log_numbers(N, 3 * N);
	while (tl_cursor_next(follow, &e) == 1) {
		lost |= e.kind == TL_LOST;
		if (e.kind != TL_LOST)
			ck_assert_int_eq(e.observed == TL_UNOBSERVED, !lost);
	}
	ck_assert(lost);
	log_numbers(0, 1);
	ck_assert_int_eq(tl_cursor_next(follow, &e), 1);
	ck_assert_uint_ne(e.observed, TL_UNOBSERVED);
}
