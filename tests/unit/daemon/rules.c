/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - each kind of rule fires on its condition, and only then. */
#include "lib/test.h"
#include "rules_fixture.h"

#include <timeline.h>

static void
teardown(void)
{
	tl_rules_free(rules);
	rules = NULL;
}

TEST_FILE(.setup = rules_fixture_define, .teardown = teardown);

TEST(an_event_fires_where_its_globs_match)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);

	rule.match.category = "n*";
	rule.match.message = "p?ng *";
	start(&rule, 1);
	put(DEPTH, 1, 0);
	fired(0);
	put(PING, 2, 0);
	put(PONG, 3, 5);
	fired(2);
	ck_assert_ptr_eq(seen.last.rule, &rule);
	ck_assert_int_eq(seen.last.ns, START + 3);
	ck_assert_uint_eq(seen.event.args[0], 5);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "pong n(5)"));
}

TEST(an_expression_lets_some_pass)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);

	rule.match.message = "ping*";
	rule.when = "args.n > 10 and pid == 7";
	start(&rule, 1);
	put(PING, 1, 10);
	fired(0);
	put(PING, 2, 11);
	fired(1);
}

/*
 * Entries of bursts fire only rules that name their category, because a burst
 * that a rule starts would otherwise fire the rule again.
 */
TEST(records_of_levels_fire_what_names_their_category)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_EVENT),
		rule_of(TL_RULE_EVENT) };

	messages[PING].builtin = TIMELINE_BUILTIN_BURST;
	list[0].match.message = "*";
	list[1].match.category = "net";
	start(list, 2);
	put(PING, 0, 0);
	fired(1);
	ck_assert_ptr_eq(seen.last.rule, &list[1]);
}

TEST(a_level_fires_for_itself_and_above)
{
	struct tl_config_rule rule = rule_of(TL_RULE_LEVEL);

	rule.level = 7;
	start(&rule, 1);
	put(PING, 1, 0);
	begin(WORK, 2, 0);
	fired(0);
	put(SIGNED, 3, 0);
	put(BAD, 4, 0);
	fired(2);
	ck_assert_ptr_null(strchr(seen.last.text, '\033'));
}

TEST(a_span_over_its_limit_fires)
{
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);

	rule.match.message = "request*";
	rule.limit_ns = 10 * MS;
	start(&rule, 1);
	for (int i = 0; i < 10; i++) {
		begin(WORK, i * 20 * MS, 0);
		end(WORK, i * 20 * MS + 10 * MS);
	}
	begin(STEP, SECOND, 0);
	end(STEP, SECOND + 50 * MS);
	end(WORK, SECOND + 60 * MS);
	fired(0);
	begin(WORK, 2 * SECOND, 0);
	end(WORK, 2 * SECOND + 10 * MS + 1);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "took 10"));
	ck_assert_int_eq(seen.event.kind, TL_END);
}

TEST(a_span_of_a_process_that_ended_is_not_open)
{
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);

	rule.limit_ns = 10 * MS;
	start(&rule, 1);
	begin(WORK, 0, 0);
	tl_rules_died(rules, 8, "other", START + MS);
	tl_rules_died(rules, 7, "worker", START + MS);
	tick(20 * MS);
	fired(0);
	begin(WORK, 20 * MS, 0); /* another process of the same number */
	tick(40 * MS);
	fired(1);
}

TEST(a_span_that_stays_open_fires_once)
{
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);

	rule.limit_ns = 10 * MS;
	rule.clear = INFINITY; /* every span arms the rule again */
	start(&rule, 1);
	begin(WORK, 0, 0);
	tick(10 * MS);
	fired(0);
	tick(10 * MS + 1);
	fired(1);
	ck_assert_ptr_null(seen.last.event);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "still open"));
	begin(STEP, 11 * MS, 0);
	end(STEP, 12 * MS);
	tick(20 * MS);
	end(WORK, 30 * MS);
	fired(0);
}

TEST(the_begin_of_a_span_is_asked_the_expression)
{
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);

	rule.limit_ns = MS;
	rule.when = "args.id == 5 and kind == 'begin'";
	start(&rule, 1);
	begin(WORK, 0, 4);
	end(WORK, 2 * MS);
	begin(WORK, 3 * MS, 4);
	tick(10 * MS);
	fired(0);
	begin(WORK, 11 * MS, 5);
	end(WORK, 13 * MS);
	fired(1);
}

TEST(an_interval_over_its_limit_fires)
{
	struct tl_config_rule rule = rule_of(TL_RULE_INTERVAL);

	rule.match.message = "ping*";
	rule.other.message = "pong*";
	rule.limit_ns = 10 * MS;
	start(&rule, 1);
	put(PONG, 0, 0);
	put(PING, MS, 0);
	put(PING, 9 * MS, 0); /* the first ping counts */
	put(PONG, 11 * MS, 0);
	put(PONG, SECOND, 0);
	fired(0);
	put(PING, 2 * SECOND, 0);
	put(PING, 2 * SECOND + 9 * MS, 0);
	put(PONG, 2 * SECOND + 11 * MS, 0);
	fired(1);
	put(PING, 3 * SECOND, 0); /* a short interval arms the rule again */
	put(PONG, 3 * SECOND + MS, 0);
	put(PING, 4 * SECOND, 0); /* this interval has no end */
	tick(4 * SECOND + 10 * MS);
	fired(0);
	tick(4 * SECOND + 11 * MS);
	fired(1);
	tick(5 * SECOND);
	put(PONG, 6 * SECOND, 0);
	fired(0);
}

TEST(an_interval_may_lie_between_equal_messages)
{
	struct tl_config_rule rule = rule_of(TL_RULE_INTERVAL);

	rule.match.message = rule.other.message = "ping*";
	rule.limit_ns = 10 * MS;
	start(&rule, 1);
	put(PING, 0, 0);
	put(PING, 10 * MS, 0);
	fired(0);
	put(PING, 21 * MS, 0);
	fired(1);
}

TEST(what_is_absent_fires_until_it_is_seen)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ABSENT);

	rule.match.message = "ping*";
	rule.limit_ns = 100 * MS;
	start(&rule, 1);
	put(PONG, 0, 0);
	tick(SECOND); /* the absence counts from here */
	tick(SECOND + 100 * MS);
	fired(0);
	tick(SECOND + 101 * MS);
	fired(1);
	tick(5 * SECOND);
	fired(0);
	put(PING, 5 * SECOND + 50 * MS, 0);
	put(PING, 5 * SECOND + 100 * MS, 0);
	tick(5 * SECOND + 200 * MS);
	fired(0);
	tick(5 * SECOND + 201 * MS);
	fired(1);
}

TEST(an_argument_over_its_bound_fires_once)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ARGUMENT);

	rule.argument = "value";
	rule.match.message = "depth*";
	rule.bound = 100;
	rule.clear = 50;
	start(&rule, 1);
	put(DEPTH, 0, 100);
	fired(0);
	put(DEPTH, 1, 101);
	put(DEPTH, 2, 500);
	fired(1);
	put(DEPTH, 3, 51);
	put(DEPTH, 4, 200);
	fired(0);
	put(DEPTH, 5, 50);
	put(DEPTH, 6, 101);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "value 101 is above 100"));
}

TEST(an_argument_is_read_as_its_format_says)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ARGUMENT);
	const double half = 0.5, nan = NAN;
	uint64_t bits;

	rule.argument = "value";
	rule.below = true;
	start(&rule, 1);
	put(DEPTH, 0, (uint64_t)-1); /* unsigned: a large value */
	put(NAME, 1, 0);
	memcpy(&bits, &half, sizeof(bits));
	put(RATIO, 2, bits | (uint64_t)0);
	memcpy(&bits, &nan, sizeof(bits));
	put(RATIO, 3, bits);
	fired(0);
	put(SIGNED, 4, (uint64_t)-1);
	fired(1);
	put(RATIO, 5, bits); /* NaN is neither good nor bad */
	put(SIGNED, 6, (uint64_t)-1);
	fired(0);
	put(DEPTH, 7, 0);
	memcpy(&bits, &(double){ -0.25 }, sizeof(bits));
	put(RATIO, 8, bits);
	fired(1);
}

TEST(a_text_is_not_compared)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ARGUMENT);

	rule.argument = "value";
	rule.below = true;
	rule.bound = 5;
	start(&rule, 1);
	put(NAME, 1, 0);
	fired(0);
}

TEST(large_numbers_are_compared_exactly)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ARGUMENT);

	rule.argument = "value";
	rule.bound = 0x1p63;
	start(&rule, 1);
	put(DEPTH, 0, (uint64_t)1 << 63);
	fired(0);
	put(DEPTH, 1, ((uint64_t)1 << 63) + 1);
	fired(1);
}

TEST(an_end_without_arguments_has_no_value)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ARGUMENT);
	const struct tl_event bare = { .message = &messages[WORK],
		.kind = TL_END,
		.ns = START,
		.tsc = (uint64_t)START,
		.bare = true };

	rule.argument = "id";
	rule.bound = 1;
	rule.below = true;
	start(&rule, 1);
	tl_rules_put(rules, &bare);
	fired(0);
	end(WORK, 1);
	fired(1);
}

TEST(a_high_rate_fires_and_a_low_one_arms)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);
	int64_t ns = 0;

	rule.match.message = "ping*";
	rule.limit_ns = (uint64_t)SECOND;
	rule.bound = 10;
	rule.clear = 5;
	start(&rule, 1);
	for (int i = 0; i < 50; i++, ns += SECOND / 10)
		put(PING, ns, 0);
	fired(0);
	put(PING, ns - 1, 0);
	fired(1);
	for (int i = 0; i < 50; i++, ns += SECOND / 11)
		put(PING, ns, 0);
	fired(0);
	tick(ns + 10 * SECOND);
	ns += 20 * SECOND;
	for (int i = 0; i < 11; i++)
		put(PING, ns + i, 0);
	fired(1);
}

TEST(a_low_rate_fires_after_a_whole_window)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);

	rule.match.message = "ping*";
	rule.limit_ns = (uint64_t)SECOND;
	rule.bound = 2;
	rule.below = true;
	start(&rule, 1);
	tick(0);
	tick(SECOND - 1);
	fired(0);
	tick(SECOND);
	fired(1);
	tick(2 * SECOND);
	put(PING, 3 * SECOND, 0);
	put(PING, 3 * SECOND + 1, 0);
	tick(4 * SECOND - 1);
	fired(0);
	tick(4 * SECOND);
	fired(1);
}

TEST(a_span_counts_once_for_a_high_rate)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);

	rule.match.message = "step";
	rule.limit_ns = (uint64_t)SECOND;
	rule.bound = 10;
	start(&rule, 1);
	for (int i = 0; i < 10; i++) {
		begin(STEP, i * MS, 0);
		end(STEP, i * MS + 1);
	}
	fired(0);
	begin(STEP, 11 * MS, 0);
	fired(1);
}

TEST(a_span_counts_once_for_a_low_rate)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);

	rule.match.message = "step";
	rule.limit_ns = (uint64_t)SECOND;
	rule.bound = 6;
	rule.below = true;
	start(&rule, 1);
	tick(0);
	for (int i = 0; i < 5; i++) {
		begin(STEP, (i + 1) * MS, 0);
		end(STEP, (i + 1) * MS + 1);
	}
	tick(SECOND);
	fired(1); /* five spans, ten entries */
}

TEST(a_span_of_a_timer_counts_at_its_end)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);

	messages[STEP].timer = true;
	rule.match.message = "step";
	rule.limit_ns = (uint64_t)SECOND;
	rule.bound = 1;
	start(&rule, 1);
	begin(STEP, 1, 0);
	end(STEP, MS);
	begin(STEP, MS, 0);
	fired(0);
	end(STEP, 2 * MS);
	fired(1);
}

TEST(a_death_fires_for_the_commands_named)
{
	struct tl_config_rule rule = rule_of(TL_RULE_DIED);

	rule.match.message = "wor*";
	start(&rule, 1);
	tl_rules_died(rules, 12, "other", START);
	put(PING, 0, 0);
	fired(0);
	tl_rules_died(rules, 13, "worker", START);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "13 (worker)"));
}

TEST(a_clean_stream_fires_nothing)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_SPAN),
		rule_of(TL_RULE_INTERVAL), rule_of(TL_RULE_ABSENT),
		rule_of(TL_RULE_ARGUMENT), rule_of(TL_RULE_RATE),
		rule_of(TL_RULE_RATE), rule_of(TL_RULE_LEVEL) };

	list[0].limit_ns = list[1].limit_ns = list[2].limit_ns = 8 * MS;
	list[1].match.message = "ping*";
	list[1].other.message = "pong*";
	list[2].match.message = "step";
	list[3].argument = "value";
	list[3].bound = 10;
	list[4].bound = 1000;
	list[5].bound = 500;
	list[4].limit_ns = list[5].limit_ns = 100 * MS;
	list[5].below = true;
	list[6].level = 7;
	start(list, 7);
	for (int i = 0; i < 3000; i++) {
		const int64_t ns = i * 9 * MS;

		put(PING, ns, 0);
		begin(WORK, ns + MS, 0);
		begin(STEP, ns + MS, 0);
		end(STEP, ns + 3 * MS);
		end(WORK, ns + 4 * MS);
		put(PONG, ns + 4 * MS, 0);
		put(DEPTH, ns + 5 * MS, 10);
		tick(ns + 6 * MS);
	}
	fired(0); /* 7 entries in 9 ms are 777 a second */
}
