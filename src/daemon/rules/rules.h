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

#include <stdbool.h>
#include <stdint.h>

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

/* == window == */

/*
 * Did an event happen at least n times since some time?
 *
 * The newest stamps are in a ring, so the answer is one comparison with the
 * stamp n places back.  For large n only every k-th stamp is kept; the answer
 * is then exact to one part in TL_WINDOW_SLOTS and errs towards "no".
 */

enum { TL_WINDOW_SLOTS = 1 << 16 };
/* The largest n of tl_window_has. */
#define TL_WINDOW_ASKED_MAX ((uint64_t)1 << 40)

struct tl_window {
	int64_t *stamps; /* NULL: not initialized */
	uint64_t size;   /* of the ring */
	uint64_t every;  /* one stamp of this many is kept */
	uint64_t total;  /* stamps added */
	int64_t newest;
};

/* Allocate a window for n up to n_max.  Returns 0 or -ENOMEM. */
int tl_window_init(struct tl_window *window, uint64_t n_max);
void tl_window_free(struct tl_window *window);
void tl_window_clear(struct tl_window *window);
/* Add a stamp.  A stamp older than the one before counts as equal to it. */
void tl_window_add(struct tl_window *window, int64_t ns);
/* Were at least n stamps added that are later than after_ns? */
bool
tl_window_has(const struct tl_window *window, uint64_t n, int64_t after_ns);

/* A rate limit, in the time of one clock. */
struct tl_throttle {
	struct tl_window done; /* actions of the last hour, if any */
	uint64_t per_hour;     /* 0: no limit */
	uint64_t every_ns;     /* 0: no limit */
	uint64_t suppressed;
};

/* Change the limits; past actions are forgotten if per_hour changes. */
void tl_throttle_configure(struct tl_throttle *rate, uint64_t every_ns,
    uint64_t per_hour);
/* May the action happen now?  If so, the action is counted as done, otherwise
 * as suppressed.  Without memory there is no limit. */
bool tl_throttle_claim(struct tl_throttle *rate, int64_t ns);

#endif
