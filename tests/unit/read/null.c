/* SPDX-License-Identifier: Apache-2.0 */
/*
 * null.c - NULL in place of a text, or of a timeline, for every public function
 * that takes one. tests/install finds functions that are missing here.
 */
#include "lib/fixture.h"
#include "lib/test.h"

#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <timeline_profiler.h>
#include <timeline_read.h>
#include <timeline_rtl.h>
#include <timeline_source.h>
#include <timeline_trace.h>

static struct timeline_event *event;
static struct timeline_source *source;
static struct timeline_profiler *profiler;
static struct timeline_trace *trace, *no_trace;
static struct timeline_trace_message *message;
static struct timeline_reader *reader;
static const struct timeline_read_event *entry;
static const struct timeline_read_timer *timer;
static struct timeline_reader *nodes;
static struct timeline_node *const *roots;
static struct timeline *other;
static uint64_t number;
static char path[64], saved[64];

static void
record(void)
{
	struct timeline_trace *t;
	struct timeline_trace_message *m;
	size_t count;

	ck_assert_ok(timeline_trace_create(&t, saved, NULL));
	ck_assert_ok(timeline_trace_instant(t, "a", "info", "entry", &m));
	ck_assert_ok(timeline_trace_log(m, 0));
	ck_assert_ok(timeline_trace_close(t));
	ck_assert_ok(timeline_read_open(&nodes, saved, NULL));
	ck_assert_ok(timeline_read_roots(nodes, &roots, &count));
	ck_assert_uint_eq(count, 1);
}

static void
remove_trace(const char *name)
{
	char index[sizeof(path) + 4];

	snprintf(index, sizeof(index), "%s.idx", name);
	unlink(name);
	unlink(index);
}

static void
setup(void)
{
	fixture_setup_tiny();
	snprintf(path, sizeof(path), "/tmp/test-null-%d.trace", (int)getpid());
	snprintf(saved, sizeof(saved), "/tmp/test-saved-%d.trace",
	    (int)getpid());
	record();
	ck_assert_ok(timeline_trace_create(&trace, path, NULL));
	ck_assert_ok(
	    timeline_trace_instant(trace, "a", "info", "entry $n", &message));
	ck_assert_ok(timeline_define(tl, "a", "info", "entry $n", &event));
	timeline_log(event, 1);
	ck_assert_ok(timeline_read_open(&reader, fixture_name, NULL));
	ck_assert_int_eq(timeline_read_next(reader, &entry), 1);
	ck_assert_ok(timeline_profiler_new(&profiler, tl));
}

static void
teardown(void)
{
	timeline_profiler_close(profiler);
	timeline_read_close(reader);
	timeline_read_close(nodes);
	timeline_trace_close(trace);
	remove_trace(path);
	remove_trace(saved);
	fixture_close();
}

TEST_FILE(.setup = setup, .teardown = teardown);

static int
define(const char *category, const char *priority, const char *text)
{
	const struct timeline_definition d = { .category = category,
		.priority = priority,
		.message = text,
		.kind = TIMELINE_INSTANT };

	return timeline_define_event(tl, &d, &event);
}

static int
options_without_words(void)
{
	int argc = 3;
	char name[] = "program";
	char *argv[] = { name, NULL, NULL, NULL };

	return timeline_profiler_options(&profiler, &argc, argv);
}

#define NO_FILE NULL, 0

/*
 * The calls and their results: -EINVAL, or the result that is documented for
 * NULL.
 */
#define CALLS(CALL) \
	CALL(-EINVAL, timeline_new(&other, NULL, NULL)) \
	CALL(-EINVAL, timeline_open(&other, NULL)) \
	CALL(-EINVAL, timeline_remove(NULL)) \
	CALL(-EINVAL, define(NULL, "info", "text")) \
	CALL(-EINVAL, define("a", NULL, "text")) \
	CALL(-EINVAL, define("a", "info", NULL)) \
	CALL(-EINVAL, timeline_define_event(tl, NULL, &event)) \
	CALL(-EINVAL, timeline_define_event(NULL, NULL, &event)) \
	CALL(-EINVAL, timeline_define_at(tl, NULL, NULL, NULL, \
			  TIMELINE_INSTANT, 0, NO_FILE, &event)) \
	CALL(-EINVAL, (timeline_define)(tl, NULL, "info", "text", &event)) \
	CALL(-EINVAL, (timeline_define)(tl, "a", NULL, "text", &event)) \
	CALL(-EINVAL, (timeline_define)(tl, "a", "info", NULL, &event)) \
	CALL(-EINVAL, (timeline_define_span)(tl, NULL, NULL, NULL, 0, &event)) \
	CALL(-EINVAL, (timeline_define_counter)(tl, NULL, NULL, NULL, &event)) \
	CALL(-EINVAL, (timeline_define_timer)(tl, NULL, NULL, NULL, &event)) \
	CALL(-EINVAL, timeline_slower(tl, NULL, "*", 1)) \
	CALL(-EINVAL, timeline_slower(tl, "*", NULL, 1)) \
	CALL(-EINVAL, timeline_slower(NULL, "*", "*", 1)) \
	CALL(-EINVAL, timeline_string(tl, NULL, &number)) \
	CALL(-EINVAL, timeline_string(NULL, "text", &number)) \
	CALL(-EINVAL, timeline_priority(tl, NULL)) \
	CALL(-EINVAL, timeline_priority(NULL, "info")) \
	CALL(-EINVAL, timeline_burst(tl, NULL, 1)) \
	CALL(-EINVAL, timeline_burst(NULL, "info", 1)) \
	CALL(-EINVAL, timeline_level(tl, NULL, "*", "info")) \
	CALL(-EINVAL, timeline_level(tl, "*", NULL, "info")) \
	CALL(-EINVAL, timeline_level(tl, "*", "*", NULL)) \
	CALL(-EINVAL, timeline_level(NULL, "*", "*", "info")) \
	CALL(-EINVAL, timeline_clear(NULL)) \
	CALL(-EINVAL, timeline_save(tl, NULL)) \
	CALL(-EINVAL, timeline_save(NULL, "/tmp/none.tl")) \
	CALL(-EINVAL, timeline_source_new(&source, tl, NULL)) \
	CALL(0, timeline_source_new(&source, NULL, NULL)) \
	CALL(-EINVAL, timeline_profiler_open(&profiler, NULL)) \
	CALL(-EINVAL, timeline_read_open(&reader, NULL, NULL)) \
	CALL(-EINVAL, timeline_read_open_memory(&reader, NULL, 1, NULL)) \
	CALL(-EINVAL, timeline_read_add(reader, NULL)) \
	CALL(-EINVAL, timeline_read_offset(reader, NULL, 1)) \
	CALL(-EINVAL, timeline_read_text(entry, NULL, 1)) \
	CALL(-EINVAL, timeline_read_line(entry, NULL, 1)) \
	CALL(-EINVAL, timeline_read_argument_text(entry, 0, NULL, 1)) \
	CALL(-EINVAL, timeline_read_argument_bytes(entry, 0, NULL, 1)) \
	CALL(-EINVAL, timeline_node_text(roots[0], NULL, 1)) \
	CALL(-EINVAL, timeline_rtl_use(NULL))

/* These functions set no error text, or return none. */
#define SILENT_CALLS(CALL) \
	CALL(-EINVAL, timeline_superseded(NULL)) \
	CALL(-EINVAL, timeline_trace_create(&no_trace, NULL, NULL)) \
	CALL(-EINVAL, \
	    (timeline_trace_instant)(trace, NULL, "info", "text", &message)) \
	CALL(-EINVAL, \
	    (timeline_trace_span)(trace, "a", NULL, "text", &message)) \
	CALL(-EINVAL, \
	    (timeline_trace_counter)(trace, "a", "info", NULL, &message)) \
	CALL(-EINVAL, timeline_trace_define(NULL, TIMELINE_TRACE_INSTANT, "a", \
			  "info", "text", NO_FILE, &message)) \
	CALL(-EINVAL, timeline_trace_string(trace, NULL, &number)) \
	CALL(-EINVAL, timeline_trace_string(NULL, "text", &number)) \
	CALL(-EINVAL, timeline_trace_thread_name(trace, NULL)) \
	CALL(-EINVAL, timeline_trace_thread_name(NULL, "name")) \
	CALL(-EINVAL, timeline_trace_flush(NULL)) \
	CALL(-EINVAL, timeline_trace_log(NULL, 0)) \
	CALL(-EINVAL, timeline_trace_begin(NULL, 0)) \
	CALL(-EINVAL, timeline_trace_end(NULL, 0)) \
	CALL(0, timeline_trace_close(NULL)) \
	CALL(0, options_without_words()) \
	CALL(0, timeline_read_timer(reader, 0, &timer)) \
	CALL(0, timeline_read_message(reader, 99, NULL) != NULL) \
	CALL(0, (timeline_close(NULL), 0)) \
	CALL(0, (timeline_thread_name(tl, NULL), 0)) \
	CALL(0, (timeline_thread_name(NULL, NULL), 0)) \
	CALL(0, (timeline_check(event, 0, NULL, 0), 0)) \
	CALL(0, (timeline_profiler_mark_begin(profiler, NULL), 0)) \
	CALL(0, (timeline_profiler_mark_end(profiler, NULL), 0))

enum { AS_WANTED, OTHER_RESULT, NO_TEXT };

static const char *
error_of(const char *call)
{
	return strncmp(call, "timeline_read", 13) == 0 ||
		       strncmp(call, "timeline_node", 13) == 0
		   ? timeline_read_error()
		   : timeline_error();
}

/* End the child with the verdict on its call. */
static void
answer(bool is_wanted, bool has_text, const char *call, const char *before)
{
	if (!is_wanted)
		_exit(OTHER_RESULT);
	_exit(has_text && strcmp(error_of(call), before) == 0 ? NO_TEXT
							      : AS_WANTED);
}

/* Returns 1 if a call did not do what it must. */
static int
judge(pid_t child, const char *call)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (status == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", call,
	    WIFSIGNALED(status)              ? "crashed"
	    : WEXITSTATUS(status) == NO_TEXT ? "no text of the error"
					     : "another result");
	return 1;
}

/* Each call runs in its own process, so that one crash hides no other. */
#define EXPECT(want, has_text, call) \
	do { \
		const pid_t child = fork(); \
\
		snprintf(before, sizeof(before), "%s", error_of(#call)); \
		if (child == 0) \
			answer((call) == (want), has_text, #call, before); \
		failed += judge(child, #call); \
	} while (0);
#define SPOKEN(want, call) EXPECT(want, (want) < 0, call)
#define SILENT(want, call) EXPECT(want, false, call)

TEST(null_in_place_of_a_text_is_an_error_and_no_crash)
{
	char before[512];
	int failed = 0;

	CALLS(SPOKEN)
	SILENT_CALLS(SILENT)
	ck_assert_int_eq(failed, 0);
}

/* A call with a NULL format logs nothing; a NULL name counts as empty. */
TEST(null_in_macros_of_rtl_logfile_is_an_empty_name_or_nothing)
{
	struct timeline_rtl_context context = { 0 };
	struct timeline_rtl_site site = { 0 };
	const uint64_t before = fixture_logged();

	ck_assert_ok(timeline_rtl_use(tl));
	timeline_rtl_trace(&site, &context, 1, NULL, 0, 0, 0, 0);
	timeline_rtl_trace(&site, &context, 0, NULL, 1, 0, 0, 0);
	ck_assert_uint_eq(fixture_logged(), before);
	timeline_rtl_enter(&context, &site, 0);
	timeline_rtl_leave(&context);
	ck_assert_uint_eq(fixture_logged(), before + 2);
	RTL_LOGFILE_PRODUCT_TRACE1("%s", (const char *)NULL);
	ck_assert_uint_eq(fixture_logged(), before + 3);
}
