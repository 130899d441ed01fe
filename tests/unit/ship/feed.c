/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - a live timeline becomes blocks, by one feed after another. */
#include "lib/fixture.h"
#include "lib/test.h"
#include "ship/run.h"

#include "ship_spool_fixture.h"
#include "trace/chain/chain.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

enum { BLOCK_SIZE = 16 << 10 };

static struct timeline_event *tick;
static struct tl_feed *feed;

static void
make_timeline(uint64_t entries)
{
	const struct timeline_options options = { .entries = entries,
		.tiers = 1,
		.stringtablesize = 1 << 16 };

	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "t", "info", "tick $n", &tick));
}

static void
setup(void)
{
	ship_setup();
	make_timeline(1 << 16);
	open_spool(64 << 20);
}

static void
teardown(void)
{
	tl_spool_free(spool);
	fixture_close();
	ship_teardown();
}

static void
feed_from(bool all)
{
	const struct tl_feed_options options = { .host = "host",
		.block_size = BLOCK_SIZE,
		.every_ns = 20000000,
		.all = all,
		.report = &report };
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_feed_start(&feed, chain_of("app"), "app", tl->fd,
			  &options, &fault) == 0,
	    "%s", fault.text);
}

static void
stop_feed(void)
{
	tl_feed_stop(feed);
	tl_feed_free(feed);
}

static void
ticks(uint64_t from, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		timeline_log(tick, from + i);
}

/* Everything that waits, as the target receives it. */
struct seen {
	uint64_t blocks;
	uint64_t entries;
	uint64_t lost;
	uint64_t next; /* the next argument */
	char identity[TL_IDENTITY_MAX];
	char positions[256];
};

static void
look_at_events(struct seen *seen, struct tl_trace *trace)
{
	struct tl_cursor *cursor;
	struct tl_event event;

	ck_assert_ok(tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		if (event.kind == TL_LOST)
			continue;
		ck_assert_uint_ge(event.args[0], seen->next);
		seen->next = event.args[0] + 1;
	}
	tl_cursor_close(cursor);
}

static uint64_t
sum_of(struct tl_text *positions)
{
	uint64_t *list, sum = 0;
	size_t lanes;

	ck_assert_ok(
	    tl_parse_positions(tl_text_string(positions), &list, &lanes));
	for (size_t i = 0; i < lanes; i++)
		sum += list[i];
	free(list);
	return sum;
}

/*
 * A block starts at the end position of the block before it, and its positions
 * advance by as many entries as it holds.
 */
static void
expect_positions(const struct seen *seen, struct tl_block_facts *facts)
{
	if (strcmp(seen->identity, facts->identity) == 0)
		ck_assert_str_eq(tl_text_string(&facts->begins),
		    seen->positions);
	ck_assert_uint_eq(sum_of(&facts->positions) - sum_of(&facts->begins),
	    facts->block.entries + facts->block.lost);
}

static void
look_at(struct seen *seen, const struct tl_block *block)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;

	ck_assert_ok(tl_block_describe(&facts, block->data, &fault));
	ck_assert_uint_eq(facts.block.number, block->number);
	ck_assert_uint_eq(facts.block.entries, block->entries);
	ck_assert_uint_eq(facts.block.lost, block->lost);
	ck_assert_int_eq(facts.block.from_ns, block->from_ns);
	ck_assert_int_eq(facts.block.to_ns, block->to_ns);
	ck_assert_str_eq(facts.block.host, "host");
	ck_assert_str_eq(facts.block.timeline, "app");
	expect_positions(seen, &facts);
	strcpy(seen->identity, facts.identity);
	snprintf(seen->positions, sizeof(seen->positions), "%s",
	    tl_text_string(&facts.positions));
	tl_block_facts_free(&facts);
	ck_assert_ok(tl_block_open(&trace, block->data, &fault));
	look_at_events(seen, trace);
	tl_trace_close(trace);
	seen->blocks++;
	seen->entries += block->entries;
	seen->lost += block->lost;
}

static void
take_all(struct seen *seen)
{
	struct tl_block block;

	while (tl_spool_take(spool, &block) == 0) {
		look_at(seen, &block);
		tl_spool_give(spool, 0);
		tl_spool_acked(spool, block.chain, block.number);
	}
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 30);

TEST(what_is_logged_becomes_blocks)
{
	struct seen seen = { 0 };

	ticks(0, 100);
	feed_from(false);
	ticks(100, 10000);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.entries, 10000);
	ck_assert_uint_eq(seen.lost, 0);
	ck_assert_uint_eq(seen.next, 10100);
	ck_assert_uint_gt(seen.blocks, 3);
	ck_assert_str_eq(seen.positions,
	    tl_spool_chain_positions(chain_of("app")));
}

TEST(all_of_it_if_asked)
{
	struct seen seen = { 0 };

	ticks(0, 100);
	feed_from(true);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.entries, 100);
}

TEST(nothing_logged_is_no_block)
{
	struct seen seen = { 0 };

	feed_from(false);
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.blocks, 0);
	ck_assert_uint_eq(tl_spool_chain_next(chain_of("app")), 0);
}

TEST(another_goes_on_where_it_ended)
{
	struct seen seen = { 0 };

	feed_from(false);
	for (uint64_t i = 0; i < 5; i++) {
		ticks(i * 1000, 500);
		stop_feed();
		reopen();
		ticks(i * 1000 + 500, 500);
		feed_from(false);
	}
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.entries, 5000);
	ck_assert_uint_eq(seen.next, 5000);
}

/* A feed may stop before it has made a block. */
TEST(what_came_before_its_first_block_is_not_forgotten)
{
	struct seen seen = { 0 };

	feed_from(false);
	stop_feed();
	reopen();
	ticks(0, 100);
	feed_from(false);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.entries, 100);
}

TEST(what_was_overwritten_meanwhile_is_counted)
{
	struct seen seen = { 0 };

	fixture_close();
	make_timeline(1024);
	feed_from(false);
	ticks(0, 10);
	stop_feed();
	ticks(10, 50000);
	feed_from(false);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_gt(seen.lost, 0);
	ck_assert_uint_eq(seen.entries + seen.lost, 50010);
}

/*
 * A block that replaces dropped blocks holds their place and their number of
 * entries in the chain.
 */
TEST(what_stands_for_dropped_blocks_goes_on_where_they_did, .to = 2)
{
	const char *const folders[] = { folder, NULL };
	struct seen seen = { 0 };

	tl_spool_free(spool);
	ck_assert_int_eq(try_open(folders[_i], 12 * 4096, &spool), 0);
	feed_from(false);
	ticks(0, 20000);
	stop_feed();
	ck_assert_uint_gt(status().dropped_blocks, 2);
	take_all(&seen);
	ck_assert_uint_gt(seen.blocks, 1);
	ck_assert_uint_eq(seen.lost, status().dropped);
	ck_assert_uint_eq(seen.entries + seen.lost, 20000);
}

TEST(a_timeline_made_again_is_taken_from_its_first_entry)
{
	struct seen seen = { 0 };

	feed_from(false);
	ticks(0, 1000);
	stop_feed();
	fixture_close();
	make_timeline(1 << 16);
	/* the old positions would be valid in the new timeline, too */
	ticks(5000, 3000);
	feed_from(false);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.entries, 4000);
	ck_assert_uint_eq(seen.lost, 0);
	ck_assert_uint_eq(seen.next, 8000);
}

/*
 * A block that cannot be written is left out, and the chain continues before
 * it.
 */
TEST(a_full_disk_loses_nothing)
{
	const struct rlimit none = { 100, RLIM_INFINITY };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct seen seen = { 0 };

	signal(SIGXFSZ, SIG_IGN);
	feed_from(false);
	ticks(0, 1000);
	stop_feed();
	feed_from(false);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	ticks(1000, 1000);
	stop_feed();
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
	feed_from(false);
	stop_feed();
	take_all(&seen);
	ck_assert_uint_eq(seen.entries + seen.lost, 2000);
}

TEST(positions_are_read_as_they_are_written)
{
	const uint64_t given[] = { 0, 17, UINT64_MAX };
	static const char *const bad[] = { "", " ", "0", "0:", ":1", "1:1",
		"0:1 2:1", "0:1,1:1", "0:-1", "0:18446744073709551616",
		"0:1  1:1", "0:1 1", "0x0:1", "0:0x1",
		"0:99999999999999999999999999999" };
	struct tl_text text = { 0 };
	uint64_t *read;
	size_t count;

	tl_put_positions(&text, given, 3);
	ck_assert_str_eq(tl_text_string(&text),
	    "0:0 1:17 2:18446744073709551615");
	ck_assert_ok(tl_parse_positions(tl_text_string(&text), &read, &count));
	ck_assert_uint_eq(count, 3);
	ck_assert_int_eq(memcmp(read, given, sizeof(given)), 0);
	free(read);
	tl_text_free(&text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(tl_parse_positions(bad[i], &read, &count) ==
				  -EINVAL,
		    "%s", bad[i]);
}
