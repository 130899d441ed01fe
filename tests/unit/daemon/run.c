/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - the runner starts the programs that the configuration names, even for
 * a daemon that may start none itself, and no other programs.
 */
#include "daemon/sandbox/sandbox.h"
#include "lib/fixture.h"
#include "lib/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[80];
static const struct tl_config_rule rule = { .name = "slow" };
static const struct tl_firing firing = { .rule = &rule, .text = "why" };

static void
configure(const char *program)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file,
	    "return { timelines = { { name = 'a' }, { name = 'b', "
	    "triggers = { { level = 'error', snapshot = true }, { level = "
	    "'error', run = { %s } } } } } }\n",
	    program);
	ck_assert_int_eq(fclose(file), 0);
}

static void
setup(void)
{
	struct tl_fault fault = { 0 };
	struct tl_config *config;

	snprintf(folder, sizeof(folder), "/tmp/test-run-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/conf", folder);
	configure("'sh', '-c', 'exit 3'");
	ck_assert_msg(tl_config_load(&config, path, &fault) == 0, "%s",
	    fault.text);
	ck_assert_ok(tl_runner_start(config));
	tl_config_free(config);
}

static void
teardown(void)
{
	unlink(path);
	rmdir(folder);
}

/* Run a program; returns its exit status, or -errno if it cannot be started. */
static int
run(const char *const *argv)
{
	pid_t pid = 0;
	int status, rc = tl_runner_run(&pid, argv, "b", &firing);

	if (rc != 0)
		return rc;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static const char *const configured[] = { "sh", "-c", "exit 3", NULL };

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(what_is_configured_is_run)
{
	ck_assert_int_eq(run(configured), 3);
	ck_assert_int_eq(run(configured), 3);
}

TEST(what_is_not_configured_is_refused)
{
	static const char *const others[][4] = { { "sh", "-c", "exit 4" },
		{ "sh", "-c" }, { "sh" }, { "/bin/true" }, { "" } };
	static const char *const longer[] = { "sh", "-c", "exit 3", "more",
		NULL };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_int_eq(run(others[i]), -EPERM);
	ck_assert_int_eq(run(longer), -EPERM);
	ck_assert_int_eq(run(configured), 3);
}

TEST(a_new_configuration_names_new_programs)
{
	static const char *const new[] = { "sh", "-c", "exit 5", NULL };

	configure("'sh', '-c', 'exit 5'");
	ck_assert_int_eq(run(new), -EPERM);
	tl_runner_reload();
	ck_assert_int_eq(run(new), 5);
	ck_assert_int_eq(run(configured), -EPERM);
	/* an invalid configuration changes nothing */
	configure("");
	tl_runner_reload();
	ck_assert_int_eq(run(new), 5);
}

TEST(what_cannot_be_started_says_why)
{
	static const char *const none[] = { "/nonexistent/program", NULL };

	configure("'/nonexistent/program'");
	tl_runner_reload();
	ck_assert_int_eq(run(none), -ENOENT);
	/* the failure leaves no process but the runner */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), 0);
}

TEST(a_request_has_a_size)
{
	static const char *words[TL_CONFIG_ARGV_MAX + 1];
	static char word[8000];

	memset(word, 'a', sizeof(word) - 1);
	for (size_t i = 0; i < TL_CONFIG_ARGV_MAX; i++)
		words[i] = word;
	ck_assert_int_eq(run(words), -E2BIG);
	ck_assert_int_eq(run(configured), 3);
}

TEST(a_runner_that_has_ended_is_noticed)
{
	char text[16];
	FILE *children = fopen("/proc/thread-self/children", "r");

	if (!children)
		return; /* this kernel does not list children */
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), children));
	fclose(children);
	kill(atoi(text), SIGKILL);
	ck_assert_int_eq(waitpid(atoi(text), NULL, 0), atoi(text));
	ck_assert_int_eq(run(configured), -EPIPE);
	ck_assert_int_eq(run(configured), -EPIPE);
}

/* The number of seccomp filters of a process. */
static int
filters_of(const char *file)
{
	char line[256];
	int count = -1;
	FILE *f = fopen(file, "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "Seccomp_filters: %d", &count);
	if (f)
		fclose(f);
	return count;
}

TEST(programs_are_not_under_the_filter_of_the_daemon)
{
	char result[96], words[128], quoted[160];
	const char *const argv[] = { "sh", "-c", words, NULL };
	const int before = filters_of("/proc/self/status");

	snprintf(result, sizeof(result), "%s/status", folder);
	snprintf(words, sizeof(words), "cat /proc/self/status >%s", result);
	snprintf(quoted, sizeof(quoted), "'sh', '-c', '%s'", words);
	configure(quoted);
	tl_runner_reload();
	tl_seccomp_start(true);
	ck_assert_int_eq(run(argv), 0);
	ck_assert_int_eq(filters_of(result), before);
	if (tl_seccomp_is_on() && before >= 0)
		ck_assert_int_eq(filters_of("/proc/self/status"), before + 1);
	unlink(result);
}
