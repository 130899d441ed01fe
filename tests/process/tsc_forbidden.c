/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tsc_forbidden.c - timeline_new refuses a process that may not read the
 * counter, instead of letting it be killed: every clock relies on the counter.
 * A process that forbids the counter later logs nothing from then on only if it
 * has set the priority to "off" before.
 */
#include "../lib/process.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <x86intrin.h>

static char other_name[TEST_NAME_MAX + 8];

static void
forbid(void)
{
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
		skip("this kernel cannot forbid rdtsc");
}

static void
die_of_rdtsc(void *unused)
{
	(void)unused;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer may have installed a handler */
	forbid();
	(void)__rdtsc();
}

static void
be_refused(void *unused)
{
	const struct timeline_options options[] = {
		{ .stamp = TIMELINE_STAMP_AUTO },
		{ .stamp = TIMELINE_STAMP_TSC },
		{ .stamp = TIMELINE_STAMP_REALTIME },
	};
	struct timeline *tl;
	int rc;

	(void)unused;
	forbid();
	rc = timeline_open(&tl, test_name);
	expect(rc == -ENOTSUP && strstr(timeline_error(), "counter"), "%d %s",
	    rc, timeline_error());
	expect(timeline_new(&tl, test_name, NULL) == -ENOTSUP, "not refused");
	for (int i = 0; i < 3; i++) {
		rc = timeline_new(&tl, other_name, &options[i]);
		expect(rc == -ENOTSUP && access(other_name, F_OK) != 0,
		    "made one with a counter it may not read: %d", rc);
	}
}

static void
log_strictly(void *off)
{
	struct timeline_event *event;
	struct timeline *tl;

	signal(SIGSEGV, SIG_DFL);
	expect_ok(timeline_open(&tl, test_name));
	expect_ok(timeline_define(tl, "a", "info", "x $n", &event));
	timeline_log(event, 1);
	if (off)
		timeline_priority(tl, "off");
	expect_ok(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
	timeline_log(event, 2);
	syscall(SYS_exit, 0); /* the only exit that is allowed */
}

int
main(void)
{
	struct timeline *tl;
	int status;

	choose_test_name("tsc");
	snprintf(other_name, sizeof(other_name), "/tmp%s", test_name);
	status = wait_for(spawn(die_of_rdtsc, NULL));
	if (WIFEXITED(status) && WEXITSTATUS(status) == TEST_SKIPPED)
		skip("this kernel cannot forbid rdtsc");
	expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	    "rdtsc is not forbidden: 0x%x", status);
	expect_ok(timeline_new(&tl, test_name, NULL));
	timeline_close(tl);
	expect_success(spawn(be_refused, NULL));
	status = wait_for(spawn(log_strictly, NULL));
	expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	    "an entry in strict seccomp did not end the process: 0x%x", status);
	expect_success(spawn(log_strictly, test_name));
	return 0;
}
