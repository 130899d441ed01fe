/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_observed.c - rules conclude nothing from time that was not observed
 * (between bursts, below a priority, across losses), and nothing from a wall
 * clock that is set.
 */
#include "event/filter.h"
#include "lib/random.h"
#include "lib/test.h"
#include "rules_fixture.h"

#include <timeline.h>

enum { INFO = 6, DEBUG = 5, OFF = 0 };

static struct tl_observer observer;
static struct tl_message change_messages[TIMELINE_BUILTIN_PLAN + 1];

static void
teardown(void)
{
	tl_rules_free(rules);
	rules = NULL;
}

/* Messages below info are logged in bursts only. */
static void
setup(void)
{
	const struct tl_observed_start start = { .order = TL_OLDEST_FIRST,
		.tiers = 2,
		.base = INFO,
		.gates = true };

	rules_fixture_define();
	for (uint8_t i = 0; i <= TIMELINE_BUILTIN_PLAN; i++) {
		struct tl_message *m = &change_messages[i];

		*m = (struct tl_message){ .category = tl_bytes_of("timeline"),
			.builtin = i,
			.gate = TIMELINE_LEVEL_NONE,
			.level = INFO };
		ck_assert_int_eq(tl_message_parse(m, tl_bytes_of("change")), 0);
	}
	tl_observer_init(&observer, &start);
	observed = &observer;
}

TEST_FILE(.setup = setup, .teardown = teardown);

static bool
find_gates(void *context, const struct tl_config_match *match,
    struct tl_rule_gates *gates)
{
	bool any = false;

	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		const struct tl_message *m = &messages[i];

		if ((match->category &&
			!tl_glob_matches(match->category, m->category)) ||
		    (match->message &&
			!tl_glob_matches(match->message, m->line1)))
			continue;
		if (!any)
			*gates = (struct tl_rule_gates){ m->gate, m->gate };
		if (m->gate < gates->lowest)
			gates->lowest = m->gate;
		if (m->gate > gates->highest)
			gates->highest = m->gate;
		any = true;
	}
	return any;
}

static void
start_observed(const struct tl_config_rule *list, size_t count)
{
	const struct tl_rules_host own = { .fired = note_fired,
		.failed = note_failed,
		.gates = find_gates,
		.observer = &observer };
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_rules_new(&rules, list, count, &own, &fault) == 0,
	    "%s", fault.text);
}

static void
put_change(unsigned builtin, int64_t ns, uint64_t level, uint64_t base,
    uint64_t until)
{
	put_observed((struct tl_event){ .message = &change_messages[builtin],
	    .ns = START + ns + wall_offset,
	    .tsc = (uint64_t)(START + ns),
	    .args = { level, base, until } });
}

static void
priority(int64_t ns, uint64_t level)
{
	put_change(TIMELINE_BUILTIN_PRIORITY, ns, level, level, 0);
}

/* A burst of messages from debug on.  Its end is rounded up by up to 4 us. */
static void
burst(int64_t ns, int64_t length)
{
	put_change(TIMELINE_BUILTIN_BURST, ns, DEBUG, INFO,
	    (uint64_t)(START + ns + length));
}

static void
set_gate(int64_t ns, unsigned message, uint8_t gate)
{
	messages[message].gate = gate;
	put_change(TIMELINE_BUILTIN_LEVEL, ns, gate, 1, 0);
}

/* Set a gate by the entries that name the message. */
static void
set_named_gate(int64_t ns, unsigned message, uint8_t gate)
{
	const uint64_t before = messages[message].gate;

	messages[message].gate = gate;
	messages[message].id = 100 + message;
	for (unsigned made = 0; made < 2; made++)
		put_observed((struct tl_event){
		    .message = &change_messages[TIMELINE_BUILTIN_LEVEL],
		    .ns = START + ns + wall_offset,
		    .tsc = (uint64_t)(START + ns),
		    .args = { gate, 1, messages[message].id,
			before | (uint64_t)gate << TIMELINE_LEVEL_AFTER |
			    (uint64_t)made << TIMELINE_LEVEL_MADE } });
}

static struct tl_rule_status
status(void)
{
	struct tl_rule_status s;

	tl_rules_status(rules, 0, &s);
	return s;
}

static struct tl_config_rule
span_rule(void)
{
	struct tl_config_rule rule = rule_of(TL_RULE_SPAN);

	rule.match.message = "step";
	rule.limit_ns = MS;
	rule.clear = INFINITY;
	return rule;
}

TEST(a_span_is_not_open_after_its_burst)
{
	const struct tl_config_rule rule = span_rule();

	start_observed(&rule, 1);
	for (int i = 0; i < 10; i++) {
		burst(i * 10 * MS, MS / 10);
		begin(STEP, i * 10 * MS + 5000, 0);
		tick(i * 10 * MS + 8 * MS);
		put(BAD, i * 10 * MS + 9 * MS, 0);
		tick(i * 10 * MS + 9 * MS);
	}
	fired(0);
}

/* Put a begin, marked as to be proven or not, or an end that proves a span. */
static void
put_proven(enum tl_kind kind, int64_t ns, int64_t begun, bool marked)
{
	put_observed((struct tl_event){ .message = &messages[STEP],
	    .kind = (uint8_t)kind,
	    .ns = START + ns,
	    .tsc = (uint64_t)(START + ns),
	    .begun_ns = kind == TL_END ? START + begun : 0,
	    .begun_tsc = kind == TL_END ? (uint64_t)(START + begun) : 0,
	    .duration_ns = ns - begun,
	    .proven = marked || kind == TL_END,
	    .pid = 7,
	    .tid = 7 });
}

TEST(a_span_whose_end_will_be_proven_is_open_after_its_burst)
{
	const struct tl_config_rule rule = span_rule();

	start_observed(&rule, 1);
	burst(0, MS / 10);
	put_proven(TL_BEGIN, 5000, 0, true);
	tick(MS / 2);
	fired(0);
	tick(8 * MS);
	fired(1);
	put_proven(TL_END, 9 * MS, 5000, true); /* the span has fired already */
	fired(0);
}

TEST(a_span_that_is_longer_than_its_burst_fires_when_it_has_ended)
{
	const struct tl_config_rule rule = span_rule();

	start_observed(&rule, 1);
	burst(0, MS / 10);
	put_proven(TL_BEGIN, 5000, 0, false);
	put(BAD, 4 * MS, 0);
	tick(8 * MS);
	fired(0);
	put_proven(TL_END, 9 * MS, 5000, false);
	fired(1);
}

TEST(a_proven_end_is_in_no_rate_and_is_not_seen)
{
	struct tl_config_rule list[] = { rule_of(TL_RULE_RATE),
		rule_of(TL_RULE_ABSENT) };

	list[0].match.message = list[1].match.message = "step";
	list[0].limit_ns = 100 * MS;
	list[0].bound = 15;
	list[1].limit_ns = 10 * MS;
	start_observed(list, 2);
	burst(0, 50 * MS);
	put_proven(TL_BEGIN, MS, 0, true);
	put_proven(TL_END, 2 * MS, MS, true);
	fired(0); /* the proven end does not count */
	put_proven(TL_END, 9 * MS, -MS, true);
	tick(13 * MS);
	fired(1); /* absent since the begin */
}

TEST(a_span_ends_within_its_burst_only)
{
	const struct tl_config_rule rule = span_rule();

	start_observed(&rule, 1);
	burst(0, MS / 10);
	begin(STEP, 5000, 0);
	burst(10 * MS, MS / 10);
	end(STEP, 10 * MS + 5000);
	tick(20 * MS);
	fired(0);
}

TEST(a_span_that_is_too_long_within_a_burst_fires)
{
	const struct tl_config_rule rule = span_rule();

	start_observed(&rule, 1);
	burst(0, 10 * MS);
	begin(STEP, 0, 0);
	end(STEP, 2 * MS);
	fired(1);
	begin(STEP, 2 * MS, 0); /* armed again by the short span that follows */
	end(STEP, 3 * MS);
	begin(STEP, 3 * MS, 0);
	tick(3 * MS + MS / 2);
	put(BAD, 3 * MS + MS / 2, 0);
	tick(5 * MS);
	fired(1);
}

/* The first tick comes after the burst. */
TEST(a_span_that_was_open_too_long_when_its_burst_ended_fires)
{
	const struct tl_config_rule rule = span_rule();

	start_observed(&rule, 1);
	burst(0, 10 * MS);
	begin(STEP, MS, 0);
	begin(WORK, MS, 0);
	tick(60 * MS);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "still open after 9"));
	tick(70 * MS);
	fired(0);
}

TEST(a_priority_that_closes_a_span_cuts_it)
{
	struct tl_config_rule rule = span_rule();

	rule.match.message = "request*";
	start_observed(&rule, 1);
	begin(WORK, 0, 0);
	priority(MS / 2, 7);
	tick(5 * MS);
	priority(6 * MS, INFO);
	tick(7 * MS);
	end(WORK, 8 * MS);
	fired(0);
	begin(WORK, 9 * MS, 0);
	end(WORK, 11 * MS);
	fired(1);
}

/* Bursts do not touch messages at or above the base. */
TEST(a_span_above_the_base_goes_on_through_bursts)
{
	struct tl_config_rule rule = span_rule();

	rule.match.message = "request*";
	start_observed(&rule, 1);
	begin(WORK, 0, 0);
	burst(MS / 5, MS / 10);
	tick(MS / 2);
	fired(0);
	tick(2 * MS);
	fired(1);
}

static struct tl_config_rule
interval_rule(void)
{
	struct tl_config_rule rule = rule_of(TL_RULE_INTERVAL);

	rule.match.message = "request*";
	rule.other.message = "ping*";
	rule.limit_ns = 10 * MS;
	return rule;
}

TEST(an_interval_does_not_end_in_a_later_burst)
{
	const struct tl_config_rule rule = interval_rule();

	start_observed(&rule, 1);
	for (int i = 0; i < 10; i++) {
		const int64_t ns = i * 50 * MS;

		begin(WORK, ns - MS, 0);
		burst(ns, 5 * MS);
		begin(WORK, ns + MS, 0);
		tick(ns + 20 * MS);
	}
	burst(SECOND, 5 * MS);
	put(PING, SECOND + MS, 0);
	fired(0);
}

TEST(an_interval_within_a_burst_fires)
{
	const struct tl_config_rule rule = interval_rule();

	start_observed(&rule, 1);
	begin(WORK, 0, 0);
	burst(MS, 50 * MS);
	begin(WORK, 2 * MS, 0);
	put(PING, 13 * MS, 0);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "took 11ms"));
}

/*
 * A message of the interval's end is always logged, so only a missing end makes
 * the interval too long.
 */
TEST(an_interval_from_a_sampled_message_fires)
{
	struct tl_config_rule rule = interval_rule();

	rule.match.message = "ping*";
	rule.other.message = "request*";
	start_observed(&rule, 1);
	burst(0, MS);
	put(PING, MS / 2, 0);
	begin(WORK, 20 * MS, 0);
	fired(1);
}

static struct tl_config_rule
absent_rule(void)
{
	struct tl_config_rule rule = rule_of(TL_RULE_ABSENT);

	rule.match.message = "ping*";
	rule.limit_ns = 200 * MS;
	return rule;
}

TEST(what_is_sampled_is_not_absent_between_bursts)
{
	const struct tl_config_rule rule = absent_rule();

	start_observed(&rule, 1);
	tick(0);
	for (int i = 0; i < 20; i++) {
		burst(i * 500 * MS, 20 * MS);
		for (int k = 0; k < 500; k += 10)
			tick((i * 500 + k) * MS);
	}
	fired(0);
	burst(100 * SECOND, SECOND);
	tick(100 * SECOND + 200 * MS);
	fired(0);
	tick(100 * SECOND + 210 * MS);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "not seen for 210"));
}

TEST(an_absence_in_a_burst_that_is_over_fires)
{
	const struct tl_config_rule rule = absent_rule();

	start_observed(&rule, 1);
	tick(0);
	burst(10 * MS, 300 * MS);
	tick(5 * SECOND);
	fired(1);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "not seen for 300"));
}

TEST(a_priority_makes_nothing_absent)
{
	struct tl_config_rule rule = absent_rule();

	rule.match.message = "request*";
	start_observed(&rule, 1);
	tick(0);
	begin(WORK, 100 * MS, 0);
	priority(150 * MS, 7);
	for (int k = 150; k < 1150; k += 10)
		tick(k * MS);
	priority(1150 * MS, INFO);
	tick(1300 * MS);
	fired(0);
	tick(1351 * MS);
	fired(1);
}

/* See timeline_level(3). */
TEST(what_is_off_is_not_absent)
{
	struct tl_config_rule rule = absent_rule();

	rule.match.message = "request*";
	start_observed(&rule, 1);
	tick(0);
	set_gate(100 * MS, WORK, OFF);
	tick(SECOND);
	fired(0);
	ck_assert(status().suspended);
	set_gate(2 * SECOND, WORK, INFO);
	tick(2 * SECOND + 200 * MS);
	fired(0);
	tick(2 * SECOND + 201 * MS);
	fired(1);
}

TEST(a_silence_goes_on_while_another_message_has_another_level)
{
	struct tl_config_rule rule = absent_rule();

	rule.match.message = "request*";
	observer.start.named = true;
	start_observed(&rule, 1);
	tick(0);
	set_named_gate(150 * MS, STEP, 7);
	tick(201 * MS);
	fired(1);
}

/*
 * The burst comes before the message could pass and is no silence of the
 * message.
 */
TEST(what_was_off_in_a_burst_was_not_absent_in_it)
{
	struct tl_config_rule rule = absent_rule();

	rule.match.message = "ping*";
	observer.start.named = true;
	start_observed(&rule, 1);
	tick(-SECOND);
	set_named_gate(-SECOND, PING, OFF);
	burst(10 * MS, 300 * MS);
	tick(350 * MS);
	set_named_gate(400 * MS, PING, DEBUG);
	tick(5 * SECOND);
	fired(0);
}

/* A message that is not observed could have broken the silence. */
TEST(an_absence_needs_all_its_messages)
{
	struct tl_config_rule rule = absent_rule();

	rule.match.message = "*e*"; /* request and step */
	rule.match.category = "work";
	start_observed(&rule, 1);
	tick(0);
	tick(SECOND);
	fired(0);
	set_gate(SECOND, STEP, INFO);
	tick(2 * SECOND);
	fired(1);
}

TEST(what_is_not_defined_is_absent)
{
	struct tl_config_rule rule = absent_rule();

	rule.match.message = "nothing of the kind";
	start_observed(&rule, 1);
	tick(0);
	tick(201 * MS);
	fired(1);
	ck_assert(!status().suspended);
}

static struct tl_config_rule
rate_rule(bool below, double bound)
{
	struct tl_config_rule rule = rule_of(TL_RULE_RATE);

	rule.match.message = "ping*";
	rule.limit_ns = 200 * MS;
	rule.below = below;
	rule.bound = bound;
	return rule;
}

/* Log 1/step pings, seen in bursts of 20 ms every 500 ms. */
static void
sample_pings(int64_t from, int64_t step)
{
	for (int i = 0; i < 40; i++) {
		const int64_t ns = from + i * 500 * MS;

		burst(ns, 20 * MS);
		for (int64_t t = step / 2; t < 20 * MS; t += step)
			put(PING, ns + t, 0);
		for (int k = 20; k < 500; k += 10)
			tick(ns + k * MS);
	}
}

TEST(a_rate_is_that_of_the_observed_time)
{
	struct tl_config_rule list[] = { rate_rule(true, 900),
		rate_rule(false, 1100) };

	list[0].clear = 950;
	list[1].clear = 1050;
	start_observed(list, 2);
	tick(0);
	sample_pings(MS, MS);
	fired(0);
	sample_pings(100 * SECOND, 2 * MS); /* 500 a second */
	fired(1);
	ck_assert(seen.last.rule->below);
	ck_assert_ptr_nonnull(strstr(seen.last.text, "of observed time"));
	sample_pings(200 * SECOND, MS / 2); /* 2000 a second */
	fired(1);
	ck_assert(!seen.last.rule->below);
}

TEST(too_little_observed_time_makes_no_rate_low)
{
	const struct tl_config_rule rule = rate_rule(true, 900);

	start_observed(&rule, 1);
	tick(0);
	for (int i = 0; i < 9; i++) {
		burst(i * SECOND, 20 * MS);
		tick(i * SECOND + SECOND / 2);
	}
	fired(0);
	burst(9 * SECOND, 30 * MS);
	tick(10 * SECOND);
	fired(1);
}

TEST(a_rate_of_entries_above_the_base_goes_on)
{
	struct tl_config_rule rule = rate_rule(false, 100);

	rule.match.category = "work"; /* step is not logged */
	rule.match.message = NULL;
	start_observed(&rule, 1);
	tick(-SECOND);
	for (int i = 0; i < 40; i++)
		begin(WORK, i * MS, 0);
	fired(1);
	ck_assert_ptr_null(strstr(seen.last.text, "of observed time"));
}

TEST(a_rule_is_suspended_while_its_message_is_not_observed)
{
	const struct tl_config_rule rule = absent_rule();

	start_observed(&rule, 1);
	tick(0);
	tick(30 * MS);
	ck_assert(status().suspended);
	ck_assert_int_eq(status().suspended_now_ns, 30 * MS);
	burst(40 * MS, 1000 * MS);
	tick(50 * MS);
	ck_assert(!status().suspended);
	ck_assert_int_eq(status().suspended_now_ns, 0);
	ck_assert_int_eq(status().suspended_ns, 40 * MS);
	tick(1540 * MS);
	ck_assert(status().suspended);
	ck_assert_int_ge(status().suspended_now_ns, 499 * MS);
	ck_assert_int_le(status().suspended_now_ns, 500 * MS);
	ck_assert_int_ge(status().suspended_ns, 539 * MS);
}

/* == losses == */

TEST(a_loss_cuts_what_it_may_have_hidden)
{
	struct tl_config_rule list[] = { span_rule(), interval_rule(),
		absent_rule(), rate_rule(true, 900) };

	list[3].match.message = list[0].match.message = "request*";
	start_observed(list, 4);
	burst(0, SECOND * 10);
	tick(0);
	begin(WORK, 0, 0);
	tl_observe_loss(&observer);
	end(WORK, 150 * MS);
	tick(151 * MS);
	tl_observe_again(&observer);
	lose(152 * MS);
	tick(350 * MS);
	fired(0);
}

/* == clock steps == */

TEST(a_clock_that_is_set_fires_nothing_and_hides_nothing, .to = 4)
{
	static const int64_t steps[] = { 20, -20, 3600, -3600 };
	struct tl_config_rule list[] = { span_rule(), interval_rule(),
		absent_rule(), rate_rule(true, 500) };
	int64_t ns = 0;

	list[0].limit_ns = 20 * MS;
	list[0].match.message = "request*";
	start_observed(list, 4);
	burst(0, 100 * SECOND);
	for (int i = 0; i < 1000; i++, ns += MS) {
		if (i == 500)
			wall_offset = steps[_i] * SECOND;
		if (i % 4 == 0)
			begin(WORK, ns, 0);
		if (i % 4 == 2)
			end(WORK, ns);
		put(PING, ns + 1, 0);
		tick(ns + 2);
	}
	fired(0);
	begin(WORK, ns, 0);
	for (int i = 0; i < 10; i++, ns += MS)
		tick(ns);
	wall_offset = -wall_offset;
	for (int i = 0; i < 10; i++, ns += MS)
		tick(ns);
	fired(1); /* the interval, 19 ms */
	tick(ns + MS);
	fired(1); /* the span */
	ck_assert_ptr_nonnull(strstr(seen.last.text, "still open after 21ms"));
	ck_assert_int_eq(seen.last.ns, START + ns + MS + wall_offset);
	tick(ns + 200 * MS); /* absent, and the rate is low */
	fired(2);
}

TEST(stamps_of_another_epoch_are_not_compared)
{
	struct tl_config_rule list[] = { span_rule(), interval_rule() };
	struct tl_event event;

	list[0].match.message = "request*";
	start(list, 2);
	begin(WORK, 0, 0);
	event = (struct tl_event){ .message = &messages[WORK],
		.kind = TL_END,
		.epoch = 1,
		.ns = START + SECOND,
		.tsc = (uint64_t)(START + SECOND),
		.pid = 7,
		.tid = 7 };
	put_observed(event);
	tick(SECOND);
	fired(0);
}

/* == slots == */

TEST(a_rate_counts_the_time_of_open_slots)
{
	const struct tl_config_rule list[] = { rate_rule(true, 500),
		rate_rule(false, 1500) };
	enum { SHIFT = 17 }; /* a slot of 131 us */
	const uint64_t seed = 12345, share = UINT32_MAX / 10;
	uint64_t state = 7;

	start_observed(list, 2);
	put_observed((struct tl_event){
	    .message = &change_messages[TIMELINE_BUILTIN_PLAN],
	    .ns = START,
	    .tsc = (uint64_t)START,
	    .args = { DEBUG | SHIFT << 8, share, seed, UINT64_MAX } });
	tick(0);
	for (int64_t i = 0; i < 20000; i++) {
		const int64_t ns =
		    i * MS + (int64_t)random_below(&state, MS / 2);
		const uint64_t slot =
		    timeline_slot((uint64_t)(START + ns), SHIFT);

		if (timeline_slot_hash(slot, seed) < share)
			put(PING, ns, 0);
		if (i % 10 == 0)
			tick(ns);
	}
	fired(0); /* 200 entries in the window, with a deviation of 14 */
	for (int64_t i = 20000; i < 22000; i++)
		tick(i * MS);
	fired(1);
	ck_assert(seen.last.rule->below);
}
