/* SPDX-License-Identifier: Apache-2.0 */
/*
 * critical.h - the critical path of spans: the waits that determined their
 * ends.
 *
 *	request   |--work--|                    |--work--|      thread A
 *	          put 7 -> |                    ^ got 8
 *	query              |--------work--------|               thread B
 *	                   ^ got 7              | put 8
 *
 * A span took as long as the chain of work and waits that leads to its end.
 * The walk starts at the end and goes back in time.  The time of a thread since
 * its last wait is its own work.  A wait leads to the thread that ended it, at
 * that time, and the walk continues there until it reaches the begin event.
 * The parts add up to the span exactly.
 *
 * Waits are found in two ways:
 *
 *   pairs     messages that the user declared: one thread sent a value and
 *             another thread received the value ("put $id = got $id", "unlock
 *             $m = locked $m").  The receiver waited since its previous event;
 *             if the send was earlier, the receiver did not wait.  If a value
 *             was sent several times, the last send before the receive counts.
 *   kernel    "switched out", "woken by", "switched in" (event/sched.h): a
 *             wait for a task, a timer or a device, and for a CPU.  A wait for
 *             a task that logs leads to that task at the time of the wakeup.
 *
 * An edge is certain if no possible error of the clocks can reverse the order
 * of the two events behind the edge: the receiver's event before the wait, and
 * the send.  (A receive never precedes its send.)  On one clock stamps are
 * exact.  An edge is also uncertain if entries were lost during the wait, or if
 * the value was sent again before the receive.
 *
 * Memory.  One pass over the events, oldest first, keeps the waits, the changes
 * of the innermost span of each thread, and the spans that match.  Each has a
 * bound; items beyond the bound are counted.  A walk then costs one step for
 * each of its parts.  Rejected: a second pass for each span (live timelines
 * change), and building the whole graph (the walk needs each node's last edge
 * only).
 *
 * One object is used by one thread at a time.
 */
#ifndef TL_ANALYSIS_CRITICAL_H
#define TL_ANALYSIS_CRITICAL_H

#include "analysis/pairs.h"
#include "base/text.h"
#include "event/event.h"

enum {
	TL_CRITICAL_WAITS_MAX = 1 << 22,
	TL_CRITICAL_CHANGES_MAX = 1 << 23,
	TL_CRITICAL_SPANS_MAX = 1 << 20,
	TL_CRITICAL_VALUES_MAX = 1 << 20, /* values of pairs */
	/* steps of a path; earlier steps are left out */
	TL_CRITICAL_STEPS_MAX = 1 << 14
};

enum tl_critical_kind {
	TL_CRITICAL_WORK, /* a thread works, in its innermost span */
	TL_CRITICAL_PAIR, /* wait from a send to its receive */
	/* blocked by a task; 0 ns: woken by a task that logs */
	TL_CRITICAL_TASK,
	TL_CRITICAL_TIMER,    /* blocked until a timer or a device */
	TL_CRITICAL_IO,       /* blocked for I/O */
	TL_CRITICAL_RUNNABLE, /* ready, waiting for a CPU */
	/* the thread may have run: a wakeup or a switch is missing */
	TL_CRITICAL_UNKNOWN,
	/* in the innermost span that is known: event/details.h */
	TL_CRITICAL_CLOSED,
	TL_CRITICAL_OVERWRITTEN,
	TL_CRITICAL_LOST,
	TL_CRITICAL_KINDS
};

/* "work", "pair", "task", ..., the names in JSON. */
const char *tl_critical_kind_name(enum tl_critical_kind kind);
/* Append "blocked by another task", ..., or the message for work.  A pair has
 * no such words. */
void tl_critical_put_words(struct tl_text *text, enum tl_critical_kind kind,
    const struct tl_message *message);

struct tl_critical_thread {
	uint32_t pid;
	uint32_t tid;
	size_t clock; /* the clock of the thread's events */
};

/* The time of one kind.  The part is named by the message of the innermost span
 * (WORK, CLOSED and others; NULL: outside of all spans), or by the rule
 * (PAIR). */
struct tl_critical_part {
	enum tl_critical_kind kind;
	const struct tl_message *message;
	unsigned rule;
	int64_t ns;
	int64_t uncertain_ns; /* the time in ns before an uncertain edge */
	uint64_t count;       /* number of steps */
};

/* A step of a path. */
struct tl_critical_step {
	enum tl_critical_kind kind;
	const struct tl_message *message;
	unsigned rule;
	struct tl_critical_thread thread; /* PAIR: the sender */
	int64_t from_ns;
	int64_t to_ns;
	bool certain; /* is the edge certain? true for work */
};

/* The spans of one message. */
struct tl_critical_result {
	const struct tl_message *message;
	uint64_t spans;
	int64_t total_ns;
	int64_t uncertain_ns;           /* the uncertain part of total_ns */
	struct tl_critical_part *parts; /* largest first */
	size_t part_count;
	size_t part_capacity;
	/* the longest span with its path, oldest step first */
	uint64_t args[TL_ARGS_MAX];
	bool bare; /* args are unknown */
	struct tl_critical_thread thread;
	int64_t begin_ns;
	int64_t end_ns;
	bool lossy; /* entries were lost during the span */
	struct tl_critical_step *steps;
	size_t step_count;
	bool cut; /* the path had more steps; the oldest are left out */
};

/* One span of each message, identified by begin and thread. */
struct tl_critical_one {
	int64_t begin_ns;
	uint32_t pid, tid;
};

struct tl_critical_options {
	const char *glob; /* glob of the first line, or of CATEGORY:LINE */
	/* only spans with an argument that is this text or number; NULL: all */
	const char *value;
	int64_t slower_ns; /* only spans of at least this duration; 0: all */
	const struct tl_critical_one *one; /* only this span; NULL: all */
	const struct tl_pair_rule *rules;
	size_t rule_count;
	/* the clock of each source; NULL: one clock for all */
	const unsigned *clocks;
};

/* The numbers of items beyond the bounds, and of pairs. */
struct tl_critical_counts {
	uint64_t waits;
	uint64_t changes;
	uint64_t spans;
	uint64_t pairs;   /* values of pairs */
	uint64_t unknown; /* spans that may or may not be slow */
	/* by rule, no bound: receives in another thread than the send, and
	 * those that the receiver waited for */
	uint64_t found[TL_PAIR_RULES_MAX], waited[TL_PAIR_RULES_MAX];
};

struct tl_critical;

/* Make an object.  options must outlive the object.  0 or -ENOMEM. */
int tl_critical_new(struct tl_critical **critical,
    const struct tl_critical_options *options);
void tl_critical_free(struct tl_critical *critical);

/* Take the next event, oldest first.  0 or -ENOMEM. */
int tl_critical_put(struct tl_critical *critical, const struct tl_event *event);

/* Walk back from the end of each span; call this function after the last event.
 * There is one result for each message that matched.  The results are valid as
 * long as the object.  0 or -ENOMEM. */
int tl_critical_finish(struct tl_critical *critical,
    const struct tl_critical_result **results, size_t *count);

void tl_critical_counts(const struct tl_critical *critical,
    struct tl_critical_counts *counts);

#endif
