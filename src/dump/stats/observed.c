/* SPDX-License-Identifier: Apache-2.0 */
/* observed.c - the time in which the messages of an input were observed. */
#include "dump/stats/observed.h"

#include "clock/clock.h"

/* Levels that are unknown for less than this part of the time are ignored. */
enum { UNKNOWN_PARTS = 1000 };

/* Set the state in which an observer begins.  An input may not say the levels
 * at its start. */
static int
start_of(const struct tl_source *input, const struct tl_levels *levels,
    struct tl_observed_start *start)
{
	const int rc = tl_source_observed(input, start);

	if (start->guessed && levels->changed)
		start->base = 0;
	start->gates = tl_source_snap(input);
	return rc;
}

int
tl_observed_time_init(struct tl_observed_time *t, const struct tl_source *input,
    const struct tl_levels *levels, int64_t from_ns, int64_t to_ns)
{
	const struct tl_snap *snap = tl_source_snap(input);
	struct tl_observed_start start;
	int rc;

	*t = (struct tl_observed_time){ .from_ns = from_ns,
		.to_ns = to_ns,
		.gates_ns = levels->gates_ns,
		/* a file of another format, or one made of events, need not
		 * have the changes of the levels */
		.whole = tl_source_clock_kind(input) == 0 ||
			 (snap && !timeline_is_whole(tl_snap_header(snap)) &&
			     !levels->changed) };
	if (t->whole && t->from_ns < levels->complete_ns)
		t->from_ns = levels->complete_ns;
	t->is_cut = tl_source_cut(input, &t->cut);
	for (unsigned i = 0; i < TIMELINE_TIERS_MAX; i++)
		t->unknown_ns[i] = INT64_MAX;
	rc = start_of(input, levels, &start);
	tl_observer_init(&t->observer, &start);
	return rc;
}

unsigned
tl_observed_time_tier(const struct tl_observed_time *t,
    const struct tl_event *event)
{
	const uint32_t tiers = t->observer.start.tiers;

	return tiers > 1 ? event->lane % tiers : 0;
}

/* The ticks in which a gate has been open up to now. */
static uint64_t
ticks_of(struct tl_observed_time *t, unsigned gate)
{
	struct tl_observed now;

	tl_observed_at(&t->observer, gate, t->last.tsc, &now);
	return now.ticks;
}

/* The place of a message among the named messages.  named_count: none. */
static uint32_t
find_named(const struct tl_observed_time *t, uint32_t message)
{
	uint32_t i = 0;

	while (i < t->named_count && t->named[i].message != message)
		i++;
	return i;
}

/* Add up the ticks of the named messages, whose gates may have changed. */
static void
measure_named(struct tl_observed_time *t)
{
	const struct tl_named_gates *gates = &t->observer.gates;

	for (uint32_t i = 0; i < gates->count; i++) {
		const struct tl_named_gate *g = &gates->list[i];
		const uint32_t place = find_named(t, g->message);
		struct tl_observed_named *n = &t->named[place];

		if (place == TL_NAMED_GATES_MAX)
			return;
		if (place == t->named_count) {
			t->named_count++;
			*n = (struct tl_observed_named){ .message = g->message,
				.gate = g->gate };
		}
		for (unsigned k = 0; k < t->observer.start.tiers; k++) {
			n->open[k] += ticks_of(t, n->gate) - n->from[k];
			n->from[k] = ticks_of(t, g->gate);
		}
		n->gate = g->gate;
	}
}

/* Replace the ticks of each gate at the last call by the ticks since then. */
static void
measure(struct tl_observed_time *t, unsigned tier)
{
	for (unsigned gate = 0; gate < TL_OBSERVED_GATES; gate++)
		t->open[tier][gate] = ticks_of(t, gate) - t->open[tier][gate];
}

/* Is the last event in the time range, where no lane of the tier has
 * overwritten entries? */
static bool
is_kept(const struct tl_observed_time *t, unsigned tier)
{
	return t->last.ns >= t->from_ns &&
	       !tl_observed_before(tl_observed_place(&t->last),
		   t->observer.start.complete_from[tier]);
}

/* Are the levels known at the last event? */
static bool
is_known(const struct tl_observed_time *t)
{
	return t->last.ns > t->gates_ns && t->observer.now.threshold != 0;
}

/* Begin to measure each tier of which entries and levels are known. */
static void
begin_tiers(struct tl_observed_time *t)
{
	for (unsigned i = 0; i < t->observer.start.tiers; i++) {
		if (t->begun[i] || !is_kept(t, i))
			continue;
		if (!is_known(t)) {
			if (t->unknown_ns[i] == INT64_MAX)
				t->unknown_ns[i] = t->last.ns;
			continue;
		}
		t->begun[i] = true;
		t->begun_ns[i] = t->last.ns;
		measure(t, i);
		measure_named(t);
		for (uint32_t k = 0; k < t->named_count; k++)
			t->named[k].open[i] = 0;
	}
}

/* Add the length of an epoch that ends. */
static void
add_epoch(struct tl_observed_time *t)
{
	if (!t->first.message || t->last.tsc < t->first.tsc)
		return;
	t->ns = tl_add_ns(t->ns, tl_event_between(&t->first, &t->last));
	t->ticks += t->last.tsc - t->first.tsc;
}

static enum tl_observed_by
opened_by(const struct tl_observed_time *t)
{
	const unsigned gate = tl_observed_gate(&t->observer, t->last.message);

	if (t->last.stretch == TL_UNOBSERVED)
		return TL_OBSERVED_BY_NOTHING;
	if (gate >= t->observer.now.base)
		return TL_OBSERVED_BY_PRIORITY;
	return gate >= t->observer.now.threshold ? TL_OBSERVED_BY_BURST
						 : TL_OBSERVED_BY_SLOT;
}

enum tl_observed_by
tl_observed_time_put(struct tl_observed_time *t, const struct tl_event *event)
{
	const unsigned tier = tl_observed_time_tier(t, event);
	enum tl_observed_by by = TL_OBSERVED_BY_NOTHING;

	if (t->whole)
		return event->ns < t->from_ns ? TL_OBSERVED_BY_NOTHING
					      : TL_OBSERVED_BY_PRIORITY;
	if (t->ended)
		return by;
	if (event->kind == TL_LOST) {
		t->lossy |= t->first.message && !tl_event_is_start(event);
		return by;
	}
	if (event->ns > t->to_ns) {
		tl_observed_time_end(t);
		return by;
	}
	if (t->lossy) {
		tl_observe_loss(&t->observer);
		tl_observe_again(&t->observer);
		t->lossy = false;
	}
	if (!t->first.message || event->epoch != t->last.epoch) {
		add_epoch(t);
		t->first = *event;
	}
	t->last = *event;
	tl_observe(&t->observer, &t->last);
	if (t->begun[tier])
		by = opened_by(t);
	if (event->message->builtin == TIMELINE_BUILTIN_LEVEL &&
	    t->named_count > 0)
		measure_named(t);
	begin_tiers(t);
	return by;
}

bool
tl_observed_time_has(const struct tl_observed_time *t,
    const struct tl_event *event)
{
	const unsigned tier = tl_observed_time_tier(t, event);

	return t->whole ? event->ns >= t->from_ns
			: !tl_observed_before(tl_observed_place(event),
			      t->observer.start.complete_from[tier]);
}

/* Move the last place to the cut: the messages were observed up to there,
 * though no entry came. */
static void
go_to_cut(struct tl_observed_time *t)
{
	if (!t->is_cut || t->lossy || !t->first.message ||
	    t->cut.ns > t->to_ns || t->cut.epoch != t->last.epoch ||
	    t->cut.tsc <= t->last.tsc)
		return;
	t->last.tsc = t->cut.tsc;
	t->last.ns = t->cut.ns;
	t->last.steps_ns = t->cut.steps_ns;
}

void
tl_observed_time_end(struct tl_observed_time *t)
{
	if (t->whole || t->ended)
		return;
	t->ended = true;
	go_to_cut(t);
	add_epoch(t);
	measure_named(t);
	for (unsigned i = 0; i < t->observer.start.tiers; i++)
		if (t->begun[i])
			measure(t, i);
}

int64_t
tl_observed_time_since(const struct tl_observed_time *t, unsigned tier)
{
	int64_t unknown;

	if (t->whole || t->unknown_ns[tier] == INT64_MAX)
		return INT64_MIN;
	if (!t->begun[tier])
		return INT64_MAX;
	/* the entries of a change and of its confirmation are such a time */
	unknown = tl_ns_between(t->unknown_ns[tier], t->begun_ns[tier]);
	return unknown > t->ns / UNKNOWN_PARTS ? t->begun_ns[tier] : INT64_MIN;
}

/* Set *ns to the length of a number of ticks, and return their share. */
static double
share_of(const struct tl_observed_time *t, unsigned tier, uint64_t open,
    int64_t *ns)
{
	/* the ticks of a gate that is never closed */
	const uint64_t all = t->open[tier][TIMELINE_LEVEL_NONE];

	*ns = t->whole ? tl_ns_between(t->from_ns, t->to_ns) : 0;
	if (t->whole)
		return 1;
	if (!t->ended || all == 0 || t->ticks == 0)
		return -1;
	*ns = (int64_t)((double)open * (double)t->ns / (double)t->ticks);
	return (double)open / (double)all;
}

double
tl_observed_time_of(const struct tl_observed_time *t, unsigned tier,
    const struct tl_message *message, int64_t *ns)
{
	const unsigned gate = tl_observed_gate(&t->observer, message);
	const uint32_t named = find_named(t, message->id);

	return share_of(t, tier,
	    named < t->named_count ? t->named[named].open[tier]
				   : t->open[tier][gate],
	    ns);
}

double
tl_observed_time_of_level(const struct tl_observed_time *t, unsigned level,
    int64_t *ns)
{
	const unsigned tier = t->observer.start.tiers - 1;

	return share_of(t, tier, t->open[tier][level], ns);
}

int
tl_observed_time_read(struct tl_observed_time *t, const struct tl_source *input,
    const struct tl_levels *levels, struct tl_progress *progress)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_observed_time_init(t, input, levels, levels->first_ns,
	    levels->end_ns);

	if (rc == 0)
		rc = tl_source_cursor(input, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		tl_progress_tick(progress);
		(void)tl_observed_time_put(t, &event);
	}
	tl_cursor_close(cursor);
	tl_observed_time_end(t);
	return rc;
}
