/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - the new events of a timeline, for the page that watches it.
 *
 *	{"chunks":[...],"from":"1795202658123456789",
 *	 "history":[...],"next":"0:1042,1:17"}
 *
 * The mark "next" has the number of the next entry of each lane; the page sends
 * the mark with its next request.  If the cursor starts after the mark, the
 * entries between are shown as a loss, and so are entries beyond the maximum of
 * an answer.  (summary.c counts the entries that the timeline really lost.) A
 * lane without a mark is new to the page, and entries before it are not
 * reported.  A lane that ends before its mark belongs to a timeline that was
 * created again.  The history (chunk.h) begins with the entry before the first
 * one that is new to the page.
 */
#include "format/html/live.h"

#include "base/array.h"
#include "format/html/chunk.h"

#include <errno.h>
#include <stdlib.h>

enum {
	LANES_MAX = 2 * TIMELINE_LANES_MAX * TIMELINE_TIERS_MAX,
	EVENTS_MAX = 1 << 18
};

struct lane {
	uint64_t next;  /* number to show next; if is_marked */
	uint64_t from;  /* next at the start of this answer */
	uint64_t first; /* lowest number seen, if end is not 0 */
	uint64_t end;   /* 1 + highest number seen; 0: none */
	int64_t first_ns;
	bool is_marked;
	bool is_new;  /* the page has no entry of the lane */
	bool is_kept; /* is an entry among the newest? */
	/* A fallback lane, whose numbers are not in order of time. */
	bool is_mixed;
	bool is_counted; /* the losses were reported */
	uint64_t kept;   /* newest entries from next on */
};

/* The newest events, the oldest of them at start. */
struct ring {
	struct tl_event *events;
	size_t capacity;
	size_t max;
	size_t start;
	size_t count;
};

struct answer {
	struct lane *lanes;
	struct ring ring;
	struct tl_html_chunk chunk;
	struct tl_text *text;
	size_t chunks;
	int64_t from_ns; /* no entry is missing since */
	struct tl_details *details;
	const struct tl_event *before; /* where the history begins */
	int64_t newest_ns;
};

/* Take the number at the start of bytes; false: no number, or too large. */
static bool
take_number(struct tl_bytes *left, uint64_t *number)
{
	const size_t digits = tl_number_take(*left, number);

	*left = tl_bytes(left->data + digits, left->size - digits);
	return digits > 0;
}

/* Parse a mark up to the first error; the rest of the mark is ignored. */
static void
read_mark(struct lane *lanes, const char *mark)
{
	struct tl_bytes left = tl_bytes_of(mark);
	uint64_t lane, next;

	while (take_number(&left, &lane) && tl_bytes_take(&left, ":") &&
	       take_number(&left, &next)) {
		if (lane < LANES_MAX)
			lanes[lane] =
			    (struct lane){ .next = next, .is_marked = true };
		if (!tl_bytes_take(&left, ","))
			return;
	}
}

/* Append an event, or replace the oldest event of a full ring. */
static int
push(struct ring *ring, const struct tl_event *event)
{
	if (ring->max == 0)
		return 0;
	if (ring->count == ring->max) {
		ring->events[ring->start] = *event;
		ring->start = (ring->start + 1) % ring->max;
		return 0;
	}
	if (TL_ARRAY_ROOM(ring->events, ring->capacity, ring->count) < 0)
		return -ENOMEM;
	ring->events[ring->count++] = *event;
	return 0;
}

/* Event i, from the oldest. */
static const struct tl_event *
event_at(const struct ring *ring, size_t i)
{
	return &ring->events[(ring->start + i) % ring->max];
}

static void
see(struct lane *lane, uint64_t number, int64_t ns)
{
	if (lane->end == 0 || number < lane->first) {
		lane->first = number;
		lane->first_ns = ns;
	}
	lane->is_mixed |= number + 1 < lane->end;
	if (number + 1 > lane->end)
		lane->end = number + 1;
}

/*
 * Keep the newest events.  Losses are computed from the numbers of the entries,
 * because the cursor reports the same losses in each answer.
 */
static int
collect(struct answer *a, struct tl_cursor *cursor,
    const struct tl_html_range *range)
{
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		if ((rc = tl_details_put(a->details, NULL, &event)) < 0)
			return rc;
		if (!event.message || event.lane >= LANES_MAX)
			continue;
		a->newest_ns = event.ns;
		if (!event.paired) /* an entry counts once */
			see(&a->lanes[event.lane], event.number, event.ns);
		if (event.ns < range->from_ns || event.ns >= range->to_ns)
			continue;
		if ((rc = push(&a->ring, &event)) != 0)
			return rc;
	}
	return rc;
}

/*
 * Find the time since which no entry is missing.  Entries before the first
 * entry of a lane were not read.  If events were left out, the oldest kept
 * event is a bound, too.
 */
static void
find_from(struct answer *a, bool is_cut)
{
	a->from_ns = INT64_MIN;
	for (size_t i = 0; i < LANES_MAX; i++) {
		const struct lane *lane = &a->lanes[i];

		if (lane->end > 0 && lane->first > 0 &&
		    lane->first_ns > a->from_ns)
			a->from_ns = lane->first_ns;
	}
	if (is_cut && a->ring.count > 0 &&
	    event_at(&a->ring, 0)->ns > a->from_ns)
		a->from_ns = event_at(&a->ring, 0)->ns;
}

/*
 * Let each lane continue at its mark, or at its first entry if the mark is bad.
 */
static void
settle_marks(struct answer *a)
{
	for (size_t i = 0; i < LANES_MAX; i++) {
		struct lane *lane = &a->lanes[i];

		if (lane->end != 0 &&
		    !(lane->is_marked && lane->next <= lane->end)) {
			lane->is_marked = lane->is_new = true;
			lane->next = lane->first;
		}
		lane->from = lane->next;
	}
	for (size_t i = 0; i < a->ring.count; i++) {
		const struct tl_event *event = &a->ring.events[i];
		struct lane *lane = &a->lanes[event->lane];

		if (event->paired)
			continue;
		lane->is_kept = true;
		lane->kept += event->number >= lane->next;
	}
}

static void
write_chunk(struct answer *a)
{
	if (a->chunks++ > 0)
		tl_put_char(a->text, ',');
	tl_html_chunk_write(&a->chunk, a->text);
}

static int
put_one(struct answer *a, const struct tl_event *event)
{
	if (!tl_html_chunk_takes(&a->chunk, event))
		write_chunk(a);
	return tl_html_chunk_put(&a->chunk, event);
}

/* Report that entries of a lane are missing before an event, up to number. */
static int
put_lost(struct answer *a, uint32_t lane, const struct tl_event *event,
    uint64_t number)
{
	struct tl_event lost = { .kind = TL_LOST,
		.bare = true, /* not shown, rather than lost */
		.ns = event->ns,
		.tsc = event->tsc,
		.epoch = event->epoch,
		.cpu = lane == event->lane ? event->cpu : TL_CPU_UNKNOWN,
		.lane = lane,
		.lost = number - a->lanes[lane].next };

	a->lanes[lane].next = number;
	return put_one(a, &lost);
}

/*
 * Put an event of a lane whose numbers come in any order.  The losses of the
 * lane are reported before the first event.
 */
static int
put_next_mixed(struct answer *a, const struct tl_event *event)
{
	struct lane *lane = &a->lanes[event->lane];
	const uint64_t next = lane->next;
	const uint64_t missing = lane->end - next - lane->kept;
	int rc = 0;

	if (event->number < next)
		return 0;
	if (!lane->is_counted && !lane->is_new && missing > 0) {
		rc = put_lost(a, event->lane, event, next + missing);
		lane->next = next;
	}
	lane->is_counted = true;
	return rc != 0 ? rc : put_one(a, event);
}

static int
put_next(struct answer *a, const struct tl_event *event)
{
	struct lane *lane = &a->lanes[event->lane];
	int rc = 0;

	if (event->paired) /* an entry counts once */
		return event->number < lane->from ? 0 : put_one(a, event);
	if (lane->is_mixed)
		return put_next_mixed(a, event);
	if (lane->is_new)
		lane->next = event->number;
	lane->is_new = false;
	if (event->number < lane->next)
		return 0;
	if (event->number > lane->next)
		rc = put_lost(a, event->lane, event, event->number);
	lane->next = event->number + 1;
	return rc != 0 ? rc : put_one(a, event);
}

/*
 * Report losses of lanes whose new entries are all older than the oldest event
 * that is kept.
 */
static int
put_cut_lanes(struct answer *a)
{
	int rc = 0;

	for (uint32_t i = 0; i < LANES_MAX && rc == 0; i++) {
		struct lane *lane = &a->lanes[i];

		if (lane->is_kept || lane->end <= lane->next)
			continue;
		if (lane->is_new)
			lane->next = lane->end;
		else if (a->ring.count > 0)
			rc = put_lost(a, i, event_at(&a->ring, 0), lane->end);
	}
	return rc;
}

/* Tell the chunk which events the page already has. */
static int
skip_events(struct answer *a)
{
	bool any_new = false;
	int rc = 0;

	for (size_t i = 0; i < a->ring.count && rc == 0; i++) {
		const struct tl_event *event = event_at(&a->ring, i);
		const struct lane *lane = &a->lanes[event->lane];

		if (!lane->is_new && event->number < lane->next)
			rc = tl_html_chunk_skip(&a->chunk, event);
		else
			any_new = true;
		if (!any_new || !a->before)
			a->before = event;
	}
	return rc;
}

static int
put_events(struct answer *a)
{
	int rc;

	tl_put_string(a->text, "{\"chunks\":[");
	a->chunk.observes = TL_HTML_GOES_ON;
	if ((rc = skip_events(a)) == 0)
		rc = put_cut_lanes(a);
	for (size_t i = 0; i < a->ring.count && rc == 0; i++)
		rc = put_next(a, event_at(&a->ring, i));
	if (a->chunk.count > 0)
		write_chunk(a);
	tl_put_char(a->text, ']');
	return rc;
}

static void
put_mark(struct tl_text *text, const struct lane *lanes)
{
	bool any = false;

	tl_put_string(text, ",\"next\":\"");
	for (size_t i = 0; i < LANES_MAX; i++) {
		if (!lanes[i].is_marked)
			continue;
		if (any)
			tl_put_char(text, ',');
		any = true;
		tl_put_unsigned(text, i);
		tl_put_char(text, ':');
		tl_put_unsigned(text,
		    lanes[i].is_mixed ? lanes[i].end : lanes[i].next);
	}
	tl_put_string(text, "\"}");
}

int
tl_html_events(struct tl_text *text, struct tl_cursor *cursor,
    const struct tl_html_range *range)
{
	struct answer a = { .text = text };
	int rc;

	a.ring.max = range->max < EVENTS_MAX ? range->max : EVENTS_MAX;
	a.lanes = calloc(LANES_MAX, sizeof(*a.lanes));
	if (!a.lanes)
		return -ENOMEM;
	read_mark(a.lanes, range->after);
	if ((rc = tl_details_new(&a.details, false)) != 0 ||
	    (rc = collect(&a, cursor, range)) != 0)
		goto free;
	find_from(&a, a.ring.count == a.ring.max);
	settle_marks(&a);
	if ((rc = put_events(&a)) != 0)
		goto free;
	tl_put_string(text, ",\"from\":\"");
	tl_put_signed(text, a.from_ns);
	tl_put_char(text, '"');
	tl_put_string(text, ",\"history\":[");
	if (a.before)
		tl_html_put_history(text, a.details, a.before->source,
		    a.before->base != 0, a.before->ns, a.newest_ns);
	tl_put_char(text, ']');
	put_mark(text, a.lanes);
	rc = text->rc;
free:
	tl_html_chunk_free(&a.chunk);
	tl_details_free(a.details);
	free(a.ring.events);
	free(a.lanes);
	return rc;
}

void
tl_html_live(struct tl_text *text)
{
	tl_html_page_start(text, "timeline", true);
	tl_html_page_end(text);
}
