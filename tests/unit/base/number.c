/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - numbers, compared with the results of strtoull. */
#include "base/text.h"
#include "lib/random.h"
#include "lib/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_SIZE = 64 };

/* Use memory of exactly this size, so that a sanitizer sees reads behind it. */
static void
check_take(const char *text, size_t size)
{
	char *copy = malloc(size ? size : 1);
	char digits[TEXT_SIZE] = "";
	size_t count = 0, got;
	uint64_t n = 0, want;

	memcpy(copy, text, size);
	while (count < size && text[count] >= '0' && text[count] <= '9')
		count++;
	memcpy(digits, text, count);
	errno = 0;
	want = strtoull(digits, NULL, 10);
	got = tl_number_take(tl_bytes(copy, size), &n);
	if (errno == ERANGE || count == 0) {
		ck_assert_msg(got == 0, "%.*s", (int)size, text);
	} else {
		ck_assert_msg(got == count, "%.*s", (int)size, text);
		ck_assert_uint_eq(n, want);
	}
	free(copy);
}

TEST_FILE(.timeout = 60);

TEST(a_number_is_taken_as_far_as_it_goes)
{
	uint64_t state = 1;

	for (unsigned i = 0; i < 200000; i++) {
		char text[TEXT_SIZE];
		const size_t digits = random_below(&state, 23);
		const size_t size = digits + random_below(&state, 12);

		for (size_t k = 0; k < size; k++)
			text[k] = k < digits
				      ? (char)('0' + random_below(&state, 10))
				      : (char)random_next(&state);
		check_take(text, size);
	}
}

TEST(every_byte_beside_digits_ends_a_number)
{
	for (unsigned c = 0; c < 256; c++) {
		for (size_t at = 0; at < 20; at++) {
			char text[TEXT_SIZE];

			memset(text, '9', sizeof(text));
			text[at] = (char)c;
			if (c < '0' || c > '9')
				check_take(text, 24);
		}
	}
}

TEST(a_double_comes_back_bit_by_bit)
{
	static const char *const bad[] = { "", "1.", ".5", "+1", "1e", "0x1",
		"nan1", "Inf", "1,5", " 1", "1e5.5" };
	uint64_t state = 3, bits;

	for (unsigned i = 0; i < 100000; i++) {
		const uint64_t want = random_next(&state);
		char text[TEXT_SIZE];
		double value;

		memcpy(&value, &want, sizeof(value));
		if (value != value)
			continue;
		snprintf(text, sizeof(text), "%.17g", value);
		ck_assert_ok(tl_number_double(tl_bytes_of(text), &bits));
		ck_assert_uint_eq(bits, want);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(tl_number_double(tl_bytes_of(bad[i]), &bits),
		    -EINVAL);
}
