/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ring_log_c.c - does the fallback keep its slots apart, and count what
 * it drops?
 */
#include "../lib/fixture.h"

enum { LANE = 2, N = 64 }; /* of fixture_tiny: fallback, tier 0 */

static struct timeline_event *event;

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_int_eq(timeline_define(tl, "a", "info", "$a $b $c $d",
			     &event),
	    0);
}

static void
append(uint64_t a)
{
	tl_append_fallback(event, a, a + 1, a + 2, a + 3);
}

static void
expect_drops(uint64_t busy, uint64_t lapped, uint64_t raced)
{
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_BUSY], busy);
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_LAPPED], lapped);
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_RACED], raced);
}

START_TEST(entries_are_whole_and_in_turn)
{
	for (uint64_t i = 0; i < 3 * N; i++) {
		const struct timeline_entry *e = fixture_entry(LANE, i);

		append(i);
		ck_assert_uint_eq(fixture_head(LANE)->head, i + 1);
		ck_assert_uint_eq(e->stamp, 2 * i + 2);
		ck_assert_uint_eq(e->args[3], i + 3);
		ck_assert_uint_eq(e->message, event->message);
		ck_assert_uint_eq(e->pid, (unsigned)getpid());
		ck_assert_uint_eq(e->tid, (unsigned)gettid());
	}
	expect_drops(0, 0, 0);
}
END_TEST

START_TEST(a_slot_that_is_being_written_is_left_alone)
{
	struct timeline_entry before;

	for (uint64_t i = 0; i < N; i++)
		append(i);
	fixture_entry(LANE, 0)->stamp = timeline_stamp_writing(0);
	before = *fixture_entry(LANE, 0);
	append(1000);
	ck_assert_mem_eq(&before, fixture_entry(LANE, 0), sizeof(before));
	expect_drops(1, 0, 0);
	ck_assert_uint_eq(fixture_head(LANE)->head, N + 1);
	for (uint64_t i = 0; i < 3 * N; i++)
		append(i);
	/* every lap, and no other slot */
	expect_drops(4, 0, 0);
	ck_assert_mem_eq(&before, fixture_entry(LANE, 0), sizeof(before));
}
END_TEST

START_TEST(a_writer_that_was_lapped_gives_up)
{
	struct timeline_entry before;

	fixture_entry(LANE, 0)->stamp = timeline_stamp_whole(N);
	before = *fixture_entry(LANE, 0);
	append(1000);
	ck_assert_mem_eq(&before, fixture_entry(LANE, 0), sizeof(before));
	expect_drops(0, 1, 0);
	append(1001);
	ck_assert_uint_eq(fixture_entry(LANE, 1)->stamp, 4);
}
END_TEST

START_TEST(tiers_have_fallback_lanes_of_their_own)
{
	struct timeline_event *error;

	ck_assert_int_eq(timeline_define(tl, "a", "error", "$a", &error), 0);
	tl_append_fallback(error, 7, 0, 0, 0);
	ck_assert_uint_eq(fixture_head(LANE + 1)->head, 1);
	ck_assert_uint_eq(fixture_entry(LANE + 1, 0)->args[0], 7);
	ck_assert_uint_eq(fixture_head(LANE)->head, 0);
}
END_TEST

START_TEST(several_fallback_lanes_are_chosen_by_cpu)
{
	struct timeline_options options = fixture_tiny;
	const unsigned lanes = 3;
	uint64_t sum = 0;

	options.fallback_lanes = lanes;
	fixture_close();
	fixture_open(&options);
	ck_assert_int_eq(timeline_define(tl, "a", "info", "$a $b $c $d",
			     &event),
	    0);
	for (uint64_t i = 0; i < 50; i++)
		append(i);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		const uint32_t number =
		    timeline_lane(&tl->geometry, 1 + lane, 0);

		sum += fixture_head(number)->head;
		for (uint64_t q = 0; q < fixture_head(number)->head; q++)
			ck_assert_uint_eq(fixture_entry(number, q)->cpu % lanes,
			    lane);
	}
	ck_assert_uint_eq(sum, 50);
}
END_TEST

/* Levels forbid what the caller's gate test had let through just before. */
START_TEST(levels_are_tested_once_more)
{
	timeline_priority(tl, "error");
	const uint64_t before = fixture_logged();

	append(1);
	ck_assert_uint_eq(fixture_logged(), before);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ring log_c");
	TCase *t = tcase_create("log_c");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, entries_are_whole_and_in_turn);
	tcase_add_test(t, a_slot_that_is_being_written_is_left_alone);
	tcase_add_test(t, a_writer_that_was_lapped_gives_up);
	tcase_add_test(t, tiers_have_fallback_lanes_of_their_own);
	tcase_add_test(t, several_fallback_lanes_are_chosen_by_cpu);
	tcase_add_test(t, levels_are_tested_once_more);
	suite_add_tcase(s, t);
	return run_suite(s);
}
