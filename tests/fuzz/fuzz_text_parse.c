/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_text_parse.c - input of any form is refused, or means the same when it
 * is written and read again.
 */
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is_answer(int rc)
{
	return rc == 0 || rc == -EINVAL || rc == -ERANGE;
}

static void
check_time(const char *string)
{
	struct tl_text text = { 0 };
	int64_t ns = 42, again = 0;
	const int rc = tl_parse_time(string, &ns);

	assert(is_answer(rc) && (rc == 0 || ns == 42));
	if (rc < 0)
		return;
	tl_put_time(&text, ns);
	assert(text.size == TL_TIME_SIZE);
	assert(tl_parse_time(tl_text_string(&text), &again) == 0);
	assert(again == ns);
	tl_text_free(&text);
}

/* A duration is truncated when it is written, never made longer. */
static void
check_duration(const char *string)
{
	struct tl_text text = { 0 };
	int64_t ns = 42, again = 0;
	const int rc = tl_parse_duration(string, &ns);

	assert(is_answer(rc) && (rc == 0 || ns == 42));
	if (rc < 0)
		return;
	tl_put_duration(&text, ns);
	assert(text.size <= TL_DURATION_MAX);
	assert(tl_parse_duration(tl_text_string(&text), &again) == 0);
	assert(ns < 0 ? again <= 0 && again >= ns : again >= 0 && again <= ns);
	/*
	 * Less than a second of a minute is left out.  Halves are compared,
	 * because INT64_MIN has no positive counterpart.
	 */
	assert(llabs(again / 2) >= llabs(ns / 2) - llabs(ns / 64) - 1);
	tl_text_free(&text);
}

/* A bound is a time or a duration; bound stays unset otherwise. */
static void
check_bound(const char *string)
{
	struct tl_bound bound = { .ns = 42 };
	const int64_t now = 1795202658123456789;
	const int rc = tl_parse_bound(string, now, &bound);
	int64_t ns;

	assert(is_answer(rc) && bound.given == (rc == 0));
	assert(rc == 0 || bound.ns == 42);
	if (tl_parse_time(string, &ns) == 0)
		assert(rc == 0 && !bound.relative && bound.ns == ns);
	else if (rc == 0 && bound.relative)
		assert(tl_parse_duration(string, &ns) == 0 &&
		       (bound.ns == ns || bound.ns == -ns));
}

static void
check_unsigned(const char *string)
{
	struct tl_text text = { 0 };
	uint64_t n = 42, again = 0;
	const int rc = tl_parse_unsigned(string, &n);

	assert(is_answer(rc) && (rc == 0 || n == 42));
	if (rc < 0)
		return;
	tl_put_unsigned(&text, n);
	assert(tl_parse_unsigned(tl_text_string(&text), &again) == 0);
	assert(again == n);
	tl_text_clear(&text);
	tl_put_hex(&text, n);
	assert(tl_parse_unsigned(tl_text_string(&text), &again) == 0);
	assert(again == n);
	tl_text_free(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *string = malloc(size + 1);

	assert(string);
	if (size > 0)
		memcpy(string, data, size);
	string[size] = '\0';
	check_time(string);
	check_duration(string);
	check_bound(string);
	check_unsigned(string);
	free(string);
	return 0;
}
