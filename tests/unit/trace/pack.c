/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.c - a packed trace opens in place and has the content of the original
 * files; zips of other programs open, too; zips with false claims are refused.
 */
#include "base/file.h"
#include "lib/test.h"
#include "lib/trace_fixture.h"
#include "trace/pack/packed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

enum { COUNT = 3000 };

static struct made made;
static struct tl_text zipped;

static void
setup(void)
{
	struct program p;

	fixture_messages();
	p = random_program(7, COUNT, 3);
	ck_assert_int_eq(write_program(&made, &p,
			     (struct tl_trace_options){ .block_size = 1024 }),
	    0);
	free(p.events);
}

static void
teardown(void)
{
	made_free(&made);
	tl_text_free(&zipped);
}

/* == zips in memory == */

static void
take_file(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	tl_text_clear(&zipped);
	ck_assert_ptr_nonnull(tl_text_reserve(&zipped, (size_t)st.st_size));
	ck_assert_int_eq(tl_read_at(fd, zipped.data, (size_t)st.st_size, 0),
	    st.st_size);
	zipped.size = (size_t)st.st_size;
	close(fd);
}

static void
pack(const char *info)
{
	const int fd = memfd_create("zip", MFD_CLOEXEC);
	struct tl_storage *data = storage_of(bytes_of(&made.data));

	ck_assert_ok(tl_packed_write(fd, data, bytes_of(&made.index),
	    tl_bytes_of(info), 1795202658000000000));
	tl_storage_close(data);
	take_file(fd);
}

/* A file as another program packs it. */
struct other {
	const char *name;
	struct tl_bytes bytes;
	int method;
	bool secret;
};

static void
pack_others(const struct other *others, size_t count)
{
	char path[] = "/tmp/packed.XXXXXX";
	const int fd = mkstemp(path);
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);

	ck_assert_ptr_nonnull(zip);
	for (size_t i = 0; i < count; i++) {
		const struct other *o = &others[i];
		const zip_int64_t at = zip_file_add(zip, o->name,
		    zip_source_buffer(zip, o->bytes.data, o->bytes.size, 0), 0);

		ck_assert_int_eq(at, (zip_int64_t)i);
		ck_assert_int_eq(zip_set_file_compression(zip, i, o->method, 0),
		    0);
		if (o->secret)
			ck_assert_int_eq(zip_file_set_encryption(zip, i,
					     ZIP_EM_AES_256, "secret"),
			    0);
	}
	ck_assert_int_eq(zip_close(zip), 0);
	close(fd);
	take_file(open(path, O_RDONLY | O_CLOEXEC));
	unlink(path);
}

static void
pack_like_others(int method, bool index)
{
	const struct other others[] = {
		{ "../../etc/passwd", { "root", 4 }, method, false },
		{ TL_PACKED_DATA, bytes_of(&made.data), method, false },
		{ TL_PACKED_INFO, { "Host: x\n", 8 }, method, false },
		{ TL_PACKED_INDEX, bytes_of(&made.index), method, false },
	};

	pack_others(others, index ? 4 : 3);
}

static int
open_zipped(struct tl_packed *packed, struct tl_fault *fault)
{
	*fault = (struct tl_fault){ 0 };
	return tl_packed_open(packed, storage_of(bytes_of(&zipped)), fault);
}

static int
open_trace(struct tl_trace **trace, struct tl_storage *file,
    const struct tl_trace_read_options *options, struct tl_fault *fault)
{
	struct tl_packed packed;
	const int rc = tl_packed_open(&packed, file, fault);

	/* the trace takes both over */
	return rc < 0 ? rc
		      : tl_trace_open_storage(trace, packed.data, packed.index,
			    options, fault);
}

static void
refused(int rc, const char *words)
{
	struct tl_packed packed;
	struct tl_fault fault;

	ck_assert_int_eq(open_zipped(&packed, &fault), rc);
	ck_assert_int_eq(fault.rc, rc);
	ck_assert_msg(strstr(fault.text, words), "%s", fault.text);
}

static void
check_storage(struct tl_storage *storage, const struct tl_text *text)
{
	static const size_t sizes[] = { 1, 7, 100, 4096, 1 << 20 };
	char *piece = malloc(1 << 20);
	uint64_t seed = 1;

	ck_assert_uint_eq(storage->size, text->size);
	for (unsigned i = 0; i < 200; i++) {
		const uint64_t at = random_below(&seed, text->size + 10);
		const size_t left =
		    at < text->size ? text->size - (size_t)at : 0;
		const size_t size = sizes[i % 5];

		ck_assert_int_eq(tl_storage_read_at(storage, piece, size, at),
		    (int64_t)(size < left ? size : left));
		if (left > 0)
			ck_assert_mem_eq(piece, text->data + at,
			    size < left ? size : left);
		ck_assert_int_ge(tl_storage_read_at(storage, piece, 9, at), 0);
		if (left > 8) /* the second read must return the same bytes */
			ck_assert_mem_eq(piece, text->data + at, 9);
	}
	free(piece);
}

static void
opens_whole(bool index)
{
	struct tl_packed packed;
	struct tl_trace *trace, *plain;
	struct tl_fault fault;

	ck_assert_int_eq(open_zipped(&packed, &fault), 0);
	check_storage(packed.data, &made.data);
	ck_assert_int_eq(packed.index != NULL, index);
	if (index)
		check_storage(packed.index, &made.index);
	tl_packed_close(&packed);

	fault_count = 0;
	ck_assert_ok(open_trace(&trace, storage_of(bytes_of(&zipped)),
	    &read_options, &fault));
	ck_assert_int_eq(open_bytes(&plain, bytes_of(&made.data),
			     bytes_of(&made.index)),
	    0);
	ck_assert_int_eq(tl_trace_index_state(trace),
	    index ? TL_INDEX_READ : TL_INDEX_MISSING);
	ck_assert_uint_eq(tl_trace_thread_count(trace), 3);
	for (size_t i = 0; i < 3; i++) {
		load_all(trace, tl_trace_root(trace, i), 0);
		load_all(plain, tl_trace_root(plain, i), 0);
		ck_assert(same_tree(tl_trace_root(trace, i),
		    tl_trace_root(plain, i)));
	}
	tl_trace_close(trace);
	tl_trace_close(plain);
}

/* == tests == */

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(what_is_packed_opens_in_place)
{
	pack("Host: here\n");
	ck_assert_uint_eq(tl_packed_recognise(bytes_of(&zipped)), 100);
	opens_whole(true);
	ck_assert_ptr_nonnull(
	    memmem(zipped.data, zipped.size, "Host: here\n", 11));
	/* the files are stored without a change */
	ck_assert_ptr_nonnull(
	    memmem(zipped.data, zipped.size, made.data.data, made.data.size));
	ck_assert_ptr_nonnull(
	    memmem(zipped.data, zipped.size, made.index.data, made.index.size));
	ck_assert_uint_lt(zipped.size, made.data.size + made.index.size + 1000);
}

TEST(zips_of_others_open)
{
	pack_like_others(ZIP_CM_STORE, true);
	ck_assert_uint_eq(tl_packed_recognise(bytes_of(&zipped)), 30);
	opens_whole(true);
	pack_like_others(ZIP_CM_DEFLATE, true);
	ck_assert_uint_lt(zipped.size, made.data.size + made.index.size);
	opens_whole(true);
	pack_like_others(ZIP_CM_DEFLATE, false);
	opens_whole(false);
}

TEST(what_is_no_packed_trace_is_refused_with_a_word)
{
	const struct other strange[] = {
		{ "x/" TL_PACKED_DATA, { "a", 1 }, ZIP_CM_STORE, false },
		{ "TRACE.TRACE", { "b", 1 }, ZIP_CM_STORE, false },
	};
	const struct other secret[] = {
		{ TL_PACKED_DATA, bytes_of(&made.data), ZIP_CM_STORE, true },
	};
	struct tl_trace *trace;
	struct tl_fault fault = { 0 };

	pack_others(strange, 2);
	refused(-EBADMSG, "a zip without an entry trace.trace");
	pack_others(secret, 1);
	refused(-ENOTSUP, "trace.trace is encrypted");
	tl_text_clear(&zipped);
	tl_put_string(&zipped, "PK\3\4 and nothing more");
	refused(-EBADMSG, "not a whole zip");
	tl_text_clear(&zipped);
	refused(-EBADMSG, "a zip without an entry");
	ck_assert_uint_eq(tl_packed_recognise(tl_bytes_of("PK\3")), 0);
	ck_assert_uint_eq(tl_packed_recognise(tl_bytes_of("PK\3\4")), 30);

	made.data.data[0] ^= 1;
	pack("");
	ck_assert_int_eq(open_trace(&trace, storage_of(bytes_of(&zipped)),
			     &read_options, &fault),
	    -EBADMSG);
	ck_assert_int_eq(fault.rc, -EBADMSG);
}

/* Change a field of size bytes in the directory's entry of the data. */
static void
forge(size_t at, uint64_t n, size_t size)
{
	static const char name[] = TL_PACKED_DATA;
	char *found = NULL;

	for (size_t i = 46; i + sizeof(name) < zipped.size; i++)
		if (memcmp(zipped.data + i, name, sizeof(name) - 1) == 0 &&
		    memcmp(zipped.data + i - 46, "PK\1\2", 4) == 0)
			found = zipped.data + i - 46;
	ck_assert_ptr_nonnull(found);
	memcpy(found + at, &n, size);
}

TEST(sizes_that_lie_are_refused)
{
	pack("");
	forge(24, 1, 4); /* the unpacked size of a stored file */
	refused(-EBADMSG, "trace.trace has two sizes");
	pack_like_others(ZIP_CM_DEFLATE, true);
	forge(20, 1, 4);
	forge(24, 0xfffffff0, 4);
	refused(-EBADMSG, "larger than it can be");
}

/* The end of a zip of 64 bits claims a huge directory. */
TEST(a_directory_that_claims_too_much_takes_no_memory)
{
	static const uint8_t end[56 + 20 + 22] = { 'P', 'K', 6, 6, 44, 0, 0, 0,
		0, 0, 0, 0, 45, 0, 45, 0, [24] = 0xff, 0xff, 0xff,
		0x3f, [32] = 0xff, 0xff, 0xff, 0x3f, [56] = 'P', 'K', 6,
		7, [72] = 1, [76] = 'P', 'K', 5, 6, [84] = 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	tl_put_bytes(&zipped, tl_bytes(end, sizeof(end)));
	refused(-EBADMSG, "not a whole zip");
}

TEST(a_zip_that_ends_anywhere_or_is_damaged_harms_nobody)
{
	struct tl_text whole = { 0 };
	uint64_t seed = 5, opened = 0;

	for (unsigned round = 0; round < 2; round++) {
		if (round == 0)
			pack("Host: here\n");
		else
			pack_like_others(ZIP_CM_DEFLATE, true);
		tl_text_clear(&whole);
		tl_put_bytes(&whole, bytes_of(&zipped));
		for (unsigned i = 0; i < 600; i++) {
			struct tl_fault fault = { 0 };
			struct tl_trace *trace;
			size_t size = whole.size;

			memcpy(zipped.data, whole.data, whole.size);
			if (i % 2)
				size -=
				    random_below(&seed, i < 300 ? 300 : size);
			else
				zipped.data[i < 300
						? size - 1 -
						      random_below(&seed, 300)
						: random_below(&seed, size)] ^=
				    1 << random_below(&seed, 8);
			if (open_trace(&trace,
				storage_of(tl_bytes(zipped.data, size)),
				&read_options, &fault) < 0) {
				ck_assert(fault.rc < 0 && fault.text[0]);
				continue;
			}
			opened++;
			for (size_t k = 0; k < tl_trace_thread_count(trace);
			     k++)
				load_all(trace, tl_trace_root(trace, k), 0);
			tl_trace_close(trace);
		}
	}
	ck_assert_uint_gt(opened, 100);
	tl_text_free(&whole);
}

TEST(what_is_compressed_and_damaged_is_kept_up_to_there)
{
	struct tl_packed packed;
	struct tl_fault fault;
	uint64_t seed = 11;
	char *data;

	pack_like_others(ZIP_CM_DEFLATE, false);
	data = memmem(zipped.data, zipped.size, TL_PACKED_DATA,
	    sizeof(TL_PACKED_DATA) - 1);
	for (unsigned i = 0; i < 2000; i++)
		data[zipped.size / 2 + i] = (char)random_next(&seed);
	ck_assert_int_eq(open_zipped(&packed, &fault), 0);
	ck_assert_uint_gt(packed.data->size, made.data.size / 4);
	ck_assert_uint_lt(packed.data->size, made.data.size);
	tl_packed_close(&packed);
}

static void
count_damage(void *context, uint64_t at, const char *what)
{
	uint64_t *count = context;

	(void)at;
	ck_assert(what[0]);
	++*count;
}

TEST(a_look_at_all_of_it_finds_a_wrong_checksum)
{
	for (unsigned damaged = 0; damaged < 2; damaged++) {
		struct tl_packed packed;
		struct tl_fault fault;
		uint64_t count = 0;
		char *data;

		pack("");
		data = memmem(zipped.data, zipped.size, made.data.data,
		    made.data.size);
		data[100] ^= (char)damaged;
		ck_assert_int_eq(open_zipped(&packed, &fault), 0);
		packed.data->damaged = count_damage;
		packed.data->context = &count;
		ck_assert_int_eq(packed.data->check(packed.data), 0);
		ck_assert_uint_eq(count, damaged);
		tl_packed_close(&packed);
	}
}

/* == files == */

TEST(a_full_disk_is_said)
{
	const int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct tl_storage *data = storage_of(bytes_of(&made.data));

	ck_assert_int_eq(tl_packed_write(fd, data, bytes_of(&made.index),
			     tl_bytes_of(""), 0),
	    -ENOSPC);
	tl_storage_close(data);
	close(fd);
}
