/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_hostile.c - a hostile file is refused within limits of time and
 * memory, with its place; the example that we ship is accepted.
 */
#include "base/text.h"
#include "daemon/config/config.h"
#include "lib/random.h"
#include "lib/sample.h"
#include "lib/test.h"
#include "script/data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 3000, CHANGES_MAX = 6 };

static const char *const example = "src/daemon/timelined.conf";

static int
parse(const char *text, size_t size, struct tl_fault *fault)
{
	struct tl_config *config = NULL;
	int rc;

	memset(fault, 0, sizeof(*fault));
	rc = tl_config_parse(&config, "x.conf", text, size, fault);
	ck_assert_int_eq(rc < 0, !config);
	ck_assert_int_eq(rc, fault->rc);
	tl_config_free(config);
	return rc;
}

static void
ends(const char *text, int rc, const char *expected)
{
	struct tl_fault fault;
	const int ended = parse(text, strlen(text), &fault);

	ck_assert_msg(ended == rc, "%s: rc %d, %s", text, ended, fault.text);
	ck_assert_msg(strstr(fault.text, expected), "%s: '%s' is not in '%s'",
	    text, expected, fault.text);
}

static void
read_whole(const char *path, struct tl_text *text)
{
	FILE *f = fopen(path, "r");
	char line[1024];

	ck_assert_msg(f, "%s", path);
	while (fgets(line, sizeof(line), f))
		tl_put_string(text, line);
	fclose(f);
}

TEST_FILE(.timeout = 120);

TEST(the_example_is_valid)
{
	const struct tl_config_timeline *all;
	struct tl_config *config;
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_config_load(&config, example, &fault) == 0, "%s",
	    fault.text);
	all = tl_config_find(config, "any");
	ck_assert(all && all->bursts.level_count == 1);
	tl_config_free(config);
}

/* Remove the "-- " from each setting that is commented out. */
TEST(what_the_example_switches_off_is_valid_too)
{
	struct tl_text text = { 0 }, open = { 0 };
	struct tl_fault fault;
	char *line, *rest;

	read_whole(example, &text);
	rest = text.data;
	ck_assert(tl_text_string(&text)[0]);
	while ((line = strsep(&rest, "\n"))) {
		char *mark = strstr(line, "-- ");
		const char *code = mark ? mark + 3 : "";

		if (mark && (*code == '\t' || *code == '{' || *code == '}' ||
				strncmp(code, "poll", 4) == 0 ||
				strncmp(code, "clock", 5) == 0 ||
				strncmp(code, "socket", 6) == 0))
			memset(mark, ' ', 3);
		tl_put_string(&open, line);
		tl_put_char(&open, '\n');
	}
	ck_assert(strstr(tl_text_string(&open), "\n		   {\n"));
	ck_assert_msg(parse(open.data, open.size, &fault) == 0, "%s\n%s",
	    fault.text, open.data);
	tl_text_free(&text);
	tl_text_free(&open);
}

TEST(time_has_a_cap)
{
	static const char of_empty_slots[] =
	    "local t = {} for i = 1, 1e5 do t[i] = i end "
	    "for i = 1, 1e5 do t[i] = nil end while true do next(t) end";
	static const char *const endless[] = {
		"while true do end",
		"local function f() return f() end f()",
		of_empty_slots,
	};

	for (size_t i = sample_first(0); i < sizeof(endless) / sizeof(*endless);
	     i += sample_step())
		ends(endless[i], -ETIME, "x.conf:1: over the time cap of 1 s");
}

TEST(tables_in_tables_have_a_bound)
{
	struct tl_text text = { 0 };
	struct tl_fault fault;

	ends("local t = {} t.t = t return t", -EFBIG,
	    "more than 16 tables in each other");
	ends("local t = {} t[1] = t t[2] = t return t", -EFBIG, "more than");
	ends("local a, b = {}, {} a.b = b b.a = a return { timelines = { a } }",
	    -EFBIG, "tables in each other");
	tl_put_string(&text, "return ");
	tl_put_repeat(&text, '{', 100000);
	ck_assert_int_eq(parse(text.data, text.size, &fault), -ENOEXEC);
	tl_text_free(&text);
}

TEST(a_file_that_cannot_be_read_is_said)
{
	char path[64];
	struct tl_config *config;
	struct tl_fault fault = { 0 };

	snprintf(path, sizeof(path), "/tmp/test_config_%d", (int)getpid());
	ck_assert_int_eq(tl_config_load(&config, path, &fault), -ENOENT);
	ck_assert(strstr(fault.text, ": No such file or directory"));
	ck_assert(strncmp(fault.text, path, strlen(path)) == 0);
	fault.rc = 0;
	ck_assert_int_eq(tl_config_load(&config, "/tmp", &fault), -EISDIR);
	fault.rc = 0;
	ck_assert_int_eq(tl_config_load(&config, "/dev/zero", &fault), -EINVAL);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	fault.rc = 0;
	ck_assert_int_eq(tl_config_load(&config, path, &fault), -EINVAL);
	unlink(path);
	close(mkostemp(strcat(path, "XXXXXX"), 0));
	ck_assert_int_eq(truncate(path, TL_DATA_SOURCE_MAX + 1), 0);
	fault.rc = 0;
	ck_assert_int_eq(tl_config_load(&config, path, &fault), -EFBIG);
	unlink(path);
}

/* == a search from a seed == */

static const char story[] =
    "return { directory = '/d', listen = '127.0.0.1:1', poll = '10ms', "
    "clock = true, timelines = { { name = 'a*', priority = 'info', keep = "
    "'60s', owners = { 0, 'root' }, bursts = { levels = { 'debug', 'trace' }, "
    "rarer = 5, jitter = 0.5 }, triggers = { { span = { message = 'r*', "
    "longer = '1ms' }, when = 'args.x > 5', run = { '/bin/a', 'b' } }, { "
    "rate = { above = 5, over = '1s' } } }, snapshots = { every = '1h', "
    "compress = 3, keep = { count = 1, age = '7d' } } }, { name = 'b', create "
    "= { entries = '1M', mode = '0640' } } } }";

static const char *const pieces[] = { "{", "}", "'", "=", "nil", "true", "-1",
	"1e999", "'1ms'", "'*['", "\\", "[1]", "function() end", "{{}}", "''",
	"timelines", "name", "0/0", "\"", "--", "..", "\x80", "1 << 63" };

static void
change(struct tl_text *to, const char *text, uint64_t *random)
{
	const size_t size = strlen(text);
	const size_t from = random_below(random, size);
	const size_t gone = random_below(random, 12);
	const size_t rest = from + gone < size ? from + gone : size;

	tl_text_clear(to);
	tl_put_bytes(to, tl_bytes(text, from));
	tl_put_string(to,
	    pieces[random_below(random, sizeof(pieces) / sizeof(pieces[0]))]);
	tl_put_string(to, text + rest);
}

TEST(whatever_is_changed_is_read_or_refused)
{
	struct tl_text texts[2] = { { 0 }, { 0 } };
	uint64_t random = 20261121;
	unsigned held = 0, refused = 0;
	struct tl_fault fault;

	ends(story, 0, "");
	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned changes =
		    1 + (unsigned)random_below(&random, CHANGES_MAX);
		const char *text = story;

		for (unsigned i = 0; i < changes; i++) {
			change(&texts[i % 2], text, &random);
			text = tl_text_string(&texts[i % 2]);
		}
		if (parse(text, strlen(text), &fault) == 0)
			held++;
		else
			refused++;
		ck_assert(fault.rc == 0 || fault.text[0]);
	}
	ck_assert_uint_gt(held, 0);
	ck_assert_uint_gt(refused, 0);
	tl_text_free(&texts[0]);
	tl_text_free(&texts[1]);
}
