/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c - numbers, durations and times that people type. */
#include "base/text.h"
#include "lib/test.h"

#include <errno.h>

TEST(bounds_are_before_1970_or_out_of_range)
{
	struct tl_bound bound;

	ck_assert_ok(tl_parse_bound("today", -1, &bound));
	ck_assert_int_eq(bound.ns, -86400000000000);
	ck_assert_int_eq(tl_parse_bound("9223372036s ago", INT64_MIN, &bound),
	    -ERANGE);
}

TEST(a_time_that_was_put_is_read_again)
{
	struct tl_text text = { 0 };
	uint64_t x = 1;

	for (unsigned i = 0; i < 20000; i++) {
		int64_t ns = 0;

		x = x * 6364136223846793005u + 1442695040888963407u;
		tl_text_clear(&text);
		tl_put_time(&text, (int64_t)x);
		ck_assert_ok(tl_parse_time(tl_text_string(&text), &ns));
		ck_assert_int_eq(ns, (int64_t)x);
	}
	tl_text_free(&text);
}
