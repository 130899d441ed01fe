/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - the parts of a file in memory read as the whole file would. */
#include "snap/parts.h"
#include "lib/random.h"
#include "lib/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 64 << 10, PIECE = 256, PIECES = SIZE / PIECE, ROUNDS = 300 };

/* Names begin at NAMES, strings at STRINGS, and entries at ENTRIES. */
enum { NAMES = 8 << 10, STRINGS = 16 << 10, ENTRIES = 32 << 10 };

static uint8_t file[SIZE];  /* the live file */
static uint8_t model[SIZE]; /* the bytes that a reader of the parts expects */
static bool taken[PIECES];
static struct tl_parts parts;
static int live;
static uint64_t seed;

static void
setup(void)
{
	const struct timeline_header geometry = { .names_offset = NAMES,
		.names_max = (STRINGS - NAMES) / TIMELINE_NAME_SIZE,
		.strings_offset = STRINGS,
		.strings_size = ENTRIES - STRINGS };

	memset(file, 'f', sizeof(file));
	live = memfd_create("live", MFD_CLOEXEC);
	ck_assert_int_ge(live, 0);
	ck_assert_ok(tl_write_at(live, file, sizeof(file), 0));
	tl_parts_init(&parts, live, &geometry);
}

static void
teardown(void)
{
	tl_parts_free(&parts);
	close(live);
}

/*
 * Start without parts: the windows read as the file, all other bytes as zeros.
 */
static void
begin(void)
{
	tl_parts_clear(&parts, SIZE);
	memset(model, 0, sizeof(model));
	memset(model, 'f', sizeof(struct timeline_header));
	memset(model + NAMES, 'f', ENTRIES - NAMES);
	memset(taken, 0, sizeof(taken));
}

/* Add some adjacent pieces that were not added before. */
static void
add_pieces(void)
{
	const size_t first = random_below(&seed, PIECES);
	size_t count = 0;
	uint8_t data[4 * PIECE];

	while (count < 4 && first + count < PIECES && !taken[first + count])
		taken[first + count++] = true;
	if (count == 0)
		return;
	for (size_t i = 0; i < count * PIECE; i++)
		data[i] = (uint8_t)random_below(&seed, 256);
	ck_assert_ok(tl_parts_add(&parts, data, count * PIECE, first * PIECE));
	memcpy(model + first * PIECE, data, count * PIECE);
}

static void
zero_some(void)
{
	const uint64_t at = ENTRIES + random_below(&seed, SIZE - ENTRIES);
	const uint64_t size = random_below(&seed, SIZE - at);

	tl_parts_zero(&parts, size, at);
	memset(model + at, 0, size);
}

static void
expect_model(uint64_t at, size_t size)
{
	static uint8_t data[SIZE];
	const size_t there = at + size > SIZE ? SIZE - at : size;

	ck_assert_int_eq(tl_storage_read_at(&parts.storage, data, size, at),
	    (int64_t)there);
	ck_assert_mem_eq(data, model + at, there);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(without_parts_windows_are_read_and_all_else_is_zero)
{
	begin();
	expect_model(0, SIZE);
	ck_assert_ok(tl_storage_read_at(&parts.storage, file, 1, SIZE));
}

TEST(parts_read_as_they_were_put_in_any_order)
{
	for (int round = 0; round < random_rounds(ROUNDS); round++) {
		begin();
		for (int i = 0; i < 40; i++) {
			add_pieces();
			if (i % 8 == 7)
				zero_some();
			expect_model(random_below(&seed, SIZE),
			    random_below(&seed, SIZE / 2));
		}
		expect_model(0, SIZE);
	}
}

TEST(a_window_to_a_file_that_was_truncated_reads_as_zeros)
{
	begin();
	ck_assert_ok(tl_file_resize(live, NAMES + 100));
	memset(model + NAMES + 100, 0, ENTRIES - NAMES - 100);
	expect_model(0, SIZE);
}
