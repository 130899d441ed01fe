/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observe.c - two events of a message must have the same number exactly if the
 * record observed the message all the time between them.
 */
#include "event/observe.h"
#include "event/levels.h"
#include "lib/golden.h"
#include "lib/random.h"

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
static uint64_t numbers[26]; /* of the intervals of a case */
static unsigned known;
static struct tl_observed_start start;

static void
setup(void)
{
	known = 0;
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

/* == cases in observe.cases == */

enum { SHIFT = 12, GATE = 5 };

static const struct tl_message plan_message = { .builtin =
						    TIMELINE_BUILTIN_PLAN,
	.gate = TIMELINE_LEVEL_NONE };
static const struct tl_message in_force = { .builtin = TIMELINE_BUILTIN_FORCE,
	.gate = TIMELINE_LEVEL_NONE };

static uint64_t
gate_args(uint64_t before, uint64_t after, bool made)
{
	return before | after << TIMELINE_LEVEL_AFTER |
	       (uint64_t)made << TIMELINE_LEVEL_MADE;
}

/* A stamp like 10u+1: u is a unit of the ends of bursts, s a slot. */
static uint64_t
stamp_of(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	n *= *end == 'u' ? UNIT : *end == 's' ? 1 << SHIFT : 1;
	end += *end == 'u' || *end == 's';
	return n + (uint64_t)strtoll(end, NULL, 10);
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

/* Begin anew: "base=0 tiers=1 named defined floor=4 unnamed=1 complete0=5s plan". */
static void
start_anew(char *line)
{
	char *word;

	while ((word = strsep(&line, " "))) {
		const char *value = strchr(word, '=');
		const uint64_t n = value ? stamp_of(value + 1) : 1;

		if (strncmp(word, "base", 4) == 0)
			start.base = (uint8_t)n;
		else if (strncmp(word, "tiers", 5) == 0)
			start.tiers = (uint8_t)n;
		else if (strncmp(word, "complete", 8) == 0)
			start.complete_from[word[8] - '0'].tsc = n;
		else if (strncmp(word, "floor", 5) == 0)
			start.floor = (uint8_t)n;
		else if (strncmp(word, "unnamed", 7) == 0)
			start.named_gates.unnamed = n;
		else if (strcmp(word, "named") == 0)
			start.named = true;
		else if (strcmp(word, "defined") == 0)
			start.defined = true;
		else if (strcmp(word, "plan") == 0)
			start.plan[start.plan_count++] =
			    (struct tl_plan_entry){ .level = GATE,
				    .shift = SHIFT,
				    .share = UINT32_MAX,
				    .seed = 7,
				    .lease = UINT64_MAX };
		else
			ck_abort_msg("no word of a start: %s", word);
	}
	tl_observer_init(&observer, &start);
}

/* The letter of an interval: each new number is the next letter. */
static char
letter_of(uint64_t number)
{
	unsigned i = 0;

	if (number == TL_UNOBSERVED)
		return '-';
	while (i < known && numbers[i] != number)
		i++;
	if (i == known)
		numbers[known++] = number;
	return (char)('A' + i);
}

/* Print the interval of a gate's event, and of what lies between timers. */
static void
put_at(struct tl_text *out, unsigned gate, uint64_t tsc, uint32_t lane)
{
	struct tl_event event = { .message = &messages[gate],
		.tsc = tsc,
		.lane = lane };

	tl_observe(&observer, &event);
	tl_put_format(out, " = %c", letter_of(event.observed));
	if (event.stretch != event.observed)
		tl_put_format(out, ", stretch %c", letter_of(event.stretch));
}

/* Levels of so many other messages. */
static void
put_others(unsigned from, unsigned to, uint64_t tsc)
{
	for (unsigned i = from; i < to; i++) {
		struct tl_event event = { .message = &level,
			.tsc = tsc,
			.args = { 3, 1, 1000 + i, gate_args(5, 3, true) } };

		tl_observe(&observer, &event);
	}
}

/*
 * Run a line; a GATE is that of messages[GATE]:
 *	at GATE STAMP [LANE]		an event, and its interval; -: none
 *	burst STAMP LEVEL BASE UNTIL	and priority, level, in_force
 *	plan LEVEL PERCENT [held]
 *	named GATE STAMP BEFORE AFTER	the message gets another gate
 *	since GATE STAMP		since when the gate is open
 *	others STAMP			as many levels as names are kept
 */
static void
run_line(struct tl_text *out, const char *line)
{
	char word[32], w[4][32] = { "", "", "", "" }, rest[128] = "";
	const struct tl_message *change = NULL;
	struct tl_observed observed;
	unsigned gate;

	sscanf(line, "%31s %31s %31s %31s %31s", word, w[0], w[1], w[2], w[3]);
	gate = (unsigned)strtoul(w[0], NULL, 10);
	change = strcmp(word, "burst") == 0      ? &burst
		 : strcmp(word, "priority") == 0 ? &priority
		 : strcmp(word, "level") == 0    ? &level
		 : strcmp(word, "in_force") == 0 ? &in_force
						 : NULL;
	if (change) {
		put(change, stamp_of(w[0]), stamp_of(w[1]), stamp_of(w[2]),
		    strcmp(w[3], "before") == 0
			? TIMELINE_UNTIL_BEFORE | TIMELINE_UNTIL_FOLLOWS
			: stamp_of(w[3]));
	} else if (strcmp(word, "start") == 0) {
		snprintf(rest, sizeof(rest), "%s", line + 6);
		start_anew(rest);
	} else if (strcmp(word, "at") == 0) {
		put_at(out, gate, stamp_of(w[1]),
		    (uint32_t)strtoul(w[2], NULL, 10));
	} else if (strcmp(word, "gate_of") == 0) {
		messages[gate].gate = (uint8_t)strtoul(w[1], NULL, 10);
	} else if (strcmp(word, "timer") == 0) {
		messages[gate].timer = true;
	} else if (strcmp(word, "plan") == 0) {
		put_plan(gate,
		    UINT32_MAX / 100 * strtoul(w[1], NULL, 10) +
			(strcmp(w[1], "100") == 0 ? UINT32_MAX % 100 : 0),
		    strcmp(w[2], "held") == 0);
	} else if (strcmp(word, "named") == 0) {
		for (unsigned made = 0; made < 2; made++) {
			struct tl_event event = { .message = &level,
				.tsc = stamp_of(w[1]) + made,
				.args = { stamp_of(w[3]), 1, messages[gate].id,
				    gate_args(stamp_of(w[2]), stamp_of(w[3]),
					made) } };

			tl_observe(&observer, &event);
		}
	} else if (strcmp(word, "since") == 0) {
		tl_observed_at(&observer, gate, stamp_of(w[1]), &observed);
		tl_put_format(out, " = %s since %llu%s",
		    observed.open ? "open" : "closed",
		    (unsigned long long)observed.since,
		    observed.since < observed.to ? ", open before" : "");
	} else {
		ck_assert_msg(strncmp(word, "others", 6) == 0, "%s", line);
		put_others(word[6] ? TL_NAMED_GATES_MAX : 0,
		    TL_NAMED_GATES_MAX + (word[6] != '\0'), stamp_of(w[0]));
	}
}

TEST_LINES(intervals, "tests/unit/event/observe.cases", run_line);

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
	ck_assert_ok(tl_observer_init_back(&observer, from, change_count));
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

/* == gates of single messages == */

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
