/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_rules.c - the triggers of a configuration: their conditions and their
 * actions.
 */
#include "config_fixture.h"
#include "lib/test.h"

#include <math.h>

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(each_kind_of_trigger_is_known)
{
	const struct tl_config_rule *r;

	r = good_rule("event = { category = 'c*', message = 'm?' }, "
		      "when = 'args.x > 5'");
	ck_assert_int_eq(r->kind, TL_RULE_EVENT);
	ck_assert_str_eq(r->match.category, "c*");
	ck_assert_str_eq(r->match.message, "m?");
	ck_assert_str_eq(r->when, "args.x > 5");
	ck_assert_str_eq(r->name, "trigger 1");
	ck_assert_uint_eq(r->every_ns, 10000000000);
	ck_assert_uint_eq(r->fires_max, 60);
	ck_assert_uint_eq(r->actions.burst_level, 0);
	ck_assert(!r->actions.run && !r->actions.snapshot);
	r = good_rule(
	    "span = { message = 'm', longer = '1ms', clear = '5us' }");
	ck_assert_int_eq(r->kind, TL_RULE_SPAN);
	ck_assert_uint_eq(r->limit_ns, 1000000);
	ck_assert(r->clear == 5000);
	r = good_rule("interval = { from = { message = 'a' }, to = { "
		      "category = 'b' }, longer = '1s' }");
	ck_assert_int_eq(r->kind, TL_RULE_INTERVAL);
	ck_assert_str_eq(r->match.message, "a");
	ck_assert(!r->match.category && !r->other.message);
	ck_assert_str_eq(r->other.category, "b");
	ck_assert(isnan(r->clear));
	r = good_rule("absent = { message = 'beat', longer = '2s' }");
	ck_assert_int_eq(r->kind, TL_RULE_ABSENT);
	ck_assert_uint_eq(r->limit_ns, 2000000000);
	r = good_rule("argument = { name = 'depth', below = 10, clear = 20 }");
	ck_assert_int_eq(r->kind, TL_RULE_ARGUMENT);
	ck_assert_str_eq(r->argument, "depth");
	ck_assert(r->below && r->bound == 10 && r->clear == 20);
	r = good_rule("rate = { message = 'x', above = 1e3 }");
	ck_assert_int_eq(r->kind, TL_RULE_RATE);
	ck_assert(!r->below && r->bound == 1000);
	ck_assert_uint_eq(r->limit_ns, 1000000000);
	r = good_rule("level = 'error'");
	ck_assert_int_eq(r->kind, TL_RULE_LEVEL);
	ck_assert_uint_eq(r->level, 8);
	ck_assert_int_eq(good_rule("died = true")->kind, TL_RULE_DIED);
}

TEST(a_trigger_says_what_is_done)
{
	const struct tl_config_rule *r = good_rule(
	    "died = true, name = 'n', burst = { level = 'trace' }, snapshot = "
	    "true, run = { '/bin/echo', '', 'x y' }, every = '0s', "
	    "per_hour = 0");

	ck_assert_str_eq(r->name, "n");
	ck_assert_uint_eq(r->every_ns, 0);
	ck_assert_uint_eq(r->fires_max, 0);
	ck_assert(r->actions.snapshot);
	ck_assert_uint_eq(r->actions.burst_level, 4);
	ck_assert_uint_eq(r->actions.burst_ns, 10000000);
	ck_assert_str_eq(r->actions.run[0], "/bin/echo");
	ck_assert_str_eq(r->actions.run[1], "");
	ck_assert_str_eq(r->actions.run[2], "x y");
	ck_assert(!r->actions.run[3]);
	ck_assert_str_eq(good_rule("died = true, run = { 'echo' }")
			     ->actions.run[0],
	    "echo");
	bad_rule("died = true, run = { 'bin/echo' }",
	    ".run[1]: neither a name nor an absolute path");
	bad_rule("died = true, run = { '', 'a' }",
	    ".run[1]: neither a name nor an absolute path");
	bad_rule("died = true, run = { '/bin/echo', 1 }",
	    ".run[2]: not a string");
	bad_rule("died = true, run = {}", ".run: an empty list");
	ck_assert_uint_eq(good_rule("died = true, run = { 'a' }")
			      ->actions.run_ns,
	    60 * UINT64_C(1000000000));
	ck_assert_uint_eq(good_rule("died = true, run = { 'a' }, "
				    "timeout = '1.5s'")
			      ->actions.run_ns,
	    1500000000);
	bad_rule("died = true, run = { 'a' }, timeout = '1ms'",
	    ".timeout: not between 10ms and 1d");
	bad_rule("died = true, timeout = '1s'",
	    ".timeout: has no effect without 'run'");
	bad_rule("died = true, why = true",
	    ".why: has no effect without 'snapshot'");
	bad_rule("died = true, snapshot = true, why = true",
	    ".why: explains slow spans: the condition must be 'span'");
	bad_rule("died = true, burst = { length = '1ms' }",
	    ".burst: 'level' is missing");
	bad_rule("died = true, burst = { level = 'info', length = '2h' }",
	    ".burst.length: not between 1us and 1h");
	bad_rule("died = true, per_hour = -1",
	    ".per_hour: not between 0 and 3600000");
}

TEST(what_a_trigger_cannot_mean_is_refused)
{
	bad("return { timelines = { { name = 'x', triggers = {"
	    " { died = true, name = 'a b', snapshot = true },"
	    " { died = true, name = 'a+b!', snapshot = true } } } } }",
	    "timelines[1].triggers[2]: its snapshots would be named like "
	    "those of triggers[1]");
	good("return { timelines = { { name = 'x', triggers = {"
	     " { died = true, name = 'a b', snapshot = true },"
	     " { died = true, name = 'a+b!' } } } } }");
	bad("return { timelines = { { name = 'x', triggers = {"
	    " { died = true, name = 'writer died', snapshot = true } } } } }",
	    "timelines[1].triggers[1]: the name 'writer died' is reserved "
	    "for other snapshots");
	bad_rule("name = 'x'",
	    ": no condition; use one of event span interval absent "
	    "argument rate level died");
	bad_rule("level = 'error', died = true",
	    ".died: 'level' is given as well; a trigger has one condition");
	bad_rule("event = {}", ".event: 'message' is missing (or 'category')");
	bad_rule("event = {}, when = 'args.x >'",
	    ".when: unexpected symbol near <eof>");
	bad_rule("event = {}, when = 'args.code > 5 and bogus == 1'",
	    ".when: an event has no 'bogus' (arguments are args.bogus)");
	bad_rule("died = true, when = 'true'",
	    ".when: there is no entry to test when a process has died");
	bad_rule("died = false", ".died: not true");
	bad_rule("span = { message = 'x' }", ".span: 'longer' is missing");
	bad_rule("span = { longer = '1ms', clear = '2ms' }",
	    ".span.clear: more than 'longer'");
	bad_rule("span = { messages = 'x', longer = '1ms' }",
	    ".span.messages: unknown key; did you mean message?");
	bad_rule("interval = { from = {}, to = {}, longer = '1s' }",
	    ".interval.from: 'message' is missing (or 'category')");
	bad_rule("absent = { longer = '1s' }",
	    ".absent: 'message' is missing (or 'category')");
	bad_rule("argument = { message = 'x', above = 1 }",
	    ".argument: 'name' is missing");
	bad_rule("argument = { name = 'x' }",
	    ".argument: 'above' is missing (or 'below')");
	bad_rule("argument = { name = 'x', above = 1, below = 1 }",
	    ".argument.below: 'above' is given as well");
	bad_rule("argument = { name = 'x', above = 1, clear = 2 }",
	    ".argument.clear: more than 'above'");
	bad_rule("rate = { below = 5, clear = 2 }",
	    ".rate.clear: less than 'below'");
	bad_rule("rate = { above = 1e999 }", ".rate.above: not a number");
	bad_rule("event = { message = 'a\\\\' }",
	    ".event.message: a glob that ends in \\\\");
	bad_section("triggers = { { died = true, name = 'a' }, { level = "
		    "'info', name = 'a' } }",
	    "triggers[2]: the name 'a' is taken by triggers[1]");
	bad_section("triggers = { { died = true, name = 'trigger 2' }, "
		    "{ level = 'info' } }",
	    "triggers[2]: the name 'trigger 2' is taken by triggers[1]");
}
