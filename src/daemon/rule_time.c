/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_time.c - rules about the time between entries, and about how many
 * there are in a time.
 *
 * Interval: from the first message, whoever logged it, to the next one that
 * matches the other; more of the first in between change nothing.  Absent:
 * watched from the first tick on, and each time it was seen.  Rate: entries
 * in the limit_ns before each entry and each tick.  Where entries were lost,
 * an interval is forgotten, an absent message might have been there, and a
 * rate is known to be low only when limit_ns have passed without a loss.
 */
#include "daemon/rule.h"
#include "event/render.h"

#include <math.h>

static void
put_entry(struct tl_text *text, const struct tl_event *event)
{
	tl_put_string(text, ", ");
	tl_put_plain(text, event->message->category);
	tl_put_string(text, ": ");
	tl_render_line(text, event);
}

/* What the rule looks for, as it was configured. */
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

/* It took, or takes already, so long. */
static void
judge_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, int64_t now_ns)
{
	const int64_t ns = tl_ns_since(now_ns, rule->since_ns);
	struct tl_text *text;

	if (!tl_rule_turns_ns(rule, ns))
		return;
	if (rule->disarmed) {
		rule->disarmed = false;
		return;
	}
	text = tl_rule_claim(rules, rule, now_ns);
	if (!text)
		return;
	tl_put_string(text, event ? "took " : "waits since ");
	tl_put_duration(text, ns);
	tl_put_string(text, " (limit ");
	tl_put_duration(text, tl_rule_limit(rule));
	tl_put_string(text, ") from ");
	put_match(text, &rule->config->match);
	tl_put_string(text, " to ");
	put_match(text, &rule->config->other);
	tl_rule_fire(rules, rule, event, now_ns);
}

void
tl_rule_put_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, unsigned part)
{
	if ((part & TL_PART_OTHER) && rule->since) {
		rule->since = false;
		if (!rule->judged)
			judge_interval(rules, rule, event, event->ns);
	}
	if ((part & TL_PART_FIRST) && !rule->since &&
	    tl_rule_passes(rules, rule, event)) {
		rule->since = true;
		rule->since_ns = event->ns;
		rule->judged = false;
	}
}

void
tl_rule_tick_interval(struct tl_rules *rules, struct tl_rule *rule,
    int64_t now_ns)
{
	if (!rule->since || rule->judged ||
	    tl_ns_since(now_ns, rule->since_ns) <= tl_rule_limit(rule))
		return;
	rule->judged = true;
	if (!rule->disarmed)
		judge_interval(rules, rule, NULL, now_ns);
}

/* == absent == */

void
tl_rule_put_absent(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	if (!tl_rule_passes(rules, rule, event))
		return;
	if (!rule->since || event->ns > rule->since_ns)
		rule->since_ns = event->ns;
	rule->since = true;
	rule->disarmed = false;
	rule->held = false;
}

void
tl_rule_tick_absent(struct tl_rules *rules, struct tl_rule *rule,
    int64_t now_ns)
{
	const int64_t ns = tl_ns_since(now_ns, rule->since_ns);
	struct tl_text *text;

	if (!rule->since) {
		rule->since = true;
		rule->since_ns = now_ns;
		return;
	}
	if (rule->disarmed || ns <= tl_rule_limit(rule))
		return;
	text = tl_rule_claim(rules, rule, now_ns);
	rule->held = !text;
	if (!text)
		return;
	tl_put_string(text, "not seen for ");
	tl_put_duration(text, ns);
	tl_put_string(text, ": ");
	put_match(text, &rule->config->match);
	tl_rule_fire(rules, rule, NULL, now_ns);
}

/* == rate == */

/* The least number of entries in limit_ns that is more than (or, where below
 * is asked, not fewer than) so many a second. */
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

static void
fire_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, int64_t now_ns)
{
	struct tl_text *text = tl_rule_claim(rules, rule, now_ns);

	rule->held = !text;
	if (!text)
		return;
	tl_put_string(text, rule->config->below ? "fewer" : "more");
	tl_put_string(text, " than ");
	tl_put_double(text, rule->config->bound);
	tl_put_string(text, " a second over ");
	tl_put_duration(text, tl_rule_limit(rule));
	if (event) {
		put_entry(text, event);
	} else {
		tl_put_string(text, ": ");
		put_match(text, &rule->config->match);
	}
	tl_rule_fire(rules, rule, event, now_ns);
}

/* There are so few that the rate is low: true only where none was missed. */
static void
judge_low(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, int64_t now_ns)
{
	const int64_t limit = tl_rule_limit(rule);
	const int64_t after_ns = tl_ns_since(now_ns, limit);
	const uint64_t enough =
	    rule->disarmed ? rule->enough_clear : rule->enough;

	if (!rule->since) {
		rule->since = true;
		rule->since_ns = now_ns;
	}
	/* It fires on the low side where below is asked, and is armed again
	 * there where it is not. */
	if (rule->disarmed == rule->config->below ||
	    tl_ns_since(now_ns, rule->since_ns) < limit)
		return;
	if (tl_window_has(&rule->stamps, enough, after_ns)) {
		rule->held = false;
		return;
	}
	if (!rule->disarmed)
		fire_rate(rules, rule, event, now_ns);
	else
		rule->disarmed = false;
}

/* There are so many that the rate is high. */
static void
judge_high(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	const int64_t after_ns = tl_ns_since(event->ns, tl_rule_limit(rule));
	const uint64_t enough =
	    rule->disarmed ? rule->enough_clear : rule->enough;

	if (rule->disarmed != rule->config->below)
		return;
	if (!tl_window_has(&rule->stamps, enough, after_ns)) {
		rule->held = false;
		return;
	}
	if (!rule->disarmed)
		fire_rate(rules, rule, event, event->ns);
	else
		rule->disarmed = false;
}

void
tl_rule_put_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	if (!tl_rule_passes(rules, rule, event))
		return;
	judge_low(rules, rule, event, event->ns);
	tl_window_add(&rule->stamps, event->ns);
	judge_high(rules, rule, event);
}

void
tl_rule_tick_rate(struct tl_rules *rules, struct tl_rule *rule, int64_t now_ns)
{
	judge_low(rules, rule, NULL, now_ns);
}
