/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer.c - timers: every span is counted, and the slow ones are logged.
 *
 * timeline_layout.h describes the histograms.  This file assigns numbers and
 * memory to timers, sets thresholds, and is the C twin of asm/timer.S, which
 * adds to the histogram of threads without a CPU lane.
 */
#include "base/file.h"
#include "base/word.h"
#include "ring/ring.h"

#include <errno.h>
#include <fcntl.h>

#undef timeline_define_timer
#undef timeline_stamp
#undef timeline_timer_begin
#undef timeline_timer_end
#undef timeline_log_at

/* == definitions == */

static struct timeline_timer *
timer_at(const struct timeline *tl, uint32_t i)
{
	return (struct timeline_timer *)(void
		*)(tl->map + timeline_timer_offset(&tl->geometry, i));
}

/* The number of the timer of a record; a record without a number gets one.  The
 * search stops at a free element, so a record never has two numbers.
 * -ENOSPC. */
static int
number_of(const struct timeline *tl, uint64_t record)
{
	for (uint32_t i = 0; i < tl->geometry.timers_max; i++) {
		uint64_t *word = &timer_at(tl, i)->record;

		if (tl_load_64(word) == 0)
			(void)tl_cas_64(word, 0, record);
		if (tl_load_64(word) == record)
			return (int)i;
	}
	return tl_error(-ENOSPC,
	    "this timeline has %u timers, and no room "
	    "for more",
	    tl->geometry.timers_max);
}

int
tl_timer_fill(struct timeline *tl, struct timeline_event *timer,
    uint64_t record)
{
	const struct timeline_header *g = &tl->geometry;
	const int number = number_of(tl, record);
	uint64_t at;
	int rc;

	if (number < 0)
		return number;
	at = timeline_histogram_offset(g, (uint32_t)number, 0);
	/* reserve now: a store to a hole of a full tmpfs would raise SIGBUS */
	rc = tl_file_reserve(tl->fd, at,
	    (uint64_t)g->timer_rows * TIMELINE_HISTOGRAM_SIZE);
	if (rc != 0)
		return tl_error(rc, "no room for the histograms of a timer: %s",
		    tl_file_error(rc));
	timer->histogram = tl->map + at;
	timer->slower = &timer_at(tl, (uint32_t)number)->slower;
	return 0;
}

int
timeline_define_timer(struct timeline *tl, const char *category,
    const char *priority, const char *message, struct timeline_event **timer)
{
	return timeline_define_at(tl, category, priority, message,
	    TIMELINE_TIMER, 0, NULL, 0, timer);
}

/* == thresholds == */

int
tl_timers_set(struct timeline *tl, const char *category, const char *message,
    uint64_t ticks, uint64_t percentile)
{
	int count = 0;

	for (uint32_t i = 0; i < tl->geometry.timers_max; i++) {
		struct timeline_timer *timer = timer_at(tl, i);
		const uint64_t record = tl_load_64(&timer->record);
		struct tl_record r;

		if (record == 0)
			break;
		if (tl_record_at(&r, tl->strings, tl->geometry.strings_size,
			record, 0, NULL) != 0 ||
		    !tl_record_matches(&r, category, message))
			continue;
		tl_store_64(&timer->percentile, percentile);
		if (percentile == 0)
			tl_store_64(&timer->slower, ticks);
		count++;
	}
	return count;
}

int
timeline_slower(struct timeline *tl, const char *category_glob,
    const char *message_glob, uint64_t threshold_ns)
{
	const int rc = tl_globs_check(tl, category_glob, message_glob);
	uint64_t ticks = UINT64_MAX;

	if (rc != 0)
		return rc;
	if (threshold_ns != UINT64_MAX)
		ticks = tl_calibrate_ticks(tl->header, threshold_ns);
	if (tl_timers_set(tl, category_glob, message_glob, ticks, 0) == 0)
		return tl_error(-ENOENT, "no timer matches");
	return 0;
}

/* == the twin == */

/* Add to the histogram of threads without a CPU lane. */
static void
count_shared(const struct timeline_event *timer, uint64_t ticks)
{
	const struct timeline_header *g = &timer->timeline->geometry;
	struct timeline_histogram *h = (void *)timer->histogram;

	h += g->timer_rows - 1;
	tl_fetch_add_64(&h->values[timeline_bucket(ticks)], 1);
	tl_fetch_add_64(&h->state[0].sum, ticks);
	tl_raise_64(&h->state[0].max, ticks);
	tl_fetch_add_64(&h->count, 1);
}

void
tl_timer_keep(struct timeline_event *timer, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3, double word)
{
	const uint64_t args[TIMELINE_ARGS_MAX] = { a0, a1, a2, a3 };

	tl_append_shared(timer, stamp, (uint32_t)(tl_bits_of(word) >> 32),
	    args);
}

void
tl_timer_end(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3)
{
	const uint64_t args[TIMELINE_ARGS_MAX] = { a0, a1, a2, a3 };
	uint64_t now = 0;
	uint64_t ticks;

	if (!timer->histogram || !tl_event_is_open(timer, &now))
		return;
	if (now == 0)
		now = tl_stamp_now(timer->timeline);
	/* 0 if the clocks of two CPUs disagree */
	ticks = now > begin ? now - begin : 0;
	count_shared(timer, ticks);
	if (ticks >= tl_load_64(timer->slower))
		tl_append_shared(timer, now, timeline_duration_code(ticks),
		    args);
}

/* Append with a stamp.  Readers sort the entries of a fallback lane, so an old
 * stamp is kept. */
void
tl_append_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3)
{
	const uint64_t args[TIMELINE_ARGS_MAX] = { a0, a1, a2, a3 };
	struct timeline_event moved;
	uint64_t now = 0;

	if (!event->timeline || !tl_event_is_open(event, &now))
		return;
	if (now == 0)
		now = tl_stamp_now(event->timeline);
	if (stamp <= now) {
		tl_append_shared(event, stamp, 0, args);
		return;
	}
	moved = *event;
	moved.message |= TIMELINE_MESSAGE_MOVED;
	tl_append_shared(&moved, now, 0, args);
}

/* == functions of the macros, for other languages == */

uint64_t
timeline_stamp(const struct timeline_event *event)
{
	return event->timeline ? tl_stamp_now(event->timeline) : 0;
}

uint64_t
timeline_timer_begin(const struct timeline_event *timer)
{
	return timer->histogram && timeline_enabled(timer)
		   ? timeline_stamp(timer)
		   : 0;
}

void
timeline_timer_end(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3)
{
	if (begin != 0)
		timeline_timer_append(timer, begin, a0, a1, a2, a3);
}

void
timeline_log_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3)
{
	if (timeline_enabled(event))
		timeline_append_at(event, stamp, a0, a1, a2, a3);
}

#ifdef TL_LOG_C
void
timeline_timer_append(struct timeline_event *timer, uint64_t begin, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3)
{
	tl_timer_end(timer, begin, a0, a1, a2, a3);
}

void
timeline_append_at(struct timeline_event *event, uint64_t stamp, uint64_t a0,
    uint64_t a1, uint64_t a2, uint64_t a3)
{
	tl_append_at(event, stamp, a0, a1, a2, a3);
}
#endif
