/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules_fixture.h - a few messages, a host that notes which rules fired, and
 * one call for each entry.
 */
#ifndef TL_TESTS_RULES_FIXTURE_H
#define TL_TESTS_RULES_FIXTURE_H

#include "daemon/rules/rules.h"
#include "lib/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS     ((int64_t)1000000)
#define SECOND ((int64_t)1000000000)
/* Tests begin at this time, so that no result depends on times near 0. */
#define START (1700000000 * SECOND)

enum { DEPTH, SIGNED, RATIO, NAME, WORK, STEP, PING, PONG, BAD, MESSAGES };

static struct tl_message messages[MESSAGES];

static const struct {
	const char *category;
	const char *text;
	uint8_t kind;
	uint8_t level;
} defined[MESSAGES] = {
	[DEPTH] = { "queue", "depth $value%u", TIMELINE_RECORD_COUNTER, 5 },
	[SIGNED] = { "queue", "error $value%d", TIMELINE_RECORD_INSTANT, 7 },
	[RATIO] = { "math", "ratio $value%f", TIMELINE_RECORD_INSTANT, 4 },
	[NAME] = { "math", "called $value%s", TIMELINE_RECORD_INSTANT, 4 },
	[WORK] = { "work", "request $id", TIMELINE_RECORD_SPAN, 6 },
	[STEP] = { "work", "step", TIMELINE_RECORD_SPAN, 5 },
	[PING] = { "net", "ping $n", TIMELINE_RECORD_INSTANT, 5 },
	[PONG] = { "net", "pong $n", TIMELINE_RECORD_INSTANT, 5 },
	[BAD] = { "evil", "red \033[31m", TIMELINE_RECORD_INSTANT, 9 },
};

/* The rules that fired, and the rules that were switched off. */
static struct {
	size_t count;
	struct tl_firing last;
	struct tl_event event; /* of the last firing, if it has an event */
	size_t failures;
	char why[512];
} seen;

static struct tl_rules *rules;
/* Observes the entries; NULL: all time is observed. */
static struct tl_observer *observed;
/* Stamps are in ns; the wall clock is ahead of them by this offset. */
static int64_t wall_offset;

static inline void
rules_fixture_define(void)
{
	memset(&seen, 0, sizeof(seen));
	observed = NULL;
	wall_offset = 0;
	for (size_t i = 0; i < MESSAGES; i++) {
		struct tl_message *m = &messages[i];

		*m = (struct tl_message){ 0 };
		m->category = tl_bytes_of(defined[i].category);
		m->kind = defined[i].kind;
		m->level = m->gate = defined[i].level;
		m->scope = TIMELINE_THREAD;
		ck_assert_ok(tl_message_parse(m, tl_bytes_of(defined[i].text)));
	}
}

static inline void
note_fired(void *context, const struct tl_firing *firing)
{
	(void)context;
	seen.count++;
	seen.last = *firing;
	if (firing->event)
		seen.event = *firing->event;
}

static inline void
note_failed(void *context, const struct tl_config_rule *rule, const char *why)
{
	(void)context;
	(void)rule;
	seen.failures++;
	snprintf(seen.why, sizeof(seen.why), "%s", why);
}

static const struct tl_rules_host host = { .fired = note_fired,
	.failed = note_failed };

/* A rule without a limit on how often it fires. */
static inline struct tl_config_rule
rule_of(enum tl_rule_kind kind)
{
	return (
	    struct tl_config_rule){ .name = "it", .kind = kind, .clear = NAN };
}

static inline void
start(const struct tl_config_rule *list, size_t count)
{
	struct tl_fault fault = { 0 };

	ck_assert_msg(tl_rules_new(&rules, list, count, &host, &fault) == 0,
	    "%s", fault.text);
}

static inline void
put_observed(struct tl_event event)
{
	if (observed)
		tl_observe(observed, &event);
	tl_rules_put(rules, &event);
}

static inline void
put_full(unsigned message, enum tl_kind kind, int64_t ns, uint64_t value,
    uint32_t tid)
{
	const struct tl_event event = { .message = &messages[message],
		.kind = (uint8_t)kind,
		.level = messages[message].level,
		.ns = START + ns + wall_offset,
		.tsc = (uint64_t)(START + ns),
		.pid = 7,
		.tid = tid,
		.args = { value } };

	put_observed(event);
}

static inline void
put(unsigned message, int64_t ns, uint64_t value)
{
	put_full(message,
	    messages[message].kind == TIMELINE_RECORD_COUNTER ? TL_COUNTER
							      : TL_INSTANT,
	    ns, value, 7);
}

static inline void
begin(unsigned message, int64_t ns, uint64_t value)
{
	put_full(message, TL_BEGIN, ns, value, 7);
}

static inline void
end(unsigned message, int64_t ns)
{
	put_full(message, TL_END, ns, 0, 7);
}

static inline void
lose(int64_t ns)
{
	put_observed((struct tl_event){ .kind = TL_LOST,
	    .ns = START + ns + wall_offset,
	    .tsc = (uint64_t)(START + ns),
	    .lost = 3 });
}

static inline void
tick(int64_t ns)
{
	const struct tl_rules_now now = { START + ns + wall_offset,
		(uint64_t)(START + ns) };

	tl_rules_tick(rules, &now);
}

/* Expect so many firings since the last call. */
static inline void
fired_at(size_t count, int line)
{
	ck_assert_msg(seen.count == count, "line %d: %zu fired, not %zu (%s)",
	    line, seen.count, count, seen.last.text);
	seen.count = 0;
}
#define fired(count) fired_at(count, __LINE__)

#endif
