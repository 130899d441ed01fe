/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_match.c - which rules want a message: asked of the globs once, then
 * remembered by the message's address.
 */
#include "daemon/rule.h"
#include "event/filter.h"

#include <stdlib.h>

/* The entries that tell of levels are there because of us as often as not:
 * only who asks for their category wants them. */
static bool
is_match(const struct tl_config_match *match, const struct tl_message *message)
{
	if (message->builtin != TIMELINE_BUILTIN_NONE && !match->category)
		return false;
	return (!match->category ||
		   tl_glob_matches(match->category, message->category)) &&
	       (!match->message ||
		   tl_glob_matches(match->message, message->line1));
}

/* The number of an argument of that name whose value is a number; -1. */
static int
find_argument(const struct tl_message *message, const char *name)
{
	for (int i = 0; i < message->argc; i++) {
		if (tl_bytes_equal(message->args[i].name, tl_bytes_of(name)))
			return message->args[i].format == TIMELINE_ARG_STRING
				   ? -1
				   : i;
	}
	return -1;
}

static unsigned
interval_part(const struct tl_config_rule *rule,
    const struct tl_message *message)
{
	unsigned part = 0;

	if (is_match(&rule->match, message))
		part |= TL_PART_FIRST;
	if (is_match(&rule->other, message))
		part |= TL_PART_OTHER;
	return part;
}

/* Does the rule want it, and which part of it? */
static bool
wants(const struct tl_config_rule *rule, const struct tl_message *message,
    uint8_t *part)
{
	int i;

	if (rule->kind == TL_RULE_INTERVAL) {
		*part = (uint8_t)interval_part(rule, message);
		return *part != 0;
	}
	if (rule->kind == TL_RULE_DIED || !is_match(&rule->match, message))
		return false;
	switch (rule->kind) {
	case TL_RULE_SPAN:
		return message->kind == TIMELINE_RECORD_SPAN;
	case TL_RULE_LEVEL:
		return message->level >= rule->level;
	case TL_RULE_ARGUMENT:
		i = rule->argument ? find_argument(message, rule->argument)
				   : -1;
		*part = (uint8_t)i;
		return i >= 0;
	default:
		return true;
	}
}

static void
fill(struct tl_rule_match *match, const struct tl_rules *rules,
    const struct tl_message *message)
{
	*match = (struct tl_rule_match){ 0 };
	for (size_t i = 0; i < rules->count; i++) {
		const struct tl_config_rule *rule = rules->list[i].config;

		if (!wants(rule, message, &match->part[i]))
			continue;
		match->wanted |= (uint64_t)1 << i;
		match->is_span |= rule->kind == TL_RULE_SPAN;
	}
}

/* What no rule wants need not be kept one by one. */
static struct tl_rule_match unwanted;

static void
release(void *value)
{
	if (value != &unwanted)
		free(value);
}

static const struct tl_rule_match *
make(struct tl_rules *rules, const struct tl_message *message)
{
	struct tl_rule_match *kept = &unwanted;

	fill(&rules->scratch, rules, message);
	if (rules->scratch.wanted) {
		kept = malloc(sizeof(*kept));
		if (!kept)
			return &rules->scratch;
		*kept = rules->scratch;
	}
	if (tl_message_map_add(&rules->map, message, kept) == 0)
		return kept;
	release(kept);
	return &rules->scratch;
}

const struct tl_rule_match *
tl_rules_match(struct tl_rules *rules, const struct tl_message *message)
{
	const struct tl_rule_match *match =
	    tl_message_map_find(&rules->map, message);

	return match ? match : make(rules, message);
}

void
tl_rules_forget_matches(struct tl_rules *rules)
{
	tl_message_map_free(&rules->map, release);
}
