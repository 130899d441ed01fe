/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle.c - a recorder looks at an idle timeline through a guarded mapping,
 * without a system call.
 */
#include "recorder_fixture.h"

#include "clock/clock.h"
#include "ring/guard.h"
#include "trace/record/work.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { LOOKS = 1000, NO_SECCOMP = 2 };

static struct tl_recorder *recorder;
static int64_t now_ns; /* when the timeline was found idle */

/* Look at the timeline at the same time again.  Is it still idle? */
static bool
is_idle(void)
{
	struct tl_recorder_source *source = recorder->sources[0];
	int64_t due_ns = INT64_MAX;

	source->due_ns = now_ns;
	return tl_recorder_rests(recorder, now_ns, &due_ns) && due_ns > now_ns;
}

/* Add the timeline to a recorder without threads, and take turns until the
 * timeline is idle. */
static void
setup(void)
{
	const struct tl_recorder_options options = { 0 };
	const struct tl_recorder_host host = { .begin = begin_file };
	struct tl_fault fault = { 0 };

	ck_assert_ok(tl_guard_start());
	recorder_setup();
	ck_assert_ok(tl_recorder_new(&recorder, &options, &host));
	ck_assert_ok(tl_recorder_add(recorder, "demo", tl->fd, false, &fault));
	ck_assert_ok(tl_recorder_source_start(recorder->sources[0]));
	do {
		sleep_ms(1);
		now_ns = tl_recorder_read(recorder);
	} while (!is_idle());
}

static void
teardown(void)
{
	tl_recorder_free(recorder);
	recorder_teardown();
}

/* The kernel kills this process at the first system call but exit. */
static void
look_without_system_calls(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		syscall(SYS_exit, NO_SECCOMP);
	for (int i = 0; i < LOOKS; i++)
		if (!is_idle())
			syscall(SYS_exit, 1);
	syscall(SYS_exit, 0);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = RECORD_TIMEOUT_S);

TEST(a_look_at_an_idle_timeline_makes_no_system_call)
{
	const pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		look_without_system_calls();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "signal %d", WTERMSIG(status));
	ck_assert(
	    WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_SECCOMP);
}

TEST(a_timeline_with_an_entry_is_not_idle)
{
	ck_assert(is_idle());
	timeline_log(tick, 1);
	ck_assert(!is_idle());
	ck_assert(!is_idle());
}

TEST(a_recorder_that_has_to_stop_does_not_rest)
{
	tl_recorder_stop(recorder);
	ck_assert(!is_idle());
}

/* The threads of a recorder look at a timeline whose pages are gone. */
TEST(a_timeline_that_is_truncated_ends_the_recording_and_not_the_process)
{
	struct tl_recorder *running =
	    record(&(struct tl_recorder_options){ 0 });
	struct tl_recorder_status status;

	ck_assert_int_eq(ftruncate(tl->fd, 0), 0);
	until((status = status_of(running)).done);
	ck_assert_int_eq(ftruncate(tl->fd, (off_t)tl->geometry.total_size), 0);
	ck_assert_int_lt(status.source_rc, 0);
	tl_recorder_free(running);
}
