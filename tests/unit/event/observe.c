/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - two events of a message must have the same number exactly if the
 * record observed the message all the time between them.
 */
#include "event/observe.h"
#include "event/levels.h"
#include "lib/random.h"
#include "lib/test.h"

enum { UNIT = 1 << TIMELINE_UNTIL_SHIFT, EVENTS_MAX = 4000 };

static struct tl_message messages[TL_OBSERVED_GATES];
static const struct tl_message burst = { .builtin = TIMELINE_BUILTIN_BURST,
	.gate = TIMELINE_LEVEL_NONE,
	.level = 6 };
static const struct tl_message priority = { .builtin =
						TIMELINE_BUILTIN_PRIORITY,
	.gate = TIMELINE_LEVEL_NONE,
	.level = 6 };
static const struct tl_message level = { .builtin = TIMELINE_BUILTIN_LEVEL,
	.gate = TIMELINE_LEVEL_NONE,
	.level = 6 };
static struct tl_observer observer;
static struct tl_observed_start start;

static void
setup(void)
{
	for (unsigned g = 0; g < TL_OBSERVED_GATES; g++)
		messages[g] = (struct tl_message){ .kind = TIMELINE_RECORD_SPAN,
			.id = 100 + g,
			.level = (uint8_t)g,
			.gate = (uint8_t)g };
	start = (struct tl_observed_start){ .order = TL_OLDEST_FIRST,
		.tiers = 2,
		.base = 6 };
	tl_observer_init(&observer, &start);
}

static uint64_t
put(const struct tl_message *message, uint64_t tsc, uint64_t a, uint64_t b,
    uint64_t c)
{
	struct tl_event event = { .message = message,
		.tsc = tsc,
		.args = { a, b, c } };

	tl_observe(&observer, &event);
	return event.observed;
}

/* Observe an event of this gate; returns its number. */
static uint64_t
at(unsigned gate, uint64_t tsc)
{
	return put(&messages[gate], tsc, 0, 0, 0);
}

TEST_FILE(.setup = setup);

TEST(what_is_open_all_the_time_has_one_number)
{
	const uint64_t n = at(6, 100);

	ck_assert_uint_ne(n, TL_UNOBSERVED);
	put(&burst, 10 * UNIT, 4, 6, 11 * UNIT);
	ck_assert_uint_eq(at(6, 10 * UNIT + 1), n);
	ck_assert_uint_eq(at(6, 20 * UNIT), n);
	put(&priority, 30 * UNIT, 5, 5, 0);
	ck_assert_uint_eq(at(6, 31 * UNIT), n);
	ck_assert_uint_eq(at(9, 31 * UNIT), at(9, 32 * UNIT));
}

TEST(each_burst_is_an_interval_of_its_own)
{
	uint64_t n;

	ck_assert_uint_eq(at(4, 100), TL_UNOBSERVED); /* the gate is closed */
	put(&burst, 10 * UNIT, 4, 6, 11 * UNIT);
	n = at(4, 10 * UNIT + 1);
	ck_assert_uint_ne(n, TL_UNOBSERVED);
	/* the last unit of the burst counts */
	ck_assert_uint_eq(at(4, 12 * UNIT - 1), n);
	ck_assert_uint_eq(at(3, 11 * UNIT), TL_UNOBSERVED);
	ck_assert_uint_eq(at(4, 12 * UNIT), TL_UNOBSERVED);
	put(&burst, 20 * UNIT, 4, 6, 21 * UNIT);
	ck_assert(tl_observed_cut(n, at(4, 20 * UNIT + 1)));
	ck_assert_uint_eq(at(5, 20 * UNIT + 2), at(5, 20 * UNIT + 3));
}

TEST(a_burst_that_meets_another_goes_on)
{
	uint64_t n;

	put(&burst, 10 * UNIT, 4, 6, 15 * UNIT);
	n = at(4, 11 * UNIT);
	put(&burst, 12 * UNIT, 4, 6, 18 * UNIT);
	ck_assert_uint_eq(at(4, 17 * UNIT), n);
	/* a lower level: a new interval for gate 3 alone */
	put(&burst, 17 * UNIT, 3, 6, 19 * UNIT);
	ck_assert_uint_eq(at(4, 18 * UNIT), n);
	ck_assert_uint_ne(at(3, 18 * UNIT), TL_UNOBSERVED);
}

TEST(a_priority_closes_and_opens)
{
	const uint64_t n = at(6, 1);
	uint64_t m;

	put(&priority, 10 * UNIT, 7, 7, 0);
	ck_assert_uint_eq(at(6, 11 * UNIT), TL_UNOBSERVED);
	put(&priority, 20 * UNIT, 1, 1, 0);
	m = at(6, 21 * UNIT);
	ck_assert(tl_observed_cut(n, m));
	ck_assert_uint_eq(at(6, 22 * UNIT), m);
}

TEST(a_level_of_single_messages_ends_all_intervals)
{
	const uint64_t n = at(6, 1), m = at(9, 1);

	put(&level, 10, 3, 1, 0);
	ck_assert(tl_observed_cut(n, at(6, 11)));
	ck_assert(tl_observed_cut(m, at(9, 11)));
	/* the gate was 6 before: the stricter of the two counts */
	messages[6].gate = 3;
	ck_assert_uint_eq(at(6, 12), TL_UNOBSERVED);
}

TEST(before_a_tier_is_complete_nothing_is_observed)
{
	struct tl_event event = { .message = &messages[7], .lane = 1 };

	start.complete_from[0] = (struct tl_observed_from){ 0, 1000 };
	tl_observer_init(&observer, &start);
	ck_assert_uint_eq(at(6, 999), TL_UNOBSERVED);
	ck_assert_uint_ne(at(6, 1000), TL_UNOBSERVED);
	tl_observe(&observer, &event); /* an event of the other tier */
	ck_assert_uint_ne(event.observed, TL_UNOBSERVED);
	messages[6].timer = true; /* one entry of a timer is a whole span */
	ck_assert_uint_eq(at(6, 5), TL_OBSERVED);
}

TEST(unknown_levels_are_not_observed_until_a_burst_shows_the_base)
{
	start.base = 0;
	tl_observer_init(&observer, &start);
	ck_assert_uint_eq(at(6, 1), TL_UNOBSERVED);
	put(&burst, 10 * UNIT, 4, 6, 11 * UNIT);
	ck_assert_uint_ne(at(6, 10 * UNIT + 1), TL_UNOBSERVED);
	ck_assert_uint_ne(at(4, 10 * UNIT + 1), TL_UNOBSERVED);
	ck_assert_uint_eq(at(4, 15 * UNIT), TL_UNOBSERVED);
}

TEST(damaged_changes_change_nothing)
{
	const uint64_t n = at(6, 1);

	put(&burst, 10, 0, 6, UINT64_MAX);
	put(&burst, 10, 4, 11, UINT64_MAX);
	put(&priority, 10, UINT64_MAX, 1, 0);
	ck_assert_uint_eq(at(6, 11), n);
}

TEST(open_slots_beside_each_other_are_one_interval)
{
	static const struct tl_message plan = { .builtin =
						    TIMELINE_BUILTIN_PLAN,
		.gate = TIMELINE_LEVEL_NONE };
	const unsigned shift = 10;
	struct tl_event event = { .message = &plan,
		.args = { 4 | shift << 8, UINT32_MAX / 2, 77,
		    UINT64_C(1) << 40 } };
	uint64_t before;
	unsigned open = 0;

	tl_observe(&observer, &event);
	before = at(4, 0);
	for (uint64_t slot = 1; slot < 10000; slot++) {
		const bool is_open =
		    timeline_slot_hash(slot, 77) < UINT32_MAX / 2;
		const uint64_t first = at(4, slot << shift);
		const uint64_t last = at(4, (slot << shift) + 1023);

		ck_assert_uint_eq(first, last);
		ck_assert_int_eq(first != TL_UNOBSERVED, is_open);
		if (is_open && before != TL_UNOBSERVED)
			ck_assert_uint_eq(first, before);
		else if (is_open)
			ck_assert_uint_eq(timeline_slot_hash(slot - 1, 77) <
					      UINT32_MAX / 2,
			    false);
		before = first;
		open += is_open;
	}
	ck_assert_uint_gt(open, 4000);
	ck_assert_uint_ne(at(6, 5 << shift), TL_UNOBSERVED); /* by its level */
	ck_assert_uint_eq(at(4, (UINT64_C(1) << 40) + 1), TL_UNOBSERVED);
}

/* The reference: whether a gate was open at each unit of time. */
static uint8_t threshold_at[EVENTS_MAX];
/* a burst ended at the start of this unit: the gates below were closed */
static uint8_t expired_at[EVENTS_MAX];

static bool
was_open(unsigned gate, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i <= to; i++)
		if (gate < threshold_at[i] ||
		    (i > from && gate < expired_at[i]))
			return false;
	return true;
}

/*
 * Make one change or event in each unit; only events of open gates are logged.
 */
static size_t
make_events(uint64_t *seed, struct tl_event *events)
{
	unsigned base = 6, threshold = 6;
	uint64_t until = 0;
	size_t count = 0;

	for (uint64_t i = 1; i < EVENTS_MAX; i++) {
		const uint64_t dice = random_below(seed, 20);
		struct tl_event e = { .tsc = i * UNIT };
		unsigned gate = 1 + (unsigned)random_below(seed, 9);

		expired_at[i] =
		    i > until && threshold < base ? (uint8_t)base : 0;
		if (i > until)
			threshold = base;
		if (dice == 0) {
			const bool alive = threshold < base;
			const unsigned p = 1 + (unsigned)random_below(seed, 10);

			threshold = alive && threshold < p ? threshold : p;
			base = p;
			until = alive ? until : 0;
			e.message = &priority;
		} else if (dice == 1) {
			const uint64_t end = i + random_below(seed, 30);

			threshold = gate < threshold ? gate : threshold;
			until = threshold < base && end < until ? until : end;
			e.message = &burst;
		}
		threshold_at[i] = (uint8_t)threshold;
		if (e.message) {
			e.args[0] = threshold;
			e.args[1] = base;
			e.args[2] = until * UNIT;
		} else if (gate >= threshold) {
			e.message = &messages[gate];
			e.lane = gate > 6;
		} else {
			continue;
		}
		events[count++] = e;
	}
	return count;
}

/* Compare the pairs with the reference. */
static void
check_pairs(const struct tl_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct tl_event *a = &events[i];

		for (size_t k = i + 1; k < count && k < i + 60; k++) {
			const struct tl_event *b = &events[k];

			if (a->message != b->message || a->message->builtin)
				continue;
			ck_assert_int_eq(tl_observed_joins(a->observed,
					     b->observed),
			    was_open(a->message->gate, a->tsc / UNIT,
				b->tsc / UNIT));
		}
	}
}

/* Observe all events oldest first, then a second copy of them newest first. */
static void
observe_both(const struct tl_observed_start *from, struct tl_event *events,
    struct tl_event *back, size_t count)
{
	static struct tl_event changes[EVENTS_MAX];
	size_t change_count = 0;

	for (size_t i = 0; i < count; i++) {
		back[i] = events[i];
		if (tl_observed_is_change(events[i].message))
			changes[change_count++] = events[i];
	}
	tl_observer_init(&observer, from);
	for (size_t i = 0; i < count; i++)
		tl_observe(&observer, &events[i]);
	ck_assert_int_eq(tl_observer_init_back(&observer, from, change_count),
	    0);
	for (size_t i = 0; i < change_count; i++)
		tl_observe_ahead(&observer, &changes[i]);
	for (size_t i = count; i-- > 0;)
		tl_observe(&observer, &back[i]);
	tl_observer_free(&observer);
}

TEST(pairs_are_joined_where_the_dumb_way_finds_the_gate_open)
{
	static struct tl_event events[EVENTS_MAX], back[EVENTS_MAX];
	uint64_t seed = 11;

	for (int round = 0; round < 20; round++) {
		const size_t count = make_events(&seed, events);

		observe_both(&start, events, back, count);
		check_pairs(events, count);
		check_pairs(back, count);
	}
}

/*
 * Newest first, a burst within a burst splits an interval: the test checks only
 * that the gate was open between events that are joined.
 */
TEST(a_recording_newest_first_joins_only_what_was_open)
{
	static struct tl_event events[EVENTS_MAX];
	uint64_t seed = 12;

	for (int round = 0; round < 20; round++) {
		const size_t count = make_events(&seed, events);

		start.order = TL_NEWEST_FIRST;
		start.base = threshold_at[EVENTS_MAX - 1];
		tl_observer_init(&observer, &start);
		for (size_t i = count; i-- > 0;)
			tl_observe(&observer, &events[i]);
		for (size_t i = 0; i < count; i++)
			for (size_t k = i + 1; k < count && k < i + 60; k++)
				if (events[i].message == events[k].message &&
				    !events[i].message->builtin &&
				    tl_observed_joins(events[i].observed,
					events[k].observed))
					ck_assert(
					    was_open(events[i].message->gate,
						events[i].tsc / UNIT,
						events[k].tsc / UNIT));
	}
}

/* == slots == */

enum { SHIFT = 12, GATE = 5 };

static const struct tl_message plan_message = { .builtin =
						    TIMELINE_BUILTIN_PLAN,
	.gate = TIMELINE_LEVEL_NONE };
static const struct tl_message message = { .level = GATE, .gate = GATE };

TEST(an_event_says_the_base_and_whether_details_are_overwritten)
{
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &messages[9],
		.tsc = 10 };

	start.base = 6;
	start.complete_from[0].tsc = 11;
	tl_observer_init(&observer, &start);
	tl_observe(&observer, &event);
	ck_assert_uint_eq(event.base, 6);
	ck_assert(event.partial);
	event.tsc = 11;
	tl_observe(&observer, &event);
	ck_assert(!event.partial);
}

static void
set_up_slots(void)
{
	const struct tl_observed_start slots = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = TIMELINE_LEVEL_MAX };

	tl_observer_init(&observer, &slots);
}

static uint64_t
observe(uint64_t tsc)
{
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &message,
		.tsc = tsc };

	tl_observe(&observer, &event);
	return event.observed;
}

static uint64_t
observe_slot(uint64_t slot)
{
	return observe(slot << SHIFT);
}

static void
put_plan(unsigned from, uint64_t share, bool held)
{
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &plan_message,
		.args = { from | SHIFT << 8 | (uint64_t)held << 16, share, 7,
		    UINT64_MAX } };

	tl_observe(&observer, &event);
}

TEST(a_run_of_open_slots_is_one_interval_however_long)
{
	uint64_t number;

	set_up_slots();
	put_plan(GATE, UINT32_MAX, false);
	number = observe_slot(0);
	ck_assert_uint_ne(number, TL_UNOBSERVED);
	for (uint64_t slot = 1; slot < 4 * TL_SLOTS_JOINED_MAX; slot++)
		ck_assert_uint_eq(observe_slot(slot), number);
}

TEST(a_closed_slot_ends_an_interval)
{
	uint64_t slot = 0, before, after;

	set_up_slots();
	put_plan(GATE, UINT32_MAX / 2, false);
	while (timeline_slot_hash(slot, 7) >= UINT32_MAX / 2)
		slot++;
	before = observe_slot(slot);
	while (timeline_slot_hash(slot, 7) < UINT32_MAX / 2)
		slot++;
	ck_assert_uint_eq(observe_slot(slot), TL_UNOBSERVED);
	while (timeline_slot_hash(slot, 7) >= UINT32_MAX / 2)
		slot++;
	after = observe_slot(slot);
	ck_assert_uint_ne(before, TL_UNOBSERVED);
	ck_assert_uint_ne(after, TL_UNOBSERVED);
	ck_assert_uint_ne(after, before);
}

TEST(a_plan_that_is_renewed_in_time_ends_no_interval)
{
	uint64_t number;

	set_up_slots();
	put_plan(GATE - 1, UINT32_MAX / 2, false);
	put_plan(GATE, UINT32_MAX, false);
	number = observe_slot(1);
	put_plan(GATE - 1, UINT32_MAX / 2, true);
	put_plan(GATE, UINT32_MAX, true);
	ck_assert_uint_eq(observe_slot(2), number);
	put_plan(GATE - 1, UINT32_MAX / 2, false);
	put_plan(GATE, UINT32_MAX, false);
	ck_assert_uint_ne(observe_slot(3), number);
}

static uint64_t
gate_args(uint64_t before, uint64_t after, bool made)
{
	return before | after << TIMELINE_LEVEL_AFTER |
	       (uint64_t)made << TIMELINE_LEVEL_MADE;
}

/*
 * A plan of slots that is renewed, replaced and expires, bursts, priorities and
 * levels of messages, in two epochs; some events share a stamp.
 */
static size_t
make_mixed(uint64_t *seed, struct tl_event *events)
{
	uint64_t share = UINT32_MAX / 2, plan = 7, tsc = 0, from = GATE;

	for (size_t i = 0; i < EVENTS_MAX; i++) {
		const uint64_t dice = random_below(seed, 100);
		struct tl_event e = { .number = i,
			.epoch = i >= EVENTS_MAX / 2,
			.message = &messages[1 + random_below(seed, 9)] };

		tsc = i == EVENTS_MAX / 2 ? 0
					  : tsc + random_below(seed, UNIT / 2);
		e.tsc = tsc;
		if (dice < 4) {
			const bool held = dice < 2;

			if (!held) {
				share = random_below(seed, UINT32_MAX);
				from = dice & 1 ? 3 : GATE;
				plan++;
			}
			e.message = &plan_message;
			e.args[0] = from | SHIFT << 8 | (uint64_t)held << 16;
			e.args[1] = share;
			e.args[2] = plan;
			e.args[3] = tsc + random_below(seed, 60 * UNIT);
		} else if (dice == 4) {
			e.message = &plan_message;
			e.args[0] = 3 | SHIFT << 8;
			e.args[2] = plan;
		} else if (dice < 8) {
			e.message = &burst;
			e.args[0] = 1 + random_below(seed, 6);
			e.args[1] = 7;
			e.args[2] = tsc + random_below(seed, 20 * UNIT);
		} else if (dice == 8) {
			e.message = random_below(seed, 2) ? &level : &priority;
			e.args[0] = e.args[1] = 7;
		} else if (dice < 13) {
			e.message = &level;
			e.args[2] = 100 + 1 + random_below(seed, 9);
			e.args[3] = gate_args(1 + random_below(seed, 9),
			    1 + random_below(seed, 9), random_below(seed, 2));
		}
		events[i] = e;
	}
	return EVENTS_MAX;
}

TEST(both_directions_join_the_same_pairs)
{
	static struct tl_event events[EVENTS_MAX], back[EVENTS_MAX];
	uint64_t seed = 13;
	size_t joined = 0;

	start.base = 0;
	start.named = true;
	start.complete_from[0].tsc = 90 * UNIT;
	for (int round = 0; round < 20; round++) {
		const size_t count = make_mixed(&seed, events);

		observe_both(&start, events, back, count);
		for (size_t i = 0; i < count; i++) {
			ck_assert_int_eq(events[i].observed == TL_UNOBSERVED,
			    back[i].observed == TL_UNOBSERVED);
			for (size_t k = i + 1; k < count && k < i + 60; k++) {
				const bool is_joined =
				    tl_observed_joins(events[i].observed,
					events[k].observed);

				if (events[i].message != events[k].message)
					continue;
				ck_assert_int_eq(is_joined,
				    tl_observed_joins(back[i].observed,
					back[k].observed));
				joined += is_joined;
			}
		}
	}
	ck_assert_uint_gt(joined, 10000);
}

/* Compare an observer with one that has forgotten its last answers. */
TEST(a_run_of_events_has_the_number_that_each_would_have_alone)
{
	static struct tl_event events[EVENTS_MAX];
	static struct tl_observer one, other;
	uint64_t seed = 29;

	start.named = start.first_gates = true;
	start.tiers = 2;
	start.complete_from[0].tsc = 30 * UNIT;
	start.complete_from[1].tsc = 90 * UNIT;
	start.details_from.tsc = 60 * UNIT;
	for (int round = 0; round < 40; round++) {
		start.base = round % 2 ? 7 : 0;
		tl_observer_init(&one, &start);
		tl_observer_init(&other, &start);
		make_mixed(&seed, events);
		for (size_t i = 0; i < EVENTS_MAX; i++) {
			struct tl_event a = events[i], b = a;
			const uint64_t dice = random_below(&seed, 200);

			/* few changes, so that runs are long */
			if (round % 4 > 1 && tl_observed_is_change(a.message) &&
			    i % 16)
				continue;
			a.lane = b.lane = (uint32_t)random_below(&seed, 4);
			tl_observe(&one, &a);
			memset(other.known, 0, sizeof(other.known));
			tl_observe(&other, &b);
			ck_assert_uint_eq(a.observed, b.observed);
			ck_assert_uint_eq(a.stretch, b.stretch);
			ck_assert_uint_eq(a.base, b.base);
			ck_assert_int_eq(a.partial, b.partial);
			ck_assert_uint_eq(one.last, other.last);
			for (int k = 0; k < 2; k++) {
				struct tl_observer *o = k ? &one : &other;

				if (dice < 2)
					tl_observe_missing(o, a.lane, dice);
				if (dice == 2)
					tl_observe_loss(o);
				if (dice == 3)
					tl_observe_again(o);
			}
		}
	}
}

TEST(slots_of_a_plan_count_after_the_plan_was_removed)
{
	struct tl_observed observed;
	const struct tl_event removed = { .kind = TL_INSTANT,
		.message = &plan_message,
		.tsc = 9 << SHIFT,
		.args = { GATE | SHIFT << 8, 0, 7, 0 } };
	struct tl_event event = removed;

	set_up_slots();
	put_plan(GATE, UINT32_MAX, false);
	tl_observed_at(&observer, GATE, 1 << SHIFT, &observed);
	tl_observe(&observer, &event);
	tl_observed_at(&observer, GATE, 20 << SHIFT, &observed);
	ck_assert(!observed.open);
	ck_assert_uint_eq(observed.ticks, 9 << SHIFT);
}

TEST(a_level_of_a_message_ends_a_run_of_slots)
{
	uint64_t number;

	set_up_slots();
	put_plan(GATE, UINT32_MAX, false);
	number = observe_slot(1);
	ck_assert_uint_eq(observe_slot(2), number);
	put(&level, 2 << SHIFT, 3, 1, 0);
	ck_assert(tl_observed_cut(number, observe_slot(3)));
}

/*
 * == confirmations ==
 *
 * Two threads change the levels, each as src/ring/priority.c does: copy the
 * word, log the new levels, swap the word if it still equals the copy, and
 * confirm.  The test tries all orders of these steps.  After each step every
 * gate that the entries show as open must be open, because a thread may stop
 * for ever at any step.
 */

enum { THREADS = 2, CHANGES_MAX = 2 };

struct word {
	uint8_t threshold;
	uint8_t base;
	uint64_t until;
};

struct changer {
	unsigned change; /* the change under way, of count */
	unsigned count;
	enum { COPY, LOG, SWAP, CONFIRM } step;
	struct word old, next;
	bool follows;
	/* a level, plus BURST for a burst */
	unsigned changes[CHANGES_MAX];
};

enum { BURST = 16, LONG = 1 << 20 };

struct world {
	struct changer threads[THREADS];
	struct tl_observer observer;
	struct word word;
	uint64_t now;
	uint64_t unique;
	bool plain; /* as writers before 2.2: no confirmations */
};

static const struct tl_message in_force = { .builtin = TIMELINE_BUILTIN_FORCE,
	.gate = TIMELINE_LEVEL_NONE };

static bool
is_same(const struct word *a, const struct word *b)
{
	return a->threshold == b->threshold && a->base == b->base &&
	       a->until == b->until;
}

static struct word
changed(struct world *w, const struct word *old, unsigned change)
{
	const uint8_t to = change & 15;
	const bool alive = old->threshold < old->base;
	const uint64_t end = (LONG + w->unique++) * UNIT;
	struct word next = *old;

	if (!(change & BURST))
		next.base = to;
	if (alive)
		next.threshold = to < old->threshold ? to : old->threshold;
	else
		next.threshold = to < next.base ? to : next.base;
	if (change & BURST)
		next.until = end > next.until ? end : next.until;
	else if (!alive || to <= old->threshold)
		next.until = w->unique;
	else if (to <= old->base)
		next.until -= UNIT + 4; /* no other end is so */
	return next;
}

static void
log_change(struct world *w, const struct changer *c,
    const struct tl_message *what)
{
	struct tl_event event = { .message = what,
		.tsc = w->now,
		.tid = 1 + (uint32_t)(c - w->threads),
		.args = { c->next.threshold, c->next.base,
		    c->next.until | (w->plain ? 0 : TIMELINE_UNTIL_BEFORE) |
			(c->follows ? TIMELINE_UNTIL_FOLLOWS : 0) } };

	tl_observe(&w->observer, &event);
}

static void
take_step(struct world *w, struct changer *c)
{
	const unsigned change = c->changes[c->change];

	switch (c->step) {
	case COPY:
		c->old = w->word;
		c->next = changed(w, &c->old, change);
		c->follows =
		    !w->plain &&
		    (!(change & BURST) || c->next.threshold < c->old.threshold);
		break;
	case LOG:
		log_change(w, c, change & BURST ? &burst : &priority);
		break;
	case SWAP:
		if (!is_same(&w->word, &c->old)) {
			c->step = COPY;
			return;
		}
		w->word = c->next;
		break;
	default:
		if (c->follows)
			log_change(w, c, &in_force);
		c->change++;
		c->step = COPY;
		return;
	}
	c->step++;
}

/* Count the gates that are shown as open and are closed. */
static unsigned
count_false(const struct world *w)
{
	unsigned wrong = 0;

	for (unsigned gate = 1; gate < TL_OBSERVED_GATES; gate++) {
		struct tl_observer copy = w->observer;
		struct tl_observed observed;

		tl_observed_at(&copy, gate, w->now, &observed);
		wrong += observed.open && gate < w->word.threshold;
	}
	return wrong;
}

static uint64_t orders;

/* Count the orders of the remaining steps that show a closed gate as open. */
static uint64_t
try_orders(const struct world *world, unsigned most)
{
	uint64_t wrong = 0;
	bool any = false;

	for (unsigned i = 0; i < THREADS; i++) {
		struct world w = *world;

		if (w.threads[i].change == w.threads[i].count || most == 0)
			continue;
		any = true;
		w.now += UNIT;
		take_step(&w, &w.threads[i]);
		wrong += count_false(&w) > 0 ? 1 : try_orders(&w, most - 1);
	}
	orders += !any;
	return wrong;
}

static uint64_t
try_changes(bool plain)
{
	static const unsigned changes[] = { 4, 8, BURST | 4, BURST | 7 };
	enum { COUNT = sizeof(changes) / sizeof(changes[0]) };
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < COUNT * COUNT * COUNT; i += random_step(1)) {
		struct world w = { .word = { 6, 6, 0 },
			.plain = plain,
			.threads = { { .count = 1 }, { .count = 2 } } };
		struct tl_event event = { .message = &messages[9], .tsc = 1 };

		w.threads[0].changes[0] = changes[i % COUNT];
		w.threads[1].changes[0] = changes[i / COUNT % COUNT];
		w.threads[1].changes[1] = changes[i / COUNT / COUNT];
		tl_observer_init(&w.observer, &start);
		tl_observe(&w.observer, &event);
		wrong += try_orders(&w, 18);
	}
	return wrong;
}

TEST(what_is_observed_is_open_in_every_order_of_two_changers)
{
	ck_assert_uint_eq(try_changes(false), 0);
	ck_assert_uint_gt(orders, 10000);
}

/*
 * This test proves that the test above can fail: entries of older writers
 * precede the change, and a reader believes them too early.
 */
TEST(older_writers_may_be_believed_too_early)
{
	ck_assert_uint_gt(try_changes(true), 0);
}

TEST(changes_one_after_the_other_are_all_observed)
{
	struct world w = { .word = { 6, 6, 0 }, .threads = { { .count = 1 } } };
	struct changer *c = &w.threads[0];
	uint64_t seed = 5;

	tl_observer_init(&w.observer, &start);
	for (int i = 0; i < 10000; i++) {
		c->changes[0] = 1 + (unsigned)random_below(&seed, 9) +
				BURST * (unsigned)random_below(&seed, 2);
		for (c->change = 0; c->change == 0;) {
			w.now += UNIT / 1000;
			take_step(&w, c);
		}
		for (unsigned gate = 1; gate < TL_OBSERVED_GATES; gate++) {
			struct tl_observer copy = w.observer;
			struct tl_observed observed;

			tl_observed_at(&copy, gate, w.now, &observed);
			ck_assert_int_eq(observed.open,
			    gate >= w.word.threshold);
		}
	}
}

TEST(changes_before_the_keep_tier_is_complete_are_not_believed)
{
	start.complete_from[1] = (struct tl_observed_from){ 0, 1000 };
	tl_observer_init(&observer, &start);
	put(&priority, 10, 1, 1,
	    TIMELINE_UNTIL_BEFORE | TIMELINE_UNTIL_FOLLOWS);
	put(&in_force, 20, 1, 1,
	    TIMELINE_UNTIL_BEFORE | TIMELINE_UNTIL_FOLLOWS);
	ck_assert_uint_eq(at(5, 1001), TL_UNOBSERVED);
	ck_assert_uint_ne(at(6, 1001), TL_UNOBSERVED);
}

/* == gates of single messages == */

static void
put_gate(unsigned of, uint64_t tsc, uint64_t before, uint64_t after)
{
	for (int made = 0; made < 2; made++) {
		struct tl_event event = { .message = &level,
			.tsc = tsc + (uint64_t)made,
			.args = { after, 1, messages[of].id,
			    gate_args(before, after, made) } };

		tl_observe(&observer, &event);
	}
}

TEST(a_level_ends_the_intervals_of_the_message_that_it_names)
{
	uint64_t n, m;

	start.named = start.defined = true;
	tl_observer_init(&observer, &start);
	n = at(6, 1);
	m = at(9, 1);
	put_gate(6, 10, 6, 0);
	put_gate(6, 20, 0, 6);
	ck_assert(tl_observed_cut(n, at(6, 30)));
	ck_assert_uint_eq(at(6, 30), at(6, 31));
	ck_assert_uint_eq(at(9, 30), m);
}

/* The time since when a gate is open; UINT64_MAX: the gate is closed. */
static uint64_t
open_since(unsigned gate, uint64_t tsc)
{
	struct tl_observed observed;

	tl_observed_at(&observer, gate, tsc, &observed);
	return observed.open ? observed.since : UINT64_MAX;
}

TEST(a_level_ends_only_the_gates_that_it_names)
{
	start.named = start.defined = true;
	tl_observer_init(&observer, &start);
	at(6, 1);
	put_gate(7, 10, 7, 8);
	ck_assert_uint_eq(open_since(7, 50), 11);
	ck_assert_uint_eq(open_since(8, 50), 11);
	ck_assert_uint_eq(open_since(6, 50), 1);
	ck_assert_uint_eq(open_since(9, 50), 1);
	ck_assert_uint_eq(open_since(TIMELINE_LEVEL_NONE, 50), 1);
}

/*
 * The message had another gate while gate 5 was open, so the last interval of
 * gate 5 must be forgotten.
 */
TEST(a_level_leaves_no_last_interval_of_a_closed_gate)
{
	struct tl_observed observed;

	start.named = start.defined = true;
	tl_observer_init(&observer, &start);
	put(&burst, 10 * UNIT, 4, 6, 11 * UNIT);
	put_gate(5, 20 * UNIT, 0, 5);
	tl_observed_at(&observer, 5, 30 * UNIT, &observed);
	ck_assert(!observed.open);
	ck_assert_uint_eq(observed.since, observed.to);
	tl_observed_at(&observer, 4, 30 * UNIT, &observed);
	ck_assert_uint_lt(observed.since, observed.to);
}

/* The gate of the message at the end is its level again. */
TEST(a_message_has_the_gate_that_entries_say)
{
	uint64_t n;

	start.named = start.defined = true;
	tl_observer_init(&observer, &start);
	put_gate(7, 10, 7, 4);
	ck_assert_uint_eq(at(7, 20), TL_UNOBSERVED);
	put(&burst, 10 * UNIT, 4, 6, 11 * UNIT);
	n = at(7, 10 * UNIT + 1);
	put(&burst, 20 * UNIT, 4, 6, 21 * UNIT);
	ck_assert(tl_observed_cut(n, at(7, 20 * UNIT + 1)));
	put_gate(7, 30 * UNIT, 4, 7);
	ck_assert_uint_ne(at(7, 31 * UNIT), TL_UNOBSERVED);
}

TEST(before_an_entry_without_a_name_gates_are_the_lowest)
{
	start.named = true;
	start.floor = 4;
	start.named_gates.unnamed = 1;
	tl_observer_init(&observer, &start);
	ck_assert_uint_eq(at(9, 1), TL_UNOBSERVED);
	put(&level, 10, 4, 1, 0);
	ck_assert_uint_ne(at(9, 11), TL_UNOBSERVED);
}

TEST(of_too_many_messages_all_intervals_end)
{
	uint64_t n;

	start.named = true;
	tl_observer_init(&observer, &start);
	n = at(6, 1);
	for (unsigned i = 0; i <= TL_NAMED_GATES_MAX; i++) {
		struct tl_event event = { .message = &level,
			.tsc = 2,
			.args = { 3, 1, 1000 + i, gate_args(5, 3, true) } };

		ck_assert_uint_eq(at(6, 2), n);
		tl_observe(&observer, &event);
	}
	ck_assert(tl_observed_cut(n, at(6, 3)));
}

/* Two threads set the gate of one message, each as src/ring/level.c does. */
struct setter {
	unsigned to[CHANGES_MAX];
	unsigned change; /* the change under way, of count */
	unsigned count;
	enum { READ, CLAIM, SET, MADE } step;
	uint8_t before;
};

struct gates {
	struct setter threads[THREADS];
	struct tl_observer observer;
	uint8_t gate;
	bool blunt; /* no entry precedes a change */
};

static void
log_gate(struct gates *w, const struct setter *s, bool made)
{
	struct tl_event event = { .message = &level,
		.tid = 1 + (uint32_t)(s - w->threads),
		.args = { s->to[s->change], 1, messages[5].id,
		    gate_args(s->before, s->to[s->change], made) } };

	tl_observe(&w->observer, &event);
}

static void
step_gate(struct gates *w, struct setter *s)
{
	switch (s->step) {
	case READ:
		s->before = w->gate;
		break;
	case CLAIM:
		if (!w->blunt && s->before != s->to[s->change])
			log_gate(w, s, false);
		break;
	case SET:
		if (w->gate != s->before) {
			s->step = READ;
			return;
		}
		w->gate = (uint8_t)s->to[s->change];
		break;
	default:
		log_gate(w, s, true);
		s->change++;
		s->step = READ;
		return;
	}
	s->step++;
}

static uint64_t
try_gates(const struct gates *world, unsigned most)
{
	uint64_t wrong = 0;
	bool any = false;

	for (unsigned i = 0; i < THREADS; i++) {
		struct gates w = *world;

		if (w.threads[i].change == w.threads[i].count || most == 0)
			continue;
		any = true;
		step_gate(&w, &w.threads[i]);
		wrong += tl_observed_gate(&w.observer, &messages[5]) > w.gate
			     ? 1
			     : try_gates(&w, most - 1);
	}
	orders += !any;
	return wrong;
}

static uint64_t
try_all_gates(bool blunt)
{
	static const unsigned to[] = { 0, 3, 5, 7 };
	uint64_t wrong = 0;

	start.named = start.defined = true;
	for (unsigned i = 0; i < 64; i++) {
		struct gates w = { .gate = 5,
			.blunt = blunt,
			.threads = { { .to = { to[i & 3] }, .count = 1 },
			    { .to = { to[i >> 2 & 3], to[i >> 4] },
				.count = 2 } } };

		tl_observer_init(&w.observer, &start);
		wrong += try_gates(&w, 16);
	}
	return wrong;
}

TEST(no_order_of_two_setters_makes_a_gate_too_high)
{
	orders = 0;
	ck_assert_uint_eq(try_all_gates(false), 0);
	ck_assert_uint_gt(orders, 10000);
}

/* This test proves that the test above can fail. */
TEST(without_an_entry_before_a_gate_may_be_too_high)
{
	ck_assert_uint_gt(try_all_gates(true), 0);
}

TEST(gates_that_are_set_one_after_the_other_are_known)
{
	struct gates w = { .gate = 5, .threads = { { .count = 1 } } };
	struct setter *s = &w.threads[0];
	uint64_t seed = 6;

	start.named = start.defined = true;
	tl_observer_init(&w.observer, &start);
	for (int i = 0; i < 10000; i++) {
		s->to[0] = (unsigned)random_below(&seed, 10);
		for (s->change = 0; s->change == 0;)
			step_gate(&w, s);
		ck_assert_uint_eq(tl_observed_gate(&w.observer, &messages[5]),
		    w.gate);
	}
}

/* == slots that began before the first entry == */

TEST(a_plan_that_was_in_force_before_opens_slots_from_the_start)
{
	struct tl_observed_start slots = { .order = TL_OLDEST_FIRST,
		.tiers = 1,
		.base = TIMELINE_LEVEL_MAX,
		.plan_count = 1,
		.plan = { { .level = GATE,
		    .shift = SHIFT,
		    .share = UINT32_MAX,
		    .seed = 7,
		    .lease = UINT64_MAX } } };
	uint64_t number;

	tl_observer_init(&observer, &slots);
	number = observe_slot(1);
	ck_assert_uint_ne(number, TL_UNOBSERVED);
	put_plan(GATE, UINT32_MAX, true);
	ck_assert_uint_eq(observe_slot(3), number);
}

/*
 * Entries of plans are in tier 0, which was overwritten up to a later time than
 * tier 1.
 */
TEST(a_plan_opens_no_slot_where_plans_may_be_overwritten)
{
	struct tl_observed_start slots = { .order = TL_OLDEST_FIRST,
		.tiers = 2,
		.base = TIMELINE_LEVEL_MAX,
		.complete_from = { { 0, 5 << SHIFT }, { 0, 1 } },
		.plan_count = 1,
		.plan = { { .level = GATE,
		    .shift = SHIFT,
		    .share = UINT32_MAX,
		    .seed = 7,
		    .lease = UINT64_MAX } } };
	struct tl_event event = { .kind = TL_INSTANT,
		.message = &message,
		.lane = 1 };

	tl_observer_init(&observer, &slots);
	event.tsc = 4 << SHIFT;
	tl_observe(&observer, &event);
	ck_assert_uint_eq(event.observed, TL_UNOBSERVED);
	event.tsc = 5 << SHIFT;
	tl_observe(&observer, &event);
	ck_assert_uint_ne(event.observed, TL_UNOBSERVED);
}

TEST(a_timer_has_sure_pairs_and_intervals_like_others)
{
	static const struct tl_message timer = { .kind = TIMELINE_RECORD_SPAN,
		.level = 5,
		.gate = 5,
		.timer = true };
	struct tl_event one = { .message = &timer, .tsc = 11 * UNIT };
	struct tl_event same = { .message = &timer, .tsc = 12 * UNIT };
	struct tl_event later = { .message = &timer, .tsc = 31 * UNIT };

	put(&priority, 10 * UNIT, 5, 5, 0);
	tl_observe(&observer, &one);
	tl_observe(&observer, &same);
	put(&priority, 20 * UNIT, 6, 6, 0);
	put(&priority, 30 * UNIT, 5, 5, 0);
	tl_observe(&observer, &later);
	ck_assert(tl_observed_joins(one.observed, later.observed));
	ck_assert(tl_observed_joins(one.stretch, same.stretch));
	ck_assert(!tl_observed_joins(one.stretch, later.stretch));
}
