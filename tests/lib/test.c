/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.c - main of every unit test program.
 *
 *	build/tests/unit/snap [-l] [-j JOBS] [PATTERN...]
 *	build/tests/unit/format do NAME ARGUMENT...
 *
 * A pattern is a part of "file:test" or, with one of "*?[", a glob for all of
 * it; "take:" selects the tests of tests/unit/snap/take.c.  Files run in
 * parallel, the tests of a file one after the other.  -l lists the files.
 */
#include "test.h"

#include "sample.h"

#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES_MAX = 256, NAME_MAX_SIZE = 256 };

static struct test *tests;
static struct test_command *commands;

/* The selected tests of a source file, in its order. */
static struct file {
	const char *path;
	const struct test *defaults;
	struct test *tests[FILES_MAX];
	size_t count;
	pid_t pid;
	FILE *output;
} files[FILES_MAX];
static size_t file_count;

void
test_register(struct test *test)
{
	test->next = tests;
	tests = test;
}

void
test_register_command(struct test_command *command)
{
	command->next = commands;
	commands = command;
}

/* The name "take" of tests/unit/snap/take.c. */
static void
name_of(char name[NAME_MAX_SIZE], const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dot;

	snprintf(name, NAME_MAX_SIZE, "%s", slash ? slash + 1 : path);
	dot = strrchr(name, '.');
	if (dot)
		*dot = '\0';
}

static bool
is_chosen(const struct test *test, int argc, char **argv)
{
	char name[NAME_MAX_SIZE], glob[NAME_MAX_SIZE];

	name_of(name, test->check.file);
	strncat(name, ":", sizeof(name) - strlen(name) - 1);
	strncat(name, test->check.name, sizeof(name) - strlen(name) - 1);
	for (int i = 0; i < argc; i++) {
		const size_t size = strlen(argv[i]);
		const bool is_file = size > 0 && argv[i][size - 1] == ':';

		snprintf(glob, sizeof(glob), "%s%s", argv[i],
		    is_file ? "*" : "");
		if (strpbrk(glob, "*?[") ? fnmatch(glob, name, 0) == 0
					 : strstr(name, glob) != NULL)
			return true;
	}
	return argc == 0;
}

static struct file *
file_of(const char *path)
{
	for (size_t i = 0; i < file_count; i++)
		if (strcmp(files[i].path, path) == 0)
			return &files[i];
	if (file_count == FILES_MAX)
		abort();
	files[file_count].path = path;
	return &files[file_count++];
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->path,
	    ((const struct file *)b)->path);
}

static int
by_line(const void *a, const void *b)
{
	return (*(struct test *const *)a)->check.line -
	       (*(struct test *const *)b)->check.line;
}

static void
choose(int argc, char **argv)
{
	size_t kept = 0;

	for (struct test *t = tests; t; t = t->next) {
		struct file *file = file_of(t->check.file);

		if (!t->check.name)
			file->defaults = t;
		else if ((!t->only_if || t->only_if()) &&
			 is_chosen(t, argc, argv)) {
			if (file->count == FILES_MAX)
				abort();
			file->tests[file->count++] = t;
		}
	}
	for (size_t i = 0; i < file_count; i++)
		if (files[i].count > 0)
			files[kept++] = files[i];
	file_count = kept;
	qsort(files, file_count, sizeof(*files), by_path);
	for (size_t i = 0; i < file_count; i++)
		qsort(files[i].tests, files[i].count, sizeof(*files[i].tests),
		    by_line);
}

/* The first _i of a sampled test, by a hash of its name. */
static int
first_of(const struct test *t)
{
	unsigned hash = 0;

	for (const char *c = t->check.name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return t->from + (int)sample_first(hash);
}

/* The number of lines "== NAME" of a file. */
static int
count_cases(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];
	int count = 0;

	if (!file) {
		fprintf(stderr, "%s: %s: run the tests in the top folder\n",
		    path, strerror(errno));
		exit(2);
	}
	while (fgets(line, sizeof(line), file))
		count += strncmp(line, "== ", 3) == 0;
	fclose(file);
	return count;
}

static TCase *
case_of(const struct test *t, const struct test *defaults)
{
	static const struct test none;
	const struct test *d = defaults ? defaults : &none;
	TCase *tcase = tcase_create(t->check.name);

	if (t->timeout || d->timeout)
		tcase_set_timeout(tcase, t->timeout ? t->timeout : d->timeout);
	if (t->setup || t->teardown)
		tcase_add_checked_fixture(tcase, t->setup, t->teardown);
	else if ((d->setup || d->teardown) && !t->plain)
		tcase_add_checked_fixture(tcase, d->setup, d->teardown);
	if (t->once || d->once)
		tcase_add_unchecked_fixture(tcase, t->once ? t->once : d->once,
		    NULL);
	if (t->cases)
		tcase_add_loop_test(tcase, &t->check, 0, count_cases(t->cases));
	else if (t->from == 0 && t->to == 0)
		tcase_add_test(tcase, &t->check);
	else if (!t->sampled)
		tcase_add_loop_test(tcase, &t->check, t->from, t->to);
	else
		for (int i = first_of(t); i < t->to; i += (int)sample_step())
			tcase_add_loop_test(tcase, &t->check, i, i + 1);
	return tcase;
}

/* Returns 0 if every test passed. */
static int
run_file(const struct file *file)
{
	char name[NAME_MAX_SIZE];
	Suite *suite;
	SRunner *runner;
	int failed;

	name_of(name, file->path);
	suite = suite_create(name);
	for (size_t i = 0; i < file->count; i++)
		suite_add_tcase(suite, case_of(file->tests[i], file->defaults));
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}

static void
start(struct file *file)
{
	fflush(stdout);
	file->output = tmpfile();
	file->pid = fork();
	if (!file->output || file->pid < 0)
		abort();
	if (file->pid == 0) {
		dup2(fileno(file->output), STDOUT_FILENO);
		dup2(fileno(file->output), STDERR_FILENO);
		exit(run_file(file));
	}
}

static void
print_output(FILE *file)
{
	char bytes[4096];
	size_t size;

	rewind(file);
	while ((size = fread(bytes, 1, sizeof(bytes), file)) > 0)
		fwrite(bytes, 1, size, stdout);
	fclose(file);
}

/* Wait for a child, and print its output. */
static int
end_one(void)
{
	int status;
	pid_t pid;

	do
		pid = wait(&status);
	while (pid < 0 && errno == EINTR);
	for (size_t i = 0; i < file_count; i++) {
		if (files[i].pid != pid)
			continue;
		print_output(files[i].output);
		if (WIFSIGNALED(status))
			printf("%s: signal %d\n", files[i].path,
			    WTERMSIG(status));
		return status != 0;
	}
	return 1;
}

static int
run_side_by_side(long jobs)
{
	long running = 0;
	int failed = 0;

	for (size_t i = 0; i < file_count; i++) {
		if (running == jobs) {
			failed |= end_one();
			running--;
		}
		start(&files[i]);
		running++;
	}
	for (; running > 0; running--)
		failed |= end_one();
	return failed;
}

static int
run_command(int argc, char **argv)
{
	for (struct test_command *c = commands; c && argc > 0; c = c->next)
		if (strcmp(c->name, argv[0]) == 0)
			return c->run(argc, argv);
	fprintf(stderr, "no such command\n");
	return 2;
}

int
main(int argc, char **argv)
{
	long jobs = sysconf(_SC_NPROCESSORS_ONLN);
	bool list = false;
	int option, failed = 0;

	if (argc > 1 && strcmp(argv[1], "do") == 0)
		return run_command(argc - 2, argv + 2);
	while ((option = getopt(argc, argv, "+lj:")) != -1) {
		if (option == '?')
			return 2;
		if (option == 'l')
			list = true;
		else
			jobs = strtol(optarg, NULL, 10);
	}
	/*
	 * libcheck's time-out of four seconds is too short for a machine under
	 * load
	 */
	setenv("CK_DEFAULT_TIMEOUT", "60", 0);
	setenv("CK_TIMEOUT_MULTIPLIER", "3", 0);
	choose(argc - optind, argv + optind);
	if (file_count == 0) {
		fprintf(stderr, "%s: no test has this name\n", argv[0]);
		return 2;
	}
	for (size_t i = 0; list && i < file_count; i++) {
		char name[NAME_MAX_SIZE];

		name_of(name, files[i].path);
		printf("%s\n", name);
	}
	if (list)
		return 0;
	if (file_count > 1 && jobs > 1)
		return run_side_by_side(jobs);
	for (size_t i = 0; i < file_count; i++)
		failed |= run_file(&files[i]);
	return failed;
}
