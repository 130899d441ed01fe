/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_state.c - the memory of rules, the events that clear the memory, and
 * rules that fail.
 */
#include "lib/test.h"
#include "rules_fixture.h"

#include <errno.h>
#include <signal.h>
#include <timeline.h>

static void
teardown(void)
{
	tl_rules_free(rules);
	rules = NULL;
}

static struct tl_rule_status
status_of(size_t i)
{
	struct tl_rule_status status;

	tl_rules_status(rules, i, &status);
	return status;
}

TEST_FILE(.setup = rules_fixture_define, .teardown = teardown, .timeout = 60);

TEST(a_rule_fires_at_most_once_in_a_time)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);

	rule.match.message = "ping*";
	rule.every_ns = (uint64_t)SECOND;
	start(&rule, 1);
	for (int i = 0; i < 10; i++)
		put(PING, i * SECOND / 10, 0);
	fired(1);
	ck_assert_uint_eq(status_of(0).suppressed, 9);
	put(PING, SECOND, 0);
	fired(1);
	ck_assert_uint_eq(status_of(0).fired, 2);
}

TEST(a_rule_fires_at_most_so_often_in_any_hour)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);

	rule.match.message = "ping*";
	rule.fires_max = 3;
	start(&rule, 1);
	for (int i = 0; i < 6; i++)
		put(PING, i * 600 * SECOND, 0); /* 0 to 50 minutes */
	fired(3);
	put(PING, 3600 * SECOND - 1, 0);
	fired(0);
	put(PING, 3600 * SECOND, 0); /* the first firing has left the hour */
	put(PING, 3601 * SECOND, 0);
	fired(1);
	ck_assert_uint_eq(status_of(0).suppressed, 5);
}

TEST(once_an_hour_is_once)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);

	rule.match.message = "ping*";
	rule.fires_max = 1;
	start(&rule, 1);
	put(PING, 0, 0);
	put(PING, 3600 * SECOND - 1, 0);
	fired(1);
	put(PING, 3600 * SECOND, 0);
	fired(1);
}

/* The clock goes back by less than the time of "every". */
TEST(a_rule_does_not_fire_again_by_a_clock_set_back)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);

	rule.match.message = "ping*";
	rule.every_ns = 60 * (uint64_t)SECOND;
	start(&rule, 1);
	put(PING, 0, 0);
	put(PING, -1, 0);
	put(PING, -30 * SECOND, 0);
	fired(1);
}

TEST(what_lasts_is_counted_once_and_fires_when_it_may)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ABSENT);

	rule.match.message = "ping*";
	rule.limit_ns = (uint64_t)SECOND;
	rule.every_ns = 10 * (uint64_t)SECOND;
	start(&rule, 1);
	tick(0);
	tick(2 * SECOND);
	fired(1);
	put(PING, 3 * SECOND, 0);
	for (int i = 5; i < 12; i++)
		tick(i * SECOND);
	fired(0);
	ck_assert_uint_eq(status_of(0).suppressed, 1);
	tick(12 * SECOND);
	fired(1);
}

TEST(a_span_arms_again_below_its_clear)
{
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);

	rule.limit_ns = 10 * MS;
	rule.clear = 5e6;
	start(&rule, 1);
	begin(WORK, 0, 0);
	end(WORK, 11 * MS);
	fired(1);
	begin(WORK, 20 * MS, 0);
	end(WORK, 26 * MS); /* between clear and limit */
	begin(WORK, 30 * MS, 0);
	end(WORK, 50 * MS);
	fired(0);
	begin(WORK, 60 * MS, 0);
	end(WORK, 65 * MS);
	begin(WORK, 70 * MS, 0);
	end(WORK, 90 * MS);
	fired(1);
}

TEST(a_loss_spoils_what_is_open)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_SPAN),
		rule_of(TL_RULE_INTERVAL) };

	list[0].limit_ns = list[1].limit_ns = 10 * MS;
	list[1].match.message = "ping*";
	list[1].other.message = "pong*";
	start(list, 2);
	begin(WORK, 0, 0);
	put(PING, 0, 0);
	lose(5 * MS);
	tick(50 * MS);
	end(WORK, 100 * MS);
	put(PONG, 100 * MS, 0);
	fired(0);
	begin(WORK, 100 * MS, 0);
	put(PING, 100 * MS, 0);
	end(WORK, 111 * MS);
	put(PONG, 111 * MS, 0);
	fired(2);
}

TEST(a_loss_makes_nothing_absent_or_slow)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_ABSENT),
		rule_of(TL_RULE_RATE) };

	list[0].limit_ns = list[1].limit_ns = (uint64_t)SECOND;
	list[0].match.message = list[1].match.message = "ping*";
	list[1].below = true;
	list[1].bound = 1;
	start(list, 2);
	for (int i = 0; i < 20; i++) {
		lose(i * SECOND / 2);
		tick(i * SECOND / 2 + 1);
	}
	fired(0);
	tick(11 * SECOND);
	fired(2);
}

TEST(a_loss_does_not_arm_a_high_rate)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);

	rule.limit_ns = (uint64_t)SECOND;
	rule.bound = 10;
	start(&rule, 1);
	for (int i = 0; i < 20; i++)
		put(PING, i, 0);
	fired(1);
	lose(100 * MS);
	tick(1050 * MS);
	for (int i = 0; i < 20; i++)
		put(PING, 1060 * MS + i, 0);
	fired(0);
}

TEST(a_clock_set_back_hurts_nothing)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_RATE),
		rule_of(TL_RULE_EVENT), rule_of(TL_RULE_ABSENT) };

	list[0].limit_ns = (uint64_t)SECOND;
	list[0].bound = 10;
	list[1].match.message = "ping*";
	list[1].every_ns = list[2].limit_ns = 60 * (uint64_t)SECOND;
	list[2].match.message = "pong*";
	start(list, 3);
	for (int i = 0; i < 100; i++)
		put(PING, i * SECOND / 5, 0);
	tick(20 * SECOND);
	fired(1);
	for (int i = 0; i < 300; i++) {
		put(PING, i * SECOND / 5 - 3600 * SECOND, 0);
		tick(i * SECOND / 5 - 3600 * SECOND);
	}
	fired(0);
	put(PING, 61 * SECOND - 3600 * SECOND, 0);
	fired(1);
}

TEST(a_failing_expression_switches_its_rule_off)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_EVENT),
		rule_of(TL_RULE_EVENT) };
	struct tl_fault fault = { 0 };

	list[0].when = "args.n + pid() > 1";
	list[1].when = "args.n > 1";
	start(list, 2);
	put(PING, 0, 5);
	fired(1);
	ck_assert_uint_eq(seen.failures, 1);
	ck_assert_ptr_nonnull(strstr(seen.why, "call a number value"));
	put(PING, 1, 5);
	fired(1);
	ck_assert_uint_eq(seen.failures, 1);
	ck_assert(status_of(0).off);
	ck_assert(!status_of(1).off);
	ck_assert_int_eq(tl_rules_configure(rules, list, 2, &fault), 0);
	ck_assert(!status_of(0).off); /* a reload switches the rule on again */
	put(PING, 2, 5);
	fired(1);
	ck_assert_uint_eq(seen.failures, 2);
}

TEST(an_expression_that_loops_is_stopped)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_EVENT),
		rule_of(TL_RULE_EVENT) };

	list[0].when = "(function() while true do end end)()";
	start(list, 2);
	put(PING, 0, 5);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.why, "time cap"));
	ck_assert(status_of(0).off);
}

/* Two expressions hang, so that the signal must arrive a second time. */
TEST(a_library_function_that_hangs_is_left)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_EVENT),
		rule_of(TL_RULE_EVENT), rule_of(TL_RULE_EVENT) };
	sigset_t blocked;

	list[0].when = "(('a'):rep(60)):find(('a-'):rep(30) .. 'b')";
	list[1].when = "('').rep('', 1 << 60)";
	list[2].when = "args.n > 1";
	start(list, 3);
	put(PING, 0, 5);
	fired(1);
	ck_assert_uint_eq(seen.failures, 2);
	ck_assert_ptr_nonnull(strstr(seen.why, "library function"));
	ck_assert_ptr_null(strchr(seen.why, '\n'));
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	ck_assert(!sigismember(&blocked, SIGPROF));
	put(PING, 1, 5);
	fired(1);
	ck_assert_uint_eq(seen.failures, 2);
}

TEST(an_expression_that_does_not_compile_is_refused)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_EVENT),
		rule_of(TL_RULE_EVENT) };
	struct tl_fault fault = { 0 };

	list[1].name = "second";
	list[1].when = "pid ==";
	ck_assert_int_eq(tl_rules_new(&rules, list, 2, &host, &fault),
	    -ENOEXEC);
	ck_assert_ptr_nonnull(strstr(fault.text, "second"));
	rules = NULL;
}

TEST(many_rules_may_have_expressions)
{
	struct tl_config_rule list[TL_CONFIG_RULES_MAX];

	for (size_t i = 0; i < TL_CONFIG_RULES_MAX; i++) {
		list[i] = rule_of(TL_RULE_EVENT);
		list[i].when = "args.n == 3";
	}
	start(list, TL_CONFIG_RULES_MAX);
	put(PING, 0, 3);
	fired(TL_CONFIG_RULES_MAX);
}

TEST(an_unchanged_rule_goes_on_after_a_reload)
{
	struct tl_config_rule before[] = { rule_of(TL_RULE_ARGUMENT),
		rule_of(TL_RULE_SPAN) };
	struct tl_config_rule after[3], last;
	struct tl_fault fault = { 0 };

	before[0].name = "argument";
	before[0].argument = "value";
	before[0].bound = 10;
	before[1].name = "span";
	before[1].limit_ns = 10 * MS;
	start(before, 2);
	put(DEPTH, 0, 11);
	begin(WORK, 0, 0);
	fired(1);
	after[0] = rule_of(TL_RULE_LEVEL);
	after[0].level = 9;
	after[1] = before[1];
	after[1].actions.snapshot = true; /* the condition is unchanged */
	after[2] = before[0];
	ck_assert_int_eq(tl_rules_configure(rules, after, 3, &fault), 0);
	memset(before, 0xff, sizeof(before));
	ck_assert_uint_eq(tl_rules_count(rules), 3);
	ck_assert_uint_eq(status_of(2).fired, 1);
	ck_assert_ptr_eq(status_of(2).rule, &after[2]);
	put(DEPTH, MS, 12); /* the rule is still disarmed */
	fired(0);
	end(WORK, 11 * MS); /* the begin is remembered */
	put(BAD, 12 * MS, 0);
	fired(2);
	last = after[2];
	last.bound = 5; /* another condition makes another rule */
	ck_assert_int_eq(tl_rules_configure(rules, &last, 1, &fault), 0);
	put(DEPTH, 13 * MS, 12);
	fired(1);
	ck_assert_uint_eq(status_of(0).fired, 1);
}

TEST(a_reload_that_fails_changes_nothing)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);
	struct tl_config_rule list[2];
	struct tl_fault fault = { 0 };

	rule.match.message = "ping*";
	start(&rule, 1);
	put(PING, 0, 0);
	list[0] = rule;
	list[1] = rule_of(TL_RULE_EVENT);
	list[1].when = "((";
	ck_assert_int_eq(tl_rules_configure(rules, list, 2, &fault), -ENOEXEC);
	put(PING, 1, 0);
	fired(2);
	ck_assert_uint_eq(tl_rules_count(rules), 1);
	ck_assert_ptr_eq(status_of(0).rule, &rule);
	ck_assert_uint_eq(status_of(0).fired, 2);
}

TEST(a_long_wait_is_judged_once)
{
	struct tl_config_rule rule = rule_of(TL_RULE_INTERVAL);

	rule.match.message = "ping*";
	rule.other.message = "pong*";
	rule.limit_ns = 10 * MS;
	rule.every_ns = (uint64_t)SECOND;
	start(&rule, 1);
	put(PING, 0, 0);
	put(PONG, 20 * MS, 0);
	put(PING, 30 * MS, 0);
	put(PONG, 31 * MS, 0); /* the short interval arms the rule again */
	fired(1);
	put(PING, 40 * MS, 0);
	for (int i = 50; i < 2000; i += 10)
		tick(i * MS);
	put(PONG, 2 * SECOND, 0);
	fired(0);
	ck_assert_uint_eq(status_of(0).suppressed, 1);
}

TEST(a_long_text_is_cut_between_characters, .to = 2)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);
	char text[700] = "x";
	size_t size;

	/* in one of the two cases the cut would split a character */
	text[_i] = '\0';

	for (size_t i = 0; i < 300; i++)
		strcat(text, "\xc3\xa4");
	ck_assert_int_eq(tl_message_parse(&messages[PING], tl_bytes_of(text)),
	    0);
	start(&rule, 1);
	put(PING, 0, 0);
	size = strlen(seen.last.text);
	ck_assert_uint_ge(size, TL_FIRING_TEXT_MAX - 2);
	ck_assert_uint_eq((unsigned char)seen.last.text[size - 1], 0xa4);
}
