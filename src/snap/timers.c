/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.c - add up the histograms of a timer.
 */
#include "snap/timers.h"

#include "base/file.h"
#include "base/histogram.h"
#include "base/word.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Add a row to a timer.  The file may contain any numbers, so the sums may
 * wrap. */
static void
add_row(struct tl_timer *timer, const struct timeline_histogram *h)
{
	const struct timeline_histogram_state *s = &h->state[h->count & 1];
	const struct timeline_histogram_state *other = &h->state[~h->count & 1];

	/* other histograms use only state 0, and no value */
	if (s->value == 0 && other->value == 0)
		s = &h->state[0];
	for (uint32_t i = 0; i < TIMELINE_BUCKETS; i++) {
		const uint64_t n = h->values[i];

		timer->values[i] += i == s->bucket ? tl_most(n, s->value) : n;
		timer->count += i == s->bucket ? tl_most(n, s->value) : n;
	}
	timer->sum += s->sum;
	timer->max = tl_most(timer->max, s->max);
}

/* Read a timer with read_at(). */
static int
read_timer(struct tl_timer *timer, const struct timeline_header *header,
    uint32_t i,
    int (*read_at)(const void *from, void *to, size_t size, uint64_t offset),
    const void *from)
{
	struct timeline_histogram *h;
	int rc;

	memset(timer, 0, sizeof(*timer));
	if (i >= header->timers_max)
		return 0;
	rc = read_at(from, &timer->fixed, sizeof(timer->fixed),
	    timeline_timer_offset(header, i));
	if (rc != 0 || timer->fixed.record == 0)
		return rc;
	timer->mult = header->clock_kind == TIMELINE_CLOCK_REALTIME
			  ? TL_MULT_ONE
			  : header->clock.mult;
	if (!(h = malloc(sizeof(*h))))
		return -ENOMEM;
	for (uint32_t row = 0; rc == 0 && row < header->timer_rows; row++) {
		const uint64_t at = timeline_histogram_offset(header, i, row);

		rc = read_at(from, &h->count, sizeof(h->count), at);
		if (rc == 0 && h->count == 0 && row + 1 < header->timer_rows)
			continue;
		if (rc == 0)
			rc = read_at(from, h, sizeof(*h), at);
		if (rc == 0)
			add_row(timer, h);
	}
	free(h);
	return rc == 0 ? 1 : rc;
}

static int
read_file(const void *from, void *to, size_t size, uint64_t offset)
{
	return tl_read_zero_filled(*(const int *)from, to, size, offset);
}

int
tl_timer_read(struct tl_timer *timer, int fd,
    const struct timeline_header *header, uint32_t i)
{
	return read_timer(timer, header, i, read_file, &fd);
}

static int
read_storage(const void *from, void *to, size_t size, uint64_t offset)
{
	const struct tl_snap *snap = from;
	const int64_t n = tl_storage_read_at(snap->frozen, to, size, offset);

	if (n < 0)
		return (int)n;
	memset((char *)to + n, 0, size - (size_t)n);
	return 0;
}

int
tl_snap_timer(struct tl_timer *timer, const struct tl_snap *snap, uint32_t i)
{
	return read_timer(timer, &snap->header, i, read_storage, snap);
}

void
tl_timer_histogram(struct timeline_histogram *histogram,
    const struct tl_timer *timer)
{
	memset(histogram, 0, sizeof(*histogram));
	histogram->count = timer->count;
	histogram->state[0].sum = timer->sum;
	histogram->state[0].max = timer->max;
	memcpy(histogram->values, timer->values, sizeof(histogram->values));
}

/* Find the timer of the message with an id.  1: *number is set; 0: none, and
 * *number is that of all timers; -errno. */
static int
find_timer(const struct tl_snap *snap, uint32_t id, uint32_t *number)
{
	const struct timeline_header *h = &snap->header;

	for (*number = 0; *number < h->timers_max; ++*number) {
		uint64_t record;
		const int rc = read_storage(snap, &record, sizeof(record),
		    timeline_timer_offset(h, *number));

		if (rc != 0 || record == 0)
			return rc;
		if (record == id)
			return 1;
	}
	return 0;
}

uint32_t
tl_snap_timer_count(const struct tl_snap *snap)
{
	uint32_t count;

	(void)find_timer(snap, 0, &count); /* no record has this id */
	return count;
}

bool
tl_snap_is_timed(const struct tl_snap *snap, const struct tl_message *message)
{
	uint32_t number;

	return message->timer || find_timer(snap, message->id, &number) > 0;
}

int
tl_snap_timer_of(struct tl_timer *timer, const struct tl_snap *snap,
    const struct tl_message *message)
{
	uint32_t number;
	const int rc = find_timer(snap, message->id, &number);

	return rc > 0 ? tl_snap_timer(timer, snap, number) : rc;
}

uint64_t
tl_timer_ns(const struct tl_timer *timer, uint64_t ticks)
{
	return (uint64_t)tl_ticks_to_ns(ticks > INT64_MAX ? INT64_MAX
							  : (int64_t)ticks,
	    timer->mult);
}

uint64_t
tl_timer_at(const struct tl_timer *timer, double percent)
{
	const uint64_t rank = tl_percentile_rank(timer->count, percent);
	uint64_t passed = 0;

	for (uint32_t i = 0; i < TIMELINE_BUCKETS; i++) {
		uint64_t high;

		passed += timer->values[i];
		if (timer->values[i] == 0 || passed < rank)
			continue;
		high = timeline_bucket_low(i + 1) - 1;
		return i + 1 == TIMELINE_BUCKETS || high > timer->max
			   ? timer->max
			   : high;
	}
	return 0;
}

void
tl_timer_since(struct tl_timer *now, const struct tl_timer *before)
{
	now->count = 0;
	for (uint32_t i = 0; i < TIMELINE_BUCKETS; i++) {
		const uint64_t n = before->values[i];

		now->values[i] -= now->values[i] > n ? n : now->values[i];
		now->count += now->values[i];
	}
	now->sum -= now->sum > before->sum ? before->sum : now->sum;
	if (now->max <= before->max)
		now->max = tl_timer_at(now, 100);
}

void
tl_timer_put(struct tl_fields *f, const struct tl_timer *t)
{
	tl_fields_unsigned(f, "count", t->count);
	tl_fields_unsigned(f, "p50_ns", tl_timer_ns(t, tl_timer_at(t, 50)));
	tl_fields_unsigned(f, "p99_ns", tl_timer_ns(t, tl_timer_at(t, 99)));
	tl_fields_unsigned(f, "p999_ns", tl_timer_ns(t, tl_timer_at(t, 99.9)));
	tl_fields_unsigned(f, "max_ns", tl_timer_ns(t, t->max));
	tl_fields_unsigned(f, "sum_ns", tl_timer_ns(t, t->sum));
}

void
tl_timer_put_slower(struct tl_fields *f, const struct tl_timer *t)
{
	if (t->fixed.slower == UINT64_MAX)
		tl_fields_null(f, "slower_ns");
	else
		tl_fields_unsigned(f, "slower_ns",
		    tl_timer_ns(t, t->fixed.slower));
}

struct tl_timers_past {
	int64_t window_ns;
	struct reading {
		int64_t ns;
		struct tl_timer *timer; /* NULL: none */
	} list[TIMELINE_TIMERS_MAX][2]; /* newer first */
};

int
tl_timers_past_new(struct tl_timers_past **past, int64_t window_ns)
{
	*past = calloc(1, sizeof(**past));
	if (!*past)
		return -ENOMEM;
	(*past)->window_ns = window_ns;
	return 0;
}

void
tl_timers_past_free(struct tl_timers_past *past)
{
	for (uint32_t i = 0; past && i < TIMELINE_TIMERS_MAX; i++)
		for (unsigned k = 0; k < 2; k++)
			free(past->list[i][k].timer);
	free(past);
}

/* Reduce a timer to the spans of the window, if these are enough for the
 * percentile.  A reading is kept once a window. */
static int
leave_window(struct tl_timer *timer, struct tl_timers_past *past, uint32_t i,
    int64_t now_ns)
{
	struct reading *list = past->list[i];
	const struct tl_timer *before =
	    list[1].timer ? list[1].timer : list[0].timer;
	struct tl_timer *recent = malloc(sizeof(*recent));
	struct tl_timer *copy = malloc(sizeof(*copy));

	if (!recent || !copy) {
		free(recent);
		free(copy);
		return -ENOMEM;
	}
	*recent = *copy = *timer;
	if (before && before->fixed.record == timer->fixed.record) {
		tl_timer_since(recent, before);
		if ((double)recent->count *
			(1 - (double)timer->fixed.percentile / 1e6) >=
		    TL_TIMERS_BEYOND)
			*timer = *recent;
	}
	free(recent);
	if (list[0].timer && now_ns - list[0].ns < past->window_ns) {
		free(copy);
		return 0;
	}
	free(list[1].timer);
	list[1] = list[0];
	list[0] = (struct reading){ now_ns, copy };
	return 0;
}

int
tl_timers_keep(struct timeline *tl, struct tl_timers_past *past, int64_t now_ns)
{
	struct tl_timer *timer = malloc(sizeof(*timer));
	int rc = timer ? 1 : -ENOMEM;

	for (uint32_t i = 0; rc > 0 && i < tl->geometry.timers_max; i++) {
		struct timeline_timer *shared = (struct timeline_timer *)(void
			*)(tl->map + timeline_timer_offset(&tl->geometry, i));

		if (tl_load_64(&shared->record) == 0)
			break;
		if (tl_load_64(&shared->percentile) == 0)
			continue;
		rc = tl_timer_read(timer, tl->fd, &tl->geometry, i);
		if (rc > 0 && past && i < TIMELINE_TIMERS_MAX &&
		    leave_window(timer, past, i, now_ns) < 0)
			rc = -ENOMEM;
		if (rc > 0 && timer->count > 0)
			tl_store_64(&shared->slower,
			    tl_timer_at(timer,
				(double)timer->fixed.percentile / 1e4));
	}
	free(timer);
	return rc < 0 ? rc : 0;
}
