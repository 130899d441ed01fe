/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.h - in which states a span's thread was: running, interrupted,
 * runnable, blocked by another task, by a timer or a device, by I/O.
 *
 *	merged events --put--> a state for each thread, and the time that the
 *	                       thread has spent in each state so far
 *	span ended -----span--> time at the end less time at the begin: the
 *	                       parts, which add up exactly
 *
 * A thread is seen whenever the kernel or the thread itself logs an event of
 * the thread.  The time between two events goes to the state of the thread at
 * the first event, if the second event fits this state.  Otherwise an event is
 * missing between the two, and the time is unknown:
 *
 *	- a thread logs while it is blocked or runnable;
 *	- a thread has a page fault, or was woken and wakes another, before it
 *	  is switched in, which some kernels do not report;
 *	- a running thread is switched in, or another thread is switched in on
 *	  its CPU, or the thread goes on on another CPU;
 *	- the kernel lost events of a CPU.  From the last event before the loss
 *	  to the first event after the loss nothing is known of the threads that
 *	  ran on this CPU, nor of the threads that waited anywhere;
 *	- no event of the kernel has named the thread yet, or there are no
 *	  events of the kernel any more (after the horizon).
 *
 * The begin and the end of a span are events of the thread, so a span never
 * cuts a stretch of time whose state is decided later.
 *
 * Causes of waits: state D is I/O; state S and woken in an interrupt is a timer
 * or a device; any other wait ends with the task that woke the thread.  A
 * wakeup before the switch out makes the thread runnable at once.
 *
 * Events are taken merged, oldest first.  One thread at a time may use an
 * object.
 */
#ifndef TL_ANALYSIS_STATES_H
#define TL_ANALYSIS_STATES_H

#include "base/fields.h"
#include "event/cursor.h"
#include "event/spans.h"

enum tl_part {
	TL_PART_RUNNING,
	/* interrupts took the CPU from the running thread */
	TL_PART_INTERRUPTED,
	TL_PART_RUNNABLE, /* waiting for a CPU */
	TL_PART_TASK,     /* blocked until another task woke it */
	TL_PART_TIMER,    /* blocked until a timer or a device */
	TL_PART_IO,       /* blocked, uninterruptible */
	TL_PART_UNKNOWN,
	TL_PARTS
};

/* "running", "interrupted", "runnable", "blocked_task", ... */
const char *tl_part_name(unsigned part);
/* The words for people: "blocked by a task". */
const char *tl_part_words(unsigned part);
/* Append "running 42.9 %, blocked by a task 57.1 %"; parts of 0 are left
 * out. */
void tl_parts_put(struct tl_text *text, const int64_t ns[TL_PARTS]);
/* Append the members "running_ns", ... */
void tl_part_fields(struct tl_fields *fields, const int64_t ns[TL_PARTS]);

/* The longest wait of a kind inside a span. */
struct tl_wait {
	int64_t ns; /* 0: none */
	/* the task that woke the thread, or ran in its place; 0: idle */
	uint32_t tid;
	struct tl_bytes name; /* name of that task; empty: unknown */
};

struct tl_parts {
	int64_t ns[TL_PARTS]; /* the sum is the duration of the span */
	struct tl_wait blocked;
	struct tl_wait preempted; /* runnable after running */
};

struct tl_sources;
struct tl_states;

/* Make the states of threads for the events of all sources.  The kernel events
 * of each source are read once for the time of the last one. *states is NULL if
 * no source has kernel events.  0 or -errno. */
int tl_states_of_sources(struct tl_states **states,
    const struct tl_sources *sources);

/*
 * Make the states of threads.  horizon_ns: Unix time of the last kernel event,
 * or INT64_MAX; later times are unknown.  host_of: the host of each source,
 * below host_count; NULL: all sources are of one host.  Threads of two hosts
 * may have the same number.  The array must outlive the states.  0 or -ENOMEM.
 */
int tl_states_new(struct tl_states **states, int64_t horizon_ns,
    const unsigned *host_of, size_t host_count);
/* Set the horizon of one source, for the threads whose kernel events are in
 * this source.  0 or -ENOMEM. */
int
tl_states_set_horizon(struct tl_states *states, uint16_t source, int64_t ns);
void tl_states_free(struct tl_states *states);

/* Take the next event, of any kind, before tl_spans takes the event.  0 or
 * -ENOMEM. */
int tl_states_put(struct tl_states *states, const struct tl_event *event);

/* Set the parts of a span that has just ended.  False: no kernel event of the
 * host has been seen, and all parts are unknown. */
bool tl_states_span(struct tl_states *states, const struct tl_span *span,
    struct tl_parts *parts);

/* Is it an event of the kernel? */
bool tl_states_is_kernel(const struct tl_event *event);

/* Find the Unix time of the last kernel event with a cursor that begins with
 * the newest event, and close the cursor. *ns INT64_MIN: no kernel event.  0 or
 * -errno of the cursor. */
int tl_states_find_horizon(struct tl_cursor *newest_first, int64_t *ns);

#endif
