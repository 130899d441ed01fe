/* SPDX-License-Identifier: Apache-2.0 */
/* critical.c - waits and innermost spans of threads, and walks over them. */
#include "analysis/critical.h"

#include "base/array.h"
#include "base/ns.h"
#include "base/table.h"
#include "event/details.h"
#include "event/filter.h"
#include "event/sched.h"
#include "event/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	NESTED_MAX = 64,     /* open spans of a thread that are distinguished */
	STEPS_MAX = 1 << 20, /* steps of one walk */
	NO_THREAD = UINT32_MAX
};

/* A time in which a thread did nothing. */
struct wait {
	int64_t from_ns;
	int64_t to_ns;
	int64_t sent_ns; /* when the other thread ended the wait */
	/* the thread that ended the wait; NO_THREAD: none, and the walk goes on
	 * at from_ns */
	uint32_t thread;
	uint16_t rule; /* for PAIR */
	uint8_t kind;  /* enum tl_critical_kind */
	bool certain;
};

/* The innermost span of a thread from a time on. */
struct change {
	int64_t ns;
	const struct tl_message *message; /* NULL: outside of all spans */
};

struct thread {
	struct tl_critical_thread id;
	struct wait *waits; /* in order of to_ns */
	size_t wait_count;
	size_t wait_capacity;
	struct change *changes; /* in order of ns */
	size_t change_count;
	size_t change_capacity;
	struct {
		const struct tl_message *message;
		uint64_t id;
	} open[NESTED_MAX];
	unsigned depth;  /* may be more than NESTED_MAX */
	uint16_t source; /* of its last begin or end */
	int64_t last_ns; /* time of the previous event */
	int64_t last_bound;
	/* from kernel events: */
	int64_t out_ns;   /* switched out; INT64_MIN: running, or unknown */
	int64_t woken_ns; /* INT64_MIN: not woken */
	uint32_t waker;   /* NO_THREAD: no thread that logs */
	/* enum tl_critical_kind of the wait; RUNNABLE: the thread was
	 * preempted */
	uint8_t blocked;
};

/* One value of a pair rule. */
struct value {
	uint64_t value;
	int64_t sent_ns;
	int64_t sent_bound;
	/* time of a receive whose send has not been seen */
	int64_t received_ns;
	int64_t received_bound;
	uint64_t losses; /* number of losses before the send */
	uint32_t sender; /* NO_THREAD: none */
	/* thread of a receive whose send has not been seen */
	uint32_t receiver;
	uint32_t wait; /* index of the wait of that receive */
	uint16_t rule;
	uint16_t waiting; /* sends since the last receive */
};

struct span {
	const struct tl_message *message;
	uint64_t args[TL_ARGS_MAX];
	bool bare; /* args are not known */
	int64_t begin_ns;
	int64_t end_ns;
	uint32_t thread;
	bool lossy;
};

struct tl_critical {
	const struct tl_critical_options *options;
	struct tl_pair_matcher matcher;
	struct tl_spans *open;
	struct tl_details *details;
	struct tl_table thread_table;
	struct thread *threads;
	size_t thread_count;
	size_t thread_capacity;
	struct tl_table value_table;
	struct value *values;
	size_t value_count;
	size_t value_capacity;
	struct span *spans;
	size_t span_count;
	size_t span_capacity;
	struct tl_critical_result *results;
	size_t result_count;
	size_t result_capacity;
	struct tl_message_map verdicts; /* does the glob match? by message */
	uint64_t wait_count;
	uint64_t change_count;
	uint64_t losses;
	struct tl_critical_counts counts;
};

const char *
tl_critical_kind_name(enum tl_critical_kind kind)
{
	static const char *const names[TL_CRITICAL_KINDS] = { "work", "pair",
		"task", "timer", "io", "runnable", "unknown", "closed",
		"overwritten", "lost" };

	return names[kind];
}

void
tl_critical_put_words(struct tl_text *text, enum tl_critical_kind kind,
    const struct tl_message *message)
{
	static const char *const words[TL_CRITICAL_KINDS] = {
		[TL_CRITICAL_TASK] = "blocked by another task",
		[TL_CRITICAL_TIMER] = "blocked until a timer or device",
		[TL_CRITICAL_IO] = "blocked for I/O",
		[TL_CRITICAL_RUNNABLE] = "waiting for a CPU",
		[TL_CRITICAL_UNKNOWN] = "unknown, for lack of kernel events"
	};

	if (words[kind]) {
		tl_put_string(text, words[kind]);
		return;
	}
	if (kind >= TL_CRITICAL_CLOSED) {
		tl_put_string(text,
		    tl_own_words[kind - TL_CRITICAL_CLOSED + TL_OWN_IS_CLOSED]);
		tl_put_string(text, " in ");
	}
	if (message)
		tl_put_plain(text, message->line1);
	else
		tl_put_string(text, "(outside of spans)");
}

/* == threads == */

/* Find a thread of a host by its tid.  pid 0: the process that logged with this
 * tid last. */
static uint32_t
find_thread(const struct tl_critical *c, size_t clock, uint32_t pid,
    uint32_t tid)
{
	struct tl_probe probe =
	    tl_table_probe(&c->thread_table, tl_hash_pair(clock, tid));
	uint32_t at, found = NO_THREAD;

	while (tl_probe_next(&probe, &at)) {
		const struct thread *t = &c->threads[at];

		if (t->id.tid != tid || t->id.clock != clock)
			continue;
		if (t->id.pid == pid)
			return at;
		if (pid == 0 && (found == NO_THREAD ||
				    t->last_ns > c->threads[found].last_ns))
			found = at;
	}
	return found;
}

static int
thread_of(struct tl_critical *c, const struct tl_event *event, uint32_t *found)
{
	const size_t clock =
	    c->options->clocks ? c->options->clocks[event->source] : 0;
	const uint32_t at = find_thread(c, clock, event->pid, event->tid);

	*found = at;
	if (at != NO_THREAD)
		return 0;
	*found = (uint32_t)c->thread_count;
	if (TL_ARRAY_ROOM(c->threads, c->thread_capacity, c->thread_count) <
		0 ||
	    tl_table_add(&c->thread_table, tl_hash_pair(clock, event->tid),
		c->thread_count) < 0)
		return -ENOMEM;
	c->threads[c->thread_count++] =
	    (struct thread){ .id = { event->pid, event->tid, clock },
		    .last_ns = INT64_MIN,
		    .out_ns = INT64_MIN,
		    .woken_ns = INT64_MIN };
	return 0;
}

/* The largest error of the time of an event against another clock. */
static int64_t
bound_of(const struct tl_event *event)
{
	if (event->sync_us == TL_SYNC_UNBOUNDED ||
	    event->error_ns == UINT32_MAX)
		return INT64_MAX / 4;
	return (int64_t)event->error_ns + (int64_t)event->sync_us * 1000;
}

static int
add_wait(struct tl_critical *c, struct thread *t, struct wait wait)
{
	if (c->wait_count == TL_CRITICAL_WAITS_MAX) {
		c->counts.waits++;
		return 0;
	}
	if (TL_ARRAY_ROOM(t->waits, t->wait_capacity, t->wait_count) < 0)
		return -ENOMEM;
	if (t->wait_count > 0 && wait.to_ns < t->waits[t->wait_count - 1].to_ns)
		wait.to_ns = t->waits[t->wait_count - 1].to_ns;
	t->waits[t->wait_count++] = wait;
	c->wait_count++;
	return 0;
}

/* == the innermost span == */

static int
add_change(struct tl_critical *c, struct thread *t, int64_t ns)
{
	const unsigned depth = t->depth < NESTED_MAX ? t->depth : NESTED_MAX;
	const struct tl_message *message =
	    depth > 0 ? t->open[depth - 1].message : NULL;

	if (t->change_count > 0 &&
	    t->changes[t->change_count - 1].message == message)
		return 0;
	if (c->change_count == TL_CRITICAL_CHANGES_MAX) {
		c->counts.changes++;
		return 0;
	}
	if (TL_ARRAY_ROOM(t->changes, t->change_capacity, t->change_count) < 0)
		return -ENOMEM;
	if (t->change_count > 0 && ns < t->changes[t->change_count - 1].ns)
		/* the clock was set back */
		ns = t->changes[t->change_count - 1].ns;
	t->changes[t->change_count++] = (struct change){ ns, message };
	c->change_count++;
	return 0;
}

/* Take a begin or end event, and the span that an end has ended (NULL: none).
 * An end also ends the spans inside, and what is not around the event any more
 * has ended. */
static int
nest(struct tl_critical *c, struct thread *t, const struct tl_event *event,
    const struct tl_span *span)
{
	unsigned at;

	if (event->message->scope == TIMELINE_SOURCE)
		return 0;
	t->source = event->source;
	if (span && t->depth > NESTED_MAX) {
		t->depth--;
		return 0;
	}
	for (at = t->depth; span && at > 0 && t->open[at - 1].id != span->id;)
		at--;
	if (span && at > 0)
		t->depth = at - 1;
	while (t->depth > 0 && t->depth <= NESTED_MAX &&
	       !tl_spans_is_around(c->open, t->open[t->depth - 1].id))
		t->depth--;
	if (event->kind == TL_BEGIN && t->depth++ < NESTED_MAX) {
		t->open[t->depth - 1].message = event->message;
		t->open[t->depth - 1].id = tl_spans_begun(c->open);
	}
	return add_change(c, t, event->ns);
}

/* == pairs == */

/* Find or add a value.  0; -ENOSPC: too many values; -ENOMEM. */
static int
value_of(struct tl_critical *c, const struct tl_pair_seen *seen,
    struct value **value)
{
	const uint64_t hash = tl_hash_pair(seen->value, seen->rule);
	struct tl_probe probe = tl_table_probe(&c->value_table, hash);
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		*value = &c->values[at];
		if ((*value)->value == seen->value &&
		    (*value)->rule == seen->rule)
			return 0;
	}
	if (c->value_count == TL_CRITICAL_VALUES_MAX) {
		c->counts.pairs++;
		return -ENOSPC;
	}
	if (TL_ARRAY_ROOM(c->values, c->value_capacity, c->value_count) < 0 ||
	    tl_table_add(&c->value_table, hash, c->value_count) < 0)
		return -ENOMEM;
	*value = &c->values[c->value_count++];
	**value = (struct value){ .value = seen->value,
		.rule = (uint16_t)seen->rule,
		.sender = NO_THREAD,
		.receiver = NO_THREAD };
	return 0;
}

/* Is a before b, whatever the errors of the clocks are? */
static bool
is_before(int64_t a, int64_t a_bound, int64_t b, int64_t b_bound)
{
	return (__int128)b - a > (__int128)a_bound + b_bound;
}

static int
sent(struct tl_critical *c, uint32_t thread, const struct tl_event *event,
    const struct tl_pair_seen *seen)
{
	const int64_t bound = bound_of(event);
	struct value *value;
	int rc = value_of(c, seen, &value);

	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (value->receiver != NO_THREAD) {
		/* Another clock has the receive before the send.  If the bounds
		 * of error overlap, send and receive count as simultaneous. */
		struct thread *receiver = &c->threads[value->receiver];
		struct wait *wait = &receiver->waits[value->wait];

		if (value->receiver != thread &&
		    receiver->id.clock != c->threads[thread].id.clock &&
		    !is_before(value->received_ns, value->received_bound,
			event->ns, bound)) {
			wait->thread = thread;
			wait->sent_ns = wait->to_ns;
			wait->certain = false;
			c->counts.found[seen->rule]++;
			c->counts.waited[seen->rule]++;
		}
		value->receiver = NO_THREAD;
		return 0;
	}
	value->sender = thread;
	value->sent_ns = event->ns;
	value->sent_bound = bound;
	value->losses = c->losses;
	if (value->waiting < UINT16_MAX)
		value->waiting++;
	return 0;
}

/* Add the wait before its sender is known, so that the waits of a thread stay
 * in order.  Walks ignore a wait without a sender. */
static int
received(struct tl_critical *c, uint32_t thread, const struct tl_event *event,
    const struct tl_pair_seen *seen)
{
	struct thread *t = &c->threads[thread];
	const int64_t bound = bound_of(event);
	struct wait wait = { .from_ns = t->last_ns,
		.to_ns = event->ns,
		.sent_ns = INT64_MIN,
		.thread = NO_THREAD,
		.rule = (uint16_t)seen->rule,
		.kind = TL_CRITICAL_PAIR };
	struct value *value;
	int rc = value_of(c, seen, &value);

	if (rc < 0)
		return rc == -ENOSPC ? 0 : rc;
	if (value->sender == thread)
		return 0;
	if (value->sender != NO_THREAD) {
		c->counts.found[seen->rule]++;
		c->counts.waited[seen->rule] += value->sent_ns > t->last_ns;
		const bool one_clock =
		    c->threads[value->sender].id.clock == t->id.clock;

		wait.thread = value->sender;
		wait.sent_ns = value->sent_ns;
		wait.certain =
		    value->waiting <= 1 && value->losses == c->losses &&
		    (one_clock || is_before(t->last_ns, t->last_bound,
				      value->sent_ns, value->sent_bound));
		value->waiting = 0;
	} else {
		value->receiver = thread;
		value->wait = (uint32_t)t->wait_count;
		value->received_ns = event->ns;
		value->received_bound = bound;
		if (c->wait_count == TL_CRITICAL_WAITS_MAX)
			value->receiver = NO_THREAD;
	}
	return add_wait(c, t, wait);
}

static int
pair(struct tl_critical *c, uint32_t thread, const struct tl_event *event)
{
	struct tl_pair_seen seen[TL_PAIR_SEEN_MAX];
	int rc = 0;
	const int count = tl_pair_match(&c->matcher, event, seen);

	/* if one event is both, its receive comes before its send */
	for (int side = TL_PAIR_SIDES - 1; side >= 0; side--) {
		for (int i = 0; i < count && rc == 0; i++) {
			if ((int)seen[i].side != side)
				continue;
			rc = side == TL_PAIR_SENT
				 ? sent(c, thread, event, &seen[i])
				 : received(c, thread, event, &seen[i]);
		}
	}
	return count < 0 ? count : rc;
}

/* == the kernel == */

static bool
has_text(const struct tl_event *event, const char *name, struct tl_bytes *text)
{
	for (unsigned i = 0; i < event->message->argc; i++) {
		const struct tl_arg *arg = &event->message->args[i];

		if (arg->name.size == strlen(name) &&
		    memcmp(arg->name.data, name, arg->name.size) == 0) {
			*text =
			    tl_message_text(event->message, i, &event->args[i]);
			return text->data != NULL;
		}
	}
	return false;
}

/* The thread runs again: add its wait.  If the switch was not seen, the time
 * when the thread got a CPU is unknown. */
static int
runs_again(struct tl_critical *c, struct thread *t, int64_t ns, bool seen)
{
	const bool was_woken = t->woken_ns > t->out_ns;
	const bool was_runnable =
	    was_woken || t->blocked == TL_CRITICAL_RUNNABLE;
	const struct wait blocked = { .from_ns = t->out_ns,
		.to_ns = t->woken_ns,
		.sent_ns = t->woken_ns,
		.thread = t->waker,
		.kind = t->blocked,
		.certain = true };
	const struct wait rest = { .from_ns =
				       was_woken ? t->woken_ns : t->out_ns,
		.to_ns = ns,
		.thread = NO_THREAD,
		.kind = seen && was_runnable ? TL_CRITICAL_RUNNABLE
					     : TL_CRITICAL_UNKNOWN,
		.certain = true };
	int rc = 0;

	if (t->out_ns == INT64_MIN)
		return 0;
	if (was_woken)
		rc = add_wait(c, t, blocked);
	if (rc == 0)
		rc = add_wait(c, t, rest);
	t->out_ns = t->woken_ns = INT64_MIN;
	return rc;
}

/* The thread logged an event, so the thread runs: some kernels report no switch
 * from the idle task.  The stamp counts only after the wakeup, because a
 * program may set the stamps of its entries. */
static int
ran(struct tl_critical *c, struct thread *t, int64_t ns)
{
	return t->woken_ns > t->out_ns && ns > t->woken_ns
		   ? runs_again(c, t, ns, false)
		   : 0;
}

static void
switched_out(struct thread *t, const struct tl_event *event)
{
	struct tl_bytes state = { 0 };

	t->out_ns = event->ns;
	t->woken_ns = INT64_MIN;
	t->waker = NO_THREAD;
	t->blocked = TL_CRITICAL_TASK;
	if (!has_text(event, "state", &state) || state.size == 0)
		return;
	if (state.data[0] == 'R')
		t->blocked = TL_CRITICAL_RUNNABLE;
	else if (state.data[0] == 'D')
		t->blocked = TL_CRITICAL_IO;
}

static bool
is_by_task(const struct tl_event *event)
{
	struct tl_bytes context = { 0 };

	return !has_text(event, "context", &context) ||
	       (context.size == strlen(TL_SCHED_TASK) &&
		   memcmp(context.data, TL_SCHED_TASK, context.size) == 0);
}

/* A thread was woken.  The kernel may report a wakeup before the thread is
 * switched out; the thread then did not wait. */
static int
woken(struct tl_critical *c, struct thread *t, const struct tl_event *event)
{
	const bool by_task = is_by_task(event);
	const uint32_t waker =
	    by_task ? find_thread(c, t->id.clock, 0, (uint32_t)event->args[0])
		    : NO_THREAD;
	const int rc =
	    waker == NO_THREAD ? 0 : ran(c, &c->threads[waker], event->ns);

	if (t->out_ns == INT64_MIN || t->woken_ns != INT64_MIN ||
	    t->blocked == TL_CRITICAL_RUNNABLE)
		return rc;
	t->woken_ns = event->ns;
	if (t->blocked == TL_CRITICAL_TASK) {
		t->waker = waker;
		if (!by_task)
			t->blocked = TL_CRITICAL_TIMER;
	}
	return rc;
}

/* == events == */

static bool
has_value(const struct tl_critical *c, const struct tl_span *span)
{
	const char *wanted = c->options->value;
	char *end;
	uint64_t number;

	if (!wanted)
		return true;
	if (span->bare)
		return false;
	errno = 0;
	number = wanted[0] == '-' ? (uint64_t)strtoll(wanted, &end, 0)
				  : strtoull(wanted, &end, 0);
	for (unsigned i = 0; i < span->message->argc; i++) {
		const bool is_text = tl_arg_is_text(&span->message->args[i]);
		const struct tl_bytes text =
		    is_text ? tl_message_text(span->message, i, &span->args[i])
			    : tl_bytes(NULL, 0);

		if (is_text ? text.data && text.size == strlen(wanted) &&
				  memcmp(text.data, wanted, text.size) == 0
			    : errno == 0 && end != wanted && *end == '\0' &&
				  span->args[i] == number)
			return true;
	}
	return false;
}

static bool
is_wanted(struct tl_critical *c, const struct tl_message *message)
{
	static char yes, no;
	const char *verdict = tl_message_map_find(&c->verdicts, message);
	bool matches;

	if (verdict)
		return verdict == &yes;
	matches = tl_glob_matches_message(c->options->glob, message);
	/* without memory for the verdict the glob is matched again next time */
	(void)tl_message_map_add(&c->verdicts, message, matches ? &yes : &no);
	return matches;
}

static int
add_span(struct tl_critical *c, uint32_t thread, const struct tl_span *span)
{
	const struct tl_critical_one *only = c->options->one;
	struct span *one;

	if (!is_wanted(c, span->message) || !has_value(c, span) ||
	    (only && (only->begin_ns != span->begin_ns ||
			 only->pid != span->pid || only->tid != span->tid)))
		return 0;
	if (c->options->slower_ns > 0 && span->lossy) {
		c->counts.unknown++;
		return 0;
	}
	if (span->duration_ns < c->options->slower_ns)
		return 0;
	if (c->span_count == TL_CRITICAL_SPANS_MAX) {
		c->counts.spans++;
		return 0;
	}
	if (TL_ARRAY_ROOM(c->spans, c->span_capacity, c->span_count) < 0)
		return -ENOMEM;
	one = &c->spans[c->span_count++];
	*one = (struct span){ .message = span->message,
		.begin_ns = span->end_ns - span->duration_ns,
		.end_ns = span->end_ns,
		.thread = thread,
		.lossy = span->lossy };
	memcpy(one->args, span->args, sizeof(one->args));
	one->bare = span->bare;
	return 0;
}

/* Put a begin or end event, and the span that an end has ended (NULL: none).  A
 * span that another thread ended is one of the thread that began it. */
static int
put_span(struct tl_critical *c, uint32_t thread, const struct tl_event *event,
    const struct tl_span *span)
{
	struct tl_event own = *event;
	int rc = 0;

	if (span && span->handed) {
		own.tid = span->tid;
		rc = thread_of(c, &own, &thread);
	}
	if (rc == 0)
		rc = nest(c, &c->threads[thread], &own, span);
	if (rc < 0 || !span)
		return rc;
	/* a span with losses inside is marked */
	return event->proven ||
		       tl_observed_joins(span->observed, event->observed)
		   ? add_span(c, thread, span)
		   : 0;
}

int
tl_critical_put(struct tl_critical *c, const struct tl_event *event)
{
	enum tl_sched_what what;
	struct tl_span span;
	struct thread *t;
	uint32_t thread;
	int paired, rc;

	if (event->kind == TL_LOST && !tl_event_is_start(event))
		c->losses++;
	if (event->kind == TL_LOST || !event->message) {
		rc = tl_spans_put(c->open, event, &span);
		return rc < 0 ? rc : tl_details_put(c->details, c->open, event);
	}
	rc = thread_of(c, event, &thread);
	if (rc < 0)
		return rc;
	t = &c->threads[thread];
	what = tl_sched_what(event->message);
	/* events of the kernel are not the thread's own events and are never in
	 * pairs */
	if (what != TL_SCHED_NONE) {
		if (what == TL_SCHED_IS_IN)
			return runs_again(c, t, event->ns, true);
		if (what == TL_SCHED_IS_WOKEN)
			return woken(c, t, event);
		rc = ran(c, t, event->ns);
		if (rc == 0 && what == TL_SCHED_IS_OUT)
			switched_out(t, event);
		return rc;
	}
	rc = ran(c, t, event->ns);
	if (rc == 0)
		rc = pair(c, thread, event);
	if (rc < 0)
		return rc;
	if ((paired = tl_spans_put(c->open, event, &span)) < 0)
		return paired;
	rc = tl_details_put(c->details, c->open, event);
	if (rc == 0 && (event->kind == TL_BEGIN || event->kind == TL_END))
		rc = put_span(c, thread, event, paired > 0 ? &span : NULL);
	t = &c->threads[thread];
	t->last_ns = event->ns;
	t->last_bound = bound_of(event);
	return rc;
}

/* == walks == */

struct walk {
	struct tl_critical *c;
	struct tl_critical_result *result;
	/* store the steps, newest first; the order is reversed at the end */
	bool keep;
	bool uncertain;  /* an edge that the walk has passed was uncertain */
	size_t capacity; /* capacity of the array of steps */
};

static int
compare_parts(const void *left, const void *right)
{
	const struct tl_critical_part *a = left, *b = right;

	return a->ns < b->ns ? 1 : -(a->ns > b->ns);
}

static int
add_part(struct walk *w, const struct tl_critical_step *step)
{
	struct tl_critical_result *r = w->result;
	struct tl_critical_part *part = NULL;
	const int64_t ns = step->to_ns - step->from_ns;

	for (size_t i = 0; i < r->part_count && !part; i++) {
		if (r->parts[i].kind == step->kind &&
		    r->parts[i].message == step->message &&
		    r->parts[i].rule == step->rule)
			part = &r->parts[i];
	}
	if (!part) {
		if (TL_ARRAY_ROOM(r->parts, r->part_capacity, r->part_count) <
		    0)
			return -ENOMEM;
		part = &r->parts[r->part_count++];
		*part = (struct tl_critical_part){ .kind = step->kind,
			.message = step->message,
			.rule = step->rule };
	}
	part->ns = tl_add_ns(part->ns, ns);
	part->count++;
	if (w->uncertain) {
		part->uncertain_ns = tl_add_ns(part->uncertain_ns, ns);
		r->uncertain_ns = tl_add_ns(r->uncertain_ns, ns);
	}
	return 0;
}

static int
add_step(struct walk *w, const struct tl_critical_step *step)
{
	struct tl_critical_result *r = w->result;

	if (step->from_ns >= step->to_ns && step->kind != TL_CRITICAL_PAIR &&
	    step->kind != TL_CRITICAL_TASK)
		return 0;
	if (!w->keep)
		return step->kind == TL_CRITICAL_TASK &&
			       step->from_ns == step->to_ns
			   ? 0
			   : add_part(w, step);
	if (r->step_count == TL_CRITICAL_STEPS_MAX) {
		r->cut = true;
		return 0;
	}
	if (TL_ARRAY_ROOM(r->steps, w->capacity, r->step_count) < 0)
		return -ENOMEM;
	r->steps[r->step_count++] = *step;
	return 0;
}

/* The number of changes of the thread before a time. */
static size_t
find_change(const struct thread *t, int64_t ns)
{
	size_t i;

	TL_SEARCH(i, 0, t->change_count, t->changes[i].ns < ns);
	return i;
}

/* Add the own time of a span since a change from from_ns to the end of a step:
 * what follows the first moment in which details were not observed, and the
 * work before. */
static int
add_own(struct walk *w, const struct thread *t, const struct change *change,
    int64_t from_ns, struct tl_critical_step *step)
{
	enum tl_part_of_own rest;
	int rc = 0;

	step->from_ns = change->message ? tl_details_until(w->c->details,
					      t->source, change->message,
					      change->ns, step->to_ns, &rest)
					: step->to_ns;
	if (step->from_ns < from_ns)
		step->from_ns = from_ns;
	if (step->from_ns < step->to_ns) {
		step->kind = TL_CRITICAL_CLOSED + (rest - TL_OWN_IS_CLOSED);
		rc = add_step(w, step);
	}
	step->kind = TL_CRITICAL_WORK;
	step->to_ns = step->from_ns;
	step->from_ns = from_ns;
	return rc < 0 ? rc : add_step(w, step);
}

/* Add the work of a thread between two times, split by innermost span. */
static int
add_work(struct walk *w, uint32_t thread, int64_t from_ns, int64_t to_ns)
{
	const struct thread *t = &w->c->threads[thread];
	size_t at = find_change(t, to_ns);
	int rc = 0;

	while (rc == 0 && from_ns < to_ns) {
		const struct change none = { from_ns, NULL };
		const struct change *change =
		    at > 0 ? &t->changes[at - 1] : &none;
		struct tl_critical_step step = { .message = change->message,
			.thread = t->id,
			.to_ns = to_ns,
			.certain = true };

		to_ns = change->ns > from_ns ? change->ns : from_ns;
		rc = add_own(w, t, change, to_ns, &step);
		at -= at > 0;
	}
	return rc;
}

/* The number of waits of the thread that ended at or before a time. */
static size_t
find_wait(const struct thread *t, int64_t ns)
{
	size_t i;

	TL_SEARCH(i, 0, t->wait_count, t->waits[i].to_ns <= ns);
	return i;
}

static bool
is_waited(const struct wait *wait)
{
	return wait->kind != TL_CRITICAL_PAIR ||
	       (wait->thread != NO_THREAD && wait->sent_ns > wait->from_ns);
}

static int
walk_back(struct walk *w, const struct span *span)
{
	uint32_t thread = span->thread;
	int64_t at_ns = span->end_ns;
	size_t left = find_wait(&w->c->threads[thread], at_ns);
	int rc = 0;

	w->uncertain = false;
	for (unsigned i = 0; i < STEPS_MAX && rc == 0; i++) {
		const struct thread *t = &w->c->threads[thread];
		const struct wait *wait;
		struct tl_critical_step step;
		int64_t next_ns;

		while (left > 0 && !is_waited(&t->waits[left - 1]))
			left--;
		wait = left > 0 ? &t->waits[--left] : NULL;
		if (!wait || wait->to_ns <= span->begin_ns)
			break;
		next_ns =
		    wait->thread == NO_THREAD ? wait->from_ns : wait->sent_ns;
		if (next_ns < span->begin_ns)
			next_ns = span->begin_ns;
		if (next_ns > wait->to_ns)
			next_ns = wait->to_ns;
		rc = add_work(w, thread, wait->to_ns, at_ns);
		at_ns = wait->to_ns;
		while (rc == 0 && wait->kind == TL_CRITICAL_PAIR && left > 0 &&
		       t->waits[left - 1].kind == TL_CRITICAL_RUNNABLE &&
		       t->waits[left - 1].from_ns >= next_ns) {
			/* the value had been sent, but the receiver had no CPU
			 * yet */
			const struct wait *cpu = &t->waits[--left];

			step = (struct tl_critical_step){ .kind = cpu->kind,
				.from_ns = cpu->from_ns,
				.to_ns = cpu->to_ns,
				.thread = t->id,
				.certain = true };
			rc = add_work(w, thread, cpu->to_ns, at_ns);
			if (rc == 0)
				rc = add_step(w, &step);
			at_ns = cpu->from_ns;
		}
		step = (struct tl_critical_step){ .kind = wait->kind,
			.rule = wait->rule,
			.from_ns = next_ns,
			.to_ns = at_ns,
			.thread = t->id,
			.certain = wait->certain };
		if (wait->thread != NO_THREAD) {
			thread = wait->thread;
			step.thread = w->c->threads[thread].id;
			left = find_wait(&w->c->threads[thread], next_ns);
		}
		w->uncertain |= !wait->certain;
		if (rc == 0)
			rc = add_step(w, &step);
		at_ns = next_ns;
	}
	if (rc == 0)
		rc = add_work(w, thread, span->begin_ns, at_ns);
	return rc;
}

static struct tl_critical_result *
result_of(struct tl_critical *c, const struct span *span)
{
	struct tl_critical_result *r;

	for (size_t i = 0; i < c->result_count; i++) {
		if (c->results[i].message == span->message)
			return &c->results[i];
	}
	if (TL_ARRAY_ROOM(c->results, c->result_capacity, c->result_count) < 0)
		return NULL;
	r = &c->results[c->result_count++];
	*r = (struct tl_critical_result){ .message = span->message };
	return r;
}

/* Keep the path of the longest span. */
static int
keep_longest(struct tl_critical *c, struct tl_critical_result *r,
    const struct span *span)
{
	struct walk w = { .c = c, .result = r, .keep = true };
	int rc;

	r->thread = c->threads[span->thread].id;
	r->begin_ns = span->begin_ns;
	r->end_ns = span->end_ns;
	r->lossy = span->lossy;
	memcpy(r->args, span->args, sizeof(r->args));
	r->bare = span->bare;
	rc = walk_back(&w, span);
	for (size_t i = 0, k = r->step_count; i + 1 < k; i++) {
		const struct tl_critical_step step = r->steps[i];

		r->steps[i] = r->steps[--k];
		r->steps[k] = step;
	}
	return rc;
}

int
tl_critical_finish(struct tl_critical *c,
    const struct tl_critical_result **results, size_t *count)
{
	int rc = 0;

	for (size_t i = 0; i < c->span_count && rc == 0; i++) {
		const struct span *span = &c->spans[i];
		struct tl_critical_result *r = result_of(c, span);
		struct walk w = { .c = c, .result = r };

		if (!r)
			return -ENOMEM;
		r->spans++;
		r->total_ns = tl_add_ns(r->total_ns,
		    tl_sub_ns(span->end_ns, span->begin_ns));
		rc = walk_back(&w, span);
	}
	for (size_t k = 0; k < c->result_count && rc == 0; k++) {
		struct tl_critical_result *r = &c->results[k];
		const struct span *longest = NULL;

		for (size_t i = 0; i < c->span_count; i++) {
			const struct span *span = &c->spans[i];

			if (span->message == r->message &&
			    (!longest ||
				span->end_ns - span->begin_ns >
				    longest->end_ns - longest->begin_ns))
				longest = span;
		}
		if (r->part_count > 1)
			qsort(r->parts, r->part_count, sizeof(*r->parts),
			    compare_parts);
		rc = keep_longest(c, r, longest);
	}
	*results = c->results;
	*count = c->result_count;
	return rc;
}

void
tl_critical_counts(const struct tl_critical *c,
    struct tl_critical_counts *counts)
{
	*counts = c->counts;
}

int
tl_critical_new(struct tl_critical **critical,
    const struct tl_critical_options *options)
{
	struct tl_critical *c = calloc(1, sizeof(*c));

	*critical = NULL;
	if (!c)
		return -ENOMEM;
	c->options = options;
	c->matcher.rules = options->rules;
	c->matcher.rule_count = options->rule_count;
	if (tl_spans_new(&c->open) < 0 ||
	    tl_details_new(&c->details, false) < 0) {
		tl_spans_free(c->open);
		free(c);
		return -ENOMEM;
	}
	*critical = c;
	return 0;
}

void
tl_critical_free(struct tl_critical *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->thread_count; i++) {
		free(c->threads[i].waits);
		free(c->threads[i].changes);
	}
	for (size_t i = 0; i < c->result_count; i++) {
		free(c->results[i].parts);
		free(c->results[i].steps);
	}
	tl_pair_matcher_free(&c->matcher);
	tl_message_map_free(&c->verdicts, NULL);
	tl_spans_free(c->open);
	tl_details_free(c->details);
	tl_table_free(&c->thread_table);
	tl_table_free(&c->value_table);
	free(c->threads);
	free(c->values);
	free(c->spans);
	free(c->results);
	free(c);
}
