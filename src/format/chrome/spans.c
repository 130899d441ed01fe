/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - keep events until the file ends, then pass them on by time: each
 * complete span as a begin and an end, each end event with the message of its
 * begin event.
 */
#include "format/chrome/convert.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

enum {
	/* Complete spans of one time that are sorted. */
	WINDOW = 4096,
	/* Open begin events of all threads, and waiting ends. */
	OPEN_MAX = 1 << 18,
	/* Open begin events that are compared with an end. */
	SEARCH_MAX = 1024
};

/* The end of a complete span. */
struct ending {
	const struct tl_message *message;
	int64_t ns;
	int64_t begun_ns;
	uint64_t order; /* order of the begins */
	uint32_t pid, tid;
};

/*
 * Identifies a begin event.  A hash of 0 matches any; an equal message is
 * preferred.
 */
struct key {
	uint64_t category; /* hashes, as name */
	uint64_t name;
	const struct tl_message *message;
	int64_t ns; /* of a begin event */
};

/* The open begin events of a thread or of an id, the innermost last. */
struct tl_chrome_thread {
	struct key *begun;
	size_t count, room;
};

struct tl_chrome_waiting {
	struct tl_event begin;
	int64_t end_ns;
	uint32_t number; /* order of the input */
};

int
tl_chrome_keep(struct tl_chrome_spans *s, const struct tl_event *event)
{
	struct tl_sink *store = tl_store_sink(s->store);

	return store->put(store, event);
}

/* == passed on == */

/* Pass on an event. */
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

/* Note an event, whose place in the file is no longer known. */
static void
note(struct tl_chrome_spans *s, unsigned kind)
{
	tl_note(s->notes, kind, TL_FAULT_NOWHERE);
}

/* Add two times; a sum out of range becomes the nearest time and is noted. */
static int64_t
later(struct tl_chrome_spans *s, int64_t ns, int64_t by)
{
	int64_t sum;

	if (!__builtin_add_overflow(ns, by, &sum))
		return sum;
	note(s, TL_CHROME_NOTE_TIME);
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

	tl_event_prove(&end, ending->begun_ns);
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
	for (size_t i = 0; rc == 0 && i < s->waiting; i++) {
		struct tl_event *begin = &s->window[i].begin;
		const struct ending ending = { begin->message,
			s->window[i].end_ns, begin->ns, s->begun++, begin->pid,
			begin->tid };

		begin->proven = true;
		if ((rc = end_until(s, begin->ns, true)) < 0 ||
		    (rc = put(s, begin)) < 0)
			break;
		rc = s->ends.count < OPEN_MAX
			 ? tl_pqueue_push(&s->ends, &by_end, NULL, &ending)
			 : put_ending(s, &ending);
	}
	s->waiting = 0;
	return rc;
}

/* == begin and end events == */

/* Find the thread of an event, or the id that stands for a thread; NULL: too
 * many. */
static int
thread_of(struct tl_chrome_spans *s, const struct tl_event *event,
    struct tl_chrome_thread **thread)
{
	struct tl_id_key key = { event->pid, event->tid };
	uint32_t number;
	int rc;

	if (event->message->scope == TIMELINE_SOURCE)
		key = (struct tl_id_key){ event->tsc, UINT64_MAX };
	rc = tl_id_map_get(&s->numbers, key, &number);
	*thread = NULL;
	if (rc == -ENOSPC) {
		note(s, TL_CHROME_NOTE_FULL);
		return 0;
	}
	if (rc == 1)
		rc = TL_ARRAY_ZEROS(s->threads, s->capacity, number);
	if (rc == 0)
		*thread = &s->threads[number];
	return rc;
}

static int
take_begin(struct tl_chrome_spans *s, struct tl_event *begin)
{
	const struct key key = { begin->tsc, begin->number, begin->message,
		begin->ns };
	struct tl_chrome_thread *t;
	int rc;

	begin->proven = true;
	if ((rc = thread_of(s, begin, &t)) < 0 || (rc = put(s, begin)) < 0)
		return rc;
	if (!t)
		return 0;
	if (s->open >= OPEN_MAX) {
		note(s, TL_CHROME_NOTE_FORGOTTEN);
		return 0;
	}
	if (TL_ARRAY_ROOM(t->begun, t->room, t->count) < 0)
		return -ENOMEM;
	t->begun[t->count++] = key;
	s->open++;
	return 0;
}

/*
 * Find the innermost begin event with the message of an end, else with its
 * name.  -1: none.
 */
static int64_t
find(const struct tl_chrome_thread *t, const struct key *end)
{
	int64_t named = -1;

	for (size_t i = 0; i < t->count && i < SEARCH_MAX; i++) {
		const size_t at = t->count - 1 - i;
		const struct key *begun = &t->begun[at];

		if (end->message && end->message == begun->message)
			return (int64_t)at;
		if (named < 0 &&
		    (end->category == 0 || end->category == begun->category) &&
		    (end->name == 0 || end->name == begun->name)) {
			named = (int64_t)at;
			if (!end->message)
				break;
		}
	}
	return named;
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
	*to = value;
	if (format == to_format ||
	    (is_whole_number(format) && is_whole_number(to_format)))
		return true;
	if (to_format != TIMELINE_ARG_DOUBLE || !is_whole_number(format))
		return false;
	*to = tl_bits_of(format == TIMELINE_ARG_SIGNED ? (double)(int64_t)value
						       : (double)value);
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
	    is_named ? own->category : begun->category, tl_text_bytes(&s->text),
	    TIMELINE_RECORD_INSTANT, own->level, TIMELINE_THREAD,
	    &instant.message);
	if (rc == -ENOSPC) {
		note(s, TL_CHROME_NOTE_FULL);
		return 0;
	}
	instant.kind = TL_INSTANT;
	return rc < 0 ? rc : put(s, &instant);
}

/*
 * Close the matching begin event and pass the end on with its message.  An end
 * without arguments is bare, unless the message has no arguments either.
 */
static int
take_end(struct tl_chrome_spans *s, struct tl_event *end)
{
	const struct key key = { end->tsc, end->number,
		end->bare ? NULL : end->message, 0 };
	uint64_t values[TL_ARGS_MAX] = { 0 };
	const struct tl_message *begun;
	struct tl_chrome_thread *t;
	int64_t at;
	int rc = thread_of(s, end, &t);

	if (rc < 0)
		return rc;
	at = t ? find(t, &key) : -1;
	if (at < 0) {
		end->bare = end->bare && end->message->argc > 0;
		return put(s, end);
	}
	begun = t->begun[at].message;
	tl_event_prove(end, t->begun[at].ns);
	s->open--;
	t->count--;
	memmove(t->begun + at, t->begun + at + 1,
	    (t->count - (size_t)at) * sizeof(*t->begun));
	if (!end->bare && !turn_values(values, begun, end)) {
		rc = put_arguments(s, end, begun, key.name != 0);
		end->bare = true;
	}
	end->bare = end->bare && begun->argc > 0;
	end->message = begun;
	if (end->bare)
		memset(values, 0, sizeof(values));
	memcpy(end->args, values, sizeof(values));
	return rc < 0 ? rc : put(s, end);
}

/* == all of them == */

/* Take the next event by time. */
static int
take(struct tl_chrome_spans *s, struct tl_event *event)
{
	int rc;

	event->ns = later(s, event->ns, s->base_ns);
	if (event->lane == TL_CHROME_WHOLE) {
		rc = 0;
		if (!s->window)
			s->window = malloc(WINDOW * sizeof(*s->window));
		if (!s->window)
			return -ENOMEM;
		if (s->waiting == WINDOW ||
		    (s->waiting > 0 && s->window[0].begin.ns != event->ns))
			rc = flush(s);
		s->window[s->waiting] = (struct tl_chrome_waiting){ *event,
			later(s, event->ns, (int64_t)event->tsc),
			(uint32_t)s->waiting };
		s->waiting++;
		return rc;
	}
	if ((rc = flush(s)) < 0 ||
	    (rc = end_until(s, event->ns, event->lane != TL_CHROME_ALONE)) < 0)
		return rc;
	switch (event->lane) {
	case TL_CHROME_BEGIN:
		return take_begin(s, event);
	case TL_CHROME_END:
		return take_end(s, event);
	default:
		return put(s, event);
	}
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
