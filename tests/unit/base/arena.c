/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - texts in memory and in a file. */
#include "base/arena.h"
#include "lib/test.h"

#include <errno.h>
#include <stdlib.h>

static struct tl_arena heap;

static void
setup(void)
{
	tl_arena_init(&heap);
}

static void
teardown(void)
{
	tl_arena_free(&heap);
}

/* Text number n has any size, and the same bytes each time. */
static struct tl_bytes
text_of(uint64_t n, char *buffer)
{
	const size_t size = n * 2654435761u % 997;

	for (size_t i = 0; i < size; i++)
		buffer[i] = (char)(n * 31 + i);
	return tl_bytes(buffer, size);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(what_was_added_is_found_in_memory_and_in_the_file)
{
	enum { COUNT = 200000 };
	uint64_t *places = calloc(COUNT, sizeof(*places));
	char buffer[1000];

	for (uint64_t i = 0; i < COUNT; i++)
		ck_assert_ok(
		    tl_arena_add(&heap, text_of(i, buffer), &places[i]));
	ck_assert_uint_gt(heap.count, TL_ARENA_MEMORY_CHUNKS + 1);
	for (uint64_t i = COUNT; i-- > 0;)
		ck_assert(tl_bytes_equal(tl_arena_get(&heap, places[i]),
		    text_of(i, buffer)));
	free(places);
}

TEST(a_text_may_be_empty_or_fill_a_chunk_but_not_more)
{
	char *text = calloc(1, TL_ARENA_CHUNK);
	uint64_t empty, full, after;

	ck_assert_ok(tl_arena_add(&heap, tl_bytes(NULL, 0), &empty));
	ck_assert_ok(
	    tl_arena_add(&heap, tl_bytes(text, TL_ARENA_TEXT_MAX), &full));
	ck_assert_ok(tl_arena_add(&heap, tl_bytes_of("x"), &after));
	ck_assert_int_eq(tl_arena_add(&heap,
			     tl_bytes(text, TL_ARENA_TEXT_MAX + 1), &after),
	    -EINVAL);
	ck_assert_ptr_nonnull(tl_arena_get(&heap, empty).data);
	ck_assert_uint_eq(tl_arena_get(&heap, empty).size, 0);
	ck_assert_uint_eq(tl_arena_get(&heap, full).size, TL_ARENA_TEXT_MAX);
	ck_assert(tl_bytes_equal(tl_arena_get(&heap, after), tl_bytes_of("x")));
	free(text);
}

TEST(beyond_all_there_is_nothing)
{
	uint64_t place;

	ck_assert_ptr_null(tl_arena_get(&heap, 0).data);
	ck_assert_ok(tl_arena_add(&heap, tl_bytes_of("x"), &place));
	ck_assert_ptr_null(tl_arena_get(&heap, place + 8).data);
	ck_assert_ptr_null(tl_arena_get(&heap, UINT64_MAX >> 1).data);
}

TEST(no_folder_for_the_file_is_an_error)
{
	char *text = calloc(1, TL_ARENA_TEXT_MAX);
	const struct tl_bytes whole = tl_bytes(text, TL_ARENA_TEXT_MAX);
	uint64_t place;

	setenv("TMPDIR", "/nonexistent", 1);
	for (int i = 0; i < TL_ARENA_MEMORY_CHUNKS; i++)
		ck_assert_ok(tl_arena_add(&heap, whole, &place));
	ck_assert_int_eq(tl_arena_add(&heap, whole, &place), -ENOENT);
	unsetenv("TMPDIR");
	ck_assert_ok(tl_arena_add(&heap, whole, &place));
	free(text);
}
