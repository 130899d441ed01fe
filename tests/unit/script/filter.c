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

/* The loss, event 12, always passes. */
enum { LOSS = 1 << 12 };

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

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
