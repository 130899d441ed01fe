/* SPDX-License-Identifier: Apache-2.0 */
/* recorder_crew.c - two threads for any number of recordings. */
#include "trace/record/crew.h"

#include "base/array.h"
#include "trace/record/work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { NS_PER_S = 1000000000 };

struct side {
	struct tl_recorder_crew *crew;
	/* Do what is due of a recording; when the next is, CLOCK_MONOTONIC. */
	int64_t (*turn)(struct tl_recorder *recorder);
	pthread_t thread;
	bool running;
	pthread_cond_t more;
	bool awake;             /* somebody wants something since */
	struct tl_recorder *at; /* in hand; NULL */
};

struct tl_recorder_crew {
	pthread_mutex_t lock; /* of all of it, but not of what is in hand */
	pthread_cond_t moved; /* a side has let a recording go */
	struct tl_recorder **list;
	size_t count;
	size_t capacity;
	bool end;
	struct side sides[TL_CREW_SIDES];
};

/* == the threads == */

/* All recordings once: when the next thing is due.  The lock is held, but not
 * during a turn. */
static int64_t
turn_all(struct side *side)
{
	struct tl_recorder_crew *crew = side->crew;
	int64_t due_ns = INT64_MAX;

	for (size_t i = 0; i < crew->count; i++) {
		int64_t one_ns;

		side->at = crew->list[i];
		pthread_mutex_unlock(&crew->lock);
		one_ns = side->turn(side->at);
		pthread_mutex_lock(&crew->lock);
		side->at = NULL;
		pthread_cond_broadcast(&crew->moved);
		due_ns = one_ns < due_ns ? one_ns : due_ns;
	}
	return due_ns;
}

static void
wait_until(struct side *side, int64_t due_ns)
{
	struct tl_recorder_crew *crew = side->crew;
	const struct timespec until = { .tv_sec = due_ns / NS_PER_S,
		.tv_nsec = due_ns % NS_PER_S };
	int rc = 0;

	while (rc == 0 && !side->awake && !crew->end) {
		if (due_ns == INT64_MAX)
			pthread_cond_wait(&side->more, &crew->lock);
		else
			rc = pthread_cond_timedwait(&side->more, &crew->lock,
			    &until);
	}
}

static void *
run(void *context)
{
	struct side *side = context;
	struct tl_recorder_crew *crew = side->crew;

	pthread_mutex_lock(&crew->lock);
	while (!crew->end) {
		side->awake = false;
		wait_until(side, turn_all(side));
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* For which no signal is meant. */
static int
start(struct side *side, const char *name)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&side->thread, NULL, run, side);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	side->running = rc == 0;
	if (rc == 0)
		pthread_setname_np(side->thread, name);
	return -rc;
}

/* == the list == */

static void
wake_locked(struct side *side)
{
	side->awake = true;
	pthread_cond_signal(&side->more);
}

void
tl_recorder_crew_wake(struct tl_recorder_crew *crew, enum tl_crew_side side)
{
	pthread_mutex_lock(&crew->lock);
	wake_locked(&crew->sides[side]);
	pthread_mutex_unlock(&crew->lock);
}

static void
wake_all(struct tl_recorder_crew *crew)
{
	for (size_t i = 0; i < TL_CREW_SIDES; i++)
		wake_locked(&crew->sides[i]);
}

static int
add(struct tl_recorder_crew *crew, struct tl_recorder *recorder)
{

	if (TL_ARRAY_ROOM(crew->list, crew->capacity, crew->count) < 0)
		return -ENOMEM;
	crew->list[crew->count++] = recorder;
	wake_all(crew);
	return 0;
}

int
tl_recorder_crew_add(struct tl_recorder_crew *crew,
    struct tl_recorder *recorder)
{
	int rc;

	pthread_mutex_lock(&crew->lock);
	rc = add(crew, recorder);
	pthread_mutex_unlock(&crew->lock);
	return rc;
}

static bool
is_in_hand(const struct tl_recorder_crew *crew,
    const struct tl_recorder *recorder)
{
	return crew->sides[TL_CREW_READER].at == recorder ||
	       crew->sides[TL_CREW_WRITER].at == recorder;
}

void
tl_recorder_crew_remove(struct tl_recorder_crew *crew,
    struct tl_recorder *recorder)
{
	pthread_mutex_lock(&crew->lock);
	for (size_t i = 0; i < crew->count; i++) {
		if (crew->list[i] == recorder) {
			crew->list[i] = crew->list[--crew->count];
			break;
		}
	}
	while (is_in_hand(crew, recorder))
		pthread_cond_wait(&crew->moved, &crew->lock);
	/* the last one has changed its place, and may have been left out */
	wake_all(crew);
	pthread_mutex_unlock(&crew->lock);
}

/* == the crew == */

int
tl_recorder_crew_new(struct tl_recorder_crew **crew)
{
	struct tl_recorder_crew *c = calloc(1, sizeof(*c));
	pthread_condattr_t monotonic;
	int rc;

	if (!c)
		return -ENOMEM;
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&c->moved, &monotonic);
	for (size_t i = 0; i < TL_CREW_SIDES; i++) {
		c->sides[i].crew = c;
		pthread_cond_init(&c->sides[i].more, &monotonic);
	}
	pthread_condattr_destroy(&monotonic);
	c->sides[TL_CREW_READER].turn = tl_recorder_read;
	c->sides[TL_CREW_WRITER].turn = tl_recorder_write;
	rc = start(&c->sides[TL_CREW_READER], "record-read");
	if (rc == 0)
		rc = start(&c->sides[TL_CREW_WRITER], "record-write");
	if (rc < 0)
		tl_recorder_crew_free(c);
	else
		*crew = c;
	return rc;
}

void
tl_recorder_crew_free(struct tl_recorder_crew *crew)
{
	if (!crew)
		return;
	pthread_mutex_lock(&crew->lock);
	crew->end = true;
	wake_all(crew);
	pthread_mutex_unlock(&crew->lock);
	for (size_t i = 0; i < TL_CREW_SIDES; i++) {
		if (crew->sides[i].running)
			pthread_join(crew->sides[i].thread, NULL);
		pthread_cond_destroy(&crew->sides[i].more);
	}
	pthread_cond_destroy(&crew->moved);
	pthread_mutex_destroy(&crew->lock);
	free(crew->list);
	free(crew);
}
