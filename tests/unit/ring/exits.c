/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.c - the ends of a process that leave a mark in the header: exit and
 * timeline_close after logging, and no others.
 */
#include "lib/fixture.h"
#include "lib/random.h"
#include "lib/test.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static struct timeline_event *event;
static const int64_t second_ns = 1000000000;

static void
setup(void)
{
	fixture_setup_tiny();
	ck_assert_ok(timeline_define(tl, "exits", "info", "an entry", &event));
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * second_ns + t.tv_nsec;
}

/* The number of marks of a process. */
static int
marks_of(pid_t pid)
{
	int count = 0;

	for (int i = 0; i < TIMELINE_EXITS; i++) {
		const uint64_t exit = tl->header->exits[i];
		const int64_t ns = now_ns();

		if (timeline_exit_pid(exit) != (uint32_t)pid)
			continue;
		ck_assert_int_le(timeline_exit_ns(exit, ns), ns + second_ns);
		ck_assert_int_ge(timeline_exit_ns(exit, ns),
		    ns - 60 * second_ns);
		count++;
	}
	return count;
}

/* Run act in a child; returns its pid and its wait status. */
static pid_t
run_child(void (*act)(void), int *status)
{
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		act();
		abort();
	}
	ck_assert_int_eq(waitpid(pid, status, 0), pid);
	return pid;
}

static void
log_and_exit(void)
{
	timeline_log(event, 0, 0, 0, 0);
	exit(3);
}

static void
only_exit(void)
{
	exit(0);
}

static void
log_and_leave(void)
{
	timeline_log(event, 0, 0, 0, 0);
	_exit(0);
}

static void
log_and_be_killed(void)
{
	timeline_log(event, 0, 0, 0, 0);
	raise(SIGKILL);
}

static void
log_and_close(void)
{
	timeline_log(event, 0, 0, 0, 0);
	timeline_close(tl);
	_exit(0);
}

static void
log_and_execute(void)
{
	timeline_log(event, 0, 0, 0, 0);
	execl("/bin/true", "true", (char *)NULL);
}

/* The child of this process logs nothing, and ends first. */
static void
log_and_fork(void)
{
	pid_t pid;

	timeline_log(event, 0, 0, 0, 0);
	pid = fork();
	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* The exit handler must not read the counter, which would kill this process. */
static void
log_and_exit_without_a_counter(void)
{
	timeline_log(event, 0, 0, 0, 0);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	exit(0);
}

TEST_FILE(.setup = setup, .teardown = fixture_close);

TEST(exit_leaves_a_mark)
{
	int status;
	const pid_t pid = run_child(log_and_exit, &status);

	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	ck_assert_int_eq(marks_of(pid), 1);
	ck_assert_uint_eq(tl->header->exit_count, 1);
}

TEST(closing_leaves_a_mark)
{
	int status;
	const pid_t pid = run_child(log_and_close, &status);

	ck_assert_int_eq(marks_of(pid), 1);
}

TEST(a_process_that_did_not_log_leaves_none)
{
	int status;

	run_child(only_exit, &status);
	ck_assert_uint_eq(tl->header->exit_count, 0);
	run_child(log_and_fork, &status);
	ck_assert_uint_eq(tl->header->exit_count, 0);
}

TEST(a_death_leaves_none)
{
	int status;

	run_child(log_and_be_killed, &status);
	ck_assert(WIFSIGNALED(status));
	run_child(log_and_leave, &status);
	run_child(log_and_execute, &status);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	ck_assert_uint_eq(tl->header->exit_count, 0);
}

TEST(the_mark_needs_no_counter)
{
	int status;
	const pid_t pid = run_child(log_and_exit_without_a_counter, &status);

	ck_assert_msg(WIFEXITED(status), "signal %d", WTERMSIG(status));
	ck_assert_int_eq(marks_of(pid), 1);
}

TEST(the_newest_are_kept)
{
	pid_t last[TIMELINE_EXITS + 2];
	int status;

	for (int i = 0; i < TIMELINE_EXITS + 2; i++)
		last[i] = run_child(log_and_exit, &status);
	for (int i = 0; i < TIMELINE_EXITS + 2; i++)
		ck_assert_int_eq(marks_of(last[i]), i >= 2);
}

/*
 * A process that opens the timeline repeatedly replaces no mark of another
 * process.
 */
TEST(a_process_has_one_place)
{
	int status;
	const pid_t pid = run_child(log_and_exit, &status);
	struct timeline *again;

	timeline_log(event, 0, 0, 0, 0);
	for (int i = 0; i < 100; i++) {
		ck_assert_ok(timeline_open(&again, fixture_name));
		timeline_close(again);
	}
	ck_assert_int_eq(marks_of(pid), 1);
	ck_assert_int_eq(marks_of(getpid()), 1);
}

static void *
open_and_close(void *stop)
{
	struct timeline *again;

	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED))
		if (timeline_open(&again, fixture_name) == 0)
			timeline_close(again);
	return NULL;
}

/*
 * A child ends even if another thread of its parent held the lock at the fork.
 */
TEST(children_of_a_busy_process_end)
{
	pthread_t thread;
	const int rounds = random_rounds(200);
	int stop = 0, status;

	ck_assert_int_eq(pthread_create(&thread, NULL, open_and_close, &stop),
	    0);
	for (int i = 0; i < rounds; i++) {
		const pid_t pid = run_child(log_and_close, &status);

		ck_assert(WIFEXITED(status));
		(void)pid;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

TEST(times_are_those_nearest_to_now)
{
	const int64_t now = 1795202658123456789;
	const int64_t unit = INT64_C(1) << TIMELINE_EXIT_SHIFT;

	for (int64_t ago = -3600; ago <= 3600 * 24 * 300; ago += 997) {
		const int64_t ns = now - ago * second_ns;
		const int64_t again =
		    timeline_exit_ns(timeline_exit(7, ns), now);

		ck_assert_int_gt(again, ns);
		ck_assert_int_le(again, ns + unit);
	}
	ck_assert_uint_eq(timeline_exit_pid(timeline_exit(0x80000001, now)),
	    0x80000001);
}
