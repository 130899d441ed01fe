/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical.h - the critical path of spans: what a span's end waited for.
 *
 *	request   |--work--|                    |--work--|      thread A
 *	          put 7 -> |                    ^ got 8
 *	query              |--------work--------|               thread B
 *	                   ^ got 7              | put 8
 *
 * A span took as long as the chain of work and waits that leads to its end.
 * The walk starts there and goes back in time.  On a thread everything since
 * its last wait is its own work.  A wait leads to the thread that ended it, at
 * the time when that thread did so, and the walk goes on there, until the
 * begin of the span is reached.  The parts add up to the span exactly.
 *
 * Waits come from two kinds of facts:
 *
 *   pairs     messages that the user declared: what one thread sent, another
 *             received ("put $id = got $id", "unlock $m = locked $m").  The
 *             receiver waited since its previous event; if the sender was
 *             earlier than that, nothing was waited for.  Of several sends of
 *             one value the last one before the receive counts.
 *   kernel    "switched out", "woken by", "switched in" (event/sched.h): a
 *             wait for a task, a timer or a device, and for a CPU.  A wait for
 *             a task that logs leads to that task at the time of the wakeup.
 *
 * An edge is certain if no error of the clocks can turn the order of the events
 * that it was concluded from: the receiver's event before the wait, and the
 * send.  (Nothing is received before it was sent.)  On one clock stamps are
 * exact.  An edge is also uncertain
 * where entries were lost while it lasted and where a value was sent again
 * before it was received.
 *
 * Memory.  One pass over the events, oldest first, keeps the waits, the places
 * where the innermost span of a thread changes, and the spans that are asked
 * for.  Each has a bound; what a bound left out is counted.  A walk then costs
 * one step for each of its parts.  Rejected: a second pass for each span (live
 * timelines change), and building the whole graph (the walk needs each node's
 * last edge only).
 *
 * One object is used by one thread at a time.
 */
#ifndef TL_ANALYSIS_CRITICAL_H
#define TL_ANALYSIS_CRITICAL_H

#include "event/event.h"
#include "event/hosts/pairs.h"

enum {
	TL_CRITICAL_WAITS_MAX = 1 << 22,
	TL_CRITICAL_CHANGES_MAX = 1 << 23,
	TL_CRITICAL_SPANS_MAX = 1 << 20,
	TL_CRITICAL_STEPS_MAX = 1 << 14 /* of one path that are kept */
};

enum tl_critical_kind {
	TL_CRITICAL_WORK,  /* of a thread, in its innermost span */
	TL_CRITICAL_PAIR,  /* from a send to its receive */
	TL_CRITICAL_TASK,  /* blocked by a task; 0 ns: woken by one that logs */
	TL_CRITICAL_TIMER, /* blocked until a timer or a device */
	TL_CRITICAL_IO,    /* blocked for I/O */
	TL_CRITICAL_RUNNABLE, /* waiting for a CPU */
	TL_CRITICAL_UNKNOWN,  /* it may have run: a waking or a switch to it
				 is not in the log */
	TL_CRITICAL_KINDS
};

/* "work", "pair", "task", ... as in JSON. */
const char *tl_critical_kind_name(enum tl_critical_kind kind);

struct tl_critical_thread {
	uint32_t pid;
	uint32_t tid;
	size_t clock; /* of its events */
};

/* Time of one kind.  What it was is the message of the innermost span (WORK;
 * NULL: outside of all), or the rule (PAIR). */
struct tl_critical_part {
	enum tl_critical_kind kind;
	const struct tl_message *message;
	unsigned rule;
	int64_t ns;
	int64_t uncertain_ns; /* of ns: reached over an uncertain edge */
	uint64_t count;       /* steps */
};

/* A piece of one path. */
struct tl_critical_step {
	enum tl_critical_kind kind;
	const struct tl_message *message;
	unsigned rule;
	struct tl_critical_thread thread; /* of PAIR: the sender */
	int64_t from_ns;
	int64_t to_ns;
	bool certain; /* of the edge itself; true for work */
};

/* The spans of one message. */
struct tl_critical_result {
	const struct tl_message *message;
	uint64_t spans;
	int64_t total_ns;
	int64_t uncertain_ns;           /* of it */
	struct tl_critical_part *parts; /* largest first */
	size_t part_count;
	size_t part_capacity;
	/* the longest of them, with its path, oldest first */
	uint64_t args[TL_ARGS_MAX];
	struct tl_critical_thread thread;
	int64_t begin_ns;
	int64_t end_ns;
	bool lossy; /* entries were lost while it was open */
	struct tl_critical_step *steps;
	size_t step_count;
	bool cut; /* there were more steps: the oldest are left out */
};

struct tl_critical_options {
	const char *glob;  /* of the first line, or CATEGORY:LINE */
	const char *value; /* only spans of which one argument is this text or
			      number; NULL: all */
	const struct tl_pair_rule *rules;
	size_t rule_count;
	const unsigned *clocks; /* of each source; NULL: all have one */
};

/* Counts of what the bounds left out. */
struct tl_critical_counts {
	uint64_t waits;
	uint64_t changes;
	uint64_t spans;
	uint64_t pairs;      /* values of pairs that were not kept */
	uint64_t unreceived; /* sends without a receive: no error */
};

struct tl_critical;

/* The options must outlive it.  0, -ENOMEM. */
int tl_critical_new(struct tl_critical **critical,
    const struct tl_critical_options *options);
void tl_critical_free(struct tl_critical *critical);

/* Take the next event, oldest first.  0, -ENOMEM. */
int tl_critical_put(struct tl_critical *critical, const struct tl_event *event);

/* After the last event: walk back from the end of each span.  The results, one
 * for each message that matched, live as long as the object.  0, -ENOMEM. */
int tl_critical_finish(struct tl_critical *critical,
    const struct tl_critical_result **results, size_t *count);

void tl_critical_counts(const struct tl_critical *critical,
    struct tl_critical_counts *counts);

#endif
