/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.c - what is done when a rule fires.
 *
 * The burst comes first, because what it catches goes by; then the snapshot,
 * which waits for nobody; then the program; then the words.  The programs of
 * all timelines share one table.  Where the loop is libev's default one, it
 * reaps every child of the process, so it has to be asked; any other loop
 * watches a descriptor of the child.
 */
#include "daemon/actions.h"

#include "daemon/run.h"
#include "daemon/snapshots_name.h"
#include "daemon/target.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAME_BYTES = 64, WORDS_BYTES = 512 };

struct child {
	struct ev_loop *loop; /* NULL: the place is free */
	ev_child by_signal;
	ev_io by_fd; /* its fd -1: by signal */
	ev_timer limit;
	bool stopped;          /* the limit was reached */
	pid_t pid;             /* and process group */
	char name[NAME_BYTES]; /* of the rule */
};

/* One sort of trouble: said once in a while, with how often it was not. */
struct trouble {
	double said_s;
	uint64_t unsaid;
	bool any;
};

static struct child children[TL_ACTIONS_RUNNING_MAX];
static struct tl_actions_status counts;
static struct trouble refusals, ends, starts, bursts, limits;

static void complain(struct trouble *trouble, struct ev_loop *loop,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

static void
complain(struct trouble *trouble, struct ev_loop *loop, const char *format, ...)
{
	const double now_s = ev_now(loop);
	char words[WORDS_BYTES];
	va_list args;

	if (trouble->any && now_s >= trouble->said_s &&
	    now_s - trouble->said_s < TL_ACTIONS_LOG_S) {
		trouble->unsaid++;
		return;
	}
	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (trouble->unsaid > 0)
		tl_daemon_log(TL_LOG_WARNING, "%s (and %llu times before)",
		    words, (unsigned long long)trouble->unsaid);
	else
		tl_daemon_log(TL_LOG_WARNING, "%s", words);
	*trouble = (struct trouble){ .said_s = now_s, .any = true };
}

/* == the program == */

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
	if (stopped) /* what it left behind goes with it */
		kill(-child->pid, SIGKILL);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !stopped)
		return;
	counts.failed++;
	if (stopped)
		return; /* that was reported */
	if (WIFSIGNALED(status))
		complain(&ends, loop,
		    "the program of trigger %s was ended by signal %d",
		    child->name, WTERMSIG(status));
	else
		complain(&ends, loop,
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
		release(child); /* somebody else reaped it */
}

/* It runs too long; once more, and it did not end when it was asked to. */
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
	complain(&limits, loop,
	    "the program of trigger %s runs for longer than its timeout: ended",
	    child->name);
}

/* 0 or -errno. */
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
	    TL_ACTIONS_GRACE_S);
	child->limit.data = child;
	ev_timer_start(loop, &child->limit);
	counts.running++;
	return 0;
}

static struct child *
find_free(void)
{
	for (size_t i = 0; i < TL_ACTIONS_RUNNING_MAX; i++) {
		if (!children[i].loop)
			return &children[i];
	}
	return NULL;
}

static void
run(struct tl_target *target, const struct tl_firing *firing)
{
	struct ev_loop *loop = target->daemon->loop;
	const char *const *argv = firing->rule->actions.run;
	struct child *child = find_free();
	int rc;

	if (!child) {
		counts.refused++;
		complain(&refusals, loop,
		    "trigger %s: %d programs run already, %s was not",
		    firing->rule->name, TL_ACTIONS_RUNNING_MAX, argv[0]);
		return;
	}
	snprintf(child->name, sizeof(child->name), "%s", firing->rule->name);
	rc = tl_run(&child->pid, argv, target->name, firing);
	counts.run += rc == 0;
	if (rc == 0)
		rc = watch(child, loop, firing->rule->actions.run_ns);
	if (rc == 0)
		return;
	counts.failed++;
	complain(&starts, loop, "trigger %s: cannot run %s: %s",
	    firing->rule->name, argv[0], strerror(-rc));
}

/* == a rule fired == */

static void
raise_level(struct tl_target *target, const struct tl_firing *firing)
{
	const struct tl_config_actions *actions = &firing->rule->actions;
	const int rc = tl_bursts_raise(target->bursts, actions->burst_level,
	    actions->burst_ns);

	if (rc >= 0)
		return;
	complain(&bursts, target->daemon->loop, "%s: trigger %s: no burst: %s",
	    target->name, firing->rule->name, strerror(-rc));
}

static void
snapshot(struct tl_target *target, const struct tl_firing *firing)
{
	char reason[TL_REASON_MAX + 1];
	int rc;

	tl_snapshot_reason_make(reason, firing->rule->name);
	rc = tl_target_snapshot(target, reason);
	if (rc < 0 && rc != -EBUSY) /* the one that waits will show it */
		tl_daemon_log(TL_LOG_WARNING, "%s: trigger %s: no snapshot: %s",
		    target->name, firing->rule->name, strerror(-rc));
}

void
tl_actions_fired(void *context, const struct tl_firing *firing)
{
	struct tl_target *target = context;
	const struct tl_config_actions *actions = &firing->rule->actions;

	if (actions->burst_level > 0 && target->bursts)
		raise_level(target, firing);
	if (actions->snapshot)
		snapshot(target, firing);
	if (actions->run && actions->run[0])
		run(target, firing);
	tl_daemon_log(TL_LOG_NOTICE, "%s: trigger %s: %s", target->name,
	    firing->rule->name, firing->text);
}

void
tl_actions_failed(void *context, const struct tl_config_rule *rule,
    const char *why)
{
	const struct tl_target *target = context;

	tl_daemon_log(TL_LOG_ERROR, "%s: trigger %s is switched off: %s",
	    target->name, rule->name, why);
}

void
tl_actions_status(struct tl_actions_status *status)
{
	*status = counts;
}

void
tl_actions_stop(void)
{
	for (size_t i = 0; i < TL_ACTIONS_RUNNING_MAX; i++) {
		if (children[i].loop)
			release(&children[i]);
	}
	assert(counts.running == 0);
}
