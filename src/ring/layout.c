/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - the geometry of a file: planned when it is created, checked when
 * it is opened.
 */
#include "ring/ring.h"

#include <errno.h>
#include <string.h>

enum {
	ENTRIES_DEFAULT = 163840,
	STRINGS_DEFAULT = 1 << 20,
	STRINGS_MIN = 16 << 10,
	TIERS_DEFAULT = 2,
	FALLBACK_DEFAULT = 1,
	KEEP_SHARE = 8, /* tier 1 has 1/8 of the entries */
	KEEP_MIN = 64,  /* but at least this many */
	LANE_MIN = 64,
	FALLBACK_SHARE = 4, /* a fallback lane has 1/4 of the entries */
	TIMERS_MOST = 4096
};
/* largest lane, in entries */
static const uint64_t entries_max = UINT64_C(1) << 31;
/* offsets have 32 bits */
static const uint64_t strings_max = UINT64_C(1) << 31;

static uint64_t
round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static uint64_t
power_of_two_from(uint64_t n)
{
	uint64_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/*
 * Plan the entries of a lane in each tier.  The geometry is for every process
 * that will attach, so CPU lanes have their size even if the creator cannot use
 * them.  Only with stamps of clock_gettime, with which no thread ever uses a
 * CPU lane, do CPU lanes have the least size.  All CPUs share a fallback lane,
 * so its size does not depend on their number: a quarter of the entries asked
 * for, or all of them if the creator appends to the fallback lane.
 */
static int
plan_tiers(struct timeline_header *h, uint64_t entries, bool creator_has_rseq)
{
	const bool has_cpu_lanes = h->clock_kind == TIMELINE_CLOCK_TSC;
	const uint64_t lane =
	    has_cpu_lanes ? (entries + h->cpu_lanes - 1) / h->cpu_lanes : 0;
	const uint64_t fallback =
	    has_cpu_lanes && creator_has_rseq
		? (entries + FALLBACK_SHARE - 1) / FALLBACK_SHARE
		: entries;

	if (lane > entries_max || fallback > entries_max)
		return -EFBIG;
	h->tier_entries[0] = power_of_two_from(tl_most(lane, LANE_MIN));
	h->fallback_entries[0] = power_of_two_from(tl_most(fallback, LANE_MIN));
	for (uint32_t tier = 1; tier < h->tiers; tier++) {
		h->tier_entries[tier] =
		    tl_most(h->tier_entries[0] / KEEP_SHARE, KEEP_MIN);
		h->fallback_entries[tier] =
		    tl_most(h->fallback_entries[0] / KEEP_SHARE, KEEP_MIN);
	}
	return 0;
}

/* Place the regions one after the other. */
static void
plan_regions(struct timeline_header *h)
{
	const uint64_t lanes = h->cpu_lanes + h->fallback_lanes;
	uint64_t end = TIMELINE_HEADER_SIZE;

	h->heads_offset = end;
	end += lanes * h->tiers * TIMELINE_HEAD_SIZE;
	for (uint32_t tier = 0; tier < h->tiers; tier++) {
		end = round_up(end, TIMELINE_PAGE_SIZE);
		h->entries_offset[tier] = end;
		end += timeline_tier_slots(h, tier) * TIMELINE_ENTRY_SIZE;
	}
	h->knots_offset = round_up(end, TIMELINE_PAGE_SIZE);
	h->names_offset = h->knots_offset + h->knots_max * TIMELINE_KNOT_SIZE;
	h->names_max = TIMELINE_NAMES;
	h->strings_offset = h->names_offset + h->names_max * TIMELINE_NAME_SIZE;
	h->timers_offset = h->strings_offset + h->strings_size;
	h->total_size = timeline_histogram_offset(h, h->timers_max, 0);
}

static uint64_t
or_default(uint64_t given, uint64_t otherwise)
{
	return given ? given : otherwise;
}

void
tl_layout_identify(struct timeline_header *h, uint32_t state)
{
	h->magic = TIMELINE_MAGIC;
	h->major = TIMELINE_MAJOR;
	h->minor = TIMELINE_MINOR;
	h->header_size = TIMELINE_HEADER_SIZE;
	h->entry_size = TIMELINE_ENTRY_SIZE;
	h->state = state;
	h->writer_abi = TIMELINE_WRITER_ABI;
}

int
tl_layout_plan(struct timeline_header *h, const struct timeline_options *o,
    bool creator_has_rseq)
{
	const uint64_t entries = or_default(o->entries, ENTRIES_DEFAULT);
	const uint64_t strings =
	    or_default(o->stringtablesize, STRINGS_DEFAULT);

	tl_layout_identify(h, TIMELINE_LIVE);
	h->cpu_lanes = (uint32_t)or_default(o->cpu_lanes, tl_cpus());
	h->fallback_lanes =
	    (uint32_t)or_default(o->fallback_lanes, FALLBACK_DEFAULT);
	h->tiers = (uint32_t)or_default(o->tiers, TIERS_DEFAULT);
	h->knots_max = TIMELINE_KNOTS_MAX;
	h->timers_max = TIMELINE_TIMERS_MAX;
	h->timer_rows = h->cpu_lanes + 1;
	h->compat = TIMELINE_COMPAT_TIMERS | TIMELINE_COMPAT_GATES;
	h->entries_asked = entries;
	if (h->tiers > 2 || h->cpu_lanes > TIMELINE_LANES_MAX ||
	    h->fallback_lanes > TIMELINE_LANES_MAX)
		return -EINVAL;
	if (entries > entries_max * h->cpu_lanes || strings > strings_max)
		return -EFBIG;
	h->strings_size =
	    round_up(strings < STRINGS_MIN ? STRINGS_MIN : strings,
		TIMELINE_PAGE_SIZE);
	if (plan_tiers(h, entries, creator_has_rseq) != 0)
		return -EFBIG;
	plan_regions(h);
	return 0;
}

bool
tl_layout_is_small(const struct timeline_header *h)
{
	return h->clock_kind == TIMELINE_CLOCK_TSC &&
	       h->state != TIMELINE_IMPORTED &&
	       h->tier_entries[0] * h->cpu_lanes < h->entries_asked;
}

static int
check_identity(const struct timeline_header *h, struct tl_fault *fault)
{
	if (h->magic == __builtin_bswap64(TIMELINE_MAGIC))
		return tl_fault(fault, -EPROTO, 0,
		    "a timeline of the other byte order");
	if (h->magic != TIMELINE_MAGIC)
		return tl_fault(fault, -EBADMSG, 0, "not a timeline");
	if (h->major < TIMELINE_MAJOR_OLDEST || h->major > TIMELINE_MAJOR)
		return tl_fault(fault, -EPROTO,
		    offsetof(struct timeline_header, major),
		    "a timeline of version %u.%u, this program reads %u to "
		    "%u%s",
		    h->major, h->minor, TIMELINE_MAJOR_OLDEST, TIMELINE_MAJOR,
		    h->major > TIMELINE_MAJOR ? ": upgrade the program" : "");
	if (h->header_size != TIMELINE_HEADER_SIZE ||
	    h->entry_size != TIMELINE_ENTRY_SIZE)
		return tl_fault(fault, -EPROTO,
		    offsetof(struct timeline_header, header_size),
		    "header of %u bytes, entries of %u", h->header_size,
		    h->entry_size);
	if (h->incompat != 0)
		return tl_fault(fault, -EPROTO,
		    offsetof(struct timeline_header, incompat),
		    "needs features this program does not know: 0x%llx: "
		    "upgrade the program",
		    (unsigned long long)h->incompat);
	if (h->state < TIMELINE_LIVE || h->state > TIMELINE_IMPORTED)
		return tl_fault(fault, -EPROTO,
		    offsetof(struct timeline_header, state),
		    "neither live nor saved: state %u", h->state);
	if (h->clock_kind != TIMELINE_CLOCK_TSC &&
	    h->clock_kind != TIMELINE_CLOCK_REALTIME)
		return tl_fault(fault, -EPROTO,
		    offsetof(struct timeline_header, clock_kind),
		    "unknown clock %u", h->clock_kind);
	return 0;
}

/* Check that a region lies inside the file and after end, the end of the region
 * before.  Moves end. */
static int
check_region(const struct timeline_header *h, const char *name, uint64_t at,
    uint64_t count, uint64_t each, uint64_t *end, struct tl_fault *fault)
{
	if (at < *end || at % 64 != 0 ||
	    !tl_fits(h->total_size, at, count, each))
		return tl_fault(fault, -EBADMSG,
		    offsetof(struct timeline_header, cpu_lanes),
		    "the %s cannot be at byte %llu", name,
		    (unsigned long long)at);
	*end = at + count * each;
	return 0;
}

static int
check_lane_size(uint64_t n, size_t at, struct tl_fault *fault)
{
	if (n < 2 || n > entries_max || (n & (n - 1)) != 0)
		return tl_fault(fault, -EBADMSG, at,
		    "%llu entries in a lane: not a power of two",
		    (unsigned long long)n);
	return 0;
}

static int
check_tier(const struct timeline_header *h, uint32_t tier, uint64_t *end,
    struct tl_fault *fault)
{
	const size_t at = tier * sizeof(uint64_t);
	int rc;

	if ((rc = check_lane_size(h->tier_entries[tier],
		 offsetof(struct timeline_header, tier_entries) + at, fault)) !=
		0 ||
	    (rc = check_lane_size(h->fallback_entries[tier],
		 offsetof(struct timeline_header, fallback_entries) + at,
		 fault)) != 0)
		return rc;
	return check_region(h, "entries", h->entries_offset[tier],
	    timeline_tier_slots(h, tier), TIMELINE_ENTRY_SIZE, end, fault);
}

static int
check_counts(const struct timeline_header *h, struct tl_fault *fault)
{
	if (h->cpu_lanes == 0 || h->cpu_lanes > TIMELINE_LANES_MAX ||
	    h->fallback_lanes == 0 || h->fallback_lanes > TIMELINE_LANES_MAX ||
	    h->tiers == 0 || h->tiers > TIMELINE_TIERS_MAX)
		return tl_fault(fault, -EBADMSG,
		    offsetof(struct timeline_header, cpu_lanes),
		    "%u CPU lanes, %u fallback lanes, %u tiers", h->cpu_lanes,
		    h->fallback_lanes, h->tiers);
	if (h->knots_max == 0 || h->knots_max > TIMELINE_KNOTS_MAX)
		return tl_fault(fault, -EBADMSG,
		    offsetof(struct timeline_header, knots_max),
		    "room for %u clock knots", h->knots_max);
	if (h->strings_size > strings_max)
		return tl_fault(fault, -EBADMSG,
		    offsetof(struct timeline_header, strings_size),
		    "a string table of %llu bytes",
		    (unsigned long long)h->strings_size);
	return 0;
}

static int
check_names(const struct timeline_header *h, uint64_t *end,
    struct tl_fault *fault)
{
	if (h->names_offset == 0) /* a version without names */
		return 0;
	if (h->names_max < 4 * TIMELINE_NAMES_SET ||
	    h->names_max > TIMELINE_NAMES_MAX ||
	    h->names_max % TIMELINE_NAMES_SET != 0)
		return tl_fault(fault, -EBADMSG,
		    offsetof(struct timeline_header, names_max),
		    "room for %llu names", (unsigned long long)h->names_max);
	return check_region(h, "names", h->names_offset, h->names_max,
	    TIMELINE_NAME_SIZE, end, fault);
}

static int
check_regions(const struct timeline_header *h, struct tl_fault *fault)
{
	uint64_t end = TIMELINE_HEADER_SIZE;
	int rc;

	if ((rc = check_region(h, "lane heads", h->heads_offset,
		 timeline_lane_count(h), TIMELINE_HEAD_SIZE, &end, fault)) != 0)
		return rc;
	for (uint32_t tier = 0; tier < h->tiers; tier++)
		if ((rc = check_tier(h, tier, &end, fault)) != 0)
			return rc;
	if ((rc = check_region(h, "clock knots", h->knots_offset, h->knots_max,
		 TIMELINE_KNOT_SIZE, &end, fault)) != 0 ||
	    (rc = check_names(h, &end, fault)) != 0)
		return rc;
	if ((rc = check_region(h, "strings", h->strings_offset, h->strings_size,
		 1, &end, fault)) != 0 ||
	    h->timers_max == 0)
		return rc;
	if (h->timers_offset % TIMELINE_PAGE_SIZE != 0 ||
	    h->timers_max > TIMERS_MOST || h->timer_rows == 0 ||
	    h->timer_rows > TIMELINE_LANES_MAX + 1)
		return tl_fault(fault, -EBADMSG,
		    offsetof(struct timeline_header, timers_offset),
		    "%u timers with %u histograms each", h->timers_max,
		    h->timer_rows);
	return check_region(h, "timers", h->timers_offset,
	    timeline_histogram_offset(h, h->timers_max, 0) - h->timers_offset,
	    1, &end, fault);
}

int
tl_layout_check(struct timeline_header *h, struct tl_fault *fault)
{
	int rc;

	if ((rc = check_identity(h, fault)) != 0)
		return rc;
	if (h->major == 1) {
		/* fallback lanes had the size of CPU lanes */
		memcpy(h->fallback_entries, h->tier_entries,
		    sizeof(h->fallback_entries));
		h->names_offset = 0;
	}
	if (h->major == 1 || !(h->compat & TIMELINE_COMPAT_TIMERS))
		h->timers_offset = h->timers_max = h->timer_rows = 0;
	if ((rc = check_counts(h, fault)) != 0)
		return rc;
	return check_regions(h, fault);
}

/* The offset of the member that keeps this library from writing to the file.
 * 0: none. */
static size_t
foreign_member(const struct timeline_header *h)
{
	if (h->major != TIMELINE_MAJOR)
		return offsetof(struct timeline_header, major);
	if (h->writer_abi != TIMELINE_WRITER_ABI)
		return offsetof(struct timeline_header, writer_abi);
	if ((h->compat & ~(uint64_t)(TIMELINE_COMPAT_TIMERS |
				     TIMELINE_COMPAT_GATES)) != 0)
		return offsetof(struct timeline_header, compat);
	return 0;
}

int
tl_layout_check_writer(const struct timeline_header *h, uint64_t file_size,
    struct tl_fault *fault)
{
	const size_t foreign = foreign_member(h);

	if (h->total_size != file_size)
		return tl_fault(fault, -ENODATA, file_size,
		    "truncated: %llu bytes of %llu",
		    (unsigned long long)file_size,
		    (unsigned long long)h->total_size);
	if (h->state != TIMELINE_LIVE)
		return tl_fault(fault, -EROFS,
		    offsetof(struct timeline_header, state),
		    "a saved timeline cannot be written to");
	if (foreign != 0)
		return tl_fault(fault, -EPROTO, foreign,
		    "written by another version of the library, in format "
		    "%u.%u: stop its programs and remove the file, or choose "
		    "another name",
		    h->major, h->minor);
	return 0;
}
