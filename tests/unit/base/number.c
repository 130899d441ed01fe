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
	ck_assert_int_eq(tl_number_unsigned(tl_bytes(copy, size), copy + size,
			     &n),
	    got > 0 && got == size ? 0 : -EINVAL);
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

TEST(the_ends_of_the_ranges_are_numbers)
{
	static const struct {
		const char *text;
		int unsigned_rc, signed_rc, small_rc;
	} numbers[] = {
		{ "18446744073709551615", 0, -EINVAL, -EINVAL },
		{ "18446744073709551616", -EINVAL, -EINVAL, -EINVAL },
		{ "99999999999999999999", -EINVAL, -EINVAL, -EINVAL },
		{ "00000000000000000000000001", 0, 0, 0 },
		{ "9223372036854775807", 0, 0, -EINVAL },
		{ "9223372036854775808", 0, -EINVAL, -EINVAL },
		{ "-9223372036854775808", -EINVAL, 0, -EINVAL },
		{ "-9223372036854775809", -EINVAL, -EINVAL, -EINVAL },
		{ "4294967295", 0, 0, 0 },
		{ "4294967296", 0, 0, -EINVAL },
		{ "", -EINVAL, -EINVAL, -EINVAL },
		{ "-", -EINVAL, -EINVAL, -EINVAL },
		{ "--1", -EINVAL, -EINVAL, -EINVAL },
		{ "+1", -EINVAL, -EINVAL, -EINVAL },
		{ "1 ", -EINVAL, -EINVAL, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct tl_bytes field = tl_bytes_of(numbers[i].text);
		const char *end = field.data + field.size;
		uint64_t n;
		int64_t sn;
		uint32_t small;

		ck_assert_int_eq(tl_number_unsigned(field, end, &n),
		    numbers[i].unsigned_rc);
		ck_assert_int_eq(tl_number_signed(field, end, &sn),
		    numbers[i].signed_rc);
		ck_assert_int_eq(tl_number_small(field, end, &small),
		    numbers[i].small_rc);
		if (numbers[i].signed_rc == 0)
			ck_assert_int_eq(sn, strtoll(field.data, NULL, 10));
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
		ck_assert_int_eq(tl_number_double(tl_bytes_of(text), &bits), 0);
		ck_assert_uint_eq(bits, want);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(tl_number_double(tl_bytes_of(bad[i]), &bits),
		    -EINVAL);
}

TEST(a_size_is_a_number_and_a_unit)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t size;
	} cases[] = { { "0", 0, 0 }, { "64", 0, 64 }, { "1k", 0, 1 << 10 },
		{ "3M", 0, 3 << 20 }, { "2G", 0, UINT64_C(2) << 30 },
		{ "5t", 0, UINT64_C(5) << 40 }, { "0x10", 0, 16 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "16777215T", 0, UINT64_C(16777215) << 40 },
		{ "16777216T", -ERANGE, 0 }, { "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 }, { "1KB", -EINVAL, 0 },
		{ "1 K", -EINVAL, 0 }, { "-1", -EINVAL, 0 },
		{ "1.5M", -EINVAL, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t size = 0;

		ck_assert_int_eq(tl_parse_size(cases[i].text, &size),
		    cases[i].rc);
		if (cases[i].rc == 0)
			ck_assert_uint_eq(size, cases[i].size);
	}
}
