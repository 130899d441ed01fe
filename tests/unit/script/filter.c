/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - an expression evaluated for every event. */
#include "lib/script_fixture.h"
#include "lib/test.h"

#include <errno.h>

static struct feed feed;
static struct result result;

static void
setup(void)
{
	feed_init(&feed, "a.tl");
	feed_story(&feed);
	memset(&result, 0, sizeof(result));
}

static void
teardown(void)
{
	result_free(&result);
}

static int
make(struct tl_script_filter **filter, const char *expression)
{
	const struct tl_script_limits limits = { .cpu_seconds = 1,
		.memory_bytes = 4 << 20 };
	const struct tl_script_io io = { .write = result_write,
		.context = &result };

	memset(&result.fault, 0, sizeof(result.fault));
	return tl_script_filter_new(filter, expression, &limits, &io,
	    &result.fault);
}

/* The events that pass, as a mask: bit i for event i. */
static uint64_t
passing(const char *expression)
{
	struct tl_script_filter *filter;
	uint64_t mask = 0;

	ck_assert_msg(make(&filter, expression) == 0, "%s", result.fault.text);
	for (size_t i = 0; i < feed.count; i++) {
		const int rc = tl_script_filter_passes(filter, &feed.events[i],
		    &result.fault);

		ck_assert_msg(rc >= 0, "%s: %s", expression, result.fault.text);
		mask |= (uint64_t)rc << i;
	}
	tl_script_filter_free(filter);
	return mask;
}

/* The loss, event 12, always passes. */
enum { LOSS = 1 << 12 };

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(an_expression_sees_fields_as_plain_names)
{
	ck_assert_uint_eq(passing("true"), (1 << 14) - 1);
	ck_assert_uint_eq(passing("nil"), LOSS);
	ck_assert_uint_eq(passing("category == 'net'"), LOSS | 7 << 3);
	ck_assert_uint_eq(passing("kind == 'end'"), LOSS | 1 << 9 | 1 << 11);
	ck_assert_uint_eq(passing("priority == 'warning'"), LOSS | 7 << 3);
	ck_assert_uint_eq(passing("level >= level_of 'warning'"),
	    LOSS | 7 << 3);
	ck_assert_uint_eq(passing("tsc < 1006"), LOSS | 3);
	ck_assert_uint_eq(passing("cpu == 1 and pid == 100 and tid == 101 and "
				  "tsc < 1010"),
	    LOSS | 2 | 8);
	ck_assert_uint_eq(passing("text:find('eth0', 1, true)"), LOSS | 8);
	ck_assert_uint_eq(passing("message:sub(1, 4) == 'rati'"), LOSS | 4);
	ck_assert_uint_eq(passing("ns < time_of('2025-11-20T19:24:18.123458')"),
	    LOSS | 3);
	ck_assert_uint_eq(passing("delta and delta > duration_of '1.2us'"),
	    LOSS | 1 << 9 | 1 << 13);
}

TEST(arguments_compare_exactly_and_absent_ones_do_not)
{
	ck_assert_uint_eq(passing("args.tcp == 10"), LOSS | 1);
	ck_assert_uint_eq(passing("args.tcp == -1"), LOSS | 2);
	ck_assert_uint_eq(passing("math.ult(10, args.tcp or 0)"), LOSS | 2);
	ck_assert_uint_eq(passing("args.x == 2.5 and args.d < 0"), LOSS | 4);
	ck_assert_uint_eq(passing("args.name == 'eth0'"), LOSS | 8);
	ck_assert_uint_eq(passing("args.tcp > 5"), LOSS | 1);
	ck_assert_uint_eq(passing("args.tcp + args.udp * 2 == 50"), LOSS | 1);
	ck_assert_uint_eq(passing("args.nowhere > 5 or args.tcp <= 5"),
	    LOSS | 2 | 1 << 8);
	ck_assert_uint_eq(passing("args.name:find '^bad'"), LOSS | 16);
	ck_assert_uint_eq(passing("not args.tcp and kind == 'instant'"),
	    LOSS | 15 << 2);
	ck_assert_uint_eq(passing("#args == 3"), LOSS | 3 | 1 << 8);
	ck_assert_uint_eq(passing("args[2] == 60"), LOSS | 2);
}

TEST(a_wrong_expression_is_refused_with_its_reason)
{
	struct tl_script_filter *filter;

	ck_assert_int_eq(make(&filter, "pid =="), -ENOEXEC);
	ck_assert_ptr_nonnull(strstr(result.fault.text, "-e:1: unexpected"));
	ck_assert_int_eq(make(&filter, "true; x = 1"), -ENOEXEC);
	ck_assert_int_eq(make(&filter, "true end do return 1"), -ENOEXEC);
}

static void
is_refused(const char *expression, const char *expected)
{
	struct tl_script_filter *filter;

	ck_assert_msg(make(&filter, expression) == -ENOEXEC, "%s", expression);
	ck_assert_msg(strcmp(result.fault.text, expected) == 0,
	    "'%s' is not '%s'", expected, result.fault.text);
	memset(&result.fault, 0, sizeof(result.fault));
}

static void
is_accepted(const char *expression)
{
	struct tl_script_filter *filter;

	ck_assert_msg(make(&filter, expression) == 0, "%s: %s", expression,
	    result.fault.text);
	tl_script_filter_free(filter);
}

/* Before any event, so that timelined -n knows: also in what is not reached. */
TEST(an_unknown_name_is_refused)
{
	is_refused("tcp > 10",
	    "-e:1: an event has no 'tcp' (arguments are args.tcp)");
	is_refused("args.code > 5 and bogus == 1",
	    "-e:1: an event has no 'bogus' (arguments are args.bogus)");
	is_refused("depth > 1",
	    "-e:1: an event has no 'depth' (arguments are args.depth)");
	is_refused("io.write('x')",
	    "-e:1: an event has no 'io' (arguments are args.io)");
	is_refused("print('x')",
	    "-e:1: an event has no 'print' (arguments are args.print)");
	is_refused("'a' .. x",
	    "-e:1: an event has no 'x' (arguments are args.x)");
}

TEST(a_word_that_is_no_variable_is_accepted)
{
	is_accepted("args.bogus == 'bo \\' gus' and args . bogus");
	is_accepted("text:find [[bogus]] or text:find([==[bo]]gus]==])");
	is_accepted("({ bogus = 1, level == 2 }).bogus -- bogus 'text");
	is_accepted("true --[[bogus]] and 0x1p-3 + 1e5 < .5");
	is_accepted("(function(x) return x end)(args.tcp)");
	is_accepted("_ENV.args['bogus'] or string.format('%d', 3) == math.pi");
}

/* 64 bits of an argument above 2^63 - 1 are negative in Lua, and a decimal
 * number that large is a double. */
TEST(a_number_that_no_argument_equals_is_refused)
{
	is_refused("args.tcp == 18446744073709551615",
	    "-e:1: 18446744073709551615 is above 2^63 - 1: write "
	    "0xffffffffffffffff for an integer, 18446744073709551615.0 for a "
	    "double");
	is_accepted("args.tcp == 9223372036854775807");
	is_accepted("args.tcp == - 9223372036854775808");
	is_accepted("args.x > 18446744073709551615.0 or args.x > 1e19");
	ck_assert_uint_eq(passing("args.tcp == 0xffffffffffffffff"), LOSS | 2);
}

TEST(text_is_neither_below_nor_above_a_number)
{
	ck_assert_uint_eq(passing("category > 10"), LOSS);
	ck_assert_uint_eq(passing("args.name < 10 or args.name >= 10"), LOSS);
	ck_assert_uint_eq(passing("args.name == 10"), LOSS);
	ck_assert_uint_eq(passing("category:upper() > 10"), LOSS);
	ck_assert_uint_eq(passing("args.name >= 'eth0'"), LOSS | 8);
}

static void
fails(const char *expression, int rc, const char *expected)
{
	struct tl_script_filter *filter;

	ck_assert_msg(make(&filter, expression) == 0, "%s", result.fault.text);
	ck_assert_int_eq(tl_script_filter_passes(filter, &feed.events[0],
			     &result.fault),
	    rc);
	ck_assert_msg(strstr(result.fault.text, expected),
	    "'%s' is not in '%s'", expected, result.fault.text);
	/* the filter can be called again */
	memset(&result.fault, 0, sizeof(result.fault));
	if (rc != -ETIME)
		ck_assert_int_eq(tl_script_filter_passes(filter,
				     &feed.events[1], &result.fault),
		    rc);
	tl_script_filter_free(filter);
}

TEST(a_failing_expression_names_the_event)
{
	fails("category()", -ECANCELED,
	    "-e:1: attempt to call a string value (global 'category'); last "
	    "event: "
	    "2025-11-20T19:24:18.123456789+00:00 example processed tcp(10)");
	fails("(function() x = 1 end)()", -ECANCELED, "cannot set 'x'");
	fails("_ENV.bogus", -ECANCELED, "an event has no 'bogus'");
	fails("('x'):rep(1 << 28)", -ENOMEM, "not enough memory");
}

TEST(the_time_cap_is_one_of_each_event)
{
	struct tl_script_filter *filter;

	fails("(function() while true do end end)()", -ETIME,
	    "-e:1: over the time cap of 1 s");
	/* longer than the cap in all, but within it for each event */
	ck_assert_int_eq(make(&filter,
			     "(function() local n = 0 for i = 1, 3e7 do n = n "
			     "+ 1 end return true end)()"),
	    0);
	for (size_t i = 0; i < 12; i++)
		ck_assert_int_eq(tl_script_filter_passes(filter,
				     &feed.events[i], &result.fault),
		    1);
	tl_script_filter_free(filter);
}

TEST(two_filters_do_not_meet)
{
	struct tl_script_filter *a;
	struct tl_script_filter *b;

	ck_assert_int_eq(make(&a, "args.tcp == 10"), 0);
	ck_assert_int_eq(make(&b, "args.tcp == -1"), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(tl_script_filter_passes(a, &feed.events[i],
				     NULL),
		    i == 0);
		ck_assert_int_eq(tl_script_filter_passes(b, &feed.events[i],
				     NULL),
		    i == 1);
	}
	tl_script_filter_free(a);
	tl_script_filter_free(b);
}
