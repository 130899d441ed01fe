/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - find the begin that belongs to an end.
 *
 *	buckets --> stack (message, pid, tid) --> top begin --> ... --> bottom
 *	            stack (thread) --> innermost begin --> ... --> outermost
 *	oldest begin <--> ... <--> newest begin     (to forget the oldest)
 *	stamps --> newest begin of (message, stamp) <--> ... <--> oldest
 *
 * Stacks and begins live in two pools and refer to each other by index, so that
 * the pools may move when they grow.  A begin that is cut is in no stack.  The
 * oldest begin of all is cut or the bottom of its stack, because a stack grows
 * in time.  A stack that becomes empty stays, because the next span of its
 * thread needs the stack again; empty stacks are freed when the pool is full.
 *
 * A begin leaves the stack of its thread as soon as its end may be missing, and
 * may stay in the stack of its message: a later end then makes an unsure pair.
 * Whether the gate of a message that has no event has closed since is asked of
 * an observer, which is made at the first change of the levels.
 */
#include "event/spans.h"

#include "base/array.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

#define NONE UINT32_MAX

enum {
	BUCKETS = 1 << 14,
	RING_FIRST = 64, /* entries that wait */
	/* Begins of one stamp, or ends that wait, that are examined. */
	KNOWN_MAX = 4096,
	/* In a recording, the begin and its end may state the time of the begin
	 * by two measurements of the clock; the two times differ by less than
	 * this. */
	TIMES_APART_NS = 1000000,
	/* A begin has at most two stacks, its own and its thread's; an end that
	 * waits has one stack. */
	STACKS_MAX = TL_SPANS_WINDOW + 2
};

struct begin {
	struct tl_event event;
	uint64_t losses; /* count before the begin */
	uint64_t opened; /* number of its gate's interval, by its observer */
	uint32_t serial; /* 0: forgotten */
	bool closed;     /* its gate has closed since, as far as is known */
	uint32_t depth;
	uint32_t nesting;
	uint32_t stack;  /* NONE: the begin is cut */
	uint32_t thread; /* its thread's stack; NONE: in none */
	uint32_t outer;  /* in the thread's stack */
	uint32_t inner;
	uint32_t below; /* in the stack, or the next in the free list */
	uint32_t above;
	uint32_t older;
	uint32_t newer;
	uint32_t after; /* in the list of the stamp */
	uint32_t before;
};

/* Whose spans a stack holds: message NULL counts all spans of a thread. */
struct key {
	const struct tl_message *message;
	uint32_t pid;
	uint32_t tid;
	uint16_t source;
	bool proven; /* begins whose ends will be proven */
};

struct stack {
	struct key key;
	uint32_t next; /* in the bucket, or in the free list */
	uint32_t top;
	uint32_t bottom;
	uint32_t open;
	uint32_t around;     /* of a message: begins in stacks of threads */
	uint32_t unobserved; /* of a thread: begins that are not observed */
	uint64_t version;    /* of a thread: source's when last trimmed */
};

/* An input: what may have ended spans without an end. */
struct source {
	uint64_t losses;
	uint64_t version; /* count of losses and changes of the levels */
	struct tl_observer *levels; /* NULL: the levels did not change */
};

struct tl_spans {
	uint32_t buckets[BUCKETS];
	uint32_t stamps[BUCKETS];
	struct begin *begins;
	struct stack *stacks;
	size_t begin_capacity, stack_capacity;
	uint32_t begin_count, begin_free;
	uint32_t stack_count, stack_free;
	uint32_t last[2]; /* stacks found last: of a message, of a thread */
	uint32_t open, oldest, newest;
	uint32_t serial;
	uint64_t begun; /* id of the begin put last */
	struct source *source;
	size_t sources;
	struct tl_spans_count count;
};

int
tl_spans_new(struct tl_spans **spans)
{
	struct tl_spans *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	for (size_t i = 0; i < BUCKETS; i++)
		s->buckets[i] = s->stamps[i] = NONE;
	s->begin_free = s->stack_free = NONE;
	s->last[0] = s->last[1] = NONE;
	s->oldest = s->newest = NONE;
	*spans = s;
	return 0;
}

void
tl_spans_free(struct tl_spans *spans)
{
	if (!spans)
		return;
	free(spans->begins);
	free(spans->stacks);
	for (size_t i = 0; i < spans->sources; i++)
		free(spans->source[i].levels);
	free(spans->source);
	free(spans);
}

/* The losses of a source so far.  Losses of other sources do not affect its
 * spans. */
static uint64_t
losses_of(const struct tl_spans *s, uint16_t source)
{
	return source < s->sources ? s->source[source].losses : 0;
}

/* Count a loss.  A loss that an entry reports (level not 0) is a loss of kernel
 * events, and entries overwritten before all others are outside of observed
 * intervals: neither counts.  Entries before a clear may be hidden, unless they
 * were read before.  Returns 0 or -ENOMEM. */
static int
lose(struct tl_spans *s, const struct tl_event *event)
{
	if (event->kind == TL_LOST &&
	    (event->level != 0 || tl_event_is_start(event)))
		return 0;
	if (TL_ARRAY_ZEROS(s->source, s->sources, event->source) < 0)
		return -ENOMEM;
	s->source[event->source].losses++;
	s->source[event->source].version++;
	return 0;
}

static bool
is_clear(const struct tl_event *event)
{
	return event->message->builtin == TIMELINE_BUILTIN_CLEAR;
}

static struct key
key_of_message(const struct tl_event *event)
{
	struct key key = { .message = event->message,
		.source = event->source,
		.proven = event->kind == TL_BEGIN && event->proven };

	if (event->message->scope != TIMELINE_SOURCE) {
		key.pid = event->pid;
		key.tid = event->tid;
	} else if (tl_message_is_of_process(event->message)) {
		key.pid = event->pid;
	}
	return key;
}

static struct key
key_of_thread(const struct tl_event *event)
{
	return (struct key){ .pid = event->pid,
		.tid = event->tid,
		.source = event->source };
}

static uint32_t
key_hash(const struct key *key)
{
	uint64_t h = (uint64_t)(uintptr_t)key->message;

	h = (h ^ key->tid) * 0x9e3779b97f4a7c15;
	h = (h ^ (h >> 29) ^ key->pid) * 0xbf58476d1ce4e5b9;
	h ^= h >> 32 ^ key->source;
	return (uint32_t)h % BUCKETS;
}

static bool
key_equal(const struct key *a, const struct key *b)
{
	return a->message == b->message && a->pid == b->pid &&
	       a->tid == b->tid && a->source == b->source &&
	       a->proven == b->proven;
}

static uint32_t
stack_find(struct tl_spans *s, const struct key *key)
{
	uint32_t *last = &s->last[!key->message];

	if (*last != NONE && key_equal(&s->stacks[*last].key, key))
		return *last;
	*last = s->buckets[key_hash(key)];
	while (*last != NONE && !key_equal(&s->stacks[*last].key, key))
		*last = s->stacks[*last].next;
	return *last;
}

/* Free the empty stacks.  Returns the number of freed stacks. */
static uint32_t
stacks_sweep(struct tl_spans *s)
{
	uint32_t freed = 0;

	for (size_t k = 0; k < BUCKETS; k++) {
		uint32_t *link = &s->buckets[k], i;

		while ((i = *link) != NONE) {
			if (s->stacks[i].open > 0) {
				link = &s->stacks[i].next;
				continue;
			}
			*link = s->stacks[i].next;
			s->stacks[i].next = s->stack_free;
			s->stack_free = i;
			freed++;
		}
	}
	s->last[0] = s->last[1] = NONE;
	return freed;
}

static uint32_t
stack_alloc(struct tl_spans *s)
{
	uint32_t i;

	/* If few stacks are empty, more threads than before have spans. */
	if (s->stack_free == NONE && s->stack_count == s->stack_capacity &&
	    (s->stack_capacity < BUCKETS ||
		stacks_sweep(s) <= s->stack_capacity / 2) &&
	    s->stack_capacity < STACKS_MAX &&
	    TL_ARRAY_ROOM(s->stacks, s->stack_capacity, s->stack_count) < 0)
		return NONE;
	if ((i = s->stack_free) == NONE)
		return s->stack_count++;
	s->stack_free = s->stacks[i].next;
	return i;
}

/* The stack of a key; a new stack is made.  NONE without memory. */
static uint32_t
stack_get(struct tl_spans *s, const struct key *key)
{
	uint32_t i = stack_find(s, key);
	uint32_t *bucket;

	if (i != NONE)
		return i;
	if ((i = stack_alloc(s)) == NONE)
		return NONE;
	bucket = &s->buckets[key_hash(key)];
	s->stacks[i] = (struct stack){ .key = *key,
		.next = *bucket,
		.top = NONE,
		.bottom = NONE };
	*bucket = i;
	s->last[!key->message] = i;
	return i;
}

static uint32_t
begin_alloc(struct tl_spans *s)
{
	uint32_t i = s->begin_free;

	if (i != NONE) {
		s->begin_free = s->begins[i].below;
		return i;
	}
	return TL_ARRAY_ROOM(s->begins, s->begin_capacity, s->begin_count) < 0
		   ? NONE
		   : s->begin_count++;
}

static void
thread_unlink(struct tl_spans *s, struct stack *thread, struct begin *b)
{
	*(b->inner == NONE ? &thread->top : &s->begins[b->inner].outer) =
	    b->outer;
	*(b->outer == NONE ? &thread->bottom : &s->begins[b->outer].inner) =
	    b->inner;
	thread->open--;
	thread->unobserved -= b->event.observed == TL_UNOBSERVED;
	if (b->stack != NONE)
		s->stacks[b->stack].around--;
	b->thread = NONE;
}

/* Take a begin out of the stack of its thread, and those that are over and
 * waited below it. */
static void
thread_leave(struct tl_spans *s, uint32_t i)
{
	struct begin *b = &s->begins[i];
	struct stack *thread;

	if (b->thread == NONE)
		return;
	thread = &s->stacks[b->thread];
	thread_unlink(s, thread, b);
	/* these are around no later event, unless one inside them is */
	while (thread->top != NONE && (s->begins[thread->top].stack == NONE ||
					  s->begins[thread->top].closed))
		thread_unlink(s, thread, &s->begins[thread->top]);
}

/* Take a begin out of its stack, and out of the stack of its thread unless a
 * begin inside it is there: threads nest, so that both are open. */
static void
begin_unstack(struct tl_spans *s, uint32_t i)
{
	struct begin *b = &s->begins[i];
	struct stack *stack = &s->stacks[b->stack];

	if (b->inner == NONE)
		thread_leave(s, i);
	else if (b->thread != NONE)
		stack->around--;
	*(b->above == NONE ? &stack->top : &s->begins[b->above].below) =
	    b->below;
	*(b->below == NONE ? &stack->bottom : &s->begins[b->below].above) =
	    b->above;
	stack->open--;
	b->stack = NONE;
}

/* The newest begin of a message and a stamp, among begins of others. */
static uint32_t *
newest_of_stamp(struct tl_spans *s, const struct tl_message *message,
    uint64_t tsc)
{
	const struct key key = { .message = message,
		.pid = (uint32_t)(tsc >> 32),
		.tid = (uint32_t)tsc };

	return &s->stamps[key_hash(&key)];
}

/* Forget a begin. */
static void
begin_remove(struct tl_spans *s, uint32_t i)
{
	struct begin *b = &s->begins[i];

	if (b->stack != NONE)
		begin_unstack(s, i);
	thread_leave(s, i);
	*(b->newer == NONE ? &s->newest : &s->begins[b->newer].older) =
	    b->older;
	*(b->older == NONE ? &s->oldest : &s->begins[b->older].newer) =
	    b->newer;
	*(b->after == NONE ? newest_of_stamp(s, b->event.message, b->event.tsc)
			   : &s->begins[b->after].before) = b->before;
	if (b->before != NONE)
		s->begins[b->before].after = b->after;
	b->serial = 0;
	b->below = s->begin_free;
	s->begin_free = i;
	s->open--;
}

/* Link a begin on top of its stack, as the newest. */
static void
begin_link(struct tl_spans *s, uint32_t i, uint32_t at)
{
	struct begin *b = &s->begins[i];
	struct stack *stack = &s->stacks[at];
	uint32_t *stamp = newest_of_stamp(s, b->event.message, b->event.tsc);

	b->stack = at;
	b->above = NONE;
	b->below = stack->top;
	*(stack->top == NONE ? &stack->bottom : &s->begins[stack->top].above) =
	    i;
	stack->top = i;
	b->newer = NONE;
	b->older = s->newest;
	*(s->newest == NONE ? &s->oldest : &s->begins[s->newest].newer) = i;
	s->newest = i;
	b->after = NONE;
	b->before = *stamp;
	if (*stamp != NONE)
		s->begins[*stamp].after = i;
	*stamp = i;
	s->open++;
}

/* Cut the begins of a stack if the observed interval of the last one has ended:
 * no later end belongs to them. */
static void
stack_cut(struct tl_spans *s, uint32_t stack, uint64_t observed)
{
	uint32_t i = s->stacks[stack].top;

	if (i == NONE ||
	    !tl_observed_cut(s->begins[i].event.observed, observed))
		return;
	for (; i != NONE; i = s->stacks[stack].top) {
		begin_unstack(s, i);
		s->count.cut++;
	}
}

/* == the spans around an event == */

/* Take a change of the levels, or the time of an event. */
static int
levels_take(struct tl_spans *s, const struct tl_event *event)
{
	static const struct tl_observed_start start = { .order =
							    TL_OLDEST_FIRST,
		.tiers = 1,
		.base = TIMELINE_LEVEL_MIN,
		.first_gates = true,
		.named = true };
	struct tl_event own = *event;
	struct source *source;

	if (TL_ARRAY_ZEROS(s->source, s->sources, event->source) < 0)
		return -ENOMEM;
	source = &s->source[event->source];
	if (!source->levels) {
		if (!(source->levels = malloc(sizeof(*source->levels))))
			return -ENOMEM;
		tl_observer_init(source->levels, &start);
	}
	tl_observe(source->levels, &own);
	source->version++;
	return 0;
}

/* The number of the interval of a begin's gate at an event. */
static uint64_t
levels_number(const struct source *source, const struct tl_event *begin,
    const struct tl_event *event)
{
	struct tl_event now = *begin;

	if (!source || !source->levels)
		return 1; /* as of a new observer */
	now.epoch = event->epoch;
	now.tsc = event->tsc;
	return tl_observe_number(source->levels, &now);
}

static struct source *
source_of(const struct tl_spans *s, const struct tl_event *event)
{
	return event->source < s->sources ? &s->source[event->source] : NULL;
}

/* Has the gate of a begin closed?  A proven end is logged all the same, and an
 * input without known gaps has no closed gates. */
static bool
is_closed(const struct source *source, const struct begin *b,
    const struct tl_event *event)
{
	return source && source->levels && !b->event.proven &&
	       b->event.observed != TL_OBSERVED &&
	       levels_number(source, &b->event, event) != b->opened;
}

/* Remove from the stack of a thread the begins that are not known to be around
 * an event of the thread.  A begin stays as long as one inside it. */
static void
thread_trim(struct tl_spans *s, uint32_t stack, const struct tl_event *event)
{
	struct stack *thread = &s->stacks[stack];
	struct source *source = source_of(s, event);
	uint32_t outer;

	if (source && source->levels) {
		if (tl_observed_expires(source->levels, event)) {
			struct tl_event own = *event;

			tl_observe(source->levels, &own);
			source->version++;
		}
		source->version += source->levels->now.has_plan;
	}
	if ((!source || source->version == thread->version) &&
	    (thread->unobserved == 0 || event->stretch == TL_UNOBSERVED))
		return;
	if (source)
		thread->version = source->version;
	for (uint32_t i = thread->top; i != NONE; i = outer) {
		struct begin *b = &s->begins[i];

		outer = b->outer;
		b->closed = is_closed(source, b, event);
		if (thread->top == i &&
		    (b->closed ||
			/* may the end be missing? */
			(source && b->losses != source->losses) ||
			(b->event.observed == TL_UNOBSERVED &&
			    event->stretch != TL_UNOBSERVED)))
			thread_leave(s, i);
	}
}

/* Put a begin on top of the stack of its thread. */
static void
thread_enter(struct tl_spans *s, uint32_t i, uint32_t stack)
{
	struct begin *b = &s->begins[i];
	struct stack *thread = &s->stacks[stack];

	b->thread = stack;
	b->inner = NONE;
	b->outer = thread->top;
	*(thread->top == NONE ? &thread->bottom
			      : &s->begins[thread->top].inner) = i;
	thread->top = i;
	thread->open++;
	thread->unobserved += b->event.observed == TL_UNOBSERVED;
	s->stacks[b->stack].around++;
}

static void
span_fill(const struct tl_spans *s, uint32_t i, struct tl_span *span)
{
	const struct begin *b = &s->begins[i];
	const struct tl_event *e = &b->event;

	*span = (struct tl_span){ .message = e->message,
		.begin_ns = e->ns,
		.begin_steps_ns = e->steps_ns,
		.begin_error_ns = e->error_ns,
		.begin_sync_us = e->sync_us,
		.begin_tsc = e->tsc,
		.begin_epoch = e->epoch,
		.begin_cpu = e->cpu,
		.begin_lane = e->lane,
		.begin_number = e->number,
		.pid = e->pid,
		.tid = e->tid,
		.depth = b->depth,
		.nesting = b->nesting,
		.source = e->source,
		.cut = b->stack == NONE || b->closed,
		.overlaps = e->overlaps,
		.observed = e->observed,
		.stretch = e->stretch,
		.proven = e->proven,
		.lossy = b->losses != losses_of(s, e->source) ||
			 e->observed == TL_UNOBSERVED,
		.id = (uint64_t)b->serial << 32 | i };
	memcpy(span->args, e->args, sizeof(span->args));
}

/* How many begins of a message are in the stack of a thread? */
static uint32_t
around(struct tl_spans *s, uint32_t thread, struct key key)
{
	uint32_t stack, count = 0;

	if (s->stacks[thread].open == 0)
		return 0;
	for (int n = 0; n < 2; n++, key.proven = !key.proven)
		if ((stack = stack_find(s, &key)) != NONE)
			count += s->stacks[stack].around;
	return count;
}

static int
spans_push(struct tl_spans *s, const struct tl_event *event)
{
	const struct key own = key_of_message(event);
	const struct key all = key_of_thread(event);
	const bool nests = own.message->scope != TIMELINE_SOURCE;
	uint32_t i, stack, thread = NONE;
	struct begin *b;

	if (s->open == TL_SPANS_OPEN_MAX)
		begin_remove(s, s->oldest);
	if ((i = begin_alloc(s)) == NONE)
		return -ENOMEM;
	stack = stack_get(s, &own);
	if (stack == NONE)
		goto free_begin;
	if (!own.proven)
		stack_cut(s, stack, event->observed);
	s->stacks[stack].open++; /* stacks_sweep frees only empty stacks */
	if (nests && (thread = stack_get(s, &all)) == NONE) {
		s->stacks[stack].open--;
		goto free_begin;
	}
	if (nests)
		thread_trim(s, thread, event);
	b = &s->begins[i];
	b->event = *event;
	b->serial = ++s->serial ? s->serial : ++s->serial;
	b->losses = losses_of(s, event->source);
	b->opened = levels_number(source_of(s, event), event, event);
	b->nesting = nests ? around(s, thread, own) : 0;
	b->depth = nests ? s->stacks[thread].open : 0;
	b->thread = b->inner = NONE;
	b->closed = false;
	begin_link(s, i, stack);
	if (nests)
		thread_enter(s, i, thread);
	s->count.lonely_begins++;
	s->begun = (uint64_t)b->serial << 32 | i;
	return 0;
free_begin:
	s->begins[i].below = s->begin_free;
	s->begin_free = i;
	return -ENOMEM;
}

/* == ends that have the stamp of their begin == */

/* Is the begin that of a stamped end?  The stamps of two epochs do not compare,
 * but a pair of two epochs has the time of the begin as well.  A begin in place
 * of an end (tl_spans_take) has it in begun_ns. */
static bool
is_of_stamp(const struct tl_event *begin, const struct tl_event *end)
{
	return begin->tsc == end->begun_tsc &&
	       (begin->epoch == end->epoch || begin->ns == end->begun_ns ||
		   begin->begun_ns == end->begun_ns);
}

/* How well a begin with the stamp of a proven end matches the end.  Two CPUs
 * may read the same stamp, so a begin of the end's own thread is preferred.  A
 * program may hand a span over to another thread, by mistake, and a child that
 * was forked within the span has another pid. */
enum match { FORKED = 1, HANDED_OVER, OWN };

static enum match
match_of(const struct tl_message *message, uint32_t pid, uint32_t tid,
    const struct tl_event *end)
{
	if (message->scope == TIMELINE_SOURCE)
		return pid == end->pid ? OWN : HANDED_OVER;
	return pid != end->pid ? FORKED : tid != end->tid ? HANDED_OVER : OWN;
}

/* The begin of a stamped end, also a begin that is cut and in no stack: the
 * newest of several begins with one stamp, because they nest.  For a begin in
 * place of the end (tl_spans_take), only a begin that was put as proven. */
static uint32_t
begin_of_stamp(struct tl_spans *s, const struct tl_event *end)
{
	uint32_t i = *newest_of_stamp(s, end->message, end->begun_tsc);
	uint32_t best = NONE;
	enum match quality = 0;

	for (int n = 0; n < KNOWN_MAX && i != NONE; n++) {
		const struct tl_event *b = &s->begins[i].event;

		if (b->message == end->message && b->source == end->source &&
		    is_of_stamp(b, end) && (b->proven || end->kind == TL_END)) {
			const enum match match =
			    match_of(b->message, b->pid, b->tid, end);

			if (match == OWN)
				return i;
			if (match > quality) {
				quality = match;
				best = i;
			}
		}
		i = s->begins[i].before;
	}
	return best;
}

/* Cut the begins of the thread that lie within the span.  Such a begin has no
 * end, and no later unproven end may pair with the begin. */
static void
close_within(struct tl_spans *s, const struct tl_event *end)
{
	struct key key = key_of_message(end);
	uint32_t stack, i;

	if (end->message->scope == TIMELINE_SOURCE)
		return;
	for (int n = 0; n < 2; n++, key.proven = true) {
		if ((stack = stack_find(s, &key)) == NONE)
			continue;
		while ((i = s->stacks[stack].top) != NONE &&
		       s->begins[i].event.epoch == end->epoch &&
		       (int64_t)(s->begins[i].event.tsc - end->begun_tsc) > 0) {
			begin_unstack(s, i);
			s->count.cut++;
		}
	}
}

/* Take the spans inside a span out of the stack of its thread, for an end whose
 * begin was not put; spans_say() does so for others. */
static void
close_around(struct tl_spans *s, const struct tl_event *end)
{
	const struct key all = key_of_thread(end);
	const uint32_t thread = stack_find(s, &all);
	uint32_t i;

	while (end->message->scope != TIMELINE_SOURCE && thread != NONE &&
	       (i = s->stacks[thread].top) != NONE &&
	       s->begins[i].event.epoch == end->epoch &&
	       (int64_t)(s->begins[i].event.tsc - end->begun_tsc) > 0)
		thread_leave(s, i);
}

static int
spans_say(struct tl_spans *s, const struct tl_event *end, struct tl_span *span)
{
	const uint32_t i = begin_of_stamp(s, end);
	const enum match match =
	    i == NONE || end->message->scope == TIMELINE_SOURCE
		? OWN
		: match_of(end->message, s->begins[i].event.pid,
		      s->begins[i].event.tid, end);
	const bool forked = match == FORKED;

	if (i == NONE || forked) {
		close_around(s, end);
		/* Fill the span of a stamped end whose begin was not put. */
		*span = (struct tl_span){ .message = end->message,
			.begin_ns = end->begun_ns,
			.begin_tsc = end->begun_tsc,
			.begin_epoch = end->epoch,
			.begin_cpu = TL_CPU_UNKNOWN,
			.pid = end->pid,
			.tid = end->tid,
			.depth = tl_spans_depth(s, end),
			.source = end->source,
			.alone = true,
			.bare = !tl_event_has_args(end),
			.late = true,
			.observed = end->observed,
			.stretch = end->stretch };
		memcpy(span->args, end->args, sizeof(span->args));
	} else {
		const struct begin *b = &s->begins[i];
		uint32_t inner;

		/* The spans inside a span that has ended have lost their ends:
		 * they are not around later events. */
		while (b->thread != NONE &&
		       (inner = s->stacks[b->thread].top) != i)
			thread_leave(s, inner);
		span_fill(s, i, span);
		span->handed = match == HANDED_OVER;
		span->late = span->cut || (!span->proven &&
					      !tl_observed_joins(span->observed,
						  end->observed));
		s->count.cut -= s->begins[i].stack == NONE;
		begin_remove(s, i);
		s->count.lonely_begins--;
	}
	if (end->proven)
		close_within(s, end);
	span->proven = end->proven;
	span->cut = false;
	span->lossy = forked || end->begun == TL_BEGUN_UNSURE;
	span->end_ns = end->ns;
	span->end_tsc = end->tsc;
	span->end_epoch = end->epoch;
	span->end_cpu = end->cpu;
	span->duration_ns = end->duration_ns;
	s->count.paired++;
	return 1;
}

int
tl_spans_take(struct tl_spans *s, const struct tl_event *event,
    struct tl_span *span)
{
	struct tl_event end = *event;
	uint32_t i;

	end.begun_tsc = event->tsc;
	end.begun_ns = event->ns;
	if ((i = begin_of_stamp(s, &end)) == NONE)
		return 0;
	span_fill(s, i, span);
	span->proven = true;
	span->lossy = s->begins[i].event.begun == TL_BEGUN_UNSURE;
	begin_remove(s, i);
	s->count.lonely_begins--;
	s->count.paired++;
	return 1;
}

static int
spans_pop(struct tl_spans *s, const struct tl_event *event,
    struct tl_span *span)
{
	const struct key key = key_of_message(event);
	const uint32_t stack = stack_find(s, &key);
	uint32_t i;

	if (stack != NONE)
		stack_cut(s, stack, event->observed);
	if (stack == NONE || s->stacks[stack].open == 0) {
		s->count.lonely_ends++;
		return 0;
	}
	i = s->stacks[stack].top;
	if (span) {
		span_fill(s, i, span);
		span->cut = false;
		span->lossy |=
		    !tl_observed_joins(span->observed, event->observed);
		span->duration_ns =
		    tl_event_between(&s->begins[i].event, event);
		span->end_ns = event->ns;
		span->end_tsc = event->tsc;
		span->end_epoch = event->epoch;
		span->end_cpu = event->cpu;
	}
	begin_remove(s, i);
	s->count.lonely_begins--;
	s->count.paired++;
	return 1;
}

/* Take an end that says that it has no begin: the begins that are open have no
 * end. */
static int
spans_none(struct tl_spans *s, const struct tl_event *end)
{
	const struct key key = key_of_message(end);
	const uint32_t stack = stack_find(s, &key);

	while (stack != NONE && s->stacks[stack].top != NONE) {
		begin_unstack(s, s->stacks[stack].top);
		s->count.cut++;
	}
	s->count.lonely_ends++;
	return 0;
}

int
tl_spans_put(struct tl_spans *spans, const struct tl_event *event,
    struct tl_span *span)
{
	switch (event->kind) {
	case TL_BEGIN:
		return spans_push(spans, event);
	case TL_END:
		if (tl_event_is_stamped(event))
			return spans_say(spans, event, span);
		return event->begun == TL_BEGUN_NONE
			   ? spans_none(spans, event)
			   : spans_pop(spans, event, span);
	case TL_LOST:
		return lose(spans, event);
	default:
		if (is_clear(event))
			return lose(spans, event);
		return tl_observed_is_change(event->message)
			   ? levels_take(spans, event)
			   : 0;
	}
}

uint32_t
tl_spans_depth(struct tl_spans *spans, const struct tl_event *event)
{
	const struct key key = key_of_thread(event);
	const uint32_t thread =
	    event->message && event->message->scope == TIMELINE_SOURCE
		? NONE
		: stack_find(spans, &key);

	if (thread == NONE)
		return 0;
	thread_trim(spans, thread, event);
	return spans->stacks[thread].open;
}

const struct tl_event *
tl_spans_around(struct tl_spans *spans, const struct tl_event *event)
{
	const struct key key = key_of_thread(event);
	const uint32_t thread = stack_find(spans, &key);

	if (thread == NONE)
		return NULL;
	thread_trim(spans, thread, event);
	return spans->stacks[thread].open > 0
		   ? &spans->begins[spans->stacks[thread].top].event
		   : NULL;
}

const struct tl_event *
tl_spans_outer(const struct tl_spans *spans)
{
	const uint32_t outer = spans->begins[(uint32_t)spans->begun].outer;

	return outer == NONE ? NULL : &spans->begins[outer].event;
}

uint64_t
tl_spans_begun(const struct tl_spans *spans)
{
	return spans->begun;
}

bool
tl_spans_find(const struct tl_spans *spans, uint64_t id, struct tl_span *span)
{
	const uint32_t i = (uint32_t)id;

	if (spans->begins[i].serial != id >> 32)
		return false;
	span_fill(spans, i, span);
	return true;
}

bool
tl_spans_is_around(const struct tl_spans *spans, uint64_t id)
{
	const struct begin *b = &spans->begins[(uint32_t)id];

	return b->serial == id >> 32 &&
	       (b->event.message->scope != TIMELINE_SOURCE
		       ? b->thread != NONE
		       : b->stack != NONE &&
			     b->losses == losses_of(spans, b->event.source));
}

bool
tl_spans_lasts(const struct tl_spans *spans, uint64_t id,
    struct tl_observed_from place)
{
	const struct begin *b = &spans->begins[(uint32_t)id];
	const struct source *source = source_of(spans, &b->event);
	const struct tl_event now = { .epoch = place.epoch, .tsc = place.tsc };

	return b->serial == id >> 32 && b->stack != NONE &&
	       b->losses == losses_of(spans, b->event.source) &&
	       b->event.observed != TL_UNOBSERVED &&
	       !is_closed(source, b, &now);
}

bool
tl_spans_is_first(struct tl_spans *spans, const struct tl_event *end)
{
	const struct key key = key_of_message(end);

	return stack_find(spans, &key) == NONE;
}

bool
tl_spans_forgets(const struct tl_spans *spans, struct tl_span *oldest)
{
	if (spans->open < TL_SPANS_OPEN_MAX)
		return false;
	span_fill(spans, spans->oldest, oldest);
	return true;
}

void
tl_spans_counts(const struct tl_spans *spans, struct tl_spans_count *count)
{
	*count = spans->count;
}

bool
tl_spans_open(const struct tl_spans *spans, uint32_t *index,
    struct tl_span *span)
{
	const uint32_t i = *index == 0 ? spans->oldest : *index - 1;

	if (*index == NONE || i == NONE)
		return false;
	span_fill(spans, i, span);
	*index = spans->begins[i].newer;
	if (*index != NONE) /* is there another begin? */
		++*index;
	return true;
}

/* == ends that know their begins == */

static void
complete(struct tl_event *end, int64_t begun_ns, uint64_t begun_tsc,
    const uint64_t *args, int64_t duration_ns, bool lossy)
{
	if (!tl_event_has_args(end)) {
		memcpy(end->args, args, sizeof(end->args));
		end->known = true;
	}
	end->begun_ns = begun_ns;
	if (end->begun != TL_BEGUN_UNKNOWN)
		return;
	end->duration_ns = duration_ns;
	end->begun = lossy ? TL_BEGUN_UNSURE : TL_BEGUN;
	end->begun_tsc = begun_tsc;
}

void
tl_span_complete(const struct tl_span *span, struct tl_event *end)
{
	if (span->alone)
		end->begun = span->lossy ? TL_BEGUN_UNSURE : TL_BEGUN;
	else
		complete(end, span->begin_ns, span->begin_tsc, span->args,
		    span->duration_ns, span->lossy);
}

int
tl_spans_complete(struct tl_spans *spans, struct tl_event *event,
    struct tl_span *span)
{
	const int rc = tl_spans_put(spans, event, span);

	if (rc > 0)
		tl_span_complete(span, event);
	return rc;
}

/* An entry that waits to be returned. */
struct waiting {
	struct tl_event event;
	/* An end whose begin is not read yet. */
	bool open;
	bool forked; /* another process has a begin of its stamp */
	/* While open: the stack of the end, and the number of the next entry
	 * below the end in the stack.  The top of the stack is the number of an
	 * entry. */
	uint32_t stack;
	uint32_t below;
	uint64_t losses; /* count before the entry */
};

struct span_cursor {
	struct tl_cursor cursor; /* first: callers hold a pointer to it */
	struct tl_cursor *inner;
	struct tl_spans *spans;
	struct tl_span span; /* oldest first: of the last event */
	size_t window;
	/* Newest first: a ring of the entries from the oldest open end on.
	 * Entry n is in ring[n & (capacity - 1)]. */
	struct waiting *ring;
	size_t capacity; /* a power of two, or 0 */
	uint64_t first;  /* number of the entry to return next */
	uint64_t next;   /* number of the entry to read next */
	int rc;          /* the last result of inner */
	int64_t last_ns; /* time of the entry read last */
};

static int
next_forward(struct tl_cursor *cursor, struct tl_event *event)
{
	struct span_cursor *c = (struct span_cursor *)(void *)cursor;
	const int rc = tl_cursor_next(c->inner, event);
	int ended;

	if (rc <= 0)
		return rc;
	ended = tl_spans_complete(c->spans, event, &c->span);
	if (ended < 0)
		return ended;
	event->span = ended > 0 ? &c->span : NULL;
	if (ended == 0 && event->kind == TL_END)
		event->begun = TL_BEGUN_NONE;
	return rc;
}

static struct waiting *
waiting(const struct span_cursor *c, uint64_t n)
{
	return &c->ring[n & (c->capacity - 1)];
}

static int
ring_grow(struct span_cursor *c)
{
	const size_t capacity = c->capacity ? c->capacity * 2 : RING_FIRST;
	struct waiting *ring = malloc(capacity * sizeof(*ring));

	if (!ring)
		return -ENOMEM;
	for (uint64_t n = c->first; n < c->next; n++)
		ring[n & (capacity - 1)] = *waiting(c, n);
	free(c->ring);
	c->ring = ring;
	c->capacity = capacity;
	return 0;
}

/* Newest first: ends stop waiting when the observed interval of the earliest
 * one has ended, because their begins are not in the record. */
static void
stack_cut_ends(struct span_cursor *c, uint32_t i, uint64_t observed)
{
	struct stack *stack = &c->spans->stacks[i];

	if (stack->open == 0 ||
	    !tl_observed_cut(waiting(c, stack->top)->event.observed, observed))
		return;
	while (stack->open > 0) {
		struct waiting *end = waiting(c, stack->top);

		end->open = false;
		end->event.begun = TL_BEGUN_NONE;
		stack->top = end->below;
		stack->open--;
	}
}

/* Newest first: the key of the stack for an end, or for the ends that a begin
 * may match.  All stamped ends of a message share a stack, because a forked
 * child may log an end. */
static struct key
key_of_ends(const struct tl_event *event, bool stamped)
{
	struct key key = key_of_message(event);

	if (stamped)
		key = (struct key){ .message = event->message,
			.source = event->source };
	key.proven = stamped;
	return key;
}

/* Newest first: take an end out of its stack. */
static void
unlink_end(struct span_cursor *c, uint32_t stack, uint32_t *link)
{
	struct waiting *end = waiting(c, *link);

	end->open = false;
	*link = end->below;
	c->spans->stacks[stack].open--;
}

/* Newest first: has a stamped end ended or cut (close_within) a begin? */
static bool
is_closed_by(const struct tl_event *begin, const struct tl_event *end)
{
	const bool is_own = is_of_stamp(begin, end);

	if (begin->message->scope == TIMELINE_SOURCE)
		return is_own;
	return end->pid == begin->pid && end->tid == begin->tid &&
	       (is_own || (end->proven && end->epoch == begin->epoch &&
			      end->begun_tsc < begin->tsc));
}

/* Newest first: the plain end that a begin pairs with, or NONE.  A plain end
 * ends the last open begin.  A begin is open until its proven end: a proven end
 * after the plain end changes nothing, as oldest first. */
static uint32_t
plain_end_of(struct span_cursor *c, const struct tl_event *begin)
{
	struct key key = key_of_ends(begin, false);
	const uint32_t plain = stack_find(c->spans, &key);
	uint32_t end, n, left;

	if (begin->proven || plain == NONE)
		return NONE;
	stack_cut_ends(c, plain, begin->observed);
	if (c->spans->stacks[plain].open == 0)
		return NONE;
	end = c->spans->stacks[plain].top;
	key = key_of_ends(begin, true);
	if ((n = stack_find(c->spans, &key)) == NONE)
		return end;
	left = c->spans->stacks[n].open;
	if (left > KNOWN_MAX)
		left = KNOWN_MAX;
	for (n = c->spans->stacks[n].top; left > 0 && (int32_t)(n - end) > 0;
	     left--, n = waiting(c, n)->below)
		if (is_closed_by(begin, &waiting(c, n)->event))
			return NONE;
	return end;
}

/* Newest first: complete the oldest end that has the stamp of a begin:
 * of several begins with one stamp, the newest has that end.  An end of another
 * process was forked within the span and stays unsure.  taken says that a plain
 * end has the begin already. */
static void
pop_stamped(struct span_cursor *c, const struct tl_event *begin, bool taken)
{
	const struct key key = key_of_ends(begin, true);
	const uint32_t i = stack_find(c->spans, &key);
	uint32_t *link = i == NONE ? NULL : &c->spans->stacks[i].top;
	uint32_t left = i == NONE ? 0 : c->spans->stacks[i].open;
	uint32_t *best = NULL;
	enum match quality = FORKED;
	struct tl_event *end;

	for (int n = 0; left > 0 && quality < OWN && n < KNOWN_MAX;
	     n++, left--, link = &waiting(c, *link)->below) {
		enum match match;

		end = &waiting(c, *link)->event;
		if (!is_of_stamp(begin, end))
			continue;
		match = match_of(begin->message, begin->pid, begin->tid, end);
		if (match > quality) {
			quality = match;
			best = link;
		}
		/* The end of a fork stays: a begin of its own process may have
		 * this stamp, too. */
		if (match == FORKED)
			waiting(c, *link)->forked = true;
	}
	if (!best)
		return;
	end = &waiting(c, *best)->event;
	if (!taken)
		complete(end, begin->ns, begin->tsc, begin->args,
		    end->duration_ns, false);
	else if (end->begun == TL_BEGUN_UNKNOWN)
		end->begun = TL_BEGUN;
	unlink_end(c, i, best);
}

static void
pop_end(struct span_cursor *c, const struct tl_event *begin)
{
	const uint32_t n = plain_end_of(c, begin);
	struct waiting *end;

	pop_stamped(c, begin, n != NONE);
	if (n == NONE)
		return;
	end = waiting(c, n);
	complete(&end->event, begin->ns, begin->tsc, begin->args,
	    tl_event_between(begin, &end->event),
	    end->losses != losses_of(c->spans, begin->source) ||
		!tl_observed_joins(end->event.observed, begin->observed));
	unlink_end(c, end->stack, &c->spans->stacks[end->stack].top);
}

/* Put an entry newest first.  An end of a timer needs no begin, because its
 * entry has both, and another may say that it has none. */
static int
put_backward(struct span_cursor *c, struct waiting *w)
{
	const struct tl_event *event = &w->event;

	w->open = w->forked = false;
	if (event->kind == TL_LOST || is_clear(event))
		return lose(c->spans, event);
	else if (event->kind == TL_BEGIN)
		pop_end(c, event);
	else if (event->kind == TL_END && !event->message->timer &&
		 event->begun != TL_BEGUN_NONE) {
		const bool stamped = tl_event_is_stamped(&w->event);
		const struct key key = key_of_ends(&w->event, stamped);
		const uint32_t i = stack_get(c->spans, &key);

		/* Newest first: push an end on its stack until its begin
		 * comes. */
		if (i == NONE)
			return -ENOMEM;
		if (!stamped)
			stack_cut_ends(c, i, w->event.observed);
		w->open = true;
		w->stack = i;
		w->below = c->spans->stacks[i].top;
		w->losses = losses_of(c->spans, w->event.source);
		c->spans->stacks[i].top = (uint32_t)c->next;
		c->spans->stacks[i].open++;
		return 0;
	}
	return 0;
}

/* May the first waiting entry be returned?  A stamped end does not wait once
 * the entries read are older than its begin. */
static bool
is_ready(const struct span_cursor *c)
{
	const struct waiting *w;

	if (c->first == c->next)
		return false;
	w = waiting(c, c->first);
	return !w->open || c->rc <= 0 || c->next - c->first >= c->window ||
	       (tl_event_is_stamped(&w->event) &&
		   w->event.begun_ns - TIMES_APART_NS > c->last_ns);
}

/* Read one more entry and append it to the ring, or append end. */
static int
read_one(struct span_cursor *c, const struct tl_event *end)
{
	struct waiting *w;

	if (c->next - c->first == c->capacity && ring_grow(c) < 0)
		return -ENOMEM;
	w = waiting(c, c->next);
	if (end)
		w->event = *end;
	else
		c->rc = tl_cursor_next(c->inner, &w->event);
	if (c->rc <= 0)
		return 0;
	c->last_ns = w->event.ns;
	if (put_backward(c, w) < 0)
		return -ENOMEM;
	c->next++;
	return 0;
}

/* Return the first waiting entry as soon as it is ready. */
static int
next_waiting(struct span_cursor *c, struct tl_event *event)
{
	struct waiting *w;

	while (!is_ready(c))
		if (read_one(c, NULL) < 0)
			return -ENOMEM;
	w = waiting(c, c->first++);
	if (w->open) { /* w is at the bottom of its stack */
		c->spans->stacks[w->stack].open--;
		if (w->forked)
			w->event.begun = TL_BEGUN_UNSURE;
		else if (w->event.begun == TL_BEGUN_UNKNOWN)
			w->event.begun = w->event.proven ? TL_BEGUN
					 : c->rc <= 0    ? TL_BEGUN_NONE
							 : TL_BEGUN_UNKNOWN;
	}
	*event = w->event;
	return 1;
}

static int
next_backward(struct tl_cursor *cursor, struct tl_event *event)
{
	struct span_cursor *c = (struct span_cursor *)(void *)cursor;
	int rc = c->rc;

	if (c->first != c->next)
		return next_waiting(c, event);
	c->rc = 1; /* inner may continue after its end, as a merge does */
	if (rc > 0)
		rc = tl_cursor_next(c->inner, event);
	if (rc <= 0 || event->kind != TL_END) /* nothing waits */
		return rc;
	rc = read_one(c, event);
	return rc < 0 ? rc : next_waiting(c, event);
}

static void
span_cursor_close(struct tl_cursor *cursor)
{
	struct span_cursor *c = (struct span_cursor *)(void *)cursor;

	tl_cursor_close(c->inner);
	tl_spans_free(c->spans);
	free(c->ring);
	free(c);
}

int
tl_spans_cursor(enum tl_order order, size_t window, struct tl_cursor *inner,
    struct tl_cursor **cursor)
{
	struct span_cursor *c = calloc(1, sizeof(*c));

	assert(window <= TL_SPANS_WINDOW);
	if (!c || tl_spans_new(&c->spans) < 0) {
		free(c);
		tl_cursor_close(inner);
		return -ENOMEM;
	}
	c->cursor.next =
	    order == TL_OLDEST_FIRST ? next_forward : next_backward;
	c->cursor.close = span_cursor_close;
	c->inner = inner;
	c->window = window;
	c->rc = 1;
	*cursor = &c->cursor;
	return 0;
}

struct tl_event
tl_span_begin(const struct tl_span *span)
{
	struct tl_event begin = { .ns = span->begin_ns,
		.tsc = span->begin_tsc,
		.message = span->message,
		.error_ns = span->begin_error_ns,
		.sync_us = span->begin_sync_us,
		.cpu = span->begin_cpu,
		.pid = span->pid,
		.tid = span->tid,
		.epoch = span->begin_epoch,
		.source = span->source,
		.kind = TL_BEGIN,
		.level = span->message->level,
		.bare = span->bare,
		.proven = span->proven,
		.lane = span->begin_lane,
		.number = span->begin_number,
		.observed = span->observed,
		.stretch = span->stretch,
		.overlaps = span->overlaps };

	memcpy(begin.args, span->args, sizeof(begin.args));
	return begin;
}
