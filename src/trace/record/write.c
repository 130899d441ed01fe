/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - a turn of the writing thread: write batches, and do timed work.
 */
#include "base/ns.h"
#include "trace/record/work.h"

#include "base/word.h"
#include "clock/clock.h"

#include <errno.h>
#include <time.h>

enum {
	TURN_BATCHES = 16 /* of a source; the clock is read after this many */
};

/* Begin a file for the next event, unless a file is open. */
static int
have_file(struct tl_recorder *r)
{
	if (r->file.writer)
		return 0;
	return r->over ? -EFBIG : tl_recorder_begin_file(r);
}

/* The number of entries that an event stands for. */
static uint64_t
entries_of(const struct tl_event *event)
{
	return event->kind == TL_LOST ? event->lost : 1;
}

/* Put an event.  An event that fits into no file counts as missing. */
static int
put(struct tl_recorder *r, struct tl_recorder_source *s, struct tl_event *event)
{
	const struct tl_observed_from place = tl_observed_place(event);
	const uint64_t next = event->number + entries_of(event);
	int rc = have_file(r);

	if (rc < 0)
		return rc;
	if (s->carry > 0)
		rc = tl_recorder_write_carried(r, s, event);
	if (rc == 0)
		rc = tl_recorder_threads_account(&r->threads, s, event);
	if (rc == 0)
		rc = tl_recorder_threads_put(&r->threads, r->file.writer, s,
		    event);
	/* the event is put again into the next file */
	if (rc < 0 && r->file.rc < 0) {
		tl_recorder_fail_file(r, rc);
		return rc;
	}
	s->accounted = false;
	s->begun = 0;
	if (event->kind != TL_LOST && tl_observed_before(s->newest, place)) {
		s->newest = place;
		s->newest_ns = event->ns;
	}
	/* only changes of levels, and losses, change what is observed */
	if (!event->message || tl_observed_is_change(event->message)) {
		struct tl_event change = *event;

		tl_observe(&s->observer, &change);
	}
	/* entries of a fallback lane are in the order of their stamps, so the
	 * largest number counts */
	if (event->lane < s->lane_count && s->positions[event->lane] < next)
		s->positions[event->lane] = next;
	if (rc == 0)
		tl_recorder_count(r, s, event);
	else
		s->carry += entries_of(event);
	r->fresh++;
	if (r->now.size_max > 0 &&
	    tl_recorder_file_size(&r->file) >= r->now.size_max)
		tl_recorder_end_file(r);
	return 0;
}

static bool
have_batch(struct tl_recorder_source *s)
{
	if (!s->batch)
		s->batch = tl_batch_ring_take(&s->full);
	return s->batch != NULL;
}

static void
give_back(struct tl_recorder_source *s)
{
	tl_batch_ring_put(&s->empty, s->batch);
	s->batch = NULL;
	s->at = 0;
}

/* Give each source a turn.  1: there was a batch; 0: no batch; -errno: nothing
 * can be written now. */
static int
take_turns(struct tl_recorder *r)
{
	int any = 0;

	for (size_t i = 0; i < r->source_count; i++) {
		struct tl_recorder_source *s = r->sources[i];

		for (int n = 0; n < TURN_BATCHES && have_batch(s); n++) {
			const uint32_t first = s->at;
			int rc = 0;

			/* Put the rest of the current batch. */
			while (rc == 0 && s->at < s->batch->count) {
				rc = put(r, s, &s->batch->events[s->at]);
				s->at += rc == 0;
			}
			/* the reader only ever adds */
			tl_fetch_add_64(&s->queued, (uint64_t)first - s->at);
			if (s->at == s->batch->count)
				give_back(s);
			if (rc < 0)
				return rc;
			any = 1;
		}
	}
	return any;
}

/* Have all readers ended?  If so, the batches that a later call finds are the
 * last. */
static bool
have_readers_ended(const struct tl_recorder *r)
{
	/* pairs with end() of source.c */
	for (size_t i = 0; i < r->source_count; i++)
		if (tl_load_acquire_32(&r->sources[i]->ended) == 0)
			return false;
	return true;
}

/* The part of flush_ns for which an entry may wait in the writer; before, the
 * entry waits in the reader. */
static uint64_t
flush_ns_of(const struct tl_recorder *r)
{
	const uint64_t all_ns =
	    r->now.flush_ns ? r->now.flush_ns : TL_RECORDER_FLUSH_NS;
	const uint64_t delay_ns = r->now.delay_ns;

	return delay_ns < all_ns / 2 ? all_ns - delay_ns : all_ns / 2;
}

/* Begin a file for missing entries that are in no file, if no event has begun
 * one. */
static void
tell_missing(struct tl_recorder *r)
{
	bool owes = false;

	for (size_t i = 0; i < r->source_count; i++)
		owes |= r->sources[i]->carry > 0;
	if (!r->file.writer && owes && have_file(r) == 0)
		tl_recorder_flush_file(r);
}

/* == the status == */

/* Update the status, and copy the options.  Is the recording to stop? */
static bool
report(struct tl_recorder *r)
{
	uint64_t queued = 0, lost = r->lost;
	int trouble = 0;
	bool stop, changed;

	for (size_t i = 0; i < r->source_count; i++) {
		queued += tl_load_64(&r->sources[i]->queued);
		lost += r->sources[i]->carry; /* still to be written */
		if (trouble == 0)
			trouble = (int)tl_load_32(&r->sources[i]->trouble);
	}
	pthread_mutex_lock(&r->lock);
	r->status.events = r->events;
	r->status.lost = lost;
	r->status.bytes = r->bytes;
	if (r->file.writer)
		r->status.bytes += r->file.data_size + r->file.index_size;
	r->status.queued = queued;
	changed = r->status.source_rc != trouble;
	r->status.source_rc = trouble;
	r->now = r->options;
	stop = r->stop;
	pthread_mutex_unlock(&r->lock);
	if (changed)
		tl_recorder_changed(r);
	return stop;
}

/* The time when work is due next. */
static int64_t
next_due(const struct tl_recorder *r)
{
	int64_t due_ns = r->flushed_ns + (int64_t)flush_ns_of(r);

	if (r->retry_ns != 0)
		return r->retry_ns;
	if (r->file.writer && r->now.age_ns > 0 &&
	    (int64_t)r->now.age_ns < due_ns - r->begun_ns)
		due_ns = r->begun_ns + (int64_t)r->now.age_ns;
	return due_ns;
}

/* Is there work to do? */
static bool
is_due(struct tl_recorder *r)
{
	bool wanted;

	pthread_mutex_lock(&r->lock);
	/* while the disk is full, new entries are no reason to wake up */
	wanted = r->retry_ns != 0 ? r->stop : r->awake;
	r->awake = false;
	pthread_mutex_unlock(&r->lock);
	return wanted || tl_clock_read(CLOCK_MONOTONIC) >= r->due_ns;
}

/* End the last file, and count the missing entries. */
static void
end(struct tl_recorder *r)
{
	r->ended = true;
	tell_missing(r);
	tl_recorder_end_file(r);
	/* no thread takes batches any more */
	for (size_t i = 0; i < r->source_count; i++)
		tl_store_release_32(&r->sources[i]->abandon, 1);
	/* count the entries of the batches that will not be written */
	for (size_t i = 0; i < r->source_count && !r->over; i++) {
		struct tl_recorder_source *s = r->sources[i];

		for (; have_batch(s); give_back(s))
			for (; s->at < s->batch->count; s->at++)
				s->carry +=
				    entries_of(&s->batch->events[s->at]);
	}
	report(r);
	pthread_mutex_lock(&r->lock);
	r->status.done = true;
	pthread_cond_broadcast(&r->done);
	pthread_mutex_unlock(&r->lock);
	tl_recorder_changed(r);
}

int64_t
tl_recorder_write(struct tl_recorder *r)
{
	bool ended, stop;
	int rc;
	int64_t now_ns;
	bool due;

	if (r->ended)
		return INT64_MAX;
	if (!is_due(r))
		return r->due_ns;
	ended = have_readers_ended(r);
	rc = take_turns(r);
	stop = report(r);
	/* Do the work that is due by the clock. */
	now_ns = tl_clock_read(CLOCK_MONOTONIC);
	due = (uint64_t)(now_ns - r->flushed_ns) >= flush_ns_of(r);
	if (r->retry_ns != 0 && now_ns >= r->retry_ns)
		tell_missing(r);
	if (r->file.writer && r->now.age_ns > 0 &&
	    (uint64_t)(now_ns - r->begun_ns) >= r->now.age_ns) {
		tl_recorder_end_file(r);
	} else if (r->file.writer && due) {
		tl_recorder_flush_file(r);
	} else if (due) {
		r->flushed_ns = now_ns;
		if (r->host.rest)
			r->host.rest(r->host.context);
	}
	if (r->over || (rc < 0 && stop) || (ended && rc == 0)) {
		end(r);
		return INT64_MAX;
	}
	r->due_ns = rc > 0 ? 0 : next_due(r);
	return r->due_ns;
}
