/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - judge spans as a whole, where the events are read: select.h.
 *
 *	numbers   0 1 2 3 4 5 6 7 8 9
 *	scout     b i b e i e l . . .      has read seven events
 *	known     0 1 1 1 1 1 1            the end of 0 is not found yet
 *	passes    - 0 1 1 0 0 1
 *
 * Newest first, an end comes before its begin; the two then change roles,
 * because the last end without a begin belongs to the next begin.
 */
#include "base/array.h"
#include "script/select.h"

#include "event/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum { WORD = 64, WORDS_FIRST = 64 };

/* The first event of a span, in the order of reading, which waits for the
 * second. */
struct held {
	struct tl_asked asked;
	uint64_t at;
	bool passed;   /* without a scout: the event was shown */
	uint32_t next; /* in the free list */
};

struct tl_chooser {
	struct tl_select *select;
	struct tl_cursor *scout;
	struct tl_spans *spans; /* NULL: no event waits for another */
	enum tl_order order;
	struct held *held;
	size_t held_capacity;
	uint32_t held_count, held_free;
	/* bits by number of the event */
	uint64_t *known;
	uint64_t *passes;
	size_t words;
	uint64_t read;  /* events that the scout has read */
	uint64_t given; /* events that the caller has asked about */
	bool ended;
	/* a span that passed begins before the time window */
	bool reaches_back;
	struct tl_select_before before;
};

int
tl_chooser_new(struct tl_chooser **chooser, struct tl_select *select,
    enum tl_order order, struct tl_cursor *scout)
{
	struct tl_chooser *c = calloc(1, sizeof(*c));

	if (!c || (tl_select_scouts(select) && tl_spans_new(&c->spans) < 0)) {
		free(c);
		tl_cursor_close(scout);
		return -ENOMEM;
	}
	c->select = select;
	c->scout = scout;
	c->order = order;
	c->held_free = NONE;
	*chooser = c;
	return 0;
}

void
tl_chooser_free(struct tl_chooser *c)
{
	if (!c)
		return;
	tl_cursor_close(c->scout);
	tl_spans_free(c->spans);
	free(c->held);
	free(c->known);
	free(c->passes);
	free(c);
}

/* == verdicts == */

static bool
bit(const uint64_t *words, uint64_t n)
{
	return words[n / WORD] >> n % WORD & 1;
}

/* Make room for one more verdict.  0, -ENOMEM. */
static int
make_room(struct tl_chooser *c)
{
	const size_t words = c->words ? c->words * 2 : WORDS_FIRST;
	uint64_t *known, *passes;

	if (c->read / WORD < c->words)
		return 0;
	known = realloc(c->known, words * sizeof(*known));
	if (known)
		c->known = known;
	passes = realloc(c->passes, words * sizeof(*passes));
	if (passes)
		c->passes = passes;
	if (!known || !passes)
		return -ENOMEM;
	memset(known + c->words, 0, (words - c->words) * sizeof(*known));
	memset(passes + c->words, 0, (words - c->words) * sizeof(*passes));
	c->words = words;
	return 0;
}

static void
decide(struct tl_chooser *c, uint64_t at, bool passes)
{
	if (!c->scout)
		return;
	c->known[at / WORD] |= UINT64_C(1) << at % WORD;
	c->passes[at / WORD] |= (uint64_t)passes << at % WORD;
}

/* == the events that wait == */

static uint32_t
hold(struct tl_chooser *c, const struct tl_asked *asked, uint64_t at)
{
	uint32_t i = c->held_free;

	if (i != NONE) {
		c->held_free = c->held[i].next;
	} else {
		if (TL_ARRAY_ROOM(c->held, c->held_capacity, c->held_count) < 0)
			return NONE;
		i = c->held_count++;
	}
	c->held[i] = (struct held){ .asked = *asked, .at = at };
	return i;
}

static void
let_go(struct tl_chooser *c, uint32_t i)
{
	c->held[i].next = c->held_free;
	c->held_free = i;
}

/* A proven end has a known duration even if its begin is missing. */
static void
know_duration(struct tl_asked *end, bool sure)
{
	end->event.begun = sure ? TL_BEGUN : TL_BEGUN_UNSURE;
}

/* Judge an event whose span lacks the other event. */
static int
judge_lonely(struct tl_chooser *c, const struct tl_asked *asked, uint64_t at)
{
	const int rc = tl_select_one(c->select, asked);

	if (rc < 0)
		return rc;
	c->select->unknown +=
	    rc == 0 && c->select->on_duration &&
	    asked->event.begun != TL_BEGUN &&
	    tl_filter_event(&c->select->filter, &asked->event);
	decide(c, at, rc > 0);
	return rc;
}

static int
judge_held(struct tl_chooser *c, uint32_t i)
{
	/* without a scout the event was judged when it came */
	struct tl_asked *asked = &c->held[i].asked;
	int rc;

	if (asked->event.kind == TL_END && asked->event.proven &&
	    asked->event.begun == TL_BEGUN_UNKNOWN)
		know_duration(asked, true);
	rc = c->scout ? judge_lonely(c, asked, c->held[i].at) : 0;

	let_go(c, i);
	return rc < 0 ? rc : 0;
}

/* == pairs == */

/* The event as the pairs see it: an argument holds its place in held.  Newest
 * first, time is turned round.  An end that knows its begin is found by the
 * stamp of the begin. */
static struct tl_event
turned(const struct tl_chooser *c, const struct tl_event *event)
{
	struct tl_event e = *event;

	if (c->order == TL_OLDEST_FIRST || e.kind == TL_LOST)
		return e;
	e.kind = event->kind == TL_END ? TL_BEGIN : TL_END;
	e.ns = event->kind == TL_END ? event->begun_ns : event->ns;
	e.begun_ns = e.ns;
	e.proven = event->kind == TL_END && tl_event_is_stamped(event);
	if (e.proven)
		e.tsc = event->begun_tsc;
	return e;
}

static int
put_first(struct tl_chooser *c, const struct tl_asked *asked, uint64_t at,
    bool passed)
{
	struct tl_event event = turned(c, &asked->event);
	struct tl_span span;
	uint32_t i;
	int rc;

	if (event.begun == TL_BEGUN_NONE)
		return judge_lonely(c, asked, at);
	if (tl_spans_forgets(c->spans, &span) &&
	    (rc = judge_held(c, (uint32_t)span.args[0])) < 0)
		return rc;
	i = hold(c, asked, at);
	if (i == NONE)
		return -ENOMEM;
	c->held[i].passed = passed;
	event.args[0] = i;
	return tl_spans_put(c->spans, &event, &span);
}

/* Judge the second event of a span.  Returns whether the event passes, or
 * -errno. */
static int
put_second(struct tl_chooser *c, struct tl_asked *asked, uint64_t at)
{
	const struct tl_event event = turned(c, &asked->event);
	const bool forward = c->order == TL_OLDEST_FIRST;
	struct held *held;
	struct tl_span span;
	bool passes[2], shown;
	int rc = forward ? 0 : tl_spans_take(c->spans, &event, &span);

	/* the proven end of this scope has not come */
	if (rc == 0 && !forward && asked->event.proven)
		return judge_lonely(c, asked, at);
	if (rc == 0)
		rc = tl_spans_put(c->spans, &event, &span);
	if (rc > 0 && span.alone) {
		know_duration(asked, !span.lossy);
		rc = 0;
	}
	if (rc <= 0)
		return rc < 0 ? rc : judge_lonely(c, asked, at);
	held = &c->held[span.args[0]];
	shown = held->passed;
	rc = forward ? tl_select_span(c->select, &held->asked, asked,
			   tl_span_is_sure(&span), passes)
		     : tl_select_span(c->select, asked, &held->asked,
			   tl_span_is_sure(&span), passes);
	if (rc < 0)
		return rc;
	decide(c, held->at, passes[!forward]);
	decide(c, at, passes[forward]);
	let_go(c, (uint32_t)span.args[0]);
	return passes[forward] || shown;
}

/* == the scout == */

/* All events are read, so no event that waits has another. */
static int
end(struct tl_chooser *c)
{
	struct tl_span span;
	uint32_t i = 0;
	int rc = 0;

	c->ended = true;
	while (rc == 0 && tl_spans_open(c->spans, &i, &span))
		rc = judge_held(c, (uint32_t)span.args[0]);
	return rc;
}

static int
judge(struct tl_chooser *c, const struct tl_event *event, uint64_t at)
{
	struct tl_asked asked;
	struct tl_span unused;
	int rc;

	if (event->kind == TL_LOST) {
		decide(c, at, false); /* the caller judges the loss */
		return tl_spans_put(c->spans, event, &unused);
	}
	if (!tl_select_of(c->select, event)) {
		decide(c, at, false);
		return 0;
	}
	tl_select_ask(&c->before, event, &asked);
	if (event->kind != TL_BEGIN && event->kind != TL_END) {
		rc = tl_select_one(c->select, &asked);
		if (rc >= 0)
			decide(c, at, rc > 0);
	} else if (event->kind ==
		   (c->order == TL_OLDEST_FIRST ? TL_BEGIN : TL_END)) {
		rc = put_first(c, &asked, at, false);
	} else {
		rc = put_second(c, &asked, at);
	}
	return rc < 0 ? rc : 0;
}

static int
scout(struct tl_chooser *c)
{
	struct tl_event event;
	int rc = make_room(c);

	if (rc == 0)
		rc = tl_cursor_next(c->scout, &event);
	if (rc < 0)
		return rc;
	return rc == 0 ? end(c) : judge(c, &event, c->read++);
}

/* == as entries are logged == */

static int
judge_now(struct tl_chooser *c, const struct tl_event *event)
{
	struct tl_asked asked;
	struct tl_span unused;
	int rc, passes;

	if (event->kind == TL_LOST) {
		rc = tl_spans_put(c->spans, event, &unused);
		return rc < 0 ? rc : tl_filter_event(&c->select->filter, event);
	}
	if (!tl_select_of(c->select, event))
		return 0;
	tl_select_ask(&c->before, event, &asked);
	if (event->kind == TL_END)
		return put_second(c, &asked, 0);
	passes = tl_select_one(c->select, &asked);
	if (passes < 0 || event->kind != TL_BEGIN)
		return passes;
	rc = put_first(c, &asked, 0, passes > 0);
	return rc < 0 ? rc : passes;
}

int
tl_chooser_passes(struct tl_chooser *c, const struct tl_event *event)
{
	const uint64_t at = c->given++;
	int rc;

	c->select->read++;
	if (!c->spans)
		return tl_select_passes(c->select, event);
	if (!c->scout) {
		rc = judge_now(c, event);
		c->select->passed += rc > 0 && event->kind != TL_LOST;
		return rc;
	}
	while (at >= c->read || !bit(c->known, at)) {
		if (c->ended)
			return 0;
		if ((rc = scout(c)) < 0)
			return rc;
	}
	if (event->kind == TL_LOST)
		return c->reaches_back
			   ? tl_filter_place(&c->select->filter, event)
			   : tl_filter_event(&c->select->filter, event);
	rc = bit(c->passes, at);
	c->select->passed += (uint64_t)rc;
	c->reaches_back |= rc && event->ns < c->select->filter.since_ns;
	return rc;
}
