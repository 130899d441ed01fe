/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - shipped blocks are read as the timeline that they were cut from. */
#include "chain_fixture.h"
#include "clock/clock.h"
#include "lib/test.h"

#include <time.h>

static void
expect_whole(struct tl_chain *chain, const struct timeline *t)
{
	int64_t ns;

	expect_events(chain, t->events, t->count, TL_OLDEST_FIRST);
	expect_events(chain, t->events, t->count, TL_NEWEST_FIRST);
	ck_assert_uint_ge(chain->events, t->count);
	ck_assert_ok(tl_chain_newest(chain, &ns));
	ck_assert_int_eq(ns, t->events[t->count - 1].ns);
	ck_assert(!chain->damaged);
}

/* Write the blocks in any order, some of them more than once. */
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

TEST_FILE(.timeout = 600);

TEST(a_timeline_comes_back_as_it_was_whatever_order_its_blocks_have)
{
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t seed = i * 977 + 1;
		struct timeline t =
		    make_timeline("alpha", seed, 1 + i * 80, 1 + i * 7);
		struct tl_chain *chain = open_only(write_shuffled(&t, &seed));

		expect_whole(chain, &t);
		tl_chain_free(chain);
		free_timeline(&t);
	}
}

TEST(the_timelines_of_a_stream_are_chains_of_their_own)
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
	ck_assert_uint_eq(chains->count, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct tl_chain *chain = tl_chains_take(chains, i);
		const bool is_alpha = strcmp(chain->name, "alpha/demo") == 0;

		if (i == 1) /* the last chain outlives its container */
			tl_chains_free(chains);
		expect_whole(chain, &t[is_alpha ? 0 : 1]);
		tl_chain_free(chain);
	}
	free_timeline(&t[0]);
	free_timeline(&t[1]);
}

/*
 * Two blocks have the same number: the whole one is taken, whether it comes
 * first or last.
 */
TEST(of_a_block_that_comes_twice_the_whole_one_counts)
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

/* == hostile and large input == */

/*
 * Every block claims the same time.  The events have no order, but all of them
 * are read.
 */
TEST(blocks_that_overlap_as_none_should_are_read_all_the_same)
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
	for (infos.number = 0; infos.number < 20; infos.number++)
		append_block(fd, &infos, t.events + infos.number * 20, 20);
	chain = open_only(fd);
	for (enum tl_order o = TL_NEWEST_FIRST; o <= TL_OLDEST_FIRST; o++) {
		got = read_chain(chain, o);
		ck_assert_uint_eq(got.count, 400);
		free(got.events);
	}
	tl_chain_free(chain);
	free_timeline(&t);
}

TEST(traces_without_a_chain_stay_apart_until_they_are_many)
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
		ck_assert_uint_eq(chains->count, i < 2 ? counts[i] : 1);
		if (i == 2) {
			struct tl_chain *chain = tl_chains_take(chains, 0);

			expect_whole(chain, &t);
			tl_chain_free(chain);
		}
		tl_chains_free(chains);
		free_timeline(&t);
	}
}

/* The texts of a message are longer than the limit of kept texts. */
TEST(texts_that_are_too_long_are_cut)
{
	const struct block_infos infos = { .host = "alpha" };
	struct timeline t = { .host = "alpha" };
	const int fd = tl_file_unnamed();
	struct tl_text words = { 0 };
	struct tl_chain *chain;
	uint64_t seed = 2;
	struct got got;

	tl_put_repeat(&words, 'w', 2 * TL_INTERNER_TEXT_MAX);
	fixture_messages();
	make_events(&t, &seed, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct tl_message *m = &messages[INSTANT_MESSAGE + i];
		const struct tl_bytes text =
		    i == 0 ? tl_bytes_of("short") : tl_bytes_of(words.data);

		ck_assert_ok(tl_message_parse(m, text));
		m->kind = TIMELINE_RECORD_INSTANT;
		m->category = m->file = tl_bytes_of(words.data);
		t.events[i] = (struct tl_event){ .kind = TL_INSTANT,
			.message = m,
			.tid = 1000,
			.ns = 1 + i };
	}
	append_block(fd, &infos, t.events, 2);
	chain = open_only(fd);
	got = read_chain(chain, TL_OLDEST_FIRST);
	ck_assert_uint_eq(got.count, 2);
	for (unsigned i = 0; i < 2; i++) {
		const struct tl_message *m = got.events[i].message;

		ck_assert(tl_bytes_equal(m->line1,
		    tl_bytes_of(
			i == 0 ? "short" : "message that is not defined")));
		ck_assert(
		    i > 0 || tl_bytes_equal(m->category,
				 tl_bytes(words.data, TL_INTERNER_TEXT_MAX)));
		ck_assert(i > 0 || tl_bytes_equal(m->file, m->category));
	}
	free(got.events);
	tl_chain_free(chain);
	free_timeline(&t);
	tl_text_free(&words);
}

TEST(a_file_without_a_trace_is_refused)
{
	struct tl_fault fault = { 0 };
	struct tl_chains *chains;
	const int fd = tl_file_unnamed();

	ck_assert_int_eq(tl_chains_open(&chains, fd, &fault), -EBADMSG);
	ck_assert_str_eq(fault.text, "there is no whole trace in it");
	close(fd);
}

/* == following == */

TEST(a_stream_that_is_followed_gives_the_same_events)
{
	struct timeline t = make_timeline("alpha", 8, 3000, 60);
	const int fd = tl_file_unnamed();
	struct tl_chain_follow *follow;
	struct tl_event event;
	size_t count = 0;

	ck_assert_ok(tl_write_all(fd, "noise", 5));
	for (size_t b = 0; b < t.block_count; b++) {
		append(fd, &t.blocks[b]);
		if (b % 3 == 2) /* repeat a block */
			append(fd, &t.blocks[b - 1]);
	}
	follow = follow_written(fd);
	while (tl_chain_follow_next(follow, &event) > 0) {
		ck_assert_uint_lt(count, t.count);
		ck_assert(same_event(&t.events[count], &event));
		ck_assert_uint_eq(event.source, 0);
		count++;
	}
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), -EPIPE);
	ck_assert_uint_eq(count, t.count);
	ck_assert_uint_eq(tl_chain_follow_chains(follow)->count, 1);
	ck_assert_str_eq(tl_chain_follow_chains(follow)->faults.list[0].text,
	    "5 bytes are of no trace");
	tl_chain_follow_free(follow);
	free_timeline(&t);
}

/*
 * Append a block that holds only closing points of a clock, each a tick later
 * than the one before.
 */
static void
append_knots(int fd, uint64_t number, uint64_t *tsc, unsigned count)
{
	const struct block_infos infos = { .host = "alpha",
		.chain = "0123456789abcdef0123456789abcdef",
		.number = number };
	struct made made = { 0 };
	struct tl_trace_options options = { .data = made_data,
		.context = &made,
		.id = { 9, (uint8_t)number } };
	struct tl_trace_writer *writer;

	ck_assert_ok(tl_trace_writer_new(&writer, &options));
	put_infos(writer, &infos);
	for (unsigned i = 0; i < count; i++) {
		const struct timeline_knot knot = { .tsc = ++*tsc,
			.flags = TIMELINE_KNOT_CLOSE };

		ck_assert_ok(tl_trace_write_knot(writer, &knot));
	}
	made_end(writer);
	append(fd, &made.data);
	made_free(&made);
}

/*
 * A reader that follows sees every knot, although few are kept.  A reader of
 * the whole stream keeps some knots, from the first to the last.
 */
TEST(knots_that_come_for_long_do_not_end)
{
	enum { BLOCKS = 15, EACH = 10000 };
	const int fd = tl_file_unnamed(), again = dup(fd);
	struct tl_chain_follow *follow;
	struct tl_chain *chain;
	struct tl_event event;
	uint64_t tsc = 0;
	size_t count;

	for (uint64_t i = 0; i < BLOCKS; i++)
		append_knots(fd, i, &tsc, EACH);
	follow = follow_written(fd);
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), -EPIPE);
	chain = tl_chain_follow_chains(follow)->list[0];
	ck_assert_uint_eq(tl_chain_knot_count(chain), BLOCKS * EACH);
	for (size_t i = BLOCKS * EACH - 100; i < BLOCKS * EACH; i++)
		ck_assert_uint_eq(tl_chain_knot(chain, i)->tsc, i + 1);
	ck_assert_uint_eq(tl_chain_knot(chain, 0)->tsc, 1);
	tl_chain_follow_free(follow);
	chain = open_only(again);
	count = tl_chain_knot_count(chain);
	ck_assert_uint_le(count, TL_CHAIN_KNOTS_MAX);
	ck_assert_uint_eq(tl_chain_knot(chain, 0)->tsc, 1);
	ck_assert_uint_eq(tl_chain_knot(chain, count - 1)->tsc, BLOCKS * EACH);
	for (size_t i = 1; i < count; i++)
		ck_assert_uint_lt(tl_chain_knot(chain, i - 1)->tsc,
		    tl_chain_knot(chain, i)->tsc);
	tl_chain_free(chain);
}

/*
 * The writer keeps the pipe open.  Events are held back for TL_CHAIN_HOLD_NS,
 * and all of them come although the stream has no end.
 */
TEST(what_is_followed_is_held_back_for_a_second)
{
	const int64_t begun_ns = tl_clock_read(CLOCK_MONOTONIC);
	struct timeline t = make_timeline("alpha", 8, 50, 60);
	struct tl_chain_follow *follow;
	struct tl_event event;
	size_t count = 0;
	int ends[2], rc;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_ok(tl_chain_follow_new(&follow, ends[0]));
	for (size_t b = 0; b < t.block_count; b++)
		append(ends[1], &t.blocks[b]);
	while (count < t.count) {
		while ((rc = tl_chain_follow_next(follow, &event)) > 0)
			if (count++ == 0)
				ck_assert_int_ge(tl_clock_read(
						     CLOCK_MONOTONIC) -
						     begun_ns,
				    TL_CHAIN_HOLD_NS);
		ck_assert_int_eq(rc, 0);
		usleep(10000);
	}
	close(ends[1]);
	ck_assert_int_eq(tl_chain_follow_next(follow, &event), -EPIPE);
	tl_chain_follow_free(follow);
	free_timeline(&t);
}
