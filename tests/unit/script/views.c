/* SPDX-License-Identifier: Apache-2.0 */
/*
 * views.c - the stock views over a small story, their help texts, and the
 * scripts in tests/lua.
 */
#include "lib/script_fixture.h"
#include "lib/test.h"

#include <errno.h>
#include <glob.h>

static struct feed feed;
static struct feed other;
static struct result result;

static void
setup(void)
{
	feed_init(&feed, "a.tl");
	feed_story(&feed);
	feed_init(&other, "b.tl");
	feed_story(&other);
	feed_story(&other);
	memset(&result, 0, sizeof(result));
}

static void
teardown(void)
{
	ck_assert_int_eq(feed.open, 0);
	result_free(&result);
}

/* The output of a view with up to three arguments. */
static const char *
view(const char *name, const char *a, const char *b, const char *c)
{
	const char *const words[] = { a, b, c };
	struct feed *feeds[] = { &feed, &other };
	const int argc = c ? 3 : b ? 2 : a ? 1 : 0;

	tl_text_clear(&result.out);
	memset(&result.fault, 0, sizeof(result.fault));
	run_with(&result, feeds, strcmp(name, "diff") == 0 ? 2 : 1, NULL, name,
	    NULL, argc, words);
	return tl_text_string(&result.out);
}

static void
has(const char *expected)
{
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_msg(strstr(tl_text_string(&result.out), expected),
	    "'%s' is not in:\n%s", expected, tl_text_string(&result.out));
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(every_view_runs_and_tells_its_usage)
{
	const struct tl_script_view *v = tl_script_views();
	const char *text;
	char usage[100];
	int count = 0;

	for (; v->name; v++, count++) {
		const bool two = strcmp(v->name, "latency") == 0;

		ck_assert_int_gt(strlen(v->description), 10);
		text = view(v->name, "--help", NULL, NULL);
		snprintf(usage, sizeof(usage), "usage: %s ", v->name);
		has(usage);
		ck_assert_ptr_eq(text, strstr(text, usage));
		view(v->name, two ? "*" : NULL, two ? "*" : NULL, NULL);
		ck_assert_msg(result.rc == 0, "%s", result.fault.text);
		ck_assert_uint_gt(result.out.size, 0);
	}
	ck_assert_int_ge(count, 7);
	view("nothing", NULL, NULL, NULL);
	ck_assert_int_eq(result.rc, -ENOENT);
}

TEST(every_view_bears_an_empty_timeline)
{
	const struct tl_script_view *v = tl_script_views();

	feed.count = 0;
	other.count = 0;
	for (; v->name; v++) {
		const bool two = strcmp(v->name, "latency") == 0;

		view(v->name, two ? "*" : NULL, two ? "*" : NULL, NULL);
		ck_assert_msg(result.rc == 0, "%s: %s", v->name,
		    result.fault.text);
	}
}

/*
 * Times at the limits of int64_t, nothing but losses, and spans that end before
 * they begin.
 */
TEST(every_view_bears_a_strange_timeline)
{
	const struct tl_script_view *v = tl_script_views();

	feed.events[0].ns = INT64_MIN;
	feed.events[13].ns = INT64_MAX;
	feed.events[9].ns = 5;
	feed.events[12].lost = UINT64_MAX;
	feed.events[3].cpu = TL_CPU_UNKNOWN;
	for (; v->name; v++) {
		const bool two = strcmp(v->name, "latency") == 0;

		view(v->name, two ? "*" : NULL, two ? "*" : NULL, NULL);
		ck_assert_msg(result.rc == 0, "%s: %s", v->name,
		    result.fault.text);
	}
}

static void
add_observed(int message, unsigned kind, uint64_t after_ns, uint64_t observed)
{
	struct tl_event *event =
	    feed_add(&feed, message, kind, after_ns, 0, 0, 0);

	event->observed = event->stretch = observed;
	event->cpu = 0;
}

TEST(views_measure_only_sure_spans)
{
	feed.count = 0;
	add_observed(STEP, TL_BEGIN, 1, TL_UNOBSERVED);
	add_observed(STEP, TL_END, 900, TL_UNOBSERVED);
	ck_assert_ptr_null(strstr(view("top", NULL, NULL, NULL), "900ns    "));
	ck_assert_ptr_null(strstr(view("scopes", NULL, NULL, NULL), "900ns"));
	view("heat", NULL, NULL, NULL);
	has("nothing to draw");
}

/* Each tests/lua/script_*.lua checks its own results. */
TEST(the_scripts_in_tests_lua_hold)
{
	glob_t found;

	ck_assert_int_eq(glob("tests/lua/script_*.lua", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const struct tl_script_io io = { .write = result_write,
			.context = &result };
		struct feed *const feeds[] = { &feed, &other };
		struct tl_script *script;
		int rc;

		memset(&result.fault, 0, sizeof(result.fault));
		ck_assert_ok(tl_script_new(&script, NULL, &io, &result.fault));
		rc = tl_script_load_file(script, found.gl_pathv[i], 0, NULL,
		    &result.fault);
		if (rc == 0)
			rc = run_loaded(script, feeds, 2, &result.fault);
		ck_assert_msg(rc == 0, "%s", tl_script_error(script));
		tl_script_free(script);
	}
	globfree(&found);
}

TEST(a_file_that_is_no_script_is_refused)
{
	const struct tl_script_io io = { .write = result_write,
		.context = &result };
	static const struct {
		const char *path;
		int rc;
	} cases[] = { { "/nowhere/x.lua", -ENOENT }, { "/tmp", -EISDIR },
		{ "/dev/null", -EINVAL } };
	struct tl_script *script;

	ck_assert_ok(tl_script_new(&script, NULL, &io, NULL));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&result.fault, 0, sizeof(result.fault));
		ck_assert_int_eq(tl_script_load_file(script, cases[i].path, 0,
				     NULL, &result.fault),
		    cases[i].rc);
		ck_assert_ptr_eq(result.fault.text,
		    strstr(result.fault.text, cases[i].path));
	}
	tl_script_free(script);
}
