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

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

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

TEST(doubles_are_the_nearest_ones)
{
	static const char *const numbers[] = { "0.1", "-2.5e-3", "1e308",
		"123456789012345678901234567890", "4.9e-324", "1e22", "1e23" };
	double value;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ck_assert_ok(tl_json_double(tl_bytes_of(numbers[i]), &value));
		ck_assert(value == strtod(numbers[i], NULL));
	}
	ck_assert_ok(tl_json_double(tl_bytes_of("1e999"), &value));
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
