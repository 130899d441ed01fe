/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.c - the table of running programs: start, watch, end.
 */
#include "daemon/programs.h"

#include "daemon/log.h"

#include "daemon/sandbox/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_BYTES = 64 };

struct child {
	struct ev_loop *loop; /* NULL: the slot is free */
	ev_child by_signal;
	ev_io by_fd; /* fd -1: watched by_signal */
	ev_timer limit;
	bool stopped;          /* SIGTERM was sent at the limit */
	pid_t pid;             /* also the process group */
	char name[NAME_BYTES]; /* name of the rule */
};

static struct child children[TL_PROGRAMS_RUNNING_MAX];
static struct tl_programs_status counts;
static struct tl_log_limit refusals, ends, starts, timeouts;

static void
release(struct child *child)
{
	ev_timer_stop(child->loop, &child->limit);
	if (child->by_fd.fd >= 0) {
		ev_io_stop(child->loop, &child->by_fd);
		close(child->by_fd.fd);
	} else {
		ev_child_stop(child->loop, &child->by_signal);
	}
	child->loop = NULL;
	counts.running--;
}

static void
ended(struct child *child, int status)
{
	struct ev_loop *loop = child->loop;
	const bool stopped = child->stopped;

	release(child);
	if (stopped) /* also kill processes that the program left behind */
		kill(-child->pid, SIGKILL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !stopped)
		return;
	counts.failed++;
	if (stopped)
		return; /* reported at the limit */
	if (WIFSIGNALED(status))
		tl_daemon_log_limited(&ends, ev_now(loop),
		    "the program of trigger %s was ended by signal %d",
		    child->name, WTERMSIG(status));
	else
		tl_daemon_log_limited(&ends, ev_now(loop),
		    "the program of trigger %s ended with status %d",
		    child->name, WEXITSTATUS(status));
}

static void
signal_came(struct ev_loop *loop, ev_child *watcher, int events)
{
	(void)loop;
	(void)events;
	ended(watcher->data, watcher->rstatus);
}

static void
fd_is_readable(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct child *child = watcher->data;
	int status = 0;
	pid_t pid;

	(void)loop;
	(void)events;
	do
		pid = waitpid(child->pid, &status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == child->pid)
		ended(child, status);
	else if (pid < 0)
		release(child); /* reaped elsewhere */
}

/* The program has run for too long, or for the grace time after SIGTERM. */
static void
limit_reached(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct child *child = timer->data;

	(void)events;
	kill(-child->pid, child->stopped ? SIGKILL : SIGTERM);
	ev_timer_again(loop, timer);
	if (child->stopped)
		return;
	child->stopped = true;
	counts.timed_out++;
	tl_daemon_log_limited(&timeouts, ev_now(loop),
	    "the program of trigger %s runs for longer than its timeout: ended",
	    child->name);
}

/* Watch a program.  Returns 0 or -errno. */
static int
watch(struct child *child, struct ev_loop *loop, uint64_t run_ns)
{
	int fd = -1;

	if (ev_is_default_loop(loop)) {
		ev_child_init(&child->by_signal, signal_came, child->pid, 0);
		child->by_signal.data = child;
		ev_child_start(loop, &child->by_signal);
	} else {
		fd = pidfd_open(child->pid, 0);
		if (fd < 0)
			return -errno;
	}
	ev_io_init(&child->by_fd, fd_is_readable, fd, EV_READ);
	child->by_fd.data = child;
	if (fd >= 0)
		ev_io_start(loop, &child->by_fd);
	child->loop = loop;
	child->stopped = false;
	ev_timer_init(&child->limit, limit_reached, (double)run_ns / 1e9,
	    TL_PROGRAMS_GRACE_S);
	child->limit.data = child;
	ev_timer_start(loop, &child->limit);
	counts.running++;
	return 0;
}

static struct child *
find_free(void)
{
	for (size_t i = 0; i < TL_PROGRAMS_RUNNING_MAX; i++) {
		if (!children[i].loop)
			return &children[i];
	}
	return NULL;
}

void
tl_programs_run(struct ev_loop *loop, const char *timeline,
    const struct tl_firing *firing)
{
	const char *const *argv = firing->rule->actions.run;
	struct child *child = find_free();
	int rc;

	if (!child) {
		counts.refused++;
		tl_daemon_log_limited(&refusals, ev_now(loop),
		    "trigger %s: %d programs run already, %s was not",
		    firing->rule->name, TL_PROGRAMS_RUNNING_MAX, argv[0]);
		return;
	}
	snprintf(child->name, sizeof(child->name), "%s", firing->rule->name);
	rc = tl_runner_run(&child->pid, argv, timeline, firing);
	counts.run += rc == 0;
	if (rc == 0)
		rc = watch(child, loop, firing->rule->actions.run_ns);
	if (rc == 0)
		return;
	counts.failed++;
	tl_daemon_log_limited(&starts, ev_now(loop),
	    "trigger %s: cannot run %s: %s", firing->rule->name, argv[0],
	    strerror(-rc));
}

void
tl_programs_status(struct tl_programs_status *status)
{
	*status = counts;
}

void
tl_programs_stop(void)
{
	for (size_t i = 0; i < TL_PROGRAMS_RUNNING_MAX; i++) {
		if (children[i].loop)
			release(&children[i]);
	}
	assert(counts.running == 0);
}
