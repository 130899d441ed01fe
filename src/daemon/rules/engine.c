/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.c - pass entries and ticks to the rules of one timeline.
 *
 * If entries were lost, the stream was closed or the stamps went back, all
 * rules are reset: no duration that began before counts.
 */
#include "daemon/rules/engine.h"
#include "base/ns.h"
#include "event/filter.h"

#include <errno.h>
#include <stdlib.h>

/* Entries come in order.  A stamp that is earlier by more than this means that
 * the clock of the stamps was set back. */
enum { BACK_NS = TL_NS_PER_S };

/* == observation == */

/* Does the rule draw conclusions from absent entries? */
static bool
needs_all(const struct tl_config_rule *rule)
{
	return rule->kind == TL_RULE_INTERVAL || rule->kind == TL_RULE_ABSENT ||
	       (rule->kind == TL_RULE_RATE && rule->below);
}

/* Find the gate of the messages that a rule watches; an interval is watched for
 * its other messages.  A message that is not defined is not logged; messages of
 * the library are always logged. */
static void
find_gate(struct tl_rules *rules, struct tl_rule *rule)
{
	const struct tl_config_rule *config = rule->config;
	const struct tl_config_match *match =
	    config->kind == TL_RULE_INTERVAL ? &config->other : &config->match;
	struct tl_rule_gates gates;
	uint8_t gate = TIMELINE_LEVEL_NONE;

	if (rules->host.gates(rules->host.context, match, &gates))
		gate = needs_all(config) ? gates.lowest : gates.highest;
	if (gate > TIMELINE_LEVEL_NONE) /* damaged */
		gate = TIMELINE_LEVEL_NONE;
	/* the gate of another clock */
	if (rule->watched && gate != rule->gate) {
		rule->watched = false;
		if (config->kind == TL_RULE_RATE) {
			tl_window_clear(&rule->stamps);
			rule->since = false;
		}
	}
	rule->gate = gate;
	rule->has_gate = true;
}

static void
observe_gate(const struct tl_rules *rules, unsigned gate, uint64_t tsc,
    struct tl_observed *observed)
{
	*observed =
	    (struct tl_observed){ .open = true, .to = tsc, .ticks = tsc };
	if (rules->host.observer)
		tl_observed_at(rules->host.observer, gate, tsc, observed);
}

void
tl_rule_observe(struct tl_rules *rules, struct tl_rule *rule, uint64_t tsc,
    struct tl_observed *observed)
{
	if (rules->host.observer && !rule->has_gate)
		find_gate(rules, rule);
	observe_gate(rules, rule->gate, tsc, observed);
}

void
tl_rules_observe_message(const struct tl_rules *rules,
    const struct tl_message *message, uint64_t tsc,
    struct tl_observed *observed)
{
	const struct tl_observer *observer = rules->host.observer;

	observe_gate(rules, observer ? tl_observed_gate(observer, message) : 0,
	    tsc, observed);
}

void
tl_rules_forget_gates(struct tl_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		rules->list[i].has_gate = false;
}

/* == entries == */

static void
cut(struct tl_rules *rules, uint64_t tsc, bool back)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct tl_rule *rule = &rules->list[i];
		struct tl_observed observed;

		if (back) {
			tl_window_clear(&rule->stamps);
			tl_window_clear(&rule->fires);
			rule->watched = false;
			if (rule->fired_tsc > tsc)
				rule->fired_tsc = tsc;
		}
		rule->since_tsc = tsc;
		if (rule->config->kind == TL_RULE_RATE) {
			tl_rule_observe(rules, rule, tsc, &observed);
			rule->since_tsc = observed.ticks;
		}
		if (rule->config->kind == TL_RULE_INTERVAL)
			rule->since = false;
	}
	tl_rules_drop_spans(rules);
	rules->cut_due = false;
}

/* Advance to the stamp of an entry or a tick.  A stamp that went back cuts all
 * rules. */
static inline void
advance(struct tl_rules *rules, uint64_t *last, bool *has_last, uint64_t tsc,
    bool other)
{
	const bool back =
	    *has_last && (other || tl_rules_ns(rules, tsc, *last) > BACK_NS);

	if (__builtin_expect(back || rules->cut_due, false))
		cut(rules, tsc, back);
	if (!*has_last || back || tsc > *last)
		*last = tsc;
	*has_last = true;
}

/* Must a rule about how often messages come ignore the event?  A span counts
 * once for a rate.  A proven end is logged whatever the level is, so only its
 * begin is seen, unless one entry has both. */
static bool
is_of_no_rate(const struct tl_rule *rule, const struct tl_event *event)
{
	if (rule->config->kind == TL_RULE_RATE)
		return !tl_event_counts(event);
	return event->kind == TL_END && event->proven &&
	       !event->message->timer &&
	       (rule->config->kind == TL_RULE_INTERVAL ||
		   rule->config->kind == TL_RULE_ABSENT);
}

static void
put_one(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, unsigned part, const struct tl_span *span)
{
	if (is_of_no_rate(rule, event))
		return;
	switch (rule->config->kind) {
	case TL_RULE_EVENT:
	case TL_RULE_LEVEL:
		tl_rule_put_event(rules, rule, event);
		return;
	case TL_RULE_SPAN:
		if (span)
			tl_rule_put_span(rules, rule, event, span);
		return;
	case TL_RULE_INTERVAL:
		tl_rule_put_interval(rules, rule, event, part);
		return;
	case TL_RULE_ABSENT:
		tl_rule_put_absent(rules, rule, event);
		return;
	case TL_RULE_ARGUMENT:
		tl_rule_put_argument(rules, rule, event, part);
		return;
	case TL_RULE_RATE:
		tl_rule_put_rate(rules, rule, event);
		return;
	case TL_RULE_DIED:
		return;
	}
}

void
tl_rules_put(struct tl_rules *rules, const struct tl_event *event)
{
	const struct tl_rule_match *match;
	struct tl_span span;
	bool ended;

	if (event->kind == TL_LOST) {
		cut(rules,
		    rules->has_newest && event->tsc < rules->newest_tsc
			? rules->newest_tsc
			: event->tsc,
		    false);
		/* A loss without a stamp lasts until the next stamp. */
		rules->cut_due = event->tsc == 0;
		return;
	}
	advance(rules, &rules->newest_tsc, &rules->has_newest, event->tsc,
	    event->epoch != rules->epoch);
	rules->epoch = event->epoch;
	rules->now = (struct tl_rules_now){ event->ns, event->tsc };
	if (event->message->builtin == TIMELINE_BUILTIN_LEVEL)
		tl_rules_forget_gates(rules);
	match = tl_rules_match(rules, event->message);
	ended = match->is_span && tl_rules_pair(rules, event, &span) == 1;
	for (uint64_t left = match->wanted & rules->on; left;
	     left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);

		put_one(rules, &rules->list[i], event, match->part[i],
		    ended ? &span : NULL);
	}
}

void
tl_rules_tick(struct tl_rules *rules, const struct tl_rules_now *now)
{
	const uint64_t before_tsc =
	    rules->has_tick ? rules->tick_tsc : now->tsc;

	advance(rules, &rules->tick_tsc, &rules->has_tick, now->tsc, false);
	rules->now = *now;
	tl_rules_tick_spans(rules);
	for (uint64_t left = rules->on; left; left &= left - 1) {
		struct tl_rule *rule = &rules->list[__builtin_ctzll(left)];
		const uint64_t all = rules->now.tsc - before_tsc;
		struct tl_observed observed;
		uint64_t open;

		/* only rules that draw conclusions from time */
		if (rule->config->kind != TL_RULE_SPAN &&
		    rule->config->kind != TL_RULE_RATE &&
		    !needs_all(rule->config))
			continue;
		tl_rule_observe(rules, rule, rules->now.tsc, &observed);

		/* Count the time in which the watched messages were not
		 * observed. */
		open = observed.ticks - rule->observed.ticks;
		if (rule->watched && rules->now.tsc > before_tsc && open < all)
			rule->unobserved += all - open;
		rule->watched = true;
		rule->observed = observed;

		if (rule->config->kind == TL_RULE_INTERVAL)
			tl_rule_tick_interval(rules, rule, &observed);
		else if (rule->config->kind == TL_RULE_ABSENT)
			tl_rule_tick_absent(rules, rule, &observed);
		else if (rule->config->kind == TL_RULE_RATE)
			tl_rule_tick_rate(rules, rule, &observed);
	}
}

static void
set_limit(const struct tl_rules *rules, struct tl_rule *rule)
{
	rule->limit_ticks =
	    tl_ns_to_ticks((uint64_t)tl_rule_limit(rule), rules->mult);
	if (rule->limit_ticks > INT64_MAX)
		rule->limit_ticks = INT64_MAX;
}

void
tl_rules_set_rate(struct tl_rules *rules, uint64_t mult)
{
	if (mult == 0 || mult == rules->mult)
		return;
	rules->mult = mult;
	for (size_t i = 0; i < rules->count; i++)
		set_limit(rules, &rules->list[i]);
}

void
tl_rules_died(struct tl_rules *rules, uint32_t pid, const char *command,
    int64_t now_ns)
{
	rules->now.ns = now_ns;
	rules->dead[rules->dead_count++ % TL_RULES_DEAD_MAX] =
	    (struct tl_rules_dead){ pid, now_ns };
	for (uint64_t left = rules->on; left; left &= left - 1) {
		struct tl_rule *rule = &rules->list[__builtin_ctzll(left)];
		const char *glob = rule->config->match.message;
		struct tl_text *text;

		if (rule->config->kind != TL_RULE_DIED ||
		    (glob && !tl_glob_matches(glob, tl_bytes_of(command))))
			continue;
		text = tl_rule_claim(rules, rule);
		if (!text)
			continue;
		tl_put_format(text, "process %u (%s) has ended", pid, command);
		tl_rule_fire(rules, rule, NULL);
	}
}

/* == making == */

static void
rule_free(struct tl_rule *rule)
{
	tl_script_filter_free(rule->when);
	tl_window_free(&rule->fires);
	tl_window_free(&rule->stamps);
}

static int
rule_init(struct tl_rule *rule, const struct tl_config_rule *config,
    struct tl_fault *fault)
{
	uint64_t fires = config->fires_max;
	int rc = 0;

	if (fires > TL_WINDOW_ASKED_MAX)
		fires = TL_WINDOW_ASKED_MAX;
	*rule = (struct tl_rule){ .config = config };
	if (fires > 0)
		rc = tl_window_init(&rule->fires, fires);
	if (rc == 0 && config->kind == TL_RULE_RATE)
		rc = tl_rule_rate_init(rule);
	if (rc != 0)
		return tl_fail(fault, rc, "%s: out of memory", config->name);
	return tl_rule_compile(rule, fault);
}

static bool
is_same_match(const struct tl_config_match *a, const struct tl_config_match *b)
{
	return tl_config_is_same(a->category, b->category) &&
	       tl_config_is_same(a->message, b->message);
}

/* Compare bits, because NAN is a value like any other here. */
static bool
is_same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

/* Do two rules have the same condition?  Their actions may differ. */
static bool
is_same_rule(const struct tl_config_rule *a, const struct tl_config_rule *b)
{
	return tl_config_is_same(a->name, b->name) && a->kind == b->kind &&
	       is_same_match(&a->match, &b->match) &&
	       is_same_match(&a->other, &b->other) &&
	       tl_config_is_same(a->when, b->when) &&
	       tl_config_is_same(a->argument, b->argument) &&
	       is_same_double(a->bound, b->bound) && a->below == b->below &&
	       a->limit_ns == b->limit_ns && a->level == b->level &&
	       is_same_double(a->clear, b->clear) &&
	       a->every_ns == b->every_ns && a->fires_max == b->fires_max;
}

/* The old rule that continues as this rule, or NULL. */
static struct tl_rule *
find_same(const struct tl_rules *rules, const struct tl_config_rule *config,
    uint64_t *taken)
{
	for (size_t i = 0; i < rules->count; i++) {
		const uint64_t bit = (uint64_t)1 << i;

		if ((*taken & bit) ||
		    !is_same_rule(rules->list[i].config, config))
			continue;
		*taken |= bit;
		return &rules->list[i];
	}
	return NULL;
}

int
tl_rules_configure(struct tl_rules *rules, const struct tl_config_rule *list,
    size_t count, struct tl_fault *fault)
{
	struct tl_rule *same[TL_CONFIG_RULES_MAX];
	struct tl_spans *spans = NULL;
	struct tl_rule *made;
	uint64_t taken = 0;
	size_t i = 0;
	int rc;

	if (count > TL_CONFIG_RULES_MAX)
		return tl_fail(fault, -E2BIG, "more than %d triggers",
		    TL_CONFIG_RULES_MAX);
	made = calloc(count + 1, sizeof(*made));
	rc = made ? 0 : -ENOMEM;
	for (size_t k = 0; rc == 0 && !spans && k < count; k++)
		if (list[k].kind == TL_RULE_SPAN)
			rc = tl_spans_new(&spans);
	if (rc != 0)
		tl_fail(fault, rc, "out of memory");
	for (; rc == 0 && i < count; i++) {
		same[i] = find_same(rules, &list[i], &taken);
		if (!same[i])
			rc = rule_init(&made[i], &list[i], fault);
	}
	if (rc != 0) {
		while (i-- > 0)
			rule_free(&made[i]);
		tl_spans_free(spans);
		free(made);
		return rc;
	}

	/* Move the rules that continue to the new list, and free the old
	 * list. */
	rules->on = 0;
	for (i = 0; i < count; i++) {
		if (same[i]) {
			made[i] = *same[i];
			made[i].config = &list[i];
			/* a rule that was switched off is tried again */
			made[i].off = false;
			*same[i] = (struct tl_rule){ 0 };
		}
		set_limit(rules, &made[i]);
		rules->on |= (uint64_t)1 << i;
	}
	for (i = 0; i < rules->count; i++)
		rule_free(&rules->list[i]);
	free(rules->list);
	rules->list = made;
	rules->count = count;
	tl_rules_forget_matches(rules);
	if (!spans || !rules->spans) {
		tl_spans_free(rules->spans);
		rules->spans = spans;
	} else {
		tl_spans_free(spans); /* keep the pairing with its open spans */
	}
	rules->scan_tsc = 0;
	return 0;
}

int
tl_rules_new(struct tl_rules **rules, const struct tl_config_rule *list,
    size_t count, const struct tl_rules_host *host, struct tl_fault *fault)
{
	struct tl_rules *made = calloc(1, sizeof(*made));
	int rc;

	if (!made)
		return tl_fail(fault, -ENOMEM, "out of memory");
	made->host = *host;
	made->mult = TL_MULT_ONE;
	made->list = calloc(1, sizeof(*made->list));
	rc = made->list ? tl_rules_configure(made, list, count, fault)
			: tl_fail(fault, -ENOMEM, "out of memory");
	if (rc == 0)
		*rules = made;
	else
		tl_rules_free(made);
	return rc;
}

size_t
tl_rules_count(const struct tl_rules *rules)
{
	return rules->count;
}

void
tl_rules_status(const struct tl_rules *rules, size_t i,
    struct tl_rule_status *status)
{
	const struct tl_rule *rule = &rules->list[i];

	*status = (struct tl_rule_status){ .rule = rule->config,
		.fired = rule->fired,
		.suppressed = rule->suppressed,
		.off = rule->off,
		.suspended_ns = tl_rules_ns(rules, 0, rule->unobserved) };
	if (!rule->watched || rule->observed.open)
		return;
	status->suspended = true;
	status->suspended_now_ns =
	    rule->observed.to > 0
		? tl_rules_ns(rules, rule->observed.to, rules->tick_tsc)
		: status->suspended_ns;
}

void
tl_rules_free(struct tl_rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->count; i++)
		rule_free(&rules->list[i]);
	free(rules->list);
	tl_rules_forget_matches(rules);
	tl_spans_free(rules->spans);
	tl_text_free(&rules->text);
	free(rules);
}
