/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.c - convert stamps to Unix time.
 *
 *	  before the    from knot to knot          after the
 *	  first knot                               last knot
 *	 - - - - - - K-------K----K  K- - - K------T - - - - -
 *	 grows                        STEP at the  grows
 *	                              later one
 *
 * The knots of a file are the corners of a line for each epoch.  Pieces between
 * knots are straight and exact to the bounds of their later knot; the open ends
 * continue with the nearest rate, and their error grows with the distance.  All
 * numbers come from a file: each is checked, or saturates if it would overflow.
 */
#include "clock/convert.h"

#include "base/array.h"
#include "base/bytes.h"
#include "clock/calibrate_tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPEN_RATE_PPB = TL_CLOCK_STEER_PPM * 1000 /* not observed */
};

/* A knot with one of these flags is not joined to the knot before. */
static const uint16_t breaks = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;

struct builder {
	struct tl_time *time;
	tl_time_damage *damage;
	void *context;
	bool hole; /* a knot before the next knot is missing */
};

static void
report(const struct builder *b, uint64_t slot, const char *what)
{
	if (b->damage)
		b->damage(b->context, slot * sizeof(struct timeline_knot),
		    what);
}

/* The fault of a knot, by itself and after the knot before, or NULL. */
static const char *
knot_fault(const struct timeline_knot *knot, const struct timeline_knot *before)
{
	if (knot->mult == 0)
		return "clock knot without a rate";
	if (!before)
		return NULL;
	if (knot->epoch < before->epoch)
		return "clock knot of an epoch that has passed";
	if (knot->epoch == before->epoch && knot->tsc <= before->tsc)
		return "clock knot out of order";
	return NULL;
}

/* Add a knot if it has no fault. */
static bool
add_knot(struct builder *b, const struct timeline_knot *knot, uint64_t slot)
{
	struct tl_time *time = b->time;
	const struct timeline_knot *before =
	    time->knot_count > 0 ? &time->knots[time->knot_count - 1] : NULL;
	const char *what = knot_fault(knot, before);
	struct timeline_knot *added;

	if (what) {
		report(b, slot, what);
		b->hole = true;
		return false;
	}
	added = &time->knots[time->knot_count++];
	*added = *knot;
	if (b->hole)
		/* the line through a gap is a guess */
		added->max_err_ns = UINT32_MAX;
	b->hole = false;
	return true;
}

/* Make a knot of the tail.  Returns false if the tail adds nothing to the
 * knots. */
static bool
tail_knot(const struct tl_time *time, const struct timeline_clock_tail *tail,
    struct timeline_knot *knot)
{
	const struct timeline_knot *last =
	    time->knot_count > 0 ? &time->knots[time->knot_count - 1] : NULL;

	if (tail->sequence % 2 != 0 || tail->mult == 0)
		return false;
	if (last && (tail->epoch < last->epoch ||
			(tail->epoch == last->epoch && tail->tsc <= last->tsc)))
		return false;
	tl_tail_knot(tail, knot);
	return true;
}

/* Nothing is known: a stamp counts as nanoseconds, with an unbounded error. */
static const struct tl_time_segment unknown = {
	.ticks = UINT64_MAX,
	.mult = TL_MULT_ONE,
	.max_err_ns = UINT32_MAX,
	.est_err_ns = UINT32_MAX,
	.rate_err_ppb = 1,
};

static void
add_segment(struct tl_time *time, const struct timeline_knot *at, uint64_t from,
    uint64_t to, uint64_t mult)
{
	time->segments[time->segment_count++] = (struct tl_time_segment){
		.from = from,
		.ticks = to - from,
		.tsc = at->tsc,
		.utc_ns = at->utc_ns,
		.mult = mult,
		.epoch = at->epoch,
		.max_err_ns = at->max_err_ns,
		.est_err_ns = at->est_err_ns,
		.rate_err_ppb = OPEN_RATE_PPB,
	};
}

/* The jump of the line between the end of the last piece and this knot. */
static int64_t
jump(const struct tl_time *time, const struct timeline_knot *knot)
{
	const struct tl_time_segment *s =
	    &time->segments[time->segment_count - 1];
	int64_t ns;

	if (__builtin_sub_overflow(knot->utc_ns, tl_time_on(s, knot->tsc, NULL),
		&ns))
		return 0; /* damaged file */
	return tl_add_ns(s->steps_ns, ns);
}

/* The rate of the straight line through two knots; 0 if there is none. */
static uint64_t
chord(const struct timeline_knot *a, const struct timeline_knot *b)
{
	const __int128 rise = (__int128)b->utc_ns - a->utc_ns;

	if (b->flags & breaks || rise < 0 || rise > INT64_MAX)
		return 0;
	return tl_clock_mult((uint64_t)rise, b->tsc - a->tsc);
}

/* Add the piece between two knots of one epoch. */
static void
add_between(struct tl_time *time, const struct timeline_knot *a,
    const struct timeline_knot *b)
{
	const uint64_t slope = chord(a, b);
	struct tl_time_segment *s;
	int64_t rise;

	add_segment(time, a, a->tsc, b->tsc, slope ? slope : a->mult);
	s = &time->segments[time->segment_count - 1];
	s->max_err_ns = b->max_err_ns;
	s->est_err_ns = b->est_err_ns;
	if (!slope && !(b->flags & breaks))
		s->max_err_ns = UINT32_MAX; /* impossible: not written by us */
	/* The fast conversion is used only if nothing can overflow. */
	rise = s->ticks <= INT64_MAX
		   ? tl_ticks_to_ns((int64_t)s->ticks, s->mult)
		   : INT64_MAX;
	if (rise < INT64_MAX && tl_add_ns(a->utc_ns, rise) < INT64_MAX)
		s->rate_err_ppb = 0;
}

/* Add the pieces of one epoch: knots [first, end). */
static void
add_epoch(struct tl_time *time, size_t first, size_t end, uint32_t rate_err_ppb)
{
	const struct timeline_knot *knots = time->knots;
	const struct timeline_knot *last = &knots[end - 1];
	uint64_t slope = 0;

	if (end - first > 1)
		slope = chord(&knots[first], &knots[first + 1]);
	if (knots[first].tsc > 0)
		add_segment(time, &knots[first], 0, knots[first].tsc,
		    slope ? slope : knots[first].mult);
	for (size_t i = first; i < end; i++) {
		const int64_t steps_ns = i == first ? 0 : jump(time, &knots[i]);

		if (i + 1 < end)
			add_between(time, &knots[i], &knots[i + 1]);
		else
			add_segment(time, last, last->tsc, UINT64_MAX,
			    last->mult);
		time->segments[time->segment_count - 1].steps_ns = steps_ns;
	}
	time->segments[time->segment_count - 1].rate_err_ppb = rate_err_ppb;
}

/* The growth of the error at the newest end. */
static uint32_t
open_rate_ppb(const struct timeline_header *header)
{
	const struct timeline_clock_tail *tail = &header->clock;

	if (header->clock_kind == TIMELINE_CLOCK_REALTIME)
		return 1; /* stamps are the time */
	if (tail->sequence % 2 != 0 || tail->mult == 0)
		return OPEN_RATE_PPB;
	return tl_add_32(tail->rate_err_ppb,
	    tail->flags & TIMELINE_KNOT_UNSYNC ? 1 : OPEN_RATE_PPB);
}

static void
add_segments(struct tl_time *time, const struct timeline_header *header)
{
	size_t first = 0;

	for (size_t i = 1; i <= time->knot_count; i++) {
		const bool end = i == time->knot_count;

		if (!end && time->knots[i].epoch == time->knots[first].epoch)
			continue;
		add_epoch(time, first, i,
		    end ? open_rate_ppb(header) : OPEN_RATE_PPB);
		first = i;
	}
	if (time->segment_count == 0)
		time->segments[time->segment_count++] = unknown;
	if (header->clock_kind != TIMELINE_CLOCK_REALTIME)
		return;
	/* Stamps are the time, so an open end is as good as the rest. */
	for (size_t i = 0; i < time->segment_count; i++)
		if (time->segments[i].rate_err_ppb != 0)
			time->segments[i].rate_err_ppb = 1;
}

int
tl_time_build(struct tl_time *time, const struct timeline_header *header,
    const struct timeline_knot *knots, size_t knots_max, tl_time_damage *damage,
    void *context)
{
	const uint64_t count = knots_max > 0 ? header->knot_count : 0;
	/* the newest that the ring may still have */
	const uint64_t seen =
	    tl_least(tl_least(count, knots_max), TL_TIME_KNOTS_MAX);
	const uint64_t room = seen + 1; /* for the tail */
	struct builder b = { .time = time,
		.damage = damage,
		.context = context };
	struct timeline_knot knot;

	*time = (struct tl_time){ 0 };
	time->knots = calloc(room, sizeof(*time->knots));
	/* Each knot ends a piece, and may open and close an epoch. */
	time->segments = calloc(2 * room + 1, sizeof(*time->segments));
	if (!time->knots || !time->segments) {
		tl_time_free(time);
		return -ENOMEM;
	}
	for (uint64_t i = count - seen; i < count; i++) {
		const uint64_t slot = i % knots_max;

		if (knots[slot].seq == i + 1) {
			add_knot(&b, &knots[slot], slot);
			continue;
		}
		/* The oldest slot may be about to take a new knot. */
		if (i + knots_max == count &&
		    (knots[slot].seq == 0 || knots[slot].seq == count + 1))
			continue;
		report(&b, slot, "clock knot is not whole");
		b.hole = true;
	}

	if (tail_knot(b.time, &header->clock, &knot)) {
		knot.flags |= TIMELINE_KNOT_CLOSE;
		add_knot(&b, &knot, 0);
	}
	add_segments(time, header);
	return 0;
}

void
tl_time_free(struct tl_time *time)
{
	free(time->knots);
	free(time->segments);
	*time = (struct tl_time){ 0 };
}

const struct tl_time_segment *
tl_time_find(const struct tl_time *time, uint32_t epoch, uint64_t tsc)
{
	const struct tl_time_segment *s = time->segments;
	size_t i;

	/* segment i - 1 is the last that begins at or before the stamp */
	TL_SEARCH(i, 1, time->segment_count,
	    s[i].epoch < epoch || (s[i].epoch == epoch && s[i].from <= tsc));
	/* the stamp is before the first segment of its epoch */
	if (s[i - 1].epoch < epoch && i < time->segment_count &&
	    s[i].epoch == epoch)
		return &s[i];
	return &s[i - 1];
}

int64_t
tl_time_on(const struct tl_time_segment *segment, uint64_t tsc,
    uint32_t *error_ns)
{
	const int64_t ns =
	    tl_ticks_to_ns(tl_ticks_between(segment->tsc, tsc), segment->mult);

	if (error_ns) {
		const uint64_t away = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

		*error_ns = segment->rate_err_ppb == 0
				? segment->max_err_ns
				: tl_add_32(segment->max_err_ns,
				      tl_ppb_of(away, segment->rate_err_ppb));
	}
	return tl_add_ns(segment->utc_ns, ns);
}

/* Slack beyond the bounds of two clocks. */
enum { AGREE_SLACK_NS = 1000000 };

/* Is a knot on the straight line between two others?  True also if the others
 * do not constrain the knot. */
static bool
is_on_line(const struct timeline_knot *before,
    const struct timeline_knot *after, const struct timeline_knot *knot)
{
	const uint16_t jumps = TIMELINE_KNOT_STEP | TIMELINE_KNOT_LEAP |
			       TIMELINE_KNOT_GAP | TIMELINE_KNOT_NEW_EPOCH;
	const uint64_t bound =
	    (uint64_t)after->max_err_ns + knot->max_err_ns + AGREE_SLACK_NS;
	__int128 rise;

	if (before->epoch != 0 || after->epoch != 0 || knot->epoch != 0 ||
	    (after->flags & jumps) || knot->tsc < before->tsc ||
	    knot->tsc >= after->tsc)
		return true;
	rise = (__int128)after->utc_ns - before->utc_ns;
	if (rise < 0 || rise > INT64_MAX)
		return true;
	rise = rise * (int64_t)((knot->tsc - before->tsc) >> 1) /
	       ((int64_t)((after->tsc - before->tsc) >> 1) | 1);
	rise -= (__int128)knot->utc_ns - before->utc_ns;
	return rise <= (__int128)bound && rise >= -(__int128)bound;
}

static bool
are_on_line(const struct tl_knot_list *line, const struct tl_knot_list *knots)
{
	size_t i = 1;

	for (size_t k = 0; k < knots->count; k++) {
		const struct timeline_knot *knot = knots->at(knots->of, k);

		while (
		    i < line->count && line->at(line->of, i)->tsc <= knot->tsc)
			i++;
		if (i < line->count && !is_on_line(line->at(line->of, i - 1),
					   line->at(line->of, i), knot))
			return false;
	}
	return true;
}

bool
tl_knots_agree(const struct tl_knot_list *a, const struct tl_knot_list *b)
{
	return are_on_line(a, b) && are_on_line(b, a);
}
