/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format_chain.c - blocks that were shipped, as the timeline that they
 * are of.
 */
#include "../lib/suite.h"
#include "chain_fixture.h"
#include "format/chain_follow.h"

static void
expect_whole(struct tl_chain *chain, const struct timeline *t)
{
	int64_t ns;

	expect_events(chain, t->events, t->count, TL_OLDEST_FIRST);
	expect_events(chain, t->events, t->count, TL_NEWEST_FIRST);
	ck_assert_uint_ge(tl_chain_entries(chain), t->count);
	ck_assert_int_eq(tl_chain_newest(chain, &ns), 0);
	ck_assert_int_eq(ns, t->events[t->count - 1].ns);
	ck_assert(!tl_chain_is_damaged(chain));
}

/* Blocks in any order, some of them more than once. */
static int
write_shuffled(const struct timeline *t, uint64_t *seed)
{
	const int fd = tl_file_unnamed();
	size_t *order = calloc(t->block_count, sizeof(*order));

	for (size_t i = 0; i < t->block_count; i++) {
		const size_t k = random_below(seed, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (size_t i = 0; i < t->block_count; i++) {
		append(fd, &t->blocks[order[i]]);
		if (random_below(seed, 4) == 0)
			append(fd,
			    &t->blocks[random_below(seed, t->block_count)]);
	}
	free(order);
	return fd;
}

START_TEST(a_timeline_comes_back_as_it_was_whatever_order_its_blocks_have)
{
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t seed = i * 977 + 1;
		struct timeline t =
		    make_timeline("alpha", seed, 1 + i * 80, 1 + i * 7);
		struct tl_chain *chain = open_only(write_shuffled(&t, &seed));

		expect_whole(chain, &t);
		ck_assert_uint_eq(tl_chain_blocks(chain), t.block_count);
		tl_chain_free(chain);
		free_timeline(&t);
	}
}
END_TEST

START_TEST(the_timelines_of_a_stream_are_chains_of_their_own)
{
	struct timeline t[] = { make_timeline("alpha", 3, 1000, 50),
		make_timeline("beta", 4, 900, 70) };
	const int fd = tl_file_unnamed();
	struct tl_chains *chains;

	for (size_t i = 0; i < t[0].block_count || i < t[1].block_count; i++)
		for (unsigned k = 0; k < 2; k++)
			if (i < t[k].block_count)
				append(fd, &t[k].blocks[i]);
	chains = open_chains(fd);
	ck_assert_uint_eq(tl_chains_count(chains), 2);
	for (unsigned i = 0; i < 2; i++) {
		struct tl_chain *chain = tl_chains_take(chains, i);
		const bool is_alpha =
		    strcmp(tl_chain_name(chain), "alpha/demo") == 0;

		if (i == 1) /* the last one lives alone */
			tl_chains_free(chains);
		expect_whole(chain, &t[is_alpha ? 0 : 1]);
		tl_chain_free(chain);
	}
	free_timeline(&t[0]);
	free_timeline(&t[1]);
}
END_TEST

/* Of two of one number that which is whole is taken, wherever it stands. */
START_TEST(of_a_block_that_comes_twice_the_whole_one_counts)
{
	struct timeline t = make_timeline("alpha", 6, 300, 30);

	for (unsigned first = 0; first < 2; first++) {
		const int fd = tl_file_unnamed();
		struct tl_text torn = { 0 };
		struct tl_chain *chain;

		tl_put_bytes(&torn,
		    tl_bytes(t.blocks[1].data, t.blocks[1].size - 30));
		if (first == 0)
			append(fd, &torn);
		for (size_t b = 0; b < t.block_count; b++)
			append(fd, &t.blocks[b]);
		if (first == 1)
			append(fd, &torn);
		chain = open_only(fd);
		expect_events(chain, t.events, t.count, TL_OLDEST_FIRST);
		tl_chain_free(chain);
		tl_text_free(&torn);
	}
	free_timeline(&t);
}
END_TEST

/* == what is hostile, what is much == */

/* Blocks that all claim the same time: in no order, but all there, and read
 * in turn. */
START_TEST(blocks_that_overlap_as_none_should_are_read_all_the_same)
{
	struct timeline t = { .host = "alpha", .chain = "" };
	const int fd = tl_file_unnamed();
	struct block_infos infos = { .host = "alpha", .chain = t.chain };
	struct tl_chain *chain;
	uint64_t seed = 12;
	struct got got;

	memset(t.chain, 'f', 32);
	fixture_messages();
	make_events(&t, &seed, 400);
	for (size_t i = 0; i < 400; i++)
		t.events[i].ns = (int64_t)(i % 20) * 1000000 +
				 (int64_t)(i % 20 == 19) * INT64_MAX / 2;
	for (infos.number = 0; infos.number < 20; infos.number++) {
		struct tl_text block =
		    make_block(&infos, NULL, t.events + infos.number * 20, 20);

		append(fd, &block);
		tl_text_free(&block);
	}
	chain = open_only(fd);
	for (enum tl_order o = TL_NEWEST_FIRST; o <= TL_OLDEST_FIRST; o++) {
		got = read_chain(chain, o);
		ck_assert_uint_eq(got.count, 400);
		free(got.events);
	}
	tl_chain_free(chain);
	free_timeline(&t);
}
END_TEST

START_TEST(traces_without_a_chain_stay_apart_until_they_are_many)
{
	const size_t counts[] = { 1, TL_CHAINS_LONE_MAX,
		TL_CHAINS_LONE_MAX + 1 };

	for (unsigned i = 0; i < 3; i++) {
		struct timeline t = { .host = "alpha" };
		const struct block_infos infos = { .host = "alpha" };
		const int fd = tl_file_unnamed();
		struct tl_chains *chains;
		uint64_t seed = i;

		fixture_messages();
		make_events(&t, &seed, counts[i]);
		for (size_t k = 0; k < counts[i]; k++) {
			struct tl_text block =
			    make_block(&infos, NULL, t.events + k, 1);

			append(fd, &block);
			append(fd, &block);
			tl_text_free(&block);
		}
		chains = open_chains(fd);
		ck_assert_uint_eq(tl_chains_count(chains),
		    i < 2 ? counts[i] : 1);
		if (i == 2) {
			struct tl_chain *chain = tl_chains_take(chains, 0);

			expect_whole(chain, &t);
			tl_chain_free(chain);
		}
		tl_chains_free(chains);
		free_timeline(&t);
	}
}
END_TEST

START_TEST(a_file_without_a_trace_is_refused)
{
	struct tl_fault fault = { 0 };
	struct tl_chains *chains;
	const int fd = tl_file_unnamed();

	ck_assert_int_eq(tl_chains_open(&chains, fd, &fault), -EBADMSG);
	ck_assert_str_eq(fault.text, "there is no whole trace in it");
	close(fd);
}
END_TEST

/* == as it comes == */

START_TEST(a_stream_that_is_followed_gives_the_same_events)
{
	struct timeline t = make_timeline("alpha", 8, 3000, 60);
	const int fd = tl_file_unnamed();
	struct tl_chain_follow *follow;
	struct tl_event event;
	size_t count = 0;

	for (size_t b = 0; b < t.block_count; b++) {
		append(fd, &t.blocks[b]);
		if (b % 3 == 2) /* again */
			append(fd, &t.blocks[b - 1]);
	}
	ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
	ck_assert_int_eq(tl_chain_follow_new(&follow, fd), 0);
	while (tl_chain_follow_next(follow, &event) > 0) {
		ck_assert_uint_lt(count, t.count);
		ck_assert(same_event(&t.events[count], &event));
		ck_assert_uint_eq(event.source, 0);
		count++;
	}
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), -EPIPE);
	ck_assert_uint_eq(count, t.count);
	ck_assert_uint_eq(tl_chain_follow_count(follow), 1);
	tl_chain_follow_free(follow);
	free_timeline(&t);
}
END_TEST

/* A pipe that stays open: what came is held back for a second, no longer. */
START_TEST(what_is_followed_is_held_back_for_a_second)
{
	struct timeline t = make_timeline("alpha", 8, 50, 60);
	struct tl_chain_follow *follow;
	struct tl_event event;
	size_t count = 0;
	int ends[2], rc;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(tl_chain_follow_new(&follow, ends[0]), 0);
	for (size_t b = 0; b < t.block_count; b++)
		append(ends[1], &t.blocks[b]);
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), 0);
	for (unsigned i = 0; i < 500 && count < t.count; i++) {
		while ((rc = tl_chain_follow_next(follow, &event)) > 0)
			count++;
		ck_assert_int_eq(rc, 0);
		usleep(10000);
	}
	ck_assert_uint_eq(count, t.count);
	close(ends[1]);
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), -EPIPE);
	tl_chain_follow_free(follow);
	free_timeline(&t);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("format chain");
	TCase *t = tcase_create("chain");

	tcase_set_timeout(t, 60);
	tcase_add_test(t,
	    a_timeline_comes_back_as_it_was_whatever_order_its_blocks_have);
	tcase_add_test(t, the_timelines_of_a_stream_are_chains_of_their_own);
	tcase_add_test(t, of_a_block_that_comes_twice_the_whole_one_counts);
	tcase_add_test(t,
	    blocks_that_overlap_as_none_should_are_read_all_the_same);
	tcase_add_test(t,
	    traces_without_a_chain_stay_apart_until_they_are_many);
	tcase_add_test(t, a_file_without_a_trace_is_refused);
	tcase_add_test(t, a_stream_that_is_followed_gives_the_same_events);
	tcase_add_test(t, what_is_followed_is_held_back_for_a_second);
	suite_add_tcase(suite, t);
	return run_suite(suite);
}
