/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json.c - any bytes as JSON: the tokens must be the same at once and in
 * pieces whose size the first byte chooses, with recovery after each fault.
 */
#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The forms in which a number can be read must agree. */
static void
check_number(struct tl_bytes number)
{
	uint64_t u = 0;
	int64_t s = 0, scaled = 0;
	double d;
	int rc;

	rc = tl_json_double(number, &d);
	assert(rc == 0);
	rc = tl_json_signed(number, &s);
	assert(rc < 0 || isfinite(d));
	if (rc < 0)
		return;
	if (s >= 0) {
		rc = tl_json_unsigned(number, &u);
		assert(rc == 0 && u == (uint64_t)s);
	}
	rc = tl_json_scaled(number, 0, &scaled);
	assert(rc == 0 && scaled == s);
}

static int
drain(struct tl_json *json, struct tl_text *got)
{
	struct tl_json_token token;
	int rc;

	while ((rc = tl_json_next(json, &token)) != 0) {
		assert(json->depth <= TL_JSON_DEPTH_MAX);
		assert(rc > 0 || rc == -EBADMSG);
		if (rc == TL_JSON_END)
			break;
		if (rc < 0) {
			tl_put_format(got, "!%s@%u", json->why,
			    (unsigned)json->wrong_at);
			tl_json_recover(json, json->depth > 0);
			continue;
		}
		if (rc == TL_JSON_NUMBER)
			check_number(token.text);
		tl_put_format(got, "%d@%u", rc, (unsigned)token.at);
		tl_put_bytes(got, token.text);
	}
	return rc;
}

static void
parse(struct tl_bytes text, size_t piece_size, struct tl_text *got)
{
	struct tl_json json = { 0 };
	int rc = 0;

	for (size_t at = 0; at < text.size; at += piece_size) {
		const size_t left = text.size - at;

		tl_json_feed(&json, tl_bytes(text.data + at,
					left < piece_size ? left : piece_size));
		rc = drain(&json, got);
		assert(rc == 0);
	}
	tl_json_finish(&json);
	rc = drain(&json, got);
	assert(rc == TL_JSON_END);
	tl_json_free(&json);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tl_bytes text = tl_bytes(data, size);
	struct tl_text whole = { 0 }, pieces = { 0 };

	if (size == 0)
		return 0;
	parse(text, size, &whole);
	parse(text, data[0] % 16u + 1, &pieces);
	assert(tl_bytes_equal(tl_bytes(whole.data, whole.size),
	    tl_bytes(pieces.data, pieces.size)));
	tl_text_free(&whole);
	tl_text_free(&pieces);
	return 0;
}
