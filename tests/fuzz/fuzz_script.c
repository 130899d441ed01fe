/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_script.c - any script over a small story ends: done, failed or over a
 * cap; it leaves no cursor open and writes nothing that steers a terminal.
 * The same text as a filter gives an answer or a fault for every event.
 */
#include "../lib/script_fixture.h"

#include <errno.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SOURCE_MAX = 4096, OUTPUT_MAX = 1 << 20 };

/*
 * Library functions of Lua that may work for years without an instruction in
 * between are not what we look for: they are bounded or taken away, on the
 * first line, so that lines count as in the input.
 */
static const char bounds[] =
    "do local rep, type = string.rep, type "
    "string.rep = function(s, n, x) "
    "return rep(s, math.min(n, 1000), x) end "
    "for _, name in ipairs{'find', 'match', 'gmatch', 'gsub'} do "
    "local f = string[name] string[name] = function(s, p, ...) "
    "if #s > 100 or #p > 8 then error('too long') end "
    "return f(s, p, ...) end end "
    "table.insert = function(t, v) t[#t + 1] = v end "
    "table.move, table.concat, table.remove, table.unpack, table.sort, "
    "xpcall = nil end ";

static void
stuck(void *context, const char *message, size_t size)
{
	(void)context;
	if (write(STDERR_FILENO, message, size) < 0)
		abort();
	abort();
}

static int
write_some(void *context, const char *data, size_t size)
{
	struct result *result = context;

	for (size_t i = 0; i < size; i++)
		assert((unsigned char)data[i] >= 0x20 || data[i] == '\n' ||
		       data[i] == '\t');
	if (result->out.size + size > OUTPUT_MAX)
		return -EFBIG;
	tl_put_bytes(&result->out, tl_bytes(data, size));
	return 0;
}

static const struct tl_script_limits limits = { .memory_bytes = 4 << 20,
	.cpu_seconds = 1 };

static void
run_script(struct feed *feed, struct tl_bytes source)
{
	struct result result = { 0 };
	const struct tl_script_io io = { .write = write_some,
		.killed = stuck,
		.context = &result };
	struct tl_text text = { 0 };
	struct tl_script *script;
	int rc = tl_script_new(&script, &limits, &io, NULL);

	assert(rc == 0);
	tl_put_string(&text, bounds);
	tl_put_bytes(&text, source);
	rc = tl_script_load_text(script, "=fuzz",
	    tl_bytes(text.data, text.size), 0, NULL, &result.fault);
	if (rc == 0)
		rc = tl_script_run(script, &feed->input, 1, &result.fault);
	assert(rc <= 0 && result.fault.rc == rc);
	assert((rc == 0) == (tl_script_error(script)[0] == '\0'));
	tl_script_free(script);
	assert(feed->open == 0);
	tl_text_free(&text);
	result_free(&result);
}

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

/* A filter has no line to bound functions on: only what calls none of them
 * and makes no function of its own. */
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
