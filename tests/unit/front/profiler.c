/* SPDX-License-Identifier: Apache-2.0 */
/* profiler.c - marks by label, and --profiling FILE. */
#include "front_fixture.h"
#include "lib/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <timeline_profiler.h>

enum { THREADS = 4, LABELS = 50 };
enum { PROFILE_LABELS = 5000, MARKS = 1000 };

static const struct timeline_options plenty = { .entries = 2048,
	.stringtablesize = 65536 };
static struct timeline_profiler *profiler;
static char path[64];
static char csv[64];

static void
setup(void)
{
	snprintf(csv, sizeof(csv), "/tmp/test-profiler-%d.csv", (int)getpid());
	unlink(csv); /* a killed test may have left it */
	fixture_open(&plenty);
	ck_assert_ok(timeline_profiler_new(&profiler, tl));
	snprintf(path, sizeof(path), "/tmp/test-profiler-%d.tl", (int)getpid());
	unlink(path); /* a killed test may have left it */
}

static void
teardown(void)
{
	timeline_profiler_close(profiler);
	unlink(path);
	unlink(csv);
	fixture_close();
	tl_text_free(&front_text);
}

/* Start the profiler as by --profiling FILE. */
static void
start_profile(void)
{
	char *argv[] = { "program", "--profiling", csv, NULL };
	int argc = 3;

	timeline_profiler_close(profiler);
	ck_assert_ok(timeline_profiler_options(&profiler, &argc, argv));
	ck_assert_ptr_nonnull(profiler);
}

/* Read the profile; it must end with a whole line. */
static char *
read_profile(void)
{
	static char bytes[1 << 20];
	FILE *f = fopen(csv, "r");
	size_t size;

	ck_assert_ptr_nonnull(f);
	size = fread(bytes, 1, sizeof(bytes) - 1, f);
	fclose(f);
	bytes[size] = '\0';
	ck_assert(size == 0 || bytes[size - 1] == '\n');
	return bytes;
}

/*
 * Count the marks of a profile.  Each mark must have an id with a label, and no
 * time before the mark above it.
 */
static unsigned
count_marks(unsigned *labels)
{
	char *line = strtok(read_profile(), "\n");
	unsigned type, id, marks = 0;
	long long diff;

	for (*labels = 0; line; line = strtok(NULL, "\n")) {
		ck_assert_int_eq(sscanf(line, "%u,%u,%lld", &type, &id, &diff),
		    line[0] == '2' ? 2 : 3);
		if (type == 2) {
			ck_assert_uint_eq(id, (*labels)++);
			continue;
		}
		ck_assert_uint_lt(id, *labels);
		ck_assert_int_ge(diff, 0);
		marks++;
	}
	return marks;
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(marks_are_spans_of_their_label)
{
	char label[] = "camera.read";

	timeline_profiler_mark_begin(profiler, label);
	timeline_profiler_mark_begin(profiler, "a $b");
	timeline_profiler_mark_end(profiler, "a $b");
	timeline_profiler_mark_end(profiler, "camera.read");
	label[0] = 'K'; /* no pointer of the caller is kept */
	timeline_profiler_mark_end(profiler, "camera.read");
	ck_assert_str_eq(front_list(tl),
	    "> lms \"camera.read\ncamera.read\"\n"
	    "> lms \"$label%s\na $b\" \"a $b\"\n"
	    "< lms \"$label%s\na $b\" \"a $b\"\n"
	    "< lms \"camera.read\ncamera.read\"\n"
	    "< lms \"camera.read\ncamera.read\"\n");
	ck_assert_uint_eq(timeline_profiler_lost(profiler), 0);
}

TEST(without_a_profiler_marks_do_nothing)
{
	timeline_profiler_mark_begin(NULL, "x");
	timeline_profiler_mark_end(NULL, "x");
	timeline_profiler_mark_begin(profiler, NULL);
	timeline_profiler_close(NULL);
	ck_assert_uint_eq(timeline_profiler_lost(NULL), 0);
	ck_assert_uint_eq(fixture_logged(), 0);
}

TEST(labels_without_room_are_counted)
{
	char label[32];

	for (int i = 0; i < 2000; i++) {
		snprintf(label, sizeof(label), "label %d", i);
		timeline_profiler_mark_begin(profiler, label);
	}
	ck_assert_uint_gt(timeline_profiler_lost(profiler), 0);
	ck_assert_uint_lt(timeline_profiler_lost(profiler), 2000);
	ck_assert_uint_eq(timeline_profiler_lost(profiler) + fixture_logged(),
	    2000);
}

TEST(more_labels_than_the_table_are_found_all_the_same)
{
	const struct timeline_options large = { .entries = 65536,
		.stringtablesize = 4 << 20 };
	struct timeline *other;
	char label[32];
	uint64_t tail = 0;

	timeline_profiler_close(profiler);
	ck_assert_ok(timeline_new(&other, path, &large));
	ck_assert_ok(timeline_profiler_new(&profiler, other));
	for (int i = 0; i < 10000; i++) {
		if (i == 5000) /* all labels are known */
			tail = other->header->strings_tail;
		snprintf(label, sizeof(label), "label %d", i % 5000);
		timeline_profiler_mark_begin(profiler, label);
	}
	ck_assert_uint_eq(timeline_profiler_lost(profiler), 0);
	ck_assert_uint_eq(other->header->strings_tail, tail);
	timeline_close(other);
}

static void *
mark_all(void *unused)
{
	char label[32];

	for (int i = 0; i < LABELS; i++) {
		snprintf(label, sizeof(label), "label %d", i);
		timeline_profiler_mark_begin(profiler, label);
		timeline_profiler_mark_end(profiler, label);
	}
	return unused;
}

TEST(threads_find_the_same_labels)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, mark_all,
				     NULL),
		    0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(fixture_logged(), 2 * THREADS * LABELS);
	ck_assert_uint_eq(timeline_profiler_lost(profiler), 0);
}

/* Parse the options, and make one mark if there is a profiler. */
static int
options(int *argc, char **argv)
{
	int rc;

	timeline_profiler_close(profiler);
	profiler = NULL;
	rc = timeline_profiler_options(&profiler, argc, argv);
	ck_assert(rc == 0 || !profiler);
	timeline_profiler_mark_begin(profiler, "x");
	return rc;
}

TEST(the_option_is_taken_out_of_the_command_line)
{
	char *argv[] = { "lms", "-v", "--profiling", path, "run", NULL };
	int argc = 5;

	ck_assert_int_eq(options(&argc, argv), 0);
	ck_assert_ptr_nonnull(profiler);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(argc, 3);
	ck_assert_str_eq(argv[1], "-v");
	ck_assert_str_eq(argv[2], "run");
	ck_assert_ptr_null(argv[3]);
}

TEST(the_option_may_have_an_equals_sign)
{
	char option[100];
	char *argv[] = { "lms", option, NULL };
	int argc = 2;

	snprintf(option, sizeof(option), "--profiling=%s", path);
	ck_assert_int_eq(options(&argc, argv), 0);
	ck_assert_ptr_nonnull(profiler);
	ck_assert_int_eq(argc, 1);
	ck_assert_ptr_null(argv[1]);
}

TEST(without_the_option_there_is_no_profiler)
{
	char *argv[] = { "lms", "--profilings", "--", "--profiling", path,
		NULL };
	int argc = 5;

	ck_assert_int_eq(options(&argc, argv), 0);
	ck_assert_ptr_null(profiler);
	ck_assert_int_eq(argc, 5);
	ck_assert_int_eq(access(path, F_OK), -1);
}

TEST(the_option_needs_its_file)
{
	char *argv[] = { "lms", "--profiling", NULL };
	int argc = 2;

	ck_assert_int_eq(options(&argc, argv), -EINVAL);
	argc = 2;
	argv[1] = "--profiling=";
	ck_assert_int_eq(options(&argc, argv), -EINVAL);
	ck_assert_int_eq(argc, 2);
}

TEST(a_profile_is_written_while_the_program_runs)
{
	long long diffs[4];
	int end = 0;

	start_profile();
	ck_assert_str_eq(read_profile(), "");
	timeline_profiler_mark_begin(profiler, "reader");
	timeline_profiler_mark_end(profiler, "reader");
	timeline_profiler_mark_begin(profiler, "a,b\n0,0,5");
	timeline_profiler_mark_begin(profiler, "reader");
	ck_assert_int_eq(sscanf(read_profile(),
			     "2,0,reader\n0,0,%lld\n1,0,%lld\n"
			     "2,1,a,b 0,0,5\n0,1,%lld\n0,0,%lld\n%n",
			     &diffs[0], &diffs[1], &diffs[2], &diffs[3], &end),
	    4);
	ck_assert_int_eq(end, (int)strlen(read_profile()));
	for (int i = 0; i < 4; i++)
		ck_assert(diffs[i] >= 0 && diffs[i] < 600000000);
	ck_assert_uint_eq(timeline_profiler_lost(profiler), 0);
}

TEST(a_killed_program_leaves_a_whole_profile)
{
	const pid_t pid = fork();
	unsigned labels;
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		start_profile();
		for (int i = 0; i < MARKS; i++)
			timeline_profiler_mark_begin(profiler,
			    i % 2 ? "a" : "b");
		raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	ck_assert_uint_eq(count_marks(&labels), MARKS);
	ck_assert_uint_eq(labels, 2);
}

TEST(threads_write_one_profile)
{
	pthread_t threads[THREADS];
	unsigned labels;

	start_profile();
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, mark_all,
				     NULL),
		    0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_eq(count_marks(&labels), 2 * THREADS * LABELS);
	ck_assert_uint_eq(labels, LABELS);
}

TEST(a_profile_has_any_number_of_labels)
{
	unsigned labels;

	start_profile();
	for (int i = 0; i < 2 * PROFILE_LABELS; i++) {
		char label[32];

		snprintf(label, sizeof(label), "label %d", i % PROFILE_LABELS);
		timeline_profiler_mark_begin(profiler, label);
	}
	ck_assert_uint_eq(count_marks(&labels), 2 * PROFILE_LABELS);
	ck_assert_uint_eq(labels, PROFILE_LABELS);
}

/* A forked process shares the file, but neither labels nor time. */
TEST(marks_of_a_forked_process_are_counted)
{
	unsigned labels;
	int status;
	pid_t pid;

	start_profile();
	timeline_profiler_mark_begin(profiler, "parent");
	if ((pid = fork()) == 0) {
		timeline_profiler_mark_begin(profiler, "child");
		_exit((int)timeline_profiler_lost(profiler));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	timeline_profiler_mark_end(profiler, "parent");
	ck_assert_uint_eq(count_marks(&labels), 2);
	ck_assert_uint_eq(labels, 1);
}

TEST(only_a_profile_of_an_earlier_run_is_replaced)
{
	struct timeline_profiler *other;
	unsigned labels;
	FILE *f;

	start_profile();
	timeline_profiler_mark_begin(profiler, "first run");
	timeline_profiler_mark_end(profiler, "first run");
	ck_assert_int_eq(timeline_profiler_open(&other, csv), -EBUSY);
	start_profile();
	timeline_profiler_mark_begin(profiler, "second run");
	ck_assert_uint_eq(count_marks(&labels), 1);
	timeline_profiler_close(profiler);
	profiler = NULL;
	ck_assert_ptr_nonnull(f = fopen(csv, "w"));
	fputs("precious words", f);
	fclose(f);
	ck_assert_int_eq(timeline_profiler_open(&other, csv), -EEXIST);
	ck_assert_ptr_null(other);
	ck_assert_ptr_nonnull(f = fopen(csv, "r"));
	ck_assert_int_eq(fgetc(f), 'p');
	fclose(f);
}

/*
 * A line that is cut must not read as a shorter number, "1,0,9" instead of
 * "1,0,990".
 */
TEST(marks_without_room_in_the_file_system_are_counted)
{
	const struct rlimit small = { 100, RLIM_INFINITY };
	const struct rlimit large = { RLIM_INFINITY, RLIM_INFINITY };
	const char *text, *broken;

	start_profile();
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < MARKS; i++)
		timeline_profiler_mark_begin(profiler, "somewhat long");
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &large), 0);
	ck_assert_uint_gt(timeline_profiler_lost(profiler), MARKS - 20);
	timeline_profiler_mark_end(profiler, "somewhat long");
	text = read_profile();
	broken = strstr(text, "...\n1,0,");
	/* unless a line ends exactly where the room does */
	ck_assert(broken || text[small.rlim_cur - 1] == '\n');
	ck_assert(!broken || !strstr(broken + 1, "..."));
}

TEST(only_a_timeline_of_ours_is_replaced)
{
	const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "precious words", 14), 14);
	close(fd);
	timeline_profiler_close(profiler);
	ck_assert_int_eq(timeline_profiler_open(&profiler, path), -EBADMSG);
	ck_assert_ptr_null(profiler);
	unlink(path);
	ck_assert_int_eq(symlink("/dev/shm/none", path), 0);
	ck_assert_int_ne(timeline_profiler_open(&profiler, path), 0);
	unlink(path);
	ck_assert_ok(timeline_profiler_open(&profiler, path));
	timeline_profiler_mark_begin(profiler, "first run");
	timeline_profiler_close(profiler);
	ck_assert_ok(timeline_profiler_open(&profiler, path));
	timeline_profiler_mark_begin(profiler, "second run");
	timeline_profiler_close(profiler);
	profiler = NULL;
	timeline_close(tl);
	ck_assert_ok(timeline_open(&tl, path));
	ck_assert_str_eq(front_list(tl), "> lms \"second run\nsecond run\"\n");
}
