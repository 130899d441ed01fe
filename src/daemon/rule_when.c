/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rule_when.c - the expression of a rule, which must not stop a daemon that is
 * to run for years.
 *
 * A loop in Lua ends by the time cap with an error.  A library function that
 * does not come back (a pattern that backtracks) has no end of its own, and
 * the hard end of scripts is that of the process.  Here the signal handler
 * leaves it by siglongjmp instead: the state is in the middle of something
 * and is never touched again, nor given back, and the rule is switched off.
 * That is as safe as the handler's promise not to come while memory is being
 * moved.  Signals must come to the thread of the loop, so others block them.
 */
#include "daemon/rule.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

enum {
	CPU_SECONDS = 1, /* for one entry */
	MEMORY_BYTES = 16 << 20
};

/* The way out; one expression runs at a time. */
static struct {
	sigjmp_buf place;
	volatile sig_atomic_t open;
	pthread_t thread; /* whose stack the place is on */
	const char *name; /* of the rule */
	char message[TL_FAULT_TEXT_MAX];
} out;

/* Runs in the signal handler. */
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

/* Nobody reads what an expression would print. */
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
		tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s",
		    rule->config->name, why.text);
	return rc;
}

/* After leave: the signal that it left is still blocked, and the message is
 * whole lines. */
static int
left(struct tl_rule *rule, struct tl_fault *fault)
{
	sigset_t profile;

	sigemptyset(&profile);
	sigaddset(&profile, SIGPROF);
	pthread_sigmask(SIG_UNBLOCK, &profile, NULL);
	tl_script_filter_abandon(rule->when);
	rule->when = NULL;
	out.message[strcspn(out.message, "\n")] = '\0';
	return tl_fault(fault, -ETIME, TL_FAULT_NOWHERE, "%s", out.message);
}

static int
ask(struct tl_rule *rule, const struct tl_event *event, struct tl_fault *fault)
{
	int rc;

	out.thread = pthread_self();
	out.name = rule->config->name;
	if (sigsetjmp(out.place, 0) != 0) { /* no system call: mask not kept */
		out.open = 0;
		return left(rule, fault);
	}
	out.open = 1;
	rc = tl_script_filter_passes(rule->when, event, fault);
	out.open = 0;
	return rc;
}

void
tl_rule_switch_off(struct tl_rules *rules, struct tl_rule *rule,
    const char *why)
{
	rule->off = true;
	rules->on &= ~((uint64_t)1 << (rule - rules->list));
	tl_script_filter_free(rule->when);
	rule->when = NULL;
	rules->host.failed(rules->host.context, rule->config, why);
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
	if (rc < 0)
		tl_rule_switch_off(rules, rule, fault.text);
	return rc > 0;
}
