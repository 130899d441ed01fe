/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched.c - entries of the kernel's scheduler as bundles of ftrace events, from
 * which Perfetto's page draws CPUs and states of threads.
 *
 *	"switched out"     sched_switch from the thread to the next
 *	"switched in"      nothing if the last switch of the CPU named the
 *	                   thread; else sched_switch from the last task of
 *	                   the CPU
 *	"woken by"         sched_waking by that task
 *
 * Perfetto takes the stamps of ftrace events for CLOCK_BOOTTIME.  Entries from
 * before the start of the machine therefore stay instants, and so do entries of
 * a machine whose start is unknown, and of CPUs for which Perfetto refuses a
 * whole trace.
 */
#include "format/perfetto/perfetto.h"

#include "base/array.h"
#include "event/sched.h"

enum { /* FtraceEventBundle, FtraceEvent */
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
	FTRACE_SWITCH = 4,
	FTRACE_FLAGS = 5,
	FTRACE_WAKING = 20
};
enum { /* SchedSwitchFtraceEvent */
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_NAME = 5,
	SWITCH_NEXT_PID = 6
};
enum { WAKING_PID = 2, WAKING_SUCCESS = 4, WAKING_CPU = 5 };
enum { IN_INTERRUPT = 0x08, IN_SOFTIRQ = 0x10 };

/*
 * Return the bits of a state in kernels before 4.8, which Perfetto assumes for
 * a trace that names no kernel.
 */
static uint64_t
state_bits(struct tl_bytes letters)
{
	static const struct {
		char letter;
		uint16_t bits;
	} states[] = { { 'S', 0x1 }, { 'D', 0x2 }, { 'T', 0x4 }, { 't', 0x8 },
		{ 'X', 0x10 }, { 'Z', 0x20 }, { 'P', 0x200 }, { 'I', 0x402 },
		{ '+', 0x800 } };
	uint64_t bits = 0;

	for (size_t i = 0; i < TL_COUNT(states); i++)
		if (letters.size > 0 &&
		    memchr(letters.data, states[i].letter, letters.size))
			bits |= states[i].bits;
	return bits;
}

static void
put_switch(struct perfetto_write *w, uint32_t prev, uint64_t state,
    uint32_t next, struct tl_bytes name)
{
	struct tl_text *text = &w->writer.out.text;

	tl_pb_put_unsigned(text, FTRACE_PID, prev);
	tl_perfetto_open(w, FTRACE_SWITCH);
	tl_pb_put_signed(text, SWITCH_PREV_PID, (int32_t)prev);
	tl_pb_put_unsigned(text, SWITCH_PREV_STATE, state);
	if (name.size > 0)
		tl_pb_put_plain(text, SWITCH_NEXT_NAME, name);
	tl_pb_put_signed(text, SWITCH_NEXT_PID, (int32_t)next);
}

static void
put_waking(struct perfetto_write *w, const struct tl_event *e)
{
	struct tl_text *text = &w->writer.out.text;
	const struct tl_bytes context =
	    tl_message_string(e->message, e->args[2]);

	tl_pb_put_unsigned(text, FTRACE_PID, (uint32_t)e->args[0]);
	if (tl_bytes_are(context, "interrupt"))
		tl_pb_put_unsigned(text, FTRACE_FLAGS, IN_INTERRUPT);
	else if (tl_bytes_are(context, "softirq"))
		tl_pb_put_unsigned(text, FTRACE_FLAGS, IN_SOFTIRQ);
	tl_perfetto_open(w, FTRACE_WAKING);
	tl_pb_put_signed(text, WAKING_PID, (int32_t)e->tid);
	tl_pb_put_unsigned(text, WAKING_SUCCESS, 1);
	tl_pb_put_unsigned(text, WAKING_CPU, e->cpu);
}

int
tl_perfetto_sched(struct perfetto_write *w, const struct tl_event *e)
{
	struct tl_text *text = &w->writer.out.text;
	const enum tl_sched_what what =
	    e->message ? tl_sched_what(e->message) : TL_SCHED_NONE;
	const int64_t boot = w->writer.facts.origin.boottime_ns;
	uint32_t *running;
	uint64_t track;
	int rc;

	if (what < TL_SCHED_IS_OUT || what > TL_SCHED_IS_WOKEN || e->bare ||
	    e->cpu >= PERFETTO_CPUS || !w->has_boottime || e->ns < boot)
		return 0;
	/* the track's description tells Perfetto the thread's process */
	if ((rc = tl_perfetto_track(w, e, &track)) < 0)
		return rc;
	if (what == TL_SCHED_IS_IN && w->running[e->cpu] == e->tid)
		return 1;
	running = &w->running[e->cpu];
	tl_perfetto_begin(w);
	tl_perfetto_open(w, PACKET_FTRACE);
	tl_pb_put_unsigned(text, BUNDLE_CPU, e->cpu);
	tl_perfetto_open(w, BUNDLE_EVENT);
	tl_pb_put_unsigned(text, FTRACE_TIMESTAMP, (uint64_t)(e->ns - boot));
	if (what == TL_SCHED_IS_WOKEN) {
		put_waking(w, e);
	} else if (what == TL_SCHED_IS_IN) {
		put_switch(w, *running, 0, e->tid, tl_bytes(NULL, 0));
		*running = e->tid;
	} else {
		*running = (uint32_t)e->args[1];
		put_switch(w, e->tid,
		    state_bits(tl_message_string(e->message, e->args[0])),
		    *running, tl_message_string(e->message, e->args[2]));
	}
	tl_perfetto_end(w);
	return text->rc < 0 ? text->rc : 1;
}
