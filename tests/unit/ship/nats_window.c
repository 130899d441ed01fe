/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that are sent and blocks that are received: their order, and which
 * ones are missing.
 */
#include "lib/random.h"
#include "lib/test.h"
#include "ship/block.h"
#include "ship/target/window.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* == sent blocks == */

struct reported {
	size_t count;
	uint64_t numbers[TL_WINDOW_MAX];
	int rc[TL_WINDOW_MAX];
};

static void
tell(void *context, const char *chain, uint64_t number, int rc)
{
	struct reported *reported = context;

	(void)chain;
	reported->numbers[reported->count] = number;
	reported->rc[reported->count++] = rc;
}

static struct tl_sending *
add(struct tl_window *w, const char *chain, uint64_t number, size_t size)
{
	struct tl_block block = { .number = number, .data.size = size };

	snprintf(block.chain, sizeof(block.chain), "%s", chain);
	ck_assert(tl_window_has_room(w, size));
	return tl_window_add(w, &block, (unsigned char)chain[0], NULL);
}

TEST(blocks_are_told_in_the_order_of_sending)
{
	struct tl_window w = { 0 };
	struct reported reported = { 0 };
	const struct tl_target target = { .acked = tell, .context = &reported };
	struct tl_sending *s[4];

	for (unsigned i = 0; i < 4; i++)
		s[i] = add(&w, i % 2 ? "a" : "b", i, 1);
	s[1]->state = s[2]->state = TL_SENDING_ACKED;
	ck_assert_uint_eq(tl_window_ack(&w, &target), 0);
	s[0]->state = TL_SENDING_ACKED;
	ck_assert_uint_eq(tl_window_ack(&w, &target), 3);
	ck_assert_uint_eq(reported.numbers[0], 0);
	ck_assert_uint_eq(reported.numbers[2], 2);
	ck_assert(!tl_window_find(&w, 2));
	ck_assert_ptr_eq(tl_window_find(&w, 3), s[3]);
	ck_assert(!tl_window_find(&w, 4));
}

TEST(a_block_waits_for_the_one_before_in_its_chain)
{
	struct tl_window w = { 0 };
	struct tl_sending *a1 = add(&w, "a", 1, 1), *b1 = add(&w, "b", 1, 1);
	struct tl_sending *a2 = add(&w, "a", 2, 1);

	ck_assert(!tl_window_must_wait(&w, a1));
	ck_assert(!tl_window_must_wait(&w, b1));
	ck_assert(tl_window_must_wait(&w, a2));
	a1->state = TL_SENDING_SENT;
	ck_assert(tl_window_must_wait(&w, a2));
	a1->state = TL_SENDING_ACKED;
	ck_assert(!tl_window_must_wait(&w, a2));
}

TEST(a_window_has_bounds_and_room_for_one_of_any_size)
{
	struct tl_window w = { 0 };
	struct reported reported = { 0 };
	const struct tl_target target = { .acked = tell, .context = &reported };

	add(&w, "a", 0, TL_WINDOW_SIZE_MAX + 1);
	ck_assert(!tl_window_has_room(&w, 0));
	tl_window_find(&w, 0)->state = TL_SENDING_ACKED;
	tl_window_ack(&w, &target);
	for (unsigned i = 0; i < TL_WINDOW_MAX; i++)
		add(&w, "a", i, 1);
	ck_assert(!tl_window_has_room(&w, 1));
	tl_window_clear(&w);
	ck_assert(tl_window_is_empty(&w));
	ck_assert_uint_eq(w.size, 0);
	ck_assert_uint_eq(reported.count, 1);
}

TEST(one_that_is_refused_takes_all_with_it)
{
	struct tl_window w = { 0 };
	struct reported reported = { 0 };
	const struct tl_target target = { .acked = tell, .context = &reported };

	for (unsigned i = 0; i < 4; i++)
		add(&w, "a", i, 1);
	tl_window_find(&w, 0)->state = TL_SENDING_ACKED;
	tl_window_find(&w, 3)->state = TL_SENDING_ACKED;
	tl_window_reject(&w, &target, 2, -EMSGSIZE);
	ck_assert_uint_eq(reported.count, 4);
	ck_assert_int_eq(reported.rc[0], 0);
	ck_assert_int_eq(reported.rc[1], -ECANCELED);
	ck_assert_int_eq(reported.rc[2], -EMSGSIZE);
	ck_assert_int_eq(reported.rc[3], -ECANCELED);
	ck_assert(tl_window_is_empty(&w));
}

/* == received blocks == */

enum { NUMBERS = 200 };

static int
see(struct tl_seen *seen, const char *chain, uint64_t number, uint64_t last)
{
	struct tl_block block = { .number = number };
	const struct tl_seen_chain *found;

	snprintf(block.chain, sizeof(block.chain), "%s", chain);
	return tl_seen_add(seen, &block, last, &found);
}

TEST(gaps_are_counted_and_late_blocks_fill_them)
{
	struct tl_seen seen = { 0 };

	ck_assert_int_eq(see(&seen, "a", 5, 5), TL_SEEN_FIRST);
	ck_assert_int_eq(see(&seen, "a", 6, 6), TL_SEEN_NEXT);
	ck_assert_int_eq(see(&seen, "a", 6, 6), TL_SEEN_DUPLICATE);
	ck_assert_int_eq(see(&seen, "a", 4, 4), TL_SEEN_DUPLICATE);
	ck_assert_int_eq(see(&seen, "a", 10, 19), TL_SEEN_AHEAD);
	ck_assert_uint_eq(seen.missing, 3);
	ck_assert_int_eq(see(&seen, "a", 15, 15), TL_SEEN_DUPLICATE);
	ck_assert_int_eq(see(&seen, "a", 8, 8), TL_SEEN_LATE);
	ck_assert_int_eq(see(&seen, "a", 8, 8), TL_SEEN_DUPLICATE);
	ck_assert_uint_eq(seen.missing, 2);
	ck_assert_int_eq(see(&seen, "a", 20, 20), TL_SEEN_NEXT);
	ck_assert_int_eq(see(&seen, "b", 0, 0), TL_SEEN_FIRST);
	ck_assert_int_eq(see(&seen, "b", UINT64_MAX, UINT64_MAX),
	    TL_SEEN_AHEAD);
	tl_seen_free(&seen);
}

/*
 * Compare with a table of all numbers.  The gaps are few enough to be
 * remembered.
 */
static void
see_random(uint64_t state)
{
	struct tl_seen seen = { 0 };
	bool table[NUMBERS] = { false };
	uint64_t next = 0;

	see(&seen, "a", 0, 0);
	table[0] = true;
	next = 1;
	for (int i = 0; i < 400; i++) {
		const uint64_t n = random_below(&state,
		    next + 4 < NUMBERS ? next + 4 : NUMBERS);
		const int place = see(&seen, "a", n, n);
		uint64_t missing = 0;

		if (table[n])
			ck_assert_int_eq(place, TL_SEEN_DUPLICATE);
		else if (n < next)
			ck_assert_int_eq(place, TL_SEEN_LATE);
		else
			ck_assert_int_eq(place,
			    n > next ? TL_SEEN_AHEAD : TL_SEEN_NEXT);
		table[n] = true;
		if (n >= next)
			next = n + 1;
		for (uint64_t k = 0; k < next; k++)
			missing += !table[k];
		ck_assert_uint_eq(seen.missing, missing);
	}
	tl_seen_free(&seen);
}

TEST(what_was_seen_agrees_with_a_table)
{
	for (unsigned seed = 1; seed <= 300; seed++)
		see_random(seed);
}

TEST(memory_stays_bounded_whatever_chains_come)
{
	struct tl_seen seen = { 0 };
	char name[TL_CHAIN_SIZE];

	for (unsigned i = 0; i < TL_SEEN_CHAINS_MAX + 50; i++) {
		snprintf(name, sizeof(name), "%032x", i);
		ck_assert_int_eq(see(&seen, name, 0, 0), TL_SEEN_FIRST);
	}
	ck_assert_uint_eq(seen.count, TL_SEEN_CHAINS_MAX);
	for (uint64_t n = 2; n < 1000; n += 2)
		ck_assert_int_eq(see(&seen, name, n, n), TL_SEEN_AHEAD);
	ck_assert_uint_eq(seen.missing, 499);
	tl_seen_free(&seen);
}
