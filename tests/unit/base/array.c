/* SPDX-License-Identifier: Apache-2.0 */
/* array.c - arrays keep their content while they grow. */
#include "base/array.h"
#include "lib/test.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

TEST(what_is_in_an_array_stays_while_it_grows)
{
	enum { COUNT = 10000 };
	uint64_t *numbers = NULL;
	size_t capacity = 0, moved = 0;

	for (size_t i = 0; i < COUNT; i++) {
		const size_t before = capacity;

		ck_assert_int_eq(TL_ARRAY_ROOM(numbers, capacity, i), 0);
		ck_assert_uint_gt(capacity, i);
		moved += capacity != before;
		numbers[i] = i * 3;
	}
	ck_assert_uint_lt(moved, 16);
	for (size_t i = 0; i < COUNT; i++)
		ck_assert_uint_eq(numbers[i], i * 3);
	free(numbers);
}

TEST(elements_that_were_never_set_are_zeros)
{
	struct element {
		char bytes[24];
	} *elements = NULL;
	size_t capacity = 0;

	for (size_t i = 0; i < 1000; i += 37) {
		ck_assert_int_eq(TL_ARRAY_ZEROS(elements, capacity, i), 0);
		ck_assert_uint_gt(capacity, i);
		elements[i].bytes[0] = 'x';
	}
	for (size_t i = 0; i < capacity; i++) {
		ck_assert_int_eq(elements[i].bytes[0],
		    i % 37 == 0 && i < 1000 ? 'x' : 0);
		ck_assert_int_eq(elements[i].bytes[23], 0);
	}
	free(elements);
}

TEST(one_that_cannot_grow_stays_as_it_is)
{
	size_t capacity = 0, before;
	char *bytes = NULL;

	ck_assert_int_eq(TL_ARRAY_ROOM(bytes, capacity, 0), 0);
	before = capacity;
	bytes[0] = 'x';
	ck_assert_int_eq(TL_ARRAY_ROOM(bytes, capacity, SIZE_MAX - 1), -ENOMEM);
	ck_assert_int_eq(tl_array_grow(&bytes, &capacity, before, SIZE_MAX / 2,
			     true),
	    -ENOMEM);
	ck_assert_uint_eq(capacity, before);
	ck_assert_int_eq(bytes[0], 'x');
	free(bytes);
}
