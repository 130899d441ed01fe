/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - the text builder, and numbers and times as text. */
#include "base/text.h"
#include "lib/test.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Steele and Vigna's splitmix: every run uses the same numbers. */
static uint64_t seed;

static uint64_t
next_random(void)
{
	uint64_t z = (seed += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Every magnitude is equally likely. */
static uint64_t
next_magnitude(void)
{
	return next_random() >> (next_random() % 64);
}

static struct tl_text text;

static void
setup(void)
{
	seed = 1;
	text = (struct tl_text){ 0 };
}

static void
teardown(void)
{
	tl_text_free(&text);
}

/*
 * Compare the text, and clear it. libcheck writes to a pipe for each assertion,
 * so millions of comparisons are made here first.
 */
#define ASSERT_TEXT(want) \
	do { \
		if (strcmp(tl_text_string(&text), want) != 0) \
			ck_assert_str_eq(tl_text_string(&text), want); \
		if (text.rc != 0) \
			ck_assert_int_eq(text.rc, 0); \
		tl_text_clear(&text); \
	} while (0)

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(an_empty_text_is_an_empty_string)
{
	ck_assert_str_eq(tl_text_string(&text), "");
	tl_put_bytes(&text, tl_bytes(NULL, 0));
	tl_put_repeat(&text, 'x', 0);
	ASSERT_TEXT("");
}

TEST(a_text_grows_byte_by_byte_and_keeps_all)
{
	for (unsigned i = 0; i < 100000; i++)
		tl_put_char(&text, (char)('a' + i % 26));
	ck_assert_uint_eq(text.size, 100000);
	for (unsigned i = 0; i < 100000; i++) {
		if (text.data[i] != (char)('a' + i % 26))
			ck_abort_msg("byte %u is '%c'", i, text.data[i]);
	}
	ck_assert_uint_eq(strlen(tl_text_string(&text)), 100000);
}

TEST(a_reservation_leaves_room_for_the_nul)
{
	for (size_t size = 1; size < 2000; size++) {
		ck_assert_ptr_nonnull(tl_text_reserve(&text, size));
		ck_assert_uint_gt(text.capacity, text.size + size);
		tl_text_free(&text);
	}
}

TEST(the_first_failure_stays_and_nothing_is_added_after_it)
{
	tl_put_string(&text, "kept");
	ck_assert_ptr_null(tl_text_reserve(&text, SIZE_MAX - 10));
	ck_assert_int_eq(text.rc, -ENOMEM);
	tl_put_char(&text, 'x');
	tl_put_unsigned(&text, 7);
	tl_put_plain(&text, tl_bytes_of("y"));
	ck_assert_str_eq(tl_text_string(&text), "kept");
	ck_assert_int_eq(text.rc, -ENOMEM);
}

TEST(formatted_text_of_any_length_is_whole)
{
	char long_one[1000];

	memset(long_one, 'z', sizeof(long_one));
	long_one[999] = '\0';
	tl_put_format(&text, "%d-%s", 42, "x");
	ASSERT_TEXT("42-x");
	tl_put_format(&text, "%s", long_one);
	ASSERT_TEXT(long_one);
}

static void
check_number(uint64_t n)
{
	char want[64];

	snprintf(want, sizeof(want), "%" PRIu64, n);
	tl_put_unsigned(&text, n);
	ASSERT_TEXT(want);
	snprintf(want, sizeof(want), "%" PRId64, (int64_t)n);
	tl_put_signed(&text, (int64_t)n);
	ASSERT_TEXT(want);
	snprintf(want, sizeof(want), "0x%" PRIx64, n);
	tl_put_hex(&text, n);
	ASSERT_TEXT(want);
}

TEST(whole_numbers_print_as_printf_prints_them)
{
	uint64_t power = 1;

	for (unsigned i = 0; i < 20; i++, power *= 10) {
		check_number(power - 1);
		check_number(power);
		check_number(power + 1);
	}
	for (unsigned i = 0; i < 64; i++)
		check_number((uint64_t)1 << i);
	check_number(UINT64_MAX);
	check_number((uint64_t)INT64_MIN);
	for (unsigned i = 0; i < 20000; i++)
		check_number(next_magnitude());
}

/* Digits are converted eight and sixteen at a time. */
TEST(each_four_digits_are_right_at_each_place_of_a_number)
{
	for (uint64_t n = 0; n < 10000; n++) {
		check_number(n * 10000 + 9999 - n);
		check_number(n * 1000000000000 + (9999 - n) * 100000000 +
			     n * 10000 + (9999 - n));
		check_number((n + 1) % 1844 * 10000000000000000 +
			     n * 1000000000000 + (9999 - n) * 100000000 +
			     (9999 - n) * 10000 + n);
	}
}

TEST(a_number_takes_no_more_bytes_than_its_digits)
{
	uint64_t power = 1;

	for (unsigned digits = 1; digits <= 20; digits++, power *= 10) {
		char memory[64], untouched[64];
		char *end;

		memset(memory, 'x', sizeof(memory));
		memset(untouched, 'x', sizeof(untouched));
		end = tl_write_unsigned(memory, power);
		ck_assert_uint_eq((size_t)(end - memory), digits);
		ck_assert_mem_eq(end, untouched, sizeof(memory) - digits);
	}
}

/* The reference: the first precision that reads back as the same value. */
static void
check_double(double value)
{
	char want[64];

	for (int precision = 15; precision <= 17; precision++) {
		snprintf(want, sizeof(want), "%.*g", precision, value);
		if (strtod(want, NULL) == value)
			break;
	}
	tl_put_double(&text, value);
	ASSERT_TEXT(want);
}

TEST(doubles_print_in_the_shortest_form_that_reads_back)
{
	static const double values[] = { 0.0, -0.0, 1, -1, 0.1, 0.3, 2.5, 1e15,
		999999999999999, 123456789.123456, 1e-4, 0.00012, 1e-5, 9e-5,
		1e-300, 1e300, 4.9e-324, 1.7976931348623157e308, 100, 1e6,
		0.000001, 0.1234567, 1000000.000001 };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check_double(values[i]);
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t bits = next_random();
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			check_double(value);
		check_double((double)(int64_t)next_magnitude() / 1e3);
		check_double((double)next_magnitude() / 7);
	}
}

TEST(doubles_that_are_no_numbers_are_words)
{
	tl_put_double(&text, INFINITY);
	ASSERT_TEXT("inf");
	tl_put_double(&text, -INFINITY);
	ASSERT_TEXT("-inf");
	tl_put_double(&text, NAN);
	ASSERT_TEXT("nan");
	tl_put_double(&text, -NAN);
	ASSERT_TEXT("nan");
}

/* Compare with the calendar of the C library. */
static void
check_time(int64_t ns, struct tl_time_cache *cache)
{
	int64_t second = ns / 1000000000, rest = ns % 1000000000;
	char date[64], want[128];
	struct tm tm;
	time_t t;

	if (rest < 0) {
		rest += 1000000000;
		second--;
	}
	t = (time_t)second;
	gmtime_r(&t, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(want, sizeof(want), "%s.%09d+00:00", date, (int)rest);
	tl_put_time(&text, ns);
	ASSERT_TEXT(want);
	tl_put_time_cached(&text, cache, ns);
	ASSERT_TEXT(want);
}

TEST(times_are_those_of_the_system_calendar)
{
	struct tl_time_cache cache = { 0 };

	tl_put_time(&text, 1795202658123456789);
	ASSERT_TEXT("2026-11-20T19:24:18.123456789+00:00");
	check_time(0, &cache);
	check_time(-1, &cache);
	check_time(1, &cache);
	check_time(INT64_MIN, &cache);
	check_time(INT64_MIN + 1, &cache);
	check_time(INT64_MAX, &cache);
	check_time(INT64_MIN, &cache);
	for (unsigned i = 0; i < 50000; i++)
		check_time((int64_t)next_random(), &cache);
}

TEST(every_day_of_the_calendar_has_its_date)
{
	struct tl_time_cache cache = { 0 };

	for (int64_t day = -106751; day <= 106751; day++)
		check_time(day * 86400 * 1000000000, &cache);
}

TEST(a_kept_second_is_left_and_entered_in_both_directions)
{
	struct tl_time_cache cache = { 0 };
	int64_t ns = 1795202658123456789;

	for (unsigned i = 0; i < 20000; i++) {
		check_time(ns, &cache);
		ns += (int64_t)(next_random() % 600000000) - 300000000;
	}
}

TEST(a_line_is_cut_between_characters)
{
	struct tl_text line = { 0 };

	tl_put_string(&line, "before a\xe6\xbc\xa2\xe6\xbc\xa2z");
	tl_text_cut(&line, 7, 6, "...");
	ck_assert_str_eq(tl_text_string(&line),
	    "before a\xe6\xbc\xa2\xe6\xbc\xa2z");
	tl_text_cut(&line, 7, 4, ""); /* half a character is cut off */
	ck_assert_str_eq(tl_text_string(&line), "before a\xe6\xbc\xa2");
	tl_text_cut(&line, 0, 8, "...");
	ck_assert_str_eq(tl_text_string(&line), "befor...");
	tl_text_cut(&line, 3, 0, "");
	ck_assert_str_eq(tl_text_string(&line), "bef");
	tl_text_free(&line);
}
