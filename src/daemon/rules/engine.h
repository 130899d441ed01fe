/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - the rules of one timeline at work; included in src/daemon/rules
 * only.
 *
 *	entry --> engine.c --> rule.c: which rules want this message?
 *			   --> kinds.c: event, level, argument, interval,
 *			       absent, rate, span
 *	each --> rule.c: does its expression let the entry pass, and may it
 *		 fire now?
 *
 * A rule that has fired is disarmed until what it watches was on the good
 * side of its bound again.  One that may not fire (every_ns, fires_max) stays
 * armed, so that what lasts is reported when it may.
 */
#ifndef TL_DAEMON_RULES_ENGINE_H
#define TL_DAEMON_RULES_ENGINE_H

#include "base/ns.h"
#include "base/text.h"
#include "clock/clock.h"
#include "daemon/rules/rules.h"
#include "daemon/rules/window.h"
#include "event/message_map.h"
#include "event/spans.h"
#include "script/script.h"

struct tl_rule {
	const struct tl_config_rule *config;
	struct tl_script_filter *when; /* made at its first use */
	uint64_t fired;
	uint64_t suppressed;
	uint64_t fired_tsc;     /* last, where fired > 0 */
	struct tl_window fires; /* of the last hour */
	bool off;
	bool disarmed;
	bool held; /* what lasts was suppressed, and counted once */
	/* Since since_tsc: interval, the first message waits for the other;
	 * absent, the message was not seen; rate, by its own clock, nothing
	 * was missed. */
	bool since;
	bool judged; /* interval: what waits was too long already */
	bool has_gate;
	uint8_t gate; /* what is watched is observed while this one is open */
	uint64_t since_tsc;
	uint64_t judged_tsc; /* span: those begun up to here were judged */
	uint64_t limit_ticks;
	struct tl_window stamps; /* rate: by its own clock */
	uint64_t enough;         /* rate: entries in limit_ns to fire */
	uint64_t enough_clear;   /* rate: entries to be armed again */
	/* up to the last tick */
	bool watched;
	struct tl_observed observed;
	uint64_t unobserved; /* ticks */
};

/* The rules that a message concerns. */
struct tl_rule_match {
	uint64_t wanted;                   /* bit i: rule i does */
	bool is_span;                      /* a rule of spans does */
	uint8_t part[TL_CONFIG_RULES_MAX]; /* argument: its number;
					      interval: enum tl_rule_part */
};
enum tl_rule_part { TL_PART_FIRST = 1, TL_PART_OTHER = 2 };

struct tl_rules {
	struct tl_rules_host host;
	struct tl_rule *list;
	size_t count;
	uint64_t on; /* bit i: rule i was not disabled */
	struct tl_message_map map;
	struct tl_rule_match scratch; /* of a message that is not kept */
	struct tl_spans *spans;       /* NULL: no rule asks for spans */
	struct tl_text text;
	uint64_t mult; /* of the stamps: ns per tick, times 2^63 */
	/* of the entry or tick at work */
	struct tl_rules_now now;
	bool has_newest;
	bool has_tick;
	bool cut_due;        /* something was missed, at the next time */
	uint32_t epoch;      /* of the newest entry */
	uint64_t newest_tsc; /* entry */
	uint64_t tick_tsc;
	uint64_t scan_tsc; /* open spans are looked through not before */
};

_Static_assert(TL_CONFIG_RULES_MAX <= 64, "a bit for each rule");

/* From one stamp to another, in ns; below 0 if the other is earlier. */
static inline int64_t
tl_rules_ns(const struct tl_rules *rules, uint64_t from, uint64_t to)
{
	return tl_ticks_to_ns(tl_ticks_between(from, to), rules->mult);
}

/* limit_ns of a rule as a signed number. */
static inline int64_t
tl_rule_limit(const struct tl_rule *rule)
{
	const uint64_t ns = rule->config->limit_ns;

	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/* engine.c: is what the rule watches observed at a stamp?  All that match: for
 * a rule that concludes something from what is not there; else any. */
void tl_rule_observe(struct tl_rules *rules, struct tl_rule *rule, uint64_t tsc,
    struct tl_observed *observed);
/* engine.c: the same of one message. */
void tl_rules_observe_message(const struct tl_rules *rules,
    const struct tl_message *message, uint64_t tsc,
    struct tl_observed *observed);

/* rule.c: what the rules want of this message; valid until the next call. */
const struct tl_rule_match *
tl_rules_match(struct tl_rules *rules, const struct tl_message *message);
void tl_rules_forget_matches(struct tl_rules *rules);

/* rule.c: does the expression let the event pass?  A failure switches
 * the rule off. */
bool tl_rule_passes(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
/* Make the filter of a rule that has an expression: 0 or -errno. */
int tl_rule_compile(struct tl_rule *rule, struct tl_fault *fault);

/* rule.c: an empty text to describe the firing; NULL: the rule must not fire
 * now.  tl_rule_fire then reports it and disarms the rule. */
struct tl_text *tl_rule_claim(struct tl_rules *rules, struct tl_rule *rule);
void tl_rule_fire(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
/* Does a value that is over the bound, or good enough to be armed again,
 * change anything? */
static inline bool
tl_rule_turns(const struct tl_rule *rule, bool bad, bool good)
{
	return rule->disarmed ? good : bad;
}
/* The same of a span or interval with this duration. */
bool tl_rule_turns_ns(const struct tl_rule *rule, int64_t ns);

/* kinds.c: an entry that matches. */
void tl_rule_put_event(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
void tl_rule_put_argument(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, unsigned index);

int tl_rule_rate_init(struct tl_rule *rule);
void tl_rule_put_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, unsigned part);
void tl_rule_put_absent(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
void tl_rule_put_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
/* At a tick; observed is what the rule watches. */
void tl_rule_tick_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed);
void tl_rule_tick_absent(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed);
void tl_rule_tick_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed);

/* kinds.c: pair an entry of a message that rules of spans want: 1 and the
 * span that it ended, or 0. */
int tl_rules_pair(struct tl_rules *rules, const struct tl_event *event,
    struct tl_span *span);
void tl_rule_put_span(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_span *span);
/* Evaluate the spans that are still open. */
void tl_rules_tick_spans(struct tl_rules *rules);
/* Nothing that is open now can be trusted. */
void tl_rules_drop_spans(struct tl_rules *rules);

#endif
