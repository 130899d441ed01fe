/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst.c - compressed bytes read at any place are the bytes that were written,
 * and all damage is reported.
 */
#include "lib/random.h"
#include "lib/test.h"
#include "snap/compressed.h"
#include "snap/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

enum { FRAME = TL_ZST_FRAME_SIZE, PACKED_MAX = 4 << 20, SMALL = 1000 };

static uint8_t packed[PACKED_MAX]; /* the file under test */
static size_t packed_size;
static size_t damages; /* the number of reports */
static uint64_t damaged_at;

static void
tell(void *context, uint64_t at, const char *what)
{
	ck_assert_ptr_eq(context, packed);
	ck_assert_uint_gt(strlen(what), 0);
	damages++;
	damaged_at = at;
}

static int
memory_file(const void *data, size_t size)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return fd;
}

static struct tl_storage *
memory_storage(const void *data, size_t size)
{
	const int fd = memory_file(data, size);
	struct tl_storage *storage;

	ck_assert_ok(tl_storage_of_fd(&storage, fd));
	close(fd);
	return storage;
}

static int
open_packed(struct tl_storage **storage, struct tl_fault *fault)
{
	const int rc =
	    tl_zst_open(storage, memory_storage(packed, packed_size), fault);

	damages = 0;
	if (rc != 0) {
		ck_assert_int_eq(fault->rc, rc);
		ck_assert_uint_gt(strlen(fault->text), 0);
		return rc;
	}
	(*storage)->damaged = tell;
	(*storage)->context = packed;
	return 0;
}

/* Make a mixture of noise, text and zeros. */
static uint8_t *
make_bytes(size_t size, uint64_t seed)
{
	uint8_t *bytes = calloc(1, size + 1);

	for (size_t i = 0; i < size;) {
		const uint64_t kind = random_below(&seed, 3);
		size_t n = 1 + random_below(&seed, 3000);

		for (; n > 0 && i < size; n--, i++)
			bytes[i] = kind == 0   ? (uint8_t)random_next(&seed)
				   : kind == 1 ? (uint8_t)("timeline"[i % 8])
					       : 0;
	}
	return bytes;
}

static void
pack(const void *bytes, size_t size, int level)
{
	struct tl_storage *from = memory_storage(bytes, size);
	const int out = memory_file("", 0);

	ck_assert_ok(tl_zst_write(out, from, level));
	tl_storage_close(from);
	packed_size = (size_t)lseek(out, 0, SEEK_END);
	ck_assert_uint_le(packed_size, PACKED_MAX);
	ck_assert(pread(out, packed, packed_size, 0) == (ssize_t)packed_size);
	close(out);
}

/* Reading yields the first size of these bytes, and no more. */
static void
expect_bytes(struct tl_storage *storage, const uint8_t *bytes, size_t size)
{
	uint8_t *got = malloc(size + 2);

	ck_assert_uint_eq(storage->size, size);
	ck_assert_int_eq(tl_storage_read_at(storage, got, size + 2, 0),
	    (int64_t)size);
	ck_assert(size == 0 || memcmp(got, bytes, size) == 0);
	free(got);
}

static void
expect_opens(const uint8_t *bytes, size_t size)
{
	struct tl_fault fault = { 0 };
	struct tl_storage *storage;

	ck_assert_msg(open_packed(&storage, &fault) == 0, "%s", fault.text);
	expect_bytes(storage, bytes, size);
	tl_storage_close(storage);
}

TEST_FILE(.timeout = 120);

TEST(what_was_written_is_read_at_any_place, .to = 6)
{
	static const size_t sizes[] = { 1, SMALL, FRAME - 1, FRAME, FRAME + 1,
		5 * FRAME + 12345 };
	const size_t size = sizes[_i];
	uint8_t *bytes = make_bytes(size, (uint64_t)_i);
	uint8_t *got = malloc(size + 1);
	struct tl_fault fault = { 0 };
	struct tl_storage *storage;
	uint64_t seed = 3;

	pack(bytes, size, 3);
	ck_assert_int_eq(open_packed(&storage, &fault), 0);
	expect_bytes(storage, bytes, size);
	for (int i = 0; i < 300; i++) {
		const uint64_t at = random_below(&seed, size + 1);
		const size_t n = random_below(&seed, size + 1);
		const size_t there = n < size - at ? n : size - at;

		ck_assert_int_eq(tl_storage_read_at(storage, got, n, at),
		    (int64_t)there);
		ck_assert(there == 0 || memcmp(got, bytes + at, there) == 0);
	}
	ck_assert_ok(tl_storage_read_at(storage, got, 1, size));
	ck_assert_ok(tl_storage_read_at(storage, got, 1, UINT64_MAX));
	ck_assert_uint_eq(damages, 0);
	tl_storage_close(storage);
	free(got);
	free(bytes);
}

TEST(zstd_decodes_it_all, .from = -3, .to = 10)
{
	const size_t size = 3 * FRAME + 1;
	uint8_t *bytes = make_bytes(size, 4);
	uint8_t *got = malloc(size);

	pack(bytes, size, _i);
	ck_assert_uint_eq(ZSTD_decompress(got, size, packed, packed_size),
	    size);
	ck_assert(memcmp(got, bytes, size) == 0);
	free(got);
	free(bytes);
}

TEST(without_its_table_the_frames_are_walked)
{
	const size_t size = 3 * FRAME + 1;
	uint8_t *bytes = make_bytes(size, 5);

	pack(bytes, size, 3);
	packed_size -= 1; /* one byte of the table is missing */
	expect_opens(bytes, size);
	ck_assert_uint_eq(damages, 1); /* the file was cut in its table */
	pack(bytes, size, 3);
	packed_size -=
	    4 * TL_ZST_ROW_SIZE + TL_ZST_FOOTER_SIZE + TL_ZST_SKIPPABLE_SIZE;
	expect_opens(bytes, size);
	ck_assert_uint_eq(damages, 0);
	free(bytes);
}

TEST(a_wrong_table_is_said_and_not_believed)
{
	const size_t size = 3 * FRAME + 1;
	uint8_t *bytes = make_bytes(size, 6);
	size_t rows;

	pack(bytes, size, 3);
	rows = packed_size - TL_ZST_FOOTER_SIZE - 4 * TL_ZST_ROW_SIZE;
	packed[rows] ^= 1; /* a frame is one byte too long in the table */
	expect_opens(bytes, size);
	ck_assert_uint_eq(damages, 1);
	ck_assert_uint_eq(damaged_at, rows - TL_ZST_SKIPPABLE_SIZE);
	packed[rows] ^= 1;
	tl_zst_put32(packed + rows + 4, TL_ZST_FRAME_MAX + 1);
	expect_opens(bytes, size);
	ck_assert_uint_eq(damages, 1);
	free(bytes);
}

/* Cut the file anywhere: whole frames are read, and the cut is reported. */
TEST(a_file_that_is_cut_is_read_as_far_as_it_goes)
{
	const size_t size = 4 * FRAME;
	uint8_t *bytes = calloc(1, size); /* zeros: frames of a few bytes */
	struct tl_storage *storage;
	size_t whole, cuts = 0;

	pack(bytes, size, 3);
	whole = packed_size;
	for (packed_size = 0; packed_size < whole; packed_size++) {
		struct tl_fault fault = { 0 };

		if (open_packed(&storage, &fault) != 0)
			continue;
		ck_assert_uint_eq(storage->size % FRAME, 0);
		expect_bytes(storage, bytes, storage->size);
		cuts += damages;
		tl_storage_close(storage);
	}
	/* all cuts but those between two frames */
	ck_assert_uint_gt(cuts, whole / 2);
	free(bytes);
}

TEST(a_damaged_frame_reads_as_zeros_and_is_said_once)
{
	const size_t size = 4 * FRAME;
	uint8_t *bytes = make_bytes(size, 8);
	struct tl_fault fault = { 0 };
	struct tl_storage *storage;
	uint8_t got[SMALL];
	size_t second;

	pack(bytes, size, 3);
	second = tl_zst_get32(
	    packed + packed_size - TL_ZST_FOOTER_SIZE - 4 * TL_ZST_ROW_SIZE);
	packed[second + SMALL] ^= 0x10;
	ck_assert_int_eq(open_packed(&storage, &fault), 0);
	memset(bytes + FRAME, 0, FRAME);
	expect_bytes(storage, bytes, size);
	ck_assert_int_eq(tl_storage_read_at(storage, got, SMALL, FRAME), SMALL);
	ck_assert_uint_eq(damages, 1);
	ck_assert_uint_eq(damaged_at, second);
	tl_storage_close(storage);
	free(bytes);
}

/* A check reads every frame and finds damage that no reader has met. */
TEST(a_check_finds_what_nobody_reads)
{
	const size_t size = 4 * FRAME;
	uint8_t *bytes = make_bytes(size, 8);
	struct tl_fault fault = { 0 };
	struct tl_storage *storage;

	pack(bytes, size, 3);
	ck_assert_int_eq(open_packed(&storage, &fault), 0);
	ck_assert_int_eq(storage->check(storage), 0);
	ck_assert_uint_eq(damages, 0);
	tl_storage_close(storage);
	packed[packed_size / 2] ^= 1;
	ck_assert_int_eq(open_packed(&storage, &fault), 0);
	ck_assert_int_eq(storage->check(storage), 0);
	ck_assert_uint_eq(damages, 1);
	tl_storage_close(storage);
	free(bytes);
}

TEST(no_flipped_byte_goes_unnoticed)
{
	const size_t size = 3 * FRAME;
	uint8_t *bytes = make_bytes(FRAME, 9);
	uint8_t *all = calloc(1, size), *got = malloc(size);

	memcpy(all + FRAME, bytes, SMALL);
	pack(all, size, 3);
	for (size_t at = 0; at < packed_size; at++) {
		struct tl_fault fault = { 0 };
		struct tl_storage *storage;

		packed[at] ^= (uint8_t)(1 << at % 8);
		if (open_packed(&storage, &fault) == 0) {
			const int64_t n =
			    tl_storage_read_at(storage, got, size, 0);

			ck_assert_msg(damages > 0 ||
					  (n == (int64_t)size &&
					      memcmp(got, all, size) == 0),
			    "byte %zu", at);
			tl_storage_close(storage);
		}
		packed[at] ^= (uint8_t)(1 << at % 8);
	}
	free(got);
	free(all);
	free(bytes);
}

/* == files of other programs == */

static void
add(const void *bytes, size_t size)
{
	ck_assert_uint_le(packed_size + size, PACKED_MAX);
	memcpy(packed + packed_size, bytes, size);
	packed_size += size;
}

static void
add_frame(const void *bytes, size_t size, bool says_its_size)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t n;

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, says_its_size);
	n = ZSTD_compress2(zstd, packed + packed_size, PACKED_MAX - packed_size,
	    bytes, size);
	ck_assert(!ZSTD_isError(n));
	packed_size += n;
	ZSTD_freeCCtx(zstd);
}

static void
add_skippable(uint32_t size)
{
	const uint8_t nothing[64] = { 0 };
	uint8_t head[8];

	tl_zst_put32(head, TL_ZST_MAGIC_SKIPPABLE + 3);
	tl_zst_put32(head + 4, size);
	add(head, sizeof(head));
	add(nothing, size);
}

TEST(frames_of_any_size_and_what_is_to_be_skipped_are_read)
{
	uint8_t *bytes = make_bytes(2 * SMALL, 10);

	packed_size = 0;
	add_skippable(7);
	add_frame(bytes, 1, true);
	add_frame(bytes, 0, true);
	add_frame(bytes + 1, SMALL, true);
	add_skippable(0);
	add_skippable(64);
	add_frame(bytes, 0, true);
	add_frame(bytes + 1 + SMALL, SMALL - 1, true);
	expect_opens(bytes, 2 * SMALL);
	ck_assert_uint_eq(damages, 0);
	packed_size = 0; /* an empty file decodes to nothing */
	add_skippable(7);
	expect_opens(bytes, 0);
	free(bytes);
}

TEST(a_table_may_have_checksums)
{
	uint8_t *bytes = make_bytes(2 * SMALL, 11);
	uint8_t table[8 + 2 * 12 + 9] = { 0 };
	size_t first;

	packed_size = 0;
	add_frame(bytes, SMALL, true);
	first = packed_size;
	/* only the table has its size */
	add_frame(bytes + SMALL, SMALL, false);
	tl_zst_put32(table, TL_ZST_MAGIC_TABLE);
	tl_zst_put32(table + 4, 2 * 12 + 9);
	tl_zst_put32(table + 8, (uint32_t)first);
	tl_zst_put32(table + 12, SMALL);
	tl_zst_put32(table + 20, (uint32_t)(packed_size - first));
	tl_zst_put32(table + 24, SMALL);
	tl_zst_put32(table + 32, 2);
	table[36] = TL_ZST_HAS_CHECKSUMS | 1; /* a flag that has no meaning */
	tl_zst_put32(table + 37, TL_ZST_MAGIC_FOOTER);
	add(table, sizeof(table));
	expect_opens(bytes, 2 * SMALL);
	ck_assert_uint_eq(damages, 0);
	free(bytes);
}

TEST(what_cannot_be_sought_in_is_refused_with_the_place)
{
	uint8_t *zeros = calloc(1, TL_ZST_FRAME_MAX + 1);
	struct tl_fault fault = { 0 };
	struct tl_storage *storage;
	size_t at;

	packed_size = 0;
	add_frame("abc", 3, true);
	at = packed_size;
	add_frame(zeros, TL_ZST_FRAME_MAX + 1, true);
	ck_assert_int_eq(open_packed(&storage, &fault), -EFBIG);
	ck_assert_uint_eq(fault.at, at);
	packed_size = at;
	add_frame("abc", 3, false);
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(open_packed(&storage, &fault), -EFBIG);
	ck_assert_uint_eq(fault.at, at);
	packed_size = at;
	add("nothing of the kind", 19);
	fault = (struct tl_fault){ 0 };
	ck_assert_int_eq(open_packed(&storage, &fault), -EBADMSG);
	ck_assert_uint_eq(fault.at, at);
	free(zeros);
}

/* Make a table of equal rows behind so many bytes of noise. */
static void
make_bomb(uint32_t rows, uint32_t each, uint32_t decoded)
{
	uint8_t *noise = make_bytes((size_t)rows * each, 12);
	uint8_t row[8], foot[9] = { 0 };

	packed_size = 0;
	add(noise, (size_t)rows * each);
	tl_zst_put32(row, TL_ZST_MAGIC_TABLE);
	tl_zst_put32(row + 4, rows * 8 + 9);
	add(row, 8);
	tl_zst_put32(row, each);
	tl_zst_put32(row + 4, decoded);
	for (uint32_t i = 0; i < rows; i++)
		add(row, 8);
	tl_zst_put32(foot, rows);
	tl_zst_put32(foot + 5, TL_ZST_MAGIC_FOOTER);
	add(foot, 9);
	free(noise);
}

/*
 * A table claims that few bytes decode to very many: no memory is reserved for
 * them, and reading them reports the damage.
 */
TEST(a_bomb_does_not_go_off)
{
	struct tl_fault fault = { 0 };
	struct tl_storage *storage;
	uint8_t got[SMALL];

	/* more than the file can hold */
	make_bomb(100000, 0, TL_ZST_FRAME_MAX);
	ck_assert_int_eq(open_packed(&storage, &fault), 0);
	ck_assert_uint_eq(storage->size, 0);
	ck_assert_ok(tl_storage_read_at(storage, got, SMALL, 0));
	ck_assert_uint_eq(damages, 1);
	tl_storage_close(storage);
	/* as much as the file can hold */
	make_bomb(1000, 600, TL_ZST_FRAME_MAX);
	ck_assert_int_eq(open_packed(&storage, &fault), 0);
	ck_assert_uint_eq(storage->size, (uint64_t)1000 * TL_ZST_FRAME_MAX);
	for (uint64_t i = 0; i < 10; i++)
		ck_assert_int_eq(tl_storage_read_at(storage, got, SMALL,
				     i * 99 * TL_ZST_FRAME_MAX),
		    SMALL);
	ck_assert_uint_eq(damages, 10);
	tl_storage_close(storage);
}
