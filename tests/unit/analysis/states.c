/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.c - the parts of a span for written lists of events: they show what
 * happened, and "unknown" where the events cannot show it.
 */
#include "analysis/states.h"
#include "event/sched.h"
#include "lib/random.h"
#include "lib/test.h"

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
	ck_assert_int_eq(tl_message_parse(m, tl_bytes_of(text)), 0);
}

static void
begin(int64_t horizon)
{
	tl_states_free(states);
	tl_spans_free(spans);
	ck_assert_int_eq(tl_states_new(&states, horizon, NULL, 1), 0);
	ck_assert_int_eq(tl_spans_new(&spans), 0);
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
	ck_assert_int_eq(tl_states_put(states, &e), 0);
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

static void
expect(int64_t running, int64_t interrupted, int64_t runnable, int64_t task,
    int64_t timer, int64_t io, int64_t unknown)
{
	const int64_t expected[TL_PARTS] = { running, interrupted, runnable,
		task, timer, io, unknown };

	for (unsigned i = 0; i < TL_PARTS; i++)
		ck_assert_msg(parts.ns[i] == expected[i], "%s: %lld, not %lld",
		    tl_part_name(i), (long long)parts.ns[i],
		    (long long)expected[i]);
}

TEST(a_wait_for_a_task_a_cpu_and_an_interrupt_are_told_apart)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	EVENT(interrupt, TL_BEGIN, 120, 7, 0, NAME);
	EVENT(interrupt, TL_END, 123, 7, 0, NAME);
	OUT(130, 7, 0, S);
	WOKEN(190, 7, 1, TASK);
	IN(200, 7, 1);
	END(205, 7, 1);
	expect(10 + 7 + 5, 3, 10, 60, 0, 0, 0);
	ck_assert_uint_eq(parts.blocked.tid, 42);
	ck_assert_int_eq(parts.blocked.ns, 60);
	ck_assert(tl_bytes_equal(parts.blocked.name, tl_bytes_of("worker")));
}

TEST(preemption_a_timer_and_io_are_told_apart)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	OUT(120, 7, 0, R);
	IN(150, 7, 0);
	OUT(160, 7, 0, S);
	WOKEN(200, 7, 0, INTERRUPT);
	IN(205, 7, 0);
	OUT(210, 7, 0, D);
	WOKEN(300, 7, 0, TASK);
	IN(300, 7, 0);
	END(301, 7, 0);
	expect(10 + 10 + 5 + 1, 0, 30 + 5, 0, 40, 90, 0);
	ck_assert_int_eq(parts.preempted.ns, 30);
	ck_assert_uint_eq(parts.preempted.tid, 99);
}

TEST(a_waking_before_the_switch_out_makes_it_runnable_at_once)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	WOKEN(118, 7, 1, TASK);
	OUT(120, 7, 0, S);
	IN(150, 7, 0);
	END(151, 7, 0);
	expect(11, 0, 30, 0, 0, 0, 0);
}

TEST(a_thread_that_the_kernel_never_named_is_unknown)
{
	IN(100, 8, 0);
	BEGIN(110, 7, 0);
	END(151, 7, 0);
	expect(0, 0, 0, 0, 0, 0, 41);
}

TEST(a_span_that_began_before_the_recording_is_unknown_up_to_it)
{
	BEGIN(50, 7, 0);
	OUT(100, 7, 0, S);
	WOKEN(120, 7, 0, TASK);
	IN(125, 7, 0);
	END(130, 7, 0);
	expect(5, 0, 5, 20, 0, 0, 50);
}

TEST(a_span_that_ends_after_the_recording_is_unknown_from_there)
{
	begin(125);
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	OUT(120, 7, 0, S);
	WOKEN(122, 7, 0, TASK);
	IN(125, 7, 0);
	END(160, 7, 0);
	expect(10, 0, 3, 2, 0, 0, 35);
}

TEST(a_thread_that_logs_while_it_is_blocked_was_not_seen_to_wake)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	OUT(120, 7, 0, S);
	END(160, 7, 0); /* no waking, no switch in */
	expect(10, 0, 0, 0, 0, 0, 40);
	BEGIN(170, 7, 0); /* the thread runs again */
	END(175, 7, 0);
	expect(5, 0, 0, 0, 0, 0, 0);
}

TEST(a_switch_out_that_was_not_recorded_is_found_by_the_next_thread)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	IN(120, 8, 0); /* on the same CPU */
	OUT(130, 8, 0, S);
	IN(140, 7, 0);
	END(145, 7, 0);
	expect(5, 0, 0, 0, 0, 0, 30);
}

TEST(a_thread_that_logs_where_another_was_switched_in_is_unknown)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	IN(120, 8, 0);
	END(130, 7, 0);
	expect(0, 0, 0, 0, 0, 0, 20);
}

TEST(a_thread_that_goes_on_on_another_cpu_was_not_seen_to_leave)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	END(120, 7, 1);
	expect(0, 0, 0, 0, 0, 0, 10);
}

TEST(a_loss_on_its_cpu_makes_a_running_thread_unknown)
{
	IN(100, 7, 0);
	IN(100, 8, 1);
	BEGIN(110, 7, 0);
	BEGIN(110, 8, 1);
	LOST(120, 0);
	END(130, 7, 0);
	expect(0, 0, 0, 0, 0, 0, 20);
	END(140, 8, 1); /* another CPU: its state is known */
	expect(30, 0, 0, 0, 0, 0, 0);
	IN(150, 9, 0); /* after the loss */
	OUT(151, 9, 0, S);
	IN(160, 7, 0);
	BEGIN(165, 7, 0);
	END(170, 7, 0);
	expect(5, 0, 0, 0, 0, 0, 0);
}

TEST(a_loss_on_another_cpu_makes_a_blocked_thread_unknown)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	OUT(120, 7, 0, S);
	LOST(130, 1); /* the loss may contain the waking */
	OUT(140, 8, 1, S);
	WOKEN(150, 7, 0, TASK);
	IN(160, 7, 0);
	END(161, 7, 0);
	expect(11, 0, 10, 0, 0, 0, 30);
}

TEST(spans_within_spans_have_parts_of_their_own)
{
	IN(100, 7, 0);
	BEGIN(110, 7, 0);
	OUT(120, 7, 0, D);
	IN(140, 7, 0);
	BEGIN(150, 7, 0);
	END(160, 7, 0);
	expect(10, 0, 0, 0, 0, 0, 0);
	END(170, 7, 0);
	expect(40, 0, 0, 0, 0, 20, 0);
}

/*
 * Some kernels report no switch from the idle task, so a thread that acts
 * counts as running.
 */
TEST(a_thread_that_acts_runs)
{
	BEGIN(90, 7, 0);
	IN(100, 7, 0);
	OUT(110, 7, 0, S);
	WOKEN(120, 7, 0, INTERRUPT);
	EVENT(woken, TL_INSTANT, 140, 8, 0, 7, NAME, TASK);
	END(160, 7, 0);
	expect(30, 0, 0, 0, 10, 0, 30);

	BEGIN(200, 7, 0);
	OUT(210, 7, 0, S);
	WOKEN(220, 7, 0, INTERRUPT);
	EVENT(fault, TL_INSTANT, 225, 7, 0, 4096);
	END(240, 7, 0);
	expect(25, 0, 0, 0, 10, 0, 5);

	BEGIN(300, 7, 0);
	OUT(310, 7, 0, S);
	EVENT(fault, TL_INSTANT, 330, 7, 1, 4096); /* no waking was logged */
	END(340, 7, 1);
	expect(20, 0, 0, 0, 0, 0, 20);

	BEGIN(400, 7, 1);
	EVENT(fault, TL_INSTANT, 405, 7, 1, 4096);
	EVENT(interrupt, TL_BEGIN, 410, 7, 1, NAME);
	EVENT(fault, TL_INSTANT, 412, 7, 1, 4096);
	EVENT(interrupt, TL_END, 415, 7, 1, NAME);
	END(420, 7, 1);
	expect(15, 5, 0, 0, 0, 0, 0);
}

/*
 * A thread that sleeps cannot act: a waking by its number comes from a task of
 * another namespace.
 */
TEST(a_thread_that_sleeps_wakes_no_other)
{
	BEGIN(90, 7, 0);
	IN(100, 7, 0);
	OUT(110, 7, 0, S);
	EVENT(woken, TL_INSTANT, 120, 8, 0, 7, NAME, TASK);
	WOKEN(140, 7, 0, INTERRUPT);
	IN(145, 7, 0);
	END(150, 7, 0);
	expect(15, 0, 5, 0, 30, 0, 10);
}

#define OF(number, ...) \
	do { \
		source_of_all = (number); \
		__VA_ARGS__; \
		source_of_all = 0; \
	} while (0)

TEST(threads_and_cpus_of_two_hosts_are_different_ones)
{
	static const unsigned host_of[] = { 0, 1 };

	tl_states_free(states);
	ck_assert_int_eq(tl_states_new(&states, INT64_MAX, host_of, 2), 0);
	IN(100, 7, 0);
	OF(1, IN(101, 7, 0));
	OF(1, OUT(105, 7, 0, S));
	OF(1, IN(106, 8, 0));
	OF(1, LOST(107, 0));
	BEGIN(110, 7, 0);
	END(120, 7, 0);
	expect(10, 0, 0, 0, 0, 0, 0);
}

TEST(a_host_without_events_of_its_kernel_has_no_states)
{
	static const unsigned host_of[] = { 0, 1 };

	tl_states_free(states);
	ck_assert_int_eq(tl_states_new(&states, INT64_MAX, host_of, 2), 0);
	IN(100, 7, 0);
	OF(1, BEGIN(110, 7, 0));
	OF(1, END(120, 7, 0));
	expect(0, 0, 0, 0, 0, 0, 10);
	ck_assert(!any);
	OF(1, LOST(125, 0));
	OF(1, BEGIN(130, 7, 0));
	OF(1, END(135, 7, 0));
	ck_assert(!any);
	BEGIN(140, 7, 0);
	END(145, 7, 0);
	expect(5, 0, 0, 0, 0, 0, 0);
	ck_assert(any);
}

TEST(kernel_events_of_each_source_end_at_a_time_of_their_own)
{
	ck_assert_int_eq(tl_states_set_horizon(states, 0, 115), 0);
	ck_assert_int_eq(tl_states_set_horizon(states, 1, 200), 0);
	IN(100, 7, 0);
	OF(1, IN(100, 8, 1));
	BEGIN(110, 7, 0);
	END(112, 7, 0);
	expect(2, 0, 0, 0, 0, 0, 0);
	BEGIN(113, 8, 1);
	END(120, 8, 1);
	expect(7, 0, 0, 0, 0, 0, 0);
	BEGIN(121, 7, 0);
	END(130, 7, 0);
	expect(0, 0, 0, 0, 0, 0, 9);
}

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
