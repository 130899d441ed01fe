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

#include "base/text.h"
#include "daemon/rules/rules.h"
#include "daemon/rules/window.h"
#include "event/message_map.h"
#include "event/spans.h"
#include "script/script.h"

#define TL_HOUR_NS ((int64_t)3600 * 1000000000)

struct tl_rule {
	const struct tl_config_rule *config;
	struct tl_script_filter *when; /* made at its first use */
	uint64_t fired;
	uint64_t suppressed;
	int64_t fired_ns;       /* last, where fired > 0 */
	struct tl_window fires; /* of the last hour */
	bool off;
	bool disarmed;
	bool held; /* what lasts was suppressed, and counted once */
	/* Since since_ns: interval, the first message waits for the other;
	 * absent, the message was not seen; rate, nothing was missed. */
	bool since;
	bool judged; /* interval: what waits was too long already */
	int64_t since_ns;
	int64_t judged_ns;       /* span: those begun up to here were judged */
	struct tl_window stamps; /* rate */
	uint64_t enough;         /* rate: entries in limit_ns to fire */
	uint64_t enough_clear;   /* rate: entries to be armed again */
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
	bool has_newest;
	bool has_tick;
	bool cut_due;      /* something was missed, at the next time */
	int64_t newest_ns; /* entry */
	int64_t tick_ns;
	int64_t scan_ns; /* open spans are looked through not before */
};

_Static_assert(TL_CONFIG_RULES_MAX <= 64, "a bit for each rule");

/* now - then, held at the ends of the range. */
static inline int64_t
tl_ns_since(int64_t now, int64_t then)
{
	int64_t ns;

	if (__builtin_sub_overflow(now, then, &ns))
		return now < then ? INT64_MIN : INT64_MAX;
	return ns;
}

/* limit_ns of a rule as a signed number. */
static inline int64_t
tl_rule_limit(const struct tl_rule *rule)
{
	const uint64_t ns = rule->config->limit_ns;

	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

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
struct tl_text *
tl_rule_claim(struct tl_rules *rules, struct tl_rule *rule, int64_t ns);
void tl_rule_fire(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, int64_t ns);
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
void tl_rule_tick_interval(struct tl_rules *rules, struct tl_rule *rule,
    int64_t now_ns);
void tl_rule_tick_absent(struct tl_rules *rules, struct tl_rule *rule,
    int64_t now_ns);
void
tl_rule_tick_rate(struct tl_rules *rules, struct tl_rule *rule, int64_t now_ns);

/* kinds.c: pair an entry of a message that rules of spans want: 1 and the
 * span that it ended, or 0. */
int tl_rules_pair(struct tl_rules *rules, const struct tl_event *event,
    struct tl_span *span);
void tl_rule_put_span(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_span *span);
/* Evaluate the spans that are still open. */
void tl_rules_tick_spans(struct tl_rules *rules, int64_t now_ns);
/* Nothing that is open now can be trusted. */
void tl_rules_drop_spans(struct tl_rules *rules);

#endif
