/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - an event waits together with its role; members that have no value
 * yet hold the role:
 *
 *	role		lane	tsc			number
 *	ALONE		0	-			-
 *	WHOLE		1	its duration		-
 *	BEGIN, END	2, 3	hash of its category	hash of its name
 */
#include "format/chrome/spans.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* The end of a complete span. */
struct ending {
	const struct tl_message *message;
	int64_t ns;
	uint64_t order; /* order of the begins */
	uint32_t pid, tid;
};

/* The open begin events of a thread, the innermost last. */
struct tl_chrome_thread {
	struct tl_chrome_key *begun;
	size_t count, room;
};

struct tl_chrome_waiting {
	struct tl_event begin;
	int64_t end_ns;
	uint32_t number; /* order of the input */
};

/* == kept == */

int
tl_chrome_spans_make(struct tl_chrome_spans *s)
{
	return tl_store_new(&s->store, TL_STORE_MEMORY_MAX);
}

static int
keep(struct tl_chrome_spans *s, const struct tl_event *event)
{
	struct tl_sink *store = tl_store_sink(s->store);

	return store->put(store, event);
}

int
tl_chrome_keep(struct tl_chrome_spans *s, struct tl_event *event)
{
	event->lane = TL_CHROME_ALONE;
	event->tsc = event->number = 0;
	return keep(s, event);
}

int
tl_chrome_keep_whole(struct tl_chrome_spans *s, struct tl_event *begin,
    int64_t duration_ns)
{
	begin->lane = TL_CHROME_WHOLE;
	begin->tsc = (uint64_t)duration_ns;
	begin->number = 0;
	return keep(s, begin);
}

int
tl_chrome_keep_half(struct tl_chrome_spans *s, struct tl_event *event,
    enum tl_chrome_role role, uint64_t category, uint64_t name)
{
	event->lane = role;
	event->tsc = category;
	event->number = name;
	return keep(s, event);
}

/* == passed on == */

static int
put(struct tl_chrome_spans *s, struct tl_event *event)
{
	event->tsc = (uint64_t)event->ns;
	event->cpu = TL_CPU_UNKNOWN;
	event->level = event->message->level;
	event->number = s->count++;
	event->lane = 0;
	return s->sink->put(s->sink, event);
}

/* Add two times; a sum out of range becomes the nearest time and is counted. */
static int64_t
later(int64_t ns, int64_t by, uint64_t *beyond)
{
	int64_t sum;

	if (!__builtin_add_overflow(ns, by, &sum))
		return sum;
	++*beyond;
	return by > 0 ? INT64_MAX : INT64_MIN;
}

/* == complete spans == */

/* The end of an inner span precedes the end of an outer span at equal times. */
static bool
ends_before(const void *context, const void *a, const void *b)
{
	const struct ending *p = a, *q = b;

	(void)context;
	return p->ns != q->ns ? p->ns < q->ns : p->order > q->order;
}

static const struct tl_pqueue_order by_end = { sizeof(struct ending),
	ends_before };

static int
put_ending(struct tl_chrome_spans *s, const struct ending *ending)
{
	struct tl_event end = { .ns = ending->ns,
		.message = ending->message,
		.pid = ending->pid,
		.tid = ending->tid,
		.kind = TL_END,
		.bare = true };

	return put(s, &end);
}

/* Pass on the ends before a time, and with also the ends at the time. */
static int
end_until(struct tl_chrome_spans *s, int64_t ns, bool with)
{
	const struct ending *first;
	struct ending ending;
	int rc = 0;

	while (rc == 0 && (first = tl_pqueue_first(&s->ends)) &&
	       (first->ns < ns || (with && first->ns == ns))) {
		ending = *first;
		tl_pqueue_pop(&s->ends, &by_end, NULL);
		rc = put_ending(s, &ending);
	}
	return rc;
}

static int
put_whole(struct tl_chrome_spans *s, struct tl_chrome_waiting *w)
{
	const struct ending ending = { w->begin.message, w->end_ns, s->begun++,
		w->begin.pid, w->begin.tid };
	int rc = end_until(s, w->begin.ns, true);

	if (rc == 0)
		rc = put(s, &w->begin);
	if (rc < 0)
		return rc;
	return s->ends.count < TL_CHROME_OPEN_MAX
		   ? tl_pqueue_push(&s->ends, &by_end, NULL, &ending)
		   : put_ending(s, &ending);
}

/* Order spans that begin at one time: longer first, then by input. */
static int
compare(const void *a, const void *b)
{
	const struct tl_chrome_waiting *p = a, *q = b;

	if (p->end_ns != q->end_ns)
		return p->end_ns > q->end_ns ? -1 : 1;
	return p->number < q->number ? -1 : 1;
}

/* Pass on the complete spans of the window. */
static int
flush(struct tl_chrome_spans *s)
{
	int rc = 0;

	if (s->waiting > 1)
		qsort(s->window, s->waiting, sizeof(*s->window), compare);
	for (size_t i = 0; rc == 0 && i < s->waiting; i++)
		rc = put_whole(s, &s->window[i]);
	s->waiting = 0;
	return rc;
}

static int
take_whole(struct tl_chrome_spans *s, const struct tl_event *begin,
    int64_t duration_ns)
{
	uint64_t beyond = 0;
	int rc = 0;

	if (!s->window)
		s->window = malloc(TL_CHROME_WINDOW * sizeof(*s->window));
	if (!s->window)
		return -ENOMEM;
	if (s->waiting == TL_CHROME_WINDOW ||
	    (s->waiting > 0 && s->window[0].begin.ns != begin->ns))
		rc = flush(s);
	s->window[s->waiting] = (struct tl_chrome_waiting){ *begin,
		later(begin->ns, duration_ns, &beyond), (uint32_t)s->waiting };
	s->waiting++;
	s->beyond += beyond;
	return rc;
}

/* == begin and end events == */

/* Find the thread of an event; NULL: too many threads. */
static int
thread_of(struct tl_chrome_spans *s, const struct tl_event *event,
    struct tl_chrome_thread **thread)
{
	const struct tl_id_key key = { event->pid, event->tid };
	uint32_t number;
	int rc = tl_id_map_get(&s->numbers, key, &number);

	*thread = NULL;
	if (rc == -ENOSPC) {
		s->full++;
		return 0;
	}
	if (rc == 1)
		rc = TL_ARRAY_ZEROS(s->threads, s->capacity, number);
	if (rc == 0)
		*thread = &s->threads[number];
	return rc;
}

static int
take_begin(struct tl_chrome_spans *s, struct tl_chrome_thread *t,
    struct tl_event *begin, const struct tl_chrome_key *who)
{
	int rc = put(s, begin);

	if (rc < 0 || !t)
		return rc;
	if (s->open >= TL_CHROME_OPEN_MAX) {
		s->forgotten++;
		return 0;
	}
	if (TL_ARRAY_ROOM(t->begun, t->room, t->count) < 0)
		return -ENOMEM;
	t->begun[t->count++] = *who;
	s->open++;
	return 0;
}

static bool
is_of(const struct tl_chrome_key *begun, const struct tl_chrome_key *who)
{
	return (who->category == 0 || who->category == begun->category) &&
	       (who->name == 0 || who->name == begun->name);
}

/*
 * Find the innermost begin event with the message of an end, else with its
 * name.  -1: none.
 */
static int64_t
find(const struct tl_chrome_thread *t, const struct tl_chrome_key *who)
{
	int64_t named = -1;

	for (size_t i = 0; i < t->count && i < TL_CHROME_SEARCH_MAX; i++) {
		const size_t at = t->count - 1 - i;

		if (who->message && who->message == t->begun[at].message)
			return (int64_t)at;
		if (named < 0 && is_of(&t->begun[at], who)) {
			named = (int64_t)at;
			if (!who->message)
				break;
		}
	}
	return named;
}

/* Remove the matching begin event and return its message, or NULL. */
static const struct tl_message *
close_begun(struct tl_chrome_spans *s, struct tl_chrome_thread *t,
    const struct tl_chrome_key *who)
{
	const int64_t at = t ? find(t, who) : -1;
	const struct tl_message *message;

	if (at < 0)
		return NULL;
	message = t->begun[at].message;
	s->open--;
	t->count--;
	memmove(t->begun + at, t->begun + at + 1,
	    (t->count - (size_t)at) * sizeof(*t->begun));
	return message;
}

static bool
is_whole_number(unsigned format)
{
	return format == TIMELINE_ARG_UNSIGNED ||
	       format == TIMELINE_ARG_SIGNED || format == TIMELINE_ARG_HEX;
}

/* Convert a value to another format; false: not possible. */
static bool
turn_value(uint64_t *to, unsigned to_format, uint64_t value, unsigned format)
{
	double d;

	*to = value;
	if (format == to_format ||
	    (is_whole_number(format) && is_whole_number(to_format)))
		return true;
	if (to_format != TIMELINE_ARG_DOUBLE || !is_whole_number(format))
		return false;
	d = format == TIMELINE_ARG_SIGNED ? (double)(int64_t)value
					  : (double)value;
	memcpy(to, &d, sizeof(d));
	return true;
}

/*
 * Convert the arguments of an end to those of the begin's message; false: the
 * message has no place for an argument.
 */
static bool
turn_values(uint64_t values[TL_ARGS_MAX], const struct tl_message *begun,
    const struct tl_event *end)
{
	const struct tl_message *own = end->message;

	memset(values, 0, TL_ARGS_MAX * sizeof(values[0]));
	for (unsigned i = 0; i < own->argc; i++) {
		unsigned k = 0;

		while (k < begun->argc &&
		       !tl_bytes_equal(begun->args[k].name, own->args[i].name))
			k++;
		if (k == begun->argc ||
		    !turn_value(&values[k], begun->args[k].format, end->args[i],
			own->args[i].format))
			return false;
	}
	return true;
}

/*
 * Put the arguments of an end as an instant, which is called "end" if the end
 * has no name.
 */
static int
put_arguments(struct tl_chrome_spans *s, const struct tl_event *end,
    const struct tl_message *begun, bool is_named)
{
	const struct tl_message *own = end->message;
	struct tl_event instant = *end;
	int rc;

	tl_text_clear(&s->text);
	if (!is_named)
		tl_put_string(&s->text, "end: ");
	tl_put_bytes(&s->text, own->text);
	if (s->text.rc < 0)
		return s->text.rc;
	rc = tl_interner_message(s->interner,
	    is_named ? own->category : begun->category,
	    tl_bytes(s->text.data, s->text.size), TIMELINE_RECORD_INSTANT,
	    own->level, TIMELINE_THREAD, &instant.message);
	if (rc == -ENOSPC) {
		s->full++;
		return 0;
	}
	instant.kind = TL_INSTANT;
	return rc < 0 ? rc : put(s, &instant);
}

static int
take_end(struct tl_chrome_spans *s, struct tl_chrome_thread *t,
    struct tl_event *end, const struct tl_chrome_key *who)
{
	const struct tl_message *begun = close_begun(s, t, who);
	uint64_t values[TL_ARGS_MAX] = { 0 };
	int rc = 0;

	if (!begun) {
		end->bare = end->bare && end->message->argc > 0;
		return put(s, end);
	}
	if (!end->bare && !turn_values(values, begun, end)) {
		rc = put_arguments(s, end, begun, who->name != 0);
		end->bare = true;
	}
	end->bare = end->bare && begun->argc > 0;
	end->message = begun;
	memcpy(end->args, values, sizeof(values));
	if (end->bare)
		memset(end->args, 0, sizeof(end->args));
	return rc < 0 ? rc : put(s, end);
}

/* == all of them == */

static int
take_half(struct tl_chrome_spans *s, struct tl_event *event, bool begins)
{
	const bool is_known = begins || !event->bare;
	const struct tl_chrome_key who = { event->tsc, event->number,
		is_known ? event->message : NULL };
	struct tl_chrome_thread *thread;
	int rc = thread_of(s, event, &thread);

	if (rc == 0)
		rc = end_until(s, event->ns, true);
	if (rc < 0)
		return rc;
	return begins ? take_begin(s, thread, event, &who)
		      : take_end(s, thread, event, &who);
}

static int
take(struct tl_chrome_spans *s, struct tl_event *event)
{
	int rc;

	event->ns = later(event->ns, s->base_ns, &s->beyond);
	if (event->lane == TL_CHROME_WHOLE)
		return take_whole(s, event, (int64_t)event->tsc);
	if ((rc = flush(s)) < 0)
		return rc;
	if (event->lane != TL_CHROME_ALONE)
		return take_half(s, event, event->lane == TL_CHROME_BEGIN);
	rc = end_until(s, event->ns, false);
	return rc < 0 ? rc : put(s, event);
}

int
tl_chrome_spans_finish(struct tl_chrome_spans *s)
{
	struct tl_sink *store = tl_store_sink(s->store);
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = store->finish(store);

	if (rc == 0)
		rc = tl_store_cursor(s->store, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) == 1 &&
	       (rc = take(s, &event)) == 0)
		;
	tl_cursor_close(cursor);
	if (rc == 0)
		rc = flush(s);
	return rc < 0 ? rc : end_until(s, INT64_MAX, true);
}

void
tl_chrome_spans_free(struct tl_chrome_spans *s)
{
	for (size_t i = 0; i < s->capacity; i++)
		free(s->threads[i].begun);
	tl_store_free(s->store);
	tl_text_free(&s->text);
	tl_id_map_free(&s->numbers);
	tl_pqueue_free(&s->ends);
	free(s->threads);
	free(s->window);
}
