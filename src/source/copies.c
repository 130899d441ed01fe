/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies.c - entries that several snapshots of one timeline have.
 *
 * Two snapshots of one timeline overlap as far as the ring had not turned
 * between them.  A lane numbers its entries, so the numbers tell how many
 * entries both have.
 */
#include "source/sources.h"

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

static bool
is_same_timeline(const struct timeline_header *a,
    const struct timeline_header *b)
{
	return a->created_tsc == b->created_tsc &&
	       a->created_ns == b->created_ns &&
	       a->creator_pid == b->creator_pid &&
	       memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id)) == 0;
}

/* The number of entries that were read from both of two snapshots; 0 if the
 * snapshots are of different timelines. */
static uint64_t
count_shared(const struct tl_snap *a, const struct tl_snap *b)
{
	const size_t lanes = tl_snap_lane_count(a);
	uint64_t shared = 0;

	if (!is_same_timeline(tl_snap_header(a), tl_snap_header(b)))
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

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Report that two sources have entries in common. */
static void
warn(const struct tl_source *a, const struct tl_source *b, uint64_t shared,
    const struct tl_report *report)
{
	const char *remedy = "cut one with timeline-convert --until";

	if (shared >= count_all(tl_source_snap(a)))
		remedy = "leave the first out";
	else if (shared >= count_all(tl_source_snap(b)))
		remedy = "leave the second out";
	tl_report_write(report, 0, TL_FAULT_NOWHERE,
	    "%.40s and %.40s are of one timeline: %llu entries were read from "
	    "both and count twice; %s",
	    base_name(a->name), base_name(b->name), (unsigned long long)shared,
	    remedy);
}

void
tl_sources_warn_copies(const struct tl_sources *sources,
    const struct tl_report *report)
{
	size_t pairs = 0;

	for (size_t i = 0; i < sources->count; i++) {
		const struct tl_snap *a = snap_of(&sources->items[i]);

		for (size_t k = i + 1; a && k < sources->count; k++) {
			const struct tl_snap *b = snap_of(&sources->items[k]);
			const uint64_t shared = b ? count_shared(a, b) : 0;

			if (shared > 0 && ++pairs <= TL_HOSTS_WARNED_MAX)
				warn(&sources->items[i], &sources->items[k],
				    shared, report);
		}
	}
	if (pairs > TL_HOSTS_WARNED_MAX)
		tl_report_write(report, 0, TL_FAULT_NOWHERE,
		    "and so %zu more pairs of files",
		    pairs - TL_HOSTS_WARNED_MAX);
}
