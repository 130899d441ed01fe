/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.c - batches of events that go round between a thread, which fills them,
 * and the caller, who takes their events.
 */
#include "event/ahead.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BATCH = 256, /* events */
	BATCHES = 16,
	FIRST = 1 << 14 /* events that are read without a thread */
};

struct batch {
	struct tl_event events[BATCH];
	size_t count;
	int rc; /* of the inner cursor after these events: 1, 0 or -errno */
};

struct ahead {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	struct tl_cursor *inner;
	size_t passed; /* events read without a thread */
	bool has_thread;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Batches filled and given back since the start, under the lock. */
	size_t filled;
	size_t emptied;
	bool ended; /* the last batch is filled */
	bool closed;
	/* The caller's position: the batch is not given back yet. */
	struct batch *current;
	size_t at;
	struct batch batches[BATCHES];
};

/*
 * Neither side sleeps and wakes for each batch: the thread sleeps from all
 * batches full to half of them empty, the caller from none full to half of them
 * full.  Each side wakes the other after it has released the lock, so that the
 * other does not wake only to wait for the lock.
 */

/* Wait for a batch to fill.  NULL: the cursor is closed. */
static struct batch *
wait_for_empty(struct ahead *a)
{
	struct batch *batch;

	pthread_mutex_lock(&a->lock);
	if (a->filled - a->emptied == BATCHES)
		while (a->filled - a->emptied > BATCHES / 2 && !a->closed)
			pthread_cond_wait(&a->changed, &a->lock);
	batch = a->closed ? NULL : &a->batches[a->filled % BATCHES];
	pthread_mutex_unlock(&a->lock);
	return batch;
}

static void *
read_ahead(void *context)
{
	struct ahead *a = context;
	struct batch *b;
	bool wakes;

	while ((b = wait_for_empty(a))) {
		b->rc = 1;
		for (b->count = 0; b->count < BATCH; b->count++) {
			b->rc = tl_cursor_next(a->inner, &b->events[b->count]);
			if (b->rc <= 0)
				break;
		}
		pthread_mutex_lock(&a->lock);
		a->filled++;
		a->ended = b->rc <= 0;
		wakes = a->ended || a->filled - a->emptied >= BATCHES / 2;
		pthread_mutex_unlock(&a->lock);
		if (wakes)
			pthread_cond_signal(&a->changed);
		if (b->rc <= 0)
			break;
	}
	return NULL;
}

/* Start the thread, without the signals, which are the caller's. */
static bool
start(struct ahead *a)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&a->thread, NULL, read_ahead, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	a->has_thread = rc == 0;
	a->passed = 0; /* without a thread: try again after as many events */
	return rc == 0;
}

/* Give the current batch back, and wait for the next. */
static void
take_batch(struct ahead *a)
{
	bool wakes;

	pthread_mutex_lock(&a->lock);
	a->emptied += a->current != NULL;
	wakes = a->filled - a->emptied <= BATCHES / 2;
	pthread_mutex_unlock(&a->lock);
	if (wakes)
		pthread_cond_signal(&a->changed);
	pthread_mutex_lock(&a->lock);
	if (a->filled == a->emptied)
		while (a->filled - a->emptied < BATCHES / 2 && !a->ended)
			pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	a->current = &a->batches[a->emptied % BATCHES];
	a->at = 0;
}

static int
ahead_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct ahead *a = (struct ahead *)cursor;

	if (!a->has_thread && (a->passed++ < FIRST || !start(a)))
		return tl_cursor_next(a->inner, event);
	while (!a->current || a->at == a->current->count) {
		if (a->current && a->current->rc <= 0)
			return a->current->rc;
		take_batch(a);
	}
	*event = a->current->events[a->at++];
	return 1;
}

static void
ahead_close(struct tl_cursor *cursor)
{
	struct ahead *a = (struct ahead *)cursor;

	if (a->has_thread) {
		pthread_mutex_lock(&a->lock);
		a->closed = true;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	tl_cursor_close(a->inner);
	free(a);
}

void
tl_ahead_cursor(struct tl_cursor *inner, struct tl_cursor **cursor)
{
	struct ahead *a =
	    sysconf(_SC_NPROCESSORS_ONLN) > 1 ? calloc(1, sizeof(*a)) : NULL;

	*cursor = inner;
	if (!a)
		return;
	a->inner = inner;
	a->cursor = (struct tl_cursor){ ahead_next, ahead_close };
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	*cursor = &a->cursor;
}
