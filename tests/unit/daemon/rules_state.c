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
	ck_assert_ok(tl_rules_configure(rules, list, 2, &fault));
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
	ck_assert_ok(tl_rules_configure(rules, after, 3, &fault));
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
	ck_assert_ok(tl_rules_configure(rules, &last, 1, &fault));
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

TEST(a_long_text_is_cut_between_characters, .to = 2)
{
	struct tl_config_rule rule = rule_of(TL_RULE_EVENT);
	char text[700] = "x";
	size_t size;

	/* in one of the two cases the cut would split a character */
	text[_i] = '\0';

	for (size_t i = 0; i < 300; i++)
		strcat(text, "\xc3\xa4");
	ck_assert_ok(tl_message_parse(&messages[PING], tl_bytes_of(text)));
	start(&rule, 1);
	put(PING, 0, 0);
	size = strlen(seen.last.text);
	ck_assert_uint_ge(size, TL_FIRING_TEXT_MAX - 2);
	ck_assert_uint_eq((unsigned char)seen.last.text[size - 1], 0xa4);
}
