/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intervals.c - the intervals of time in which a message was observed.
 *
 *	entries     a          b      c
 *	pieces      [ observed | .... | observed ...
 *	                       `-- what an observer knows after b holds to c
 *
 * After each entry, of any message, an observer (event/observe.h) gives the
 * state that holds up to the next entry.  Within that time the state changes
 * only by time itself: a burst ends, slots open and close.
 */
#include "source/intervals.h"

#include "base/array.h"
#include "clock/clock.h"
#include "event/observe.h"
#include "snap/snap.h"
#include "source/hosts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The state from an entry to the next. */
struct state {
	struct tl_event at;
	uint64_t number; /* interval of the message at the entry */
	unsigned gate;
	struct tl_observed_now now;
	bool is_missing; /* entries of the tier are missing */
	unsigned closed; /* the answer while the gate is closed */
};

/* A loss of a recording: from the last entry before the loss to the loss. */
struct loss {
	int64_t from_ns;
	int64_t to_ns;
	unsigned look;
};

struct tl_intervals {
	const struct tl_message *message;
	struct tl_event cut; /* if is_cut */
	bool is_cut;
	struct tl_cursor *cursor;
	struct tl_observer *observer; /* the cursor's observer, or &own */
	struct tl_observer own;
	unsigned tier;
	int64_t offset_ns; /* of the host, if the cursor does not add it */
	bool is_whole;     /* nothing closes levels */
	bool has_state;
	bool has_ended;
	struct state state;
	int64_t gates_ns;    /* of a recording: no gate is known before */
	struct loss *losses; /* of a recording, in order */
	size_t loss_count;
	size_t loss_capacity;
	size_t loss;               /* the next loss */
	struct tl_interval *ready; /* the last of them may grow */
	size_t ready_count;
	size_t ready_capacity;
	size_t given;
	bool is_apart; /* the next does not join the last */
	int rc;
};

/* == pieces == */

static void
add(struct tl_intervals *v, int64_t from_ns, int64_t to_ns, unsigned look)
{
	struct tl_interval *last =
	    v->ready_count > v->given ? &v->ready[v->ready_count - 1] : NULL;

	if (from_ns >= to_ns)
		return;
	if (last && last->look == look && last->to_ns == from_ns &&
	    !(v->is_apart && look == TL_LOOK_OBSERVED)) {
		last->to_ns = to_ns;
		return;
	}
	if (TL_ARRAY_ROOM(v->ready, v->ready_capacity, v->ready_count) < 0) {
		v->rc = -ENOMEM;
		return;
	}
	v->is_apart = false;
	v->ready[v->ready_count++] =
	    (struct tl_interval){ from_ns, to_ns, look };
}

/* Add a piece and put the losses of a recording into it. */
static void
add_between(struct tl_intervals *v, int64_t from_ns, int64_t to_ns,
    unsigned look)
{
	while (v->loss < v->loss_count && from_ns < to_ns) {
		const struct loss *loss = &v->losses[v->loss];
		const int64_t end = loss->to_ns < to_ns ? loss->to_ns : to_ns;

		if (loss->from_ns >= to_ns)
			break;
		if (loss->to_ns > from_ns) {
			if (loss->from_ns > from_ns) {
				add(v, from_ns, loss->from_ns, look);
				from_ns = loss->from_ns;
			}
			add(v, from_ns, end, loss->look);
			from_ns = end;
		}
		if (loss->to_ns > to_ns)
			break;
		v->loss++;
	}
	add(v, from_ns, to_ns, look);
}

/* Add the time from a stamp up to the next entry, in which all entries were
 * kept. */
static void
add_kept(struct tl_intervals *v, const struct tl_event *b, uint64_t tsc)
{
	struct tl_observed_now now = v->state.now;
	const struct tl_event *a = &v->state.at;
	const unsigned gate = v->state.gate;
	int64_t from_ns = tl_event_time_at(a, b, tsc);

	if (now.threshold == 0 || b->ns <= v->gates_ns) {
		add_between(v, from_ns, b->ns, TL_LOOK_NOT_KNOWN);
		return;
	}
	if (gate >= now.threshold && gate >= now.base) {
		add_between(v, from_ns, b->ns, TL_LOOK_OBSERVED);
		return;
	}
	if (a->epoch != b->epoch) {
		add_between(v, from_ns, b->ns, TL_LOOK_NOT_KNOWN);
		return;
	}
	now.has_plan &=
	    now.shares[gate] != 0 && !tl_observed_is_long(&now, tsc, b->tsc);
	while (tsc < b->tsc && v->rc == 0) {
		uint64_t until = b->tsc;
		const bool is_open =
		    gate >= tl_observed_lowest(&now, a->epoch, tsc, &until);
		const int64_t to_ns = tl_event_time_at(a, b, until);

		add_between(v, from_ns, to_ns,
		    is_open ? TL_LOOK_OBSERVED : v->state.closed);
		from_ns = to_ns;
		tsc = until;
	}
	add_between(v, from_ns, b->ns, v->state.closed);
}

/* Add the time between the last entry and b. */
static void
add_pieces(struct tl_intervals *v, const struct tl_event *b)
{
	const struct tl_observed_from kept =
	    v->observer->start.complete_from[v->tier];
	const struct tl_event *a = &v->state.at;
	uint64_t tsc = a->tsc;

	if (tl_observed_before(tl_observed_place(b), kept)) {
		add_between(v, a->ns, b->ns, TL_LOOK_NOT_KEPT);
		return;
	}
	if (tl_observed_before(tl_observed_place(a), kept)) {
		tsc = kept.epoch == a->epoch ? kept.tsc : a->tsc;
		if (kept.epoch != a->epoch) {
			add_between(v, a->ns, b->ns, TL_LOOK_NOT_KEPT);
			return;
		}
		add_between(v, a->ns, tl_event_time_at(a, b, tsc),
		    TL_LOOK_NOT_KEPT);
	}
	if (v->is_whole)
		add_between(v, tl_event_time_at(a, b, tsc), b->ns,
		    TL_LOOK_OBSERVED);
	else if (v->state.is_missing)
		add_between(v, tl_event_time_at(a, b, tsc), b->ns,
		    TL_LOOK_NOT_WHOLE);
	else
		add_kept(v, b, tsc);
}

/* == entries == */

/* May the gate be open although it counts as closed?  The observer takes the
 * lowest gate that the message may have, and takes levels for open only if they
 * are known to be open. */
static bool
may_be_open(const struct tl_intervals *v)
{
	static const struct tl_observed_from begin;
	const struct tl_observer *o = v->observer;
	const struct tl_observed_from kept =
	    o->start.complete_from[o->start.tiers - 1];

	if (v->message->builtin)
		return false;
	if (o->claim.waits || o->gates.unnamed > 0 || o->start.unnamed_all)
		return true;
	for (uint32_t i = 0; i < o->gates.count; i++)
		if (o->gates.list[i].message == v->message->id &&
		    o->gates.list[i].claim_count > 0)
			return true;
	/* a burst that began before the first entry */
	return !o->changed && tl_observed_before(begin, kept);
}

/* Read one more entry.  Returns 1, 0 or -errno. */
static int
step(struct tl_intervals *v)
{
	struct tl_event event;
	const int rc = tl_cursor_next(v->cursor, &event);
	struct tl_observer *o;
	struct tl_event probe;
	uint64_t number;

	if (rc == 0 && v->is_cut && v->has_state &&
	    v->cut.epoch == v->state.at.epoch && v->cut.tsc > v->state.at.tsc)
		add_pieces(v, &v->cut);
	if (rc <= 0)
		return rc < 0 ? rc : v->rc;
	if (v->observer == &v->own)
		tl_observe(&v->own, &event);
	if (!event.message || event.paired)
		return 1;
	if (v->has_state)
		add_pieces(v, &event);
	/* Ask the observer for the state after an entry. */
	o = v->observer;
	probe = event;
	probe.message = v->message;
	probe.lane = v->tier;
	probe.kind = TL_INSTANT;
	number = v->is_whole ? TL_OBSERVED : tl_observe_number(o, &probe);
	if (v->has_state && !tl_observed_joins(v->state.number, number))
		v->is_apart = true;
	v->state = (struct state){ .at = event,
		.number = number,
		.gate = tl_observed_gate(o, v->message),
		.now = o->now,
		.is_missing = o->now.missing[v->tier] > 0,
		.closed =
		    may_be_open(v) ? TL_LOOK_NOT_KNOWN : TL_LOOK_NOT_LOGGED };
	v->has_state = true;
	return v->rc < 0 ? v->rc : 1;
}

int
tl_intervals_next(struct tl_intervals *v, struct tl_interval *interval)
{
	int rc = 0;

	*interval = (struct tl_interval){ 0 };
	if (v->given > 0 && v->given + 1 >= v->ready_count) {
		v->ready_count -= v->given;
		if (v->ready_count > 0)
			v->ready[0] = v->ready[v->given];
		v->given = 0;
	}
	/* the last piece may still grow */
	while (!v->has_ended && v->ready_count < v->given + 2) {
		rc = step(v);
		if (rc < 0)
			return rc;
		v->has_ended = rc == 0;
	}
	if (v->given == v->ready_count)
		return 0;
	*interval = v->ready[v->given++];
	interval->from_ns = tl_add_ns(interval->from_ns, v->offset_ns);
	interval->to_ns = tl_add_ns(interval->to_ns, v->offset_ns);
	return 1;
}

/* == recordings == */

static int
compare_losses(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Join losses that overlap. */
static void
join_losses(struct tl_intervals *v)
{
	size_t kept = 0;

	if (v->loss_count > 0)
		qsort(v->losses, v->loss_count, sizeof(*v->losses),
		    compare_losses);
	for (size_t i = 0; i < v->loss_count; i++) {
		struct loss *last = kept > 0 ? &v->losses[kept - 1] : NULL;

		if (!last || v->losses[i].from_ns > last->to_ns)
			v->losses[kept++] = v->losses[i];
		else if (v->losses[i].to_ns > last->to_ns)
			last->to_ns = v->losses[i].to_ns;
	}
	v->loss_count = kept;
}

/* Read a recording in advance, for its losses and for changes of levels.  Where
 * it does not say the levels at its start, they count as open if there is no
 * change, and are otherwise unknown before the first change. */
static int
look_ahead(struct tl_intervals *v, const struct tl_source *source)
{
	enum { CPUS_MAX = 1 << 16 };
	struct tl_observed_start start;
	struct tl_cursor *cursor;
	struct tl_event event;
	int64_t *last_ns = NULL; /* of the last entry of each CPU; 0: none */
	int64_t first_ns = 0;
	size_t cpus = 0;
	bool any = false;
	int rc = tl_source_observed(source, &start);

	if (rc < 0 ||
	    (rc = tl_source_cursor(source, TL_OLDEST_FIRST, &cursor)) < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		const bool has_last =
		    event.cpu < cpus && last_ns[event.cpu] != 0;

		if (!event.message && (event.level != 0 || !any))
			continue;
		if (!event.message) {
			rc = TL_ARRAY_ROOM(v->losses, v->loss_capacity,
			    v->loss_count);
			if (rc < 0)
				break;
			v->losses[v->loss_count++] =
			    (struct loss){ .from_ns = has_last
							  ? last_ns[event.cpu]
							  : first_ns,
				    .to_ns = event.ns,
				    .look = tl_event_is_start(&event)
						? TL_LOOK_NOT_KEPT
						: TL_LOOK_NOT_WHOLE };
			continue;
		}
		if (start.guessed && tl_observed_is_change(event.message))
			start.base = 0;
		if (!v->message->builtin &&
		    event.message->builtin == TIMELINE_BUILTIN_LEVEL)
			v->gates_ns = event.ns;
		if (!any)
			first_ns = event.ns;
		any = true;
		if (event.cpu >= CPUS_MAX)
			continue;
		if ((rc = TL_ARRAY_ZEROS(last_ns, cpus, event.cpu)) < 0)
			break;
		last_ns[event.cpu] = event.ns;
	}
	tl_cursor_close(cursor);
	free(last_ns);
	join_losses(v);
	tl_observer_init(&v->own, &start);
	v->observer = &v->own;
	return rc;
}

/* == opening == */

static int
open_intervals(struct tl_intervals *v, const struct tl_source *source)
{
	struct tl_snap *snap = tl_source_snap(source);
	int rc;

	v->is_whole = tl_source_clock_kind(source) == 0;
	if (snap) {
		rc = tl_snap_cursor(snap, TL_OLDEST_FIRST, &v->cursor);
		if (rc < 0)
			return rc;
		v->is_whole |= !timeline_is_whole(tl_snap_header(snap));
		v->observer = tl_snap_observer(v->cursor);
		v->is_cut = tl_snap_cut(snap, &v->cut);
		v->offset_ns = source->host->offset_ns;
	} else {
		if ((rc = look_ahead(v, source)) < 0 ||
		    (rc = tl_source_cursor(source, TL_OLDEST_FIRST,
			 &v->cursor)) < 0)
			return rc;
		v->is_cut = tl_source_cut(source, &v->cut);
	}
	v->tier =
	    v->observer->start.tiers > 1 &&
	    (v->message->builtin || v->message->level >= TIMELINE_LEVEL_KEEP);
	return 0;
}

int
tl_intervals_open(struct tl_intervals **intervals,
    const struct tl_source *source, const struct tl_message *message)
{
	struct tl_intervals *v = calloc(1, sizeof(*v));
	int rc;

	*intervals = NULL;
	if (!v)
		return -ENOMEM;
	v->message = message;
	v->gates_ns = INT64_MIN;
	rc = open_intervals(v, source);
	if (rc < 0)
		tl_intervals_close(v);
	else
		*intervals = v;
	return rc;
}

void
tl_intervals_close(struct tl_intervals *v)
{
	if (!v)
		return;
	tl_cursor_close(v->cursor);
	free(v->losses);
	free(v->ready);
	free(v);
}
