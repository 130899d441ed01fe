/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.c - the condition of each kind of rule.
 *
 * Event and level have no value that could return to a good side, so these
 * rules are always armed.
 *
 * Interval: from the first message, of any process, to the next message that
 * matches the other; further first messages in between change nothing.  The
 * other messages must be observed all that time; if they are not, the interval
 * is forgotten, because the other message may have been missed.
 *
 * Absent: the time since the first tick, the last matching message, or the
 * start of the observed interval, whichever is latest.
 *
 * Rate: entries, where a span counts once (tl_event_counts), in the limit_ns
 * before each entry and each tick, by a clock that runs only while the messages
 * are observed: so the rate is the rate of the observed time, and a rule
 * without limit_ns of observed time concludes nothing.  A high rate needs one
 * of the messages observed, because unobserved entries could only add to it; a
 * low rate needs all messages observed.  After a loss an interval is forgotten,
 * an absent message might have been lost, and a rate is known to be low only
 * when limit_ns have passed without another loss.
 *
 * Span: judged once, at its end or at the first tick that finds it open for
 * longer than the limit, because a span that hangs never ends.  A span that was
 * open when its observed time ended is judged up to then only.  Spans that are
 * open when entries are lost are forgotten: their end, or another begin, may
 * have been lost.  All rules share the pairing.  judged_tsc of a rule: spans
 * that began up to then were longer than its limit, and were judged at a tick.
 */
#include "clock/clock.h"
#include "daemon/rules/engine.h"
#include "event/render.h"

#include <math.h>

/* == one entry == */

static void
put_entry(struct tl_text *text, const struct tl_event *event)
{
	tl_put_plain(text, event->message->category);
	tl_put_string(text, ": ");
	tl_render_line(text, event);
}

void
tl_rule_put_event(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	struct tl_text *text;

	if (!tl_rule_passes(rules, rule, event))
		return;
	text = tl_rule_claim(rules, rule);
	if (!text)
		return;
	tl_put_string(text, tl_level_name(event->level));
	tl_put_char(text, ' ');
	put_entry(text, event);
	tl_rule_fire(rules, rule, event);
}

/* The number that an argument's 64 bits stand for.  The 64 bits of a long
 * double's mantissa hold each such number exactly. */
static long double
value_of(const struct tl_event *event, unsigned index)
{
	const uint64_t bits = event->args[index];
	double value;

	switch (event->message->args[index].format) {
	case TIMELINE_ARG_SIGNED:
	case TIMELINE_ARG_DURATION:
		return (int64_t)bits;
	case TIMELINE_ARG_DOUBLE:
		memcpy(&value, &bits, sizeof(value));
		return value;
	default:
		return bits;
	}
}

void
tl_rule_put_argument(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, unsigned index)
{
	const struct tl_config_rule *config = rule->config;
	const double clear =
	    isnan(config->clear) ? config->bound : config->clear;
	const long double value = event->bare ? NAN : value_of(event, index);
	const bool bad =
	    config->below ? value < config->bound : value > config->bound;
	const bool good = config->below ? value >= clear : value <= clear;
	struct tl_text *text;

	/* Evaluate the expression only if the answer changes the rule. */
	if (!tl_rule_turns(rule, bad, good) ||
	    !tl_rule_passes(rules, rule, event))
		return;
	if (rule->disarmed) {
		rule->disarmed = false;
		return;
	}
	text = tl_rule_claim(rules, rule);
	if (!text)
		return;
	tl_put_plain(text, event->message->args[index].name);
	tl_put_char(text, ' ');
	tl_render_arg(text, event, index);
	tl_put_string(text, config->below ? " is below " : " is above ");
	tl_put_double(text, config->bound);
	tl_put_string(text, ", ");
	put_entry(text, event);
	tl_rule_fire(rules, rule, event);
}

/* == time == */

/* Put the condition of the rule as configured. */
static void
put_match(struct tl_text *text, const struct tl_config_match *match)
{
	if (match->category) {
		tl_put_plain(text, tl_bytes_of(match->category));
		tl_put_string(text, ": ");
	}
	tl_put_plain(text, tl_bytes_of(match->message ? match->message : "*"));
}

/* == interval == */

/* Judge an interval that took ns, or that has taken ns so far. */
static void
judge_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, int64_t ns)
{
	struct tl_text *text;

	if (!tl_rule_turns_ns(rule, ns))
		return;
	if (rule->disarmed) {
		rule->disarmed = false;
		return;
	}
	text = tl_rule_claim(rules, rule);
	if (!text)
		return;
	tl_put_format(text, "%s %s (limit %s) from ",
	    event ? "took" : "waiting for", TL_DURATION(ns),
	    TL_DURATION(tl_rule_limit(rule)));
	put_match(text, &rule->config->match);
	tl_put_string(text, " to ");
	put_match(text, &rule->config->other);
	if (event) {
		tl_put_string(text, ", ");
		put_entry(text, event);
	}
	tl_rule_fire(rules, rule, event);
}

void
tl_rule_put_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, unsigned part)
{
	struct tl_observed observed;

	tl_rule_observe(rules, rule, event->tsc, &observed);
	rule->since &= observed.open && observed.since <= rule->since_tsc;
	if ((part & TL_PART_OTHER) && rule->since) {
		rule->since = false;
		if (!rule->judged)
			judge_interval(rules, rule, event,
			    tl_rules_ns(rules, rule->since_tsc, event->tsc));
	}
	if ((part & TL_PART_FIRST) && !rule->since && observed.open &&
	    tl_rule_passes(rules, rule, event)) {
		rule->since = true;
		rule->since_tsc = event->tsc;
		rule->judged = false;
	}
}

void
tl_rule_tick_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed)
{
	int64_t ns;

	if (!rule->since)
		return;
	rule->since = observed->since <= rule->since_tsc;
	ns = tl_rules_ns(rules, rule->since_tsc, observed->to);
	if (rule->since && !rule->judged && ns > tl_rule_limit(rule)) {
		rule->judged = true;
		if (!rule->disarmed)
			judge_interval(rules, rule, NULL, ns);
	}
	rule->since &= observed->open;
}

/* == absent == */

void
tl_rule_put_absent(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	if (!tl_rule_passes(rules, rule, event))
		return;
	if (!rule->since || event->tsc > rule->since_tsc)
		rule->since_tsc = event->tsc;
	rule->since = true;
	rule->disarmed = false;
	rule->held = false;
}

void
tl_rule_tick_absent(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed)
{
	struct tl_text *text;
	int64_t ns;

	if (!rule->since) {
		rule->since = true;
		rule->since_tsc = rules->now.tsc;
		return;
	}
	ns = tl_rules_ns(rules,
	    observed->since > rule->since_tsc ? observed->since
					      : rule->since_tsc,
	    observed->to);
	if (rule->disarmed || ns <= tl_rule_limit(rule))
		return;
	text = tl_rule_claim(rules, rule);
	rule->held = !text;
	if (!text)
		return;
	tl_put_format(text, "not seen for %s: ", TL_DURATION(ns));
	put_match(text, &rule->config->match);
	tl_rule_fire(rules, rule, NULL);
}

/* == rate == */

/* The least number of entries in limit_ns that is more than per_second (with
 * below: not fewer). */
static uint64_t
count_at(const struct tl_rule *rule, double per_second)
{
	const double n = per_second * (double)rule->config->limit_ns / 1e9;
	const double least = rule->config->below ? ceil(n) : floor(n) + 1;

	if (!(least > 0))
		return 0;
	return least < (double)TL_WINDOW_ASKED_MAX ? (uint64_t)least
						   : TL_WINDOW_ASKED_MAX;
}

int
tl_rule_rate_init(struct tl_rule *rule)
{
	const struct tl_config_rule *config = rule->config;
	const double clear =
	    isnan(config->clear) ? config->bound : config->clear;

	rule->enough = count_at(rule, config->bound);
	rule->enough_clear = count_at(rule, clear);
	return tl_window_init(&rule->stamps, rule->enough > rule->enough_clear
						 ? rule->enough
						 : rule->enough_clear);
}

/* Judge a rule whose rate was high enough or not in the last limit_ns: if that
 * turns the rule, fire it or arm it again. */
static void
judge_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_observed *observed, bool high)
{
	const uint64_t enough =
	    rule->disarmed ? rule->enough_clear : rule->enough;
	struct tl_text *text;

	if (tl_window_has(&rule->stamps, enough,
		tl_ticks_between(rule->limit_ticks, observed->ticks)) != high) {
		rule->held = false;
		return;
	}
	if (rule->disarmed) {
		rule->disarmed = false;
		return;
	}
	text = tl_rule_claim(rules, rule);
	rule->held = !text;
	if (!text)
		return;
	tl_put_string(text, rule->config->below ? "fewer than " : "more than ");
	tl_put_double(text, rule->config->bound);
	tl_put_format(text, " a second over %s%s",
	    TL_DURATION(tl_rule_limit(rule)),
	    observed->to - observed->since < rule->limit_ticks
		? " of observed time"
		: "");
	if (event) {
		tl_put_string(text, ", ");
		put_entry(text, event);
	} else {
		tl_put_string(text, ": ");
		put_match(text, &rule->config->match);
	}
	tl_rule_fire(rules, rule, event);
}

/* Judge a rule at a low rate.  The rate is known to be low only if no entry was
 * missed. */
static void
judge_low(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_observed *observed)
{
	if (!rule->since) {
		rule->since = true;
		rule->since_tsc = observed->ticks;
	}
	/* A rule with below fires here; any other rule is armed again here. */
	if (rule->disarmed != rule->config->below &&
	    observed->ticks - rule->since_tsc >= rule->limit_ticks)
		judge_rate(rules, rule, event, observed, false);
}

void
tl_rule_put_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	struct tl_observed observed;

	tl_rule_observe(rules, rule, event->tsc, &observed);
	if (!observed.open || !tl_rule_passes(rules, rule, event))
		return;
	judge_low(rules, rule, event, &observed);
	tl_window_add(&rule->stamps, (int64_t)observed.ticks);
	if (rule->disarmed == rule->config->below)
		judge_rate(rules, rule, event, &observed, true);
}

void
tl_rule_tick_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed)
{
	judge_low(rules, rule, NULL, observed);
}

/* == spans == */

enum { SCAN_NS = 1000 }; /* pause per examined span */

int
tl_rules_pair(struct tl_rules *rules, const struct tl_event *event,
    struct tl_span *span)
{
	int rc;

	if (!rules->spans)
		return 0;
	rc = tl_spans_put(rules->spans, event, span);
	if (rc < 0) /* A begin is missing, so ends would find wrong begins. */
		tl_rules_drop_spans(rules);
	return rc == 1 && !span->lossy;
}

void
tl_rules_drop_spans(struct tl_rules *rules)
{
	const struct tl_event loss = { .kind = TL_LOST };
	struct tl_spans_count count;
	struct tl_spans *fresh;
	struct tl_span span;

	for (size_t i = 0; i < rules->count; i++)
		rules->list[i].judged_tsc = 0;
	rules->scan_tsc = 0;
	if (!rules->spans)
		return;
	tl_spans_counts(rules->spans, &count);
	if (count.lonely_begins == 0)
		return;
	if (tl_spans_new(&fresh) == 0) {
		tl_spans_free(rules->spans);
		rules->spans = fresh;
	} else { /* at least mark the open spans as unsure */
		tl_spans_put(rules->spans, &loss, &span);
	}
}

/* Apply the expression of a rule to the begin event: every span has the
 * arguments of its begin. */
static bool
begin_passes(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_span *span)
{
	struct tl_event begin;

	if (!rule->config->when)
		return true;
	begin = tl_span_begin(span);
	return tl_rule_passes(rules, rule, &begin);
}

/* Fire for a span that took ns, or that has been open for ns. */
static void
fire(struct tl_rules *rules, struct tl_rule *rule, const struct tl_event *event,
    const struct tl_span *span, int64_t ns)
{
	const struct tl_event begin = tl_span_begin(span);
	struct tl_text *text = tl_rule_claim(rules, rule);

	if (!text)
		return;
	tl_put_format(text, "%s %s (limit %s), pid %u, ",
	    event ? "took" : "still open after", TL_DURATION(ns),
	    TL_DURATION(tl_rule_limit(rule)), span->pid);
	tl_put_plain(text, begin.message->category);
	tl_put_string(text, ": ");
	tl_render_node(text, &begin, true);
	tl_rule_fire(rules, rule, event);
}

void
tl_rule_put_span(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_span *span)
{
	const int64_t ns = tl_rules_ns(rules, span->begin_tsc, span->end_tsc);

	if ((span->begin_tsc < rule->judged_tsc && !span->late) ||
	    !tl_rule_turns_ns(rule, ns) || !begin_passes(rules, rule, span))
		return;
	if (rule->disarmed)
		rule->disarmed = false;
	else
		fire(rules, rule, event, span, ns);
}

/* The stamp before which begins are older than the limit. */
static uint64_t
reach_of(const struct tl_rule *rule, uint64_t tsc)
{
	return tsc > rule->limit_ticks ? tsc - rule->limit_ticks : 0;
}

/* Has the process ended whose thread began the span?  A later process may have
 * the same number. */
static bool
is_of_dead(const struct tl_rules *rules, const struct tl_span *span)
{
	if (span->message->scope == TIMELINE_SOURCE) /* any may end it */
		return false;
	for (unsigned i = 0; i < TL_RULES_DEAD_MAX; i++)
		if (rules->dead[i].pid == span->pid &&
		    rules->dead[i].ns >= span->begin_ns)
			return true;
	return false;
}

/* Judge an open span by every rule that wants the span. */
static void
judge_open(struct tl_rules *rules, const struct tl_span *span)
{
	uint64_t wanted =
	    tl_rules_match(rules, span->message)->wanted & rules->on;
	struct tl_observed observed;

	tl_rules_observe_message(rules, span->message, rules->now.tsc,
	    &observed);
	if (span->proven) /* the end is logged at any level */
		observed.to = rules->now.tsc;
	else if (observed.since > span->begin_tsc) /* the span is cut */
		return;
	for (; wanted; wanted &= wanted - 1) {
		struct tl_rule *rule = &rules->list[__builtin_ctzll(wanted)];

		if (rule->config->kind != TL_RULE_SPAN || rule->disarmed ||
		    span->begin_tsc < rule->judged_tsc ||
		    span->begin_tsc >= reach_of(rule, observed.to) ||
		    !begin_passes(rules, rule, span))
			continue;
		fire(rules, rule, NULL, span,
		    tl_rules_ns(rules, span->begin_tsc, observed.to));
	}
}

void
tl_rules_tick_spans(struct tl_rules *rules)
{
	struct tl_span span;
	uint64_t farthest = 0; /* the youngest begin that any rule judges */
	uint64_t looked = 0;
	uint32_t index = 0;

	if (!rules->spans || rules->now.tsc < rules->scan_tsc)
		return;
	for (size_t i = 0; i < rules->count; i++) {
		const struct tl_rule *rule = &rules->list[i];
		const uint64_t reach = reach_of(rule, rules->now.tsc);

		if (rule->config->kind == TL_RULE_SPAN && reach > farthest)
			farthest = reach;
	}
	/* At most TL_SPANS_OPEN_MAX spans are examined; if most of them are
	 * old, not at every tick. */
	while (tl_spans_open(rules->spans, &index, &span) &&
	       span.begin_tsc < farthest) {
		if (tl_span_is_sure(&span) && !is_of_dead(rules, &span))
			judge_open(rules, &span);
		looked++;
	}
	rules->scan_tsc =
	    rules->now.tsc + tl_ns_to_ticks(looked * SCAN_NS, rules->mult);
	for (size_t i = 0; i < rules->count; i++) {
		struct tl_rule *rule = &rules->list[i];
		const uint64_t reach = reach_of(rule, rules->now.tsc);

		if (rule->config->kind == TL_RULE_SPAN &&
		    reach > rule->judged_tsc)
			rule->judged_tsc = reach;
	}
}
