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

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

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
