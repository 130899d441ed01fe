/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts_pairs.c - clocks put right by what hosts sent each other:
 * what the test planted must lie within the bound that is stated.
 */
#include "hosts_fixture.h"
#include "lib/random.h"
#include "lib/test.h"

static uint64_t state;

static const char *const messages[] = { "sent $id = got $id", NULL };

/* Every host is off by up to a second and says so, or says it does not know;
 * they send each other messages, each at least 50 us under way. */
static void
let_them_talk(unsigned count, bool bounded)
{
	for (size_t i = 0; i < HOSTS; i++) {
		struct disguise *d = &hosts[i].disguise;

		d->shift_ns =
		    (int64_t)random_below(&state, 2000 * MS) - 1000 * MS;
		d->sync_us =
		    bounded ? 1000000 + 1000 * (uint32_t)i : UINT32_MAX;
	}
	for (uint64_t i = 0; i < count; i++) {
		const size_t a = i % HOSTS;
		const size_t b = (a + 1 + i / HOSTS % (HOSTS - 1)) % HOSTS;
		const int64_t ns =
		    NOON + (int64_t)random_below(&state, 1000 * MS);

		log_at(a, ns, &sent, i);
		log_at(b, ns + 50000 + (int64_t)random_below(&state, 400000),
		    &received, i);
	}
}

/* What must be added to the times of a host so that it agrees with the
 * reference: that is what the test planted. */
static int64_t
truth_of(size_t reference, size_t host)
{
	return hosts[reference].disguise.shift_ns -
	       hosts[host].disguise.shift_ns;
}

/* How many hosts lie outside of their own bound; -1: turned round. */
static unsigned
count_wrong(int sign)
{
	size_t reference = 0;
	unsigned wrong = 0;

	for (size_t i = 0; i < HOSTS; i++) {
		if (inputs.hosts->list[i].is_reference)
			reference = i;
	}
	for (size_t i = 0; i < HOSTS; i++) {
		const struct tl_host *h = &inputs.hosts->list[i];
		const int64_t away =
		    sign * truth_of(reference, i) - h->offset_ns;

		wrong += h->sync_us == TL_SYNC_UNBOUNDED ||
			 llabs(away) > (int64_t)h->sync_us * 1000;
	}
	return wrong;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(planted_offsets_are_found_within_the_bound)
{
	state = 5;
	for (unsigned round = 0; round < 20; round++) {
		setup();
		let_them_talk(600, round % 2);
		open_hosts(HOSTS);
		apply(NULL, messages, 0);
		ck_assert_uint_eq(count_wrong(1), 0);
		ck_assert_uint_ge(count_wrong(-1), 1); /* the test can fail */
		ck_assert_uint_eq(inputs.hosts->counts.paired, 600);
		for (size_t i = 0; i < HOSTS; i++) /* the quickest both ways */
			ck_assert_uint_le(inputs.hosts->list[i].sync_us, 120);
	}
}

/* Afterwards no message arrives before it was sent. */
TEST(what_was_sent_comes_before_what_was_received)
{
	int64_t at[600] = { 0 };
	struct tl_cursor *cursor;
	struct tl_event event;
	unsigned got = 0;

	state = 6;
	let_them_talk(600, true);
	open_hosts(HOSTS);
	apply(NULL, messages, 0);
	cursor = open_cursor(TL_OLDEST_FIRST);
	while (tl_cursor_next(cursor, &event) > 0) {
		if (event.message->line1.data[0] == 's') {
			at[event.args[0]] = event.ns;
			continue;
		}
		ck_assert_int_ne(at[event.args[0]], 0);
		ck_assert_int_le(at[event.args[0]], event.ns);
		got++;
	}
	ck_assert_uint_eq(got, 600);
	tl_cursor_close(cursor);
}

TEST(the_report_says_by_how_much)
{
	hosts[0].disguise.sync_us = 1000;
	hosts[1].disguise.sync_us = 20000;
	hosts[1].disguise.shift_ns = -1234 * 1000;
	hosts[2].disguise.sync_us = UINT32_MAX;
	for (uint64_t i = 0; i < 10; i++) {
		const int64_t ns = NOON + (int64_t)i * MS;

		log_at(0, ns, &sent, 2 * i);
		log_at(1, ns + 50000, &received, 2 * i);
		log_at(1, ns + 60000, &sent, 2 * i + 1);
		log_at(0, ns + 110000, &received, 2 * i + 1);
	}
	log_at(2, NOON, &sent, 999);
	open_hosts(3);
	apply(NULL, messages, 0);
	ck_assert_str_eq(said,
	    "host-a: the clock that others are compared with\n"
	    "host-b: +1.234ms +-50us (was +-20ms) from 20 pairs\n");
	ck_assert_uint_eq(inputs.hosts->list[2].sync_us, TL_SYNC_UNBOUNDED);
}

TEST(pairs_that_contradict_are_left_out)
{
	hosts[1].disguise.shift_ns = 30 * MS;
	hosts[0].disguise.sync_us = hosts[1].disguise.sync_us = 1000;
	log_at(0, NOON, &received, 1);
	log_at(1, NOON, &sent, 1); /* 30 ms later by its clock */
	open_hosts(2);
	apply(NULL, messages, 0);
	ck_assert_str_eq(said,
	    "host-a and host-b: their pairs contradict what else is known by "
	    "28ms, and are left out\n");
	ck_assert_uint_eq(inputs.hosts->list[0].sync_us, 0);
	ck_assert_uint_eq(tl_host_bound(&inputs.hosts->list[1]), 1000);
}

TEST(what_was_sent_one_way_only_keeps_causes_first)
{
	hosts[1].disguise.shift_ns = -30 * MS;
	hosts[0].disguise.sync_us = hosts[1].disguise.sync_us = UINT32_MAX;
	log_at(0, NOON, &sent, 1);
	log_at(1, NOON + 1000, &received, 1);
	open_hosts(2);
	apply(NULL, messages, 0);
	ck_assert_int_eq(inputs.hosts->list[1].offset_ns, 30 * MS - 1000);
	ck_assert_uint_eq(inputs.hosts->list[1].sync_us, TL_SYNC_UNBOUNDED);
	ck_assert_ptr_nonnull(strstr(said, "without a bound"));
}

TEST(no_pairs_change_nothing)
{
	static const char *const none[] = { "nothing=at all", NULL };

	hosts[0].disguise.sync_us = hosts[1].disguise.sync_us = 70;
	log_at(0, NOON, &sent, 1);
	log_at(1, NOON + MS, &received, 1);
	open_hosts(2);
	apply(NULL, none, 0);
	ck_assert_str_eq(said,
	    "no pair of two hosts was found: 0 of one host, 0 without the "
	    "other side\n");
	ck_assert_uint_eq(tl_host_bound(&inputs.hosts->list[1]), 70);
	ck_assert(!inputs.hosts->list[0].is_fixed);
}
