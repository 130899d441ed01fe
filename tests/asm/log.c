/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - asm/log.S fulfils its contract and agrees with its twin in C.
 *
 * Both append the same random calls under the same random levels.  Their
 * decisions, the levels they leave and their entries must agree, and the
 * assembly must preserve every register that its contract names.  The same
 * holds for asm/timer.S.
 *
 * Each test of the twins runs with both clocks.  With the wall clock no event
 * has lanes, so the assembly must leave every call to C with the arguments that
 * it was given; a stamp of the counter in the entry is found.
 */
#include "checked_call.h"
#include "lib/random.h"
#include "lib/test.h"
#include "ring/ring.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#undef timeline_log

/* _i is the clock; see use_clock() */
#define BOTH_CLOCKS \
	.from = TIMELINE_STAMP_TSC, .to = TIMELINE_STAMP_REALTIME + 1

enum {
	TRIALS = 20000,
	EVENTS = 8,
	LANES_MAX = 256,
	ASM_RED_ZONE = 24,   /* the bytes that asm/log.S uses */
	TIMER_RED_ZONE = 64, /* the bytes that asm/timer.S uses */
	TIMER_VECTORS = 4,   /* the first ones */
	ARITHMETIC = 0x8d5   /* flags that a call may change */
};

static char name[64];
static struct timeline *tl;
static struct timeline_event *events[EVENTS];
static struct timeline_event *timer;
static uint64_t seed;

/* The effects of one append. */
struct outcome {
	uint64_t appended; /* number of entries */
	uint64_t dropped;
	uint32_t lane; /* the lane of the last entry */
	uint64_t number;
	struct timeline_entry entry;
	uint64_t levels;
	uint64_t returned;
	uint64_t before; /* stamps before and after it */
	uint64_t after;
};

static void
open_with(uint32_t stamp)
{
	const struct timeline_options options = { .entries = 128,
		.stamp = stamp };
	struct timeline_event *span;

	snprintf(name, sizeof(name), "/test-asm-log-%d", (int)getpid());
	timeline_remove(name);
	ck_assert_ok(timeline_new(&tl, name, &options));
	ck_assert_ok(
	    timeline_define(tl, "asm", "trace", "one $a $b $c $d", &events[0]));
	ck_assert_ok(
	    timeline_define(tl, "asm", "fatal", "two $a $b $c $d", &events[1]));
	ck_assert_ok(timeline_define_span(tl, "asm", "info", "three",
	    TIMELINE_THREAD, &span));
	ck_assert_ok(timeline_define_timer(tl, "asm", "info",
	    "timer $a $b $c $d", &timer));
	events[2] = &span[0];
	events[3] = &span[1];
	for (int i = TIMELINE_PART_SCOPE; i < TIMELINE_PART_COUNT; i++)
		events[i] = &span[i];
	tl_ids_fill(tl->ids);
	seed = 1;
}

static void
setup(void)
{
	open_with(TIMELINE_STAMP_TSC);
}

static void
teardown(void)
{
	timeline_close(tl);
	timeline_remove(name);
}

static void
use_clock(int stamp)
{
	if (stamp == TIMELINE_STAMP_TSC)
		return;
	teardown();
	open_with((uint32_t)stamp);
	ck_assert_uint_eq(events[0]->lanes + timer->lanes, 0);
}

static uint64_t
head_of(uint32_t lane)
{
	const struct timeline_head *head =
	    (const void *)(tl->map + timeline_head_offset(&tl->geometry, lane));

	return __atomic_load_n(&head->head, __ATOMIC_ACQUIRE);
}

static const struct timeline_entry *
entry_of(uint32_t lane, uint64_t q)
{
	return (const void *)(tl->map +
			      timeline_entry_offset(&tl->geometry, lane, q));
}

static uint64_t
drops(void)
{
	return tl->header->drops[TIMELINE_DROP_BUSY] +
	       tl->header->drops[TIMELINE_DROP_LAPPED] +
	       tl->header->drops[TIMELINE_DROP_RACED];
}

/* Run a function and observe its effects on the file. */
static struct outcome
observe(void (*run)(void *), void *context)
{
	const uint32_t lanes = timeline_lane_count(&tl->geometry);
	uint64_t heads[LANES_MAX];
	struct outcome o = { .dropped = drops() };

	ck_assert_uint_le(lanes, LANES_MAX);
	for (uint32_t i = 0; i < lanes; i++)
		heads[i] = head_of(i);
	o.before = tl_stamp_now(tl);
	run(context);
	o.after = tl_stamp_now(tl);
	for (uint32_t i = 0; i < lanes; i++) {
		o.appended += head_of(i) - heads[i];
		if (head_of(i) == heads[i])
			continue;
		o.lane = i;
		o.number = heads[i];
		o.entry = *entry_of(i, heads[i]);
	}
	o.dropped = drops() - o.dropped;
	o.levels = tl->header->levels;
	return o;
}

static const char *
spoiled_vector(const struct checked_call *call)
{
	static char text[16];
	const size_t size = call->wide ? 32 : 16;

	for (int i = 0; i < 16; i++)
		if (memcmp(call->vectors[i], call->vectors_out[i], size) != 0) {
			snprintf(text, sizeof(text), "%s%d",
			    call->wide ? "ymm" : "xmm", i);
			return text;
		}
	return NULL;
}

/* The name of the first thing that the call spoiled; NULL: none. */
static const char *
spoiled(const struct checked_call *call)
{
	static const char *const names[] = { "rbx", "rbp", "r12", "r13", "r14",
		"r15" };

	for (int i = 0; i < 6; i++)
		if (call->kept[i] != call->kept_out[i])
			return names[i];
	if (call->stack != call->stack_out)
		return "rsp";
	if ((call->flags ^ call->flags_out) & 0x400)
		return "direction flag";
	if (call->above)
		return "stack above the frame";
	if (call->below)
		return "stack below the red zone";
	if (call->mxcsr[0] != call->mxcsr[1])
		return "mxcsr";
	if (call->control[0] != call->control[1])
		return "x87 control word";
	return spoiled_vector(call);
}

static void
fill_noise(struct checked_call *call)
{
	for (int i = 0; i < 6; i++)
		call->kept[i] = random_next(&seed);
	for (int i = 0; i < 4; i++)
		call->scratch[i] = random_next(&seed);
	for (size_t i = 0; i < sizeof(call->vectors); i++)
		call->vectors[i / 32][i % 32] = (uint8_t)random_next(&seed);
	call->flags = (random_next(&seed) & ARITHMETIC) | 0x202;
	call->wide = __builtin_cpu_supports("avx") != 0;
}

static const char *
spoiled_by(void (*function)(void), uint64_t red_zone)
{
	struct checked_call call = { .function = (void *)function,
		.red_zone = red_zone };

	fill_noise(&call);
	checked_call(&call);
	return spoiled(&call);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(the_check_finds_whatever_is_spoiled)
{
	ck_assert_ptr_null(spoiled_by(spoil_nothing, 0));
	ck_assert_str_eq(spoiled_by(spoil_rbx, 0), "rbx");
	ck_assert_str_eq(spoiled_by(spoil_rbp, 0), "rbp");
	ck_assert_str_eq(spoiled_by(spoil_r12, 0), "r12");
	ck_assert_str_eq(spoiled_by(spoil_r13, 0), "r13");
	ck_assert_str_eq(spoiled_by(spoil_r14, 0), "r14");
	ck_assert_str_eq(spoiled_by(spoil_r15, 0), "r15");
	ck_assert_str_eq(spoiled_by(spoil_direction, 0), "direction flag");
	ck_assert_str_eq(spoiled_by(spoil_above, 0), "stack above the frame");
	ck_assert_str_eq(spoiled_by(spoil_below, 16),
	    "stack below the red zone");
	ck_assert_ptr_null(spoiled_by(spoil_below, 24));
	ck_assert_ptr_null(spoiled_by(spoil_red_zone, 16));
	ck_assert_str_eq(spoiled_by(spoil_red_zone, 8),
	    "stack below the red zone");
	ck_assert_str_eq(spoiled_by(spoil_mxcsr, 16), "mxcsr");
	ck_assert_str_eq(spoiled_by(spoil_control, 16), "x87 control word");
	ck_assert_ptr_nonnull(spoiled_by(spoil_xmm0, 0));
	ck_assert_ptr_nonnull(spoiled_by(spoil_xmm15, 0));
	if (__builtin_cpu_supports("avx"))
		ck_assert_str_eq(spoiled_by(spoil_ymm7, 0), "ymm7");
}

/* The input of both functions. */
struct trial {
	struct timeline_event *event;
	uint64_t args[4];
	uint64_t levels;
	uint8_t gate;
	uint64_t lease;
	uint64_t plan_seed;
	uint32_t shares[TIMELINE_PLAN_GATES];
	bool through_gate; /* call timeline_log, not timeline_append */
	struct checked_call call;
	uint64_t returned;
};

/*
 * Choose the end of a burst, in units of until.  The end never lies at a moment
 * that may pass between the calls of the twins.
 */
static uint64_t
random_until(void)
{
	const uint64_t now = tl_stamp_now(tl) >> TIMELINE_UNTIL_SHIFT;
	const uint64_t longest = tl_burst_max(tl);

	switch (random_below(&seed, 8)) {
	case 0:
		return 0;
	case 1:
		return now - 1 - random_below(&seed, now / 2);
	case 2:
	case 3:
	case 4: /* the burst is alive */
		return now + longest / 100 + random_below(&seed, longest / 2);
	case 5: /* far beyond the longest burst */
		return now + longest + (UINT64_C(1) << 24);
	case 6:
		return UINT64_MAX >> TIMELINE_LEVELS_UNTIL;
	}
	return random_next(&seed) >> TIMELINE_LEVELS_UNTIL;
}

/*
 * Choose a plan half of the time.  Its slots are so long that both twins see
 * the same slot.
 */
static void
random_plan(struct trial *t, uint64_t base)
{
	const uint64_t enter = (uint8_t)t->levels;
	const uint64_t leases[] = { 0, tl_stamp_now(tl) / 2, UINT64_MAX,
		UINT64_MAX, UINT64_MAX };
	/* below 2^50 ticks the counter is in slot 0 of 2^63 */
	const uint64_t shift = 44 + random_below(&seed, 20);

	memset(t->shares, 0, sizeof(t->shares));
	t->lease = 0;
	t->plan_seed = 0;
	if (random_below(&seed, 2))
		return;
	t->levels |= (enter + random_below(&seed, base - enter + 1))
		     << TIMELINE_LEVELS_THRESHOLD;
	t->lease = (leases[random_below(&seed, 5)] & ~UINT64_C(255)) | shift;
	t->plan_seed = random_next(&seed);
	for (size_t i = 0; i < TIMELINE_PLAN_GATES; i++)
		t->shares[i] = (uint32_t)random_next(&seed);
}

static struct trial
random_trial(void)
{
	struct trial t = { .event = events[random_below(&seed, EVENTS)] };
	const uint64_t base = random_below(&seed, TIMELINE_LEVEL_NONE + 1);

	for (int i = 0; i < 4; i++)
		t.args[i] = random_next(&seed);
	t.gate = (uint8_t)random_below(&seed, 12);
	if (t.event->message & TIMELINE_MESSAGE_END && t.event != events[3])
		t.gate = *t.event->gate; /* an end whose begin was logged */
	t.levels = random_below(&seed, base + 1) |
		   base << TIMELINE_LEVELS_BASE |
		   random_until() << TIMELINE_LEVELS_UNTIL;
	random_plan(&t, base);
	/* a caller of append has tested the gate */
	t.through_gate = t.gate < (uint8_t)t.levels || random_below(&seed, 2);
	fill_noise(&t.call);
	return t;
}

static void
set_levels(const struct trial *t)
{
	uint8_t *gate = tl_gate_of(tl, t->event->message & ~15U);

	*gate = t->gate;
	tl->header->levels = t->levels;
	tl->header->lease = t->lease;
	tl->header->seed = t->plan_seed;
	memcpy(tl->header->shares, t->shares, sizeof(t->shares));
}

static void
run_assembly(void *context)
{
	struct trial *t = context;
	struct checked_call *call = &t->call;

	call->function = t->through_gate ? (void *)timeline_span_log
					 : (void *)timeline_span_append;
	call->args[0] = (uint64_t)(uintptr_t)t->event;
	memcpy(&call->args[1], t->args, sizeof(t->args));
	call->red_zone = ASM_RED_ZONE;
	checked_call(call);
	t->returned = call->returned;
}

static void
run_twin(void *context)
{
	struct trial *t = context;

	t->returned = 0;
	if (!t->through_gate || timeline_enabled(t->event))
		t->returned = tl_append_fallback(t->event, t->args[0],
		    t->args[1], t->args[2], t->args[3]);
}

static void
check_entry(const struct trial *t, const struct outcome *o, const char *who)
{
	const struct timeline_entry *e = &o->entry;
	const bool fallback = timeline_lane_is_fallback(&tl->geometry, o->lane);

	ck_assert_msg(e->stamp ==
			  (fallback ? timeline_stamp_fallback(o->number, e)
				    : timeline_stamp_whole(o->number)),
	    "%s: stamp %lu of entry %lu", who, e->stamp, o->number);
	ck_assert_msg(e->message == t->event->message, "%s: message", who);
	ck_assert_msg(e->pid == (uint32_t)getpid(), "%s: pid", who);
	ck_assert_msg(e->tid == (uint32_t)gettid(), "%s: tid", who);
	ck_assert_msg(memcmp(e->args, t->args, sizeof(e->args)) == 0,
	    "%s: arguments", who);
	ck_assert_msg(e->tsc >= o->before && e->tsc <= o->after,
	    "%s: stamp %lu not in %lu..%lu", who, e->tsc, o->before, o->after);
	ck_assert_msg(timeline_lane_tier(&tl->geometry, o->lane) ==
			  t->event->tier,
	    "%s: tier of lane %u", who, o->lane);
	if (!fallback)
		ck_assert_msg(e->cpu == 0, "%s: spare word", who);
}

/* True if the assembly did not leave any work to C. */
static bool
stayed_in_assembly(const struct trial *t, const struct outcome *o)
{
	if (o->appended == 0)
		return t->through_gate && t->gate < (uint8_t)t->levels;
	return !timeline_lane_is_fallback(&tl->geometry, o->lane);
}

/* The return value is the stamp of the entry, or 0. */
static void
check_returned(const struct outcome *o, const char *who)
{
	const uint64_t expected = o->appended == 1 ? o->entry.tsc : 0;

	ck_assert_msg(o->returned == expected, "%s returned %lu, not %lu", who,
	    o->returned, expected);
}

static void
compare(struct trial *t, uint64_t *in_lane)
{
	struct outcome a, c;
	const char *what;

	set_levels(t);
	a = observe(run_assembly, t);
	a.returned = t->returned;
	set_levels(t);
	c = observe(run_twin, t);
	c.returned = t->returned;
	check_returned(&a, "assembly");
	check_returned(&c, "twin");
	ck_assert_msg(a.appended == c.appended && a.appended <= 1,
	    "gate %u, levels %lx: assembly %lu, twin %lu entries", t->gate,
	    t->levels, a.appended, c.appended);
	ck_assert_msg(a.levels == c.levels,
	    "gate %u, levels %lx: assembly leaves %lx, twin %lx", t->gate,
	    t->levels, a.levels, c.levels);
	ck_assert_uint_eq(a.dropped + c.dropped, 0);
	if (a.appended == 1) {
		check_entry(t, &a, "assembly");
		check_entry(t, &c, "twin");
	}
	if (!stayed_in_assembly(t, &a)) /* C may use the stack and vectors */
		t->call.below = 0;
	if (!stayed_in_assembly(t, &a))
		memcpy(t->call.vectors_out, t->call.vectors,
		    sizeof(t->call.vectors));
	what = spoiled(&t->call);
	ck_assert_msg(!what, "gate %u, levels %lx: spoiled: %s", t->gate,
	    t->levels, what);
	*in_lane +=
	    a.appended && !timeline_lane_is_fallback(&tl->geometry, a.lane);
}

TEST(assembly_and_twin_agree_on_random_calls, BOTH_CLOCKS)
{
	uint64_t in_lane = 0;

	use_clock(_i);
	for (int i = 0; i < TRIALS; i++) {
		struct trial t = random_trial();

		compare(&t, &in_lane);
	}
	/* two preemptions in a row are rare */
	if (events[0]->lanes > 0)
		ck_assert_uint_gt(in_lane, TRIALS / 4);
	else
		ck_assert_uint_eq(in_lane, 0);
}

/* == asm/timer.S == */

/*
 * The count of the timer; shared: only the row of threads without a CPU lane.
 */
static uint64_t
counted(bool shared)
{
	const uint32_t rows = tl->geometry.timer_rows;
	uint64_t count = 0;

	for (uint32_t i = shared ? rows - 1 : 0; i < rows; i++)
		count +=
		    ((const struct timeline_histogram *)(const void
			     *)(tl->map +
				timeline_histogram_offset(&tl->geometry, 0, i)))
			->count;
	return count;
}

struct timer_trial {
	struct trial trial;
	bool at;        /* timeline_append_at; a timer may be its event */
	uint64_t given; /* begin, or given stamp */
	uint64_t slower;
	bool without_lane;
};

static void
run_timer_assembly(void *context)
{
	struct timer_trial *t = context;
	struct checked_call *call = &t->trial.call;

	call->function =
	    t->at ? (void *)timeline_append_at : (void *)timeline_timer_append;
	call->args[0] = (uint64_t)(uintptr_t)t->trial.event;
	call->args[1] = t->given;
	memcpy(&call->args[2], t->trial.args, 3 * sizeof(*call->args));
	call->scratch[1] = t->trial.args[3]; /* r9 */
	call->red_zone = TIMER_RED_ZONE;
	checked_call(call);
}

static void
run_timer_twin(void *context)
{
	const struct timer_trial *t = context;
	const uint64_t *a = t->trial.args;

	(t->at ? tl_append_at : tl_timer_end)(t->trial.event, t->given, a[0],
	    a[1], a[2], a[3]);
}

static void
check_timer_entry(const struct timer_trial *t, const struct outcome *o)
{
	struct outcome plain = *o;
	struct timeline_entry *e = &plain.entry;
	const bool fallback = timeline_lane_is_fallback(&tl->geometry, o->lane);
	const uint64_t took = timeline_duration(e->cpu);

	if (!t->at) {
		const uint64_t most = o->after - t->given;

		ck_assert_uint_le(took,
		    t->given > o->before ? o->after - o->before : most);
		ck_assert(t->given > o->before ||
			  took + (most >> 25) >= o->before - t->given);
		e->cpu = 0;
	} else {
		ck_assert(((e->message & TIMELINE_MESSAGE_MOVED) != 0) ==
			  (e->tsc != t->given));
		ck_assert(e->tsc == t->given || e->tsc <= o->after);
		ck_assert(t->trial.event != timer || took == 0);
		e->tsc = o->before;
	}
	e->message &= ~(uint32_t)TIMELINE_MESSAGE_MOVED;
	e->stamp = fallback ? timeline_stamp_fallback(o->number, e)
			    : timeline_stamp_whole(o->number);
	check_entry(&t->trial, &plain, "timer");
}

static struct timer_trial
random_timer_trial(void)
{
	struct timer_trial t = { .trial = random_trial() };

	t.given = tl_stamp_now(tl) + (random_next(&seed) >> 50) -
		  (random_next(&seed) >> (16 + random_below(&seed, 48)));
	t.slower = random_below(&seed, 2) ? 0 : UINT64_MAX;
	t.without_lane = random_below(&seed, 8) == 0;
	if (random_below(&seed, 2))
		t.trial.event = timer;
	t.at = t.trial.event != timer || random_below(&seed, 4) == 0;
	if (t.at && t.trial.gate < (uint8_t)t.trial.levels)
		t.trial.gate = TIMELINE_LEVEL_NONE; /* the gate of the timer
						     * was tested */
	return t;
}

/* Compare the twins; returns true if the assembly left no work to C. */
static bool
compare_timers(struct timer_trial *t)
{
	const uint64_t before[] = { counted(false), counted(true) };
	const uint32_t lanes = t->trial.event->lanes;
	struct outcome a, c;
	uint64_t count;
	bool stayed;

	set_levels(&t->trial);
	if (t->without_lane)
		t->trial.event->lanes = 0;
	a = observe(run_timer_assembly, t);
	t->trial.event->lanes = lanes;
	count = counted(false) - before[0];
	stayed = counted(true) == before[1] &&
		 t->trial.gate >= (uint8_t)(t->trial.levels >> 8) &&
		 (a.appended == 0 ||
		     !timeline_lane_is_fallback(&tl->geometry, a.lane));
	set_levels(&t->trial);
	c = observe(run_timer_twin, t);
	ck_assert_uint_eq(count, counted(false) - before[0] - count);
	ck_assert_uint_eq(count, !t->at && (a.appended == 1 || count == 1));
	ck_assert_uint_eq(a.appended, c.appended);
	ck_assert_uint_le(a.appended, 1);
	ck_assert_uint_eq(a.levels, c.levels);
	if (a.appended == 1) {
		check_timer_entry(t, &a);
		check_timer_entry(t, &c);
	}
	memcpy(t->trial.call.vectors_out, t->trial.call.vectors,
	    (stayed ? TIMER_VECTORS : 16) * sizeof(t->trial.call.vectors[0]));
	if (!stayed)
		t->trial.call.below = 0;
	ck_assert_msg(!spoiled(&t->trial.call), "spoiled: %s",
	    spoiled(&t->trial.call));
	return stayed && (a.appended == 1 || count == 1);
}

TEST(timers_and_given_stamps_agree_with_their_twin, BOTH_CLOCKS)
{
	uint64_t in_assembly = 0;

	use_clock(_i);
	for (int i = 0; i < TRIALS; i++) {
		struct timer_trial t = random_timer_trial();

		__atomic_store_n((uint64_t *)(uintptr_t)timer->slower, t.slower,
		    __ATOMIC_RELAXED);
		in_assembly += compare_timers(&t);
	}
	ck_assert(
	    timer->lanes > 0 ? in_assembly > TRIALS / 4 : in_assembly == 0);
}

TEST(a_thread_without_ids_gets_them_on_its_first_call, BOTH_CLOCKS)
{
	struct trial t;
	struct outcome o;

	use_clock(_i);
	t = random_trial();
	t.gate = TIMELINE_LEVEL_MAX;
	t.levels = 0x101;
	t.lease = 0;
	t.through_gate = true;
	set_levels(&t);
	timeline_after_fork();
	o = observe(run_assembly, &t);
	ck_assert_uint_eq(o.appended, 1);
	o.returned = t.returned;
	check_returned(&o, "assembly");
	if (t.event->message & TIMELINE_MESSAGE_WHOLE &&
	    t.event->message & TIMELINE_MESSAGE_END)
		return; /* see the_first_entry_proves_nothing */
	check_entry(&t, &o, "assembly");
}

/* The first entry of a thread or of a forked child is never a proven end. */
TEST(the_first_entry_proves_nothing, BOTH_CLOCKS)
{
	use_clock(_i);
	for (int i = TIMELINE_PART_END_OF; i <= TIMELINE_PART_SCOPE_END; i++) {
		struct trial t = random_trial();
		void (*const runs[])(void *) = { run_assembly, run_twin };

		t.event = events[i];
		t.gate = *t.event->gate;
		t.levels = TIMELINE_LEVEL_NONE * 0x101;
		t.lease = 0;
		for (int k = 0; k < 2; k++) {
			struct outcome o;

			set_levels(&t);
			timeline_after_fork();
			o = observe(runs[k], &t);
			ck_assert_uint_eq(o.appended, 1);
			ck_assert_uint_eq(o.entry.message,
			    t.event->message &
				~(uint32_t)TIMELINE_MESSAGE_WHOLE);
			ck_assert_uint_eq(o.entry.args[timeline_begun_word(
					      t.event->message)],
			    0);
			ck_assert_uint_eq(o.entry.args[1], t.args[1]);
			ck_assert_uint_eq(t.returned, o.entry.tsc);
		}
	}
}

TEST(a_closed_event_returns_0)
{
	struct timeline_event *none;

	ck_assert_int_eq(timeline_define_span(tl, "asm", "no such", "none",
			     TIMELINE_THREAD, &none),
	    -EINVAL);
	ck_assert_uint_eq(timeline_begin(none), 0);
	for (int i = 0; i < TIMELINE_PART_COUNT; i++) {
		ck_assert_uint_eq(timeline_span_append(none + i, 1, 2, 3, 4),
		    0);
		ck_assert_uint_eq(timeline_span_log(none + i, 1, 2, 3, 4), 0);
		ck_assert_uint_eq(tl_append_fallback(none + i, 1, 2, 3, 4), 0);
	}
	timeline_end_of(none, 1);
	timeline_end_of(none, 1, 2, 3, 4, 5);
}

TEST(a_cpu_beyond_the_lanes_goes_to_the_fallback, BOTH_CLOCKS)
{
	struct timeline_event copy[2] __attribute__((aligned(64)));
	struct trial t;
	struct outcome o;

	use_clock(_i);
	t = random_trial();
	memcpy(copy, events[0], sizeof(copy));
	copy[0].lanes = 0;
	t.event = copy;
	t.gate = TIMELINE_LEVEL_MAX;
	t.levels = 0x101;
	t.lease = 0;
	t.through_gate = true;
	set_levels(&t);
	o = observe(run_assembly, &t);
	ck_assert_uint_eq(o.appended, 1);
	ck_assert(timeline_lane_is_fallback(&tl->geometry, o.lane));
	ck_assert_uint_lt(o.entry.cpu, CPU_SETSIZE);
	o.returned = t.returned;
	check_returned(&o, "assembly");
	check_entry(&t, &o, "assembly");
}

TEST(a_lane_goes_round_many_times, BOTH_CLOCKS)
{
	uint64_t n, in_lane = 0;

	use_clock(_i);
	n = tl->geometry.tier_entries[0];
	for (uint64_t i = 0; i < 5 * n; i++) {
		struct trial t = random_trial();

		t.event = events[0];
		t.gate = TIMELINE_LEVEL_MAX;
		t.levels = 0x101;
		t.lease = 0;
		compare(&t, &in_lane);
	}
	if (events[0]->lanes > 0)
		ck_assert_uint_gt(in_lane, 4 * n);
}

/*
 * A counter of the test's own: rdtsc faults, and the signal handler answers.
 * The kernel must not know the restartable sequence here, or each fault would
 * abort it.
 */
static __thread struct {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
} own_rseq;
static volatile uint64_t own_tsc;

static void
answer_rdtsc(int signal_number, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const uint8_t *code = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];

	(void)info;
	if (code[0] == 0x0f && code[1] == 0x31) {
		uc->uc_mcontext.gregs[REG_RIP] += 2;
	} else if (code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9) {
		uc->uc_mcontext.gregs[REG_RIP] += 3;
		uc->uc_mcontext.gregs[REG_RCX] = 0;
	} else {
		signal(signal_number, SIG_DFL);
		return;
	}
	uc->uc_mcontext.gregs[REG_RAX] = (greg_t)(own_tsc & UINT32_MAX);
	uc->uc_mcontext.gregs[REG_RDX] = (greg_t)(own_tsc >> 32);
}

/* Each reading of the counter calls a handler from here on. */
static void
answer_by(void (*handler)(int, siginfo_t *, void *))
{
	const struct sigaction action = { .sa_sigaction = handler,
		.sa_flags = SA_SIGINFO };

	ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
	ck_assert_int_eq(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0);
}

static void
answer_no_more(void)
{
	ck_assert_int_eq(prctl(PR_SET_TSC, PR_TSC_ENABLE), 0);
}

/* == the return value of each path == */

/* A path of the append. takes tells where the entry is stored. */
struct path {
	const char *name;
	uint8_t gate;
	bool through_gate;
	uint64_t levels;
	uint64_t lease, share;
	bool no_ids, no_lane;
	enum { NOWHERE, IN_LANE, IN_FALLBACK } takes;
};

static const struct path paths[] = {
	{ "plain", 6, true, 0x505, .takes = IN_LANE },
	{ "plain, gate not tested", 6, false, 0x505, .takes = IN_LANE },
	{ "gate closed", 4, true, 0x505, .takes = NOWHERE },
	{ "gate closed since it was tested", 4, false, 0x505,
	    .takes = NOWHERE },
	{ "burst", 3, true, 0x502 | UINT64_MAX << TIMELINE_LEVELS_UNTIL,
	    .takes = IN_LANE },
	{ "burst that is over", 3, true,
	    0x502 | UINT64_C(1) << TIMELINE_LEVELS_UNTIL, .takes = NOWHERE },
	{ "slot open", 3, true, 0x502 | 4 << TIMELINE_LEVELS_THRESHOLD,
	    UINT64_MAX, UINT32_MAX, .takes = IN_LANE },
	{ "slot closed", 3, true, 0x502 | 4 << TIMELINE_LEVELS_THRESHOLD,
	    UINT64_MAX, 0, .takes = NOWHERE },
	{ "plan without a lease", 3, true,
	    0x502 | 4 << TIMELINE_LEVELS_THRESHOLD, 255, UINT32_MAX,
	    .takes = NOWHERE },
	{ "ids unknown", 6, true, 0x505, .no_ids = true, .takes = IN_LANE },
	{ "ids unknown in a burst", 3, true,
	    0x502 | UINT64_MAX << TIMELINE_LEVELS_UNTIL, .no_ids = true,
	    .takes = IN_LANE },
	{ "no lane", 6, true, 0x505, .no_lane = true, .takes = IN_FALLBACK },
	{ "no lane, ids unknown", 6, true, 0x505, .no_ids = true,
	    .no_lane = true, .takes = IN_FALLBACK },
	{ "no lane, slot closed", 3, true,
	    0x502 | 4 << TIMELINE_LEVELS_THRESHOLD, UINT64_MAX, 0,
	    .no_lane = true, .takes = NOWHERE },
};

/*
 * Make a trial of a path; copy becomes its event, whose lanes the path may
 * remove.
 */
static struct trial
trial_of(const struct path *path, struct timeline_event *copy)
{
	struct trial t = { .event = copy,
		.gate = path->gate,
		.levels = path->levels,
		.lease = (path->lease & ~UINT64_C(255)) | 50,
		.plan_seed = 1,
		.through_gate = path->through_gate };
	const uint64_t until = path->levels >> TIMELINE_LEVELS_UNTIL;

	*copy = *events[0];
	if (path->no_lane)
		copy->lanes = 0;
	if (until > 1) { /* about a second from now */
		t.levels &= ~(UINT64_MAX << TIMELINE_LEVELS_UNTIL);
		t.levels |= ((tl_stamp_now(tl) + (UINT64_C(1) << 31)) >>
				TIMELINE_UNTIL_SHIFT)
			    << TIMELINE_LEVELS_UNTIL;
	}
	for (size_t i = 0; i < TIMELINE_PLAN_GATES; i++)
		t.shares[i] = (uint32_t)path->share;
	for (int i = 0; i < 4; i++)
		t.args[i] = random_next(&seed);
	fill_noise(&t.call);
	return t;
}

static void
expect_path(const struct path *path, struct trial *t, bool twin)
{
	const bool lane = events[0]->lanes > 0 && !twin;
	struct outcome o;

	set_levels(t);
	if (path->no_ids)
		timeline_after_fork();
	o = observe(twin ? run_twin : run_assembly, t);
	o.returned = t->returned;
	ck_assert_msg(o.appended == (path->takes != NOWHERE), "%s: %lu entries",
	    path->name, o.appended);
	check_returned(&o, path->name);
	if (o.appended == 0)
		return;
	check_entry(t, &o, path->name);
	ck_assert_msg(timeline_lane_is_fallback(&tl->geometry, o.lane) ==
			  (path->takes == IN_FALLBACK || !lane),
	    "%s: lane %u", path->name, o.lane);
}

/*
 * A thread that is moved to another CPU in the midst of the call takes its
 * path, too.
 */
TEST(each_path_returns_the_stamp_of_its_entry, BOTH_CLOCKS)
{
	struct timeline_event copy __attribute__((aligned(64)));

	use_clock(_i);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		for (int twin = 0; twin < 2; twin++) {
			struct trial t = trial_of(&paths[i], &copy);

			expect_path(&paths[i], &t, twin);
		}
}

/* The begin was logged, although its entry is overwritten. */
TEST(a_begin_that_was_lapped_returns_its_stamp, BOTH_CLOCKS)
{
	const struct path path = { "lapped", 6, true, 0x505, .no_lane = true };
	struct timeline_event copy __attribute__((aligned(64)));
	void (*const runs[])(void *) = { run_assembly, run_twin };

	use_clock(_i);
	for (int twin = 0; twin < 2; twin++) {
		struct trial t = trial_of(&path, &copy);
		struct timeline_head *head = (void *)copy.fallback_heads;
		const uint32_t lane = timeline_lane(&tl->geometry,
		    tl->geometry.cpu_lanes, copy.tier);
		struct timeline_entry newer;
		struct outcome o;

		if (copy.fallback_lanes > 1)
			return;
		set_levels(&t);
		for (uint64_t i = 0; i < 2 * (copy.fallback_mask + 1); i++)
			run_twin(&t);
		head->head -= 2 * (copy.fallback_mask + 1);
		newer = *entry_of(lane, head->head);
		o = observe(runs[twin], &t);
		ck_assert_uint_eq(o.dropped, 1);
		ck_assert_uint_ge(t.returned, o.before);
		ck_assert_uint_le(t.returned, o.after);
		ck_assert_mem_eq(&newer, &o.entry, sizeof(newer));
	}
}

static struct {
	volatile unsigned faults, aborts;
	volatile uint64_t levels; /* set at the next reading; 0: unchanged */
} at_clock;

/* Answer the readings of the clock; a restartable sequence was left before. */
static void
answer_or_abort(int signal_number, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	const uint8_t *code = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];

	at_clock.faults++;
	if (at_clock.faults > 100)
		signal(signal_number, SIG_DFL);
	if (code[0] != 0x0f) {
		at_clock.aborts++;
		return;
	}
	if (at_clock.levels != 0 && at_clock.faults > 1)
		tl->header->levels = at_clock.levels;
	answer_rdtsc(signal_number, info, context);
}

static uint64_t
append_with_clock(const struct trial *t, uint64_t now)
{
	uint64_t returned;

	at_clock.faults = at_clock.aborts = 0;
	own_tsc = now;
	answer_by(answer_or_abort);
	returned = timeline_span_append(t->event, t->args[0], t->args[1],
	    t->args[2], t->args[3]);
	answer_no_more();
	return returned;
}

/* Each reading of the clock raises a signal, which aborts the sequence. */
TEST(the_stamp_of_the_fallback_is_returned_after_the_last_try)
{
	const struct path path = { "aborts", 6, true, 0x505,
		.takes = IN_FALLBACK };
	struct timeline_event copy __attribute__((aligned(64)));
	struct trial t = trial_of(&path, &copy);
	const uint32_t lane = timeline_lane(&tl->geometry,
	    tl->geometry.cpu_lanes, events[0]->tier);
	const uint64_t q = head_of(lane);
	const uint64_t now = __rdtsc() + 12345;
	struct rusage before, after;

	if (!tl->use_rseq)
		return;
	set_levels(&t);
	getrusage(RUSAGE_THREAD, &before);
	ck_assert_uint_eq(append_with_clock(&t, now), now);
	getrusage(RUSAGE_THREAD, &after);
	ck_assert_uint_le(at_clock.aborts, TIMELINE_TRIES_MAX);
	/* a try before a reading of the clock ends where the kernel switches */
	if (after.ru_nivcsw == before.ru_nivcsw)
		ck_assert_uint_eq(at_clock.aborts, TIMELINE_TRIES_MAX);
	ck_assert_uint_eq(at_clock.faults, at_clock.aborts + 1);
	ck_assert_uint_eq(head_of(lane), q + 1);
	ck_assert_uint_eq(entry_of(lane, q)->tsc, now);
}

/*
 * The burst is over for the assembly, and another one begins before C tests it.
 */
TEST(a_burst_that_begins_after_one_that_is_over_returns_its_stamp)
{
	const struct path path = { "again", 3, true,
		0x502 | UINT64_C(1) << TIMELINE_LEVELS_UNTIL,
		.takes = IN_FALLBACK };
	struct timeline_event copy __attribute__((aligned(64)));
	struct trial t = trial_of(&path, &copy);
	const uint64_t now = __rdtsc();
	const uint32_t lane = timeline_lane(&tl->geometry,
	    tl->geometry.cpu_lanes, events[0]->tier);
	const uint64_t q = head_of(lane);

	copy.rseq =
	    (int32_t)((char *)&own_rseq - (char *)__builtin_thread_pointer());
	own_rseq.cpu_id = 0;
	set_levels(&t);
	at_clock.levels = 0x502 | ((now >> TIMELINE_UNTIL_SHIFT) + 100)
				      << TIMELINE_LEVELS_UNTIL;
	ck_assert_uint_eq(append_with_clock(&t, now), now);
	at_clock.levels = 0;
	ck_assert_uint_eq(at_clock.aborts, 0);
	ck_assert_uint_eq(head_of(lane), q + 1);
	ck_assert_uint_eq(entry_of(lane, q)->tsc, now);
}

/* The functions behind the macros of C. */
TEST(the_functions_for_other_languages_return_the_stamp)
{
	const struct path path = { "functions", 6, true, 0x505,
		.takes = IN_LANE };
	struct timeline_event copy __attribute__((aligned(64)));
	struct trial t = trial_of(&path, &copy);
	uint64_t (*const begin)(struct timeline_event *, uint64_t, uint64_t,
	    uint64_t, uint64_t) = (timeline_begin);
	const uint64_t before = __rdtsc();
	uint64_t begun;

	set_levels(&t);
	begun = begin(&copy, 1, 2, 3, 4);
	ck_assert_uint_ge(begun, before);
	ck_assert_uint_le(begun, __rdtsc());
	t.levels = TIMELINE_LEVEL_NONE * 0x101;
	set_levels(&t);
	ck_assert_uint_eq(begin(&copy, 1, 2, 3, 4), 0);
}

/*
 * The levels word has 44 bits of the end of a burst.  A counter with more bits
 * must find the burst alive in assembly, too, instead of leaving the test to C.
 */
TEST(the_end_of_a_burst_goes_round_with_the_counter)
{
	const uint64_t around = (TL_UNTIL_MASK + 1) << TIMELINE_UNTIL_SHIFT;
	struct timeline_event copy[2] __attribute__((aligned(64)));
	struct trial t = random_trial();
	uint64_t before;

	if (!tl->use_rseq)
		return;
	memcpy(copy, events[0], sizeof(copy));
	copy[0].rseq =
	    (int32_t)((char *)&own_rseq - (char *)__builtin_thread_pointer());
	own_rseq.cpu_id = 0;
	t.event = copy;
	t.gate = 3;
	t.lease = 0;
	/* threshold 2, base 5, and until 8 units after the counter */
	t.levels = 0x0502 | UINT64_C(1008) << TIMELINE_LEVELS_UNTIL;
	set_levels(&t);
	tl_ids_fill(tl->ids);
	before = head_of(timeline_lane(&tl->geometry, 0, copy[0].tier));
	own_tsc = around + (UINT64_C(1000) << TIMELINE_UNTIL_SHIFT);
	answer_by(answer_rdtsc);
	timeline_append(copy, 1, 2, 3, 4);
	own_tsc = around + (UINT64_C(1009) << TIMELINE_UNTIL_SHIFT);
	/* over: C runs, and no entry is logged */
	timeline_append(copy, 1, 2, 3, 4);
	answer_no_more();
	ck_assert_uint_eq(head_of(
			      timeline_lane(&tl->geometry, 0, copy[0].tier)),
	    before + 1);
	ck_assert_uint_eq((uint16_t)tl->header->levels, 0x0505);
}

/* == a timer that was interrupted == */

enum { TICKS = 5000 };

static void
open_all(void)
{
	tl->header->levels = 0x101;
	tl->header->lease = 0;
}

static void
check_timed(uint32_t lane, uint64_t end)
{
	const struct timeline_entry *e = entry_of(lane, head_of(lane) - 1);
	const uint64_t args[TIMELINE_ARGS_MAX] = { 1, 2, 3, 4 };

	ck_assert_uint_eq(e->message, timer->message);
	ck_assert_uint_eq(e->tsc, end);
	ck_assert_uint_eq(timeline_duration(e->cpu), TICKS);
	ck_assert_mem_eq(e->args, args, sizeof(args));
	ck_assert_uint_eq(counted(false), 1);
}

/* Each reading of the counter aborts the sequence that counts. */
TEST(the_begin_of_a_timer_is_the_callers_after_the_last_try)
{
	const uint32_t lane =
	    timeline_lane(&tl->geometry, tl->geometry.cpu_lanes, timer->tier);
	const uint64_t now = __rdtsc();

	if (timer->lanes == 0)
		return;
	open_all();
	at_clock.faults = at_clock.aborts = 0;
	own_tsc = now;
	answer_by(answer_or_abort);
	timeline_timer_append(timer, now - TICKS, 1, 2, 3, 4);
	answer_no_more();
	ck_assert_uint_eq(at_clock.aborts, TIMELINE_TRIES_MAX);
	ck_assert_uint_eq(counted(true), 1);
	check_timed(lane, now);
}

static volatile uint64_t answers[2];
static volatile unsigned answered;

static void
answer_in_turn(int signal_number, siginfo_t *info, void *context)
{
	own_tsc = answers[answered++ % 2];
	answer_rdtsc(signal_number, info, context);
}

/*
 * The end of a span is at stamp now.  before: the stamp of the lane's last
 * entry; look: the counter when this stamp is compared.
 */
static const struct late {
	int64_t before, look;
	bool in_lane;
} lates[] = {
	{ 1000, 2000, false },       /* another entry was logged since */
	{ 1000, 1000, false },       /* just now */
	{ 2000, 1000, true },        /* the counter restarted */
	{ 0, 1000, true },           /* at the same time */
	{ -(1 << 30), 1000, true },  /* long ago */
	{ -(1 << 30), -1000, true }, /* and the counter restarted */
};

TEST(an_interrupted_timer_keeps_its_stamp, .to = 6)
{
	const struct late *late = &lates[_i];
	struct timeline_event copies[2] __attribute__((aligned(64)));
	const uint64_t now = __rdtsc();
	const uint32_t cpu = timeline_lane(&tl->geometry, 0, timer->tier);
	const uint32_t fallback =
	    timeline_lane(&tl->geometry, tl->geometry.cpu_lanes, timer->tier);

	if (timer->lanes == 0)
		return;
	copies[0] = *events[0];
	copies[1] = *timer;
	copies[0].rseq = copies[1].rseq =
	    (int32_t)((char *)&own_rseq - (char *)__builtin_thread_pointer());
	own_rseq.cpu_id = 0;
	open_all();
	own_tsc = now + (uint64_t)late->before;
	answer_by(answer_rdtsc);
	timeline_append(&copies[0], 1, 2, 3, 4);
	answers[0] = now;
	answers[1] = now + (uint64_t)late->look;
	answer_by(answer_in_turn);
	timeline_timer_append(&copies[1], now - TICKS, 1, 2, 3, 4);
	answer_no_more();
	ck_assert_uint_eq(counted(true), 0);
	ck_assert_uint_eq(head_of(fallback), !late->in_lane);
	check_timed(late->in_lane ? cpu : fallback, now);
}
