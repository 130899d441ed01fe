/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_fire.c - may a rule fire now?  Then tell the host.
 */
#include "daemon/rule.h"

#include <math.h>

/* Was it long enough since it fired, and not too often this hour? */
static bool
is_allowed(const struct tl_rule *rule, int64_t ns)
{
	const struct tl_config_rule *config = rule->config;
	const int64_t since = tl_ns_since(ns, rule->fired_ns);

	if (rule->fired > 0 &&
	    (since < 0 ? 0 : (uint64_t)since) < config->every_ns)
		return false;
	return config->fires_max == 0 ||
	       !tl_window_has(&rule->fires, config->fires_max,
		   tl_ns_since(ns, TL_HOUR_NS));
}

struct tl_text *
tl_rule_claim(struct tl_rules *rules, struct tl_rule *rule, int64_t ns)
{
	if (!is_allowed(rule, ns)) {
		rule->suppressed += !rule->held;
		return NULL;
	}
	tl_text_clear(&rules->text);
	return &rules->text;
}

/* As much of the text as fits, cut between two characters. */
static void
copy_text(char *to, struct tl_text *text)
{
	const char *from = tl_text_string(text);
	size_t size = text->size;

	if (size > TL_FIRING_TEXT_MAX - 1) {
		size = TL_FIRING_TEXT_MAX - 1;
		while (size > 0 && ((unsigned char)from[size] & 0xc0) == 0x80)
			size--;
	}
	memcpy(to, from, size);
	to[size] = '\0';
}

void
tl_rule_fire(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, int64_t ns)
{
	struct tl_firing firing = { .rule = rule->config,
		.event = event,
		.ns = ns };

	copy_text(firing.text, &rules->text);
	rule->fired++;
	rule->fired_ns = ns;
	rule->disarmed = true;
	rule->held = false;
	if (rule->config->fires_max > 0)
		tl_window_add(&rule->fires, ns);
	rules->host.fired(rules->host.context, &firing);
}

bool
tl_rule_turns_ns(const struct tl_rule *rule, int64_t ns)
{
	const double clear = rule->config->clear;
	const int64_t limit = tl_rule_limit(rule);

	return tl_rule_turns(rule, ns > limit,
	    isnan(clear) ? ns <= limit : (long double)ns <= clear);
}
