/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans.c - return the next span, and its own time without inner spans.
 *
 *	outer  [                                  ]  self: 34 - 7 - 12
 *	inner     [     ]       [          ]         7 and 12, kept until outer
 *	within       [ ]                             ends; within is in inner
 *
 * Each thread keeps the spans that have ended, the newest on top.  A span that
 * ends takes off the spans that began after its begin.  This works without a
 * stack of begins: a proven end may end a span that has other spans on top, and
 * the begin of a timer is known only at its end.
 */
#include "read/read.h"

#include "base/array.h"
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

enum { ENDED_MAX = 4096 /* kept spans per thread */ };

/* A place in time.  Places of one epoch compare by stamp, if both have a
 * stamp. */
struct place {
	uint32_t epoch;
	uint64_t tsc;
	int64_t ns;
};

struct ended {
	struct place begin;
	struct place end;
	int64_t duration_ns; /* negative: unknown */
};

/* The ended spans of a thread. */
struct nest {
	struct ended *ended;
	size_t count;
	size_t capacity;
	bool has_forgotten;
	struct place forgotten; /* spans up to here */
};

struct tl_read_nests {
	struct tl_id_map threads;
	struct nest *list;
	size_t capacity;
};

void
tl_read_nests_free(struct tl_read_nests *nests)
{
	if (!nests)
		return;
	for (size_t i = 0; i < nests->capacity; i++)
		free(nests->list[i].ended);
	free(nests->list);
	tl_id_map_free(&nests->threads);
	free(nests);
}

static bool
is_before(const struct place *a, const struct place *b)
{
	return a->epoch == b->epoch && a->tsc != 0 && b->tsc != 0
		   ? a->tsc < b->tsc
		   : a->ns < b->ns;
}

/* The nest of a span's thread.  NULL: out of memory. */
static struct nest *
nest_of(struct timeline_reader *r, const struct tl_span *span)
{
	const struct tl_id_key key = { (uint64_t)span->pid << 32 | span->tid,
		span->source };
	uint32_t id;

	if (!r->nests)
		r->nests = calloc(1, sizeof(*r->nests));
	if (!r->nests || tl_id_map_get(&r->nests->threads, key, &id) < 0 ||
	    TL_ARRAY_ZEROS(r->nests->list, r->nests->capacity, id) < 0)
		return NULL;
	return &r->nests->list[id];
}

/* Forget the older half of the spans. */
static void
forget(struct nest *nest)
{
	const size_t half = nest->count / 2;

	nest->has_forgotten = true;
	nest->forgotten = nest->ended[half - 1].end;
	nest->count -= half;
	memmove(nest->ended, nest->ended + half,
	    nest->count * sizeof(*nest->ended));
}

/* Take a span that has ended.  Returns its duration without the spans within
 * it, or -1 if that is not known.  Sets *rc to -ENOMEM on failure. */
static int64_t
take_inner(struct timeline_reader *r, const struct tl_span *span, int *rc)
{
	const struct place begin = { span->begin_epoch, span->begin_tsc,
		span->begin_ns };
	const bool is_sure = tl_span_is_sure(span);
	int64_t self_ns = is_sure ? span->duration_ns : -1;
	struct nest *nest = nest_of(r, span);

	if (!nest ||
	    TL_ARRAY_ROOM(nest->ended, nest->capacity, nest->count) < 0) {
		*rc = -ENOMEM;
		return -1;
	}
	while (nest->count > 0 &&
	       !is_before(&nest->ended[nest->count - 1].begin, &begin)) {
		const int64_t inner = nest->ended[--nest->count].duration_ns;

		if (self_ns >= 0)
			self_ns = inner < 0         ? -1
				  : self_ns > inner ? self_ns - inner
						    : 0;
	}
	if (span->alone ||
	    (nest->has_forgotten && is_before(&begin, &nest->forgotten)))
		self_ns = -1;
	nest->ended[nest->count++] = (struct ended){ .begin = begin,
		.end = { span->end_epoch, span->end_tsc, span->end_ns },
		.duration_ns = is_sure ? span->duration_ns : -1 };
	if (nest->count == ENDED_MAX)
		forget(nest);
	return self_ns;
}

/* == spans == */

static uint32_t
flags_of(const struct tl_span *span, bool is_open)
{
	uint32_t flags = is_open ? TIMELINE_READ_OPEN : 0;

	if (span->proven)
		flags |= TIMELINE_READ_PROVEN;
	if (span->alone)
		flags |= TIMELINE_READ_ALONE;
	if (span->overlaps)
		flags |= TIMELINE_READ_OVERLAPS;
	if (!is_open && span->lossy)
		flags |= TIMELINE_READ_UNSURE;
	/* an open span that is proven has no end yet */
	if (is_open && !span->proven && !tl_span_is_sure(span))
		flags |= TIMELINE_READ_CUT;
	return flags;
}

/* Fill in the members that do not depend on the end. */
static int
fill(struct timeline_reader *r, const struct tl_event *begin,
    const struct tl_span *span, bool is_open)
{
	struct timeline_read_span *to = &r->span;
	const int rc = tl_read_fill(r, begin, &r->span_begin);

	if (rc < 0)
		return rc;
	to->begin = &r->span_begin;
	to->end = is_open ? NULL : &r->span_end;
	to->depth = span->depth;
	to->flags = flags_of(span, is_open);
	to->duration_ns = to->self_ns = -1;
	if (span->alone) {
		r->span_begin.flags |= TIMELINE_READ_ALONE;
		r->span_begin.error_ns = UINT32_MAX;
	}
	return 0;
}

static int
fill_ended(struct timeline_reader *r, const struct tl_event *end,
    const struct tl_span *span, int64_t self_ns)
{
	const struct tl_event begin = tl_span_begin(span);
	struct timeline_read_span *to = &r->span;
	struct timeline_read_event *last = &r->span_end;
	int rc = fill(r, &begin, span, false);

	if (rc == 0)
		rc = tl_read_fill(r, end, last);
	if (rc < 0)
		return rc;
	to->flags |= last->flags & TIMELINE_READ_OVERLAPS;
	last->flags |= to->flags & TIMELINE_READ_UNSURE;
	to->duration_ns = span->duration_ns;
	last->duration_ns = r->span_begin.duration_ns = span->duration_ns;
	to->self_ns = self_ns;
	return 0;
}

/* Return the next span without an end, after all events. */
static int
step_open(struct timeline_reader *r)
{
	struct tl_span span;
	int rc;

	while (tl_spans_open(r->spans, &r->open, &span)) {
		const struct tl_event begin = tl_span_begin(&span);

		if (!tl_read_passes(r, &begin))
			continue;
		rc = fill(r, &begin, &span, true);
		return rc < 0 ? rc : 1;
	}
	return 0;
}

/* Return the next span that passes: 1, 0 or -errno. */
static int
step(struct timeline_reader *r)
{
	struct tl_span span;
	struct tl_event event;
	int rc;

	while ((rc = tl_read_advance(r, &event, &span)) > 0) {
		int64_t self_ns = -1;
		int failed = 0;

		if (rc != TL_READ_PAIRED)
			continue;
		if (event.message->scope != TIMELINE_SOURCE)
			self_ns = take_inner(r, &span, &failed);
		if (failed < 0)
			return failed;
		if (!tl_read_passes(r, &event))
			continue;
		rc = fill_ended(r, &event, &span, self_ns);
		return rc < 0 ? rc : 1;
	}
	return rc < 0 || r->options.follow ? rc : step_open(r);
}

int
timeline_read_next_span(struct timeline_reader *r,
    const struct timeline_read_span **span)
{
	int rc;

	*span = NULL;
	if (!r->options.oldest_first)
		return tl_read_fail(-EINVAL,
		    "spans are given oldest first: set options.oldest_first");
	rc = tl_read_one(r, step);
	if (rc > 0)
		*span = &r->span;
	return rc;
}
