/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - watch the stream of a timeline for the conditions of its triggers.
 *
 * A rule that fires calls its host, which carries out the actions.  A message
 * is matched against the globs once; later entries of the message cost a
 * lookup.  A rule whose expression fails or does not return is disabled and
 * reported; the other rules go on.
 *
 * Time is the time of the stamps of entries and ticks, so that steps of the
 * wall clock have no effect; only the time of a firing is Unix time.
 * Conditions that last (an open span, an interval, an absence, a low rate) are
 * detected at ticks.
 *
 * No rule concludes anything from time in which its message was not observed
 * (event/observe.h): an observer that was fed the same entries tells since when
 * the message is observed.  No rule fires because of lost entries: after a
 * TL_LOST spans and intervals start again, and an absence or a low rate has to
 * last its whole time again.  The expression of a span rule is applied to the
 * begin event, of an interval rule to the first message, of any other rule to
 * each entry.
 */
#ifndef TL_DAEMON_RULES_RULES_H
#define TL_DAEMON_RULES_RULES_H

#include "daemon/config/config.h"
#include "event/observe.h"

struct tl_rules;

enum { TL_FIRING_TEXT_MAX = 256 };

/* A firing of a rule. */
struct tl_firing {
	const struct tl_config_rule *rule;
	/* the event that made it fire; may be NULL */
	const struct tl_event *event;
	int64_t ns;                    /* Unix time */
	char text[TL_FIRING_TEXT_MAX]; /* reason, for a person; escaped */
};

struct tl_rule_gates {
	uint8_t lowest;
	uint8_t highest;
};

struct tl_rules_host {
	void (*fired)(void *context, const struct tl_firing *firing);
	/* The rule was disabled. */
	void (*failed)(void *context, const struct tl_config_rule *rule,
	    const char *why);
	/* Get the gates of all messages that match.  Returns false if no such
	 * message is defined. */
	bool (*gates)(void *context, const struct tl_config_match *match,
	    struct tl_rule_gates *gates);
	void *context;
	struct tl_observer *observer; /* with gates; NULL: all is observed */
};

/* The present. */
struct tl_rules_now {
	int64_t ns; /* Unix time */
	uint64_t tsc;
};

/* The status of one rule. */
struct tl_rule_status {
	const struct tl_config_rule *rule;
	uint64_t fired;
	uint64_t suppressed; /* suppressed by every_ns or fires_max */
	bool off;            /* disabled after a failure */
	/* Are the rule's messages unobserved now, for how long, and for how
	 * long in all? */
	bool suspended;
	int64_t suspended_now_ns;
	int64_t suspended_ns;
};

/* Make the rules of a list, which the caller keeps and which must outlive the
 * rules; host is copied.  Returns 0, -ENOMEM, or -errno with a fault if an
 * expression does not compile. */
int tl_rules_new(struct tl_rules **rules, const struct tl_config_rule *list,
    size_t count, const struct tl_rules_host *host, struct tl_fault *fault);
/* Put the next entry of the stream, oldest first, TL_LOST included. */
void tl_rules_put(struct tl_rules *rules, const struct tl_event *event);
/* Say that the stream is complete up to now: judge rules about absent entries
 * and rates. */
void tl_rules_tick(struct tl_rules *rules, const struct tl_rules_now *now);
/* Set the rate of the stamps, in ns per tick times 2^63.  At first stamps are
 * ns. */
void tl_rules_set_rate(struct tl_rules *rules, uint64_t mult);
/* Say that messages were defined: the gates are read again. */
void tl_rules_forget_gates(struct tl_rules *rules);
/* Report that a process that logged here has died. */
void tl_rules_died(struct tl_rules *rules, uint32_t pid, const char *command,
    int64_t now_ns);
/* Change to another list (a reload).  Rules of the same name and condition keep
 * their state; disabled rules are tried again.  Returns 0, or -errno with a
 * fault; on failure nothing changes. */
int tl_rules_configure(struct tl_rules *rules,
    const struct tl_config_rule *list, size_t count, struct tl_fault *fault);
size_t tl_rules_count(const struct tl_rules *rules);
void tl_rules_status(const struct tl_rules *rules, size_t i,
    struct tl_rule_status *status);
void tl_rules_free(struct tl_rules *rules);

#endif
