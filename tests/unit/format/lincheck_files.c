/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lincheck_files.c - files of Lincheck's own writers: written again they are
 * the same, data and index; every byte of an index is checked; and the state of
 * a file is recognised.
 */
#include "base/file.h"
#include "base/process.h"
#include "format/lincheck/lincheck.h"
#include "format/registry.h"
#include "lib/test.h"
#include "source/hosts.h"
#include "trace/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA "tests/data/lincheck/"

enum { HEADER = 16, END = TL_CELL_SIZE + 8 };

static char folder[64];
static char path[128];
static char index_path[160];

static void
setup(void)
{
	strcpy(folder, "/tmp/test-lincheck-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/again.lincheck", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
}

static void
teardown(void)
{
	unlink(path);
	unlink(index_path);
	rmdir(folder);
}

static void
load(struct tl_text *text, const char *name)
{
	const int fd = tl_open_read(name);
	struct stat st;
	char *to;

	ck_assert_msg(fd >= 0, "%s", name);
	ck_assert_int_eq(fstat(fd, &st), 0);
	to = tl_text_reserve(text, (size_t)st.st_size);
	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(tl_read_at(fd, to, (size_t)st.st_size, 0), st.st_size);
	text->size += (size_t)st.st_size;
	close(fd);
}

static void
save(const char *name, struct tl_bytes bytes)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_ok(tl_write_all(fd, bytes.data, bytes.size));
	close(fd);
}

static void
check_same(const char *a, const char *b)
{
	struct tl_text first = { 0 }, second = { 0 };

	load(&first, a);
	load(&second, b);
	ck_assert_uint_eq(first.size, second.size);
	ck_assert_mem_eq(first.data, second.data, first.size);
	tl_text_free(&first);
	tl_text_free(&second);
}

static const char *const of_8[] = { "v8-mem1", "v8-mem2", "v8-mem4",
	"v8-stream1", "v8-stream2", "v8-stream4" };

/*
 * Write all events of an input, in order of time, into a file with its index.
 */
static void
write_again(const char *name)
{
	static const struct tl_source_plan plan = { .formats =
							&tl_formats_read };
	struct tl_cursor *cursor;
	struct tl_writer *writer;
	struct tl_event event;
	struct tl_source input;

	tl_source_open(&input, name, &plan);
	ck_assert(tl_source_is_open(&input));
	ck_assert_int_eq(tl_source_state(&input), TL_SOURCE_WHOLE);
	ck_assert_ok(tl_source_cursor(&input, TL_OLDEST_FIRST, &cursor));
	ck_assert_ok(tl_lincheck_write_at(&writer, path, NULL));
	while (tl_cursor_next(cursor, &event) > 0)
		ck_assert_ok(writer->sink.put(&writer->sink, &event));
	ck_assert_ok(writer->sink.finish(&writer->sink));
	tl_writer_free(writer);
	tl_cursor_close(cursor);
	tl_source_close(&input);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(a_file_of_version_8_comes_back, .to = 6)
{
	char name[64], index[80];

	snprintf(name, sizeof(name), DATA "%s.trace", of_8[_i]);
	snprintf(index, sizeof(index), "%s.idx", name);
	write_again(name);
	check_same(path, name);
	check_same(index_path, index);
}

/*
 * Without an index file, the writer chooses the form of the index by the data.
 */
TEST(the_form_of_an_index_is_told_by_the_data, .to = 6)
{
	struct tl_text data = { 0 };
	char name[64], index[80], alone[128];

	snprintf(name, sizeof(name), DATA "%s.trace", of_8[_i]);
	snprintf(index, sizeof(index), "%s.idx", name);
	snprintf(alone, sizeof(alone), "%s/alone.trace", folder);
	load(&data, name);
	save(alone, tl_bytes(data.data, data.size));
	write_again(alone);
	check_same(path, name);
	check_same(index_path, index);
	unlink(alone);
	tl_text_free(&data);
}

/* == the index == */

struct bytes_storage {
	struct tl_storage storage;
	const char *data;
};

static int64_t
read_bytes(struct tl_storage *storage, void *data, size_t size, uint64_t offset)
{
	const struct bytes_storage *b = (struct bytes_storage *)storage;

	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	memcpy(data, b->data + offset, size);
	return (int64_t)size;
}

static int
drop(struct tl_sink *sink, const struct tl_event *event)
{
	(void)sink;
	(void)event;
	return 0;
}

static void
count(void *context, const struct tl_fault *fault)
{
	ck_assert_ptr_nonnull(strstr(fault->text, "index: "));
	++*(unsigned *)context;
}

/*
 * True for bytes that no reader can check: the end of a definition's cell, and
 * the places of the EOF cell, which only one of the two writers fills.
 */
static bool
is_free(const struct tl_text *index, size_t at, unsigned block_kind)
{
	const size_t in_cell = (at - HEADER) % TL_CELL_SIZE;
	uint8_t kind;

	if (at < HEADER || at >= index->size - 8)
		return false;
	if (at >= index->size - END)
		return in_cell >= 5;
	kind = (uint8_t)index->data[at - in_cell];
	return in_cell >= 13 && kind < block_kind && kind != block_kind - 2;
}

TEST(every_byte_of_an_index_counts, .to = 4)
{
	static const char *const names[] = { "v8-mem4", "v8-stream2",
		"v13-stream2", "v22-mem2" };
	const unsigned block_kind = _i < 2 ? 8 : 10;
	struct tl_sink sink = { .put = drop };
	struct bytes_storage beside = { .storage = { .read_at = read_bytes } };
	struct tl_text data = { 0 }, index = { 0 };
	unsigned said = 0;
	const struct tl_report report = { count, &said };
	struct tl_reader *reader;
	char name[64];

	snprintf(name, sizeof(name), DATA "%s.trace", names[_i]);
	load(&data, name);
	strcat(name, ".idx");
	load(&index, name);
	ck_assert_ok(tl_lincheck_read_new(&reader, &sink, &report));
	ck_assert_ok(reader->feed(reader, tl_bytes(data.data, data.size)));
	ck_assert_ok(reader->finish(reader));
	beside.data = index.data;
	beside.storage.size = index.size;
	ck_assert_int_eq(reader->beside(reader, &beside.storage), 0);
	ck_assert_uint_eq(said, 0);
	for (size_t at = 0; at < index.size; at++) {
		if (is_free(&index, at, block_kind))
			continue;
		said = 0;
		index.data[at] ^= 1;
		ck_assert_int_eq(reader->beside(reader, &beside.storage), 0);
		ck_assert_msg(said == 1, "byte %zu does not count", at);
		index.data[at] ^= 1;
	}
	for (size_t size = 0; size < index.size; size += 1 + size / 64) {
		said = 0;
		beside.storage.size = size;
		ck_assert_int_eq(reader->beside(reader, &beside.storage), 0);
		ck_assert_uint_eq(said, 1);
	}
	reader->free(reader);
	tl_text_free(&data);
	tl_text_free(&index);
}

/* == the state of a file == */

static enum tl_source_state
state_of(struct tl_bytes bytes)
{
	static const struct tl_source_plan plan = { .formats = &tl_formats_read,
		.check = true };
	enum tl_source_state state;
	struct tl_source input;

	save(path, bytes);
	tl_source_open(&input, path, &plan);
	state = tl_source_state(&input);
	ck_assert_int_eq(tl_source_is_damaged(&input),
	    state == TL_SOURCE_DAMAGED);
	tl_source_close(&input);
	return state;
}

TEST(a_file_is_whole_unfinished_or_damaged)
{
	struct tl_text data = { 0 }, index = { 0 };

	load(&data, DATA "v22-mem2.trace");
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size)),
	    TL_SOURCE_WHOLE);
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size - 1)),
	    TL_SOURCE_UNFINISHED);
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size / 2)),
	    TL_SOURCE_UNFINISHED);
	data.data[HEADER] ^= 0x40; /* the kind of the first object */
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size)),
	    TL_SOURCE_DAMAGED);
	data.data[HEADER] ^= 0x40;
	save(index_path, tl_bytes("no index", 8));
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size)),
	    TL_SOURCE_DAMAGED);
	load(&index, DATA "v22-mem2.trace.idx");
	save(index_path, tl_bytes(index.data, index.size));
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size)),
	    TL_SOURCE_WHOLE);
	ck_assert_int_eq(state_of(tl_bytes(data.data, data.size / 2)),
	    TL_SOURCE_DAMAGED);
	unlink(index_path);
	tl_text_free(&index);
	ck_assert_int_eq(state_of(tl_bytes(data.data, 4)), TL_SOURCE_DAMAGED);
	tl_text_free(&data);
}
