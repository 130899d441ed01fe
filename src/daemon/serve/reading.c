/* SPDX-License-Identifier: Apache-2.0 */
/* reading.c - the thread that reads timelines for answers. */
#include "daemon/serve/answer.h"

#include "base/process.h"
#include "snap/snap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The limit of waiting readings; the body of each may have 12 MB. */
enum { READINGS_MAX = 64 };

/* Who has a reading: the states follow each other. */
enum state { WAITING, READ, MADE };

struct tl_reading {
	struct tl_reading *next; /* asked for after this one */
	enum state state;
	struct tl_reading_plan plan; /* done NULL: no request waits */
	char *text;
	struct tl_text body;
	struct tl_fault fault;
	int rc;
};

struct tl_readings {
	struct ev_loop *loop;
	struct ev_async answered;
	size_t count; /* readings not given back; the loop's own */
	pthread_t thread;
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t asked;
	struct tl_reading *first; /* in the order of the questions */
	bool stop;
};

static void
reading_free(struct tl_reading *r)
{
	if (r->plan.fd >= 0)
		close(r->plan.fd);
	tl_text_free(&r->body);
	free(r->text);
	free(r);
}

/* == the thread == */

static int
make(struct tl_reading *r)
{
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	int rc = tl_snap_open_fd(&snap, r->plan.fd, r->plan.tail, &r->fault);

	if (rc != 0)
		return rc;
	rc = tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor);
	if (rc == 0) {
		rc = r->plan.put(&r->body, cursor, &r->plan);
		tl_cursor_close(cursor);
	}
	tl_snap_close(snap);
	return rc;
}

static void *
run(void *context)
{
	struct tl_readings *all = context;
	struct tl_reading *r;

	pthread_mutex_lock(&all->lock);
	while (!all->stop) {
		for (r = all->first; r && r->state != WAITING;)
			r = r->next;
		if (!r) {
			pthread_cond_wait(&all->asked, &all->lock);
			continue;
		}
		r->state = READ;
		pthread_mutex_unlock(&all->lock);
		r->rc = make(r);
		pthread_mutex_lock(&all->lock);
		r->state = MADE;
		ev_async_send(all->loop, &all->answered);
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* == the loop == */

static void
on_answered(struct ev_loop *loop, struct ev_async *watcher, int events)
{
	struct tl_readings *all = watcher->data;
	struct tl_reading *r;

	(void)loop;
	(void)events;
	for (;;) {
		pthread_mutex_lock(&all->lock);
		r = all->first && all->first->state == MADE ? all->first : NULL;
		if (r)
			all->first = r->next;
		pthread_mutex_unlock(&all->lock);
		if (!r)
			return;
		all->count--;
		if (r->plan.done)
			r->plan.done(r->plan.context, r->rc, &r->fault,
			    &r->body);
		reading_free(r);
	}
}

static int
readings_new(struct tl_readings **readings, struct ev_loop *loop)
{
	struct tl_readings *all = calloc(1, sizeof(*all));
	int rc;

	if (!all)
		return -ENOMEM;
	all->loop = loop;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->asked, NULL);
	ev_async_init(&all->answered, on_answered);
	all->answered.data = all;
	ev_async_start(loop, &all->answered);
	rc = tl_thread_start(&all->thread, run, all, "answers");
	if (rc == 0) {
		*readings = all;
		return 0;
	}
	ev_async_stop(loop, &all->answered);
	free(all);
	return rc;
}

int
tl_reading_ask(struct tl_reading **reading, struct tl_readings **readings,
    struct ev_loop *loop, const struct tl_reading_plan *plan)
{
	struct tl_readings *all;
	struct tl_reading *r, **last;
	int rc = *readings ? 0 : readings_new(readings, loop);

	if (rc < 0)
		return rc;
	all = *readings;
	if (all->count == READINGS_MAX)
		return -EAGAIN;
	if (!(r = calloc(1, sizeof(*r))))
		return -ENOMEM;
	r->plan = *plan;
	r->plan.fd = -1;
	r->plan.text = r->text = strdup(plan->text);
	rc = r->text ? 0 : -ENOMEM;
	if (rc == 0 && (r->plan.fd = fcntl(plan->fd, F_DUPFD_CLOEXEC, 0)) < 0)
		rc = -errno;
	if (rc < 0) {
		reading_free(r);
		return rc;
	}
	*reading = r;
	all->count++;
	pthread_mutex_lock(&all->lock);
	for (last = &all->first; *last;)
		last = &(*last)->next;
	*last = r;
	pthread_cond_signal(&all->asked);
	pthread_mutex_unlock(&all->lock);
	return 0;
}

void
tl_reading_cancel(struct tl_reading *reading)
{
	if (reading)
		reading->plan.done = NULL;
}

void
tl_readings_free(struct tl_readings *all)
{
	struct tl_reading *r;

	if (!all)
		return;
	pthread_mutex_lock(&all->lock);
	all->stop = true;
	pthread_cond_signal(&all->asked);
	pthread_mutex_unlock(&all->lock);
	pthread_join(all->thread, NULL);
	while ((r = all->first)) {
		all->first = r->next;
		reading_free(r);
	}
	ev_async_stop(all->loop, &all->answered);
	pthread_cond_destroy(&all->asked);
	pthread_mutex_destroy(&all->lock);
	free(all);
}
