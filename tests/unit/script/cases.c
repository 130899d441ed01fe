/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.c - scripts, and what they print or how they fail: *.cases.
 *
 * Each runs over the small story of script_fixture.h.  Options:
 *	script [memory=BYTES]	the input is a script
 *	view NAME WORD...	a view, and no input
 *	filter			an expression: which events pass
 */
#include "lib/golden.h"
#include "lib/script_fixture.h"
#include "script/host.h"

#include <errno.h>

static struct feed feed, other;
static struct result result;

static void
setup(void)
{
	feed_init(&feed, "a.tl");
	feed_story(&feed);
	feed_init(&other, "b.tl");
	feed_story(&other);
	feed_story(&other);
}

static void
teardown(void)
{
	/* no cursor may be left, whatever happened */
	ck_assert_int_eq(feed.open + other.open, 0);
	result_free(&result);
}

/* Print an error. */
static void
put_fault(struct tl_text *out)
{
	const char *name = result.rc == -ECANCELED ? "cancelled"
			   : result.rc == -ENOEXEC ? "not compiled"
			   : result.rc == -ENOMEM  ? "no memory"
			   : result.rc == -ENOENT  ? "not found"
						   : "another error";

	ck_assert_int_eq(result.fault.rc, result.rc);
	tl_put_format(out, "%s: ", name);
	golden_put_masked(out, result.fault.text);
	tl_put_char(out, '\n');
}

static void
run_filter(struct tl_text *out, const char *expression)
{
	const struct tl_script_limits limits = { .cpu_seconds = 1,
		.memory_bytes = 4 << 20 };
	const struct tl_script_io io = { .write = result_write,
		.context = &result };
	struct tl_script_filter *filter;
	int passes;

	result.rc = tl_script_filter_new(&filter, expression, &limits, &io,
	    &result.fault);
	if (result.rc < 0) {
		put_fault(out);
		return;
	}
	tl_put_string(out, "passes:");
	for (size_t i = 0; i < feed.count; i++) {
		passes = tl_script_filter_passes(filter, &feed.events[i],
		    &result.fault);
		if (passes > 0)
			tl_put_format(out, " %zu", i);
		if (passes >= 0)
			continue;
		result.rc = passes;
		tl_put_char(out, ' ');
		put_fault(out);
		/* the filter can be called again */
		ck_assert_int_eq(tl_script_filter_passes(filter,
				     &feed.events[i + 1], &result.fault),
		    passes);
		break;
	}
	tl_script_filter_free(filter);
}

static void
run(struct tl_text *out, const char *options, struct tl_bytes in)
{
	char *text = strndup(in.data, in.size), *copy = strdup(options);
	const char *memory = strstr(options, "memory="), *words[8];
	const struct tl_script_limits limits = { .cpu_seconds = 60,
		.memory_bytes = memory ? strtoul(memory + 7, NULL, 10) : 0 };
	struct feed *feeds[] = { &feed, &other };
	char *next = copy, *word = strsep(&next, " ");
	const bool is_view = strcmp(word, "view") == 0;
	const char *name = is_view ? strsep(&next, " ") : "test";
	const bool is_diff = strcmp(name, "diff") == 0;
	int argc = 0;

	tl_text_clear(&result.out);
	result.fault = (struct tl_fault){ 0 };
	if (strcmp(word, "filter") == 0) {
		run_filter(out, text);
	} else {
		while (is_view && next)
			words[argc++] = strsep(&next, " ");
		run_with(&result, feeds, is_diff ? 2 : 1,
		    is_view ? NULL : &limits, name, is_view ? NULL : text, argc,
		    words);
		if (result.out.size > 0)
			tl_put_string(out, tl_text_string(&result.out));
		if (result.rc < 0)
			put_fault(out);
		else if (result.out.size == 0)
			tl_put_string(out, "done\n");
	}
	free(text);
	free(copy);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST_TEXTS(api, "tests/unit/script/api.cases", run);
TEST_TEXTS(limits, "tests/unit/script/limits.cases", run);
TEST_TEXTS(filters, "tests/unit/script/filter.cases", run);
TEST_TEXTS(views, "tests/unit/script/views.cases", run);
