/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_c.c - every entry of a fallback lane proves itself, and no slot is lost
 * for good, whatever happens to a writer.
 */
#include "lib/fixture.h"
#include "lib/random.h"
#include "lib/test.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

enum { LANE = 2, N = 64 }; /* the fallback lane of tier 0 in fixture_tiny */

static struct timeline_event *event;

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b $c $d", &event));
}

static uint64_t returned; /* by the last append */

static void
append(uint64_t a)
{
	returned = tl_append_fallback(event, a, a + 1, a + 2, a + 3);
}

static void
expect_drops(uint64_t lapped)
{
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_BUSY], 0);
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_LAPPED], lapped);
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_RACED], 0);
}

static bool
is_whole(uint64_t q)
{
	const struct timeline_entry *e = fixture_entry(LANE, q);

	return e->stamp == timeline_stamp_fallback(q, e);
}

TEST_FILE(.setup = setup, .teardown = fixture_close, .timeout = 120);

TEST(entries_are_whole_and_in_turn)
{
	for (uint64_t i = 0; i < 3 * N; i++) {
		const struct timeline_entry *e = fixture_entry(LANE, i);

		append(i);
		ck_assert_uint_eq(fixture_head(LANE)->head, i + 1);
		ck_assert_uint_eq((uint32_t)e->stamp, 2 * i + 2);
		ck_assert(is_whole(i));
		ck_assert(!is_whole(i + N));
		ck_assert_uint_eq(e->args[3], i + 3);
		ck_assert_uint_eq(e->message, event->message);
		ck_assert_uint_eq(e->pid, (unsigned)getpid());
		ck_assert_uint_eq(e->tid, (unsigned)gettid());
	}
	expect_drops(0);
}

/* The numbers go on where the 32 bits of the stamp wrap. */
TEST(numbers_go_round)
{
	const uint64_t start = (UINT64_C(1) << 31) - N;

	fixture_head(LANE)->head = start;
	for (uint64_t q = start; q < start + 3 * N; q++) {
		append(q);
		ck_assert(is_whole(q));
	}
	expect_drops(0);
}

/* Mix the words of two entries in all ways: the sum fits neither. */
TEST(a_mixture_is_never_whole)
{
	struct timeline_entry *slot = fixture_entry(LANE, 0);
	uint64_t words[2][8];
	uint64_t seed = 5;
	const int rounds = random_rounds(20000);
	uint64_t mixed = 0;

	for (int round = 0; round < rounds; round++) {
		const uint64_t q = random_below(&seed, 1 << 20) * N;

		for (int k = 0; k < 2; k++) {
			fixture_head(LANE)->head = q + (uint64_t)k * N;
			append(round % 2 ? random_next(&seed) : q);
			memcpy(words[k], slot, sizeof(words[k]));
			slot->stamp = 0;
		}
		for (int way = 1; way < 127; way++) {
			uint64_t mixture[8];

			for (int word = 0; word < 7; word++)
				mixture[word] = words[way >> word & 1][word];
			for (int k = 0; k < 2; k++) {
				mixture[7] = words[k][7];
				if (memcmp(mixture, words[k],
					sizeof(mixture)) == 0)
					continue;
				memcpy(slot, mixture, sizeof(mixture));
				ck_assert(!is_whole(q + (uint64_t)k * N));
				mixed++;
			}
		}
	}
	ck_assert_uint_gt(mixed, (uint64_t)rounds * 100);
}

/* Every changed bit of every word is detected. */
TEST(every_word_counts)
{
	uint64_t *words = (void *)fixture_entry(LANE, 0);

	append(1000);
	ck_assert(is_whole(0));
	for (int word = 0; word < 8; word++)
		for (int bit = 0; bit < 64; bit++) {
			words[word] ^= UINT64_C(1) << bit;
			ck_assert_msg(!is_whole(0), "word %d bit %d", word,
			    bit);
			words[word] ^= UINT64_C(1) << bit;
		}
}

/* The leftovers of a dead writer in any slot are gone one lap later. */
TEST(whatever_was_left_is_healed_by_a_lap)
{
	uint64_t seed = 3;

	for (int round = 0; round < 200; round++) {
		const uint64_t q = fixture_head(LANE)->head;

		for (uint64_t i = 0; i < N; i++) {
			uint64_t *words = (void *)fixture_entry(LANE, i);

			words[random_below(&seed, 7)] = random_next(&seed);
			if (i % 3 == 0)
				words[7] = timeline_stamp_writing(i);
		}
		fixture_head(LANE)->head = q + random_below(&seed, N);
		for (uint64_t i = 0; i < 2 * N; i++)
			append(i);
		for (uint64_t i = 0; i < N; i++)
			ck_assert(is_whole(fixture_head(LANE)->head - 1 - i));
	}
	expect_drops(0);
}

TEST(a_writer_that_was_lapped_gives_up)
{
	struct timeline_entry before;

	fixture_head(LANE)->head = N;
	append(999);
	before = *fixture_entry(LANE, 0);
	fixture_head(LANE)->head = 0;
	append(1000);
	ck_assert_uint_ge(returned, before.tsc); /* the begin was logged */
	ck_assert_mem_eq(&before, fixture_entry(LANE, 0), sizeof(before));
	expect_drops(1);
	append(1001);
	ck_assert(is_whole(1));
}

static sigjmp_buf jump;
static volatile sig_atomic_t armed;

static void
leave(int signal)
{
	(void)signal;
	if (armed)
		siglongjmp(jump, 1);
}

/* Programs with a time limit jump out of a call. */
TEST(jumps_out_of_an_append_cost_nothing_lasting)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	static volatile int jumps;
	uint64_t before;

	signal(SIGALRM, leave);
	setitimer(ITIMER_REAL, &often, NULL);
	if (sigsetjmp(jump, 1))
		jumps++;
	armed = jumps < random_rounds(2000);
	while (armed)
		append(7);
	setitimer(ITIMER_REAL, &never, NULL);
	before = tl->header->drops[TIMELINE_DROP_LAPPED];
	for (uint64_t i = 0; i < 100000; i++)
		append(i);
	ck_assert_uint_eq(tl->header->drops[TIMELINE_DROP_LAPPED], before);
	for (uint64_t i = 0; i < N; i++)
		ck_assert(is_whole(fixture_head(LANE)->head - 1 - i));
}

/* This thread has one lane, however many lanes the CPUs have. */
TEST(a_process_without_rseq_keeps_what_its_lane_holds)
{
	const struct timeline_options options = { .cpu_lanes = 64 };

	fixture_close();
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b $c $d", &event));
	ck_assert_uint_ge(timeline_lane_entries(&tl->geometry, 128), 65536);
	for (uint64_t i = 0; i < 299520; i++)
		append(i);
	for (uint64_t i = 0; i < 65536; i++) {
		const uint64_t q = fixture_head(128)->head - 1 - i;
		const struct timeline_entry *e = fixture_entry(128, q);

		ck_assert_uint_eq(e->stamp, timeline_stamp_fallback(q, e));
		ck_assert_uint_eq(e->args[0], 299519 - i);
	}
}

TEST(tiers_have_fallback_lanes_of_their_own)
{
	struct timeline_event *error;

	ck_assert_ok(timeline_define(tl, "a", "error", "$a", &error));
	tl_append_fallback(error, 7, 0, 0, 0);
	ck_assert_uint_eq(fixture_head(LANE + 1)->head, 1);
	ck_assert_uint_eq(fixture_entry(LANE + 1, 0)->args[0], 7);
	ck_assert_uint_eq(fixture_head(LANE)->head, 0);
}

TEST(several_fallback_lanes_are_chosen_by_cpu)
{
	struct timeline_options options = fixture_tiny;
	const unsigned lanes = 3;
	uint64_t sum = 0;

	options.fallback_lanes = lanes;
	fixture_close();
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "info", "$a $b $c $d", &event));
	for (uint64_t i = 0; i < 50; i++)
		append(i);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		const uint32_t number =
		    timeline_lane(&tl->geometry, 1 + lane, 0);

		sum += fixture_head(number)->head;
		for (uint64_t q = 0; q < fixture_head(number)->head; q++)
			ck_assert_uint_eq(fixture_entry(number, q)->cpu % lanes,
			    lane);
	}
	ck_assert_uint_eq(sum, 50);
}

/* The levels close after the caller's gate test has passed. */
TEST(levels_are_tested_once_more)
{
	timeline_priority(tl, "error");
	const uint64_t before = fixture_logged();

	append(1);
	ck_assert_uint_eq(fixture_logged(), before);
}
