/* SPDX-License-Identifier: Apache-2.0 */
/* escape.c - how foreign bytes are escaped, and how wide they are. */
#include "base/text.h"
#include "base/utf8.h"
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

TEST_FILE(.setup = setup, .teardown = teardown);

/* Test any byte at any place of a word of eight, next to any neighbour. */
TEST(the_fast_scan_finds_every_odd_byte_at_every_place)
{
	for (unsigned c = 0; c < 0x80; c++) {
		const bool odd = c < 0x20 || c == 0x7f || c == '\\';

		for (size_t at = 0; at < 24; at++) {
			char data[24];

			memset(data, at & 1 ? '~' : ' ', sizeof(data));
			data[at] = (char)c;
			tl_put_plain(&text, tl_bytes(data, sizeof(data)));
			ck_assert_uint_eq(text.size > sizeof(data), odd);
			tl_text_clear(&text);
			tl_put_json(&text, tl_bytes(data, sizeof(data)));
			ck_assert_uint_eq(text.size > sizeof(data),
			    odd || c == '"');
			tl_text_clear(&text);
		}
	}
}

/* Encode a character in UTF-8 as the standard describes it. */
static size_t
encode(uint32_t code, char *to)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

TEST(every_character_decodes_to_itself)
{
	for (uint32_t code = 0; code < 0x110000; code++) {
		char data[4];
		const size_t size = encode(code, data);
		const bool surrogate = code >= 0xd800 && code < 0xe000;
		uint32_t got = 0;

		if (tl_utf8_decode(tl_bytes(data, size), 0, &got) !=
		    (surrogate ? 0 : size))
			ck_abort_msg("U+%04X has another size", code);
		if (!surrogate && got != code)
			ck_abort_msg("U+%04X is taken for %04X", code, got);
	}
}

TEST(text_is_cut_by_what_a_terminal_shows)
{
	const struct tl_bytes wide = tl_bytes_of("a\xe4\xb8\xad\xe4\xb8\xad"
						 "b");
	unsigned used;

	ck_assert_uint_eq(tl_utf8_fit(wide, 10, &used), 8);
	ck_assert_uint_eq(used, 6);
	ck_assert_uint_eq(tl_utf8_fit(wide, 3, &used), 4);
	ck_assert_uint_eq(used, 3);
	ck_assert_uint_eq(tl_utf8_fit(wide, 2, &used), 1);
	ck_assert_uint_eq(used, 1);
	/* one character always fits, so that wrapping makes progress */
	ck_assert_uint_eq(tl_utf8_fit(tl_bytes_of("\xe4\xb8\xad"), 1, &used),
	    3);
	ck_assert_uint_eq(tl_utf8_fit(tl_bytes("", 0), 5, &used), 0);
}
