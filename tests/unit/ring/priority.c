/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.c - the levels word changes as its table describes, for either
 * clock, and each change is logged for readers.
 */
#include "lib/fixture.h"
#include "lib/test.h"

#define SECOND UINT64_C(1000000000)

static struct timeline_event *debug_event;

static void
setup_with(uint32_t stamp)
{
	struct timeline_options options = fixture_tiny;

	options.stamp = stamp;
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "debug", "$a", &debug_event));
}

static void
setup(void)
{
	setup_with(TIMELINE_STAMP_AUTO);
}

static unsigned
threshold(void)
{
	return timeline_threshold(tl->header->levels);
}

static unsigned
enter(void)
{
	return (uint8_t)tl->header->levels;
}

static unsigned
base(void)
{
	return (uint8_t)(tl->header->levels >> TIMELINE_LEVELS_BASE);
}

static uint64_t
until(void)
{
	return tl->header->levels >> TIMELINE_LEVELS_UNTIL;
}

/* True if an entry is logged now. */
static bool
is_logged(void)
{
	const uint64_t before = fixture_logged();

	timeline_log(debug_event, 1);
	return fixture_logged() > before;
}

static bool
is_over(void)
{
	return tl_until_is_over(until(), tl_stamp_now(tl), tl_burst_max(tl));
}

/* Leave a burst over base error that ends some units from now. */
static void
leave_burst(uint64_t level, int64_t units)
{
	const uint64_t now = tl_stamp_now(tl) >> TIMELINE_UNTIL_SHIFT;

	tl->header->levels = level | 8 << TIMELINE_LEVELS_BASE |
			     (now + (uint64_t)units) << TIMELINE_LEVELS_UNTIL;
}

/* Leave a burst over base error that has just ended. */
static void
leave_burst_that_is_over(uint64_t level)
{
	leave_burst(level, -1);
}

/* The newest entry about a change, without its confirmation. */
static const struct timeline_entry *
newest_change(void)
{
	const struct timeline_entry *e = fixture_newest();

	return e->message == tl->priority_in_force->message ||
		       e->message == tl->burst_in_force->message
		   ? fixture_before(e)
		   : e;
}

static void
expect_told(const struct timeline_event *builtin)
{
	const struct timeline_entry *e = newest_change();

	ck_assert_uint_eq(e->message, builtin->message);
	ck_assert_uint_eq(e->args[0], threshold());
	ck_assert_uint_eq(e->args[1], base());
	ck_assert_uint_eq((e->args[2] >> TIMELINE_UNTIL_SHIFT) & TL_UNTIL_MASK,
	    threshold() < base() ? until() : 0);
	ck_assert(e->args[2] & TIMELINE_UNTIL_BEFORE);
	ck_assert_int_eq((e->args[2] & TIMELINE_UNTIL_FOLLOWS) != 0,
	    e != fixture_newest());
	if (e != fixture_newest())
		ck_assert_mem_eq(e->args, fixture_newest()->args,
		    3 * sizeof(e->args[0]));
}

/* The levels without until. */
static uint64_t
levels(void)
{
	return tl->header->levels & ((1 << TIMELINE_LEVELS_UNTIL) - 1);
}

/* All slots are open to debug and higher levels. */
static const struct tl_plan all_of_debug = { .seed = 7,
	.shift = 10,
	.shares = { [5] = UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX,
	    UINT32_MAX } };

TEST_FILE(.setup = setup, .teardown = fixture_close);

TEST(names_are_the_nine_priorities_and_off)
{
	static const char *const names[] = { "trace+++", "trace++", "trace+",
		"trace", "debug", "info", "warning", "error", "fatal", "off" };

	ck_assert_uint_eq(threshold(), 1);
	for (unsigned i = 0; i < 10; i++) {
		ck_assert_ok(timeline_priority(tl, names[i]));
		ck_assert_uint_eq(threshold(), i + 1);
		ck_assert_uint_eq(base(), i + 1);
		ck_assert(is_over());
		expect_told(tl->priority_event);
	}
	ck_assert_int_eq(timeline_priority(tl, "Traces"), -EINVAL);
	ck_assert_str_eq(timeline_error(),
	    "no such priority: \"Traces\": fatal, error, warning, info, debug, "
	    "trace, trace+, trace++, trace+++, off");
	ck_assert_int_eq(timeline_priority(tl, ""), -EINVAL);
	ck_assert_int_eq(timeline_priority(tl, NULL), -EINVAL);
	ck_assert_uint_eq(threshold(), 10);
}

TEST(a_burst_that_opens_nothing_is_not_confirmed)
{
	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 5, 60 * SECOND, true));
	ck_assert_ptr_ne(newest_change(), fixture_newest());
	timeline_burst(tl, "info", SECOND); /* replaces the sample */
	expect_told(tl->burst_event);
	ck_assert_ptr_eq(newest_change(), fixture_newest());
	timeline_burst(tl, "fatal", 70 * SECOND); /* the burst ends later */
	ck_assert_ptr_ne(newest_change(), fixture_newest());
	/* the priority closes levels: they are known only afterwards */
	timeline_priority(tl, "fatal");
	ck_assert_ptr_ne(newest_change(), fixture_newest());
}

/* A caller that is stalled before its swap must not find a change that left the
 * word as it was. */
TEST(a_burst_that_changes_nothing_is_not_logged)
{
	uint64_t word, before;

	timeline_priority(tl, "error");
	word = tl->header->levels;
	before = fixture_logged();
	ck_assert_ok(timeline_burst(tl, "fatal", SECOND));
	ck_assert_ok(timeline_burst(tl, "error", SECOND));
	ck_assert_uint_eq(tl->header->levels, word);
	ck_assert_uint_eq(fixture_logged(), before);
	timeline_burst(tl, "debug", 60 * SECOND);
	word = tl->header->levels;
	before = fixture_logged();
	ck_assert_ok(timeline_burst(tl, "debug", SECOND));
	ck_assert_ok(timeline_burst(tl, "info", SECOND));
	ck_assert_uint_eq(tl->header->levels, word);
	ck_assert_uint_eq(fixture_logged(), before);
}

TEST(no_value_of_the_word_comes_back)
{
	uint64_t words[64];
	unsigned n = 0;

	timeline_priority(tl, "error");
	for (int i = 0; i < 8; i++) {
		words[n++] = tl->header->levels;
		timeline_priority(tl, "info");
		words[n++] = tl->header->levels;
		timeline_burst(tl, "debug", 5000);
		words[n++] = tl->header->levels;
		for (int k = 0; k < 2; k++) {
			timeline_priority(tl, k ? "info" : "error");
			words[n++] = tl->header->levels;
		}
		usleep(20);
		tl_levels_expire(tl);
		/* the burst may have been over before the priority was set */
		if (tl->header->levels != words[n - 1])
			words[n++] = tl->header->levels;
		tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
		tl_plan_set(tl, &all_of_debug, NULL, 0);
		words[n++] = tl->header->levels;
		timeline_priority(tl, "error");
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i; k++)
			ck_assert_uint_ne(words[i], words[k]);
}

TEST(changes_of_priority_are_kept_apart_from_bursts)
{
	ck_assert_uint_eq(tl->priority_in_force->tier, 1);
	ck_assert_uint_eq(tl->burst_in_force->tier, 0);
	ck_assert_uint_eq(tl->priority_event->tier, 1);
	ck_assert_uint_eq(tl->burst_event->tier, 0);
}

TEST(a_burst_opens_until_its_end)
{
	timeline_priority(tl, "error");
	ck_assert(!is_logged());
	ck_assert_ok(timeline_burst(tl, "debug", 60 * SECOND));
	ck_assert_uint_eq(threshold(), 5);
	ck_assert_uint_eq(base(), 8);
	expect_told(tl->burst_event);
	ck_assert_uint_gt(fixture_newest()->args[2], tl_stamp_now(tl));
	ck_assert(is_logged());
	ck_assert(is_logged());
}

TEST(a_writer_ends_a_burst_that_is_over)
{
	leave_burst_that_is_over(5);
	ck_assert(timeline_enabled(debug_event));
	ck_assert(!is_logged());
	ck_assert_uint_eq(levels(), 0x0808);
	ck_assert(!timeline_enabled(debug_event));
}

TEST(what_is_open_anyway_does_not_end_a_burst)
{
	struct timeline_event *fatal;

	ck_assert_ok(timeline_define(tl, "a", "fatal", "$b", &fatal));
	leave_burst_that_is_over(5);
	timeline_log(fatal, 1);
	ck_assert_uint_eq(fixture_logged(), 1);
	ck_assert_uint_eq(threshold(), 5);
}

TEST(a_burst_in_a_burst_adds_to_it)
{
	uint64_t end;

	timeline_priority(tl, "error");
	timeline_burst(tl, "info", 60 * SECOND);
	end = until();
	timeline_burst(tl, "debug", SECOND);
	ck_assert_uint_eq(threshold(), 5);
	ck_assert_uint_eq(until(), end);
	timeline_burst(tl, "warning", 100 * SECOND);
	ck_assert_uint_eq(threshold(), 5);
	ck_assert_uint_gt(until(), end);
	expect_told(tl->burst_event);
}

TEST(a_burst_after_a_burst_stands_alone)
{
	leave_burst_that_is_over(4);
	timeline_burst(tl, "info", 60 * SECOND);
	ck_assert_uint_eq(threshold(), 6);
	ck_assert_uint_eq(base(), 8);
}

TEST(a_priority_in_a_burst_is_what_comes_after)
{
	timeline_priority(tl, "error");
	timeline_burst(tl, "debug", 60 * SECOND);
	timeline_priority(tl, "fatal");
	ck_assert_uint_eq(threshold(), 5);
	ck_assert_uint_eq(base(), 9);
	ck_assert_uint_ne(until(), 0);
	timeline_priority(tl, "trace");
	ck_assert_uint_eq(threshold(), 4);
	ck_assert_uint_eq(base(), 4);
	expect_told(tl->priority_event);
}

/* Change the priority often; the end must not pass the end asked for. */
static void
change_often(uint64_t asked, const char *first, const char *second)
{
	for (int i = 0; i < 1000; i++) {
		const unsigned before = base();
		const uint64_t end = until();

		timeline_priority(tl, i % 2 ? second : first);
		ck_assert_uint_le(until(), asked);
		/* a priority that is raised costs nothing */
		ck_assert_uint_eq(end - until(), base() > before ? 0 : 2);
		expect_told(tl->priority_event);
	}
}

TEST(a_priority_moves_no_end_of_a_burst_up)
{
	uint64_t asked;

	timeline_priority(tl, "error");
	timeline_burst(tl, "debug", 60 * SECOND);
	asked = until();
	change_often(asked, "warning", "error");
	ck_assert_uint_eq(until(), asked - 1000);
	change_often(asked, "error", "error"); /* the same priority again */
	ck_assert_uint_eq(until(), asked - 3000);
	ck_assert_uint_eq(threshold(), 5);
	/* a longer burst lasts as long as it was asked for */
	timeline_burst(tl, "debug", 120 * SECOND);
	ck_assert_uint_gt(until(), asked);
	asked = until();
	change_often(asked, "off", "info");
	ck_assert_uint_eq(until(), asked - 1000);
}

TEST(a_priority_moves_no_end_of_a_sample_up)
{
	uint64_t asked;

	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 5, 60 * SECOND, true));
	asked = until();
	change_often(asked, "warning", "error");
	ck_assert_uint_eq(until(), asked - 1000);
	ck_assert_uint_eq(until() % 2, 1);
	/* the entry of a priority tells the kind, too */
	ck_assert_uint_eq(newest_change()->args[2] >> TIMELINE_UNTIL_SHIFT & 1,
	    1);
}

TEST(the_longest_burst_becomes_no_longer)
{
	uint64_t asked;

	timeline_priority(tl, "error");
	ck_assert_ok(timeline_burst(tl, "debug", 3600 * SECOND));
	asked = until();
	change_often(asked, "fatal", "error");
	ck_assert(is_logged());
}

TEST(a_priority_at_the_end_of_a_burst_ends_it)
{
	for (int64_t units = -1; units < 2; units++) {
		leave_burst(4, units);
		timeline_priority(tl, "info");
		ck_assert_uint_eq(levels(), 0x0606);
		ck_assert(is_over());
		expect_told(tl->priority_event);
	}
}

TEST(a_priority_below_a_burst_ends_it)
{
	timeline_priority(tl, "error");
	timeline_burst(tl, "debug", 60 * SECOND);
	timeline_priority(tl, "trace");
	ck_assert_uint_eq(levels(), 0x0404);
	ck_assert(is_over());
	expect_told(tl->priority_event);
	/* no part of the burst comes back */
	timeline_priority(tl, "error");
	ck_assert_uint_eq(levels(), 0x0808);
	ck_assert(!is_logged());
}

TEST(a_priority_after_a_burst_is_all_there_is)
{
	leave_burst_that_is_over(5);
	timeline_priority(tl, "fatal");
	ck_assert_uint_eq(levels(), 0x0909);
}

TEST(an_end_absurdly_far_ahead_is_over)
{
	const uint64_t now = tl_stamp_now(tl) >> TIMELINE_UNTIL_SHIFT;
	const uint64_t ahead[] = { tl_burst_max(tl) + 1000, UINT64_C(1) << 40,
		(UINT64_C(1) << 47) - 1 };

	for (int i = 0; i < 3; i++) {
		tl->header->levels = 0x0805 | (now + ahead[i])
						  << TIMELINE_LEVELS_UNTIL;
		ck_assert(!is_logged());
		ck_assert_uint_eq(levels(), 0x0808);
	}
}

TEST(the_last_unit_of_a_burst_belongs_to_it)
{
	const uint64_t now = UINT64_C(1000) << TIMELINE_UNTIL_SHIFT;

	ck_assert(tl_until_is_over(999, now, 10));
	ck_assert(!tl_until_is_over(1000, now, 10));
	ck_assert(!tl_until_is_over(1010, now, 10));
	ck_assert(tl_until_is_over(1011, now, 10));
	/* where the 44 bits of the word wrap */
	ck_assert(
	    !tl_until_is_over(5, TL_UNTIL_MASK << TIMELINE_UNTIL_SHIFT, 10));
	ck_assert(tl_until_is_over(TL_UNTIL_MASK, 0, 10));
}

TEST(expiry_touches_no_living_burst)
{
	uint64_t word;

	timeline_priority(tl, "error");
	timeline_burst(tl, "debug", 60 * SECOND);
	word = tl->header->levels;
	tl_levels_expire(tl);
	ck_assert_uint_eq(tl->header->levels, word);
	leave_burst_that_is_over(5);
	tl_levels_expire(tl);
	ck_assert_uint_eq(levels(), 0x0808);
}

TEST(a_burst_says_whether_it_is_a_sample)
{
	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 5, 60 * SECOND, true));
	expect_told(tl->burst_event);
	ck_assert_uint_eq(newest_change()->args[3], 1);
	timeline_burst(tl, "debug", 61 * SECOND);
	expect_told(tl->burst_event);
	ck_assert_uint_eq(newest_change()->args[3], 0);
	ck_assert_int_eq(tl_burst(tl, 5, 0, true), -ERANGE);
}

TEST(a_burst_replaces_a_sample)
{
	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 1, 60 * SECOND, true));
	ck_assert_uint_eq(threshold(), 1);
	ck_assert_ok(timeline_burst(tl, "debug", SECOND));
	ck_assert_uint_eq(threshold(), 5);
	ck_assert_uint_eq(base(), 8);
	/* nor does the burst last as long as the sample */
	ck_assert_uint_lt(newest_change()->args[2],
	    tl_stamp_now(tl) + tl_calibrate_ticks(tl->header, 30 * SECOND));
}

TEST(no_sample_is_opened_during_a_burst)
{
	uint64_t word;

	timeline_priority(tl, "error");
	timeline_burst(tl, "debug", 60 * SECOND);
	word = tl->header->levels;
	ck_assert_int_eq(tl_burst(tl, 1, SECOND, true), -EBUSY);
	ck_assert_uint_eq(tl->header->levels, word);
	/* a priority does not turn the burst into a sample */
	timeline_priority(tl, "warning");
	ck_assert_int_eq(tl_burst(tl, 1, SECOND, true), -EBUSY);
	timeline_priority(tl, "error");
	ck_assert_int_eq(tl_burst(tl, 1, SECOND, true), -EBUSY);
}

TEST(a_priority_makes_no_burst_of_a_sample)
{
	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 1, 60 * SECOND, true));
	timeline_priority(tl, "fatal");
	ck_assert_ok(tl_burst(tl, 2, 60 * SECOND, true));
	ck_assert_ok(timeline_burst(tl, "debug", SECOND));
	ck_assert_uint_eq(threshold(), 5);
}

TEST(a_look_sees_what_a_writer_would)
{
	struct tl_levels_now now;
	uint64_t word;

	timeline_priority(tl, "error");
	tl_levels_get(tl, &now);
	ck_assert(!now.burst && now.threshold == 8 && now.base == 8);
	timeline_burst(tl, "debug", 60 * SECOND);
	tl_levels_get(tl, &now);
	ck_assert(now.burst && now.threshold == 5 && now.base == 8);
	ck_assert_uint_eq(now.word, tl->header->levels);
	leave_burst_that_is_over(5);
	word = tl->header->levels;
	tl_levels_get(tl, &now);
	ck_assert(!now.burst && now.threshold == 8 && now.base == 8);
	/* the call changes nothing */
	ck_assert_uint_eq(tl->header->levels, word);
}

TEST(a_burst_lasts_one_ns_to_an_hour)
{
	const uint64_t word = tl->header->levels;

	ck_assert_int_eq(timeline_burst(tl, "debug", 0), -ERANGE);
	ck_assert_int_eq(timeline_burst(tl, "debug", 3600 * SECOND + 1),
	    -ERANGE);
	ck_assert_int_eq(timeline_burst(tl, "off", SECOND), -EINVAL);
	ck_assert_int_eq(timeline_burst(tl, "loud", SECOND), -EINVAL);
	ck_assert_uint_eq(tl->header->levels, word);
	timeline_priority(tl, "error");
	ck_assert_ok(timeline_burst(tl, "debug", 3600 * SECOND));
	ck_assert(is_logged());
}

TEST(off_logs_nothing_but_changes)
{
	struct timeline_event *fatal;
	uint64_t before;

	ck_assert_ok(timeline_define(tl, "a", "fatal", "$b", &fatal));
	timeline_priority(tl, "off");
	before = fixture_logged();
	timeline_log(fatal, 1);
	ck_assert_uint_eq(fixture_logged(), before);
	timeline_priority(tl, "off");
	ck_assert_uint_eq(fixture_logged(), before + 2);
}

TEST(bursts_work_by_the_other_clock)
{
	fixture_close();
	setup_with(TIMELINE_STAMP_REALTIME);
	ck_assert_uint_eq(tl->geometry.clock_kind, TIMELINE_CLOCK_REALTIME);
	timeline_priority(tl, "error");
	ck_assert(!is_logged());
	timeline_burst(tl, "debug", 60 * SECOND);
	expect_told(tl->burst_event);
	ck_assert_uint_gt(fixture_newest()->args[2], tl_stamp_now(tl));
	ck_assert_uint_lt(fixture_newest()->args[2],
	    tl_stamp_now(tl) + 61 * SECOND);
	ck_assert(is_logged());
	timeline_burst(tl, "info", SECOND);
	ck_assert(is_logged());
	timeline_priority(tl, "fatal");
	ck_assert(is_logged());
	leave_burst_that_is_over(5);
	ck_assert(!is_logged());
	ck_assert_uint_eq(levels(), 0x0808);
}

/* == slots == */

TEST(the_hash_of_slots_is_splitmix64)
{
	/* the first outputs of the generator for the states 0, 1 and 1234567 */
	ck_assert_uint_eq(timeline_slot_hash(0, 0), 0xe220a839);
	ck_assert_uint_eq(timeline_slot_hash(1, 0), 0x910a2dec);
	ck_assert_uint_eq(timeline_slot_hash(1234560, 7), 0x599ed017);
	ck_assert_uint_eq(timeline_slot(UINT64_C(0x123456789), 16), 0x12345);
	ck_assert_uint_eq(timeline_slot(UINT64_MAX, 63), 1);
}

TEST(a_plan_opens_slots_below_the_threshold)
{
	struct tl_plan none = all_of_debug;

	timeline_priority(tl, "error");
	ck_assert(!is_logged());
	ck_assert_ok(tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND));
	ck_assert_uint_eq(enter(), 5);
	ck_assert_uint_eq(threshold(), 8);
	ck_assert_uint_eq(base(), 8);
	ck_assert(is_logged());
	ck_assert(tl_plan_is_held(tl, &all_of_debug));
	/* tiny shares: the slots are closed, and the levels stay */
	for (int gate = 5; gate < 10; gate++)
		none.shares[gate] = 1;
	tl_plan_set(tl, &all_of_debug, &none, 60 * SECOND);
	for (int i = 0; i < 1000; i++)
		ck_assert(!is_logged());
	ck_assert_uint_eq(enter(), 5);
	tl_plan_set(tl, &none, NULL, 0);
	ck_assert_uint_eq(levels(), 0x0808);
	ck_assert(!is_logged());
}

TEST(a_plan_that_nobody_renews_ends_by_the_writers_clock)
{
	timeline_priority(tl, "error");
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	ck_assert(is_logged());
	/* the lease ended long ago */
	tl->header->lease = 0x100 | all_of_debug.shift;
	ck_assert(!tl_plan_is_held(tl, &all_of_debug));
	ck_assert(!is_logged());
	ck_assert_uint_eq(levels(), 0x0808); /* the plan is gone */
	/* setting it again works as if it had not been held */
	tl_plan_set(tl, &all_of_debug, &all_of_debug, 60 * SECOND);
	ck_assert(is_logged());
	ck_assert(tl_plan_is_held(tl, &all_of_debug));
}

TEST(bursts_and_priorities_leave_a_plan_in_force)
{
	timeline_priority(tl, "error");
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	timeline_burst(tl, "trace", 60 * SECOND); /* more than the plan */
	ck_assert_uint_eq(enter(), 4);
	ck_assert_uint_eq(threshold(), 4);
	ck_assert(tl_plan_is_held(tl, &all_of_debug));
	leave_burst_that_is_over(4);
	ck_assert(is_logged());
	ck_assert_uint_eq(enter(), 5);
	ck_assert_uint_eq(threshold(), 8);
	timeline_burst(tl, "warning", 60 * SECOND); /* less than the plan */
	ck_assert_uint_eq(enter(), 5);
	ck_assert_uint_eq(threshold(), 7);
	ck_assert(is_logged());
	timeline_priority(tl, "fatal");
	ck_assert_uint_eq(enter(), 5);
	ck_assert_uint_eq(threshold(), 7);
	ck_assert_uint_eq(base(), 9);
	timeline_priority(tl, "trace+++");
	ck_assert_uint_eq(tl->header->levels & 0xff, 1);
	ck_assert(is_logged());
}

/*
 * A writer that was stalled while it ended the old plan must not find its word
 * again, or it would end the new plan.
 */
TEST(a_plan_that_changes_during_a_burst_changes_the_word)
{
	struct tl_plan other = all_of_debug;
	uint64_t before;

	other.seed++;
	timeline_priority(tl, "error");
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	timeline_burst(tl, "warning", 60 * SECOND);
	before = tl->header->levels;
	tl_plan_set(tl, &all_of_debug, &other, 60 * SECOND);
	ck_assert_uint_ne(tl->header->levels, before);
	ck_assert_uint_eq(enter(), 5);
	ck_assert_uint_eq(threshold(), 7);
	ck_assert_uint_eq(base(), 8);
	ck_assert(tl_plan_is_held(tl, &other));
	/* the burst ends two units earlier, and is still a caller's burst */
	ck_assert_uint_eq((before >> TIMELINE_LEVELS_UNTIL) - until(), 2);
	ck_assert_int_eq(tl_burst(tl, 4, 60 * SECOND, true), -EBUSY);
}

/* The newest entry of a burst, without its confirmation, among the last four of
 * each lane. */
static const struct timeline_entry *
newest_burst(void)
{
	const struct timeline_entry *newest = NULL;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++) {
		const uint64_t head = fixture_head(i)->head;

		for (uint64_t q = head > 4 ? head - 4 : 0; q < head; q++) {
			const struct timeline_entry *e = fixture_entry(i, q);

			if (e->message == tl->burst_event->message &&
			    (!newest || e->tsc >= newest->tsc))
				newest = e;
		}
	}
	ck_assert_ptr_nonnull(newest);
	return newest;
}

TEST(a_plan_that_begins_in_a_sample_leaves_a_sample)
{
	const struct timeline_entry *e;
	uint64_t end;

	timeline_priority(tl, "error");
	ck_assert_ok(tl_burst(tl, 4, 60 * SECOND, true));
	end = until();
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	ck_assert_uint_eq(until(), end - 2);
	e = newest_burst();
	ck_assert_uint_eq(e->args[0], 4);
	ck_assert_uint_eq((e->args[2] >> TIMELINE_UNTIL_SHIFT) & TL_UNTIL_MASK,
	    until());
	ck_assert_uint_eq(e->args[3], 1);
	/* a caller's burst replaces what is left of the sample */
	ck_assert_ok(timeline_burst(tl, "info", SECOND));
	ck_assert_uint_eq(threshold(), 6);
	ck_assert_uint_lt(until(), end - 2);
	expect_told(tl->burst_event);
	ck_assert_uint_eq(newest_change()->args[3], 0);
	/* and remains a caller's when another plan begins */
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	ck_assert_uint_eq(newest_burst()->args[3], 0);
	ck_assert_int_eq(tl_burst(tl, 4, 60 * SECOND, true), -EBUSY);
}

TEST(a_plan_that_begins_at_the_end_of_a_burst_ends_it)
{
	timeline_priority(tl, "error");
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	leave_burst(7, 1);
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	ck_assert_uint_eq(threshold(), 8);
	ck_assert_uint_eq(base(), 8);
	ck_assert_uint_eq(enter(), 5);
	ck_assert(is_over());
}

TEST(a_plan_is_held_only_if_nothing_touched_it)
{
	struct tl_plan other = all_of_debug;

	timeline_priority(tl, "error");
	tl_plan_set(tl, NULL, &all_of_debug, 60 * SECOND);
	ck_assert(tl_plan_is_held(tl, &all_of_debug));
	other.shares[9]--;
	ck_assert(!tl_plan_is_held(tl, &other));
	other = all_of_debug;
	other.seed++;
	ck_assert(!tl_plan_is_held(tl, &other));
	/* a stalled writer closes the plan by its old word */
	tl->header->levels = 0x0808;
	ck_assert(!tl_plan_is_held(tl, &all_of_debug));
	tl_plan_set(tl, &all_of_debug, &all_of_debug, 60 * SECOND);
	ck_assert_uint_eq(enter(), 5);
	ck_assert(tl_plan_is_held(tl, &all_of_debug));
}

TEST(the_levels_word_of_version_1_is_still_read)
{
	struct timeline_header h = { .major = 1,
		.levels = 4 | 6 << 8 | UINT64_C(0x123456789a) << 16 };

	ck_assert_uint_eq(timeline_threshold(timeline_levels(&h)), 4);
	ck_assert_uint_eq((uint8_t)(timeline_levels(&h) >> 8), 6);
	ck_assert_uint_eq(timeline_levels(&h) >> TIMELINE_LEVELS_UNTIL,
	    0x123456789a);
}
