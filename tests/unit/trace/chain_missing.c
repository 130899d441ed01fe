/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_missing.c - missing blocks are reported, shown as losses, and counted.
 */
#include "chain_fixture.h"
#include "lib/test.h"

static const char chain_id[] = "0123456789abcdef0123456789abcdef";

/*
 * The first block after a gap repeats the begins of open spans.  Return the
 * begins that no earlier block contained, in order of time.
 */
static size_t
begins_told(const struct open_spans *open, int64_t told_ns,
    struct tl_event *events)
{
	size_t count = 0;

	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < open->count[t]; i++) {
			size_t at = count;

			if (open->begins[t][i].ns <= told_ns)
				continue;
			for (; at > 0 &&
			       events[at - 1].ns > open->begins[t][i].ns;
			     at--)
				events[at] = events[at - 1];
			events[at] = open->begins[t][i];
			events[at].continued = true;
			count++;
		}
	return count;
}

/* The number of entries in block b, whose first event has index at. */
static uint64_t
held(const struct timeline *t, size_t at, size_t b)
{
	uint64_t entries = 0;

	for (size_t i = at; i < at + t->block_events[b]; i++)
		entries += entries_of(&t->events[i]);
	return entries;
}

/* The number of entries in the blocks first to last. */
static uint64_t
held_all(const struct timeline *t, size_t first, size_t last)
{
	uint64_t entries = 0;
	size_t at = 0;

	for (size_t b = 0; b <= last; at += t->block_events[b++])
		entries += b < first ? 0 : held(t, at, b);
	return entries;
}

/*
 * Make the events that are expected if only some blocks of a timeline arrive.
 */
static size_t
make_expected(const struct timeline *t, const bool *there,
    struct tl_event *expected)
{
	struct open_spans open = { .count = { 0 } };
	int64_t told_ns = INT64_MIN;
	size_t count = 0, at = 0;
	uint64_t missing = 0;

	for (size_t b = 0; b < t->block_count; b++) {
		const bool is_first = there[b] && b > 0 && !there[b - 1];
		const size_t hole = count;

		if (is_first && told_ns != INT64_MIN)
			expected[count++] = (struct tl_event){ .kind = TL_LOST,
				.lost = missing,
				.cpu = TL_CPU_UNKNOWN };
		missing = there[b] ? 0 : missing + held(t, at, b);
		if (is_first)
			count += begins_told(&open, told_ns, expected + count);
		for (size_t i = at; i < at + t->block_events[b]; i++) {
			if (there[b])
				expected[count++] = t->events[i];
			follow_span(&open, &t->events[i]);
		}
		at += t->block_events[b];
		if (there[b])
			told_ns = t->events[at - 1].ns;
		if (is_first && expected[hole].ns == 0) {
			expected[hole].ns = expected[hole + 1].ns;
			expected[hole].tsc = expected[hole + 1].tsc;
		}
	}
	return count;
}

TEST_FILE(.timeout = 600);

TEST(where_blocks_are_missing_the_rest_is_there_and_it_shows)
{
	for (uint64_t i = 1; i < 40; i++) {
		uint64_t seed = i;
		struct timeline t =
		    make_timeline("alpha", seed, 50 + i * 20, 10);
		struct tl_event *expected =
		    calloc(t.count * 8 + OPEN_MAX, sizeof(*expected));
		bool *there = calloc(t.block_count, sizeof(*there));
		const int fd = tl_file_unnamed();
		struct tl_chain *chain;
		size_t count, kept = 0;

		for (size_t b = 0; b < t.block_count; b++) {
			there[b] = b == 0 ? i % 2 : random_below(&seed, 3) > 0;
			there[b] |= kept == 0 && b + 1 == t.block_count;
			kept += there[b];
			if (there[b])
				append(fd, &t.blocks[b]);
		}
		count = make_expected(&t, there, expected);
		chain = open_only(fd);
		expect_events(chain, expected, count, TL_OLDEST_FIRST);
		expect_events(chain, expected, count, TL_NEWEST_FIRST);
		tl_chain_free(chain);
		free(there);
		free(expected);
		free_timeline(&t);
	}
}

TEST(blocks_that_are_missing_are_said_by_their_numbers)
{
	struct timeline t = make_timeline("alpha", 5, 400, 10);
	const int fd = tl_file_unnamed();
	struct tl_chain *chain;
	char words[3][80];

	snprintf(words[0], sizeof(words[0]),
	    "it begins with block 1: %lu entries of its timeline came before",
	    (unsigned long)(LOGGED_BEFORE + held_all(&t, 0, 0)));
	snprintf(words[1], sizeof(words[1]), "block 2 is missing: %lu entries",
	    (unsigned long)held_all(&t, 2, 2));
	snprintf(words[2], sizeof(words[2]),
	    "blocks 4 to 7 are missing: %lu entries",
	    (unsigned long)held_all(&t, 4, 7));
	ck_assert_uint_gt(t.block_count, 9);
	append(fd, &t.blocks[8]);
	append(fd, &t.blocks[1]);
	append(fd, &t.blocks[3]);
	chain = open_only(fd);
	ck_assert(chain->damaged);
	ck_assert_uint_eq(chain->faults->count, 3);
	ck_assert_str_eq(chain->faults->list[0].text, words[0]);
	ck_assert_int_eq(chain->faults->list[0].rc, 0);
	ck_assert_str_eq(chain->faults->list[1].text, words[1]);
	ck_assert_str_eq(chain->faults->list[2].text, words[2]);
	tl_chain_free(chain);
	free_timeline(&t);
}

/* Ship two blocks with a gap between them; the arguments are their infos. */
static struct tl_chain *
ship_two(const char *positions, const char *begins, const char *identity)
{
	const struct block_infos infos[] = { { .host = "alpha",
						 .chain = chain_id,
						 .identity = "a",
						 .positions = positions },
		{ .host = "alpha",
		    .chain = chain_id,
		    .number = 3,
		    .identity = identity,
		    .begins = begins } };

	return open_only(write_blocks(infos, 2));
}

static uint64_t
missing_of(const char *positions, const char *begins, const char *identity)
{
	struct tl_chain *chain = ship_two(positions, begins, identity);
	struct got got = read_chain(chain, TL_OLDEST_FIRST);
	uint64_t lost;

	ck_assert_uint_eq(got.count, 3);
	ck_assert_int_eq(got.events[1].kind, TL_LOST);
	lost = got.events[1].lost;
	ck_assert_str_eq(chain->faults->list[0].text,
	    lost == 0   ? "blocks 1 to 2 are missing"
	    : lost == 1 ? "blocks 1 to 2 are missing: 1 entry"
			: "blocks 1 to 2 are missing: 9 entries");
	free(got.events);
	tl_chain_free(chain);
	return lost;
}

TEST(what_is_missing_is_counted_only_by_blocks_that_can_tell)
{
	static const char *const bad[] = { NULL, "", "x", "0", "0:", ":1",
		"1:1", "0:1,1:2", "0:1 2:1", "0:-1", "0:99999999999999999999",
		"0:18446744073709551615 1:1", "0:1  1:1", "0:3 1:5" };

	ck_assert_uint_eq(missing_of("0:7 1:2", "0:7 1:3", "a"), 1);
	ck_assert_uint_eq(missing_of("0:7 1:2", "0:8 1:3 2:7", "a"), 9);
	ck_assert_uint_eq(missing_of("0:7 1:2", "0:7 1:3", "b"), 0);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_uint_eq(missing_of("0:7 1:2", bad[i], "a"), 0);
		if (i + 1 < sizeof(bad) / sizeof(bad[0]))
			ck_assert_uint_eq(missing_of(bad[i], "0:8 1:10", "a"),
			    0);
	}
}

/*
 * Block 1 stands for the dropped blocks 1 to 5.  Block 3 arrives all the same,
 * and no gap is reported behind it.  Later missing entries are counted from the
 * end of the dropped blocks.
 */
TEST(what_stands_for_blocks_reaches_over_one_that_is_there)
{
	const struct block_infos infos[] = {
		{ .host = "alpha", .chain = chain_id, .positions = "0:10" },
		{ .host = "alpha",
		    .chain = chain_id,
		    .number = 1,
		    .dropped = "1-5",
		    .begins = "0:10",
		    .positions = "0:60" },
		{ .host = "alpha",
		    .chain = chain_id,
		    .number = 3,
		    .begins = "0:30",
		    .positions = "0:40" },
		{ .host = "alpha",
		    .chain = chain_id,
		    .number = 6,
		    .begins = "0:60",
		    .positions = "0:70" },
		{ .host = "alpha",
		    .chain = chain_id,
		    .number = 9,
		    .begins = "0:99" }
	};
	struct tl_chain *chain = open_only(write_blocks(infos, 5));

	ck_assert_uint_eq(chain->faults->count, 1);
	ck_assert_str_eq(chain->faults->list[0].text,
	    "blocks 7 to 8 are missing: 29 entries");
	tl_chain_free(chain);
}

/* Write blocks 0, 2 and 3; block 2 contains definitions only. */
static int
write_with_empty(struct tl_event events[2])
{
	struct block_infos infos = { .host = "alpha", .chain = chain_id };
	const int fd = tl_file_unnamed();
	struct timeline t = { .host = "alpha" };
	uint64_t seed = 5;

	fixture_messages();
	make_events(&t, &seed, 2);
	memcpy(events, t.events, 2 * sizeof(*events));
	append_block(fd, &infos, events, 1);
	infos.number = 2;
	append_block(fd, &infos, NULL, 0);
	infos.number = 3;
	append_block(fd, &infos, events + 1, 1);
	free_timeline(&t);
	return fd;
}

static void
expect_between(const struct tl_event *loss, const struct tl_event events[2])
{
	ck_assert_int_eq(loss->kind, TL_LOST);
	ck_assert_int_ge(loss->ns, events[0].ns);
	ck_assert_int_le(loss->ns, events[1].ns);
}

TEST(a_hole_before_a_block_without_events_has_a_time)
{
	struct tl_chain_follow *follow;
	struct tl_event events[2], event;
	struct tl_chain *chain = open_only(write_with_empty(events));

	for (enum tl_order o = TL_NEWEST_FIRST; o <= TL_OLDEST_FIRST; o++) {
		struct got got = read_chain(chain, o);
		const bool is_oldest = o == TL_OLDEST_FIRST;

		ck_assert_uint_eq(got.count, 3);
		ck_assert(
		    same_event(&events[0], &got.events[is_oldest ? 0 : 2]));
		expect_between(&got.events[1], events);
		free(got.events);
	}
	tl_chain_free(chain);
	follow = follow_written(write_with_empty(events));
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), 1);
	ck_assert(same_event(&events[0], &event));
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), 1);
	expect_between(&event, events);
	tl_chain_follow_free(follow);
}

TEST(what_is_missing_in_a_stream_that_is_followed_is_counted)
{
	struct timeline t = make_timeline("alpha", 8, 3000, 60);
	const int fd = tl_file_unnamed();
	struct tl_chain_follow *follow;
	struct tl_event event;
	uint64_t counted = 0, given = 0;

	append(fd, &t.blocks[0]);
	for (size_t b = 8; b < t.block_count; b++)
		append(fd, &t.blocks[b]);
	follow = follow_written(fd);
	while (tl_chain_follow_next(follow, &event) > 0)
		given += event.continued ? 0 : entries_of(&event);
	for (size_t i = 0; i < t.count; i++)
		counted += entries_of(&t.events[i]);
	ck_assert_uint_eq(given, counted);
	tl_chain_follow_free(follow);
	free_timeline(&t);
}
