/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_column.c - rows become pages, and pages become files. */
#include "format/parquet/column.h"

#include "format/parquet/write.h"
#include "lib/test.h"
#include "lib/viewers.h"

#include <errno.h>
#include <stdio.h>

static struct tl_text text;

static void
setup(void)
{
	text = (struct tl_text){ 0 };
}

static void
teardown(void)
{
	tl_text_free(&text);
}

static struct tl_parquet_packer packer;
static struct tl_parquet_column *column;

static void
open_column(enum tl_parquet_kind kind)
{
	packer = (struct tl_parquet_packer){ 0 };
	ck_assert_ok(tl_parquet_packer_init(&packer));
	column = calloc(1, sizeof(*column));
	ck_assert_ptr_nonnull(column);
	tl_parquet_column_init(column, kind, true);
}

static void
close_column(void)
{
	tl_parquet_column_free(column);
	tl_parquet_packer_free(&packer);
	free(column);
}

static void
put_number(uint32_t row, unsigned n)
{
	char string[16];

	snprintf(string, sizeof(string), "%u", n);
	ck_assert_ok(tl_parquet_put_string(&packer, column, row,
	    tl_bytes_of(string), NULL));
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 600);

TEST(null_needs_no_page_until_a_value_comes)
{
	open_column(TL_PARQUET_U64);
	ck_assert_ok(tl_parquet_end_page(&packer, column, 100));
	ck_assert_ok(tl_parquet_end_page(&packer, column, 100));
	ck_assert_uint_eq(column->pages.size, 0);
	tl_parquet_put(column, 50, 7);
	ck_assert_ok(tl_parquet_end_page(&packer, column, 100));
	ck_assert_uint_eq(column->nulls, 299);
	ck_assert_ok(tl_parquet_end_page(&packer, column, 1));
	ck_assert_ok(tl_parquet_end_chunk(&packer, column, &text));
	ck_assert_uint_eq(column->nulls, 300);
	ck_assert_uint_eq(text.size, 0); /* the column has no dictionary */
	close_column();
}

TEST(a_string_is_in_the_dictionary_once)
{
	struct tl_parquet_known known = { 0 };

	open_column(TL_PARQUET_STRING);
	put_number(0, 5);
	put_number(3, 6);
	put_number(4, 5);
	ck_assert_uint_eq(column->entries, 2);
	ck_assert(!tl_parquet_put_known(column, 5, &known));
	ck_assert_ok(tl_parquet_put_string(&packer, column, 5, tl_bytes_of("6"),
	    &known));
	ck_assert(tl_parquet_put_known(column, 6, &known));
	ck_assert_uint_eq(column->entries, 2);
	ck_assert_uint_eq(column->values[4], 1);
	ck_assert_ok(tl_parquet_end_page(&packer, column, 10));
	ck_assert_ok(tl_parquet_end_chunk(&packer, column, &text));
	ck_assert_uint_gt(text.size, 0);
	tl_parquet_next_chunk(column);
	/* the next chunk has a new dictionary */
	ck_assert(!tl_parquet_put_known(column, 0, &known));
	close_column();
}

TEST(a_dictionary_that_is_full_is_followed_by_plain_strings)
{
	struct tl_parquet_known known = { 0 };
	unsigned n = 0;

	open_column(TL_PARQUET_STRING);
	while (!column->is_plain) {
		for (uint32_t row = 0; row < TL_PARQUET_PAGE_ROWS; row++)
			put_number(row, n++);
		ck_assert_ok(
		    tl_parquet_end_page(&packer, column, TL_PARQUET_PAGE_ROWS));
		ck_assert_uint_lt(n, 2 * TL_PARQUET_ENTRIES_MAX);
	}
	ck_assert_uint_eq(column->entries, TL_PARQUET_ENTRIES_MAX);
	ck_assert_uint_eq(column->encodings,
	    1 << TL_PARQUET_PLAIN | 1 << TL_PARQUET_DICTIONARY);
	known.chunk = column->chunk_id;
	ck_assert(!tl_parquet_put_known(column, 0, &known));
	close_column();
}

TEST(large_strings_end_a_page_early)
{
	char large[60000];

	open_column(TL_PARQUET_STRING);
	for (uint32_t row = 0; row < 200; row++) {
		memset(large, (int)(row + 1), sizeof(large));
		ck_assert_ok(tl_parquet_put_string(&packer, column, row,
		    tl_bytes(large, sizeof(large)), NULL));
		ck_assert_uint_lt(column->plain.size, TL_PARQUET_PAGE_SIZE_MAX);
	}
	ck_assert(column->is_plain);
	ck_assert_uint_gt(packer.size, 100 * sizeof(large));
	close_column();
}

/* == the writer == */

static int
keep(void *context, const char *data, size_t size)
{
	(void)context;
	tl_put_bytes(&text, tl_bytes(data, size));
	return text.rc;
}

static int
refuse(void *context, const char *data, size_t size)
{
	(void)context;
	(void)data;
	(void)size;
	return -ENOSPC;
}

static int
write_set(tl_write *write, enum viewers_set set, uint64_t count,
    const struct tl_report *report)
{
	struct tl_event event = { 0 };
	struct tl_writer *writer;
	int rc = tl_parquet_write_new(&writer, write, NULL, report);

	ck_assert_int_eq(rc, 0);
	for (uint64_t i = 0;
	     rc == 0 && i < count && viewers_event(set, i, &event); i++)
		rc = writer->sink.put(&writer->sink, &event);
	if (rc == 0)
		rc = writer->sink.finish(&writer->sink);
	tl_writer_free(writer);
	return rc;
}

TEST(a_file_begins_and_ends_with_its_magic)
{
	uint32_t size;

	for (uint64_t count = 0; count <= 20000; count += 10000) {
		ck_assert_int_eq(write_set(keep, VIEWERS_MANY, count, NULL), 0);
		ck_assert_mem_eq(text.data, "PAR1", 4);
		ck_assert_mem_eq(text.data + text.size - 4, "PAR1", 4);
		memcpy(&size, text.data + text.size - 8, sizeof(size));
		ck_assert_uint_le(size, text.size - 12);
		/* the file's metadata begin with their version */
		ck_assert_mem_eq(text.data + text.size - 8 - size, "\x15\x04",
		    2);
		tl_text_clear(&text);
	}
}

static struct tl_bytes
large_string(const struct tl_strings *strings, uint64_t n)
{
	static char large[30000];

	(void)strings;
	memset(large, (int)(' ' + n % 64), sizeof(large));
	memset(large + sizeof(large) - 3, 0xff, 3);
	return tl_bytes(large, sizeof(large));
}

TEST(long_texts_end_a_row_group_early)
{
	const struct tl_strings strings = { large_string };
	struct tl_message message = { .strings = &strings, .kind = 1 };
	struct tl_event event = { .message = &message, .kind = TL_INSTANT };
	struct tl_writer *writer;

	tl_message_parse(&message, tl_bytes_of("$a%s $b%s $c%s $d%s"));
	ck_assert_ok(tl_parquet_write_new(&writer, keep, NULL, NULL));
	for (uint64_t i = 0; i < 2000; i++) {
		for (unsigned a = 0; a < TL_ARGS_MAX; a++)
			event.args[a] = i * 77 + a;
		ck_assert_ok(writer->sink.put(&writer->sink, &event));
	}
	ck_assert_ok(tl_out_flush(&writer->out));
	/* a whole group is written before the end */
	ck_assert_uint_gt(text.size, 4);
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_writer_free(writer);
}

TEST(an_output_that_fails_ends_it)
{
	ck_assert_int_eq(write_set(refuse, VIEWERS_PLAIN, 10, NULL), -ENOSPC);
	ck_assert_int_eq(write_set(refuse, VIEWERS_MANY, 200000, NULL),
	    -ENOSPC);
}

static char said[200];

static void
hear(void *context, const struct tl_fault *fault)
{
	(void)context;
	ck_assert_int_eq(fault->rc, -ENOTSUP);
	strcat(said, fault->text);
}

TEST(what_is_no_utf8_is_said)
{
	const struct tl_report report = { hear, NULL };

	said[0] = '\0';
	ck_assert_int_eq(write_set(keep, VIEWERS_PLAIN, 100, &report), 0);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(write_set(keep, VIEWERS_HOSTILE, 100, &report), 0);
	ck_assert_str_eq(said,
	    "bytes that are no UTF-8 become U+FFFD (2 times)");
}
