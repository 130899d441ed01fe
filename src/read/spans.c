/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - return the next span, and its own time without inner spans. */
#include "base/ns.h"
#include "read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>

/* Take an event, and the span that the event has ended (NULL: none).  Sets
 * *self_ns to the duration without the spans within, or -1 if that is not
 * known.  Returns 0 or -ENOMEM. */
static int
take(struct timeline_reader *r, const struct tl_event *event,
    const struct tl_span *span, int64_t *self_ns)
{
	struct tl_own own;
	int rc = r->details ? 0 : tl_details_new(&r->details, true);

	*self_ns = -1;
	if (rc == 0)
		rc = tl_details_put(r->details, r->spans, event);
	if (rc < 0 || !span || event->message->scope == TIMELINE_SOURCE)
		return rc;
	rc = tl_details_own(r->details, span, &own);
	if (rc <= 0 || span->alone || !tl_span_is_sure(span))
		return rc < 0 ? rc : 0;
	*self_ns = 0;
	for (unsigned i = 0; i < TL_OWN_KINDS; i++)
		*self_ns = tl_add_ns(*self_ns, own.ns[i]);
	return 0;
}

/* == spans == */

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
	to->flags =
	    tl_read_flag(is_open, OPEN) | tl_read_flag(span->proven, PROVEN) |
	    tl_read_flag(span->alone, ALONE) |
	    tl_read_flag(span->overlaps, OVERLAPS) |
	    tl_read_flag(!is_open && span->lossy, UNSURE) |
	    /* an open span that is proven has no end yet */
	    tl_read_flag(is_open && !span->proven && !tl_span_is_sure(span),
		CUT);
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
		const bool paired = rc == TL_READ_PAIRED;
		int64_t self_ns;

		rc = take(r, &event, paired ? &span : NULL, &self_ns);
		if (rc < 0)
			return rc;
		if (!paired || !tl_read_passes(r, &event))
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
