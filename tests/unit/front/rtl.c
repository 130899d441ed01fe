/* SPDX-License-Identifier: Apache-2.0 */
/* rtl.c - the macros of RTL_LOGFILE.  Each test is a process. */
#define TIMELOG
#include "front/rtl_words.h"
#include "front_fixture.h"
#include "lib/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <timeline_rtl.h>

enum { THREADS = 4, ROUNDS = 50, STRINGS = 200000, KILLED_LINES = 1000 };

static char log_name[64];

static void
setup(void)
{
	char left[128]; /* left by a test that was killed */

	snprintf(log_name, sizeof(log_name), "/tmp/test-rtl-%d", (int)getpid());
	snprintf(left, sizeof(left), "%s_%d.tl", log_name, (int)getpid());
	unlink(left);
	snprintf(left, sizeof(left), "%s_%d.log", log_name, (int)getpid());
	unlink(left);
	setenv("RTL_LOGFILE", log_name, 1);
	setenv("RTL_LOGFILE_ENTRIES", "2048", 1);
}

static void
teardown(void)
{
	if (timeline_rtl_path())
		unlink(timeline_rtl_path());
	if (timeline_rtl_log_path())
		unlink(timeline_rtl_log_path());
	tl_text_free(&front_text);
}

/* The lines of a log file after its header, without time and thread. */
static const char *
read_log(const char *path)
{
	static char line[1 << 17];
	FILE *f = fopen(path, "r");
	unsigned pid, thread, at, last = 0;
	double opened;
	int skip = 0;

	ck_assert_ptr_nonnull(f);
	tl_text_clear(&front_text);
	ck_assert_int_eq(fscanf(f,
			     "opening log file %lf seconds past January 1st "
			     "1970\ncorresponding to %u ms after timer start\n"
			     "Process id is %u\n",
			     &opened, &at, &pid),
	    3);
	ck_assert(opened > 1e9 && at == 0);
	while (fgets(line, sizeof(line), f)) {
		ck_assert_ptr_nonnull(strchr(line, '\n'));
		if (strncmp(line, "closing log file at ", 20) == 0) {
			tl_put_string(&front_text, "closed\n");
			continue;
		}
		ck_assert_int_eq(sscanf(line, "%06u %u %n", &at, &thread,
				     &skip),
		    2);
		ck_assert_int_ge(skip, 8);
		ck_assert_uint_ge(at, last);
		last = at;
		tl_put_string(&front_text, line + skip);
	}
	fclose(f);
	return tl_text_string(&front_text);
}

/* List the entries of the timeline that RTL_LOGFILE names. */
static const char *
list(void)
{
	const char *text;

	ck_assert_ok(timeline_open(&tl, timeline_rtl_path()));
	text = front_list(tl);
	timeline_close(tl);
	return text;
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

/* The first macro waits until the file is made, so the file must be small. */
TEST(the_file_is_small)
{
	struct stat st;

	unsetenv("RTL_LOGFILE_ENTRIES");
	ck_assert(timeline_rtl_has_log_file());
	ck_assert_int_eq(stat(timeline_rtl_path(), &st), 0);
	ck_assert_int_le(st.st_size, 16 << 20);
}

TEST(contexts_are_spans)
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

TEST(traces_are_messages_of_their_context)
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
	    ". sfx2 \"::f : $1%s of $2%u %\nauthor: ab1\n"
	    "format: ::f : %s of %5lu%%\" \"some\" 100\n"
	    ". sfx2 \"::f : $1%u $2%x $3%s\nauthor: ab1\n"
	    "format: ::f : %u %x %c\" 4294967295 4294967295 \"z\"\n"
	    ". sfx2 \"::f : $1%d\nauthor: ab1\" -1\n"
	    "< sfx2 \"::f\nauthor: ab1\"\n");
}

TEST(traces_need_no_context)
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
	    ". rtl \"$1%d $2%d\nformat: : %i%i\" 1 2\n"
	    ". rtl \"$1%d,$2%d,$3%d\" 1 2 3\n"
	    ". sfx2 \"of somebody\nauthor: ab1\"\n"
	    ". sfx2 \"$1%d\nauthor: ab1\" 1\n"
	    ". sfx2 \"$1%d $2%d\nauthor: ab1\" 1 2\n"
	    ". sfx2 \"$1%d $2%d $3%d\nauthor: ab1\" 1 2 3\n"
	    ". rtl \"product\"\n"
	    ". rtl \"product $1%d\" 7\n");
}

TEST(braces_open_and_close_a_part)
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

static void
load(const char *name, const char *words)
{
	RTL_LOGFILE_CONTEXT(a, name);
	RTL_LOGFILE_CONTEXT_TRACE(a, words);
	RTL_LOGFILE_CONTEXT_TRACE(a, "constant");
}

TEST(texts_may_be_others_each_time)
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

TEST(without_the_variable_nothing_happens)
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

TEST(the_name_has_the_process_unless_it_ends_in_nopid)
{
	char expected[128];

	snprintf(expected, sizeof(expected), "%s_%d.tl", log_name,
	    (int)getpid());
	ck_assert_str_eq(timeline_rtl_path(), expected);
	ck_assert_int_eq(access(expected, F_OK), 0);
}

TEST(a_name_that_ends_in_nopid_is_kept)
{
	char name[100], expected[128];

	snprintf(name, sizeof(name), "%s.nopid", log_name);
	snprintf(expected, sizeof(expected), "%s.tl", name);
	setenv("RTL_LOGFILE", name, 1);
	ck_assert_str_eq(timeline_rtl_path(), expected);
}

TEST(no_file_is_made_unless_something_is_logged)
{
	char path[128];

	snprintf(path, sizeof(path), "%s_%d.tl", log_name, (int)getpid());
	ck_assert_int_eq(access(path, F_OK), -1);
	RTL_LOGFILE_TRACE("x");
	ck_assert_int_eq(access(path, F_OK), 0);
}

TEST(what_is_no_timeline_of_ours_stays)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s_%d.tl", log_name, (int)getpid());
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("precious words", f);
	fclose(f);
	RTL_LOGFILE_TRACE("x");
	ck_assert_ptr_null(timeline_rtl_path());
	ck_assert_str_eq(read_log(timeline_rtl_log_path()), "| : x\n");
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fgetc(f), 'p');
	fclose(f);
	unlink(path);
}

TEST(a_program_may_bring_its_own_timeline)
{
	struct timeline *other;

	fixture_setup_tiny();
	ck_assert_ok(timeline_rtl_use(tl));
	RTL_LOGFILE_TRACE("x");
	ck_assert_str_eq(front_list(tl), ". rtl \"x\"\n");
	ck_assert_ptr_null(timeline_rtl_path());
	ck_assert_ok(timeline_open(&other, fixture_name));
	ck_assert_int_eq(timeline_rtl_use(other), -EBUSY);
	ck_assert_int_eq(timeline_rtl_use(NULL), -EINVAL);
	timeline_close(other);
	timeline_remove(fixture_name);
}

static void
enter(const char *name, const char *before, const char *within)
{
	ck_assert_ok(timeline_priority(tl, before));
	RTL_LOGFILE_CONTEXT(a, name);
	ck_assert_ok(timeline_priority(tl, within));
}

/* The contexts have a label, which may change, or none. */
TEST(the_begin_of_a_context_decides_whether_its_end_is_logged)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_rtl_use(tl));
	{
		RTL_LOGFILE_CONTEXT(a, "constant");
		ck_assert_ok(timeline_priority(tl, "off"));
		RTL_LOGFILE_CONTEXT(b, "closed");
		ck_assert_ok(timeline_priority(tl, "trace"));
	}
	enter("$1", "trace", "off");
	enter("$2", "off", "trace");
	ck_assert_str_eq(front_list(tl), "> rtl \"constant\"\n"
					 "< rtl \"constant\"\n"
					 "> rtl \"$label%s\" \"$1\"\n"
					 "< rtl \"$label%s\" \"$1\"\n");
	timeline_remove(fixture_name);
}

static void *
trace(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		RTL_LOGFILE_CONTEXT(a, "thread");
		RTL_LOGFILE_CONTEXT_TRACE2(a, "round %d of %d", i, ROUNDS);
	}
	return unused;
}

TEST(threads_log_whole_lines)
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

/* Check the text of a format, and its words for the values 1 2 3. */
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

/*
 * Check the words of a format with a double and a string, and whether the
 * message has them unchanged.
 */
static void
expect_words(const char *format, double number, const char *string,
    const char *words, bool exact)
{
	const uint64_t values[TL_RTL_WORDS_MAX] = { timeline_double(number),
		(uint64_t)(uintptr_t)string };
	uint8_t conversions[TL_RTL_WORDS_MAX];
	struct tl_text text = { 0 };

	ck_assert_int_eq(tl_rtl_words_text(&text, format, 2, conversions),
	    exact);
	tl_text_clear(&text);
	tl_rtl_words_render(&text, format, 2, values);
	ck_assert_str_eq(tl_text_string(&text), words);
	tl_text_free(&text);
}

TEST(words_are_those_of_printf)
{
	expect_words("%.2f of %s", 0.5, "x", "0.50 of x", false);
	expect_words("%f %5s|", 0.1, "ab", "0.100000    ab|", false);
	expect_words("%g %.1s", 1e100, "ab", "1e+100 a", false);
	expect_words("%e %s", 1, "a\nb", "1.000000e+00 a b", false);
	expect_words("%d%% %s", 0, "x", "0% x", false);
	expect_words("%d, %s", 0, NULL, "0, (null)", true);
}

TEST(formats_are_taken_apart)
{
	expect_format("", 3, "", "");
	expect_format("%", 3, "%", "%");
	expect_format("%%d", 3, "%d", "%d");
	expect_format("%d%d", 1, "$1%d %d", "1%d");
	expect_format("%n %*d %q", 3, "%n %*d %q", "%n %*d %q");
	expect_format("%-08.3ld|%+lli|%zu", 3, "$1%d|$2%d|$3%u",
	    "001     |+2|3");
	expect_format("30%", 3, "30%", "30%");
	expect_format("%d%%", 1, "$1%d %", "1%");
	expect_format("100%%", 0, "100%%", "100%%");
	expect_format("%05d %x %#X", 3, "$1%d $2%x $3%x", "00001 2 0X3");
	expect_format("%o %.0s|%3c", 1, "$1%o %.0s|%3c", "1 %.0s|%3c");
	expect_format("%99999d", 1, "%99999d", "%99999d");
	expect_format("%dms", 1, "$1%d ms", "1ms");
	expect_format("a\nb\r\n\n", 0, "a b", "a b");
	expect_format("%p", 1, "$1%x", "0x1");
	expect_format("%ll", 1, "%ll", "%ll");
}

#define words_value_of(format, value) \
	__extension__({ \
		uint8_t conversions[TL_RTL_WORDS_MAX]; \
		struct tl_text text = { 0 }; \
		tl_rtl_words_text(&text, format, 1, conversions); \
		tl_text_free(&text); \
		tl_rtl_words_value(conversions[0], value); \
	})

TEST(values_are_as_wide_as_their_conversion)
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

TEST(the_log_file_is_the_one_that_was_documented)
{
	char expected[128];

	{
		RTL_LOGFILE_CONTEXT_AUTHOR(a, "desktop", "cd100003",
		    "::Desktop::Main");
		RTL_LOGFILE_CONTEXT_TRACE(a, "{ lengthy calculation");
		RTL_LOGFILE_CONTEXT_TRACE1(a, "} step %d", 3);
		RTL_LOGFILE_CONTEXT(b, "In$0");
		RTL_LOGFILE_CONTEXT_TRACE(b, "two\nlines\n");
	}
	RTL_LOGFILE_TRACE_AUTHOR("sfx2", "ab1", "finished");
	RTL_LOGFILE_TRACE_AUTHOR("sfx2", "ab1", "::f : finished");
	RTL_LOGFILE_TRACE_AUTHOR("sfx2", "", "no author");
	RTL_LOGFILE_TRACE_AUTHOR("", "ab1", "no project");
	RTL_LOGFILE_TRACE("30%");
	RTL_LOGFILE_TRACE1("%d%%", 30);
	RTL_LOGFILE_TRACE3("%x %.2f %05d", 255, 0.5, 42);
	snprintf(expected, sizeof(expected), "%s_%d.log", log_name,
	    (int)getpid());
	ck_assert_str_eq(timeline_rtl_log_path(), expected);
	ck_assert_str_eq(read_log(expected),
	    "{ desktop (cd100003) ::Desktop::Main\n"
	    "| desktop (cd100003) ::Desktop::Main : { lengthy calculation\n"
	    "| desktop (cd100003) ::Desktop::Main : } step 3\n"
	    "{ In$0\n"
	    "| In$0 : two lines\n"
	    "} In$0\n"
	    "} desktop (cd100003) ::Desktop::Main\n"
	    "| sfx2 (ab1) : finished\n"
	    "| sfx2 (ab1) ::f : finished\n"
	    "| sfx2 (-) : no author\n"
	    "| rtl (ab1) : no project\n"
	    "| : 30%\n"
	    "| : 30%\n"
	    "| : ff 0.50 00042\n");
	ck_assert_uint_eq(timeline_rtl_lost(), 0);
}

TEST(a_line_is_one_that_readers_take_whole)
{
	static char text[100000];
	const char *line;

	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i + 1 < sizeof(text); i += 2) /* U+00E9 */
		memcpy(text + i, "\xc3\xa9", 2);
	text[sizeof(text) - 1] = '\0';
	RTL_LOGFILE_TRACE1("%s", text);
	line = read_log(timeline_rtl_log_path());
	ck_assert_uint_le(strlen(line), 65536);
	ck_assert_uint_ge(strlen(line), 65500);
	ck_assert_ptr_nonnull(strstr(line, "\xc3\xa9...\n"));
}

/* The list shows the bits of a value as a signed number. */
TEST(values_of_64_bits_are_unsigned_where_printf_says_so)
{
	RTL_LOGFILE_TRACE3("%lu %llu %zu", 1UL << 63, ~0ULL, (size_t)1);
	ck_assert_str_eq(list(),
	    ". rtl \"$1%u $2%u $3%u\" -9223372036854775808 -1 1\n");
}

/*
 * The timeline keeps the newest entries, and texts while there is room; the log
 * file keeps all.
 */
TEST(nothing_is_missing_in_the_log_file)
{
	const char *line;
	char expected[64];

	for (unsigned i = 0; i < STRINGS; i++) {
		char string[64];

		snprintf(string, sizeof(string), "somewhat long string %u", i);
		RTL_LOGFILE_TRACE1("%s", string);
	}
	line = read_log(timeline_rtl_log_path());
	for (unsigned i = 0; i < STRINGS; i++) {
		const int size = snprintf(expected, sizeof(expected),
		    "| : somewhat long string %u\n", i);

		ck_assert_int_eq(strncmp(line, expected, (size_t)size), 0);
		line += size;
	}
	ck_assert_uint_gt(timeline_rtl_lost(), 0);
	ck_assert_ok(timeline_open(&tl, timeline_rtl_path()));
	ck_assert(
	    tl_bytes_equal(front_record(tl, fixture_newest()->args[0]).text,
		tl_bytes_of("(no room for this text)")));
	timeline_close(tl);
}

TEST(a_killed_program_leaves_every_line)
{
	const pid_t pid = fork();
	char path[128];
	unsigned lines = 0;
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		for (int i = 0; i < KILLED_LINES; i++)
			RTL_LOGFILE_TRACE1("line %d", i);
		raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	snprintf(path, sizeof(path), "%s_%d.log", log_name, (int)pid);
	for (const char *at = read_log(path); (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, KILLED_LINES);
	unlink(path);
	snprintf(path, sizeof(path), "%s_%d.tl", log_name, (int)pid);
	unlink(path);
}

/* Run a child that logs, and wait for its exit. */
static pid_t
log_in_child(void)
{
	const pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		RTL_LOGFILE_TRACE("of the child");
		exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return pid;
}

TEST(a_forked_process_has_its_own_log_file)
{
	char path[128];

	RTL_LOGFILE_TRACE("before");
	snprintf(path, sizeof(path), "%s_%d.log", log_name,
	    (int)log_in_child());
	RTL_LOGFILE_TRACE("after");
	ck_assert_str_eq(read_log(path), "| : of the child\nclosed\n");
	unlink(path);
	ck_assert_str_eq(read_log(timeline_rtl_log_path()),
	    "| : before\n| : after\n");
}

TEST(a_name_without_a_process_is_shared)
{
	char name[100];

	snprintf(name, sizeof(name), "%s.nopid", log_name);
	unlink(name);
	setenv("RTL_LOGFILE", name, 1);
	setenv("RTL_LOGFILE_ENTRIES", "0", 1);
	RTL_LOGFILE_TRACE("before");
	log_in_child();
	ck_assert_str_eq(timeline_rtl_log_path(), name);
	/* without entries there is no timeline */
	ck_assert_ptr_null(timeline_rtl_path());
	ck_assert_str_eq(read_log(name), "| : before\n| : of the child\n");
}

TEST(only_an_earlier_log_file_is_replaced, .to = 2)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s_%d.log", log_name, (int)getpid());
	setenv("RTL_LOGFILE_ENTRIES", "0", 1);
	ck_assert_ptr_nonnull(f = fopen(path, "w"));
	if (_i == 0)
		fputs("opening log file 1.0 seconds past\n", f);
	else
		fputs("precious words", f);
	fclose(f);
	RTL_LOGFILE_TRACE("x");
	ck_assert_int_eq(RTL_LOGFILE_HASLOGFILE(), _i == 0);
	if (_i == 0) {
		ck_assert_str_eq(read_log(path), "| : x\n");
		return;
	}
	ck_assert_ptr_nonnull(f = fopen(path, "r"));
	ck_assert_int_eq(fgetc(f), 'p');
	fclose(f);
	unlink(path);
}
