/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.c - read header, levels, heads and newest entries of a live timeline.
 */
#include "snap/inspect.h"

#include "base/file.h"
#include "base/ns.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	/* attempts to be faster than the writers of a lane */
	LAP_TRIES_MAX = 16,
	/* incomplete entries to skip at either end of a lane */
	SEEK_ENTRIES = 16
};

/* Entries [first, end) of a lane can be shown. */
struct range {
	uint64_t first;
	uint64_t end;
};

static int
read_header(struct tl_inspection *inspection, int fd, struct tl_fault *fault)
{
	struct timeline_header *header = &inspection->header, again;
	struct stat st;
	int rc = tl_snap_check_kind(fd, &st, fault);

	if (rc != 0)
		return rc;
	inspection->used = tl_file_used(&st);
	if ((rc = tl_snap_check_header(header,
		 tl_read_at(fd, header, sizeof(*header), 0), fault)) != 0)
		return rc;
	/* the clock is read undisturbed by its writers */
	if ((rc = tl_take_header(fd, header, &again)) != 0)
		return tl_fail(fault, rc, "%s", strerror(-rc));
	header->clock = again.clock;
	return 0;
}

static int64_t
ticks_to_ns(const struct timeline_header *header, uint64_t ticks)
{
	const int64_t n = ticks < INT64_MAX ? (int64_t)ticks : INT64_MAX;
	uint64_t mult = header->clock.mult;

	if (mult == 0 && header->tsc_khz != 0 && header->tsc_khz < UINT32_MAX)
		mult = tl_clock_mult(1000000, header->tsc_khz);
	return mult == 0 ? n : tl_ticks_to_ns(n, mult);
}

/* Limit a level from the file.  The file may contain any number, and callers
 * use the level as an index. */
static uint8_t
level_within(uint64_t level)
{
	level &= UINT8_MAX;
	if (level < TIMELINE_LEVEL_MIN)
		return TIMELINE_LEVEL_MIN;
	return level > TIMELINE_LEVEL_NONE ? TIMELINE_LEVEL_NONE
					   : (uint8_t)level;
}

uint8_t
tl_threshold_at(const struct timeline_header *header, uint64_t tsc)
{
	const uint64_t hours_ns = 2 * TL_NS_PER_H;
	const uint64_t word = timeline_levels(header);
	const uint64_t burst_max =
	    tl_calibrate_ticks(header, hours_ns) >> TIMELINE_UNTIL_SHIFT;
	const uint8_t base = level_within(word >> TIMELINE_LEVELS_BASE);
	const uint8_t threshold = level_within(timeline_threshold(word));

	return threshold < base &&
		       !tl_until_is_over(word >> TIMELINE_LEVELS_UNTIL, tsc,
			   burst_max)
		   ? threshold
		   : base;
}

/* Set the levels as a writer would see them now.  A writer ends a burst that is
 * over. */
static void
decode_levels(struct tl_inspection *g)
{
	const uint64_t unit = UINT64_C(1) << TIMELINE_UNTIL_SHIFT;
	const uint64_t word = timeline_levels(&g->header);
	const uint64_t until = word >> TIMELINE_LEVELS_UNTIL;
	uint64_t left;

	g->base = level_within(word >> TIMELINE_LEVELS_BASE);
	g->threshold =
	    g->now_tsc ? tl_threshold_at(&g->header, g->now_tsc) : g->base;
	g->burst = g->threshold < g->base;
	if (!g->burst)
		return;
	/* the burst ends after the unit of time that `until` names */
	left = (until - (g->now_tsc >> TIMELINE_UNTIL_SHIFT)) & TL_UNTIL_MASK;
	left = (left + 1) * unit - (g->now_tsc & (unit - 1));
	g->burst_left_ns = (uint64_t)ticks_to_ns(&g->header, left);
}

static int
read_lanes(struct tl_inspection *g, int fd, struct timeline_head **heads)
{
	const struct timeline_header *h = &g->header;
	const size_t size = g->lane_count * sizeof(**heads);
	int rc;

	*heads = malloc(size);
	g->lanes = calloc(g->lane_count, sizeof(*g->lanes));
	if (!*heads || !g->lanes)
		return -ENOMEM;
	if ((rc = tl_read_zero_filled(fd, *heads, size,
		 g->header.heads_offset)) != 0)
		return rc;
	for (uint32_t i = 0; i < g->lane_count; i++) {
		const struct timeline_head *head = &(*heads)[i];
		struct tl_inspection_lane *lane = &g->lanes[i];

		lane->cpu = timeline_lane_is_fallback(h, i) ? TL_CPU_UNKNOWN
							    : i / h->tiers;
		lane->tier = timeline_lane_tier(h, i);
		lane->entries = timeline_lane_entries(h, i);
		lane->head = head->head <= UINT64_MAX / 4 ? head->head : 0;
		lane->cleared = head->cleared;
		g->room += lane->entries;
		g->appended += lane->head;
	}
	for (size_t i = 0; i < TIMELINE_DROP_CAUSES; i++)
		g->dropped += g->header.drops[i];
	return 0;
}

/* The range of entries, by the rules of readers.  In a live file first and end
 * are 0. */
static struct range
range_of(const struct tl_inspection *g, const struct tl_inspection_lane *lane,
    const struct timeline_head *head)
{
	const bool live = g->header.state == TIMELINE_LIVE;
	const uint64_t room = lane->entries - live;
	struct range r = { head->first, head->end };

	if (head->head > UINT64_MAX / 4)
		return (struct range){ 0, 0 };
	if (live || r.end > head->head || r.first > r.end)
		r = (struct range){ 0, head->head };
	if (r.end - r.first > room)
		r.first = r.end - room;
	if (r.first < head->cleared)
		r.first = head->cleared < r.end ? head->cleared : r.end;
	return r;
}

/*
 * Read the stamp of entry q, and update the range.  1; 0: the entry is not
 * whole (take.h defines whole); -EAGAIN: the entry has been overwritten;
 * -errno.
 */
static int
read_stamp(const struct tl_inspection *g, int fd, uint32_t i, uint64_t q,
    struct range *range, uint64_t *tsc)
{
	const uint64_t at = timeline_entry_offset(&g->header, i, q);
	struct timeline_entry e[2];
	struct timeline_head head;
	int rc;

	for (int twice = 0; twice < 2; twice++)
		if ((rc = tl_read_zero_filled(fd, &e[twice], sizeof(*e), at)) !=
		    0)
			return rc;
	if (g->header.state == TIMELINE_LIVE) {
		if ((rc = tl_read_zero_filled(fd, &head, sizeof(head),
			 timeline_head_offset(&g->header, i))) != 0)
			return rc;
		*range = range_of(g, &g->lanes[i], &head);
		if (q < range->first || q >= range->end)
			return -EAGAIN;
	}
	*tsc = e[0].tsc;
	if (timeline_lane_has_sums(&g->header, i))
		return e[0].stamp == timeline_stamp_fallback(q, &e[0]);
	return e[0].stamp == timeline_stamp_whole(q) &&
	       e[1].stamp == e[0].stamp && e[1].tsc == e[0].tsc;
}

/*
 * Find the first whole entry from one end of the range on.  Writers are fast,
 * so an attempt after an overwritten entry begins further inside, by at most a
 * quarter of the lane.
 */
static int
find_stamp(const struct tl_inspection *g, int fd, uint32_t i,
    struct range range, bool newest, uint64_t *tsc)
{
	const uint64_t step = g->lanes[i].entries / (4 * LAP_TRIES_MAX);
	uint64_t n = 0;
	uint64_t laps = 0;

	while (n < SEEK_ENTRIES + laps * step && n < range.end - range.first) {
		const uint64_t q = newest ? range.end - 1 - n : range.first + n;
		const int rc = read_stamp(g, fd, i, q, &range, tsc);

		if (rc == 1)
			return 0;
		if (rc != 0 && rc != -EAGAIN)
			return rc;
		if (rc == -EAGAIN && ++laps == LAP_TRIES_MAX)
			break;
		n = rc == 0 ? n + 1 : newest ? 0 : laps * step;
	}
	*tsc = 0;
	return 0;
}

/* Measure the history up to now.  In a file that nothing is logged to, measure
 * up to the newest entry of all lanes. */
static void
measure_history(struct tl_inspection *g)
{
	uint64_t end = g->now_tsc;
	int64_t shortest = -1;
	int64_t longest = -1;

	for (size_t i = 0; g->now_tsc == 0 && i < g->lane_count; i++)
		if (g->lanes[i].newest_tsc > end)
			end = g->lanes[i].newest_tsc;
	for (size_t i = 0; i < g->lane_count; i++) {
		const struct tl_inspection_lane *lane = &g->lanes[i];
		const uint64_t oldest = lane->oldest_tsc;
		const int64_t ns =
		    oldest < end ? ticks_to_ns(&g->header, end - oldest) : 0;

		if (oldest == 0)
			continue;
		if (ns > longest)
			longest = ns;
		/* entries have been overwritten that were not cleared */
		if (lane->tier == 0 && lane->head > lane->cleared &&
		    lane->head - lane->cleared >= lane->entries &&
		    (shortest < 0 || ns < shortest))
			shortest = ns;
	}
	g->kept_ns = shortest >= 0 ? shortest : longest;
}

int
tl_inspect_fd(struct tl_inspection *inspection, int fd, bool stamps,
    struct tl_fault *fault)
{
	struct timeline_head *heads = NULL;
	int rc;

	*inspection = (struct tl_inspection){ .kept_ns = -1 };
	if ((rc = read_header(inspection, fd, fault)) != 0)
		return rc;
	inspection->lane_count = timeline_lane_count(&inspection->header);
	if ((rc = read_lanes(inspection, fd, &heads)) != 0)
		goto out;
	/* now_tsc is read after the levels; otherwise a burst that began in
	 * between would seem to end too late */
	if (inspection->header.state == TIMELINE_LIVE &&
	    tl_is_this_boot(&inspection->header) && tl_clock_is_allowed())
		inspection->now_tsc =
		    tl_clock_now(inspection->header.clock_kind);
	decode_levels(inspection);
	if (stamps) {
		rc = 0;
		for (uint32_t i = 0; rc == 0 && i < inspection->lane_count;
		     i++) {
			struct tl_inspection_lane *lane = &inspection->lanes[i];
			const struct range range =
			    range_of(inspection, lane, &heads[i]);

			rc = find_stamp(inspection, fd, i, range, false,
			    &lane->oldest_tsc);
			if (rc == 0)
				rc = find_stamp(inspection, fd, i, range, true,
				    &lane->newest_tsc);
			if (lane->oldest_tsc == 0 || lane->newest_tsc == 0)
				lane->oldest_tsc = lane->newest_tsc = 0;
		}
		measure_history(inspection);
	}
out:
	free(heads);
	if (rc != 0) {
		tl_inspection_free(inspection);
		tl_fail(fault, rc, "%s", strerror(-rc));
	}
	return rc;
}

void
tl_inspection_free(struct tl_inspection *inspection)
{
	free(inspection->lanes);
	inspection->lanes = NULL;
	inspection->lane_count = 0;
}

/* == newest entries == */

enum {
	RUN_MAX = 32,    /* entries read at once */
	LANE_MAX = 1024, /* entries read of a lane, builtin ones included */
	RUNS_MAX = 16384 /* read of one timeline, for any number of lanes */
};

struct scan {
	const struct tl_inspection *inspection;
	int fd;
	tl_inspection_take *take;
	void *context;
	unsigned runs_left;
	uint64_t message; /* its builtin flag is in the cache; 0: none */
	bool builtin;
};

/* The flag is read once for several entries of one message. */
static bool
is_builtin(struct scan *s, uint32_t message)
{
	const uint64_t at = message & ~(uint32_t)TIMELINE_MESSAGE_FLAGS;
	const struct timeline_header *h = &s->inspection->header;
	struct timeline_record record;

	if (at == s->message)
		return s->builtin;
	s->message = at;
	s->builtin = tl_fits(h->strings_size, at, 1, sizeof(record)) &&
		     tl_read_at(s->fd, &record, sizeof(record),
			 h->strings_offset + at) == (int64_t)sizeof(record) &&
		     record.builtin != TIMELINE_BUILTIN_NONE;
	return s->builtin;
}

/* Is entry q, or a newer one in its slot, whole? */
static bool
is_entry(const struct timeline_header *h, uint32_t lane, uint64_t q,
    const struct timeline_entry *e)
{
	const uint64_t whole = timeline_stamp_whole(q);

	if (!timeline_lane_has_sums(h, lane))
		return e->stamp >= whole && e->stamp % 2 == 0;
	q = ((uint32_t)e->stamp - 2) / 2;
	return (int32_t)((uint32_t)e->stamp - (uint32_t)whole) >= 0 &&
	       e->stamp == timeline_stamp_fallback(q, e);
}

/* Take entries [q, q + count), which are contiguous in the file, newest first.
 * Incomplete entries are skipped; an entry that replaced another meanwhile
 * counts as well. */
static size_t
take_run(struct scan *s, uint32_t lane, uint64_t q, size_t count)
{
	struct timeline_entry run[RUN_MAX];
	size_t taken = 0;

	if (tl_read_at(s->fd, run, count * sizeof(run[0]),
		timeline_entry_offset(&s->inspection->header, lane, q)) !=
	    (int64_t)(count * sizeof(run[0])))
		return 0;
	while (count-- > 0) {
		const struct timeline_entry *e = &run[count];

		if (!is_entry(&s->inspection->header, lane, q + count, e) ||
		    is_builtin(s, e->message))
			continue;
		s->take(s->context, e);
		taken++;
	}
	return taken;
}

void
tl_inspection_newest(const struct tl_inspection *inspection, int fd, size_t max,
    tl_inspection_take *take, void *context)
{
	struct scan scan = { .inspection = inspection,
		.fd = fd,
		.take = take,
		.context = context,
		.runs_left = RUNS_MAX };

	for (uint32_t i = 0; i < inspection->lane_count; i++) {
		const struct tl_inspection_lane *lane = &inspection->lanes[i];
		uint64_t first = lane->cleared, end = lane->head;
		size_t taken = 0;

		if (end >= lane->entries && first < end - lane->entries + 1)
			first = end - lane->entries + 1;
		while (end > first && scan.runs_left > 0 && taken < max) {
			uint64_t count = ((end - 1) & (lane->entries - 1)) + 1;

			if (count > RUN_MAX)
				count = RUN_MAX;
			if (count > end - first)
				count = end - first;
			end -= count;
			scan.runs_left--;
			if (lane->head - end > LANE_MAX)
				break;
			taken += take_run(&scan, i, end, count);
		}
	}
}
