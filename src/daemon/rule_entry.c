/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_entry.c - rules that one entry answers: there it is, its level, its
 * argument.
 *
 * These kinds but the argument have no value that could come back, so they
 * are always armed.
 */
#include "daemon/rule.h"
#include "event/render.h"

#include <math.h>

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
	text = tl_rule_claim(rules, rule, event->ns);
	if (!text)
		return;
	tl_put_string(text, tl_level_name(event->level));
	tl_put_char(text, ' ');
	put_entry(text, event);
	tl_rule_fire(rules, rule, event, event->ns);
}

/* The number that an argument's 64 bits stand for: 64 bits of mantissa hold
 * each of them exactly. */
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

	/* Ask the expression only where the answer changes something. */
	if (!tl_rule_turns(rule, bad, good) ||
	    !tl_rule_passes(rules, rule, event))
		return;
	if (rule->disarmed) {
		rule->disarmed = false;
		return;
	}
	text = tl_rule_claim(rules, rule, event->ns);
	if (!text)
		return;
	tl_put_plain(text, event->message->args[index].name);
	tl_put_char(text, ' ');
	tl_render_arg(text, event, index);
	tl_put_string(text, config->below ? " is below " : " is above ");
	tl_put_double(text, config->bound);
	tl_put_string(text, ", ");
	put_entry(text, event);
	tl_rule_fire(rules, rule, event, event->ns);
}
