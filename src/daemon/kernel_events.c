/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_events.c - call the keeper, follow the writers, move events. */
#include "daemon/kernel_events.h"

#include "base/file.h"
#include "base/word.h"
#include "daemon/log.h"
#include "kernel/kernel.h"
#include "ring/ring.h"
#include "snap/process.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ANSWER_S = 10, /* limit of the keeper's answer */
	RETRY_S = 10
};

struct tl_kernel_events {
	/* Used by the loop only: */
	struct ev_loop *loop;
	char name[NAME_MAX + 1];
	char path[TL_PATH_MAX];
	int fd;
	struct tl_config_kernel how;
	char *keeper; /* may be NULL */
	const struct tl_writers *writers;
	ev_timer timer;
	ev_io answer;
	int waited_s; /* for an answer, or since the last request */
	struct tl_kernel_events_status status;
	struct tl_sched_counts before; /* counts of ended sessions */
	char logged[TL_FAULT_TEXT_MAX];
	pthread_mutex_t lock;       /* of session and ready */
	struct tl_session *session; /* may be NULL */
	bool ready;
	uint32_t holds; /* one of the loop, one per snapshot */
};

/* == the session; the caller holds the lock == */

static int
follow_writers(struct tl_kernel_events *e)
{
	const size_t count = tl_writers_count(e->writers);
	struct stat file;
	int rc = 0;

	if (fstat(e->fd, &file) != 0)
		return -errno;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct tl_writer *w = tl_writers_get(e->writers, i);

		if (w->died_ns == 0 && tl_process_may_write(w->pid, &file))
			rc = tl_session_add_process(e->session, w->pid);
	}
	tl_session_visit(e->session);
	return rc;
}

static void
end_session(struct tl_kernel_events *e)
{
	struct tl_sched_counts counts;

	if (!e->session)
		return;
	(void)tl_session_end(e->session, &counts);
	e->session = NULL;
	e->ready = false;
	e->before.events += counts.events;
	e->before.lost += counts.lost;
	e->before.threads += counts.threads;
}

static void
fail(struct tl_kernel_events *e, const char *why)
{
	ev_io_stop(e->loop, &e->answer);
	end_session(e);
	e->waited_s = 0;
	e->status.on = false;
	snprintf(e->status.why, sizeof(e->status.why), "%s", why);
	if (strcmp(e->logged, why) == 0)
		return;
	snprintf(e->logged, sizeof(e->logged), "%s", why);
	tl_daemon_log(TL_LOG_WARNING, "%s: no events of the kernel: %s",
	    e->name, why);
}

static void
take_answer(struct tl_kernel_events *e)
{
	struct tl_fault fault = { 0 };
	int rc;

	if (e->ready) { /* the keeper sends nothing more but its end */
		if (tl_session_is_gone(e->session))
			fail(e, "the keeper of the kernel's events was ended");
		return;
	}
	rc = tl_session_ready(e->session, &fault);
	if (rc == 0)
		rc = follow_writers(e);
	if (rc < 0) {
		fail(e, fault.text[0] ? fault.text : strerror(-rc));
	} else if (rc == 0) {
		e->ready = e->status.on = true;
		e->status.why[0] = e->logged[0] = '\0';
		tl_daemon_log(TL_LOG_INFO,
		    "%s: the kernel's events are kept for snapshots", e->name);
	}
}

static void
ask(struct tl_kernel_events *e)
{
	const struct tl_session_options options = { .size = e->how.size,
		.faults = e->how.faults,
		.sched = { .names = e->how.names, .temporary = true } };
	struct tl_fault fault = { 0 };
	struct timeline_header header;

	e->waited_s = 0;
	if (tl_read_at(e->fd, &header, sizeof(header), 0) ==
		(int64_t)sizeof(header) &&
	    tl_is_elsewhere(&header)) {
		fail(e, "its threads are those of another PID namespace");
		return;
	}
	if (!e->keeper) {
		fail(e, "the configuration names no keeper");
		return;
	}
	if (tl_session_ask(&e->session, e->path, e->keeper, &options, &fault) !=
	    0) {
		fail(e, fault.text);
		return;
	}
	ev_io_set(&e->answer, tl_session_fd(e->session), EV_READ);
	ev_io_start(e->loop, &e->answer);
}

/* == the loop == */

static void
on_answer(struct ev_loop *loop, ev_io *io, int events)
{
	struct tl_kernel_events *e = io->data;

	(void)loop;
	(void)events;
	if (pthread_mutex_trylock(&e->lock) != 0)
		return;
	take_answer(e);
	pthread_mutex_unlock(&e->lock);
}

static void
on_second(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_kernel_events *e = timer->data;
	int rc;

	(void)loop;
	(void)events;
	if (pthread_mutex_trylock(&e->lock) != 0)
		return;
	e->waited_s++;
	if (!e->session) {
		if (e->waited_s >= RETRY_S)
			ask(e);
	} else if (!e->ready) {
		if (e->waited_s >= ANSWER_S)
			fail(e, "the keeper does not answer");
	} else if ((rc = follow_writers(e)) < 0) {
		fail(e, strerror(-rc));
	}
	pthread_mutex_unlock(&e->lock);
}

int
tl_kernel_events_new(struct tl_kernel_events **events, struct ev_loop *loop,
    const char *name, int fd, const struct tl_config_kernel *how,
    const char *keeper, const struct tl_writers *writers)
{
	struct tl_kernel_events *e = calloc(1, sizeof(*e));
	int rc;

	if (!e || (keeper && !(e->keeper = strdup(keeper)))) {
		free(e);
		return -ENOMEM;
	}
	snprintf(e->name, sizeof(e->name), "%s", name);
	if ((rc = tl_name_path(name, e->path)) != 0) {
		free(e->keeper);
		free(e);
		return rc;
	}
	e->loop = loop;
	e->fd = fd;
	e->how = *how;
	e->writers = writers;
	e->holds = 1;
	pthread_mutex_init(&e->lock, NULL);
	ev_init(&e->answer, on_answer);
	e->answer.data = e;
	ev_timer_init(&e->timer, on_second, 1, 1);
	e->timer.data = e;
	ev_timer_start(loop, &e->timer);
	ask(e);
	*events = e;
	return 0;
}

bool
tl_kernel_events_is(const struct tl_kernel_events *e,
    const struct tl_config_kernel *how, const char *keeper)
{
	return e->how.size == how->size && e->how.faults == how->faults &&
	       e->how.names == how->names && !e->keeper == !keeper &&
	       (!keeper || strcmp(e->keeper, keeper) == 0);
}

void
tl_kernel_events_status(struct tl_kernel_events *e,
    struct tl_kernel_events_status *status)
{
	if (pthread_mutex_trylock(&e->lock) == 0) {
		struct tl_sched_counts now = { 0 };

		if (e->session)
			now = tl_session_counts(e->session);
		e->status.entries = e->before.events + now.events;
		e->status.lost = e->before.lost + now.lost;
		e->status.threads = e->before.threads + now.threads;
		pthread_mutex_unlock(&e->lock);
	}
	*status = e->status;
}

void
tl_kernel_events_end(struct tl_kernel_events *e)
{
	if (!e)
		return;
	ev_timer_stop(e->loop, &e->timer);
	ev_io_stop(e->loop, &e->answer);
	tl_kernel_events_release(e);
}

/* == any thread == */

struct tl_kernel_events *
tl_kernel_events_hold(struct tl_kernel_events *e)
{
	if (!e)
		return NULL;
	/* the loop calls this and holds e */
	tl_fetch_add_32(&e->holds, 1);
	return e;
}

int
tl_kernel_events_drain(struct tl_kernel_events *e)
{
	int rc = 0;

	pthread_mutex_lock(&e->lock);
	if (e->ready)
		rc = tl_session_turn(e->session);
	pthread_mutex_unlock(&e->lock);
	return rc;
}

void
tl_kernel_events_release(struct tl_kernel_events *e)
{
	if (!e || tl_fetch_add_32(&e->holds, UINT32_MAX) > 1)
		return;
	end_session(e);
	pthread_mutex_destroy(&e->lock);
	free(e->keeper);
	free(e);
}
