/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies.c - entries that several files of one timeline have.
 *
 * Two snapshots of one timeline overlap as far as the ring had not turned
 * between them.  A lane numbers its entries, so the numbers tell how many
 * entries both have.  A recording has the numbers, too, but of entries that may
 * be of another timeline of the same name: there the stamps are compared.
 */
#include "source/sources.h"

#include <stdlib.h>
#include <string.h>

/* The snapshot of a source.  NULL: it has none, or its entries have other
 * numbers than in the timeline. */
static const struct tl_snap *
snap_of(const struct tl_source *source)
{
	const struct tl_snap *snap =
	    tl_source_is_open(source) ? tl_source_snap(source) : NULL;

	return snap && tl_snap_header(snap)->state != TIMELINE_IMPORTED ? snap
									: NULL;
}

/* The number of entries that were read from both of two snapshots; 0 if the
 * snapshots are of different timelines. */
static uint64_t
count_shared(const struct tl_snap *a, const struct tl_snap *b)
{
	const struct timeline_header *h = tl_snap_header(a);
	const struct timeline_header *k = tl_snap_header(b);
	const size_t lanes = tl_snap_lane_count(a);
	uint64_t shared = 0;

	if (h->created_tsc != k->created_tsc ||
	    h->created_ns != k->created_ns ||
	    h->creator_pid != k->creator_pid ||
	    memcmp(h->boot_id, k->boot_id, sizeof(h->boot_id)) != 0)
		return 0;
	for (size_t i = 0; i < lanes && i < tl_snap_lane_count(b); i++) {
		const struct tl_snap_lane *x = tl_snap_lane(a, i);
		const struct tl_snap_lane *y = tl_snap_lane(b, i);
		const uint64_t from = x->first > y->first ? x->first : y->first;
		const uint64_t to = x->end < y->end ? x->end : y->end;

		if (from < to)
			shared += to - from;
	}
	return shared;
}

static uint64_t
count_all(const struct tl_snap *snap)
{
	uint64_t all = 0;

	for (size_t i = 0; i < tl_snap_lane_count(snap); i++)
		all +=
		    tl_snap_lane(snap, i)->end - tl_snap_lane(snap, i)->first;
	return all;
}

/* == a snapshot and a recording == */

/* May the source be a recording of the timeline of a snapshot?  A snapshot does
 * not have the name of its timeline. */
static bool
may_be_recording_of(const struct tl_source *recording,
    const struct tl_source *snap)
{
	struct tl_origin a = { 0 }, b = { 0 };

	if (!tl_source_is_open(recording) || !tl_source_trace(recording))
		return false;
	tl_source_origin(recording, &a);
	tl_source_origin(snap, &b);
	return a.machine[0] != '\0' &&
	       memcmp(a.boot_id, b.boot_id, sizeof(a.boot_id)) == 0;
}

/* The stamps of a snapshot's entries, by lane and number. */
struct stamps {
	const struct tl_snap *snap;
	uint64_t *lanes[TIMELINE_LANES_MAX * TIMELINE_TIERS_MAX];
	uint64_t asked;
	uint64_t shared;
};

/* Entries of another timeline are known after this many. */
enum { ASKED_MAX = 4096 };

/* The place for the stamp of an event; NULL: the snapshot has no such entry. */
static uint64_t *
stamp_of(const struct stamps *s, const struct tl_event *event)
{
	const struct tl_snap_lane *lane;

	if (!event->message || event->paired || event->continued ||
	    event->lane >= tl_snap_lane_count(s->snap) ||
	    !s->lanes[event->lane])
		return NULL;
	lane = tl_snap_lane(s->snap, event->lane);
	return event->number >= lane->first && event->number < lane->end
		   ? &s->lanes[event->lane][event->number - lane->first]
		   : NULL;
}

/* Keep the stamps of a snapshot's entries, or count those that a recording has,
 * too. */
static int
take_stamps(const struct tl_source *source, struct stamps *s, bool counts)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = source->ops->cursor(source, TL_OLDEST_FIRST, &cursor);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		uint64_t *stamp = stamp_of(s, &event);

		if (stamp && !counts)
			*stamp = event.tsc;
		if (!counts)
			continue;
		s->asked += stamp != NULL;
		s->shared += stamp && *stamp == event.tsc;
		if (s->shared == 0 && s->asked >= ASKED_MAX)
			break;
	}
	tl_cursor_close(cursor);
	return rc;
}

/* The number of entries that both have; 0 also if that cannot be counted. */
static uint64_t
count_recorded(const struct tl_source *snap, const struct tl_source *recording)
{
	struct stamps s = { .snap = tl_source_snap(snap) };
	const size_t lanes = tl_snap_lane_count(s.snap);

	for (size_t i = 0; i < lanes; i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(s.snap, i);

		if (lane->end > lane->first)
			s.lanes[i] = calloc(lane->end - lane->first,
			    sizeof(*s.lanes[i]));
	}
	if (take_stamps(snap, &s, false) >= 0)
		(void)take_stamps(recording, &s, true);
	for (size_t i = 0; i < lanes; i++)
		free(s.lanes[i]);
	return s.shared;
}

/* Report that two sources have entries in common. */
static void
warn(const struct tl_source *a, const struct tl_source *b, uint64_t shared,
    const struct tl_report *report)
{
	const char *remedy = "cut one with timeline-convert --until";

	if (snap_of(a) && shared >= count_all(snap_of(a)))
		remedy = "leave the first out";
	else if (snap_of(b) && shared >= count_all(snap_of(b)))
		remedy = "leave the second out";
	tl_report_write(report, 0, TL_FAULT_NOWHERE,
	    "%.40s and %.40s are of one timeline: %llu entries were read from "
	    "both and count twice; %s",
	    tl_source_base_name(a->name), tl_source_base_name(b->name),
	    (unsigned long long)shared, remedy);
}

static uint64_t
count_of(const struct tl_source *a, const struct tl_source *b)
{
	if (snap_of(a) && snap_of(b))
		return count_shared(snap_of(a), snap_of(b));
	if (snap_of(a) && may_be_recording_of(b, a))
		return count_recorded(a, b);
	return snap_of(b) && may_be_recording_of(a, b) ? count_recorded(b, a)
						       : 0;
}

void
tl_sources_warn_copies(const struct tl_sources *sources,
    const struct tl_report *report)
{
	size_t pairs = 0;

	for (size_t i = 0; i < sources->count; i++) {
		for (size_t k = i + 1; k < sources->count; k++) {
			const struct tl_source *a = &sources->items[i];
			const struct tl_source *b = &sources->items[k];
			const uint64_t shared = count_of(a, b);

			if (shared > 0 && ++pairs <= TL_HOSTS_WARNED_MAX)
				warn(a, b, shared, report);
		}
	}
	if (pairs > TL_HOSTS_WARNED_MAX)
		tl_report_write(report, 0, TL_FAULT_NOWHERE,
		    "and so %zu more pairs of files",
		    pairs - TL_HOSTS_WARNED_MAX);
}
