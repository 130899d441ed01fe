/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - the rules of one timeline at work.  Only src/daemon/rules includes
 * engine.h.
 *
 *	entry --> engine.c --> rule.c: which rules want this message?
 *			   --> kinds.c: event, level, argument, interval,
 *			       absent, rate, span
 *	each --> rule.c: does its expression let the entry pass, and may it
 *		 fire now?
 *
 * A rule that has fired is disarmed until the watched value was on the good
 * side of its bound again.  A rule that may not fire (every_ns, fires_max)
 * stays armed, so that a lasting condition is reported when the rule may fire
 * again.
 */
#ifndef TL_DAEMON_RULES_ENGINE_H
#define TL_DAEMON_RULES_ENGINE_H

#include "base/ns.h"
#include "base/text.h"
#include "clock/clock.h"
#include "daemon/rules/rules.h"
#include "event/message_map.h"
#include "event/spans.h"
#include "script/script.h"

struct tl_rule {
	const struct tl_config_rule *config;
	struct tl_script_filter *when; /* made at first use */
	uint64_t fired;
	uint64_t suppressed;
	uint64_t fired_tsc;     /* last firing, if fired > 0 */
	struct tl_window fires; /* firings of the last hour */
	bool off;
	bool disarmed;
	bool held; /* a lasting condition was suppressed and counted */
	/* since_tsc is valid.  Interval: the time at which the first message
	 * began to wait for the other.  Absent: the last time the message was
	 * seen.  Rate: the time since which nothing was missed, by the rate's
	 * clock. */
	bool since;
	bool judged; /* interval: the wait was already too long */
	bool has_gate;
	uint8_t gate; /* the messages are observed while it is open */
	uint64_t since_tsc;
	uint64_t judged_tsc; /* span: begins up to here are judged */
	uint64_t limit_ticks;
	struct tl_window stamps; /* rate: stamps, by the rate's clock */
	uint64_t enough;         /* rate: entries in limit_ns to fire */
	uint64_t enough_clear;   /* rate: entries to be armed again */
	/* Up to the last tick: */
	bool watched;
	struct tl_observed observed;
	uint64_t unobserved; /* ticks */
};

/* The rules that a message concerns. */
struct tl_rule_match {
	/* Bit i: rule i concerns the message. */
	uint64_t wanted;
	/* A rule of spans concerns the message. */
	bool is_span;
	/* Argument: index of the argument.  Interval: enum tl_rule_part. */
	uint8_t part[TL_CONFIG_RULES_MAX];
};
enum tl_rule_part { TL_PART_FIRST = 1, TL_PART_OTHER = 2 };

enum { TL_RULES_DEAD_MAX = 64 };

struct tl_rules {
	struct tl_rules_host host;
	struct tl_rule *list;
	size_t count;
	uint64_t on; /* bit i: rule i is not switched off */
	struct tl_message_map map;
	struct tl_rule_match scratch; /* of a message that is not kept */
	struct tl_spans *spans;       /* NULL: no rule needs spans */
	struct tl_text text;
	uint64_t mult; /* rate of the stamps: ns per tick, times 2^63 */
	/* The entry or tick being processed: */
	struct tl_rules_now now;
	bool has_newest;
	bool has_tick;
	bool cut_due;        /* a loss lasts until the next stamp */
	uint32_t epoch;      /* of the newest entry */
	uint64_t newest_tsc; /* stamp of the newest entry */
	uint64_t tick_tsc;
	uint64_t scan_tsc; /* stamp of the next scan of open spans */
	/* The last processes that ended: their spans are not open any more. */
	struct tl_rules_dead {
		uint32_t pid;
		int64_t ns; /* Unix time at which the end was noticed */
	} dead[TL_RULES_DEAD_MAX];
	unsigned dead_count; /* ever */
};

_Static_assert(TL_CONFIG_RULES_MAX <= 64, "a bit for each rule");

/* The time from one stamp to another, in ns; below 0 if the other is
 * earlier. */
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

/* engine.c: observe the messages that the rule watches, at a stamp.  A rule
 * that draws conclusions from absent entries needs all messages observed;
 * another rule needs one. */
void tl_rule_observe(struct tl_rules *rules, struct tl_rule *rule, uint64_t tsc,
    struct tl_observed *observed);
/* engine.c: observe one message at a stamp. */
void tl_rules_observe_message(const struct tl_rules *rules,
    const struct tl_message *message, uint64_t tsc,
    struct tl_observed *observed);

/* rule.c: the rules that a message concerns; valid until the next call. */
const struct tl_rule_match *
tl_rules_match(struct tl_rules *rules, const struct tl_message *message);
void tl_rules_forget_matches(struct tl_rules *rules);

/* rule.c: does the expression let the event pass?  A failure switches the rule
 * off. */
bool tl_rule_passes(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
/* Make the filter of a rule with an expression.  Returns 0, or -errno with a
 * fault. */
int tl_rule_compile(struct tl_rule *rule, struct tl_fault *fault);

/* rule.c: an empty text for the description of a firing, or NULL if the rule
 * must not fire now.  After the text is written, tl_rule_fire reports the
 * firing and disarms the rule. */
struct tl_text *tl_rule_claim(struct tl_rules *rules, struct tl_rule *rule);
void tl_rule_fire(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event);
/* Does a value change the state of the rule?  bad: the value is over the bound;
 * good: the value is good enough to arm the rule again. */
static inline bool
tl_rule_turns(const struct tl_rule *rule, bool bad, bool good)
{
	return rule->disarmed ? good : bad;
}
/* tl_rule_turns for a span or an interval of this duration. */
bool tl_rule_turns_ns(const struct tl_rule *rule, int64_t ns);

/* kinds.c: take an entry that matches. */
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
/* Judge the rule at a tick; observed is the state of the watched messages. */
void tl_rule_tick_interval(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed);
void tl_rule_tick_absent(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed);
void tl_rule_tick_rate(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_observed *observed);

/* kinds.c: pair an entry of a message that rules of spans want.  Returns 1 and
 * the span that the entry ended, or 0. */
int tl_rules_pair(struct tl_rules *rules, const struct tl_event *event,
    struct tl_span *span);
void tl_rule_put_span(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event, const struct tl_span *span);
/* Judge the spans that are still open. */
void tl_rules_tick_spans(struct tl_rules *rules);
/* Forget the open spans, because entries were lost. */
void tl_rules_drop_spans(struct tl_rules *rules);

#endif
