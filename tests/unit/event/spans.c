/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - an end finds its begin. */
#include "event/spans.h"
#include "lib/event_text.h"
#include "lib/golden.h"
#include "lib/random.h"

#include <timeline.h>

#define SPAN .kind = TIMELINE_RECORD_SPAN, .scope = TIMELINE_THREAD
static const struct tl_message thread_span = { SPAN };
static const struct tl_message other_span = { SPAN };
static const struct tl_message source_span = { .kind = TIMELINE_RECORD_SPAN,
	.scope = TIMELINE_SOURCE };
static const struct event_text_message names[] = { { "a", &thread_span },
	{ "b", &other_span }, { "source", &source_span },
	{ "detail", &(struct tl_message){ SPAN, .level = 2, .gate = 2 } },
	{ "request", &(struct tl_message){ SPAN, .level = 7, .gate = 7 } },
	{ "raised", &(struct tl_message){ SPAN, .level = 2, .gate = 7 } },
	{ "timer", &(struct tl_message){ SPAN, .timer = true } },
	{ "clear", &(struct tl_message){ .kind = TIMELINE_RECORD_INSTANT,
		       .builtin = TIMELINE_BUILTIN_CLEAR } },
	{ "levels", &(struct tl_message){ .kind = TIMELINE_RECORD_INSTANT,
			.builtin = TIMELINE_BUILTIN_PRIORITY } },
	{ NULL, NULL } };

static struct tl_spans *spans;
static struct tl_span span;
static struct tl_event events_put[16]; /* by the lines of a case */
static size_t put_count;
static uint64_t first_begun; /* the first span of these */

static void
setup(void)
{
	put_count = 0;
	first_begun = 0;
	ck_assert_ok(tl_spans_new(&spans));
}

static void
teardown(void)
{
	tl_spans_free(spans);
}

static int
put(const struct tl_message *message, int kind, int64_t ns, uint32_t tid)
{
	const struct tl_event event = { .message = message,
		.kind = (uint8_t)kind,
		.ns = ns,
		.tsc = (uint64_t)ns * 2,
		.pid = 7,
		.tid = tid,
		.args = { (uint64_t)ns } };

	return tl_spans_put(spans, &event, &span);
}

TEST_FILE(.setup = setup, .teardown = teardown);

enum { STREAM = 4000 };

/* The events of an array, in one order or the other. */
struct array_cursor {
	struct tl_cursor cursor;
	const struct tl_event *events;
	size_t left;
	bool newest_first;
};

static int
array_next(struct tl_cursor *cursor, struct tl_event *event)
{
	struct array_cursor *c = (struct array_cursor *)(void *)cursor;

	if (c->left == 0)
		return 0;
	c->left--;
	*event = c->events[c->newest_first ? c->left : STREAM - 1 - c->left];
	return 1;
}

static void
array_close(struct tl_cursor *cursor)
{
	((struct array_cursor *)(void *)cursor)->left = 0;
}

/* Print a span, without what is as usual. */
static void
print_span(struct tl_text *out, const struct tl_span *s)
{
	static const char *const pairs[] = { "", " unsure", " proven",
		" unsure proven" };

	tl_put_format(out, " = %lld+%lld", (long long)s->begin_ns,
	    (long long)s->duration_ns);
	if (s->end_ns && s->end_ns != s->begin_ns + s->duration_ns)
		tl_put_format(out, " end=%lld", (long long)s->end_ns);
	if (s->begin_tsc != 2 * (uint64_t)s->begin_ns ||
	    s->end_tsc != 2 * (uint64_t)s->end_ns)
		tl_put_format(out, " tsc=%llu..%llu",
		    (unsigned long long)s->begin_tsc,
		    (unsigned long long)s->end_tsc);
	if (s->tid != 1)
		tl_put_format(out, " tid=%u", s->tid);
	if (s->args[0] != (uint64_t)s->begin_ns)
		tl_put_format(out, " args=%llu",
		    (unsigned long long)s->args[0]);
	if (s->depth)
		tl_put_format(out, " depth=%u", s->depth);
	if (s->nesting)
		tl_put_format(out, " nesting=%u", s->nesting);
	tl_put_string(out, pairs[!tl_span_is_sure(s) + 2 * s->proven]);
	tl_put_string(out, s->late ? " late" : "");
	tl_put_string(out, s->alone ? " alone" : "");
	tl_put_string(out, s->handed ? " handed" : "");
}

/* Print what each event of an array is, newest first. */
static void
print_back(struct tl_text *out, const struct tl_event *events, size_t count)
{
	struct array_cursor inner = { { array_next, array_close }, events,
		count, true };
	struct tl_cursor *cursor;
	struct tl_event e;

	ck_assert_ok(
	    tl_spans_cursor(TL_NEWEST_FIRST, STREAM, &inner.cursor, &cursor));
	while (tl_cursor_next(cursor, &e) > 0)
		if (e.kind == TL_END)
			tl_put_format(out, " %s%lld+%lld:%llu%s",
			    e.begun == TL_BEGUN        ? ""
			    : e.begun == TL_BEGUN_NONE ? "none "
						       : "? ",
			    (long long)e.begun_ns, (long long)e.duration_ns,
			    (unsigned long long)e.args[0],
			    e.known ? "" : " unknown");
	tl_cursor_close(cursor);
}

/*
 * Put the event of a line, and print the span that it ended.  Other lines:
 *	? a 10	the depth of a span that would begin there, and whether the
 *		span of the first begin is around it, or has ended
 *	open	the open spans
 *	counts	of pairs, lonely begins, lonely ends and begins cut
 *	back	the begins of all ends before, read newest first
 */
static void
put_line(struct tl_text *out, const char *line)
{
	struct tl_spans_count n;
	struct tl_event e;
	uint32_t index = 0;

	if (strcmp(line, "open") == 0) {
		while (tl_spans_open(spans, &index, &span))
			print_span(out, &span);
		ck_assert(!tl_spans_open(spans, &index, &span));
	} else if (strcmp(line, "counts") == 0) {
		tl_spans_counts(spans, &n);
		tl_put_format(out, " = %d %d %d %d", (int)n.paired,
		    (int)n.lonely_begins, (int)n.lonely_ends, (int)n.cut);
	} else if (strcmp(line, "back") == 0) {
		tl_put_string(out, " =");
		print_back(out, events_put, put_count);
	} else if (*line == '?') {
		e = event_text_parse(line, names);
		tl_put_format(out, " = %u", tl_spans_depth(spans, &e));
		tl_put_string(out,
		    tl_spans_is_around(spans, first_begun)     ? " around"
		    : tl_spans_find(spans, first_begun, &span) ? ""
							       : " ended");
	} else {
		ck_assert_uint_lt(put_count, 16);
		e = events_put[put_count++] = event_text_parse(line, names);
		if (tl_spans_put(spans, &e, &span) == 1)
			print_span(out, &span);
		first_begun = first_begun ? first_begun : tl_spans_begun(spans);
	}
}

TEST_LINES(spans_are_found, "tests/unit/event/spans.cases", put_line);

/* == many spans == */

TEST(a_proven_end_finds_its_begin_among_any_number_of_others)
{
	const struct tl_event end =
	    event_text_parse("< a 50 from=10 observed=-1", names);

	put(&thread_span, TL_BEGIN, 10, 1);
	for (uint32_t i = 0; i < 10000; i++)
		put(&thread_span, TL_BEGIN, 20, 2 + i);
	ck_assert_int_eq(tl_spans_put(spans, &end, &span), 1);
	ck_assert(!span.alone);
	ck_assert_uint_eq(span.args[0], 10);
	ck_assert_uint_eq(span.depth, 0);
}

/*
 * A bucket holds several stacks.  Among so many keys that differ in one number,
 * some share the bucket of the begin.
 */
TEST(keys_of_one_bucket_are_told_apart)
{
	enum { KEYS = 200000, BUCKETS = 1 << 14 };
	struct tl_event event = { .message = &thread_span,
		.kind = TL_END,
		.ns = 20,
		.tid = 1 };

	put(&thread_span, TL_BEGIN, 10, 1);
	for (event.pid = 8; event.pid < 8 + KEYS; event.pid++)
		ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
	event.pid = 7;
	event.source = BUCKETS;
	ck_assert_int_eq(tl_spans_put(spans, &event, &span), 0);
}

/*
 * There are more threads than buckets.  Every fourth thread keeps its span open
 * while the others, whose spans have ended, make room for more.
 */
TEST(open_spans_survive_those_of_many_threads_that_ended)
{
	enum { MANY = 60000 };

	for (uint32_t tid = 1; tid <= MANY; tid++) {
		ck_assert_int_eq(put(&thread_span, TL_BEGIN, tid, tid), 0);
		if (tid % 4 != 0)
			ck_assert_int_eq(put(&thread_span, TL_END, tid, tid),
			    1);
	}
	for (uint32_t tid = 1; tid <= MANY; tid++)
		ck_assert_int_eq(put(&thread_span, TL_END, 2 * MANY, tid),
		    tid % 4 == 0);
}

TEST(too_many_begins_forget_the_oldest)
{
	struct tl_spans_count count;
	const int extra = 1000;

	for (int i = 0; i < TL_SPANS_OPEN_MAX + extra; i++)
		ck_assert_int_eq(put(&thread_span, TL_BEGIN, i, (uint32_t)i),
		    0);
	ck_assert_int_eq(put(&thread_span, TL_END, 1 << 20, extra - 1), 0);
	ck_assert_int_eq(put(&thread_span, TL_END, 1 << 20, extra), 1);
	tl_spans_counts(spans, &count);
	ck_assert_uint_eq(count.lonely_begins, TL_SPANS_OPEN_MAX + extra - 1);
}

/* The reference: a stack of begins for each of a few threads and messages. */
enum { THREADS = 5, DEPTH_MAX = 20000 };
static int64_t dumb[2][THREADS][DEPTH_MAX];
static size_t dumb_depth[2][THREADS];

TEST(it_agrees_with_plain_stacks)
{
	const struct tl_message *const messages[] = { &thread_span,
		&source_span };

	srand(42);
	for (int64_t ns = 1; ns < 2 * DEPTH_MAX; ns++) {
		const int m = rand() % 2;
		const uint32_t tid = (uint32_t)(rand() % THREADS);
		const size_t at = m ? 0 : tid;
		size_t *depth = &dumb_depth[m][at];

		if (rand() % 2) {
			put(messages[m], TL_BEGIN, ns, tid);
			dumb[m][at][(*depth)++] = ns;
			continue;
		}
		ck_assert_int_eq(put(messages[m], TL_END, ns, tid), *depth > 0);
		if (*depth > 0)
			ck_assert_int_eq(span.begin_ns, dumb[m][at][--*depth]);
	}
}

/* == ends completed by their begins == */

static void
make_stream(struct tl_event events[STREAM])
{
	static const struct tl_message *const messages[] = { &thread_span,
		&other_span, &source_span };
	uint64_t random = 7;

	for (size_t i = 0; i < STREAM; i++) {
		const uint64_t n = random_next(&random);

		events[i] = (struct tl_event){ .message = messages[n % 3],
			.kind = n / 3 % 5 < 2   ? TL_BEGIN
				: n / 3 % 5 < 4 ? TL_END
						: TL_INSTANT,
			.ns = (int64_t)(i * 10),
			.tid = (uint32_t)(n >> 20 & 1),
			.number = i };
		events[i].bare = events[i].kind == TL_END && (n >> 21 & 1);
		if (!events[i].bare)
			events[i].args[0] = i;
	}
}

/*
 * Go back from an end until nothing is open.  Returns the index of the begin;
 * -1: there is none.
 */
static long
begin_of(const struct tl_event *events, size_t end)
{
	long open = 0;

	for (long i = (long)end; i >= 0; i--) {
		if (events[i].message != events[end].message ||
		    (events[i].message != &source_span &&
			events[i].tid != events[end].tid))
			continue;
		if (events[i].kind == TL_END)
			open++;
		else if (events[i].kind == TL_BEGIN && --open == 0)
			return i;
	}
	return -1;
}

static void
check_completed(enum tl_order order, size_t window)
{
	static struct tl_event events[STREAM];
	const bool newest_first = order == TL_NEWEST_FIRST;
	struct array_cursor inner = { { array_next, array_close }, events,
		STREAM, newest_first };
	struct tl_cursor *cursor;
	struct tl_event event;
	size_t completed = 0;

	make_stream(events);
	ck_assert_ok(tl_spans_cursor(order, window, &inner.cursor, &cursor));
	for (size_t n = 0; n < STREAM; n++) {
		const size_t i = newest_first ? STREAM - 1 - n : n;
		const long begin =
		    events[i].kind == TL_END ? begin_of(events, i) : -1;

		ck_assert_int_eq(tl_cursor_next(cursor, &event), 1);
		ck_assert_uint_eq(event.number, i);
		if (begin < 0 ||
		    (newest_first && i - (size_t)begin >= window)) {
			/* whether an end has no begin is known once all is
			 * read */
			ck_assert_uint_ne(event.begun, TL_BEGUN);
			if (event.kind == TL_END && window == STREAM)
				ck_assert_uint_eq(event.begun, TL_BEGUN_NONE);
			ck_assert_uint_eq(event.args[0], events[i].args[0]);
			continue;
		}
		completed++;
		ck_assert_uint_eq(event.begun, TL_BEGUN);
		ck_assert_int_eq(event.begun_ns, events[begin].ns);
		ck_assert_uint_eq(event.args[0],
		    event.bare ? events[begin].args[0] : events[i].args[0]);
	}
	ck_assert_int_eq(tl_cursor_next(cursor, &event), 0);
	ck_assert_uint_gt(completed, STREAM / 8);
	tl_cursor_close(cursor);
}

TEST(an_end_knows_its_begin_in_both_orders)
{
	check_completed(TL_OLDEST_FIRST, STREAM);
	check_completed(TL_NEWEST_FIRST, STREAM);
}

TEST(newest_first_no_more_than_a_window_of_entries_waits)
{
	check_completed(TL_NEWEST_FIRST, 64);
	check_completed(TL_NEWEST_FIRST, 1000);
}

/* == plain and proven ends of one message == */

/* A begin that is open, until an end of the program. */
struct program_begin {
	int64_t ns;
	uint32_t tid;
};

/* Fill a stream of a program that ends spans in any order, some by
 * timeline_end, some by timeline_end_of, and some begins say so. */
static void
make_mixed(struct tl_event events[STREAM], const struct tl_message *message,
    uint64_t random)
{
	static struct program_begin open[STREAM];
	size_t count = 0;

	for (size_t i = 0; i < STREAM; i++) {
		const uint64_t n = random_next(&random);
		struct tl_event *e = &events[i];

		*e = (struct tl_event){ .message = message,
			.ns = (int64_t)(i + 1) * 10,
			.tsc = (i + 1) * 20,
			.number = i,
			.pid = 7,
			.tid = (uint32_t)(n >> 20 & 1) };
		if (count == 0 || (count < 6 && n % 2 == 0)) {
			e->kind = TL_BEGIN;
			e->args[0] = i;
			e->proven = n / 2 % 4 == 0;
			open[count++] = (struct program_begin){ e->ns, e->tid };
			continue;
		}
		e->kind = TL_END;
		e->bare = true;
		if (n / 2 % 3 == 0) /* timeline_end */
			continue;
		const size_t at = n / 6 % count;

		e->tid = open[at].tid;
		e->proven = true;
		e->begun_ns = open[at].ns;
		e->begun_tsc = (uint64_t)open[at].ns * 2;
		e->duration_ns = e->ns - e->begun_ns;
		open[at] = open[--count];
	}
}

TEST(plain_and_proven_ends_pair_alike_in_both_orders, .to = 20)
{
	static struct tl_event events[STREAM], forward[STREAM];
	const struct tl_message *message = _i % 2 ? &source_span : &thread_span;
	struct tl_cursor *cursor;
	struct tl_event event;
	size_t plain = 0;

	make_mixed(events, message, (uint64_t)_i + 1);
	for (unsigned order = 0; order < 2; order++) {
		struct array_cursor inner = { { array_next, array_close },
			events, STREAM, order == 1 };

		ck_assert_ok(
		    tl_spans_cursor(order ? TL_NEWEST_FIRST : TL_OLDEST_FIRST,
			STREAM, &inner.cursor, &cursor));
		while (tl_cursor_next(cursor, &event) > 0) {
			const struct tl_event *f = &forward[event.number];

			if (order == 0) {
				forward[event.number] = event;
				plain += event.begun && !event.proven;
				continue;
			}
			ck_assert_msg(event.begun == f->begun &&
					  event.begun_ns == f->begun_ns &&
					  event.duration_ns == f->duration_ns &&
					  event.args[0] == f->args[0] &&
					  event.known == f->known,
			    "event %llu: began at %lld and %lld",
			    (unsigned long long)event.number,
			    (long long)f->begun_ns, (long long)event.begun_ns);
		}
		tl_cursor_close(cursor);
	}
	ck_assert_uint_gt(plain, STREAM / 20);
}
