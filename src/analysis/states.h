/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states.h - in which states a span's thread was: running, interrupted,
 * runnable, blocked by another task, by a timer or a device, by I/O.
 *
 *	merged events --put--> a state for each thread, and the time it has
 *	                       spent in each so far
 *	span ended -----span--> what it had at the end less what it had at the
 *	                       begin: the parts, which add up exactly
 *
 * A thread is seen whenever the kernel or the thread itself logs an event of
 * it.  The time between two sights goes to the state that it had, if what is
 * seen fits that state.  If not, something is missing between them and the
 * time is unknown:
 *
 *	- a thread logs while it is blocked or runnable;
 *	- a thread has a page fault, or was woken and wakes another, before it
 *	  is switched in, which some kernels do not report;
 *	- a thread is switched in that runs, or another is switched in on the
 *	  CPU on which it runs, or it goes on on another CPU;
 *	- the kernel lost events of a CPU.  From the last event before the loss
 *	  to the first one behind it nothing is known of threads that ran
 *	  there, nor of those that waited anywhere;
 *	- no event of the kernel has named the thread yet, or there are no
 *	  events of the kernel any more (after the horizon).
 *
 * Edges of spans are sights themselves, so a span never cuts a stretch of
 * time whose state is decided later.
 *
 * Causes of waits: state D is I/O; state S and woken in an interrupt is a
 * timer or a device; else the task that woke it.  A waking that comes before
 * the switch out makes the thread runnable at once.
 *
 * Feed it merged events oldest first.  One thread at a time.
 */
#ifndef TL_ANALYSIS_STATES_H
#define TL_ANALYSIS_STATES_H

#include "base/fields.h"
#include "event/cursor.h"
#include "event/spans.h"

enum tl_part {
	TL_PART_RUNNING,
	TL_PART_INTERRUPTED, /* interrupts took its CPU: running's other part */
	TL_PART_RUNNABLE,    /* waited for a CPU */
	TL_PART_TASK,        /* blocked until another task woke it */
	TL_PART_TIMER,       /* blocked until a timer or a device */
	TL_PART_IO,          /* blocked, uninterruptible */
	TL_PART_UNKNOWN,
	TL_PARTS
};

/* "running", "interrupted", "runnable", "blocked_task", ... */
const char *tl_part_name(unsigned part);
/* The same for people: "blocked by a task". */
const char *tl_part_words(unsigned part);
/* "running 42.9 %, blocked by a task 57.1 %"; parts of 0 are left out. */
void tl_parts_put(struct tl_text *text, const int64_t ns[TL_PARTS]);
/* The members "running_ns", ... */
void tl_part_fields(struct tl_fields *fields, const int64_t ns[TL_PARTS]);

/* The longest wait of a kind inside a span. */
struct tl_wait {
	int64_t ns;           /* 0: none */
	uint32_t tid;         /* who woke it, or runs in its place; 0 idle */
	struct tl_bytes name; /* of that task; empty: not known */
};

struct tl_parts {
	int64_t ns[TL_PARTS]; /* together the span's duration */
	struct tl_wait blocked;
	struct tl_wait preempted; /* runnable after it ran */
};

struct tl_sources;
struct tl_states;

/* States of threads for the events of all sources, whose kernel events are read
 * once for their end.  *states is NULL if no source has kernel events.  0 or
 * -errno. */
int tl_states_of_sources(struct tl_states **states,
    const struct tl_sources *sources);

/*
 * horizon_ns: Unix time of the last event of the kernel, or INT64_MAX; later
 * times are unknown.  host_of: the host of each source, below host_count; NULL:
 * all are of one.  Threads of two hosts may have the same number.  The array
 * must outlive the states.  0 or -ENOMEM.
 */
int tl_states_new(struct tl_states **states, int64_t horizon_ns,
    const unsigned *host_of, size_t host_count);
/* The horizon of one source, for the threads whose kernel events it has: 0,
 * -ENOMEM. */
int
tl_states_set_horizon(struct tl_states *states, uint16_t source, int64_t ns);
void tl_states_free(struct tl_states *states);

/* Take the next event, of any kind, before it is put into tl_spans: 0 or
 * -ENOMEM. */
int tl_states_put(struct tl_states *states, const struct tl_event *event);

/* The parts of a span that has just ended.  False: no event of its host's
 * kernel has been seen, and everything is unknown. */
bool tl_states_span(struct tl_states *states, const struct tl_span *span,
    struct tl_parts *parts);

/* Is it an event of the kernel? */
bool tl_states_is_kernel(const struct tl_event *event);

/* Look for the last event of the kernel with a cursor that begins with the
 * newest event, and close it.  *ns is its Unix time, INT64_MIN: there is none.
 * 0 or -errno of the cursor. */
int tl_states_find_horizon(struct tl_cursor *newest_first, int64_t *ns);

#endif
