/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c - traces are found in a stream, whatever else the stream holds. */
#include "trace/chain/blocks.h"
#include "chain_fixture.h"
#include "lib/test.h"

enum { TRACES = 3, FOUND_MAX = 8 };

struct found {
	uint64_t at[FOUND_MAX];
	uint64_t size[FOUND_MAX];
	bool whole[FOUND_MAX];
	size_t count;
	uint64_t damage;
};

static struct tl_text traces[TRACES];
static uint64_t starts[TRACES + 1];
static struct tl_text stream;

static void
setup(void)
{
	struct timeline t = make_timeline("alpha", 9, 90, 30);

	ck_assert_uint_ge(t.block_count, TRACES);
	for (unsigned i = 0; i < TRACES; i++) {
		traces[i] = t.blocks[i];
		t.blocks[i] = (struct tl_text){ 0 };
		starts[i] = stream.size;
		tl_put_bytes(&stream, bytes_of(&traces[i]));
	}
	starts[TRACES] = stream.size;
	free_timeline(&t);
}

static void
teardown(void)
{
	for (unsigned i = 0; i < TRACES; i++)
		tl_text_free(&traces[i]);
	tl_text_free(&stream);
}

static void
take(struct found *found, const struct tl_blocks_trace *trace)
{
	ck_assert_uint_lt(found->count, FOUND_MAX);
	found->at[found->count] = trace->at;
	found->size[found->count] = trace->size;
	found->whole[found->count++] = trace->whole;
}

/* Find the traces in a stream that grows by step bytes at a time. */
static struct found
find_in(struct tl_bytes bytes, uint64_t step)
{
	const struct tl_trace_report report = { count_fault, NULL };
	const int fd = tl_file_unnamed();
	struct found found = { .count = 0 };
	struct tl_blocks blocks;
	uint64_t size = 0;
	int rc = 0;

	ck_assert_ok(tl_write_all(fd, bytes.data, bytes.size));
	fault_count = 0;
	ck_assert_ok(tl_blocks_init(&blocks, fd, &report));
	do {
		size = bytes.size - size < step ? bytes.size : size + step;
		while ((rc = tl_blocks_next(&blocks, size,
			    size == bytes.size)) > 0)
			take(&found, &blocks.trace);
		ck_assert_int_eq(rc, 0);
	} while (size < bytes.size);
	found.damage = blocks.damage;
	ck_assert_uint_eq(found.damage, fault_count);
	tl_blocks_free(&blocks);
	close(fd);
	return found;
}

static bool
has_trace(const struct found *found, unsigned i)
{
	for (size_t k = 0; k < found->count; k++)
		if (found->at[k] == starts[i] && found->whole[k] &&
		    found->size[k] == starts[i + 1] - starts[i])
			return true;
	return false;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(traces_are_found_however_their_bytes_come)
{
	for (uint64_t step = 1; step < 5000; step = step * 3 + 1) {
		const struct found found = find_in(bytes_of(&stream), step);

		ck_assert_uint_eq(found.count, TRACES);
		for (unsigned i = 0; i < TRACES; i++)
			ck_assert(has_trace(&found, i));
		ck_assert_uint_eq(found.damage, 0);
	}
}

TEST(a_trace_is_given_as_soon_as_its_last_byte_has_come)
{
	const struct tl_trace_report nobody = { NULL, NULL };
	const int fd = tl_file_unnamed();
	struct tl_blocks blocks;

	append(fd, &stream);
	ck_assert_ok(tl_blocks_init(&blocks, fd, &nobody));
	ck_assert_int_eq(tl_blocks_next(&blocks, starts[1] - 1, false), 0);
	ck_assert_int_eq(tl_blocks_next(&blocks, starts[1], false), 1);
	ck_assert_int_eq(tl_blocks_next(&blocks, starts[1], false), 0);
	tl_blocks_free(&blocks);
	close(fd);
}

/* Damage to any byte of one trace hides none of the other traces. */
TEST(damage_costs_no_other_trace)
{
	for (uint64_t at = starts[1]; at < starts[2]; at++) {
		struct found found;

		stream.data[at] ^= 0x55;
		found = find_in(bytes_of(&stream), stream.size);
		stream.data[at] ^= 0x55;
		ck_assert_msg(has_trace(&found, 0) && has_trace(&found, 2),
		    "byte %lu", (unsigned long)at);
		ck_assert(!has_trace(&found, 1));
	}
}

TEST(a_trace_that_was_cut_off_costs_no_other)
{
	for (uint64_t size = 0; size < traces[1].size; size += 7) {
		struct tl_text cut = { 0 };
		struct found found;

		tl_put_bytes(&cut, bytes_of(&traces[0]));
		tl_put_bytes(&cut, tl_bytes(traces[1].data, size));
		tl_put_bytes(&cut, bytes_of(&traces[2]));
		found = find_in(bytes_of(&cut), cut.size);
		ck_assert(has_trace(&found, 0));
		ck_assert_uint_eq(found.size[found.count - 1], traces[2].size);
		ck_assert(found.whole[found.count - 1]);
		tl_text_free(&cut);
	}
}

TEST(a_trace_inside_of_a_message_is_none)
{
	const struct tl_trace_options plain = { .strategy =
						    TL_TRACE_STREAMING };
	struct tl_trace_options options = plain;
	struct made made = { 0 };
	struct tl_trace_writer *writer;
	struct found found;

	made_begin(&made, &options, &writer);
	ck_assert_ok(tl_trace_write_info(writer, tl_bytes_of("trap"),
	    bytes_of(&traces[0])));
	made_end(writer);
	found = find_in(bytes_of(&made.data), made.data.size);
	ck_assert_uint_eq(found.count, 1);
	ck_assert_uint_eq(found.size[0], made.data.size);
	made_free(&made);
}

TEST(what_is_of_no_trace_is_said_with_its_place)
{
	struct tl_text noisy = { 0 };
	struct found found;

	tl_put_string(&noisy, "noise");
	tl_put_bytes(&noisy, bytes_of(&traces[0]));
	tl_put_string(&noisy, "\x89TLTRACE");
	tl_put_bytes(&noisy, bytes_of(&traces[1]));
	tl_put_string(&noisy, "\x89TL");
	found = find_in(bytes_of(&noisy), 11);
	ck_assert_uint_eq(found.count, 2);
	/* the trace of an unknown version counts as damage */
	ck_assert_uint_eq(found.damage, 4);
	ck_assert_uint_eq(found.at[0], 5);
	tl_text_free(&noisy);
}

/* Valid headers with large claims take time only for their number. */
TEST(headers_that_claim_much_do_not_take_for_ever)
{
	const struct tl_trace_header header = { .id = { 1 } };
	const struct tl_trace_block block = { .stored = 12 << 20,
		.size = 12 << 20,
		.min_ns = 1,
		.max_ns = 1 };
	uint8_t bytes[TL_TRACE_HEADER_SIZE];
	struct tl_text claims = { 0 };
	char *zeros = calloc(1, 13 << 20);

	tl_trace_header_put(bytes, &header);
	tl_put_bytes(&claims, tl_bytes(bytes, sizeof(bytes)));
	for (unsigned i = 0; i < 20000; i++) {
		tl_trace_block_put(bytes, &block, tl_trace_seed(&header));
		tl_put_bytes(&claims, tl_bytes(bytes, TL_TRACE_BLOCK_HEADER));
	}
	tl_put_bytes(&claims, tl_bytes(zeros, 13 << 20));
	find_in(bytes_of(&claims), claims.size);
	tl_text_free(&claims);
	free(zeros);
}
