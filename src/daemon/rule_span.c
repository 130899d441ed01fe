/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_span.c - rules about how long spans take.
 *
 * A span is judged once: when it ends, or at the first tick that finds it
 * open for longer than the limit, because what hangs never ends.  What is
 * open when entries are lost is forgotten: its end, or another begin, may have
 * been among them.  All rules share the pairing.
 *
 *	judged_ns of a rule: begins up to here are older than its limit, and
 *	were judged at a tick
 */
#include "clock/clock.h"
#include "daemon/rule.h"

enum { SCAN_NS = 1000 }; /* pause for each span that was looked at */

int
tl_rules_pair(struct tl_rules *rules, const struct tl_event *event,
    struct tl_span *span)
{
	int rc;

	if (!rules->spans)
		return 0;
	rc = tl_spans_put(rules->spans, event, span);
	if (rc < 0) /* a begin is missing: ends would find wrong ones */
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
		rules->list[i].judged_ns = INT64_MIN;
	rules->scan_ns = INT64_MIN;
	if (!rules->spans)
		return;
	tl_spans_counts(rules->spans, &count);
	if (count.lonely_begins == 0)
		return;
	if (tl_spans_new(&fresh) == 0) {
		tl_spans_free(rules->spans);
		rules->spans = fresh;
	} else { /* they are marked at least */
		tl_spans_put(rules->spans, &loss, &span);
	}
}

/* The expression of a rule is asked about the begin, which has the arguments
 * that all spans have. */
static bool
begin_passes(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_span *span)
{
	struct tl_event begin = { .ns = span->begin_ns,
		.tsc = span->begin_tsc,
		.message = span->message,
		.cpu = span->begin_cpu,
		.pid = span->pid,
		.tid = span->tid,
		.epoch = span->begin_epoch,
		.source = span->source,
		.kind = TL_BEGIN,
		.level = span->message->level };

	if (!rule->config->when)
		return true;
	memcpy(begin.args, span->args, sizeof(begin.args));
	return tl_rule_passes(rules, rule, &begin);
}

static void
fire(struct tl_rules *rules, struct tl_rule *rule, const struct tl_event *event,
    const struct tl_span *span, int64_t now_ns)
{
	struct tl_text *text = tl_rule_claim(rules, rule, now_ns);

	if (!text)
		return;
	tl_put_string(text, event ? "took " : "still open after ");
	tl_put_duration(text, tl_ns_since(now_ns, span->begin_ns));
	tl_put_string(text, " (limit ");
	tl_put_duration(text, tl_rule_limit(rule));
	tl_put_string(text, "), pid ");
	tl_put_unsigned(text, span->pid);
	tl_put_string(text, ", ");
	tl_put_plain(text, span->message->category);
	tl_put_string(text, ": ");
	tl_put_plain(text, span->message->line1);
	tl_rule_fire(rules, rule, event, now_ns);
}

void
tl_rule_put_span(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_span *span)
{
	if (span->begin_ns <= rule->judged_ns ||
	    !tl_rule_turns_ns(rule, span->duration_ns) ||
	    !begin_passes(rules, rule, span))
		return;
	if (rule->disarmed)
		rule->disarmed = false;
	else
		fire(rules, rule, event, span, event->ns);
}

/* Begins up to here are older than the limit. */
static int64_t
reach_of(const struct tl_rule *rule, int64_t now_ns)
{
	return tl_ns_since(tl_ns_since(now_ns, tl_rule_limit(rule)), 1);
}

/* An open span before every rule that wants it. */
static void
judge_open(struct tl_rules *rules, const struct tl_span *span, int64_t now_ns)
{
	uint64_t wanted =
	    tl_rules_match(rules, span->message)->wanted & rules->on;

	for (; wanted; wanted &= wanted - 1) {
		struct tl_rule *rule = &rules->list[__builtin_ctzll(wanted)];

		if (rule->config->kind != TL_RULE_SPAN || rule->disarmed ||
		    span->begin_ns <= rule->judged_ns ||
		    span->begin_ns > reach_of(rule, now_ns) ||
		    !begin_passes(rules, rule, span))
			continue;
		fire(rules, rule, NULL, span, now_ns);
	}
}

/* The youngest begin that any rule wants judged now. */
static int64_t
farthest_reach(const struct tl_rules *rules, int64_t now_ns)
{
	int64_t farthest = INT64_MIN;

	for (size_t i = 0; i < rules->count; i++) {
		const struct tl_rule *rule = &rules->list[i];
		const int64_t reach = reach_of(rule, now_ns);

		if (rule->config->kind == TL_RULE_SPAN && reach > farthest)
			farthest = reach;
	}
	return farthest;
}

void
tl_rules_tick_spans(struct tl_rules *rules, int64_t now_ns)
{
	struct tl_span span;
	int64_t farthest, looked = 0;
	uint32_t index = 0;

	if (!rules->spans || now_ns < rules->scan_ns)
		return;
	farthest = farthest_reach(rules, now_ns);
	/* At most TL_SPANS_OPEN_MAX; where most are old, not every time. */
	while (tl_spans_open(rules->spans, &index, &span) &&
	       span.begin_ns <= farthest) {
		if (!span.lossy)
			judge_open(rules, &span, now_ns);
		looked++;
	}
	rules->scan_ns = tl_add_ns(now_ns, looked * SCAN_NS);
	for (size_t i = 0; i < rules->count; i++) {
		struct tl_rule *rule = &rules->list[i];
		const int64_t reach = reach_of(rule, now_ns);

		if (rule->config->kind == TL_RULE_SPAN &&
		    reach > rule->judged_ns)
			rule->judged_ns = reach;
	}
}
