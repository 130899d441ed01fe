/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.c - the parts of a span for written lists of events: they show what
 * happened, and "unknown" where the events cannot show it.
 */
#include "analysis/states.h"
#include "event/sched.h"
#include "lib/golden.h"
#include "lib/random.h"

#include <stdio.h>
#include <string.h>
#include <timeline.h>

enum { R = 1, S, D, TASK, INTERRUPT, NAME };
static const char *const texts[] = { "", "R", "S", "D", "task", "interrupt",
	"worker" };

static struct tl_bytes
get(const struct tl_strings *strings, uint64_t n)
{
	(void)strings;
	return n < 7 ? tl_bytes_of(texts[n]) : tl_bytes(NULL, 0);
}

static uint64_t
number_of(const char *text)
{
	uint64_t n = 0;

	while (n < 6 && strcmp(texts[n], text) != 0)
		n++;
	return n;
}

static const struct tl_strings strings = { get };
static struct tl_message out, in, woken, interrupt, fault, span_of, lost;
static struct tl_states *states;
static struct tl_spans *spans;
static struct tl_span span;
static struct tl_parts parts;
static bool ended, any;
static uint16_t source_of_all;

static void
define(struct tl_message *m, const char *category, const char *text,
    uint8_t kind)
{
	*m = (struct tl_message){ .category = tl_bytes_of(category),
		.kind = kind,
		.scope = TIMELINE_THREAD,
		.strings = &strings };
	ck_assert_ok(tl_message_parse(m, tl_bytes_of(text)));
}

static void
begin(int64_t horizon)
{
	tl_states_free(states);
	tl_spans_free(spans);
	ck_assert_ok(tl_states_new(&states, horizon, NULL, 1));
	ck_assert_ok(tl_spans_new(&spans));
}

static void
setup(void)
{
	define(&out, "sched", TL_SCHED_OUT, TIMELINE_RECORD_INSTANT);
	define(&in, "sched", TL_SCHED_IN, TIMELINE_RECORD_INSTANT);
	define(&woken, "sched", TL_SCHED_WOKEN, TIMELINE_RECORD_INSTANT);
	define(&interrupt, "sched", TL_SCHED_INTERRUPT, TIMELINE_RECORD_SPAN);
	define(&fault, "sched", TL_SCHED_FAULT, TIMELINE_RECORD_INSTANT);
	define(&span_of, "app", "request", TIMELINE_RECORD_SPAN);
	define(&lost, "timeline", "lost $events", TIMELINE_RECORD_INSTANT);
	lost.builtin = TIMELINE_BUILTIN_LOST;
	begin(INT64_MAX);
}

static void
teardown(void)
{
	tl_states_free(states);
	tl_spans_free(spans);
}

TEST_FILE(.setup = setup, .teardown = teardown);

static void
put(struct tl_event e)
{
	e.tsc = (uint64_t)e.ns;
	e.source = source_of_all;
	e.pid = e.kind == TL_LOST ? 0 : 1;
	ck_assert_ok(tl_states_put(states, &e));
	if (tl_spans_put(spans, &e, &span) == 1 && e.message == &span_of) {
		int64_t sum = 0;

		ended = true;
		any = tl_states_span(states, &span, &parts);
		for (unsigned i = 0; i < TL_PARTS; i++) {
			ck_assert_int_ge(parts.ns[i], 0);
			sum += parts.ns[i];
		}
		ck_assert_int_eq(sum, span.duration_ns);
	}
}

#define EVENT(m, k, at, thread, c, ...) \
	put((struct tl_event){ .message = &(m), \
	    .kind = (k), \
	    .ns = (at), \
	    .tid = (thread), \
	    .cpu = (c), \
	    .level = (k) == TL_LOST, \
	    .args = { __VA_ARGS__ } })
#define OUT(at, tid, cpu, state) \
	EVENT(out, TL_INSTANT, at, tid, cpu, state, 99, NAME)
#define IN(at, tid, cpu) EVENT(in, TL_INSTANT, at, tid, cpu, 0)
#define WOKEN(at, tid, cpu, context) \
	EVENT(woken, TL_INSTANT, at, tid, cpu, 42, NAME, context)
#define BEGIN(at, tid, cpu) EVENT(span_of, TL_BEGIN, at, tid, cpu, 0)
#define END(at, tid, cpu)   EVENT(span_of, TL_END, at, tid, cpu, 0)
#define LOST(at, cpu)       EVENT(lost, TL_LOST, at, 0, cpu, 5)

/*
 * Take an event, and print the parts of the span that it ended:
 *	out TIME THREAD CPU STATE		in, begin, end, fault, lost,
 *	woken TIME THREAD CPU WAKER CONTEXT	interrupt, interrupt_end
 * A word "source=1" may follow.  Other lines: "horizon TIME", "horizon_of SOURCE
 * TIME", and "hosts" of two sources.
 */
static void
run_line(struct tl_text *text, const char *line)
{
	static const unsigned host_of[] = { 0, 1 };
	static const struct {
		const char *name;
		struct tl_message *message;
		uint8_t kind;
	} kinds[] = { { "out", &out, TL_INSTANT }, { "in", &in, TL_INSTANT },
		{ "woken", &woken, TL_INSTANT },
		{ "fault", &fault, TL_INSTANT },
		{ "begin", &span_of, TL_BEGIN }, { "end", &span_of, TL_END },
		{ "lost", &lost, TL_LOST },
		{ "interrupt", &interrupt, TL_BEGIN },
		{ "interrupt_end", &interrupt, TL_END } };
	char word[16], state[16] = "", context[16] = "";
	unsigned tid = 0, cpu = 0, waker = 0, i = 0;
	long at = 0;

	sscanf(line, "%15s %ld %u %u %15s %15s", word, &at, &tid, &cpu, state,
	    context);
	if (strcmp(word, "horizon") == 0) {
		begin(at);
		return;
	}
	if (strcmp(word, "horizon_of") == 0) {
		ck_assert_ok(tl_states_set_horizon(states, (unsigned)at, tid));
		return;
	}
	if (strcmp(word, "hosts") == 0) {
		tl_states_free(states);
		ck_assert_ok(tl_states_new(&states, INT64_MAX, host_of, 2));
		return;
	}
	while (strcmp(kinds[i].name, word) != 0)
		ck_assert_uint_lt(++i, sizeof(kinds) / sizeof(*kinds));
	source_of_all = strstr(line, " source=1") != NULL;
	waker = (unsigned)strtoul(state, NULL, 10);
	ended = false;
	put((struct tl_event){ .message = kinds[i].message,
	    .kind = kinds[i].kind,
	    .ns = at,
	    .tid = tid,
	    .cpu = cpu,
	    .level = kinds[i].kind == TL_LOST,
	    .args = { i == 0   ? number_of(state)
		      : i == 2 ? waker
			       : 0,
		i == 0 ? 99 : NAME, i == 0 ? NAME : number_of(context) } });
	if (!ended)
		return;
	tl_put_string(text, any ? " =" : " = no states");
	for (unsigned k = 0; k < TL_PARTS; k++)
		if (parts.ns[k] != 0)
			tl_put_format(text, " %s %lld", tl_part_name(k),
			    (long long)parts.ns[k]);
	for (unsigned k = 0; k < 2; k++) {
		const struct tl_wait *w = k ? &parts.preempted : &parts.blocked;

		if (w->ns != 0)
			tl_put_format(text, ", %s %lld by %u %.*s",
			    k ? "preempted" : "blocked", (long long)w->ns,
			    w->tid, (int)w->name.size, w->name.data);
	}
}

TEST_LINES(spans_have_parts, "tests/unit/analysis/states.cases", run_line);

TEST(parts_add_up_whatever_comes)
{
	const uint64_t contexts[] = { TASK, INTERRUPT };
	const uint64_t state[] = { R, S, D };
	uint64_t seed = 1;
	int64_t ns = 1000;

	ended = false;
	for (int i = 0; i < 200000; i++) {
		const uint64_t x = random_next(&seed);
		const uint32_t tid = 1 + (uint32_t)(x >> 8) % 4;
		const uint32_t cpu = (uint32_t)(x >> 16) % 3;
		const unsigned kind = (unsigned)(x >> 24) % 3;

		/* clocks may go back a little */
		ns += (int64_t)(x >> 32) % 50 - 2;
		switch (x % 8) {
		case 0:
			OUT(ns, tid, cpu, state[kind]);
			break;
		case 1:
		case 2:
			IN(ns, tid, cpu);
			break;
		case 3:
			EVENT(woken, TL_INSTANT, ns, tid, cpu,
			    1 + (x >> 40) % 4, NAME, contexts[kind % 2]);
			break;
		case 4:
			EVENT(interrupt, kind % 2 ? TL_BEGIN : TL_END, ns, tid,
			    cpu, NAME);
			break;
		case 5:
			if (kind == 0 && x >> 40 & 1)
				LOST(ns, cpu);
			else if (kind == 1)
				EVENT(fault, TL_INSTANT, ns, tid, cpu, 4096);
			break;
		case 6:
			BEGIN(ns, tid, cpu);
			break;
		default:
			END(ns, tid, cpu);
		}
	}
	ck_assert(ended);
}
