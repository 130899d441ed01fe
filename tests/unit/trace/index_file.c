/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_file.c - an index that is written beside its data: the diagnostics
 * about it, and the permissions of the file.
 */
#include "lib/guarded.h"
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/index.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct made made;
static char folder[32], path[64], index_path[80];

static void
write_to(const char *to, struct tl_bytes bytes, mode_t mode)
{
	FILE *file = fopen(to, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(to, mode), 0);
}

static void
setup(void)
{
	struct program program;

	fixture_messages();
	program = random_program(1, 1000, 2);
	ck_assert_int_eq(write_program(&made, &program,
			     (struct tl_trace_options){ 0 }),
	    0);
	free(program.events);
	strcpy(folder, "/tmp/test-index-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/x.trace", folder);
	snprintf(index_path, sizeof(index_path), "%s.idx", path);
}

static void
teardown(void)
{
	unlink(path);
	unlink(index_path);
	rmdir(folder);
	made_free(&made);
}

/* Open the file; returns the state of the index. */
static enum tl_trace_index
open_file(void)
{
	struct tl_fault fault = { 0 };
	enum tl_trace_index state;
	struct tl_trace *trace;

	fault_count = 0;
	ck_assert_ok(tl_trace_open(&trace, path, &read_options, &fault));
	state = tl_trace_index_state(trace);
	tl_trace_close(trace);
	return state;
}

static const mode_t modes[] = { 0600, 0640, 0644, 0664, 0444, 0755 };
enum { MODES = sizeof(modes) / sizeof(*modes) };

static void
expect_mode(mode_t mode)
{
	struct stat st;

	ck_assert_int_eq(stat(index_path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, mode & 0666);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(one_that_is_missing_is_made_without_a_word, .to = MODES)
{
	write_to(path, bytes_of(&made.data), modes[_i]);
	ck_assert_int_eq(open_file(), TL_INDEX_MISSING);
	ck_assert_uint_eq(fault_count, 0);
	expect_mode(modes[_i]);
	ck_assert_int_eq(open_file(), TL_INDEX_READ);
	ck_assert_uint_eq(fault_count, 0);
}

TEST(one_that_is_broken_is_made_again_and_that_is_said, .to = MODES)
{
	write_to(path, bytes_of(&made.data), modes[_i]);
	((char *)made.index.data)[made.index.size / 2] ^= 1;
	write_to(index_path, bytes_of(&made.index), 0600);
	ck_assert_int_eq(open_file(), TL_INDEX_BROKEN);
	/* one report that the index is broken, one that it is rebuilt */
	ck_assert_uint_eq(fault_count, 2);
	expect_mode(modes[_i]);
	ck_assert_int_eq(open_file(), TL_INDEX_READ);
	ck_assert_uint_eq(fault_count, 0);
}

TEST(where_nothing_can_be_written_nothing_is_said_of_it)
{
	write_to(path, bytes_of(&made.data), 0644);
	write_to(index_path, tl_bytes("old", 3), 0644);
	if (geteuid() == 0)
		return; /* root may write anywhere */
	ck_assert_int_eq(chmod(folder, 0500), 0);
	ck_assert_int_eq(open_file(), TL_INDEX_BROKEN);
	ck_assert_uint_eq(fault_count, 1);
	ck_assert_int_eq(chmod(folder, 0700), 0);
}

/*
 * Append to the data once its size is known: another process goes on recording.
 */
static void
append_a_byte(void *context, const struct tl_fault *fault)
{
	FILE *file = fopen(path, "a");

	(void)context;
	(void)fault;
	ck_assert_ptr_nonnull(file);
	fputc(0, file);
	ck_assert_int_eq(fclose(file), 0);
}

TEST(one_of_data_that_grew_meanwhile_is_not_written)
{
	const struct tl_trace_read_options options = {
		.report = { append_a_byte, NULL }
	};
	struct tl_fault fault = { 0 };
	struct tl_trace *trace;
	struct stat st;

	write_to(path, bytes_of(&made.data), 0644);
	write_to(index_path, tl_bytes("old", 3), 0644);
	ck_assert_ok(tl_trace_open(&trace, path, &options, &fault));
	ck_assert_int_eq(tl_trace_index_state(trace), TL_INDEX_BROKEN);
	tl_trace_close(trace);
	ck_assert_int_eq(stat(index_path, &st), 0);
	ck_assert_int_eq(st.st_size, 3);
}

TEST(a_link_in_its_place_is_replaced_and_what_it_names_stays)
{
	char other[80];
	struct stat st;

	snprintf(other, sizeof(other), "%s/other", folder);
	write_to(path, bytes_of(&made.data), 0644);
	write_to(other, tl_bytes("mine", 4), 0600);
	ck_assert_int_eq(symlink(other, index_path), 0);
	ck_assert_int_eq(open_file(), TL_INDEX_BROKEN);
	ck_assert_int_eq(stat(other, &st), 0);
	ck_assert_int_eq(st.st_size, 4);
	ck_assert_int_eq(lstat(index_path, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
	ck_assert_int_eq(open_file(), TL_INDEX_READ);
	ck_assert_int_eq(unlink(other), 0);
}

/* Parse an index between two inaccessible pages. */
static int
parse_guarded(char *bytes, size_t size)
{
	struct tl_fault fault = { 0 };
	struct tl_context context;
	struct tl_index index = { .data = storage_of(bytes_of(&made.data)),
		.options = &read_options,
		.context = &context,
		.bytes = { .data = bytes, .size = size } };
	int rc;

	tl_context_init(&context);
	rc = tl_trace_header_get(&index.header, bytes_of(&made.data), &fault);
	ck_assert_int_eq(rc, 0);
	index.seed = tl_trace_seed(&index.header);
	rc = tl_index_parse(&index, &fault);
	tl_index_clear(&index);
	tl_context_free(&context);
	tl_storage_close(index.data);
	return rc;
}

TEST(one_that_is_cut_anywhere_is_read_up_to_there)
{
	const size_t whole = made.index.size, end = TL_INDEX_FOOTER_SIZE;
	struct guarded guarded;
	char *bytes;

	guarded_make(&guarded);
	for (size_t size = 0; size <= whole; size++) {
		for (int at_end = 0; at_end < 2; at_end++) {
			bytes = guarded_to(&guarded, size, at_end);
			memcpy(bytes, made.index.data, size);
			ck_assert_int_eq(parse_guarded(bytes, size),
			    size == whole ? 0 : -EBADMSG);
			if (size < end || size == whole)
				continue;
			/* the cut index gets the end of a whole index */
			memcpy(bytes + size - end,
			    made.index.data + whole - end, end);
			ck_assert_int_eq(parse_guarded(bytes, size), -EBADMSG);
		}
	}
	guarded_free(&guarded);
}
