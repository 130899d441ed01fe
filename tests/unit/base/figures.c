/* SPDX-License-Identifier: Apache-2.0 */
/* figures.c - a few digits and never an exponent, and nouns that are counted. */
#include "base/text.h"
#include "lib/random.h"
#include "lib/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 17 };

static const char *
rounded(double value, int digits)
{
	static struct tl_text text;

	tl_text_clear(&text);
	tl_put_rounded(&text, value, digits);
	return tl_text_string(&text);
}

TEST(a_number_that_is_read_has_no_exponent)
{
	ck_assert_str_eq(rounded(99.7, 2), "100");
	ck_assert_str_eq(rounded(12345, 3), "12345");
	ck_assert_str_eq(rounded(86400, 4), "86400");
	ck_assert_str_eq(rounded(0.00001234, 2), "0.000012");
	ck_assert_str_eq(rounded(-2e6, 4), "-2000000");
}

TEST(a_number_has_no_zeros_behind_its_digits)
{
	ck_assert_str_eq(rounded(0, 3), "0");
	ck_assert_str_eq(rounded(0.5, 3), "0.5");
	ck_assert_str_eq(rounded(12, 4), "12");
	ck_assert_str_eq(rounded(100, 4), "100");
	ck_assert_str_eq(rounded(99.96, 3), "100");
	ck_assert_str_eq(rounded(INFINITY, 3), "inf");
}

/* Where %g has no exponent either, it is the same text. */
TEST(other_numbers_are_those_of_printf)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		const int digits = 1 + (int)random_below(&seed, DIGITS_MAX);
		const double value = (double)random_below(&seed, 1u << 30) /
				     (1u << random_below(&seed, 30));
		char want[32];

		snprintf(want, sizeof(want), "%.*g", digits, value);
		if (!strchr(want, 'e'))
			ck_assert_str_eq(rounded(value, digits), want);
	}
}

TEST(one_thing_is_not_plural)
{
	struct tl_text text = { 0 };

	tl_put_count(&text, 1, "begin");
	tl_put_char(&text, ' ');
	tl_put_count(&text, 0, "end");
	tl_put_char(&text, ' ');
	tl_put_count(&text, 2, "entry");
	tl_put_char(&text, ' ');
	tl_put_count(&text, 1, "entry");
	ck_assert_str_eq(tl_text_string(&text),
	    "1 begin 0 ends 2 entries 1 entry");
	tl_text_free(&text);
}
