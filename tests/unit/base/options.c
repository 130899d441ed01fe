/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the help of rows that share a line, and words alike. */
#include "base/options.h"
#include "lib/test.h"

#include <errno.h>
#include <string.h>

enum { FAST = TL_OPTION_VALUE_MIN, SIZE, QUIET };

TEST(rows_without_help_share_the_line_below)
{
	static const struct tl_option joined[] = { { TL_OPTION_GROUP, NULL,
						       NULL, "Who", 0 },
		{ 0, "pid", "N", "", FAST }, { 't', "tid", "N", "", SIZE },
		{ 0, "cpu", NULL, "of these", QUIET } };
	static const char line[] =
	    "      --pid, -t, --tid N, --cpu  of these\n";
	static const struct tl_help help = { "x\n", "tid", "" };
	struct tl_text text = { 0 };

	ck_assert_ok(tl_help_put(&text, &help, joined, 4, "who", NULL));
	ck_assert_str_eq(tl_text_string(&text) + strlen("Who:\n"), line);
	tl_text_clear(&text);
	ck_assert_ok(tl_help_put(&text, &help, joined, 4, NULL, NULL));
	ck_assert_int_eq(strncmp(tl_text_string(&text) + strlen("x\n\n"), line,
			     strlen(line)),
	    0);
	tl_text_free(&text);
}

/* The number of letters to change, by trying all ways. */
static unsigned
dumb_distance(const char *a, const char *b)
{
	unsigned best, d;

	if (!*a || !*b)
		return (unsigned)(strlen(a) + strlen(b));
	best = dumb_distance(a + 1, b + 1) + (*a != *b);
	if ((d = dumb_distance(a + 1, b) + 1) < best)
		best = d;
	if ((d = dumb_distance(a, b + 1) + 1) < best)
		best = d;
	if (a[1] && b[1] && a[0] == b[1] && a[1] == b[0] &&
	    (d = dumb_distance(a + 2, b + 2) + 1) < best)
		best = d;
	return best;
}

TEST(the_distance_is_that_of_trying_all_ways)
{
	uint32_t state = 1;

	for (int round = 0; round < 2000; round++) {
		char word[7] = "", other[7] = "";
		struct tl_near near = tl_near_to(word);

		for (size_t i = 0; i < 6; i++) {
			state = state * 1103515245 + 12345;
			word[i] = (char)('a' + (state >> 16) % 3);
			other[i] = (char)('a' + (state >> 20) % 3);
		}
		other[3 + (state >> 24) % 4] = '\0';
		tl_near_try(&near, other);
		if (near.best[0])
			ck_assert_uint_eq(near.distance,
			    dumb_distance(word, other));
		else
			ck_assert_uint_gt(dumb_distance(word, other), 2);
	}
}
