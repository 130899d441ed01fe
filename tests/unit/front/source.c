/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - sources, their activity, and the entries about it. */
#include "front_fixture.h"
#include "lib/test.h"

#include <pthread.h>
#include <timeline_source.h>

enum { THREADS = 4, ROUNDS = 20 };

static const struct timeline_options plenty = { .entries = 1024,
	.stringtablesize = 65536 };
static struct timeline_source *source;

static void
setup(void)
{
	fixture_open(&plenty);
}

static void
teardown(void)
{
	timeline_source_free(source);
	fixture_close();
	tl_text_free(&front_text);
}

/* The entries about opens and closes. */
static const char *
steps(void)
{
	static struct tl_text text;
	const char *line = front_list(tl), *end;

	tl_text_clear(&text);
	for (; *line; line = end) {
		end = strchr(line, '\n') + 1;
		/* a message may have several lines */
		while (*end && !strchr("<>.", *end))
			end = strchr(end, '\n') + 1;
		if (line[0] != '.')
			tl_put_bytes(&text,
			    tl_bytes(line, (size_t)(end - line)));
	}
	return tl_text_string(&text);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(open_and_close_are_a_span_of_the_source)
{
	ck_assert_ok(timeline_source_new(&source, tl, "GameThread"));
	timeline_source_open(source);
	ck_assert_int_eq(timeline_source_activity(source), 1);
	timeline_source_close(source);
	ck_assert_ok(timeline_source_activity(source));
	ck_assert_str_eq(steps(), "> source \"GameThread\nsource 0\"\n"
				  "< source \"GameThread\nsource 0\"\n");
	ck_assert_uint_eq(front_record(tl, fixture_newest()->message & ~15U)
			      .fixed.scope,
	    TIMELINE_SOURCE);
}

TEST(activity_above_1_and_below_0_is_seen)
{
	ck_assert_ok(timeline_source_new(&source, tl, "s"));
	timeline_source_close(source);
	ck_assert_int_eq(timeline_source_activity(source), -1);
	timeline_source_open(source);
	timeline_source_open(source);
	timeline_source_open(source);
	ck_assert_int_eq(timeline_source_activity(source), 2);
	timeline_source_close(source);
	timeline_source_close(source);
	ck_assert_str_eq(steps(),
	    "> source \"s (below 0)\nsource 0: below 0\"\n"
	    "< source \"s (below 0)\nsource 0: below 0\"\n"
	    "> source \"s\nsource 0\"\n"
	    "> source \"s (overlap)\nsource 0: overlap\"\n"
	    "< source \"s (overlap)\nsource 0: overlap\"\n"
	    "< source \"s\nsource 0\"\n");
}

TEST(that_a_source_was_made_is_logged)
{
	struct timeline_source *other;

	ck_assert_ok(timeline_source_new(&source, tl, "a $b"));
	ck_assert_ok(timeline_source_new(&other, tl, "never opened"));
	timeline_source_free(other);
	ck_assert_str_eq(front_list(tl),
	    ". timelogger \"source $id%d is $name%s\" 0 \"a $b\"\n"
	    ". timelogger \"source $id%d is $name%s\" 1 \"never opened\"\n");
}

TEST(no_source_is_as_good_as_one)
{
	ck_assert_ok(timeline_source_new(&source, NULL, "s"));
	ck_assert_ptr_null(source);
	timeline_source_open(source);
	timeline_source_close(source);
	{
		timeline_source_scope(source);
	}
	ck_assert_ok(timeline_source_activity(source));
	ck_assert_uint_eq(fixture_logged(), 0);
}

TEST(sources_of_one_name_are_two)
{
	struct timeline_source *other;

	ck_assert_ok(timeline_source_new(&source, tl, "s"));
	ck_assert_ok(timeline_source_new(&other, tl, "s"));
	timeline_source_open(source);
	timeline_source_open(other);
	ck_assert_str_eq(steps(),
	    "> source \"s\nsource 0\"\n> source \"s\nsource 1\"\n");
	timeline_source_free(other);
}

TEST(any_name_will_do_but_none)
{
	ck_assert_int_eq(timeline_source_new(&source, tl, ""), -EINVAL);
	ck_assert_ptr_null(source);
	ck_assert_int_eq(timeline_source_new(&source, tl, NULL), -EINVAL);
	ck_assert_ok(timeline_source_new(&source, tl, "a $b\nc"));
	timeline_source_open(source);
	timeline_source_close(source);
	ck_assert_str_eq(steps(),
	    "> source \"$label%s\nsource 0\" \"a $b\nc\"\n"
	    "< source \"$label%s\nsource 0\" \"a $b\nc\"\n");
}

TEST(a_scope_closes_where_it_is_left)
{
	ck_assert_ok(timeline_source_new(&source, tl, "s"));
	for (int i = 0; i < 2; i++) {
		timeline_source_scope(source);
		ck_assert_int_eq(timeline_source_activity(source), 1);
		if (i == 0)
			continue;
	}
	ck_assert_ok(timeline_source_activity(source));
	ck_assert_uint_eq(fixture_logged(), 1 + 4);
}

TEST(a_full_table_makes_no_source)
{
	int rc = 0;

	for (int i = 0; i < 1000 && rc == 0; i++) {
		timeline_source_free(source);
		rc = timeline_source_new(&source, tl, "s");
	}
	ck_assert_int_eq(rc, -ENOSPC);
	ck_assert_ptr_null(source);
}

static void *
migrate(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		timeline_source_open(source);
		timeline_source_close(source);
	}
	return unused;
}

TEST(threads_may_share_a_source)
{
	pthread_t threads[THREADS];

	ck_assert_ok(timeline_source_new(&source, tl, "s"));
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, migrate,
				     NULL),
		    0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_ok(timeline_source_activity(source));
	ck_assert_uint_eq(fixture_logged(), 1 + 2 * THREADS * ROUNDS);
}
