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

/* A literal that may hold NULs. */
#define BYTES(literal) tl_bytes(literal, sizeof(literal) - 1)

#define ASSERT_PUT(put, literal, want) \
	do { \
		put(&text, BYTES(literal)); \
		ck_assert_str_eq(tl_text_string(&text), want); \
		tl_text_clear(&text); \
	} while (0)

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(plain_text_stays_as_it_is)
{
	ASSERT_PUT(tl_put_plain, "", "");
	ASSERT_PUT(tl_put_plain, "processed tcp(10), udp(20)",
	    "processed tcp(10), udp(20)");
	ASSERT_PUT(tl_put_plain, "\"quotes\" and, commas",
	    "\"quotes\" and, commas");
	ASSERT_PUT(tl_put_plain, "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5",
	    "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5");
	ASSERT_PUT(tl_put_plain, "\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!");
}

TEST(plain_text_has_no_control_bytes)
{
	ASSERT_PUT(tl_put_plain, "a\nb\tc\\d", "a\\nb\\tc\\\\d");
	ASSERT_PUT(tl_put_plain, "\x1b[31m", "\\x1b[31m");
	ASSERT_PUT(tl_put_plain, "a\0b", "a\\x00b");
	ASSERT_PUT(tl_put_plain, "\x7f\r", "\\x7f\\x0d");
	ASSERT_PUT(tl_put_plain, "long enough to be scanned\x1b",
	    "long enough to be scanned\\x1b");
}

TEST(plain_text_has_no_characters_that_steer)
{
	ASSERT_PUT(tl_put_plain, "\xc2\x9b", "\\xc2\\x9b");
	ASSERT_PUT(tl_put_plain, "\xc2\x80\xc2\x9f\xc2\xa0",
	    "\\xc2\\x80\\xc2\\x9f\xc2\xa0");
	ASSERT_PUT(tl_put_plain, "\xe2\x80\xa8\xe2\x80\xa9",
	    "\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
	ASSERT_PUT(tl_put_plain, "\xe2\x80\xae", "\\xe2\\x80\\xae");
	ASSERT_PUT(tl_put_plain, "\xe2\x81\xa6", "\\xe2\\x81\\xa6");
	ASSERT_PUT(tl_put_plain, "\xd8\x9c", "\\xd8\\x9c");
	ASSERT_PUT(tl_put_plain, "\xef\xbb\xbf", "\\xef\\xbb\\xbf");
}

TEST(what_is_not_utf8_is_shown_byte_by_byte)
{
	ASSERT_PUT(tl_put_plain, "\xff", "\\xff");
	ASSERT_PUT(tl_put_plain, "\xc3", "\\xc3");
	ASSERT_PUT(tl_put_plain, "\xc3(", "\\xc3(");
	ASSERT_PUT(tl_put_plain, "\xc0\xaf", "\\xc0\\xaf");
	ASSERT_PUT(tl_put_plain, "\xe0\x80\xaf", "\\xe0\\x80\\xaf");
	ASSERT_PUT(tl_put_plain, "\xed\xa0\x80", "\\xed\\xa0\\x80");
	ASSERT_PUT(tl_put_plain, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	ASSERT_PUT(tl_put_plain, "\xe6\x97", "\\xe6\\x97");
}

TEST(lines_keep_their_newlines_only)
{
	ASSERT_PUT(tl_put_lines, "a\nb\tc\x1b", "a\nb\\tc\\x1b");
}

TEST(json_strings_are_escaped_inside)
{
	ASSERT_PUT(tl_put_json, "plain text of some length",
	    "plain text of some length");
	ASSERT_PUT(tl_put_json, "say \"hi\"\\", "say \\\"hi\\\"\\\\");
	ASSERT_PUT(tl_put_json, "a\nb\tc\rd\0", "a\\nb\\tc\\u000dd\\u0000");
	ASSERT_PUT(tl_put_json, "\x1b\x7f", "\\u001b\\u007f");
	ASSERT_PUT(tl_put_json, "\xc2\x9b", "\\u009b");
	ASSERT_PUT(tl_put_json, "\xe2\x80\xa8\xe2\x80\xae", "\\u2028\\u202e");
	ASSERT_PUT(tl_put_json, "\xef\xbb\xbf", "\\ufeff");
	ASSERT_PUT(tl_put_json, "a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd");
	ASSERT_PUT(tl_put_json, "\xc3\xbc", "\xc3\xbc");
}

TEST(csv_fields_are_quoted_when_they_need_to_be)
{
	ASSERT_PUT(tl_put_csv, "", "");
	ASSERT_PUT(tl_put_csv, "plain", "plain");
	ASSERT_PUT(tl_put_csv, "a,b", "\"a,b\"");
	ASSERT_PUT(tl_put_csv, "say \"hi\"", "\"say \"\"hi\"\"\"");
	ASSERT_PUT(tl_put_csv, "two\nlines", "two\\nlines");
	ASSERT_PUT(tl_put_csv, "back\\slash", "back\\\\slash");
}

TEST(csv_fields_are_no_formulas)
{
	ASSERT_PUT(tl_put_csv, "=1+1", "'=1+1");
	ASSERT_PUT(tl_put_csv, "+1", "'+1");
	ASSERT_PUT(tl_put_csv, "-1", "'-1");
	ASSERT_PUT(tl_put_csv, "@x", "'@x");
	ASSERT_PUT(tl_put_csv, "'x", "''x");
	ASSERT_PUT(tl_put_csv, "=a,b", "\"'=a,b\"");
	ASSERT_PUT(tl_put_csv, "\t=1", "\\t=1");
	ASSERT_PUT(tl_put_csv, "a=b", "a=b");
}

TEST(text_of_xml_is_no_markup)
{
	ASSERT_PUT(tl_put_xml, "", "");
	ASSERT_PUT(tl_put_xml, "plain \\n", "plain \\n");
	ASSERT_PUT(tl_put_xml, "<a b=\"c\">&lt;",
	    "&lt;a b=&quot;c&quot;"
	    "&gt;&amp;lt;");
}

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

TEST(widths_are_those_of_a_terminal)
{
	ck_assert_uint_eq(tl_text_width(BYTES("")), 0);
	ck_assert_uint_eq(tl_text_width(BYTES("example of some length")), 22);
	ck_assert_uint_eq(tl_text_width(BYTES("\xc3\xbc")), 1);
	ck_assert_uint_eq(tl_text_width(BYTES("\xe6\x97\xa5\xe6\x9c\xac")), 4);
	ck_assert_uint_eq(tl_text_width(BYTES("e\xcc\x81")), 1);
	ck_assert_uint_eq(tl_text_width(BYTES("\xf0\x9f\x98\x80")), 2);
	ck_assert_uint_eq(tl_text_width(BYTES("\n\t\\")), 6);
	ck_assert_uint_eq(tl_text_width(BYTES("\x1b")), 4);
	ck_assert_uint_eq(tl_text_width(BYTES("\xff")), 4);
	ck_assert_uint_eq(tl_text_width(BYTES("\xc2\x9b")), 8);
	ck_assert_uint_eq(tl_text_width(BYTES("\xef\xbc\xa1")), 2);
	/* U+2F800, then U+0378 and U+3FFFE, which are not assigned */
	ck_assert_uint_eq(tl_text_width(BYTES("\xf0\xaf\xa0\x80")), 2);
	ck_assert_uint_eq(tl_text_width(BYTES("\xcd\xb8")), 1);
	ck_assert_uint_eq(tl_text_width(BYTES("\xf0\xbf\xbf\xbe")), 1);
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
