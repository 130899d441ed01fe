/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - JSON tokens from pieces that are cut anywhere. */
#include "base/json.h"
#include "lib/test.h"

#include "lib/random.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static struct tl_json json;
static struct tl_text got;

static void
setup(void)
{
	json = (struct tl_json){ 0 };
	got = (struct tl_text){ 0 };
}

static void
teardown(void)
{
	tl_json_free(&json);
	tl_text_free(&got);
}

/* Describe a token by a letter and its text. */
static void
describe(int kind, const struct tl_json_token *token)
{
	static const char letters[] = "?{}[]ksntf0.";

	tl_put_char(&got, letters[kind]);
	tl_put_bytes(&got, token->text);
	if (kind == TL_JSON_KEY || kind == TL_JSON_STRING ||
	    kind == TL_JSON_NUMBER)
		tl_put_format(&got, "@%u ", (unsigned)token->at);
}

static int
drain(void)
{
	struct tl_json_token token;
	int rc;

	while ((rc = tl_json_next(&json, &token)) > 0) {
		describe(rc, &token);
		if (rc == TL_JSON_END)
			return rc;
	}
	return rc;
}

/* Parse a text in pieces of size bytes; the last piece may be shorter. */
static int
parse(struct tl_bytes text, size_t size)
{
	int rc = 0;

	tl_json_free(&json);
	json = (struct tl_json){ 0 };
	tl_text_clear(&got);
	for (size_t at = 0; at < text.size && rc == 0; at += size) {
		const size_t left = text.size - at;

		tl_json_feed(&json,
		    tl_bytes(text.data + at, left < size ? left : size));
		rc = drain();
	}
	if (rc == 0) {
		tl_json_finish(&json);
		rc = drain();
	}
	return rc;
}

static void
expect(const char *text, const char *tokens)
{
	for (size_t size = 1; size <= strlen(text) + 1; size++) {
		ck_assert_int_eq(parse(tl_bytes_of(text), size), TL_JSON_END);
		ck_assert_str_eq(tl_text_string(&got), tokens);
	}
}

static void
refuse(const char *text, uint64_t at, const char *why)
{
	for (size_t size = 1; size <= strlen(text) + 1; size++) {
		ck_assert_int_eq(parse(tl_bytes_of(text), size), -EBADMSG);
		ck_assert_str_eq(json.why, why);
		ck_assert_uint_eq(json.wrong_at, at);
		/* the error is permanent */
		ck_assert_int_eq(drain(), -EBADMSG);
	}
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(tokens_are_the_same_however_pieces_are_cut)
{
	expect("{\"a\" : [1,-2.5e3,true,false,null,\"x\"],\"b\":{}}\n[]",
	    "{ka@1 [n1@8 n-2.5e3@10 ttrueffalse0nullsx@33 ]kb@38 {}}[].");
	expect(" 12 \"s\" 13", "n12@1 ss@4 n13@8 .");
	expect("", ".");
}

TEST(escapes_are_undone)
{
	expect("[\"a\\n\\t\\\"\\\\\\/b\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"]",
	    "[sa\n\t\"\\/bA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80@1 ].");
	expect("[\"\\ud83dx\",\"\\ude00\"]",
	    "[s\xef\xbf\xbdx@1 s\xef\xbf\xbd@11 ].");
	expect("{\"k\\\\\":\"\"}", "{kk\\@1 s@7 }.");
}

TEST(a_comma_before_a_closing_bracket_is_forgiven)
{
	expect("[1,]", "[n1@1 ].");
	expect("{\"a\":1,}", "{ka@1 n1@5 }.");
	refuse("{\"a\":1,,}", 7, "no key where one must be");
	refuse("{,}", 1, "no key where one must be");
}

TEST(what_is_not_json_is_refused_at_its_place)
{
	refuse("[1 2]", 3, "no comma after a value");
	refuse("[1}", 2, "no comma after a value");
	refuse("{\"a\" 1}", 5, "no colon after a key");
	refuse("{1:2}", 1, "no key where one must be");
	refuse("[01]", 1, "not a value");
	refuse("[1.]", 1, "not a value");
	refuse("[nAn]", 1, "not a value");
	refuse("[-]", 1, "not a value");
	refuse("[--inf]", 1, "not a value");
	refuse("]", 0, "no value where one must be");
	refuse("[\"\\x\"]", 1, "a bad escape");
	refuse("[\"\\u12g4\"]", 1, "a bad escape");
	refuse("[\"a\nb\"]", 3, "a line ends within a string");
	refuse("[\"a", 1, "a string has no end");
	refuse("[1,2", 4, "it ends too early");
	refuse("{\"a\":", 5, "it ends too early");
}

TEST(nesting_has_a_bound)
{
	char text[2 * TL_JSON_DEPTH_MAX + 1];

	memset(text, '[', TL_JSON_DEPTH_MAX);
	memset(text + TL_JSON_DEPTH_MAX, ']', TL_JSON_DEPTH_MAX);
	ck_assert_int_eq(parse(tl_bytes(text, sizeof(text) - 1), 7),
	    TL_JSON_END);
	memset(text, '[', sizeof(text));
	ck_assert_int_eq(parse(tl_bytes(text, sizeof(text)), 7), -EBADMSG);
	ck_assert_uint_eq(json.wrong_at, TL_JSON_DEPTH_MAX);
}

TEST(a_string_that_is_too_long_is_cut)
{
	static char text[TL_JSON_STRING_MAX + 100];
	static const size_t sizes[] = { 1000, TL_JSON_STRING_MAX,
		sizeof(text) };
	struct tl_json_token token;

	memset(text, 'x', sizeof(text));
	text[0] = text[sizeof(text) - 1] = '"';
	text[TL_JSON_STRING_MAX] = '\\'; /* the cut also hits an escape */
	text[TL_JSON_STRING_MAX + 1] = 'n';
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int rc = 0;

		tl_json_free(&json);
		json = (struct tl_json){ 0 };
		for (size_t at = 0; at < sizeof(text) && rc == 0;
		     at += sizes[i]) {
			const size_t left = sizeof(text) - at;

			tl_json_feed(&json,
			    tl_bytes(text + at,
				left < sizes[i] ? left : sizes[i]));
			rc = tl_json_next(&json, &token);
		}
		ck_assert_int_eq(rc, TL_JSON_STRING);
		ck_assert(token.cut);
		ck_assert_uint_eq(token.text.size, TL_JSON_STRING_MAX - 1);
	}
}

TEST(reading_goes_on_behind_damage)
{
	static const char text[] = "[{\"a\":1},{\"b\":x,\"c\":{}},{\"d\":2}]";

	for (size_t size = 1; size <= sizeof(text); size++) {
		const struct tl_bytes all = tl_bytes_of(text);
		int rc = parse(all, size);
		const uint64_t at = json.before + json.size;

		ck_assert_int_eq(rc, -EBADMSG);
		tl_json_recover(&json, 1);
		rc = drain();
		if (rc == 0) {
			tl_json_feed(&json,
			    tl_bytes(all.data + at, all.size - at));
			rc = drain();
		}
		if (rc == 0) {
			tl_json_finish(&json);
			rc = drain();
		}
		ck_assert_int_eq(rc, TL_JSON_END);
		ck_assert_str_eq(tl_text_string(&got),
		    "[{ka@2 n1@6 }{kb@10 {kd@25 n2@29 }].");
	}
}

TEST(whole_numbers_are_exact)
{
	uint64_t u;
	int64_t s;

	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("18446744073709551615"),
			     &u),
	    0);
	ck_assert_uint_eq(u, UINT64_MAX);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("18446744073709551616"),
			     &u),
	    -ERANGE);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of(
					      "18446744073709551615.00"),
			     &u),
	    0);
	ck_assert_uint_eq(u, UINT64_MAX);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("1.2e1"), &u), 0);
	ck_assert_uint_eq(u, 12);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("1.5"), &u), -EINVAL);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("-1"), &u), -ERANGE);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("1e400"), &u), -ERANGE);
	ck_assert_int_eq(tl_json_unsigned(tl_bytes_of("x"), &u), -EINVAL);
	ck_assert_int_eq(tl_json_signed(tl_bytes_of("-9223372036854775808"),
			     &s),
	    0);
	ck_assert_int_eq(s, INT64_MIN);
	ck_assert_int_eq(tl_json_signed(tl_bytes_of("9223372036854775808"), &s),
	    -ERANGE);
	ck_assert_int_eq(tl_json_signed(tl_bytes_of("0e999999999999"), &s), 0);
	ck_assert_int_eq(s, 0);
}

TEST(times_lose_no_nanosecond)
{
	static const struct {
		const char *number;
		int64_t ns;
	} cases[] = {
		{ "1795202658123456.789", 1795202658123456789 },
		{ "-0.001", -1 },
		{ "0.0005", 1 },
		{ "0.00049999", 0 },
		{ "1.5e3", 1500000 },
		{ "9223372036854775.807", INT64_MAX },
		{ "-9223372036854775.808", INT64_MIN },
		{ "1e-400", 0 },
		{ "9223372036854775.8070000000000000000000001", INT64_MAX },
	};
	int64_t ns;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(tl_json_scaled(tl_bytes_of(cases[i].number), 3,
				     &ns),
		    0);
		ck_assert_int_eq(ns, cases[i].ns);
	}
	ck_assert_int_eq(tl_json_scaled(tl_bytes_of("9223372036854775.808"), 3,
			     &ns),
	    -ERANGE);
}

TEST(doubles_are_the_nearest_ones)
{
	static const char *const numbers[] = { "0.1", "-2.5e-3", "1e308",
		"123456789012345678901234567890", "4.9e-324", "1e22", "1e23" };
	double value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ck_assert_int_eq(tl_json_double(tl_bytes_of(numbers[i]),
				     &value),
		    0);
		ck_assert(value == strtod(numbers[i], NULL));
	}
	ck_assert_int_eq(tl_json_double(tl_bytes_of("1e999"), &value), 0);
	ck_assert(isinf(value));
}

TEST(no_bytes_are_too_strange)
{
	static const char bytes[] = "{}[],:\"\\u1e.-n truefals0\n\xff";
	uint64_t seed = 4;

	for (unsigned i = 0; i < 20000; i++) {
		char text[64];
		const size_t size = random_below(&seed, sizeof(text)) + 1;
		struct tl_text whole;
		int rc;

		for (size_t n = 0; n < size; n++)
			text[n] = bytes[random_below(&seed, sizeof(bytes) - 1)];
		rc = parse(tl_bytes(text, size), size);
		whole = got;
		got = (struct tl_text){ 0 };
		ck_assert_int_eq(parse(tl_bytes(text, size),
				     random_below(&seed, size) + 1),
		    rc);
		ck_assert(tl_bytes_equal(tl_bytes(whole.data, whole.size),
		    tl_bytes(got.data, got.size)));
		tl_text_free(&whole);
	}
}
