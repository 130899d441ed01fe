/* SPDX-License-Identifier: Apache-2.0 */
/* run_status.c - the summary line of a shipping run. */
#include "lib/test.h"
#include "ship/run.h"

static void
expect_words(const struct tl_run_result *result, const char *words)
{
	struct tl_text text = { 0 };

	tl_run_line(&text, result, false);
	ck_assert_str_eq(tl_text_string(&text), words);
	tl_text_free(&text);
}

TEST(one_of_a_thing_is_no_more_than_one)
{
	const struct tl_run_result one = {
		.sources = { .count = 1, .entries = 1, .lost = 1 },
		.spool = { .acked = 1,
		    .acked_size = 600,
		    .blocks = 1,
		    .size = 4096,
		    .dropped_blocks = 1,
		    .dropped = 1 }
	};

	expect_words(&one,
	    "1 timeline, 1 entry, 1 lost, 1 block (600) sent, 1 (4.0K) waits, "
	    "1 dropped with 1 entry");
}

TEST(of_others_there_are_several)
{
	const struct tl_run_result none = { .sources = { .count = 0 } };
	const struct tl_run_result some = { .sources = { .count = 2,
						.entries = 3 },
		.spool = { .acked = 4,
		    .acked_size = 2048,
		    .blocks = 5,
		    .size = 6 << 20,
		    .dropped_blocks = 7,
		    .dropped = 8 } };

	expect_words(&none,
	    "0 timelines, 0 entries, 0 lost, 0 blocks (0) sent");
	expect_words(&some,
	    "2 timelines, 3 entries, 0 lost, 4 blocks (2.0K) sent, 5 (6.0M) "
	    "wait, 7 dropped with 8 entries");
}
