/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - spans are selected as a whole, in whichever order events are read.
 */
#include "lib/random.h"
#include "lib/test.h"
#include "script/select.h"

#include <stdlib.h>
#include <string.h>
#include <timeline.h>

enum { EVENTS_MAX = 400, TIDS = 3 };

static struct tl_message messages[] = {
	{ .kind = TIMELINE_RECORD_SPAN, .scope = TIMELINE_THREAD, .argc = 1 },
	{ .kind = TIMELINE_RECORD_SPAN, .scope = TIMELINE_SOURCE, .argc = 1 },
	{ .kind = TIMELINE_RECORD_INSTANT, .argc = 1 }
};

static struct tl_event events[EVENTS_MAX];
static size_t count;

/* == a cursor over the events == */

struct over {
	struct tl_cursor cursor;
	enum tl_order order;
	size_t at;
};

static int
over_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct over *o = (struct over *)(void *)cursor;

	if (o->at == count)
		return 0;
	*event =
	    events[o->order == TL_OLDEST_FIRST ? o->at : count - 1 - o->at];
	o->at++;
	return 1;
}

static void
over_close(struct tl_cursor *cursor)
{
	free(cursor);
}

static struct tl_cursor *
over(enum tl_order order)
{
	struct over *o = calloc(1, sizeof(*o));

	ck_assert_ptr_nonnull(o);
	*o = (struct over){ { over_next, over_close }, order, 0 };
	return &o->cursor;
}

/* == selections == */

struct wish {
	const char *expression;
	int64_t slower_ns;
	int64_t since_ns, until_ns; /* 0: no bound */
	uint32_t tid;               /* 0: any thread */
	bool entries;
	bool names_kind; /* the expression reads kind */
	/* evaluates the expression; duration_ns -1: the event has none */
	bool (*holds)(const struct tl_event *event, int64_t duration_ns);
};

static void
start(struct tl_select *select, const struct wish *wish)
{
	static const struct tl_sources none;
	const struct tl_script_io io = { 0 };
	struct tl_selection selection;
	struct tl_fault fault = { 0 };

	tl_selection_init(&selection);
	selection.any = true;
	selection.expression = wish->expression;
	selection.slower_ns = wish->slower_ns;
	if (wish->since_ns)
		selection.since =
		    (struct tl_bound){ .given = true, .ns = wish->since_ns };
	if (wish->until_ns)
		selection.until =
		    (struct tl_bound){ .given = true, .ns = wish->until_ns };
	if (wish->tid) {
		selection.filter.tids[0] = wish->tid;
		selection.filter.tid_count = 1;
	}
	ck_assert_msg(tl_select_init(select, &selection, NULL, &io, &none,
			  &fault) == 0,
	    "%s", fault.text);
	select->entries = wish->entries;
}

/* Select events, and note by number which ones pass. */
static void
choose(const struct wish *wish, enum tl_order order, bool passes[EVENTS_MAX])
{
	struct tl_cursor *cursor, *scout = NULL;
	struct tl_select select;
	struct tl_event event;
	int rc;

	start(&select, wish);
	if (tl_select_scouts(&select))
		scout = over(order);
	ck_assert_ok(
	    tl_select_cursor(&select, order, over(order), scout, &cursor));
	memset(passes, 0, EVENTS_MAX);
	while ((rc = tl_cursor_next(cursor, &event)) > 0)
		passes[event.number] = true;
	ck_assert_int_eq(rc, 0);
	tl_cursor_close(cursor);
	tl_select_free(&select);
}

/* == a model without memory == */

static bool
is_one_stack(const struct tl_event *a, const struct tl_event *b)
{
	return a->message == b->message &&
	       (a->message->scope == TIMELINE_SOURCE || a->tid == b->tid);
}

/* The begin of an end, or -1. */
static int
begin_of(size_t end)
{
	int depth = 0;

	for (int i = (int)end - 1; i >= 0; i--) {
		const struct tl_event *e = &events[i];

		if (e->kind == TL_LOST || !is_one_stack(e, &events[end]))
			continue;
		if (e->kind == TL_END)
			depth++;
		else if (e->kind == TL_BEGIN && depth-- == 0)
			return i;
	}
	return -1;
}

static bool
is_lost_between(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (events[i].kind == TL_LOST)
			return true;
	return false;
}

static bool
is_in(const struct wish *w, const struct tl_event *e)
{
	return (!w->since_ns || e->ns >= w->since_ns) &&
	       (!w->until_ns || e->ns <= w->until_ns);
}

static bool
is_of(const struct wish *w, const struct tl_event *e)
{
	return w->tid == 0 || e->tid == w->tid;
}

static bool
holds(const struct wish *w, const struct tl_event *e, int64_t duration_ns)
{
	return (w->slower_ns == 0 || duration_ns >= w->slower_ns) &&
	       (!w->holds || w->holds(e, duration_ns));
}

static void
model_span(const struct wish *w, size_t begin, size_t end, bool *passes)
{
	const struct tl_event *b = &events[begin];
	struct tl_event e = events[end];
	const int64_t duration =
	    is_lost_between(begin, end) ? -1 : e.ns - b->ns;
	bool any, first, second;

	if (e.bare)
		e.args[0] = b->args[0];
	first = holds(w, b, duration);
	second = holds(w, &e, duration);
	any = first || second;
	if (w->entries) {
		first = w->names_kind ? first : any;
		second = w->names_kind ? second : any;
		passes[begin] = first && is_in(w, b) && is_of(w, b);
		passes[end] = second && is_in(w, &e) && is_of(w, &e);
		return;
	}
	any = any && (is_of(w, b) || is_of(w, &e));
	passes[begin] = any && (is_in(w, b) || is_in(w, &e));
	passes[end] = any && is_in(w, &e);
}

static void
model(const struct wish *w, bool passes[EVENTS_MAX])
{
	bool paired[EVENTS_MAX] = { false };
	bool reaches_back = false;

	memset(passes, 0, EVENTS_MAX);
	for (size_t i = 0; i < count; i++) {
		const int begin = events[i].kind == TL_END ? begin_of(i) : -1;

		if (begin < 0)
			continue;
		paired[begin] = paired[i] = true;
		model_span(w, (size_t)begin, i, passes);
	}
	for (size_t i = 0; i < count; i++) {
		const struct tl_event *e = &events[i];

		if (e->kind != TL_LOST && !paired[i])
			passes[i] =
			    is_in(w, e) && is_of(w, e) && holds(w, e, -1);
	}
	for (size_t i = 0; i < count; i++) {
		if (events[i].kind == TL_LOST)
			passes[i] = is_in(w, &events[i]) || reaches_back;
		else
			reaches_back |= passes[i] && !is_in(w, &events[i]) &&
					events[i].ns < w->since_ns;
	}
}

/* == conditions == */

static bool
is_three(const struct tl_event *e, int64_t duration_ns)
{
	(void)duration_ns;
	return e->args[0] == 3;
}

static bool
is_long(const struct tl_event *e, int64_t duration_ns)
{
	(void)e;
	return duration_ns > 30;
}

static bool
is_short_and_small(const struct tl_event *e, int64_t duration_ns)
{
	return duration_ns >= 0 && duration_ns < 60 && e->args[0] < 3;
}

static bool
has_no_duration(const struct tl_event *e, int64_t duration_ns)
{
	(void)e;
	return duration_ns < 0;
}

static bool
is_end_of_two(const struct tl_event *e, int64_t duration_ns)
{
	(void)duration_ns;
	return e->kind == TL_END && e->args[0] == 2;
}

static const struct wish wishes[] = { { .expression = "args.n == 3",
					  .holds = is_three },
	{ .expression = "duration > 30", .holds = is_long },
	{ .expression = "duration < 60 and args.n < 3",
	    .holds = is_short_and_small },
	{ .expression = "not duration", .holds = has_no_duration },
	{ .expression = "tostring(kind) == 'end' and args.n == 2",
	    .names_kind = true,
	    .holds = is_end_of_two },
	{ .slower_ns = 25 } };

/* The events include losses, unpaired ends and unpaired begins. */
static void
make_events(uint64_t *random)
{
	int64_t ns = 1000;

	count = 1 + random_below(random, EVENTS_MAX);
	for (size_t i = 0; i < count; i++) {
		const uint64_t what = random_below(random, 30);
		struct tl_event *e = &events[i];

		ns += 1 + (int64_t)random_below(random, 20);
		*e = (struct tl_event){ .ns = ns,
			.tsc = (uint64_t)ns,
			.number = i,
			.pid = 7,
			.tid = 1 + (uint32_t)random_below(random, TIDS),
			.cpu = (uint32_t)random_below(random, 2),
			.level = 5,
			.args = { random_below(random, 5) } };
		if (what == 0) {
			e->kind = TL_LOST;
			e->lost = 1;
			e->level = 0;
			continue;
		}
		e->message = &messages[what < 4 ? 2 : what % 2];
		e->kind = what < 4 ? TL_INSTANT : what < 17 ? TL_BEGIN : TL_END;
		e->bare = e->kind == TL_END && random_below(random, 2);
		if (e->bare)
			e->args[0] = 0;
	}
}

static uint64_t seed;

static void
setup(void)
{
	static const struct tl_arg n = { .name = { "n", 1 },
		.format = TIMELINE_ARG_UNSIGNED };

	for (size_t i = 0; i < 3; i++) {
		messages[i].level = 5;
		messages[i].args[0] = n;
	}
	seed = 1;
}

TEST_FILE(.setup = setup, .timeout = 120);

TEST(what_passes_is_what_a_model_says_in_either_order)
{
	bool expected[EVENTS_MAX], forward[EVENTS_MAX], backward[EVENTS_MAX];

	for (int round = 0; round < 300; round++) {
		struct wish wish = wishes[random_below(&seed,
		    sizeof(wishes) / sizeof(wishes[0]))];

		make_events(&seed);
		if (random_below(&seed, 2))
			wish.since_ns = events[random_below(&seed, count)].ns;
		if (random_below(&seed, 2))
			wish.until_ns = events[random_below(&seed, count)].ns;
		if (random_below(&seed, 4) == 0)
			wish.tid = 1 + (uint32_t)random_below(&seed, TIDS);
		wish.entries = random_below(&seed, 2);
		model(&wish, expected);
		choose(&wish, TL_OLDEST_FIRST, forward);
		choose(&wish, TL_NEWEST_FIRST, backward);
		for (size_t i = 0; i < count; i++) {
			ck_assert_msg(forward[i] == expected[i],
			    "round %d, event %zu: %d", round, i, forward[i]);
			/*
			 * newest first the reader does not know yet that a span
			 * will reach back over a loss
			 */
			ck_assert_msg(backward[i] == expected[i] ||
					  events[i].kind == TL_LOST,
			    "round %d, newest first, event %zu: %d", round, i,
			    backward[i]);
		}
	}
}
