/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally.c - the rows of top count right for any events, and their cells line
 * up.
 */
#include "base/array.h"
#include "ctl/view.h"
#include "lib/random.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 1000, EVENTS = 20000 };

static struct tl_tally tally;

static void
put(uint32_t id, const char *category, const char *line, uint8_t level)
{
	const struct tl_message message = { .id = id,
		.level = level,
		.category = tl_bytes_of(category),
		.line1 = tl_bytes_of(line) };
	const struct tl_event event = { .kind = TL_INSTANT,
		.message = &message };

	ck_assert_ok(tl_tally_put(&tally, &event));
}

static void
teardown(void)
{
	tl_tally_free(&tally);
}

TEST_FILE(.teardown = teardown, .timeout = 60);

/* Compare with an array by id. */
TEST(every_message_has_its_own_row)
{
	static uint64_t seen[MESSAGES];
	uint64_t random = 20261121;

	for (int i = 0; i < EVENTS; i++) {
		const uint64_t n = random_below(&random, MESSAGES);
		char line[32];

		snprintf(line, sizeof(line), "message %d", (int)n);
		put((uint32_t)n * 16, "a", line, 4);
		seen[n]++;
	}
	ck_assert_uint_eq(tally.seen, EVENTS);
	tl_tally_end_round(&tally, 2, EVENTS);
	for (size_t i = 0; i < tally.count; i++) {
		const struct tl_tally_row *row = tally.rows[i];
		const uint64_t want = seen[row->id / 16];
		char line[32];

		snprintf(line, sizeof(line), "message %d", (int)row->id / 16);
		ck_assert(tl_bytes_equal(row->line, tl_bytes_of(line)));
		ck_assert(row->total == (double)want);
		ck_assert(row->rate == (double)want / 2);
		seen[row->id / 16] = 0;
	}
	for (size_t i = 0; i < MESSAGES; i++)
		ck_assert_uint_eq(seen[i], 0);
}

TEST(what_was_not_looked_at_is_made_up_for)
{
	for (int i = 0; i < 30; i++)
		put(i % 3 ? 16 : 32, "a", i % 3 ? "often" : "seldom", 4);
	tl_tally_end_round(&tally, 1, 3000);
	tl_tally_sort(&tally, TL_TALLY_RATE);
	ck_assert(tally.rows[0]->rate == 2000);
	ck_assert(tally.rows[1]->rate == 1000);
	tl_tally_end_round(&tally, 1, 0); /* no entry came */
	ck_assert(tally.rows[0]->rate == 0);
	ck_assert(tally.rows[0]->total == 2000);
}

static void
expect_order(enum tl_tally_key key, const char *ids)
{
	char seen[16] = "";

	tl_tally_sort(&tally, key);
	for (size_t i = 0; i < tally.count; i++)
		seen[i] = (char)('0' + tally.rows[i]->id / 16);
	ck_assert_str_eq(seen, ids);
}

TEST(rows_come_in_the_order_of_the_key)
{
	for (int i = 0; i < 5; i++)
		put(16, "b", "one", 4);
	tl_tally_end_round(&tally, 1, 5);
	for (int i = 0; i < 3; i++)
		put(32, "c", "two", 9);
	for (int i = 0; i < 4; i++)
		put(48, "a", "three", 4);
	put(16, "b", "one", 4);
	tl_tally_end_round(&tally, 1, 8);
	expect_order(TL_TALLY_RATE, "321");
	expect_order(TL_TALLY_TOTAL, "132");
	expect_order(TL_TALLY_PRIORITY, "231");
	expect_order(TL_TALLY_NAME, "312");
	ck_assert_str_eq(tl_tally_keys[TL_TALLY_TOTAL], "total");
}

TEST(messages_beyond_the_bound_are_only_counted)
{
	for (uint32_t i = 0; i < TL_TALLY_MAX + 10; i++)
		put(i, "", "", 1);
	ck_assert_uint_eq(tally.count, TL_TALLY_MAX);
	ck_assert_uint_eq(tally.seen, TL_TALLY_MAX + 10);
	tl_tally_end_round(&tally, 1, tally.seen);
	tl_tally_sort(&tally, TL_TALLY_NAME);
}

TEST(cells_are_as_wide_as_a_terminal_makes_them)
{
	struct tl_text text = { 0 };

	tl_cell_string(&text, "ab", 4);
	tl_cell_rate(&text, 12.5, 4);
	/* a character of two columns */
	tl_cell_string(&text, "\xe6\xbc\xa2", 4);
	tl_cell_string(&text, "too long", 4);
	tl_cell_string(&text, "\033[m", 6); /* escaped */
	ck_assert_str_eq(tl_text_string(&text),
	    "ab   12.5 \xe6\xbc\xa2   too long \\x1b[m ");
	tl_text_free(&text);
}

TEST(the_share_that_was_read_is_a_percentage)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = { { 1, "" },
		{ 0.99999, "  (over 99% of the entries read)" },
		{ 0.9951, "  (over 99% of the entries read)" },
		{ 0.98, "  (98% of the entries read)" },
		{ 0.0123, "  (1.2% of the entries read)" },
		{ 1.23e-7, "  (0.000012% of the entries read)" } };
	struct tl_text text = { 0 };

	for (size_t i = 0; i < TL_COUNT(cases); i++) {
		tl_text_clear(&text);
		tl_put_share(&text, cases[i].share);
		ck_assert_str_eq(tl_text_string(&text), cases[i].text);
	}
	tl_text_free(&text);
}
