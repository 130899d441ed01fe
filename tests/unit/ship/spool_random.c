/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool_random.c - a spool under random events, compared with a list.
 *
 * Blocks are put, sent, lost on the way and acked in any order; the process
 * dies and another continues; writing fails.  In the end every block has
 * arrived once, or a block that replaces it has arrived with exactly its
 * entries, and each chain in its order.
 */
#include "lib/random.h"
#include "lib/test.h"
#include "ship_spool_fixture.h"

#include <signal.h>
#include <sys/resource.h>

enum {
	CHAINS = 3,
	BLOCKS_MAX = 2000,
	STEPS = 700,
	SEEDS = 12,
	WINDOW = 8 /* blocks on the way */
};

/* A block that was put, and its fate. */
struct listed {
	uint64_t entries;
	bool arrived;
	bool dropped; /* a replacing block said so */
};

struct list {
	struct listed blocks[BLOCKS_MAX];
	uint64_t count;
	uint64_t next; /* the lowest number still to come */
};

/* A block on the way. */
struct sent {
	unsigned chain;
	uint64_t number;
};

static struct list lists[CHAINS];
static const char *const names[CHAINS] = { "app", "db/x", "\x1b[2J" };
static struct sent window[WINDOW];
static size_t window_count;
static uint64_t seed;
static bool on_disk;

static uint64_t
below(uint64_t n)
{
	return random_below(&seed, n);
}

static unsigned
number_of(const char *timeline)
{
	for (unsigned i = 0; i < CHAINS; i++)
		if (strcmp(names[i], timeline) == 0)
			return i;
	ck_abort_msg("a chain nobody began: %s", timeline);
}

/* == what happens == */

static void
put_one(void)
{
	const unsigned i = (unsigned)below(CHAINS);
	struct tl_spool_chain *chain = chain_of(names[i]);
	struct list *list = &lists[i];
	const uint64_t entries = 1 + below(300);
	const uint64_t lost = below(3) * below(1000);

	ck_assert_uint_eq(tl_spool_chain_next(chain), list->count);
	ck_assert_uint_lt(list->count, BLOCKS_MAX);
	if (put_in(chain, names[i], entries, lost) == 0)
		list->blocks[list->count++].entries = entries + lost;
}

/* The target receives a block, for the first time or again. */
static void
receive(unsigned i, const struct tl_block *block)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	struct list *list = &lists[i];
	uint64_t entries = 0;

	ck_assert_ok(tl_block_describe(&facts, block->data, &fault));
	for (uint64_t n = facts.block.number; n <= facts.last; n++) {
		struct listed *b = &list->blocks[n];

		ck_assert_uint_lt(n, list->count);
		ck_assert(facts.dropped ? !b->arrived : !b->dropped);
		entries += b->entries;
		b->dropped |= facts.dropped;
		b->arrived |= !facts.dropped;
	}
	ck_assert_uint_eq(entries, facts.block.lost + facts.block.entries);
	ck_assert_uint_eq(entries, block->lost + block->entries);
	ck_assert(!facts.dropped || facts.block.entries == 0);
	ck_assert_uint_le(facts.block.number, list->next);
	if (facts.last >= list->next)
		list->next = facts.last + 1;
	tl_block_facts_free(&facts);
}

static void
send_one(void)
{
	struct tl_block block;
	int rc;

	if (window_count == WINDOW)
		return;
	rc = tl_spool_take(spool, &block);
	if (rc == -EAGAIN)
		return;
	ck_assert_int_eq(rc, 0);
	if (below(8) == 0) {
		tl_spool_give(spool, -EIO);
		return;
	}
	tl_spool_give(spool, 0);
	receive(number_of(block.timeline), &block);
	window[window_count++] =
	    (struct sent){ number_of(block.timeline), block.number };
}

static void
wait_one(void)
{
	const struct sent sent = window[0];

	if (window_count == 0)
		return;
	memmove(window, window + 1, --window_count * sizeof(window[0]));
	tl_spool_acked(spool, tl_spool_chain_name(chain_of(names[sent.chain])),
	    sent.number);
}

static void
disconnect(void)
{
	window_count = 0;
	tl_spool_disconnected(spool);
}

/* The process dies; the target keeps the blocks that it has received. */
static void
die(void)
{
	if (!on_disk)
		return;
	window_count = 0;
	tl_spool_free(spool);
	open_spool(ROOM);
}

/* The disk is full for a while. */
static void
fail_to_write(void)
{
	const struct rlimit none = { 100, RLIM_INFINITY };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	if (!on_disk)
		return;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	for (int i = 0; i < 3; i++)
		put_one();
	for (int i = 0; i < 2; i++)
		wait_one();
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
}

static void
step(void)
{
	switch (below(20)) {
	case 0:
		disconnect();
		break;
	case 1:
		die();
		break;
	case 2:
		fail_to_write();
		break;
	case 3:
	case 4:
	case 5:
	case 6:
		send_one();
		break;
	case 7:
	case 8:
	case 9:
		wait_one();
		break;
	default:
		put_one();
	}
	ck_assert_uint_le(status().size, ROOM + CHAINS * 4096);
}

static void
drain(void)
{
	for (int i = 0; i < BLOCKS_MAX * CHAINS && status().blocks > 0; i++) {
		send_one();
		wait_one();
	}
	while (window_count > 0)
		wait_one();
	ck_assert_uint_eq(status().blocks, 0);
}

static void
run(uint64_t from)
{
	seed = from;
	memset(lists, 0, sizeof(lists));
	window_count = 0;
	ck_assert_int_eq(try_open(on_disk ? folder : NULL, ROOM, &spool), 0);
	for (int i = 0; i < STEPS; i++)
		step();
	drain();
	for (unsigned i = 0; i < CHAINS; i++) {
		ck_assert_uint_eq(lists[i].next, lists[i].count);
		for (uint64_t n = 0; n < lists[i].count; n++)
			ck_assert(lists[i].blocks[n].arrived !=
				  lists[i].blocks[n].dropped);
	}
	tl_spool_free(spool);
	ck_assert_uint_eq(said, 0);
}

TEST_FILE(.setup = ship_setup, .teardown = ship_teardown, .timeout = 60);

TEST(every_block_arrives_once_or_is_counted, .to = SEEDS, .sampled = true)
{
	signal(SIGXFSZ, SIG_IGN);
	on_disk = true;
	run((uint64_t)_i + 1);
}

TEST(so_it_is_in_memory, .to = SEEDS, .sampled = true)
{
	on_disk = false;
	run((uint64_t)_i + 1000);
}
