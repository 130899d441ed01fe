/* SPDX-License-Identifier: Apache-2.0 */
/* mutf8.c - Java's modified UTF-8, in both directions and for any bytes. */
#include "base/utf8.h"
#include "lib/random.h"
#include "lib/test.h"

#include <stdlib.h>

static struct tl_text text;

static void
setup(void)
{
	text = (struct tl_text){ 0 };
}

static void
teardown(void)
{
	tl_text_free(&text);
}

#define BYTES(literal) tl_bytes(literal, sizeof(literal) - 1)

static void
check_text(struct tl_bytes want)
{
	ck_assert_uint_eq(text.size, want.size);
	ck_assert_mem_eq(text.size ? text.data : "", want.data, want.size);
	tl_text_clear(&text);
}

/* The same characters in both encodings. */
static const struct {
	struct tl_bytes utf8;
	struct tl_bytes modified;
} pairs[] = {
	{ { "", 0 }, { "", 0 } },
	{ { "Thread-1", 8 }, { "Thread-1", 8 } },
	{ { "\x7f", 1 }, { "\x7f", 1 } },
	{ { "a\0b", 3 }, { "a\xc0\x80"
			   "b",
			     4 } },
	{ { "\xc3\xa9\xdf\xbf", 4 }, { "\xc3\xa9\xdf\xbf", 4 } },
	{ { "\xe0\xa0\x80\xef\xbf\xbf", 6 },
	    { "\xe0\xa0\x80\xef\xbf\xbf", 6 } },
	{ { "\xf0\x90\x80\x80", 4 }, { "\xed\xa0\x80\xed\xb0\x80", 6 } },
	{ { "\xf0\x9f\x98\x80", 4 }, { "\xed\xa0\xbd\xed\xb8\x80", 6 } },
	{ { "\xf4\x8f\xbf\xbf", 4 }, { "\xed\xaf\xbf\xed\xbf\xbf", 6 } },
	/* unpaired surrogates, in any order */
	{ { "\xed\xa0\x80", 3 }, { "\xed\xa0\x80", 3 } },
	{ { "x\xed\xbf\xbfy", 5 }, { "x\xed\xbf\xbfy", 5 } },
	{ { "\xed\xb0\x80\xed\xa0\x80", 6 },
	    { "\xed\xb0\x80\xed\xa0\x80", 6 } },
};

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(the_two_kinds_say_the_same, .to = sizeof(pairs) / sizeof(pairs[0]))
{
	ck_assert(tl_mutf8_decode(&text, pairs[_i].modified));
	check_text(pairs[_i].utf8);
	ck_assert(tl_mutf8_encode(&text, pairs[_i].utf8, TL_MUTF8_SIZE_MAX));
	check_text(pairs[_i].modified);
}

TEST(every_character_comes_back)
{
	char utf8[4];

	for (uint32_t code = 0; code < 0x110000; code++) {
		struct tl_text coded = { 0 };
		uint32_t again;
		size_t size = 0;

		if (code < 0x80) {
			utf8[size++] = (char)code;
		} else if (code < 0x800) {
			utf8[size++] = (char)(0xc0 | code >> 6);
			utf8[size++] = (char)(0x80 | (code & 63));
		} else if (code < 0x10000) {
			utf8[size++] = (char)(0xe0 | code >> 12);
			utf8[size++] = (char)(0x80 | (code >> 6 & 63));
			utf8[size++] = (char)(0x80 | (code & 63));
		} else {
			utf8[size++] = (char)(0xf0 | code >> 18);
			utf8[size++] = (char)(0x80 | (code >> 12 & 63));
			utf8[size++] = (char)(0x80 | (code >> 6 & 63));
			utf8[size++] = (char)(0x80 | (code & 63));
		}
		ck_assert(tl_mutf8_encode(&coded, tl_bytes(utf8, size), 6));
		ck_assert(
		    tl_mutf8_decode(&text, tl_bytes(coded.data, coded.size)));
		ck_assert(memchr(coded.data, '\0', coded.size) == NULL);
		if (code < 0xd800 || code > 0xdfff) {
			ck_assert_uint_eq(tl_utf8_decode(tl_bytes(text.data,
							     text.size),
					      0, &again),
			    size);
			ck_assert_uint_eq(again, code);
		}
		check_text(tl_bytes(utf8, size));
		tl_text_free(&coded);
	}
}

#define BAD "\xef\xbf\xbd"

TEST(what_java_would_not_read_is_replaced)
{
	ck_assert(!tl_mutf8_decode(&text, BYTES("a\xff"
						"b")));
	check_text(BYTES("a" BAD "b"));
	ck_assert(!tl_mutf8_decode(&text, BYTES("\x80")));
	check_text(BYTES(BAD));
	/* a truncated character */
	ck_assert(!tl_mutf8_decode(&text, BYTES("\xc3")));
	check_text(BYTES(BAD));
	ck_assert(!tl_mutf8_decode(&text, BYTES("\xe2\x82")));
	check_text(BYTES(BAD BAD));
	ck_assert(!tl_mutf8_decode(&text, BYTES("\xf0\x9f\x98\x80")));
	check_text(BYTES(BAD BAD BAD BAD));
	ck_assert(!tl_mutf8_decode(&text, BYTES("\xed\xa0\xbd\xed\xb8")));
	check_text(BYTES("\xed\xa0\xbd" BAD BAD));
}

/* Java accepts more bytes than the shortest form has. */
TEST(more_bytes_than_a_character_needs_are_read)
{
	ck_assert(tl_mutf8_decode(&text, BYTES("\xc1\x81\xe0\x81\x81")));
	check_text(BYTES("AA"));
}

TEST(what_is_not_utf8_is_replaced)
{
	ck_assert(
	    !tl_mutf8_encode(&text, BYTES("a\xff\xc3"), TL_MUTF8_SIZE_MAX));
	check_text(BYTES("a" BAD BAD));
	ck_assert(!tl_mutf8_encode(&text, BYTES("\xed\xa0"), 100));
	check_text(BYTES(BAD BAD));
	ck_assert(!tl_mutf8_encode(&text, BYTES("\xf4\x90\x80\x80"), 100));
	check_text(BYTES(BAD BAD BAD BAD));
}

TEST(a_text_is_cut_between_characters)
{
	ck_assert(!tl_mutf8_encode(&text, BYTES("abc"), 2));
	check_text(BYTES("ab"));
	ck_assert(tl_mutf8_encode(&text, BYTES("abc"), 3));
	check_text(BYTES("abc"));
	ck_assert(!tl_mutf8_encode(&text, BYTES("ab\xf0\x9f\x98\x80"), 7));
	check_text(BYTES("ab"));
	ck_assert(!tl_mutf8_encode(&text, tl_bytes("\0", 1), 1));
	check_text(BYTES(""));
}

/* Java reads whatever is encoded, and decoding returns the characters. */
TEST(any_bytes_become_good_ones)
{
	uint64_t state = 1;
	char bytes[24];

	for (unsigned round = 0; round < 20000; round++) {
		struct tl_text coded = { 0 }, again = { 0 };
		const size_t size = random_below(&state, sizeof(bytes));
		static const uint8_t leads[] = { 0, 'a', 0x80, 0xbf, 0xc0, 0xc3,
			0xe0, 0xed, 0xa0, 0xb0, 0xf0, 0xff };

		for (size_t i = 0; i < size; i++)
			bytes[i] =
			    (char)leads[random_below(&state, sizeof(leads))];
		tl_mutf8_encode(&coded, tl_bytes(bytes, size),
		    TL_MUTF8_SIZE_MAX);
		ck_assert(
		    tl_mutf8_decode(&text, tl_bytes(coded.data, coded.size)));
		ck_assert(tl_mutf8_encode(&again,
		    tl_bytes(text.data, text.size), TL_MUTF8_SIZE_MAX));
		ck_assert(tl_bytes_equal(tl_bytes(coded.data, coded.size),
		    tl_bytes(again.data, again.size)));
		tl_text_clear(&text);
		tl_text_free(&coded);
		tl_text_free(&again);
	}
}
