/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - watch the stream of a timeline for what its triggers describe.
 *
 * A rule that fires calls its host, which carries out the actions.  A message
 * is matched against the globs once; later entries of it cost a lookup.  A rule
 * whose expression fails or does not return is disabled and reported; the
 * others go on.
 *
 * Time is that of the stamps of entries and ticks, so that no step of the wall
 * clock is in it; Unix time is only when a rule fired.  Conditions that last (an
 * open span, an interval, an absence, a low rate) are detected at ticks.
 *
 * No rule concludes anything from time in which its message was not observed
 * (event/observe.h): an observer that was fed the same entries answers since
 * when it is.  No rule fires because of lost entries: after a TL_LOST spans and
 * intervals start again, and an absence or a low rate has to last its whole
 * time again.  The expression of a span rule is applied to the begin event, of
 * an interval rule to the first message, of all others to each entry.
 */
#ifndef TL_DAEMON_RULES_RULES_H
#define TL_DAEMON_RULES_RULES_H

#include "daemon/config/config.h"
#include "event/observe.h"

struct tl_rules;

enum { TL_FIRING_TEXT_MAX = 256 };

/* A rule fired. */
struct tl_firing {
	const struct tl_config_rule *rule;
	const struct tl_event *event;  /* that it fired on; NULL: none */
	int64_t ns;                    /* Unix time */
	char text[TL_FIRING_TEXT_MAX]; /* why, for a person; escaped */
};

struct tl_rule_gates {
	uint8_t lowest;
	uint8_t highest;
};

struct tl_rules_host {
	void (*fired)(void *context, const struct tl_firing *firing);
	/* A rule was disabled. */
	void (*failed)(void *context, const struct tl_config_rule *rule,
	    const char *why);
	/* The gates of all messages that match; false: none is defined. */
	bool (*gates)(void *context, const struct tl_config_match *match,
	    struct tl_rule_gates *gates);
	void *context;
	struct tl_observer *observer; /* NULL: all is observed; with gates */
};

/* The present. */
struct tl_rules_now {
	int64_t ns; /* Unix time */
	uint64_t tsc;
};

/* Of one rule. */
struct tl_rule_status {
	const struct tl_config_rule *rule;
	uint64_t fired;
	uint64_t suppressed; /* by every_ns or fires_max */
	bool off;            /* it failed */
	/* What it watches is not observed now, and for how long; how long it
	 * was not in all. */
	bool suspended;
	int64_t suspended_now_ns;
	int64_t suspended_ns;
};

/* rules stay the caller's and outlive it; host is copied.  -ENOMEM, or a
 * fault of an expression that does not compile. */
int tl_rules_new(struct tl_rules **rules, const struct tl_config_rule *list,
    size_t count, const struct tl_rules_host *host, struct tl_fault *fault);
/* The next entry of the stream, oldest first, TL_LOST included. */
void tl_rules_put(struct tl_rules *rules, const struct tl_event *event);
/* The stream is complete up to now: evaluate rules for absent entries and
 * rates. */
void tl_rules_tick(struct tl_rules *rules, const struct tl_rules_now *now);
/* The rate of the stamps, in ns per tick times 2^63; at first they are ns. */
void tl_rules_set_rate(struct tl_rules *rules, uint64_t mult);
/* Messages were defined: the host has other gates. */
void tl_rules_forget_gates(struct tl_rules *rules);
/* A process that logged here has died. */
void tl_rules_died(struct tl_rules *rules, uint32_t pid, const char *command,
    int64_t now_ns);
/* Another list (a reload); rules of the same name that look for the same keep
 * their state; those that were disabled are tried again.  On failure all
 * stays as it was. */
int tl_rules_configure(struct tl_rules *rules,
    const struct tl_config_rule *list, size_t count, struct tl_fault *fault);
size_t tl_rules_count(const struct tl_rules *rules);
void tl_rules_status(const struct tl_rules *rules, size_t i,
    struct tl_rule_status *status);
void tl_rules_free(struct tl_rules *rules);

#endif
