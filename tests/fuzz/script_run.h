/* SPDX-License-Identifier: Apache-2.0 */
/* script_run.h - run a fuzzer's script over a small story. */
#ifndef TL_TESTS_SCRIPT_RUN_H
#define TL_TESTS_SCRIPT_RUN_H

#include "../lib/script_fixture.h"

#include <errno.h>
#include <unistd.h>

enum { OUTPUT_MAX = 1 << 20 };

/*
 * Library functions of Lua that may run for years without an instruction in
 * between are not under test.  They are bounded or removed, all on the first
 * line, so that the other lines count as in the input.
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
		rc = run_loaded(script, &feed, 1, &result.fault);
	assert(rc <= 0 && result.fault.rc == rc);
	assert((rc == 0) == (tl_script_error(script)[0] == '\0'));
	tl_script_free(script);
	assert(feed->open == 0);
	tl_text_free(&text);
	result_free(&result);
}

#endif
