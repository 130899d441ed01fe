/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - ours.  TRUTH_NAME is the timeline, TRUTH_ENTRIES its room;
 * TRUTH_PROVEN: spans end by timeline_end_of. */
#include "spans.h"

#include <stdlib.h>
#include <timeline.h>

static struct timeline *tl;
static struct timeline_event *events[2];
static bool proven;

void
tracer_start(bool closed)
{
	const char *entries = getenv("TRUTH_ENTRIES");
	const struct timeline_options options = {
		.entries = entries ? strtoul(entries, NULL, 0) : 0,
		.tiers = 1
	};

	proven = getenv("TRUTH_PROVEN");
	if (timeline_new(&tl, getenv("TRUTH_NAME"), &options) < 0 ||
	    timeline_define_span(tl, "truth", "trace", "outer $id",
		TIMELINE_THREAD, &events[SPANS_OUTER]) < 0 ||
	    timeline_define_span(tl, "truth", "trace", "inner $id",
		TIMELINE_THREAD, &events[SPANS_INNER]) < 0 ||
	    (closed && timeline_priority(tl, "info") < 0))
		spans_die(timeline_error());
}

uint64_t
tracer_begin(int which, long id)
{
	return timeline_begin(events[which], id);
}

void
tracer_end(int which, long id, uint64_t begun)
{
	if (proven)
		timeline_end_of(events[which], begun, id);
	else
		timeline_end(events[which], id);
}

int64_t
tracer_burst(int64_t ns)
{
	if (timeline_burst(tl, "trace", (uint64_t)ns) < 0)
		spans_die(timeline_error());
	spans_spin(ns);
	return 0;
}
