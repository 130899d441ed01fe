/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_script.c - any script over a small story ends: it succeeds, fails or
 * exceeds a cap.  It leaves no cursor open and writes no control sequence.  The
 * same text as a filter gives a result or a fault for every event.
 */
#include "script_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SOURCE_MAX = 4096 };

static void
run_filter(struct feed *feed, const char *expression)
{
	const struct tl_script_io io = { .write = write_some, .killed = stuck };
	struct tl_script_filter *filter;
	struct tl_fault fault = { 0 };
	int rc =
	    tl_script_filter_new(&filter, expression, &limits, &io, &fault);

	assert(fault.rc == rc);
	if (rc < 0)
		return;
	for (size_t i = 0; i < feed->count && rc >= 0; i++) {
		rc = tl_script_filter_passes(filter, &feed->events[i], &fault);
		assert(rc == 0 || rc == 1 || fault.rc == rc);
	}
	tl_script_filter_free(filter);
}

/*
 * Nothing bounds functions in a filter: is_simple passes only a text that calls
 * none of these functions and makes no function.
 */
static bool
is_simple(const char *text)
{
	static const char *const words[] = { "rep", "find", "match", "gsub",
		"table", "function", NULL };

	for (size_t i = 0; words[i]; i++)
		if (strstr(text, words[i]))
			return false;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct feed feed;
	char expression[SOURCE_MAX + 1];

	if (size > SOURCE_MAX)
		return 0;
	feed_init(&feed, "fuzz.tl");
	feed_story(&feed);
	run_script(&feed, tl_bytes(data, size));
	if (size > 0)
		memcpy(expression, data, size);
	expression[size] = '\0';
	if (is_simple(expression))
		run_filter(&feed, expression);
	return 0;
}
