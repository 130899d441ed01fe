/* SPDX-License-Identifier: Apache-2.0 */
/*
 * levels.c - find when the levels of a timeline were open.
 */
#include "dump/stats/levels.h"

#include "base/array.h"
#include "clock/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

static int
add_window(void *context, const struct tl_level_window *window)
{
	struct tl_levels *l = context;

	if (TL_ARRAY_ROOM(l->windows, l->capacity, l->count) < 0)
		return -ENOMEM;
	l->windows[l->count++] = *window;
	return 0;
}

/* Does the input have every entry that was ever logged? */
static bool
is_complete(const struct tl_source *input)
{
	for (size_t i = 0; i < tl_source_lane_count(input); i++) {
		if (tl_source_lane_is_cut(input, i))
			return false;
	}
	return true;
}

/* The current levels of an incomplete input, which is a snapshot, or 0. */
static uint8_t
level_now(const struct tl_source *input)
{
	const uint8_t base =
	    (uint8_t)(timeline_levels(tl_snap_header(tl_source_snap(input))) >>
		      TIMELINE_LEVELS_BASE);

	return tl_level_is_valid(base) ? base : 0;
}

/* State of reading the levels. */
struct walk {
	struct tl_levels *levels;
	const struct tl_source *input;
	struct tl_level_state state;
	bool *begun;      /* by lane: the lane has had an entry */
	int64_t *lane_ns; /* by lane: the newest entry */
	/* the levels before the first change; 0: those of now without a change,
	 * otherwise unknown */
	uint8_t start;
	/* too many messages are named: the entries count as naming none */
	bool named_all;
	bool cut; /* a copy: lanes miss entries before kept */
	struct tl_observed_from kept;
};

/* A lane whose oldest entries were overwritten covers no time before its first
 * entry.  In a fallback lane the first entry need not have the lowest stamp. */
static int
lane_begin(struct walk *w, const struct tl_event *event)
{
	struct tl_snap *snap = tl_source_snap(w->input);
	const size_t lane = tl_source_lane(w->input, event);
	int64_t ns = event->ns;
	int rc = 0;

	assert(lane < tl_source_lane_count(w->input));
	if (w->begun[lane])
		return 0;
	w->begun[lane] = true;
	if (!tl_source_lane_is_cut(w->input, lane))
		return 0;
	if (snap)
		rc = tl_snap_lane_begin(snap, (uint32_t)lane, &ns);
	if (rc > 0)
		ns = tl_source_shifted(w->input, ns);
	if (ns > w->levels->complete_ns)
		w->levels->complete_ns = ns;
	return rc < 0 ? rc : 0;
}

/* Are the stamps those of the writers? */
static bool
has_own_stamps(const struct tl_source *input)
{
	const struct tl_snap *snap = tl_source_snap(input);

	return snap && timeline_is_whole(tl_snap_header(snap));
}

static void
take_level(struct walk *w, const struct tl_event *event)
{
	struct tl_levels *l = w->levels;
	struct tl_gate_entry entry;
	uint32_t i = 0;

	l->named_ns = event->ns;
	if (!has_own_stamps(w->input) || !tl_gate_read(event->args, &entry)) {
		l->gates_ns = event->ns;
		return;
	}
	while (i < l->named_count && l->named[i] != entry.message)
		i++;
	if (i == TL_NAMED_GATES_MAX)
		w->named_all = true;
	else if (i == l->named_count)
		l->named[l->named_count++] = entry.message;
}

static int
take(struct walk *w, const struct tl_event *event)
{
	struct tl_levels *l = w->levels;
	int64_t until_ns = 0;
	int rc;

	if (event->kind == TL_LOST) {
		const size_t lane = tl_source_lane(w->input, event);

		rc = tl_slots_lose(&l->slots,
		    w->begun[lane] ? w->lane_ns[lane] : INT64_MIN, event->ns);

		return rc < 0 ? rc : tl_level_put(&w->state, event, 0);
	}
	if (l->entries++ == 0) {
		l->first_ns = event->ns;
		tl_level_begin(&w->state, w->start, w->start, event->ns, 0);
	}
	if (event->ns > l->last_ns)
		l->last_ns = event->ns;
	if (w->cut) {
		l->complete_ns = event->ns;
		w->cut = tl_observed_before(tl_observed_place(event), w->kept);
	}
	if ((rc = lane_begin(w, event)) < 0)
		return rc;
	w->lane_ns[tl_source_lane(w->input, event)] = event->ns;
	l->changed |= tl_level_is_change(event);
	if (event->message->builtin == TIMELINE_BUILTIN_LEVEL)
		take_level(w, event);
	if (tl_slots_is_plan(event) && has_own_stamps(w->input)) {
		if ((rc = tl_slots_put(&l->slots, event)) < 0)
			return rc;
	}
	if (tl_level_is_change(event) && tl_source_snap(w->input))
		until_ns = tl_source_shifted(w->input,
		    tl_snap_time(tl_source_snap(w->input), event->epoch,
			tl_level_end_stamp(event), NULL));
	return tl_level_put(&w->state, event, until_ns);
}

static int
walk(struct walk *w, struct tl_cursor *cursor, struct tl_progress *progress)
{
	struct tl_event event;
	int rc;

	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		tl_progress_tick(progress);
		if (tl_source_snap(w->input))
			event.ns = tl_source_shifted(w->input, event.ns);
		rc = take(w, &event);
		if (rc < 0)
			return rc;
	}
	if (rc < 0 || w->levels->entries == 0)
		return rc;
	if (w->start == 0 && !w->levels->changed)
		w->state.window.threshold = w->state.window.base =
		    level_now(w->input);
	w->levels->end_ns = w->levels->last_ns;
	if (tl_source_cut(w->input, &event) && event.ns > w->levels->end_ns)
		w->levels->end_ns = event.ns;
	return tl_level_end(&w->state, w->levels->end_ns);
}

static int
read_levels(struct walk *w, struct tl_progress *progress)
{
	struct tl_snap *snap = tl_source_snap(w->input);
	struct tl_cursor *cursor;
	uint64_t skipped = 0;
	int rc = tl_source_complete(w->input, &w->kept);

	w->cut = !snap && (w->kept.epoch | w->kept.tsc);
	/* every foreign file is complete */
	w->start = is_complete(w->input) ? TIMELINE_LEVEL_MIN : 0;
	if (rc == 0)
		rc = snap
			 ? tl_snap_changes(snap, &cursor, &skipped)
			 : tl_source_cursor(w->input, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	tl_level_init(&w->state, add_window, w->levels);
	rc = walk(w, cursor, progress);
	w->levels->entries += skipped;
	tl_cursor_close(cursor);
	if (w->named_all)
		w->levels->gates_ns = w->levels->named_ns;
	w->levels->bursts = w->state.bursts;
	w->levels->merged_bursts = w->state.merged_bursts;
	w->levels->samples = w->state.samples;
	return rc;
}

int
tl_levels_read(struct tl_levels *levels, const struct tl_source *input,
    struct tl_progress *progress)
{
	struct walk w = { .levels = levels,
		.input = input,
		.begun = calloc(tl_source_lane_count(input) + 1, sizeof(bool)),
		.lane_ns =
		    calloc(tl_source_lane_count(input) + 1, sizeof(int64_t)) };
	int rc = -ENOMEM;

	*levels = (struct tl_levels){ .last_ns = INT64_MIN,
		.end_ns = INT64_MIN,
		.gates_ns = INT64_MIN,
		.named_ns = INT64_MIN,
		.complete_ns = INT64_MIN };
	if (w.begun && w.lane_ns)
		rc = read_levels(&w, progress);
	free(w.begun);
	free(w.lane_ns);
	return rc;
}

void
tl_levels_free(struct tl_levels *levels)
{
	free(levels->windows);
	tl_slots_free(&levels->slots);
	*levels = (struct tl_levels){ 0 };
}

bool
tl_levels_is_named(const struct tl_levels *levels,
    const struct tl_message *message)
{
	for (uint32_t i = 0; i < levels->named_count; i++)
		if (levels->named[i] == message->id)
			return true;
	return false;
}
