/* SPDX-License-Identifier: Apache-2.0 */
/* test_front_rtl.c - the macros of RTL_LOGFILE.  Each test is a process. */
#define TIMELOG
#include "front/rtl_words.h"
#include "front_fixture.h"

#include <pthread.h>
#include <sys/stat.h>
#include <timeline_rtl.h>

enum { THREADS = 4, ROUNDS = 50 };

static char log_name[64];

static void
setup(void)
{
	char left[128]; /* by a test that was killed */

	snprintf(log_name, sizeof(log_name), "/tmp/test-rtl-%d", (int)getpid());
	snprintf(left, sizeof(left), "%s_%d.tl", log_name, (int)getpid());
	unlink(left);
	setenv("RTL_LOGFILE", log_name, 1);
	setenv("RTL_LOGFILE_ENTRIES", "2048", 1);
}

static void
teardown(void)
{
	if (timeline_rtl_path())
		unlink(timeline_rtl_path());
	tl_text_free(&front_text);
}

/* What is in the timeline that RTL_LOGFILE led to. */
static const char *
list(void)
{
	const char *text;

	ck_assert_int_eq(timeline_open(&tl, timeline_rtl_path()), 0);
	text = front_list(tl);
	timeline_close(tl);
	return text;
}

/* The first macro waits for the file to be made. */
START_TEST(the_file_is_small)
{
	struct stat st;

	unsetenv("RTL_LOGFILE_ENTRIES");
	ck_assert(timeline_rtl_has_log_file());
	ck_assert_int_eq(stat(timeline_rtl_path(), &st), 0);
	ck_assert_int_le(st.st_size, 16 << 20);
}
END_TEST

START_TEST(contexts_are_spans)
{
	{
		RTL_LOGFILE_CONTEXT_AUTHOR(a, "desktop", "cd100003",
		    "::Desktop::Main");
		RTL_LOGFILE_CONTEXT(b, "plain");
		RTL_LOGFILE_PRODUCT_CONTEXT(c, "product");
	}
	ck_assert_str_eq(list(),
	    "> desktop \"::Desktop::Main\nauthor: cd100003\"\n"
	    "> rtl \"plain\"\n"
	    "> rtl \"product\"\n"
	    "< rtl \"product\"\n"
	    "< rtl \"plain\"\n"
	    "< desktop \"::Desktop::Main\nauthor: cd100003\"\n");
}
END_TEST

START_TEST(traces_are_messages_of_their_context)
{
	{
		RTL_LOGFILE_CONTEXT_AUTHOR(a, "sfx2", "ab1", "::f");
		RTL_LOGFILE_CONTEXT_TRACE(a, "words");
		RTL_LOGFILE_CONTEXT_TRACE1(a, "%d pages", 3);
		RTL_LOGFILE_CONTEXT_TRACE2(a, "%s of %5lu%%", "some", 100UL);
		RTL_LOGFILE_CONTEXT_TRACE3(a, "%u %x %c", -1, -1, 'z');
		RTL_LOGFILE_PRODUCT_CONTEXT_TRACE1(a, "%hhd", 511);
	}
	ck_assert_str_eq(list(),
	    "> sfx2 \"::f\nauthor: ab1\"\n"
	    ". sfx2 \"::f : words\nauthor: ab1\"\n"
	    ". sfx2 \"::f : $1%d pages\nauthor: ab1\" 3\n"
	    ". sfx2 \"::f : $1%s of $2 %\nauthor: ab1\" \"some\" 100\n"
	    ". sfx2 \"::f : $1 $2%x $3%s\nauthor: ab1\" 4294967295 "
	    "4294967295 \"z\"\n"
	    ". sfx2 \"::f : $1%d\nauthor: ab1\" -1\n"
	    "< sfx2 \"::f\nauthor: ab1\"\n");
}
END_TEST

START_TEST(traces_need_no_context)
{
	RTL_LOGFILE_TRACE("words\n");
	RTL_LOGFILE_TRACE1("%s", (const char *)NULL);
	RTL_LOGFILE_TRACE2("%i%i", 1, 2);
	RTL_LOGFILE_TRACE3("%d,%d,%d", 1, 2, 3);
	RTL_LOGFILE_TRACE_AUTHOR("sfx2", "ab1", "of somebody");
	RTL_LOGFILE_TRACE_AUTHOR1("sfx2", "ab1", "%d", 1);
	RTL_LOGFILE_TRACE_AUTHOR2("sfx2", "ab1", "%d %d", 1, 2);
	RTL_LOGFILE_TRACE_AUTHOR3("sfx2", "ab1", "%d %d %d", 1, 2, 3);
	RTL_LOGFILE_PRODUCT_TRACE("product");
	RTL_LOGFILE_PRODUCT_TRACE1("product %d", 7);
	ck_assert_int_eq(RTL_LOGFILE_HASLOGFILE(), 1);
	ck_assert_str_eq(list(),
	    ". rtl \"words\"\n"
	    ". rtl \"$1%s\" \"(null)\"\n"
	    ". rtl \"$1%d $2%d\" 1 2\n"
	    ". rtl \"$1%d,$2%d,$3%d\" 1 2 3\n"
	    ". sfx2 \"of somebody\nauthor: ab1\"\n"
	    ". sfx2 \"$1%d\nauthor: ab1\" 1\n"
	    ". sfx2 \"$1%d $2%d\nauthor: ab1\" 1 2\n"
	    ". sfx2 \"$1%d $2%d $3%d\nauthor: ab1\" 1 2 3\n"
	    ". rtl \"product\"\n"
	    ". rtl \"product $1%d\" 7\n");
}
END_TEST

START_TEST(braces_open_and_close_a_part)
{
	{
		RTL_LOGFILE_CONTEXT(a, "f");
		RTL_LOGFILE_CONTEXT_TRACE(a, "{ lengthy calculation");
		RTL_LOGFILE_CONTEXT_TRACE1(a, "{ step %d", 1);
		RTL_LOGFILE_CONTEXT_TRACE1(a, "} step %d", 1);
		RTL_LOGFILE_CONTEXT_TRACE(a, "} lengthy calculation");
	}
	RTL_LOGFILE_TRACE("{part");
	RTL_LOGFILE_TRACE("} part");
	RTL_LOGFILE_TRACE("{ $5");
	ck_assert_str_eq(list(), "> rtl \"f\"\n"
				 "> rtl \"f : lengthy calculation\"\n"
				 "> rtl \"f : step $1%d\" 1\n"
				 "< rtl \"f : step $1%d\" 1\n"
				 "< rtl \"f : lengthy calculation\"\n"
				 "< rtl \"f\"\n"
				 "> rtl \": part\"\n"
				 "< rtl \": part\"\n"
				 "> rtl \": $label%s\" \"$5\"\n");
}
END_TEST

static void
load(const char *name, const char *words)
{
	RTL_LOGFILE_CONTEXT(a, name);
	RTL_LOGFILE_CONTEXT_TRACE(a, words);
	RTL_LOGFILE_CONTEXT_TRACE(a, "constant");
}

START_TEST(texts_may_be_others_each_time)
{
	char name[] = "one", words[] = "first";

	load(name, words);
	strcpy(name, "two");
	strcpy(words, "2$nd\n");
	load(name, words);
	load("$3", "{ $p");
	ck_assert_str_eq(list(), "> rtl \"one\"\n"
				 ". rtl \"one : $message%s\" \"first\"\n"
				 ". rtl \"one : constant\"\n"
				 "< rtl \"one\"\n"
				 "> rtl \"two\"\n"
				 ". rtl \"two : $message%s\" \"2$nd\"\n"
				 ". rtl \"two : constant\"\n"
				 "< rtl \"two\"\n"
				 "> rtl \"$label%s\" \"$3\"\n"
				 "> rtl \"$label%s : ?p\" \"$3\"\n"
				 ". rtl \"$label%s : constant\" \"$3\"\n"
				 "< rtl \"$label%s\" \"$3\"\n");
}
END_TEST

START_TEST(without_the_variable_nothing_happens)
{
	int evaluated = 0;

	unsetenv("RTL_LOGFILE");
	{
		RTL_LOGFILE_CONTEXT(a, "f");
		RTL_LOGFILE_CONTEXT_TRACE1(a, "%d", ++evaluated);
		ck_assert_ptr_null(a.span);
	}
	RTL_LOGFILE_PRODUCT_TRACE1("%d", ++evaluated);
	ck_assert_int_eq(evaluated, 0);
	ck_assert_int_eq(RTL_LOGFILE_HASLOGFILE(), 0);
	ck_assert_ptr_null(timeline_rtl_path());
}
END_TEST

START_TEST(the_name_has_the_process_unless_it_ends_in_nopid)
{
	char expected[128];

	snprintf(expected, sizeof(expected), "%s_%d.tl", log_name,
	    (int)getpid());
	ck_assert_str_eq(timeline_rtl_path(), expected);
	ck_assert_int_eq(access(expected, F_OK), 0);
}
END_TEST

START_TEST(a_name_that_ends_in_nopid_is_kept)
{
	char name[100], expected[128];

	snprintf(name, sizeof(name), "%s.nopid", log_name);
	snprintf(expected, sizeof(expected), "%s.tl", name);
	setenv("RTL_LOGFILE", name, 1);
	ck_assert_str_eq(timeline_rtl_path(), expected);
}
END_TEST

START_TEST(no_file_is_made_unless_something_is_logged)
{
	char path[128];

	snprintf(path, sizeof(path), "%s_%d.tl", log_name, (int)getpid());
	ck_assert_int_eq(access(path, F_OK), -1);
	RTL_LOGFILE_TRACE("x");
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(what_is_no_timeline_of_ours_stays)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s_%d.tl", log_name, (int)getpid());
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("precious words", f);
	fclose(f);
	RTL_LOGFILE_TRACE("x");
	ck_assert_int_eq(RTL_LOGFILE_HASLOGFILE(), 0);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fgetc(f), 'p');
	fclose(f);
	unlink(path);
}
END_TEST

START_TEST(a_program_may_bring_its_own_timeline)
{
	struct timeline *other;

	fixture_setup_tiny();
	ck_assert_int_eq(timeline_rtl_use(tl), 0);
	RTL_LOGFILE_TRACE("x");
	ck_assert_str_eq(front_list(tl), ". rtl \"x\"\n");
	ck_assert_ptr_null(timeline_rtl_path());
	ck_assert_int_eq(timeline_open(&other, fixture_name), 0);
	ck_assert_int_eq(timeline_rtl_use(other), -EBUSY);
	ck_assert_int_eq(timeline_rtl_use(NULL), -EINVAL);
	timeline_close(other);
	timeline_remove(fixture_name);
}
END_TEST

static void *
trace(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		RTL_LOGFILE_CONTEXT(a, "thread");
		RTL_LOGFILE_CONTEXT_TRACE2(a, "round %d of %d", i, ROUNDS);
	}
	return unused;
}

START_TEST(threads_log_whole_lines)
{
	pthread_t threads[THREADS];
	unsigned lines = 0;
	const char *text;

	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, trace, NULL),
		    0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (text = list(); (text = strchr(text, '\n')); text++)
		lines++;
	ck_assert_uint_eq(lines, 3 * THREADS * ROUNDS);
}
END_TEST

/* A format's text, and the words it makes of 1 2 3. */
static void
expect_format(const char *format, unsigned count, const char *expected,
    const char *words)
{
	const uint64_t values[TL_RTL_WORDS_MAX] = { 1, 2, 3 };
	uint8_t conversions[TL_RTL_WORDS_MAX];
	struct tl_text text = { 0 };

	tl_rtl_words_text(&text, format, count, conversions);
	ck_assert_str_eq(tl_text_string(&text), expected);
	tl_text_clear(&text);
	tl_rtl_words_render(&text, format, count, values);
	ck_assert_str_eq(tl_text_string(&text), words);
	tl_text_free(&text);
}

START_TEST(formats_are_taken_apart)
{
	expect_format("", 3, "", "");
	expect_format("%", 3, "%", "%");
	expect_format("%%d", 3, "%d", "%d");
	expect_format("%d%d", 1, "$1%d %d", "1%d");
	expect_format("%n %*d %q", 3, "%n %*d %q", "%n %*d %q");
	expect_format("%-08.3ld|%+lli|%zu", 3, "$1%d|$2%d|$3", "1|2|3");
	expect_format("%dms", 1, "$1%d ms", "1ms");
	expect_format("a\nb\r\n\n", 0, "a b", "a b");
	expect_format("%p", 1, "$1%x", "0x1");
	expect_format("%ll", 1, "%ll", "%ll");
}
END_TEST

#define words_value_of(format, value) \
	__extension__({ \
		uint8_t conversions[TL_RTL_WORDS_MAX]; \
		struct tl_text text = { 0 }; \
		tl_rtl_words_text(&text, format, 1, conversions); \
		tl_text_free(&text); \
		tl_rtl_words_value(conversions[0], value); \
	})

START_TEST(values_are_as_wide_as_their_conversion)
{
	const uint64_t all = UINT64_MAX;

	ck_assert_uint_eq(words_value_of("%u", all), UINT32_MAX);
	ck_assert_uint_eq(words_value_of("%hu", all), UINT16_MAX);
	ck_assert_uint_eq(words_value_of("%hhx", all), UINT8_MAX);
	ck_assert_uint_eq(words_value_of("%lu", all), all);
	ck_assert_uint_eq(words_value_of("%d", 0xffffffff), all);
	ck_assert_uint_eq(words_value_of("%ld", 0xffffffff), 0xffffffff);
	ck_assert_uint_eq(words_value_of("%f", all), all);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("front rtl");
	TCase *t = tcase_create("rtl");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_file_is_small);
	tcase_add_test(t, contexts_are_spans);
	tcase_add_test(t, traces_are_messages_of_their_context);
	tcase_add_test(t, traces_need_no_context);
	tcase_add_test(t, braces_open_and_close_a_part);
	tcase_add_test(t, texts_may_be_others_each_time);
	tcase_add_test(t, without_the_variable_nothing_happens);
	tcase_add_test(t, the_name_has_the_process_unless_it_ends_in_nopid);
	tcase_add_test(t, a_name_that_ends_in_nopid_is_kept);
	tcase_add_test(t, no_file_is_made_unless_something_is_logged);
	tcase_add_test(t, what_is_no_timeline_of_ours_stays);
	tcase_add_test(t, a_program_may_bring_its_own_timeline);
	tcase_add_test(t, threads_log_whole_lines);
	tcase_add_test(t, formats_are_taken_apart);
	tcase_add_test(t, values_are_as_wide_as_their_conversion);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return run_suite(suite());
}
