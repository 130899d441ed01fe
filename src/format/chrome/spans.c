/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - the open spans of each thread:
 *
 *	begun	begin events without an end yet, the innermost last
 *	ending	ends of complete spans that wait, the innermost last
 */
#include "format/chrome/spans.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

struct ending {
	const struct tl_message *message;
	int64_t ns;
};

struct tl_chrome_thread {
	struct tl_chrome_key *begun;
	struct ending *ending;
	size_t begun_count, begun_room;
	size_t ending_count, ending_room;
	uint32_t pid, tid;
};

struct tl_chrome_waiting {
	struct tl_event begin;
	int64_t end_ns;
	uint32_t thread;
	uint32_t number; /* in the order of the input */
};

int
tl_chrome_put(struct tl_chrome_spans *s, struct tl_event *event)
{
	event->tsc = (uint64_t)event->ns;
	event->cpu = TL_CPU_UNKNOWN;
	event->level = event->message ? event->message->level : 0;
	event->number = s->count++;
	return s->sink->put(s->sink, event);
}

int
tl_chrome_thread(struct tl_chrome_spans *s, uint32_t pid, uint32_t tid,
    uint32_t *thread)
{
	const struct tl_id_key key = { pid, tid };
	int rc = tl_id_map_get(&s->numbers, key, thread);

	if (rc <= 0)
		return rc;
	rc = TL_ARRAY_ZEROS(s->threads, s->capacity, *thread);
	if (rc < 0)
		return rc;
	s->threads[*thread].pid = pid;
	s->threads[*thread].tid = tid;
	return 0;
}

static int
put_end(struct tl_chrome_spans *s, const struct tl_chrome_thread *t,
    const struct ending *ending)
{
	struct tl_event end = { .ns = ending->ns,
		.message = ending->message,
		.pid = t->pid,
		.tid = t->tid,
		.kind = TL_END,
		.bare = true };

	return tl_chrome_put(s, &end);
}

/* Pass on the ends up to a time, the innermost first. */
static int
end_until(struct tl_chrome_spans *s, uint32_t thread, int64_t ns)
{
	struct tl_chrome_thread *t = &s->threads[thread];
	int rc = 0;

	while (rc == 0 && t->ending_count > 0 &&
	       t->ending[t->ending_count - 1].ns <= ns) {
		s->open--;
		rc = put_end(s, t, &t->ending[--t->ending_count]);
	}
	return rc;
}

static int
add_ending(struct tl_chrome_spans *s, uint32_t thread,
    const struct ending *ending)
{
	struct tl_chrome_thread *t = &s->threads[thread];

	if (s->open >= TL_CHROME_OPEN_MAX)
		return put_end(s, t, ending);
	if (TL_ARRAY_ROOM(t->ending, t->ending_room, t->ending_count) < 0)
		return -ENOMEM;
	t->ending[t->ending_count++] = *ending;
	s->open++;
	return 0;
}

static int
put_whole(struct tl_chrome_spans *s, struct tl_chrome_waiting *w)
{
	const struct ending ending = { w->begin.message, w->end_ns };
	int rc = end_until(s, w->thread, w->begin.ns);

	if (rc == 0)
		rc = tl_chrome_put(s, &w->begin);
	return rc < 0 ? rc : add_ending(s, w->thread, &ending);
}

/* By begin, then the longer one, then the order of the input. */
static bool
is_before(const struct tl_chrome_waiting *a, const struct tl_chrome_waiting *b)
{
	if (a->begin.ns != b->begin.ns)
		return a->begin.ns < b->begin.ns;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns;
	return a->number < b->number;
}

static int
compare(const void *a, const void *b)
{
	return is_before(*(struct tl_chrome_waiting *const *)a,
		   *(struct tl_chrome_waiting *const *)b)
		   ? -1
		   : 1;
}

/* Pass on the complete spans of the window. */
static int
flush(struct tl_chrome_spans *s)
{
	struct tl_chrome_waiting *order[TL_CHROME_WINDOW];
	int rc = 0;

	for (size_t i = 0; i < s->waiting; i++)
		order[i] = &s->window[i];
	if (s->unsorted)
		qsort(order, s->waiting, sizeof(order[0]), compare);
	for (size_t i = 0; rc == 0 && i < s->waiting; i++)
		rc = put_whole(s, order[i]);
	s->waiting = 0;
	s->unsorted = false;
	return rc;
}

int
tl_chrome_complete(struct tl_chrome_spans *s, uint32_t thread,
    const struct tl_event *begin, int64_t end_ns)
{
	struct tl_chrome_waiting *w;
	int rc = 0;

	if (!s->window)
		s->window = malloc(TL_CHROME_WINDOW * sizeof(*s->window));
	if (!s->window)
		return -ENOMEM;
	if (s->waiting == TL_CHROME_WINDOW)
		rc = flush(s);
	w = &s->window[s->waiting];
	*w = (struct tl_chrome_waiting){ *begin, end_ns, thread,
		(uint32_t)s->waiting };
	if (s->waiting > 0 && !is_before(w - 1, w))
		s->unsorted = true;
	s->waiting++;
	return rc;
}

static int
open_begin(struct tl_chrome_spans *s, uint32_t thread,
    const struct tl_chrome_key *who)
{
	struct tl_chrome_thread *t = &s->threads[thread];

	if (s->open >= TL_CHROME_OPEN_MAX) {
		s->forgot = true;
		return 0;
	}
	if (TL_ARRAY_ROOM(t->begun, t->begun_room, t->begun_count) < 0)
		return -ENOMEM;
	t->begun[t->begun_count++] = *who;
	s->open++;
	return 0;
}

int
tl_chrome_begin(struct tl_chrome_spans *s, uint32_t thread,
    struct tl_event *begin, const struct tl_chrome_key *who)
{
	int rc = flush(s);

	if (rc == 0)
		rc = end_until(s, thread, begin->ns);
	if (rc == 0)
		rc = tl_chrome_put(s, begin);
	return rc < 0 ? rc : open_begin(s, thread, who);
}

static bool
is_of(const struct tl_chrome_key *begun, const struct tl_chrome_key *who)
{
	return (who->category == 0 || who->category == begun->category) &&
	       (who->name == 0 || who->name == begun->name);
}

/* The index of the innermost begin event with the message, else with the name;
 * -1: none. */
static int64_t
find(const struct tl_chrome_thread *t, const struct tl_chrome_key *who)
{
	int64_t named = -1;

	for (size_t i = 0; i < t->begun_count && i < TL_CHROME_SEARCH_MAX;
	     i++) {
		const size_t at = t->begun_count - 1 - i;

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

int
tl_chrome_close(struct tl_chrome_spans *s, uint32_t thread, int64_t ns,
    const struct tl_chrome_key *who, const struct tl_message **message)
{
	struct tl_chrome_thread *t = &s->threads[thread];
	const int64_t at = find(t, who);
	int rc = flush(s);

	if (rc == 0)
		rc = end_until(s, thread, ns);
	*message = NULL;
	if (at < 0)
		return rc;
	*message = t->begun[at].message;
	s->open--;
	t->begun_count--;
	memmove(t->begun + at, t->begun + at + 1,
	    (t->begun_count - (size_t)at) * sizeof(*t->begun));
	return rc;
}

int
tl_chrome_spans_finish(struct tl_chrome_spans *s)
{
	int rc = flush(s);

	for (size_t i = 0; rc == 0 && i < s->capacity; i++) {
		struct tl_chrome_thread *t = &s->threads[i];

		while (rc == 0 && t->ending_count > 0)
			rc = put_end(s, t, &t->ending[--t->ending_count]);
	}
	return rc;
}

void
tl_chrome_spans_free(struct tl_chrome_spans *s)
{
	for (size_t i = 0; i < s->capacity; i++) {
		free(s->threads[i].begun);
		free(s->threads[i].ending);
	}
	tl_id_map_free(&s->numbers);
	free(s->threads);
	free(s->window);
}
