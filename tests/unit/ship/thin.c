/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thin.c - a full spool drops details first: the rest of a block, its infos,
 * and the counts.
 */
#include "lib/test.h"
#include "ship/block.h"
#include "ship_spool_fixture.h"

#include <string.h>

enum {
	PAGE = 4096,
	DETAIL = 3000, /* entries of a block below warning */
	WARNINGS = 40, /* entries of a block from warning on */
	MISSING = 7,   /* entries missing before a block */
	BLOCKS = 24
};

static const int64_t block_ns = 1000000;

/* == a block of many levels == */

static struct tl_message messages[TIMELINE_LEVEL_NONE];

static void
define_messages(void)
{
	for (unsigned level = 1; level < TIMELINE_LEVEL_NONE; level++) {
		struct tl_message *m = &messages[level];

		ck_assert_ok(
		    tl_message_parse(m, tl_bytes_of("tick $n of $text%s")));
		m->category = tl_bytes_of("test");
		m->kind =
		    level == 8 ? TIMELINE_RECORD_SPAN : TIMELINE_RECORD_INSTANT;
		m->level = (uint8_t)level;
		m->strings = &tl_trace_own_strings;
	}
}

/* Entry i: some of the entries are warnings, and some of these are spans. */
static struct tl_event
event_of(uint64_t i, int64_t from_ns, uint64_t text)
{
	const bool kept = i % (DETAIL / WARNINGS) == DETAIL / WARNINGS / 2;
	const uint8_t level = kept ? (uint8_t)(7 + i / (DETAIL / WARNINGS) % 3)
				   : (uint8_t)(1 + i % 6);

	return (struct tl_event){ .kind = level != 8 ? TL_INSTANT
					  : i % 2    ? TL_BEGIN
						     : TL_END,
		.message = &messages[level],
		.level = level,
		.ns = from_ns + (int64_t)i,
		.args = { i, text },
		.pid = 10,
		.tid = i % 2 ? 10 : 11 };
}

static void
make_mixed(struct tl_text *text, struct tl_block *block, int64_t from_ns,
    const char *positions)
{
	const struct tl_trace_options options = { .data = ship_append,
		.context = text,
		.created_ns = from_ns };
	struct tl_trace_stream *streams[2];
	struct tl_trace_writer *writer;
	uint64_t number;
	char words[32];

	snprintf(words, sizeof(words), "%llu",
	    (unsigned long long)block->number);
	ck_assert_ok(tl_trace_writer_new(&writer, &options));
	ship_info(writer, "host", block->host);
	ship_info(writer, "timeline", block->timeline);
	ship_info(writer, TL_INFO_CHAIN, block->chain);
	ship_info(writer, TL_INFO_BLOCK, words);
	ship_info(writer, TL_INFO_IDENTITY, "identity");
	ship_info(writer, TL_INFO_POSITIONS, positions);
	ship_info(writer, TL_INFO_BEGINS, "0:1");
	ship_loss(writer, from_ns, MISSING);
	ck_assert_ok(
	    tl_trace_write_string(writer, tl_bytes_of("a text"), &number));
	ck_assert_ok(tl_trace_write_process(writer, 10, tl_bytes_of("prog")));
	for (uint32_t i = 0; i < 2; i++)
		ck_assert_ok(tl_trace_stream_new(&streams[i], writer, 10,
		    11 - i, tl_bytes_of("thread")));
	block->entries = DETAIL;
	block->lost = MISSING;
	for (uint64_t i = 0; i < block->entries; i++) {
		const struct tl_event e = event_of(i, from_ns, number);

		ck_assert_ok(tl_trace_stream_put(streams[i % 2], &e));
	}
	ck_assert_ok(tl_trace_writer_finish(writer));
	tl_trace_writer_free(writer);
	block->from_ns = from_ns;
	block->to_ns = from_ns + DETAIL - 1;
	block->data = tl_bytes(text->data, text->size);
}

static bool
is_kept(uint64_t i)
{
	return event_of(i, 0, 0).level >= TIMELINE_LEVEL_KEEP;
}

static uint64_t
count_kept(void)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < DETAIL; i++)
		count += is_kept(i);
	return count;
}

/* == the rest of a block == */

static void
expect_events(struct tl_bytes data, int64_t from_ns)
{
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	struct tl_cursor *cursor;
	struct tl_event event;
	uint64_t i = 0, lost = 0;

	ck_assert_ok(tl_block_open(&trace, data, &fault));
	ck_assert_ok(tl_trace_cursor(trace, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &event) > 0) {
		if (event.kind == TL_LOST) {
			/* the loss comes first */
			ck_assert_int_eq(event.ns, from_ns);
			lost += event.lost;
			continue;
		}
		while (!is_kept(i))
			i++;
		{
			const struct tl_event e = event_of(i, from_ns, 0);
			const struct tl_strings *s = event.message->strings;

			ck_assert_int_eq(event.ns, e.ns);
			ck_assert_uint_eq(event.level, e.level);
			ck_assert_uint_eq(event.kind, e.kind);
			ck_assert_uint_eq(event.tid, e.tid);
			ck_assert_uint_eq(event.args[0], i++);
			ck_assert(tl_bytes_equal(s->get(s, event.args[1]),
			    tl_bytes_of("a text")));
		}
	}
	while (i < DETAIL && !is_kept(i))
		i++;
	ck_assert_uint_eq(i, DETAIL);
	ck_assert_uint_eq(lost, DETAIL - count_kept() + MISSING);
	ck_assert(tl_bytes_equal(tl_trace_thread(trace, 1)->command,
	    tl_bytes_of("prog")));
	tl_cursor_close(cursor);
	tl_trace_close(trace);
}

TEST_FILE(.setup = ship_setup, .teardown = ship_teardown,
    .once = define_messages);

TEST(what_is_left_is_all_from_warning_up)
{
	struct tl_block block = { .host = "host",
		.timeline = "app",
		.chain = "0123456789abcdef0123456789abcdef",
		.number = 17 };
	struct tl_text text = { 0 }, thin = { 0 }, again = { 0 };
	struct tl_block_facts facts = { 0 }, reported = { 0 }, twice = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_bytes data;

	make_mixed(&text, &block, block_ns, "0:99");
	ck_assert_ok(tl_block_thin(&thin, &facts, block.data));
	ck_assert_uint_lt(thin.size * 4, text.size);
	ck_assert_uint_eq(facts.block.entries, count_kept());
	ck_assert_uint_eq(tl_levels_total(facts.thinned),
	    DETAIL - count_kept());
	data = tl_bytes(thin.data, thin.size);
	ck_assert_msg(tl_block_describe(&reported, data, &fault) == 0, "%s",
	    fault.text);
	ck_assert_uint_eq(reported.block.entries, count_kept());
	ck_assert_uint_eq(reported.block.lost, DETAIL - count_kept() + MISSING);
	ck_assert_uint_eq(reported.block.number, 17);
	ck_assert_str_eq(reported.block.chain, block.chain);
	ck_assert_str_eq(reported.identity, "identity");
	ck_assert_str_eq(tl_text_string(&reported.positions), "0:99");
	ck_assert_str_eq(tl_text_string(&reported.begins), "0:1");
	ck_assert_mem_eq(reported.thinned, facts.thinned,
	    sizeof(reported.thinned));
	expect_events(data, block_ns);
	ck_assert_int_eq(tl_block_thin(&again, &twice, data), -EALREADY);
	tl_block_facts_free(&facts);
	tl_block_facts_free(&reported);
	tl_block_facts_free(&twice);
	tl_text_free(&text);
	tl_text_free(&thin);
	tl_text_free(&again);
}

/* == a spool that is full == */

static void
put_mixed(struct tl_spool_chain *chain)
{
	struct tl_block block = { .host = "host",
		.timeline = "app",
		.number = tl_spool_chain_next(chain) };
	struct tl_text text = { 0 };

	strcpy(block.chain, tl_spool_chain_name(chain));
	make_mixed(&text, &block, (int64_t)block.number * block_ns, "0:1");
	ck_assert_ok(tl_spool_put(chain, &block, "0:1"));
	tl_text_free(&text);
}

static void
open_full(bool in_memory, uint64_t size_max)
{
	ck_assert_int_eq(try_open(in_memory ? NULL : folder, size_max, &spool),
	    0);
	for (int i = 0; i < BLOCKS; i++)
		put_mixed(chain_of("app"));
}

/* Take all blocks; returns the number of their entries. */
static uint64_t
take_all(uint64_t *lost)
{
	struct tl_block block;
	uint64_t entries = 0;

	*lost = 0;
	while (tl_spool_take(spool, &block) == 0) {
		entries += block.entries;
		*lost += block.lost;
		tl_spool_give(spool, 0);
		tl_spool_acked(spool, block.chain, block.number);
	}
	return entries;
}

/* The size of a block with all details. */
static uint64_t
size_of_one(void)
{
	struct tl_block block = { .host = "host",
		.timeline = "app",
		.chain = "0123456789abcdef0123456789abcdef" };
	struct tl_text text = { 0 };
	uint64_t size;

	make_mixed(&text, &block, block_ns, "0:99");
	size = (text.size + PAGE - 1) / PAGE * PAGE;
	tl_text_free(&text);
	return size;
}

/* _i 1: the spool is in memory */
TEST(no_warning_goes_while_there_is_detail, .to = 2)
{
	uint64_t lost, entries;
	struct tl_spool_status s;

	/* too little for all blocks with details, enough for all without */
	open_full(_i & 1, (BLOCKS + 30) * PAGE);
	s = status();
	ck_assert_uint_eq(s.dropped_blocks, 0);
	ck_assert_uint_gt(s.thinned_blocks, BLOCKS / 2);
	ck_assert_uint_eq(s.blocks, BLOCKS);
	ck_assert_uint_eq(s.dropped,
	    s.thinned_blocks * (DETAIL - count_kept()));
	ck_assert_uint_eq(tl_levels_total(s.dropped_by), s.dropped);
	for (unsigned level = TIMELINE_LEVEL_KEEP; level < TIMELINE_LEVEL_NONE;
	     level++)
		ck_assert_uint_eq(s.dropped_by[level], 0);
	entries = take_all(&lost);
	ck_assert_uint_eq(entries + s.dropped, BLOCKS * DETAIL);
	ck_assert_uint_eq(lost, BLOCKS * MISSING + s.dropped);
	tl_spool_free(spool);
}

TEST(blocks_go_when_no_detail_is_left, .to = 2)
{
	const uint64_t size_max = size_of_one() + 4 * PAGE;
	uint64_t lost, entries, kept = 0;
	struct tl_spool_status s;

	/* one block with details, and a few without */
	open_full(_i & 1, size_max);
	s = status();
	ck_assert_uint_gt(s.dropped_blocks, 0);
	ck_assert_uint_le(s.size, size_max);
	ck_assert_uint_eq(tl_levels_total(s.dropped_by), s.dropped);
	for (unsigned level = TIMELINE_LEVEL_KEEP; level < TIMELINE_LEVEL_NONE;
	     level++)
		kept += s.dropped_by[level];
	ck_assert_uint_eq(kept, s.dropped_blocks * count_kept());
	ck_assert_uint_eq(s.dropped_by[0], s.dropped_blocks * MISSING);
	entries = take_all(&lost);
	ck_assert_uint_eq(entries + s.dropped,
	    BLOCKS * DETAIL + s.dropped_blocks * MISSING);
	ck_assert_uint_eq(entries + lost, BLOCKS * (DETAIL + MISSING));
	tl_spool_free(spool);
}

TEST(another_process_knows_what_is_thin)
{
	uint64_t lost, entries;

	open_full(false, (BLOCKS + 30) * PAGE);
	tl_spool_free(spool);
	ck_assert_int_eq(try_open(folder, ROOM, &spool), 0);
	ck_assert_uint_eq(status().blocks, BLOCKS);
	entries = take_all(&lost);
	ck_assert_uint_eq(entries + lost, BLOCKS * (DETAIL + MISSING));
	ck_assert_uint_eq(said, 0);
	tl_spool_free(spool);
}

/* The target would receive the block twice, with different content. */
TEST(what_the_target_may_have_stays_as_it_is)
{
	struct tl_block block;
	uint64_t before;

	ck_assert_int_eq(try_open(folder, (BLOCKS + 30) * PAGE, &spool), 0);
	put_mixed(chain_of("app"));
	ck_assert_ok(tl_spool_take(spool, &block));
	before = block.data.size;
	tl_spool_give(spool, 0);
	tl_spool_disconnected(spool);
	for (int i = 1; i < BLOCKS; i++)
		put_mixed(chain_of("app"));
	ck_assert_uint_gt(status().thinned_blocks, 0);
	ck_assert_ok(tl_spool_take(spool, &block));
	ck_assert_uint_eq(block.number, 0);
	ck_assert_uint_eq(block.data.size, before);
	ck_assert_uint_eq(block.entries, DETAIL);
	tl_spool_free(spool);
}

TEST(a_block_too_large_for_the_target_goes_without_detail)
{
	struct tl_block block;

	ck_assert_int_eq(try_open(folder, ROOM, &spool), 0);
	put_mixed(chain_of("app"));
	ck_assert_ok(tl_spool_take(spool, &block));
	tl_spool_reject(spool);
	ck_assert_ok(tl_spool_take(spool, &block));
	ck_assert_uint_eq(block.number, 0);
	ck_assert_uint_eq(block.entries, count_kept());
	tl_spool_reject(spool); /* still too large: the block is dropped */
	ck_assert_ok(tl_spool_take(spool, &block));
	ck_assert_uint_eq(block.entries, 0);
	ck_assert_uint_eq(block.lost, DETAIL + MISSING);
	ck_assert_uint_eq(status().dropped, DETAIL + MISSING);
	tl_spool_free(spool);
}
