/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - read a timeline into batches.
 *
 * The messages of a cursor never change, so another thread may use them; but
 * the table of the texts of arguments may move when a round begins.  So
 * messages with such arguments are replaced by copies that read texts under a
 * lock, and rounds begin under this lock.
 */
#include "base/ns.h"
#include "trace/record/work.h"

#include "base/file.h"
#include "base/word.h"
#include "clock/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	/* per turn, so that other timelines have their turn */
	TURN_BATCHES = 16,
	PAUSE_NS = 1000000,     /* least time between rounds */
	TROUBLE_NS = 100000000, /* time between rounds that could not begin */
	/* incomplete entries count as lost after this time */
	LAST_NS = TL_NS_PER_S,
	/* a round with more events is followed at once by the next */
	BUSY_EVENTS = 4096
};

/* == batches == */

void
tl_batch_ring_put(struct tl_batch_ring *ring, struct tl_batch *batch)
{
	/* pairs with taken in tl_batch_ring_take(): the slot is free */
	(void)tl_load_acquire_32(&ring->taken);
	ck_ring_enqueue_spsc(&ring->ring, ring->slots, batch);
	/* pairs with put in tl_batch_ring_take(): batch and slot are written */
	tl_store_release_32(&ring->put, ring->put + 1);
}

struct tl_batch *
tl_batch_ring_take(struct tl_batch_ring *ring)
{
	void *batch;

	if (tl_load_acquire_32(&ring->put) == ring->taken ||
	    !ck_ring_dequeue_spsc(&ring->ring, ring->slots, &batch))
		return NULL;
	tl_store_release_32(&ring->taken, ring->taken + 1);
	return batch;
}

/* A batch to fill.  NULL: all batches are full, and no further batch may be
 * made. */
static struct tl_batch *
get_batch(struct tl_recorder_source *s)
{
	struct tl_batch *batch = tl_batch_ring_take(&s->empty);

	if (!batch && s->batch_count < TL_BATCHES_MAX) {
		batch = malloc(sizeof(*batch));
		s->batch_count += batch != NULL;
	}
	if (batch)
		batch->count = 0;
	return batch;
}

/* == texts of arguments == */

static struct tl_bytes
string_of(const struct tl_strings *strings, uint64_t number)
{
	const struct tl_recorder_strings *own =
	    (const struct tl_recorder_strings *)(const void *)strings;
	struct tl_recorder_source *s = own->source;
	struct tl_bytes text;

	pthread_mutex_lock(&s->lock);
	text = s->strings_of->get(s->strings_of, number);
	pthread_mutex_unlock(&s->lock);
	return text;
}

static bool
has_strings(const struct tl_message *message)
{
	for (unsigned i = 0; i < message->argc; i++)
		if (message->args[i].format == TIMELINE_ARG_STRING)
			return message->strings != NULL;
	return false;
}

/* The copy of a message, from which other threads may read texts.  NULL: no
 * memory. */
static const struct tl_message *
copy_of(struct tl_recorder_source *s, const struct tl_message *message)
{
	struct tl_message *copy = tl_message_map_find(&s->messages, message);

	if (copy) {
		tl_store_8(&copy->gate, message->gate);
		return copy;
	}
	copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *message;
	copy->strings = &s->strings.strings;
	s->strings_of = message->strings;
	if (tl_message_map_add(&s->messages, message, copy) != 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* == rounds == */

static int
next_event(struct tl_recorder_source *s, struct tl_event *event)
{
	int rc;

	if (!s->fresh)
		return tl_cursor_next(s->cursor, event);
	pthread_mutex_lock(&s->lock);
	rc = tl_cursor_next(s->cursor, event);
	pthread_mutex_unlock(&s->lock);
	s->fresh = rc <= 0;
	return rc;
}

/* Fill a batch.  1: the batch is full; 0: there are no more entries now;
 * -errno. */
static int
fill(struct tl_recorder_source *s, struct tl_batch *batch)
{
	while (batch->count < TL_BATCH_EVENTS) {
		struct tl_event *event = &batch->events[batch->count];
		const int rc = next_event(s, event);

		if (rc <= 0) {
			s->fresh = true;
			return rc;
		}
		event->source = s->number;
		batch->count++;
		if (event->message && has_strings(event->message)) {
			event->message = copy_of(s, event->message);
			if (!event->message) {
				event->kind = TL_LOST;
				event->lost = 1;
				return -ENOMEM;
			}
		}
	}
	return 1;
}

/* The time after a pause.  All timelines with equal pauses are due at the same
 * multiples of the pause, so that the thread wakes up once for many
 * timelines. */
static int64_t
after_pause(const struct tl_recorder_source *s, int64_t now_ns)
{
	const int64_t pause_ns = (int64_t)s->pause_ns;

	return (now_ns / pause_ns + 1) * pause_ns;
}

/* The time when the next round is due.  The pause before it grows while no
 * entries arrive. */
static int64_t
next_due(struct tl_recorder_source *s, int64_t now_ns)
{
	const uint64_t again_ns = tl_follow_again_ns(s->cursor);

	if (s->round >= BUSY_EVENTS)
		return now_ns;
	s->pause_ns = again_ns == UINT64_MAX ? s->pause_ns * 2
					     : again_ns / PAUSE_NS * PAUSE_NS;
	if (s->pause_ns < PAUSE_NS)
		s->pause_ns = PAUSE_NS;
	if (s->pause_ns > s->poll_ns)
		s->pause_ns = s->poll_ns;
	return after_pause(s, now_ns);
}

/* Will reading fail from now on? */
static bool
is_end(int rc)
{
	return rc == -EPIPE || rc == -EBADMSG || rc == -EPROTO ||
	       rc == -ENODATA;
}

/* No more events will come; pairs with have_readers_ended(). */
static void
end(struct tl_recorder_source *s)
{
	s->over = true;
	tl_store_release_32(&s->ended, 1);
	s->wake(s->context);
}

/*
 * Is the recording complete after the last round?  Incomplete entries are
 * awaited for a time and then count as lost, so that each entry has been
 * recorded or counted before another recording continues.
 */
static bool
is_complete(struct tl_recorder_source *s, int64_t now_ns)
{
	if (s->finishing || tl_follow_awaited(s->cursor) == 0)
		return true;
	if (s->last_ns == 0)
		s->last_ns = now_ns;
	s->finishing = now_ns - s->last_ns >= LAST_NS;
	if (s->finishing)
		tl_follow_finish(s->cursor);
	return false;
}

/* A round has ended, or could not begin. */
static void
end_round(struct tl_recorder_source *s, int rc, int64_t now_ns)
{
	tl_store_32(&s->trouble, rc < 0 && rc != -EPIPE ? (uint32_t)rc : 0);
	if (is_end(rc) || (s->last && (rc < 0 || is_complete(s, now_ns))))
		end(s);
	else
		s->due_ns = rc < 0 ? now_ns + TROUBLE_NS : next_due(s, now_ns);
	s->round = 0;
}

/* Read one batch.  true: more events may be waiting. */
static bool
read_batch(struct tl_recorder_source *s, int64_t now_ns)
{
	int rc;

	if (!s->filling && !(s->filling = get_batch(s))) {
		/* all batches wait to be written */
		s->due_ns = now_ns + PAUSE_NS;
		return false;
	}
	if (s->fresh) { /* pairs with tell_stop() */
		s->last = tl_load_acquire_32(&s->stop) != 0;
		tl_follow_delay(s->cursor, s->last ? 0 : s->delay_ns);
	}
	rc = fill(s, s->filling);
	s->round += s->filling->count;
	if (s->filling->count > 0) {
		if (!s->observed)
			tl_observer_init(&s->observer,
			    &tl_follow_observer(s->cursor)->start);
		s->observed = true;
		tl_fetch_add_64(&s->queued, s->filling->count);
		tl_batch_ring_put(&s->full, s->filling);
		s->wake(s->context);
		s->filling = NULL;
	}
	if (rc <= 0)
		end_round(s, rc, now_ns);
	return rc > 0;
}

bool
tl_recorder_source_rests(struct tl_recorder_source *s, int64_t now_ns)
{
	if (s->over || tl_load_32(&s->stop) || tl_load_32(&s->abandon))
		return false;
	if (now_ns < s->due_ns)
		return true;
	if (s->pause_ns < s->poll_ns || !tl_follow_is_idle(s->cursor, now_ns))
		return false;
	s->due_ns = after_pause(s, now_ns);
	return true;
}

/* A round reads the entries that exist when the round begins.  The round that
 * begins after a stop is the last. */
int64_t
tl_recorder_source_turn(struct tl_recorder_source *s)
{
	const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
	bool more = true;

	if (s->over)
		return INT64_MAX;
	if (tl_load_acquire_32(&s->abandon) != 0) {
		end(s);
		return INT64_MAX;
	}
	if (now_ns < s->due_ns && tl_load_32(&s->stop) == 0)
		return s->due_ns;
	for (int i = 0; more && i < TURN_BATCHES; i++)
		more = read_batch(s, now_ns);
	if (s->over)
		return INT64_MAX;
	return more ? 0 : s->due_ns;
}

int
tl_recorder_source_start(struct tl_recorder_source *s)
{
	s->pause_ns = PAUSE_NS;
	s->filling = get_batch(s);
	return s->filling ? 0 : -ENOMEM;
}

int
tl_recorder_source_open(struct tl_recorder_source *s, const char *name, int fd,
    const struct tl_follow_start *start, struct tl_fault *fault)
{
	const uint64_t *positions;
	int rc;

	snprintf(s->name, sizeof(s->name), "%s", name);
	s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (s->fd < 0)
		return tl_fail(fault, -errno, "no more files can be opened");
	rc = tl_follow_open_at(&s->cursor, s->fd, start, fault);
	if (rc != 0) {
		close(s->fd);
		return rc;
	}
	/* the position at which the first round begins */
	s->lane_count = tl_follow_positions(s->cursor, &positions);
	s->positions = malloc((s->lane_count + 1) * sizeof(*s->positions));
	if (!s->positions) {
		tl_cursor_close(s->cursor);
		close(s->fd);
		return tl_fail(fault, -ENOMEM, "no memory");
	}
	memcpy(s->positions, positions, s->lane_count * sizeof(*s->positions));
	pthread_mutex_init(&s->lock, NULL);
	ck_ring_init(&s->full.ring, TL_BATCH_RING);
	ck_ring_init(&s->empty.ring, TL_BATCH_RING);
	s->strings = (struct tl_recorder_strings){ { string_of }, s };
	s->fresh = true;
	return 0;
}

struct tl_bytes
tl_recorder_source_comm(const struct tl_recorder_source *s,
    char name[TL_COMM_MAX], uint32_t pid, uint32_t tid)
{
	const struct timeline_header *h = tl_follow_header(s->cursor);
	struct timeline_name set[TIMELINE_NAMES_SET];
	size_t size = 0;

	if (h->names_offset == 0 ||
	    tl_read_at(s->fd, set, sizeof(set),
		h->names_offset + timeline_name_set(pid, tid, h->names_max) *
				      sizeof(set[0])) != (int64_t)sizeof(set))
		return tl_bytes("", 0);
	for (size_t i = 0; i < TIMELINE_NAMES_SET; i++) {
		if (set[i].pid != pid || set[i].tid != tid ||
		    set[i].sum != timeline_name_sum(&set[i]))
			continue;
		size = strnlen((const char *)set[i].text, sizeof(set[i].text));
		memcpy(name, set[i].text, size);
	}
	return tl_bytes(name, size);
}

static void
free_batches(struct tl_batch_ring *ring)
{
	struct tl_batch *batch;

	while ((batch = tl_batch_ring_take(ring)))
		free(batch);
}

void
tl_recorder_source_close(struct tl_recorder_source *s)
{
	free_batches(&s->full);
	free_batches(&s->empty);
	free(s->batch);
	free(s->filling);
	tl_cursor_close(s->cursor);
	tl_message_map_free(&s->messages, free);
	pthread_mutex_destroy(&s->lock);
	free(s->positions);
	close(s->fd);
}
