/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule.c - one rule: the messages that it wants, its expression, and whether it
 * may fire now.
 *
 * The globs are matched once for each message; the result is cached by the
 * address of the message.
 *
 * An expression must not stop a daemon that is to run for years.  A loop in Lua
 * ends with an error after one second of CPU time.  A library function that
 * does not return (a pattern that backtracks) cannot be interrupted by Lua, and
 * script/ would end the process.  Here the signal handler leaves the function
 * by siglongjmp instead.  The Lua state is then inconsistent, so it is never
 * used or freed again, and the rule is disabled.  This is safe because the
 * handler does not run while memory is being allocated.  Signals must be
 * delivered to the thread of the loop, so all other threads block them.
 */
#include "base/ns.h"
#include "daemon/rules/engine.h"
#include "event/filter.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* == match == */

/* Does the message match?  The daemon itself often causes entries about levels,
 * so only rules that name their category match such entries. */
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

/* The index of the argument of that name, or -1 if there is none or its value
 * is not a number. */
static int
find_argument(const struct tl_message *message, const char *name)
{
	for (int i = 0; i < message->argc; i++) {
		if (tl_bytes_equal(message->args[i].name, tl_bytes_of(name)))
			return tl_arg_is_text(&message->args[i]) ? -1 : i;
	}
	return -1;
}

/* Does the rule want the message?  *part is the part or the argument that the
 * rule wants. */
static bool
wants(const struct tl_config_rule *rule, const struct tl_message *message,
    uint8_t *part)
{
	int i;

	if (rule->kind == TL_RULE_INTERVAL) {
		*part = is_match(&rule->match, message) ? TL_PART_FIRST : 0;
		if (is_match(&rule->other, message))
			*part |= TL_PART_OTHER;
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

/* Shared by all messages that no rule wants. */
static struct tl_rule_match unwanted;

static void
release(void *value)
{
	if (value != &unwanted)
		free(value);
}

const struct tl_rule_match *
tl_rules_match(struct tl_rules *rules, const struct tl_message *message)
{
	struct tl_rule_match *match = tl_message_map_find(&rules->map, message);
	struct tl_rule_match *kept = &unwanted;

	if (match)
		return match;
	match = &rules->scratch;
	*match = (struct tl_rule_match){ 0 };
	for (size_t i = 0; i < rules->count; i++) {
		const struct tl_config_rule *rule = rules->list[i].config;

		if (!wants(rule, message, &match->part[i]))
			continue;
		match->wanted |= (uint64_t)1 << i;
		match->is_span |= rule->kind == TL_RULE_SPAN;
	}

	if (match->wanted) {
		kept = malloc(sizeof(*kept));
		if (!kept)
			return match;
		*kept = *match;
	}
	if (tl_message_map_add(&rules->map, message, kept) == 0)
		return kept;
	release(kept);
	return match;
}

void
tl_rules_forget_matches(struct tl_rules *rules)
{
	tl_message_map_free(&rules->map, release);
}

/* == expression == */

enum {
	CPU_SECONDS = 1, /* limit for one entry */
	MEMORY_BYTES = 16 << 20
};

/* The way out of an expression.  One expression runs at a time. */
static struct {
	sigjmp_buf place;
	volatile sig_atomic_t open;
	pthread_t thread; /* the thread whose stack has place */
	const char *name; /* name of the rule */
	char message[TL_FAULT_TEXT_MAX];
} out;

/* Leave the expression.  Runs in the signal handler. */
static void
leave(void *context, const char *message, size_t size)
{
	(void)context;
	if (out.open && pthread_equal(pthread_self(), out.thread)) {
		if (size >= sizeof(out.message))
			size = sizeof(out.message) - 1;
		memcpy(out.message, message, size);
		out.message[size] = '\0';
		siglongjmp(out.place, 1);
	}
	if (write(STDERR_FILENO, out.name, strlen(out.name)) < 0 ||
	    write(STDERR_FILENO, ": ", 2) < 0 ||
	    write(STDERR_FILENO, message, size) < 0)
		_exit(1);
	_exit(1);
}

/* Discard what an expression prints. */
static int
swallow(void *context, const char *data, size_t size)
{
	(void)context;
	(void)data;
	(void)size;
	return 0;
}

int
tl_rule_compile(struct tl_rule *rule, struct tl_fault *fault)
{
	const struct tl_script_limits limits = { .memory_bytes = MEMORY_BYTES,
		.cpu_seconds = CPU_SECONDS };
	const struct tl_script_io io = { .write = swallow, .killed = leave };
	struct tl_fault why = { 0 };
	int rc;

	if (!rule->config->when || rule->when)
		return 0;
	rc = tl_script_filter_new(&rule->when, rule->config->when, &limits, &io,
	    &why);
	if (rc != 0)
		tl_fail(fault, rc, "%s: %s", rule->config->name, why.text);
	return rc;
}

static int
ask(struct tl_rule *rule, const struct tl_event *event, struct tl_fault *fault)
{
	int rc;
	sigset_t profile;

	out.thread = pthread_self();
	out.name = rule->config->name;
	if (sigsetjmp(out.place, 0) != 0) { /* without a mask: no system call */
		out.open = 0;

		/* Clean up after leave: the signal is still blocked, and the
		 * message consists of whole lines. */
		sigemptyset(&profile);
		sigaddset(&profile, SIGPROF);
		pthread_sigmask(SIG_UNBLOCK, &profile, NULL);
		tl_script_filter_abandon(rule->when);
		rule->when = NULL;
		out.message[strcspn(out.message, "\n")] = '\0';
		return tl_fail(fault, -ETIME, "%s", out.message);
	}
	out.open = 1;
	rc = tl_script_filter_passes(rule->when, event, fault);
	out.open = 0;
	return rc;
}

bool
tl_rule_passes(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	struct tl_fault fault = { 0 };
	int rc;

	if (!rule->config->when)
		return true;
	rc = tl_rule_compile(rule, &fault);
	if (rc == 0)
		rc = ask(rule, event, &fault);
	if (rc < 0) {
		rule->off = true;
		rules->on &= ~((uint64_t)1 << (rule - rules->list));
		tl_script_filter_free(rule->when);
		rule->when = NULL;
		rules->host.failed(rules->host.context, rule->config,
		    fault.text);
	}
	return rc > 0;
}

/* == fire == */

/* Has enough time passed since the last firing, and is the limit per hour not
 * reached? */
static bool
is_allowed(const struct tl_rules *rules, const struct tl_rule *rule)
{
	const struct tl_config_rule *config = rule->config;
	const uint64_t now = rules->now.tsc;
	const int64_t since = tl_rules_ns(rules, rule->fired_tsc, now);
	const uint64_t hour =
	    tl_ns_to_ticks((uint64_t)TL_NS_PER_H, rules->mult);

	if (rule->fired > 0 &&
	    (since < 0 ? 0 : (uint64_t)since) < config->every_ns)
		return false;
	return config->fires_max == 0 ||
	       !tl_window_has(&rule->fires, config->fires_max,
		   tl_ticks_between(hour, now));
}

struct tl_text *
tl_rule_claim(struct tl_rules *rules, struct tl_rule *rule)
{
	if (!is_allowed(rules, rule)) {
		rule->suppressed += !rule->held;
		return NULL;
	}
	tl_text_clear(&rules->text);
	return &rules->text;
}

void
tl_rule_fire(struct tl_rules *rules, struct tl_rule *rule,
    const struct tl_event *event)
{
	struct tl_firing firing = { .rule = rule->config,
		.event = event,
		.ns = rules->now.ns };

	/* Copy as much of the text as fits, cut between two characters. */
	const char *from = tl_text_string(&rules->text);
	size_t size = rules->text.size;

	if (size > TL_FIRING_TEXT_MAX - 1) {
		size = TL_FIRING_TEXT_MAX - 1;
		while (size > 0 && ((unsigned char)from[size] & 0xc0) == 0x80)
			size--;
	}
	memcpy(firing.text, from, size);
	firing.text[size] = '\0';

	rule->fired++;
	rule->fired_tsc = rules->now.tsc;
	rule->disarmed = true;
	rule->held = false;
	if (rule->config->fires_max > 0)
		tl_window_add(&rule->fires, (int64_t)rules->now.tsc);
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
