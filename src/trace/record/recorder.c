/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.c - recordings, and the two threads of a crew.
 */
#include "base/ns.h"
#include "trace/record/work.h"

#include "base/array.h"
#include "base/word.h"
#include "clock/clock.h"
#include "ring/ring.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* == the crew == */

struct side {
	struct tl_recorder_crew *crew;
	/* Do the work of a recording that is due.  Returns the time of the next
	 * work, CLOCK_MONOTONIC. */
	int64_t (*turn)(struct tl_recorder *recorder);
	pthread_t thread;
	bool running;
	pthread_cond_t more;
	bool awake;             /* woken since the thread last slept */
	struct tl_recorder *at; /* the recording whose turn it is; NULL: none */
};

struct tl_recorder_crew {
	/* protects the crew, but not the recording whose turn it is */
	pthread_mutex_t lock;
	pthread_cond_t moved; /* a turn has ended */
	struct tl_recorder **list;
	size_t count;
	size_t capacity;
	bool end;
	struct side sides[TL_CREW_SIDES];
};

/* == the threads == */

/* Give all recordings a turn, except those without anything to read.  Returns
 * the time when the next turn is due.  The lock is held, except during a
 * turn. */
static int64_t
turn_all(struct side *side)
{
	struct tl_recorder_crew *crew = side->crew;
	const bool reads = side == &crew->sides[TL_CREW_READER];
	const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
	int64_t due_ns = INT64_MAX;

	for (size_t i = 0; i < crew->count; i++) {
		int64_t one_ns;

		if (reads && tl_recorder_rests(crew->list[i], now_ns, &due_ns))
			continue;
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
	const struct timespec until = { .tv_sec = due_ns / TL_NS_PER_S,
		.tv_nsec = due_ns % TL_NS_PER_S };
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

/* Start a thread with all signals blocked except that of a guarded mapping. */
static int
start(struct side *side, const char *name)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	sigdelset(&all, SIGBUS);
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

/* Wake a side before its next turn is due. */
static void
wake_crew(struct tl_recorder_crew *crew, enum tl_crew_side side)
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
crew_add(struct tl_recorder_crew *crew, struct tl_recorder *recorder)
{
	int rc;

	pthread_mutex_lock(&crew->lock);
	rc = TL_ARRAY_ROOM(crew->list, crew->capacity, crew->count);
	if (rc == 0) {
		crew->list[crew->count++] = recorder;
		wake_all(crew);
	}
	pthread_mutex_unlock(&crew->lock);
	return rc;
}

static void
crew_remove(struct tl_recorder_crew *crew, struct tl_recorder *recorder)
{
	pthread_mutex_lock(&crew->lock);
	for (size_t i = 0; i < crew->count; i++) {
		if (crew->list[i] == recorder) {
			crew->list[i] = crew->list[--crew->count];
			break;
		}
	}
	while (crew->sides[TL_CREW_READER].at == recorder ||
	       crew->sides[TL_CREW_WRITER].at == recorder)
		pthread_cond_wait(&crew->moved, &crew->lock);
	/* the last recording has taken this place in the list, and its turn may
	 * have been skipped */
	wake_all(crew);
	pthread_mutex_unlock(&crew->lock);
}

/* == the crew == */

/* Create a crew, and start the threads of the given sides. */
static int
crew_new(struct tl_recorder_crew **crew, bool reads, bool writes)
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
	rc = reads ? start(&c->sides[TL_CREW_READER], "record-read") : 0;
	if (rc == 0 && writes)
		rc = start(&c->sides[TL_CREW_WRITER], "record-write");
	if (rc < 0)
		tl_recorder_crew_free(c);
	else
		*crew = c;
	return rc;
}

int
tl_recorder_crew_new(struct tl_recorder_crew **crew)
{
	return crew_new(crew, true, true);
}

int
tl_recorder_readers_new(struct tl_recorder_crew **crew)
{
	return crew_new(crew, true, false);
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

/* == recordings == */

enum { POLL_NS = 10000000, DELAY_PART = 5, DELAY_NS_MAX = 200000000 };

static void
wake(void *context)
{
	struct tl_recorder *r = context;

	pthread_mutex_lock(&r->lock);
	r->awake = true;
	pthread_mutex_unlock(&r->lock);
	wake_crew(r->writers, TL_CREW_WRITER);
}

static uint64_t
delay_of(const struct tl_recorder_options *options)
{
	const uint64_t flush_ns =
	    options->flush_ns ? options->flush_ns : TL_RECORDER_FLUSH_NS;

	if (options->delay_ns)
		return options->delay_ns;
	return flush_ns / DELAY_PART < DELAY_NS_MAX ? flush_ns / DELAY_PART
						    : DELAY_NS_MAX;
}

int
tl_recorder_new(struct tl_recorder **recorder,
    const struct tl_recorder_options *options,
    const struct tl_recorder_host *host)
{
	struct tl_recorder *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->options = *options;
	r->options.delay_ns = delay_of(options);
	r->now = r->options;
	r->host = *host;
	if (tl_spans_new(&r->threads.spans) < 0) {
		free(r);
		return -ENOMEM;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->done, NULL);
	r->flushed_ns = tl_clock_read(CLOCK_MONOTONIC);
	*recorder = r;
	return 0;
}

static int
add_source(struct tl_recorder *r, const char *name, int fd,
    const struct tl_follow_start *start, struct tl_fault *fault)
{
	struct tl_recorder_source *s;
	int rc;

	if (r->source_count == TL_RECORDER_SOURCES_MAX)
		return tl_fault(fault, -ENOSPC, TL_FAULT_NOWHERE,
		    "more than %d timelines in one recording",
		    TL_RECORDER_SOURCES_MAX);
	s = calloc(1, sizeof(*s));
	if (!s)
		return tl_fault(fault, -ENOMEM, TL_FAULT_NOWHERE, "no memory");
	s->number = (uint16_t)r->source_count;
	s->poll_ns = r->options.poll_ns ? r->options.poll_ns : POLL_NS;
	s->delay_ns = r->options.delay_ns;
	s->wake = wake;
	s->context = r;
	s->resumed = start->from != NULL;
	rc = tl_recorder_source_open(s, name, fd, start, fault);
	if (rc != 0) {
		free(s);
		return rc;
	}
	r->threads.places[s->number] = (struct tl_recorder_place){ s,
		tl_is_elsewhere(tl_follow_header(s->cursor)) };
	r->sources[r->source_count++] = s;
	return 0;
}

int
tl_recorder_add(struct tl_recorder *r, const char *name, int fd, bool all,
    struct tl_fault *fault)
{
	const struct tl_follow_start start = { .tail = all ? UINT64_MAX : 0 };

	return add_source(r, name, fd, &start, fault);
}

int
tl_recorder_add_at(struct tl_recorder *r, const char *name, int fd,
    const uint64_t *positions, size_t lane_count, struct tl_fault *fault)
{
	const struct tl_follow_start start = { .from = positions,
		.lane_count = lane_count };

	return add_source(r, name, fd, &start, fault);
}

size_t
tl_recorder_positions(const struct tl_recorder *r, size_t source,
    const uint64_t **positions)
{
	const struct tl_recorder_source *s = r->sources[source];

	*positions = s->positions;
	return s->lane_count;
}

int
tl_recorder_info(struct tl_recorder *r, const char *name, const char *value)
{
	return tl_recorder_file_info(&r->file, name, value);
}

/* Join a crew.  If the crew has no thread that writes, start one for this
 * recording. */
static int
join_crew(struct tl_recorder *r, struct tl_recorder_crew *crew)
{
	int rc = 0;

	r->crew = r->writers = crew;
	if (!crew->sides[TL_CREW_WRITER].running) {
		if ((rc = crew_new(&r->own, false, true)) < 0)
			goto leave;
		r->writers = r->own;
		if ((rc = crew_add(r->own, r)) < 0)
			goto leave;
	}
	if ((rc = crew_add(crew, r)) == 0)
		return 0;
leave:
	if (r->own)
		crew_remove(r->own, r);
	tl_recorder_crew_free(r->own);
	r->crew = r->writers = r->own = NULL;
	return rc;
}

int
tl_recorder_start_with(struct tl_recorder *r, struct tl_recorder_crew *crew)
{
	int rc = r->now.once ? tl_recorder_begin_file(r) : 0;

	for (size_t i = 0; rc == 0 && i < r->source_count; i++)
		rc = tl_recorder_source_start(r->sources[i]);
	return rc < 0 ? rc : join_crew(r, crew);
}

int
tl_recorder_start(struct tl_recorder *r)
{
	struct tl_recorder_crew *crew;
	int rc = tl_recorder_crew_new(&crew);

	if (rc < 0)
		return rc;
	rc = tl_recorder_start_with(r, crew);
	if (rc == 0)
		r->own = crew;
	else
		tl_recorder_crew_free(crew);
	return rc;
}

bool
tl_recorder_rests(struct tl_recorder *r, int64_t now_ns, int64_t *due_ns)
{
	int64_t least_ns = *due_ns;

	for (size_t i = 0; i < r->source_count; i++) {
		struct tl_recorder_source *s = r->sources[i];

		if (!tl_recorder_source_rests(s, now_ns))
			return false;
		least_ns = s->due_ns < least_ns ? s->due_ns : least_ns;
	}
	*due_ns = least_ns;
	return true;
}

int64_t
tl_recorder_read(struct tl_recorder *r)
{
	int64_t due_ns = INT64_MAX;

	for (size_t i = 0; i < r->source_count; i++) {
		const int64_t one_ns = tl_recorder_source_turn(r->sources[i]);

		due_ns = one_ns < due_ns ? one_ns : due_ns;
	}
	return due_ns;
}

void
tl_recorder_configure(struct tl_recorder *r,
    const struct tl_recorder_options *options)
{
	pthread_mutex_lock(&r->lock);
	r->options = *options;
	r->options.delay_ns = delay_of(options);
	pthread_mutex_unlock(&r->lock);
}

void
tl_recorder_stop(struct tl_recorder *r)
{
	/* pairs with tl_recorder_source_turn() */
	for (size_t i = 0; i < r->source_count; i++)
		tl_store_release_32(&r->sources[i]->stop, 1);
	pthread_mutex_lock(&r->lock);
	r->stop = r->awake = true;
	pthread_mutex_unlock(&r->lock);
	if (!r->crew)
		return;
	wake_crew(r->crew, TL_CREW_READER);
	wake_crew(r->writers, TL_CREW_WRITER);
}

void
tl_recorder_status(struct tl_recorder *r, struct tl_recorder_status *status)
{
	pthread_mutex_lock(&r->lock);
	*status = r->status;
	pthread_mutex_unlock(&r->lock);
}

void
tl_recorder_finish(struct tl_recorder *r)
{
	if (r->finished)
		return;
	tl_recorder_stop(r);
	if (r->crew) {
		pthread_mutex_lock(&r->lock);
		while (!r->status.done)
			pthread_cond_wait(&r->done, &r->lock);
		pthread_mutex_unlock(&r->lock);
		crew_remove(r->crew, r);
		if (r->writers != r->crew)
			crew_remove(r->writers, r);
		tl_recorder_crew_free(r->own);
		r->crew = r->writers = r->own = NULL;
	} else { /* it was not started */
		for (size_t i = 0; i < r->source_count; i++)
			tl_store_release_32(&r->sources[i]->abandon, 1);
		tl_recorder_end_file(r);
	}
	r->finished = true;
}

void
tl_recorder_free(struct tl_recorder *r)
{
	if (!r)
		return;
	tl_recorder_finish(r);
	for (size_t i = 0; i < r->source_count; i++) {
		tl_recorder_source_close(r->sources[i]);
		free(r->sources[i]);
	}
	tl_recorder_threads_free(&r->threads);
	pthread_cond_destroy(&r->done);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
