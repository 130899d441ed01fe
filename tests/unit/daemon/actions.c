/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.c - the actions of a rule that fired: programs with their
 * environment, a burst, a snapshot, a log line.
 */
#include "daemon/disk/snapshots.h"
#include "daemon/programs.h"
#include "daemon/target.h"
#include "lib/fixture.h"
#include "lib/test.h"
#include "snap/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { WAIT_S = 30, TEXT_BYTES = 65536 };

static char folder[64];
static char said[128];    /* receives standard error during a test */
static char program[128]; /* a script */
static int stderr_before;
static struct tl_daemon daemon_state;
static struct tl_config_timeline section;
static struct tl_target target;
static struct tl_config_rule rule;

static void
setup_with(struct ev_loop *loop)
{
	snprintf(folder, sizeof(folder), "/tmp/test-actions-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(said, sizeof(said), "%s/stderr", folder);
	snprintf(program, sizeof(program), "%s/program", folder);
	stderr_before = dup(STDERR_FILENO);
	ck_assert_int_eq(dup2(open(said, O_CREAT | O_RDWR | O_APPEND, 0600),
			     STDERR_FILENO),
	    STDERR_FILENO);
	daemon_state = (struct tl_daemon){ .loop = loop };
	target = (struct tl_target){ .daemon = &daemon_state,
		.config = &section,
		.name = "line" };
	rule = (struct tl_config_rule){ .name = "too slow!",
		.kind = TL_RULE_EVENT,
		.clear = NAN,
		.actions.run_ns = WAIT_S * UINT64_C(1000000000) };
}

static void
setup(void)
{
	setup_with(ev_default_loop(0));
}

static void
setup_other_loop(void)
{
	setup_with(ev_loop_new(0));
}

static void
teardown(void)
{
	char command[128];

	tl_programs_stop();
	dup2(stderr_before, STDERR_FILENO);
	ev_loop_destroy(daemon_state.loop);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static void
write_program(const char *text)
{
	FILE *file = fopen(program, "w");

	ck_assert_ptr_nonnull(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(program, 0700), 0);
}

static const char *
read_text(const char *path)
{
	static char text[TEXT_BYTES];
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (file) {
		size = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[size] = '\0';
	return text;
}

static void
fire(void)
{
	const struct tl_firing firing = { .rule = &rule,
		.ns = 1700000000123456789,
		.text = "took 3s" };

	tl_target_rule_fired(&target, &firing);
}

static struct tl_programs_status
status(void)
{
	struct tl_programs_status now;

	tl_programs_status(&now);
	return now;
}

static void
stop_waiting(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)timer;
	(void)events;
	ev_break(loop, EVBREAK_ALL);
}

/* Run one turn of the loop, which ends soon even if nothing happens. */
static void
turn(void)
{
	ev_timer timer;

	ev_timer_init(&timer, stop_waiting, 0.02, 0);
	ev_timer_start(daemon_state.loop, &timer);
	ev_run(daemon_state.loop, EVRUN_ONCE);
	ev_timer_stop(daemon_state.loop, &timer);
}

static void
run_until_none_runs(void)
{
	const time_t end = time(NULL) + WAIT_S;

	while (status().running > 0 && time(NULL) < end)
		turn();
	ck_assert_uint_eq(status().running, 0);
}

static void
expect_said(const char *words)
{
	const char *text = read_text(said);

	ck_assert_msg(strstr(text, words), "no \"%s\" in \"%s\"", words, text);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 2 * WAIT_S);

TEST(a_program_learns_what_fired, .setup = setup_other_loop,
    .teardown = teardown)
{
	const char *const argv[] = { program, "a b", "$HOME;", NULL };

	setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1);
	setenv("TIMELINE", "before", 1);
	setenv("KEPT", "yes", 1);
	write_program("echo \"[$1] [$2] [$3]\"\n"
		      "echo \"$TIMELINE|$TIMELINE_TRIGGER|$TIMELINE_TEXT|"
		      "$TIMELINE_NS|$KEPT|$NOTIFY_SOCKET|\"\n"
		      "cat && echo empty >&2");
	rule.actions.run = argv;
	fire();
	ck_assert_uint_eq(status().running, 1);
	run_until_none_runs();
	expect_said("[a b] [$HOME;] []\n"
		    "line|too slow!|took 3s|1700000000123456789|yes||\n");
	expect_said("\nempty\n");
	expect_said("line: trigger too slow!: took 3s");
	ck_assert_uint_eq(status().run, 1);
	ck_assert_uint_eq(status().failed, 0);
	/* no child is left to reap; the runner (run.h) is alive */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), 0);
}

TEST(a_program_inherits_no_descriptor_and_no_signal)
{
	const char *const argv[] = { program, NULL };
	const int leak = open("/dev/null", O_RDONLY); /* not close-on-exec */
	unsigned long ignored;
	sigset_t all;

	ck_assert_int_ge(leak, 3);
	write_program("ls /proc/$$/fd | tr '\\n' ' '\n"
		      "grep -E '^Sig(Blk|Ign)' /proc/$$/status | "
		      "tr -d '\\n\\t'");
	rule.actions.run = argv;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&all);
	sigaddset(&all, SIGUSR1);
	sigprocmask(SIG_BLOCK, &all, NULL);
	fire();
	run_until_none_runs();
	/* 10 is the script, which the shell reads */
	ck_assert_msg(strstr(read_text(said), "0 1 10 2 ") ||
			  strstr(read_text(said), "0 1 2 "),
	    "%s", read_text(said));
	expect_said("SigBlk:0000000000000000SigIgn:");
	/* signals from 32 on belong to the C library */
	ignored = strtoul(strstr(read_text(said), "SigIgn:") + 7, NULL, 16);
	ck_assert_uint_eq(ignored & 0x7fffffff, 0);
	close(leak);
}

TEST(one_that_fails_is_said_once_a_minute, .setup = setup_other_loop,
    .teardown = teardown)
{
	const char *const argv[] = { program, NULL };

	write_program("exit 3");
	rule.actions.run = argv;
	for (int i = 0; i < 3; i++) {
		fire();
		run_until_none_runs();
	}
	expect_said("ended with status 3");
	ck_assert_ptr_null(
	    strstr(strstr(read_text(said), "status 3") + 1, "status 3"));
	ck_assert_uint_eq(status().failed, 3);
}

TEST(one_that_is_killed_is_said)
{
	const char *const argv[] = { program, NULL };

	write_program("kill -9 $$");
	rule.actions.run = argv;
	fire();
	run_until_none_runs();
	expect_said("ended by signal 9");
}

TEST(one_that_is_not_there_is_said)
{
	const char *const argv[] = { "/nonexistent/program", NULL };

	rule.actions.run = argv;
	fire();
	ck_assert_uint_eq(status().running, 0);
	ck_assert_uint_eq(status().failed, 1);
	expect_said("cannot run /nonexistent/program: No such file");
}

TEST(too_many_at_once_are_refused, .setup = setup_other_loop,
    .teardown = teardown)
{
	const char *const argv[] = { program, NULL };
	char go[160];

	snprintf(go, sizeof(go), "until [ -e %s/go ]; do sleep 0.05; done",
	    folder);
	write_program(go);
	rule.actions.run = argv;
	for (int i = 0; i < TL_PROGRAMS_RUNNING_MAX + 5; i++)
		fire();
	ck_assert_uint_eq(status().running, TL_PROGRAMS_RUNNING_MAX);
	ck_assert_uint_eq(status().refused, 5);
	expect_said("programs run already");
	snprintf(go, sizeof(go), "%s/go", folder);
	close(open(go, O_CREAT | O_WRONLY, 0600));
	run_until_none_runs();
	fire();
	ck_assert_uint_eq(status().running, 1);
	run_until_none_runs();
	ck_assert_uint_eq(status().failed, 0);
}

/* Sixteen programs that never end would block all later ones. */
TEST(programs_that_run_too_long_make_room, .setup = setup_other_loop,
    .teardown = teardown)
{
	const char *const argv[] = { program, NULL };

	write_program("sleep 1000");
	rule.actions.run = argv;
	rule.actions.run_ns = 50000000;
	for (int i = 0; i < TL_PROGRAMS_RUNNING_MAX; i++)
		fire();
	ck_assert_uint_eq(status().running, TL_PROGRAMS_RUNNING_MAX);
	run_until_none_runs();
	ck_assert_uint_eq(status().timed_out, TL_PROGRAMS_RUNNING_MAX);
	ck_assert_uint_eq(status().failed, TL_PROGRAMS_RUNNING_MAX);
	expect_said("trigger too slow! runs for longer than its timeout");
	ck_assert_ptr_null(strstr(read_text(said), "ended by signal"));
	write_program("exit 0");
	rule.actions.run_ns = WAIT_S * UINT64_C(1000000000);
	fire();
	run_until_none_runs();
	ck_assert_uint_eq(status().refused, 0);
	ck_assert_uint_eq(status().failed, TL_PROGRAMS_RUNNING_MAX);
}

/* True while the process whose pid the program wrote is alive. */
static bool
is_left(const char *file)
{
	struct tl_process process;
	char path[160];
	long pid;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	pid = strtol(read_text(path), NULL, 10);
	ck_assert_int_gt(pid, 0);
	if (kill((pid_t)pid, 0) != 0)
		return false;
	tl_process_inspect(&process, (uint32_t)pid);
	return !process.ended; /* a process that has ended may not be reaped
			        * yet */
}

TEST(one_that_ignores_sigterm_is_killed_with_its_group)
{
	const char *const argv[] = { program, NULL };
	const time_t end = time(NULL) + WAIT_S;
	char text[320];

	snprintf(text, sizeof(text),
	    "trap '' TERM\nsleep 1000 &\necho $! >%s/inner\necho $$ >%s/outer\n"
	    "while :; do wait; done",
	    folder, folder);
	write_program(text);
	rule.actions.run = argv;
	rule.actions.run_ns = 500000000;
	fire();
	run_until_none_runs();
	ck_assert_uint_eq(status().timed_out, 1);
	while (is_left("inner") && time(NULL) < end)
		turn();
	ck_assert(!is_left("inner"));
	ck_assert(!is_left("outer"));
}

TEST(a_rule_raises_the_level)
{
	struct tl_bursts_status bursts;

	fixture_setup_tiny();
	target.tl = tl;
	ck_assert_ok(
	    tl_bursts_new(&target.bursts, daemon_state.loop, tl, &section, 1));
	ck_assert_ok(timeline_priority(tl, "error"));
	rule.actions.burst_level = 3;
	rule.actions.burst_ns = 1000000;
	fire();
	tl_bursts_status(target.bursts, &bursts);
	ck_assert_uint_eq(bursts.triggered, 1);
	ck_assert_uint_eq((uint8_t)tl->header->levels, 3);
	tl_bursts_free(target.bursts);
	fixture_close();
}

/* Count the files whose names contain part. */
static size_t
count_files(const char *part)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(dir)))
		count += strstr(entry->d_name, part) != NULL;
	closedir(dir);
	return count;
}

TEST(a_snapshot_bears_the_name_of_its_rule)
{
	const time_t end = time(NULL) + WAIT_S;
	struct tl_fault fault = { 0 };

	fixture_setup_tiny();
	target.tl = tl;
	ck_assert_ok(tl_snapshots_new(&daemon_state.snapshots,
	    daemon_state.loop, folder, &fault));
	rule.name = "../../too  slow!\033[31m";
	rule.actions.snapshot = true;
	fire();
	while (target.counts.snapshots == 0 && time(NULL) < end)
		turn();
	ck_assert_uint_eq(target.counts.snapshots, 1);
	ck_assert_uint_eq(count_files("-too-slow-31m.tl"), 1);
	tl_snapshots_free(daemon_state.snapshots);
	fixture_close();
}

TEST(a_rule_that_failed_is_said)
{
	tl_target_rule_failed(&target, &rule, "no\033such");
	expect_said("line: trigger too slow! is disabled: no\\x1bsuch");
}
