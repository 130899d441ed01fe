/* SPDX-License-Identifier: Apache-2.0 */
/*
 * container.c - the encoding: numbers, checksums, headers, cells, objects, and
 * the two kinds of offsets.
 */
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/layout.h"
#include "trace/point.h"

enum { ROUNDS = 5000 };

TEST_FILE(.timeout = 60);

TEST(numbers_are_big_endian_as_java_writes_them)
{
	static const uint8_t expected[] = { 0x01, 0x12, 0x34, 0xff, 0xff, 0xff,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 2, 'o', 'k', 0, 0, 0, 1,
		'x', 0xac, 0x02, 0x01 };
	uint8_t bytes[64];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	struct tl_data_in in;
	uint8_t *end;

	tl_data_put_u8(&out, 1);
	tl_data_put_u16(&out, 0x1234);
	tl_data_put_i32(&out, -2);
	tl_data_put_i64(&out, INT64_MIN);
	tl_data_put_utf(&out, tl_bytes_of("ok"));
	tl_data_put_u32(&out, 1);
	tl_data_put_u8(&out, 'x');
	ck_assert(!out.full);
	end = tl_data_write_varint(bytes + out.size, 300);
	out.size = (size_t)(tl_data_write_folded(end, -1) - bytes);
	ck_assert_uint_eq(out.size, sizeof(expected));
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
	in = tl_data_in(bytes, out.size);
	ck_assert_uint_eq(tl_data_u8(&in), 1);
	ck_assert_uint_eq(tl_data_u16(&in), 0x1234);
	ck_assert_int_eq(tl_data_i32(&in), -2);
	ck_assert_int_eq(tl_data_i64(&in), INT64_MIN);
	ck_assert(tl_bytes_equal(tl_data_utf(&in), tl_bytes_of("ok")));
	ck_assert(tl_bytes_equal(tl_data_text(&in), tl_bytes_of("x")));
	ck_assert_uint_eq(tl_data_varint(&in), 300);
	ck_assert_int_eq(tl_data_folded(&in), -1);
	ck_assert(!in.bad);
	ck_assert_uint_eq(tl_data_u8(&in), 0);
	ck_assert(in.bad);
}

TEST(a_varint_has_at_most_64_bits)
{
	static const uint64_t numbers[] = { 0, 127, 128, 16383, 16384,
		UINT32_MAX, UINT64_MAX, INT64_MAX, 1 };
	static const uint8_t bad[][TL_VARINT_MAX + 1] = {
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2 },
		{ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81,
		    0 },
	};

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		uint8_t bytes[TL_VARINT_MAX];
		const size_t all =
		    (size_t)(tl_data_write_varint(bytes, numbers[i]) - bytes);
		struct tl_data_in in;

		for (size_t size = 0; size <= all; size++) {
			in = tl_data_in(bytes, size);
			if (size == all)
				ck_assert_uint_eq(tl_data_varint(&in),
				    numbers[i]);
			else
				tl_data_varint(&in);
			ck_assert_int_eq(in.bad, size < all);
		}
		ck_assert_int_eq(tl_data_unfold(
				     tl_data_fold((int64_t)numbers[i])),
		    (int64_t)numbers[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct tl_data_in in = tl_data_in(bad[i], sizeof(bad[i]));

		tl_data_varint(&in);
		ck_assert(in.bad);
	}
}

TEST(checksums_are_those_of_rfc_3720)
{
	uint8_t bytes[48];
	uint64_t seed = 1;

	memset(bytes, 0, 32);
	ck_assert_uint_eq(tl_crc32c(0, "123456789", 9), 0xe3069283);
	ck_assert_uint_eq(tl_crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, 32);
	ck_assert_uint_eq(tl_crc32c(0, bytes, 32), 0x62a8ab43);
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	ck_assert_uint_eq(tl_crc32c(0, bytes, 32), 0x46dd794e);
	for (unsigned i = 0; i < 1000; i++) {
		const size_t size = random_below(&seed, sizeof(bytes));
		const size_t cut = random_below(&seed, size + 1);
		uint32_t crc;

		for (size_t k = 0; k < size; k++)
			bytes[k] = (uint8_t)random_next(&seed);
		crc = tl_crc32c(0, bytes, size);
		ck_assert_uint_eq(crc, tl_crc32c_by_table(0, bytes, size));
		ck_assert_uint_eq(crc,
		    tl_crc32c(tl_crc32c_by_table(0, bytes, cut), bytes + cut,
			size - cut));
	}
}

TEST(a_cell_has_21_bytes)
{
	static const uint8_t expected[TL_CELL_SIZE] = { 8, 0xff, 0xff, 0xff,
		0xff, 0, 0, 0, 0, 0, 0, 1, 2, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff };
	const struct tl_cell cell = { 8, -1, 0x102, -1 };
	uint8_t bytes[TL_CELL_SIZE];
	struct tl_cell read;

	tl_cell_put(bytes, &cell);
	ck_assert_mem_eq(bytes, expected, sizeof(expected));
	read = tl_cell_get(bytes);
	ck_assert_int_eq(read.kind, 8);
	ck_assert_int_eq(read.id, -1);
	ck_assert_int_eq(read.start, 0x102);
	ck_assert_int_eq(read.end, -1);
}

/* Change one byte of a header, and repair its checksum if asked. */
static int
read_changed(size_t at, uint8_t value, bool repair)
{
	const struct tl_trace_header header = { .codec = 1, .incompat = 1 };
	uint8_t bytes[TL_TRACE_HEADER_SIZE];
	struct tl_trace_header read;
	struct tl_fault fault = { 0 };
	struct tl_data_out out = { .data = bytes + 60, .capacity = 4 };
	int rc;

	tl_trace_header_put(bytes, &header);
	bytes[at] ^= value;
	if (repair)
		tl_data_put_u32(&out, tl_crc32c(0, bytes, 60));
	rc = tl_trace_header_get(&read, tl_bytes(bytes, sizeof(bytes)), &fault);
	ck_assert((rc < 0) == (fault.text[0] != '\0'));
	return rc;
}

TEST(a_header_of_another_version_or_unknown_features_is_refused)
{
	ck_assert_int_eq(read_changed(0, 0, false), 0);
	ck_assert_int_eq(read_changed(0, 1, false), -EBADMSG);
	ck_assert_int_eq(read_changed(15, 2, true), -EPROTO);
	/* a compatible feature */
	ck_assert_int_eq(read_changed(23, 1, true), 0);
	/* the features of proofs and of what ends say */
	ck_assert_int_eq(read_changed(31, 2, true), 0);
	ck_assert_int_eq(read_changed(31, 4, true), 0);
	ck_assert_int_eq(read_changed(31, 8, true), -EPROTO);
	ck_assert_int_eq(read_changed(40, 1, false), -EBADMSG);
}

TEST(a_header_of_a_block_is_only_taken_whole)
{
	const struct tl_trace_block block = { .thread = 5,
		.flags = TL_BLOCK_PACKED,
		.stored = 10,
		.size = 20,
		.logical = 1ull << 40,
		.depth = 3,
		.events = 2,
		.min_ns = -5,
		.max_ns = INT64_MAX,
		.crc = 77 };
	uint8_t bytes[TL_TRACE_BLOCK_HEADER];
	struct tl_trace_block read;

	tl_trace_block_put(bytes, &block, 99);
	ck_assert(tl_trace_block_get(&read, bytes, 99));
	ck_assert_int_eq(read.thread, 5);
	ck_assert_uint_eq(read.logical, block.logical);
	ck_assert_int_eq(read.min_ns, -5);
	ck_assert_uint_eq(read.crc, 77);
	ck_assert(!tl_trace_block_get(&read, bytes, 98));
	for (unsigned i = 0; i < sizeof(bytes) * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		ck_assert(!tl_trace_block_get(&read, bytes, 99));
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
	}
}

/* Draw the begin that an end states; the begin may be the last event. */
static void
random_begun(uint64_t *seed, const struct tl_point_state *last,
    struct tl_event *e)
{
	e->begun = (uint8_t)random_below(seed, 4);
	if (e->proven && e->begun != TL_BEGUN_UNSURE)
		e->begun = TL_BEGUN_UNKNOWN;
	if (!tl_event_is_stamped(e))
		return;
	e->begun_tsc = random_below(seed, 2) ? random_next(seed) : last->tsc;
	e->begun_ns =
	    random_below(seed, 2) ? (int64_t)random_next(seed) : last->ns;
	e->duration_ns = (int64_t)(random_next(seed) >> 1);
	if (random_below(seed, 2) == 0)
		e->duration_ns =
		    (int64_t)(((uint64_t)e->ns - (uint64_t)e->begun_ns) &
			      INT64_MAX);
}

static struct tl_point
random_point(uint64_t *seed, const struct tl_point_state *last)
{
	static const uint8_t whats[] = { [TL_TRACE_POINT] = TL_INSTANT,
		[TL_TRACE_LOSS] = TL_LOST,
		[TL_TRACE_SPAN] = TL_BEGIN,
		[TL_TRACE_FOOTER] = TL_END };
	struct tl_point p = {
		.kind = (uint8_t)(TL_TRACE_POINT + random_below(seed, 4)),
	};
	struct tl_event *e = &p.event;

	e->kind = whats[p.kind];
	e->ns = (int64_t)random_next(seed);
	e->tsc = random_next(seed) >> random_below(seed, 64);
	e->number = random_next(seed) >> random_below(seed, 64);
	e->cpu = (uint32_t)random_next(seed);
	e->pid = (uint32_t)random_below(seed, 3);
	e->tid = (uint32_t)random_next(seed);
	e->epoch = (uint32_t)random_below(seed, 2);
	e->lane = (uint32_t)random_below(seed, 2);
	e->error_ns = (uint32_t)random_next(seed);
	e->bare = (e->kind == TL_INSTANT || e->kind == TL_END) &&
		  random_below(seed, 2);
	e->proven =
	    (e->kind == TL_BEGIN || e->kind == TL_END) && random_below(seed, 2);
	if (e->kind == TL_END)
		random_begun(seed, last, e);
	e->continued = e->kind == TL_BEGIN && random_below(seed, 2);
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		e->args[i] = random_below(seed, 3)
				 ? random_next(seed) >> random_below(seed, 64)
				 : 0;
	if (p.kind == TL_TRACE_LOSS) {
		e->lost = random_next(seed);
		e->overwritten = random_below(seed, 2);
		e->unread = random_below(seed, 2);
		e->level = (uint8_t)random_below(seed, 10);
	} else {
		p.message = (uint32_t)random_next(seed);
	}
	if (p.kind == TL_TRACE_FOOTER) {
		p.silent = !tl_event_is_stamped(e) &&
			   e->begun == TL_BEGUN_UNKNOWN &&
			   random_below(seed, 2);
		p.children = random_next(seed);
		p.size = random_next(seed) >> random_below(seed, 64);
	}
	return p;
}

TEST(any_object_is_read_as_it_was_written_and_none_that_is_cut)
{
	struct tl_point_state out_state = { 0 }, in_state = { 0 };
	uint64_t seed = 3;

	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct tl_point p = random_point(&seed, &out_state);
		uint8_t bytes[TL_POINT_SIZE_MAX];
		struct tl_data_out out = { .data = bytes,
			.capacity = sizeof(bytes) };
		struct tl_data_in in;
		struct tl_point read;

		tl_point_put(&out, &out_state, &p);
		ck_assert(!out.full);
		ck_assert_uint_ge(out.size, TL_POINT_SIZE_MIN);
		for (size_t size = 0; size < out.size; size++) {
			struct tl_point_state state = in_state;

			in = tl_data_in(bytes, size);
			ck_assert_int_eq(tl_point_get(&read, &state, &in),
			    -EBADMSG);
		}
		in = tl_data_in(bytes, out.size);
		ck_assert_ok(tl_point_get(&read, &in_state, &in));
		ck_assert_uint_eq(in.at, out.size);
		ck_assert_mem_eq(&read.event, &p.event, sizeof(p.event));
		ck_assert_uint_eq(read.kind, p.kind);
		ck_assert_uint_eq(read.message, p.message);
		ck_assert_uint_eq(read.children, p.children);
		ck_assert_uint_eq(read.size, p.size);
		ck_assert_int_eq(read.silent, p.silent);
	}
}

TEST(a_begin_may_be_continued_and_nothing_else_has_its_bit)
{
	static const uint8_t begin[] = { TL_TRACE_SPAN, 0x80, 0x20, 7, 0 };
	static const uint8_t instant[] = { TL_TRACE_POINT, 0x80, 0x10, 7, 0 };
	struct tl_point_state state = { 0 };
	struct tl_data_in in = tl_data_in(begin, sizeof(begin));
	struct tl_point point;

	ck_assert_ok(tl_point_get(&point, &state, &in));
	ck_assert(point.event.continued);
	ck_assert_uint_eq(in.at, sizeof(begin));
	in = tl_data_in(instant, sizeof(instant));
	ck_assert_int_eq(tl_point_get(&point, &state, &in), -EBADMSG);
}

TEST(large_containers_have_cells_and_many_children_marks)
{
	struct tl_shape shape;
	struct tl_cell cell;

	ck_assert_ok(tl_shape_init(&shape));
	ck_assert_ok(tl_shape_reserve(&shape));
	tl_shape_child(&shape, 0);
	tl_shape_begin(&shape, 10, 0);
	tl_shape_child(&shape, 10);
	tl_shape_begin(&shape, 20, 0);
	tl_shape_end(&shape, 20 + TL_TRACE_CELL_MIN - 1);
	ck_assert_uint_eq(shape.cells_size, 0); /* too small */
	tl_shape_child(&shape, 10 + TL_TRACE_MARK_EVERY);
	ck_assert_uint_eq(shape.cells_size, TL_CELL_SIZE);
	cell = tl_cell_get(shape.cells);
	ck_assert_int_eq(cell.kind, TL_TRACE_MARK);
	ck_assert_int_eq(cell.id, 1);
	ck_assert_int_eq(cell.start, 10 + TL_TRACE_MARK_EVERY);
	ck_assert_int_eq(cell.end, 1);
	tl_shape_end(&shape, 99999);
	cell = tl_cell_get(shape.cells + TL_CELL_SIZE);
	ck_assert_int_eq(cell.kind, TL_TRACE_SPAN);
	ck_assert_int_eq(cell.id, 0);
	ck_assert_int_eq(cell.start, 10);
	ck_assert_int_eq(cell.end, 99999);
	tl_shape_free(&shape);
}
