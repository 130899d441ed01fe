/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - which levels of a timeline were open when.
 */
#include "dump/levels.h"

#include <errno.h>
#include <stdlib.h>

enum { WINDOWS_FIRST = 64 };

/* The levels word as it goes along. */
struct state {
	struct tl_levels *levels;
	const struct tl_input *input;
	int64_t since_ns;  /* it is like this */
	int64_t until_ns;  /* end of the burst */
	uint8_t threshold; /* 0: not known */
	uint8_t base;
	bool burst;
	bool merged;
	bool changed; /* was a change seen? */
	uint32_t pid;
};

static int
add_window(struct tl_levels *l, const struct tl_level_window *window)
{
	struct tl_level_window *grown;
	size_t more;

	if (window->from_ns >= window->to_ns)
		return 0;
	if (l->count == l->capacity) {
		more = l->capacity ? l->capacity * 2 : WINDOWS_FIRST;
		grown = realloc(l->windows, more * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		l->windows = grown;
		l->capacity = more;
	}
	l->windows[l->count++] = *window;
	return 0;
}

/* Close what was open up to now: at the most a burst, and the base after. */
static int
close_window(struct state *s, int64_t now_ns)
{
	struct tl_level_window window = { .from_ns = s->since_ns,
		.to_ns = now_ns,
		.threshold = s->threshold,
		.burst = s->burst,
		.merged = s->merged,
		.pid = s->pid };
	int rc;

	if (s->burst && s->until_ns < now_ns) {
		window.to_ns = s->until_ns;
		rc = add_window(s->levels, &window);
		if (rc < 0)
			return rc;
		window = (struct tl_level_window){ .from_ns =
						       s->until_ns > s->since_ns
							   ? s->until_ns
							   : s->since_ns,
			.to_ns = now_ns,
			.threshold = s->base };
		s->burst = false;
	}
	s->since_ns = now_ns;
	return add_window(s->levels, &window);
}

static bool
is_level(uint64_t n)
{
	return n >= TIMELINE_LEVEL_MIN && n <= TIMELINE_LEVEL_NONE;
}

/* An entry says that the levels change to threshold, base, until. */
static int
take_change(struct state *s, const struct tl_event *event)
{
	const bool is_burst = event->message->builtin == TIMELINE_BUILTIN_BURST;
	const uint64_t threshold = event->args[0], base = event->args[1];
	int rc;

	if (!is_level(threshold) || !is_level(base)) /* a damaged entry */
		return 0;
	/* A burst leaves the base as it was before. */
	if (!s->changed && is_burst && s->threshold == 0)
		s->threshold = s->base = (uint8_t)base;
	rc = close_window(s, event->ns);
	if (rc < 0)
		return rc;
	if (is_burst) {
		s->levels->bursts++;
		s->merged = s->burst;
		s->levels->merged_bursts += s->burst;
	} else {
		s->merged = false;
	}
	s->changed = true;
	s->threshold = (uint8_t)threshold;
	s->base = (uint8_t)base;
	s->burst = threshold < base;
	s->pid = event->pid;
	if (s->burst)
		s->until_ns = tl_snap_time(s->input->snap, event->epoch,
		    event->args[2], NULL);
	return 0;
}

static bool
is_change(const struct tl_event *event)
{
	return event->message &&
	       (event->message->builtin == TIMELINE_BUILTIN_PRIORITY ||
		   event->message->builtin == TIMELINE_BUILTIN_BURST);
}

/* Is every entry that was ever logged still there? */
static bool
is_complete(const struct tl_snap *snap)
{
	for (size_t i = 0; i < tl_snap_lane_count(snap); i++) {
		if (tl_snap_lane(snap, i)->first > 0)
			return false;
	}
	return true;
}

/* The levels before the first change: those of a new timeline if that is in
 * sight, those of now if nothing ever changed. */
static void
set_start(struct state *s, bool any_change)
{
	const struct timeline_header *h = tl_snap_header(s->input->snap);
	const uint8_t base =
	    (uint8_t)(h->levels >> TIMELINE_LEVELS_BASE & 0xff);

	if (is_complete(s->input->snap))
		s->threshold = s->base = TIMELINE_LEVEL_MIN;
	else if (!any_change && is_level(base))
		s->threshold = s->base = base;
}

static int
walk(struct state *s, struct tl_cursor *cursor, struct tl_progress *progress)
{
	struct tl_levels *l = s->levels;
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		tl_progress_tick(progress);
		if (event.kind == TL_LOST)
			continue;
		if (l->entries++ == 0)
			l->first_ns = s->since_ns = event.ns;
		if (event.ns > l->last_ns)
			l->last_ns = event.ns;
		if (is_change(&event) && (rc = take_change(s, &event)) < 0)
			return rc;
	}
	return rc;
}

/* Does any change stand in the file? */
static bool
has_change(struct tl_cursor *cursor)
{
	struct tl_event event;

	while (tl_cursor_next(cursor, &event) > 0) {
		if (is_change(&event))
			return true;
	}
	return false;
}

int
tl_levels_read(struct tl_levels *levels, const struct tl_input *input,
    struct tl_progress *progress)
{
	struct state s = { .levels = levels, .input = input };
	struct tl_cursor *cursor;
	bool any;
	int rc;

	*levels = (struct tl_levels){ .last_ns = INT64_MIN };
	rc = tl_snap_cursor(input->snap, TL_NEWEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	any = has_change(cursor);
	tl_cursor_close(cursor);
	set_start(&s, any);
	rc = tl_snap_cursor(input->snap, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	rc = walk(&s, cursor, progress);
	tl_cursor_close(cursor);
	if (rc < 0 || levels->entries == 0)
		return rc;
	return close_window(&s, levels->last_ns);
}

void
tl_levels_free(struct tl_levels *levels)
{
	free(levels->windows);
	*levels = (struct tl_levels){ 0 };
}

int64_t
tl_levels_open(const struct tl_levels *levels, unsigned gate, int64_t from_ns,
    int64_t to_ns, int64_t *known_ns)
{
	int64_t open_ns = 0;

	*known_ns = 0;
	for (size_t i = 0; i < levels->count; i++) {
		const struct tl_level_window *w = &levels->windows[i];
		const int64_t from =
		    w->from_ns > from_ns ? w->from_ns : from_ns;
		const int64_t to = w->to_ns < to_ns ? w->to_ns : to_ns;

		if (from >= to || w->threshold == 0)
			continue;
		*known_ns += to - from;
		if (gate > 0 && gate >= w->threshold)
			open_ns += to - from;
	}
	return open_ns;
}

/* The part of a window before to. */
static int64_t
window_length(const struct tl_level_window *window, int64_t to_ns)
{
	const int64_t to = window->to_ns < to_ns ? window->to_ns : to_ns;

	return to > window->from_ns ? to - window->from_ns : 0;
}

void
tl_levels_rest_init(struct tl_levels_rest *rest, const struct tl_levels *levels,
    int64_t to_ns)
{
	*rest = (struct tl_levels_rest){ .levels = levels, .to_ns = to_ns };
	for (size_t i = 0; i < levels->count; i++) {
		const struct tl_level_window *w = &levels->windows[i];

		rest->by_threshold[w->threshold] += window_length(w, to_ns);
	}
}

void
tl_levels_rest_from(struct tl_levels_rest *rest, int64_t from_ns,
    int64_t open_ns[TIMELINE_LEVEL_MAX + 1])
{
	const struct tl_levels *l = rest->levels;
	const struct tl_level_window *w = l->windows;
	int64_t open = 0, before;

	while (rest->at < l->count && w[rest->at].to_ns <= from_ns) {
		rest->by_threshold[w[rest->at].threshold] -=
		    window_length(&w[rest->at], rest->to_ns);
		rest->at++;
	}
	open_ns[0] = 0;
	for (unsigned gate = 1; gate <= TIMELINE_LEVEL_MAX; gate++) {
		open += rest->by_threshold[gate];
		open_ns[gate] = open;
	}
	if (rest->at == l->count || w[rest->at].threshold == 0)
		return;
	/* The window it begins in counts from there on only. */
	before = window_length(&w[rest->at],
	    from_ns < rest->to_ns ? from_ns : rest->to_ns);
	for (unsigned gate = w[rest->at].threshold; gate <= TIMELINE_LEVEL_MAX;
	     gate++)
		open_ns[gate] -= before;
}
