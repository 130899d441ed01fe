/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_write.c - Lincheck traces that are written from the events of
 * timelines; and the index, cell by cell.
 */
#include "format/lincheck/lincheck.h"
#include "lib/lincheck.h"
#include "lib/test.h"

#include <errno.h>
#include <unistd.h>

static struct foreign f;
static struct tl_message message;

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n == 1 ? tl_bytes_of("first") : tl_bytes(NULL, 0);
}

static const struct tl_strings strings = { get_string };

static void
start_writer(void)
{
	foreign_init(&f);
	ck_assert_ok(tl_lincheck_write_new(&f.writer, foreign_write, &f.out,
	    &f.noted.report));
}

static void
define(uint8_t kind, uint8_t scope, const char *text)
{
	message = (struct tl_message){ .category = tl_bytes_of("net"),
		.kind = kind,
		.scope = scope,
		.strings = &strings,
		.level = (uint8_t)tl_level_parse("info") };
	ck_assert_ok(tl_message_parse(&message, tl_bytes_of(text)));
}

static void
put_event(uint8_t kind, uint32_t tid, uint64_t a, uint64_t b)
{
	const struct tl_event e = { .message = &message,
		.ns = 1000,
		.args = { a, b },
		.kind = kind,
		.level = message.level,
		.cpu = TL_CPU_UNKNOWN,
		.pid = 41,
		.tid = tid };

	ck_assert_ok(f.writer->sink.put(&f.writer->sink, &e));
}

/* Read the output again and check the events, which the original would show. */
static void
check_written(const char *events, const char *noted)
{
	struct foreign again;

	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_str_eq(tl_text_string(&f.noted.text), noted);
	foreign_run(&again, tl_lincheck_read_new, tl_lincheck_write_new,
	    tl_bytes(f.out.data, f.out.size), 7);
	ck_assert_str_eq(tl_text_string(&again.said.text), "");
	ck_assert_str_eq(tl_text_string(&again.sink.text), events);
	ck_assert_uint_eq(again.out.size, f.out.size);
	ck_assert_mem_eq(again.out.data, f.out.data, f.out.size);
	foreign_free(&again);
	foreign_free(&f);
}

#define TIMES "-95 - times are left out: only their order is kept\n"

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

/*
 * Return the place of the next block.  The block at at has so many bytes of
 * definitions, and its calls and footers have a size each.
 */
static size_t
skip_block(const char *data, size_t at, size_t definitions, size_t call,
    size_t footer)
{
	at += 1 + 4 + definitions;
	while (data[at] != 9)
		at += data[at] == 6 ? call : footer;
	return at + 1;
}

/*
 * A tick is a call of 38 bytes and a footer of 7.  Each block defines a class,
 * the first block also the method, and the class and the method of its thread;
 * a call of that method, 50 bytes, surrounds all ticks.  The test computes how
 * many ticks fill a block.
 */
TEST(blocks_end_where_the_original_ends_them)
{
	enum {
		TICKS = 60000,
		TICK = 38 + 7,
		ENDS = (1 << 20) - 1024,
		CLASS = 1 + 4 + 2 + 3,
		METHOD = 1 + 4 + 4 + 2 + 4 + 1 + 4 + 1,
		OWN = 1 + 4 + 2 + 8 + 1 + 4 + 4 + 2 + 6 + 1 + 4 + 2 + 50
	};
	size_t at = 16, first, second;

	start_writer();
	define(TIMELINE_RECORD_INSTANT, 0, "tick $n");
	for (uint64_t i = 0; i < TICKS; i++)
		put_event(TL_INSTANT, 7, i, 0);
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	first = skip_block(f.out.data, at, OWN + CLASS + METHOD, 38, 7);
	ck_assert_uint_gt(first - at, ENDS);
	ck_assert_uint_le(first - at, ENDS + TICK + 6);
	ck_assert_uint_eq((uint8_t)f.out.data[first], 8);
	ck_assert_uint_eq((uint8_t)f.out.data[first + 5], 0);
	ck_assert_uint_eq((uint8_t)f.out.data[first + 5 + CLASS], 6);
	second = skip_block(f.out.data, first, CLASS, 38, 7);
	ck_assert_uint_gt(second - first, ENDS);
	ck_assert_uint_le(second - first, ENDS + TICK + 6);
	foreign_free(&f);
}

/* Put an event as one of the second of two traces. */
static int
put_second(struct tl_sink *sink, const struct tl_event *event)
{
	struct tl_event e = *event;

	(void)sink;
	e.source = 1;
	return f.writer->sink.put(&f.writer->sink, &e);
}

static void
make_one_call(const char *class)
{
	tl_text_clear(&file);
	put_header(8);
	start_block(0);
	put_class(0, class);
	put_method(0, 0, "main", VOID_TYPES);
	put_call(-1, 0, 1, 0);
	put_void_footer();
	end_block();
	put_eof();
}

static void
feed(struct tl_reader *reader, size_t from, size_t to)
{
	ck_assert_ok(
	    reader->feed(reader, tl_bytes(file.data + from, to - from)));
}

TEST(traces_of_the_same_ids_are_merged)
{
	struct tl_sink second = { put_second, NULL };
	struct tl_reader *readers[2];
	struct tl_sink *sinks[2];

	start_writer();
	sinks[0] = &f.writer->sink;
	sinks[1] = &second;
	for (unsigned i = 0; i < 2; i++) {
		make_one_call(i == 0 ? "a.First" : "a.Second");
		ck_assert_ok(tl_lincheck_read_new(&readers[i], sinks[i], NULL));
		feed(readers[i], 0, file.size);
		ck_assert_ok(readers[i]->finish(readers[i]));
	}
	check_written("1 call > First.main()\n1 call < First.main()\n"
		      "1 call > Second.main()\n1 call < Second.main()\n",
	    "");
	for (unsigned i = 0; i < 2; i++)
		readers[i]->free(readers[i]);
}

/*
 * One trace has more than a block holds, and the events of another trace come
 * between its events.
 */
TEST(a_large_block_is_cut_where_traces_are_mixed)
{
	enum { CALLS = 600000, CALL = 26 + 7 };
	struct tl_sink second = { put_second, NULL };
	struct tl_reader *large, *small;
	struct foreign again;
	struct tl_text kept;

	start_writer();
	ck_assert_ok(tl_lincheck_read_new(&large, &f.writer->sink, NULL));
	ck_assert_ok(tl_lincheck_read_new(&small, &second, NULL));
	put_header(8);
	start_block(0);
	put_main();
	for (int i = 0; i < CALLS; i++) {
		put_call(-1, 0, i, 0);
		put_void_footer();
	}
	end_block();
	put_eof();
	feed(large, 0, (CALLS - 9) * CALL);
	kept = file;
	file = (struct tl_text){ 0 };
	make_one_call("a.Second");
	feed(small, 0, file.size);
	teardown();
	file = kept;
	feed(large, (CALLS - 9) * CALL, file.size);
	ck_assert_ok(f.writer->sink.finish(&f.writer->sink));
	ck_assert_str_eq(tl_text_string(&f.noted.text), "");
	foreign_run(&again, tl_lincheck_read_new, NULL,
	    tl_bytes(f.out.data, f.out.size), 1 << 16);
	ck_assert_str_eq(tl_text_string(&again.said.text), "");
	ck_assert_uint_eq(again.sink.count, 2 * CALLS + 2);
	foreign_free(&again);
	foreign_free(&f);
	large->free(large);
	small->free(small);
}

/* == the index == */

static struct tl_text written, indexed;

static uint64_t
get(const struct tl_text *text, size_t at, unsigned size)
{
	uint64_t n = 0;

	ck_assert_uint_le(at + size, text->size);
	while (size-- > 0)
		n = n << 8 | (uint8_t)text->data[at++];
	return n;
}

static void
load(const char *path, struct tl_text *text)
{
	FILE *in = fopen(path, "rb");
	int c;

	ck_assert_ptr_nonnull(in);
	while ((c = getc(in)) != EOF)
		tl_put_char(text, (char)c);
	fclose(in);
}

static void
write_files(char *path)
{
	char index[64];

	ck_assert_ptr_nonnull(mkdtemp(path));
	strcat(path, "/t");
	snprintf(index, sizeof(index), "%s.idx", path);
	foreign_init(&f);
	ck_assert_ok(tl_lincheck_write_at(&f.writer, path, NULL));
	f.sink.next = &f.writer->sink;
	ck_assert_ok(tl_lincheck_read_new(&f.reader, &f.sink.sink, NULL));
	ck_assert_ok(f.reader->feed(f.reader, tl_bytes(file.data, file.size)));
	ck_assert_ok(f.reader->finish(f.reader));
	ck_assert_ok(f.sink.sink.finish(&f.sink.sink));
	foreign_free(&f);
	load(path, &written);
	load(index, &indexed);
	ck_assert_int_eq(tl_lincheck_write_at(&f.writer, path, NULL), -EEXIST);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(tl_lincheck_write_at(&f.writer, path, NULL), -EEXIST);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(unlink(index), 0);
	*strrchr(path, '/') = '\0';
	ck_assert_int_eq(rmdir(path), 0);
}

/* Check one cell; returns the place of the next one. */
static size_t
check_cell(size_t at, uint8_t kind, int32_t id, int64_t start, int64_t end)
{
	ck_assert_uint_eq(get(&indexed, at, 1), kind);
	ck_assert_int_eq((int32_t)get(&indexed, at + 1, 4), id);
	ck_assert_int_eq((int64_t)get(&indexed, at + 5, 8), start);
	ck_assert_int_eq((int64_t)get(&indexed, at + 13, 8), end);
	return at + 21;
}

/*
 * byte 16 block 0 | 21 class, 13 | 34 method, 20 | 54 call, 26 | 80 end
 *      81 block 1 | 86 call, 26 | 112 footer, 7 | 119 end
 *     120 block 0 | 125 class, 13 | 138 footer, 11 | 149 end | 150 EOF
 */
TEST(an_index_tells_every_place)
{
	char path[64] = "/tmp/test_lincheck.XXXXXX";
	size_t at = 16;

	put_header(8);
	start_block(0);
	put_main();
	put_call(-1, 0, 1, 0);
	end_block();
	start_block(1);
	put_call(-1, 1, 2, 0);
	put_void_footer();
	end_block();
	start_block(0);
	put_class(1, "b.Pair");
	put_n(7, 1);
	put_object(1, 9);
	put_utf("");
	end_block();
	put_eof();
	write_files(path);
	ck_assert_uint_eq(written.size, file.size);
	ck_assert_mem_eq(written.data, file.data, file.size);
	ck_assert_uint_eq(get(&indexed, 0, 8), 0x8f91ab8edb11a08f);
	ck_assert_uint_eq(get(&indexed, 8, 8), 8);
	at = check_cell(at, 8, 0, 16, 80);
	at = check_cell(at, 0, 0, 21, 20);
	at = check_cell(at, 1, 0, 34, 20);
	at = check_cell(at, 8, 1, 81, 119);
	at = check_cell(at, 6, 2, 26, 26);
	/* the thread's second block: its first block has 59 bytes */
	at = check_cell(at, 8, 0, 120, 149);
	at = check_cell(at, 0, 1, 125, 125 - 59 - 1);
	at = check_cell(at, 6, 1, 59, 59 + 13);
	at = check_cell(at, 10, -1, -1, -1);
	ck_assert_uint_eq(get(&indexed, at, 8), 0x8f91ab8edb11a08f);
	ck_assert_uint_eq(indexed.size, at + 8);
	/* cells of definitions point at their kind and id */
	for (size_t i = 16; i + 8 < indexed.size; i += 21) {
		const uint64_t kind = get(&indexed, i, 1);

		if (kind >= 6)
			continue;
		ck_assert_uint_eq(get(&written, get(&indexed, i + 5, 8), 1),
		    kind);
		ck_assert_uint_eq(get(&written, get(&indexed, i + 5, 8) + 1, 4),
		    get(&indexed, i + 1, 4));
	}
	tl_text_free(&written);
	tl_text_free(&indexed);
}
