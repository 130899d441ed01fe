/* SPDX-License-Identifier: Apache-2.0 */
/*
 * take.c - copy a live file.
 */
#include "snap/take.h"

#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "clock/clock.h"
#include "ring/ring.h"
#include "snap/timers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK_ENTRIES = 4096, /* 256 KiB are copied at a time */
	/* entries of the first chunk of a snapshot; each next chunk has twice
	 * as many */
	FIRST_CHUNK = 32,
	CLOCK_TRIES_MAX = 64,
	TRIES_MAX = 8,     /* attempts at a snapshot while lanes turn over */
	MARGIN_NS = 20000, /* time until stores are visible and clocks agree */
	AHEAD_NS = TL_NS_PER_S, /* a stamp further ahead is wrong */
	SLEEPS_MAX = 100        /* a signal may interrupt each sleep */
};

/* For a snapshot: the levels and gates before the cut. */
struct before {
	uint64_t levels;
	uint64_t newest;
	uint8_t *table; /* the table of strings, as far as it reached */
	uint64_t size;
	uint8_t gates[TIMELINE_GATES];
};

/* One copy in progress. */
struct copy {
	struct tl_take *take;
	int live;
	int out;
	const struct timeline_header *geometry;
	struct timeline_entry *chunk;
	struct tl_faults *faults;
	/* T; entries with stamps up to ahead ticks later are left out */
	uint64_t cut;
	uint64_t ahead; /* 0: no entry is left out */
	struct before before;
	/* == of the current lane == */
	/* version 1: the first copy of the lane's stamps ... */
	uint64_t *stamps;
	uint64_t stamps_from; /* ... from this entry on */
	uint64_t whole;       /* number of whole entries in the copy */
	uint64_t whole_from;  /* the first whole entry */
	uint64_t whole_end;   /* after the last whole entry */
	/* end of the lane without the entries after the cut */
	uint64_t cut_end;
	uint64_t torn_there; /* incomplete entries before cut_end */
	/* index of the next known ticket without an entry */
	size_t hole;
};

/* Entries [q, q + count) of a lane that are contiguous in the file. */
struct run {
	uint64_t q;
	uint64_t count;
};

static struct run
next_run(uint64_t q, uint64_t end, uint64_t n)
{
	uint64_t count = end - q;
	const uint64_t to_wrap = n - (q & (n - 1));

	if (count > to_wrap)
		count = to_wrap;
	if (count > CHUNK_ENTRIES)
		count = CHUNK_ENTRIES;
	return (struct run){ q, count };
}

static int
read_run(struct copy *c, uint32_t lane, struct run run)
{
	return tl_read_zero_filled(c->live, c->chunk,
	    run.count * TIMELINE_ENTRY_SIZE,
	    timeline_entry_offset(c->geometry, lane, run.q));
}

/* Put bytes into the copy. */
static int
put(struct copy *c, const void *data, size_t size, uint64_t at)
{
	if (c->take->parts)
		return tl_parts_add(c->take->parts, data, size, at);
	return tl_write_at(c->out, data, size, at);
}

static int
write_run(struct copy *c, uint32_t lane, struct run run)
{
	return put(c, c->chunk, run.count * TIMELINE_ENTRY_SIZE,
	    timeline_entry_offset(c->geometry, lane, run.q));
}

static int
read_head(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	return tl_read_zero_filled(c->live, head, sizeof(*head),
	    timeline_head_offset(c->geometry, lane));
}

/* Is an entry after the cut, to be left for the next round or dropped? */
static bool
is_after_cut(const struct copy *c, uint64_t tsc)
{
	return tsc > c->cut && tsc - c->cut <= c->ahead;
}

/* Can the counter be trusted?  With a wrong counter a snapshot would drop
 * entries for good. */
static bool
is_clock_trusted(const struct copy *c)
{
	const struct timeline_header *g = c->geometry;
	uint16_t flags = 0;

	return g->clock_kind == TIMELINE_CLOCK_TSC &&
	       (g->cpu_flags & TIMELINE_CPU_CLOCKSOURCE_TSC) &&
	       tl_read_zero_filled(c->live, &flags, sizeof(flags),
		   offsetof(struct timeline_header, clock.flags)) == 0 &&
	       !(flags & TIMELINE_KNOT_SUSPECT);
}

/* Set the cut, before the first head is read. */
static void
set_cut(struct copy *c)
{
	struct timespec margin = { .tv_nsec = MARGIN_NS };

	if (!tl_is_this_boot(c->geometry) || !tl_clock_is_allowed())
		return;
	if (!c->take->holes && !is_clock_trusted(c))
		return;
	c->cut = tl_clock_now(c->geometry->clock_kind);
	c->ahead = tl_calibrate_ticks(c->geometry, AHEAD_NS);
	for (int i = 0; c->take->holes && i < SLEEPS_MAX; i++)
		if (nanosleep(&margin, &margin) == 0)
			break;
}

/* The oldest entry of a lane that is not overwritten at a head.  In a CPU lane
 * one more slot may be half overwritten. */
static uint64_t
oldest_left(const struct copy *c, uint32_t lane, uint64_t head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane) -
			   !timeline_lane_has_sums(c->geometry, lane);

	return head > n ? head - n : 0;
}

/* The start of the wanted part of a lane.  The whole of a fallback lane is
 * wanted, because its entries are not in order of time. */
static uint64_t
first_wanted(const struct copy *c, uint32_t lane,
    const struct timeline_head *head)
{
	const bool fallback = timeline_lane_is_fallback(c->geometry, lane);
	const struct tl_holes *holes = c->take->holes;
	uint64_t first =
	    tl_most(oldest_left(c, lane, head->head), head->cleared);
	uint64_t from = c->take->from ? c->take->from[lane] : 0;

	if (holes && timeline_lane_has_sums(c->geometry, lane))
		from = holes[lane].count ? holes[lane].list[0].number
					 : holes[lane].seen;
	first = tl_most(first, from);
	if (c->take->tail && !fallback && head->head > c->take->tail)
		first = tl_most(first, head->head - c->take->tail);
	return first < head->head ? first : head->head;
}

static void
note_whole(struct copy *c, uint64_t q)
{
	if (c->whole++ == 0)
		c->whole_from = q;
	c->whole_end = q + 1;
}

/* == the round of a follower: oldest first == */

/* Zero the stamps of entries that are not whole, and count these entries.  Is
 * any entry whole? */
__attribute__((hot)) static bool
check_cpu_run(struct copy *c, struct run run, struct timeline_head *head)
{
	bool any = false;

	for (uint64_t i = 0; i < run.count; i++) {
		struct timeline_entry *e = &c->chunk[i];
		const uint64_t q = run.q + i;
		const uint64_t whole = timeline_stamp_whole(q);

		if (e->stamp != whole ||
		    (c->stamps && c->stamps[q - c->stamps_from] != whole)) {
			head->torn++;
			e->stamp = 0;
			continue;
		}
		any = true;
		note_whole(c, q);
		if (c->stamps || !is_after_cut(c, e->tsc)) {
			c->cut_end = UINT64_MAX;
		} else if (c->cut_end == UINT64_MAX) {
			c->cut_end = q;
			c->torn_there = head->torn;
		}
	}
	return any;
}

static void
add_lost(struct tl_holes *found, uint64_t q, uint64_t count)
{
	found->lost += count;
	found->lost_end = tl_most(found->lost_end, q + count);
}

/* Keep ticket q, which has no entry: it is in progress, or lost if it is
 * old. */
static int
keep_hole(struct copy *c, struct tl_holes *found, uint64_t q, uint64_t since)
{
	if (c->take->finish || c->ahead == 0 ||
	    (c->cut > since && c->cut - since > c->ahead)) {
		add_lost(found, q, 1);
		return 0;
	}
	if (TL_ARRAY_ROOM(found->list, found->capacity, found->count) < 0)
		return -ENOMEM;
	found->list[found->count++] =
	    (struct tl_hole){ q, since < c->cut ? since : c->cut };
	return 0;
}

/* Does the follower still wait for ticket q?  q only grows from call to
 * call. */
static bool
is_awaited(struct copy *c, const struct tl_holes *holes, uint64_t q,
    uint64_t *since)
{
	*since = c->cut;
	if (q >= holes->seen)
		return true;
	while (c->hole < holes->count && holes->list[c->hole].number < q)
		c->hole++;
	if (c->hole == holes->count || holes->list[c->hole].number != q)
		return false;
	*since = holes->list[c->hole].since;
	return true;
}

/* Check a run of a fallback lane.  1: an entry is whole; 0: none; -errno. */
__attribute__((hot)) static int
check_fallback_run(struct copy *c, uint32_t lane, struct run run,
    struct timeline_head *head)
{
	const struct tl_holes *holes = c->take->holes;
	const uint64_t tail = c->take->tail;
	int any = 0;
	int rc;

	for (uint64_t i = 0; i < run.count; i++) {
		struct timeline_entry *e = &c->chunk[i];
		const uint64_t q = run.q + i;
		const bool whole =
		    e->stamp == timeline_stamp_fallback(q, e) &&
		    (c->take->finish || !is_after_cut(c, e->tsc));
		uint64_t since;

		e->stamp = 0;
		if (!is_awaited(c, &holes[lane], q, &since))
			continue;
		if (whole) {
			e->stamp = timeline_stamp_whole(q);
			note_whole(c, q);
			any = 1;
		} else if (tail == 0 || head->head - q <= tail) {
			rc = keep_hole(c, &c->take->found[lane], q, since);
			if (rc < 0)
				return rc;
		}
	}
	return any;
}

/* Count the tickets that were overwritten before this round. */
static void
note_lapped(struct copy *c, uint32_t lane, const struct timeline_head *head)
{
	const struct tl_holes *holes = &c->take->holes[lane];
	struct tl_holes *found = &c->take->found[lane];
	const uint64_t seen = tl_most(holes->seen, head->cleared);
	const uint64_t tail = c->take->tail;

	found->seen = tl_most(holes->seen, head->head);
	found->count = found->whole = found->lost = found->lost_end = 0;
	if (tail && head->head - head->first >= tail)
		return; /* older entries were not wanted */
	for (size_t i = 0; i < holes->count; i++)
		if (holes->list[i].number < head->first &&
		    holes->list[i].number >= head->cleared)
			add_lost(found, holes->list[i].number, 1);
	if (seen < head->first)
		add_lost(found, seen, head->first - seen);
	found->lapped = found->lost;
}

/* Make the first copy of a part of a fallback lane of version 1, of the stamps
 * only. */
static int
read_stamps(struct copy *c, uint32_t lane, uint64_t first, uint64_t end)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	int rc;

	c->stamps_from = first;
	c->stamps = malloc((end - first + 1) * sizeof(uint64_t));
	if (!c->stamps)
		return -ENOMEM;
	for (uint64_t q = first; q < end;) {
		const struct run run = next_run(q, end, n);

		if ((rc = read_run(c, lane, run)) != 0)
			return rc;
		for (uint64_t i = 0; i < run.count; i++)
			c->stamps[q + i - first] = c->chunk[i].stamp;
		q += run.count;
	}
	return 0;
}

/* Zero the entries [from, head->first) of the copy, which were overwritten
 * during the copy.  These entries count as lapped, and no longer as torn. */
static int
blank(struct copy *c, uint32_t lane, uint64_t from, struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	struct tl_parts *parts = c->take->parts;

	while (from < head->first) {
		const struct run run = next_run(from, head->first, n);
		const size_t size = run.count * TIMELINE_ENTRY_SIZE;
		const uint64_t at =
		    timeline_entry_offset(c->geometry, lane, from);
		const int64_t got =
		    tl_storage_read_at(&parts->storage, c->chunk, size, at);

		if (got < (int64_t)size)
			return got < 0 ? (int)got : -EIO;
		for (uint64_t i = 0; i < run.count; i++)
			head->torn -= c->chunk[i].stamp == 0;
		tl_parts_zero(parts, size, at);
		from += run.count;
	}
	return 0;
}

/* Leave out the entries that writers overwrote while the lane was copied,
 * unless their sums prove that they are whole. */
static int
leave_out_lapped(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	const bool sums = timeline_lane_has_sums(c->geometry, lane);
	const uint64_t copied = head->first;
	struct timeline_head after;
	int rc = read_head(c, lane, &after);

	if (rc != 0)
		return rc;
	if (after.head < head->head) {
		tl_faults_add(c->faults,
		    timeline_head_offset(c->geometry, lane),
		    "the head of lane %u went backwards", lane);
		head->first = head->end;
	} else {
		uint64_t left = oldest_left(c, lane, after.head);

		if (sums && left > c->whole_from)
			left = c->whole_from;
		head->first = tl_most(head->first, left);
	}
	if (head->first > head->end)
		head->first = head->end;
	return blank(c, lane, copied, head);
}

/* Copy entries, oldest first, because the oldest are overwritten next. */
static int
copy_entries(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	const bool sums = timeline_lane_has_sums(c->geometry, lane);
	int rc;

	for (uint64_t q = head->first; q < head->end;) {
		const struct run run = next_run(q, head->end, n);

		if ((rc = read_run(c, lane, run)) != 0)
			return rc;
		rc = sums ? check_fallback_run(c, lane, run, head)
			  : check_cpu_run(c, run, head);
		if (rc < 0)
			return rc;
		/* pages without whole entries take no space in the copy */
		if (rc > 0 && (rc = write_run(c, lane, run)) != 0)
			return rc;
		q += run.count;
	}
	return 0;
}

static int
copy_round(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	const bool fallback = timeline_lane_is_fallback(c->geometry, lane);
	const bool sums = timeline_lane_has_sums(c->geometry, lane);
	int rc = 0;

	c->hole = 0;
	c->whole = 0;
	c->whole_from = c->whole_end = head->first;
	c->cut_end = UINT64_MAX;
	if (sums)
		note_lapped(c, lane, head);
	if (head->first == head->end)
		return 0;
	if (fallback && !sums)
		rc = read_stamps(c, lane, head->first, head->end);
	if (rc == 0)
		rc = copy_entries(c, lane, head);
	/* Leave out the entries of the next round: entries after the cut at the
	 * end of a CPU lane, and tickets of a fallback lane after its last
	 * entry, which are in progress and not lost. */
	if (rc == 0 && fallback) {
		if (c->stamps)
			head->torn -= head->end - c->whole_end;
		head->end = c->whole_end;
	} else if (rc == 0 && c->cut_end < head->end) {
		head->torn = c->torn_there;
		head->end = c->cut_end;
	}
	if (rc == 0)
		rc = leave_out_lapped(c, lane, head);
	free(c->stamps);
	c->stamps = NULL;
	if (sums) { /* the holes count the lost entries */
		c->take->found[lane].whole = c->whole;
		head->torn = 0;
	}
	return rc;
}

/* == a snapshot: newest first == */

/* The progress of the copy of a lane. */
struct progress {
	uint64_t at;    /* entries from this number on have been examined */
	uint64_t whole; /* the oldest whole entry; UINT64_MAX: none */
	bool ended;     /* the last entry of the copy is known */
};

/* The chunk before the entries that have been examined. */
static struct run
previous_run(const struct copy *c, uint32_t lane, uint64_t first, uint64_t end,
    uint64_t size)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	uint64_t from = (end - 1) & ~(n - 1);

	from = tl_most(from, first);
	if (end - from > size)
		from = end - size;
	return (struct run){ from, end - from };
}

/* Examine entry q.  Is it whole, and not after the cut? */
static bool
look_at(struct copy *c, uint32_t lane, struct timeline_entry *e, uint64_t q,
    struct timeline_head *head, struct progress *p)
{
	const uint64_t plain = timeline_stamp_whole(q);
	const bool fallback = timeline_lane_is_fallback(c->geometry, lane);
	const bool sums = timeline_lane_has_sums(c->geometry, lane);
	const bool whole =
	    e->stamp == (sums ? timeline_stamp_fallback(q, e) : plain) &&
	    (!c->stamps || c->stamps[q - c->stamps_from] == plain);
	const bool after = whole && !c->stamps && is_after_cut(c, e->tsc);

	if (whole && !after) {
		e->stamp = plain;
		if (!p->ended && fallback)
			head->end = q + 1;
		p->ended = true;
		p->whole = q;
		return true;
	}
	e->stamp = 0;
	if (!fallback && !p->ended && after) {
		head->end = q;
		head->torn = 0;
	} else if (!fallback || p->ended) {
		head->torn++;
	}
	return false;
}

/* Copy the chunk before the copied chunks, as far as writers have not
 * overwritten it during the copy. */
static int
copy_chunk(struct copy *c, uint32_t lane, struct timeline_head *head,
    struct progress *p, uint64_t size)
{
	const bool sums = timeline_lane_has_sums(c->geometry, lane);
	struct run run = previous_run(c, lane, head->first, p->at, size);
	struct timeline_head after;
	uint64_t left = 0;
	bool any = false;
	int rc = 0;

	if (timeline_lane_is_fallback(c->geometry, lane) && !sums)
		rc = read_stamps(c, lane, run.q, p->at);
	if (rc != 0 || (rc = read_run(c, lane, run)) != 0 ||
	    (rc = read_head(c, lane, &after)) != 0)
		return rc;
	if (after.head < head->head) {
		tl_faults_add(c->faults,
		    timeline_head_offset(c->geometry, lane),
		    "the head of lane %u went backwards", lane);
		left = p->at;
	} else if (!sums) {
		left = oldest_left(c, lane, after.head);
	}
	for (uint64_t i = run.count; i-- > 0 && run.q + i >= left; p->at--)
		any |= look_at(c, lane, &c->chunk[i], run.q + i, head, p);
	if (p->at > run.q) { /* all older entries are overwritten too */
		memset(c->chunk, 0, (p->at - run.q) * TIMELINE_ENTRY_SIZE);
		head->first = p->at;
	}
	/* pages without whole entries take no space in the copy */
	return any ? write_run(c, lane, run) : 0;
}

/* Finish a copied lane.  Tickets of a fallback lane after its last entry are in
 * progress; tickets before its first entry may be overwritten. */
static int
finish_lane(struct copy *c, uint32_t lane, struct timeline_head *head,
    const struct progress *p)
{
	struct timeline_head after;
	uint64_t left;
	int rc;

	if (!timeline_lane_is_fallback(c->geometry, lane))
		return 0;
	if (!p->ended) {
		head->end = head->first;
		return 0;
	}
	if ((rc = read_head(c, lane, &after)) != 0)
		return rc;
	left = oldest_left(c, lane, after.head);
	if (left > p->whole)
		left = p->whole;
	if (left > head->first) {
		head->torn -= left - head->first;
		head->first = left;
	}
	return 0;
}

/* Copy the lanes in turns: first the newest entries of each lane, then older
 * entries.  1: the copy has less than one in `enough` entries of a lane; 0;
 * -errno. */
static int
copy_newest(struct copy *c, struct progress *progress, uint64_t enough)
{
	const uint32_t lanes = timeline_lane_count(c->geometry);
	struct timeline_head *heads = c->take->heads;
	bool more = true, lapped = false;
	int rc = 0;

	for (uint32_t i = 0; i < lanes; i++)
		progress[i] =
		    (struct progress){ heads[i].end, UINT64_MAX, false };
	for (uint64_t size = FIRST_CHUNK; more; size *= 2) {
		more = false;
		if (size > CHUNK_ENTRIES)
			size = CHUNK_ENTRIES;
		for (uint32_t i = 0; i < lanes; i++) {
			if (progress[i].at == heads[i].first)
				continue;
			rc = copy_chunk(c, i, &heads[i], &progress[i], size);
			free(c->stamps);
			c->stamps = NULL;
			if (rc != 0)
				return rc;
			more |= progress[i].at > heads[i].first;
		}
	}
	for (uint32_t i = 0; i < lanes && rc == 0; i++) {
		const struct timeline_head *head = &heads[i];

		rc = finish_lane(c, i, &heads[i], &progress[i]);
		lapped |= head->first > head->wanted &&
			  (head->end == head->first ||
			      (head->end - head->first) * enough <
				  head->end - head->wanted);
	}
	return rc < 0 ? rc : lapped;
}

/* == levels == */

/* Read the levels and the gates.  Changes after the cut have no entry in the
 * copy. */
static int
read_before(struct copy *c)
{
	const struct timeline_header *g = c->geometry;
	struct before *b = &c->before;
	int rc;

	free(b->table);
	b->table = NULL;
	if ((rc = tl_read_zero_filled(c->live, &b->newest, sizeof(b->newest),
		 offsetof(struct timeline_header, newest))) != 0 ||
	    (rc = tl_read_zero_filled(c->live, &b->size, sizeof(b->size),
		 offsetof(struct timeline_header, strings_tail))) != 0)
		return rc;
	if (b->size > g->strings_size)
		b->size = g->strings_size;
	if (!(b->table = malloc(b->size + 1)))
		return -ENOMEM;
	if ((rc = tl_read_zero_filled(c->live, b->table, b->size,
		 g->strings_offset)) != 0 ||
	    (rc = tl_read_zero_filled(c->live, b->gates, sizeof(b->gates),
		 offsetof(struct timeline_header, gates))) != 0)
		return rc;
	return tl_read_zero_filled(c->live, &b->levels, sizeof(b->levels),
	    offsetof(struct timeline_header, levels));
}

/* Put the gates that messages had before the cut into the copied table. */
static int
put_gates_before(struct copy *c)
{
	const struct before *b = &c->before;
	const uint64_t offset = c->geometry->strings_offset;
	uint64_t left = b->size / TIMELINE_RECORD_MIN, at = b->newest;
	uint8_t *now = malloc(b->size + 1);
	struct tl_record r;
	int rc = -ENOMEM;

	if (now)
		rc = tl_read_zero_filled(c->out, now, b->size, offset);
	for (; rc == 0 && at != 0 && left-- > 0; at = r.fixed.link) {
		const uint64_t gate =
		    at + offsetof(struct timeline_record, gate);

		if (tl_record_at(&r, b->table, b->size, at, 0, NULL) != 0)
			break;
		if (now[gate] != b->table[gate])
			rc = tl_write_at(c->out, &b->table[gate], 1,
			    offset + gate);
	}
	free(now);
	return rc;
}

/* == lanes == */

static int
read_heads(struct copy *c)
{
	const uint32_t lanes = timeline_lane_count(c->geometry);
	struct timeline_head *heads = c->take->heads;
	int rc = c->take->holes ? 0 : read_before(c);

	if (rc != 0)
		return rc;
	set_cut(c);
	rc = tl_read_zero_filled(c->live, heads, lanes * sizeof(*heads),
	    c->geometry->heads_offset);
	for (uint32_t i = 0; rc == 0 && i < lanes; i++) {
		heads[i].first = first_wanted(c, i, &heads[i]);
		heads[i].wanted = heads[i].first;
		heads[i].end = heads[i].head;
		heads[i].torn = heads[i].stuck = 0;
	}
	return rc;
}

/* Copy all lanes for a snapshot.  A snapshot has a single cut, so if a lane
 * turns over meanwhile, all lanes are copied again, and fewer entries are
 * enough. */
static int
copy_snapshot(struct copy *c)
{
	struct progress *progress =
	    calloc(timeline_lane_count(c->geometry), sizeof(*progress));
	int rc = progress ? 1 : -ENOMEM;

	for (int i = 0; i < TRIES_MAX && rc > 0; i++) {
		if (i > 0)
			rc = tl_file_resize(c->out, 0);
		if (rc >= 0)
			rc = tl_file_resize(c->out,
			    tl_layout_dense(c->geometry));
		if (rc >= 0)
			rc = read_heads(c);
		if (rc >= 0)
			rc = copy_newest(c, progress, UINT64_C(2) << 2 * i);
	}
	free(progress);
	return rc < 0 ? rc : 0;
}

/* Copy bytes as they are. */
static int
copy_bytes(struct copy *c, uint64_t from, uint64_t size)
{
	const size_t most = CHUNK_ENTRIES * TIMELINE_ENTRY_SIZE;
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && at < size; at += most) {
		const size_t n = size - at < most ? size - at : most;

		rc = tl_read_zero_filled(c->live, c->chunk, n, from + at);
		if (rc == 0)
			rc = put(c, c->chunk, n, from + at);
	}
	return rc;
}

/* Copy the newest record, then the tail: every record that can be reached lies
 * below the tail.  A round has a window to the strings instead of a copy. */
static int
copy_strings(struct copy *c, uint64_t *newest, uint64_t *tail)
{
	const struct timeline_header *g = c->geometry;
	int rc;

	if ((rc = tl_read_zero_filled(c->live, newest, sizeof(*newest),
		 offsetof(struct timeline_header, newest))) != 0 ||
	    (rc = tl_read_zero_filled(c->live, tail, sizeof(*tail),
		 offsetof(struct timeline_header, strings_tail))) != 0)
		return rc;
	if (*tail > g->strings_size) {
		tl_faults_add(c->faults,
		    offsetof(struct timeline_header, strings_tail),
		    "%lu bytes of strings in a table of %lu", *tail,
		    g->strings_size);
		*tail = g->strings_size;
	}
	if (!c->take->parts &&
	    (rc = copy_bytes(c, g->strings_offset, *tail)) != 0)
		return rc;
	return c->take->holes ? 0 : put_gates_before(c);
}

static void
place_timers(struct timeline_header *h, const struct timeline_header *g,
    uint32_t count)
{
	h->timers_offset = count ? g->timers_offset : 0;
	h->timers_max = count;
	h->timer_rows = count > 0;
	h->compat = (g->compat & TIMELINE_COMPAT_GATES) |
		    (count ? TIMELINE_COMPAT_TIMERS : 0);
	h->total_size = count ? timeline_histogram_offset(h, count, 0)
			      : g->strings_offset + g->strings_size;
}

/* Copy the timers, each with one row of histograms, which is the sum of all its
 * rows.  The timers are placed at the end of the copy. */
static int
copy_timers(struct copy *c, struct timeline_header *h)
{
	const struct timeline_header *g = c->geometry;
	struct tl_timer *timer = malloc(sizeof(*timer));
	struct timeline_histogram *sum = calloc(1, sizeof(*sum));
	uint64_t record = 0;
	uint32_t count = 0;
	int rc = timer && sum ? 0 : -ENOMEM;

	while (rc == 0 && count < g->timers_max &&
	       (rc = tl_read_zero_filled(c->live, &record, sizeof(record),
		    timeline_timer_offset(g, count))) == 0 &&
	       record != 0)
		count++;
	place_timers(h, g, count);
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		if ((rc = tl_timer_read(timer, c->live, g, i)) < 0)
			break;
		tl_timer_histogram(sum, timer);
		rc = put(c, &timer->fixed, sizeof(timer->fixed),
		    timeline_timer_offset(h, i));
		if (rc == 0)
			rc = put(c, sum, sizeof(*sum),
			    timeline_histogram_offset(h, i, 0));
	}
	free(timer);
	free(sum);
	return rc < 0 ? rc : tl_file_resize(c->out, h->total_size);
}

/*
 * Restore the fields that never change in a valid file to the values that were
 * checked, because any process with write access may have changed them since.
 */
static void
keep_checked(struct timeline_header *header,
    const struct timeline_header *checked)
{
	const size_t maker = offsetof(struct timeline_header, boot_id);
	const size_t end = offsetof(struct timeline_header, superseded);

	memcpy(header, checked, offsetof(struct timeline_header, levels));
	memcpy((char *)header + maker, (const char *)checked + maker,
	    end - maker);
	header->names_offset = checked->names_offset;
	header->names_max = checked->names_max;
}

/* The tail of the clock is under a sequence lock: it is valid if two copies are
 * equal and even. */
int
tl_take_header(int live, const struct timeline_header *geometry,
    struct timeline_header *header)
{
	struct timeline_header again;
	int rc;

	for (int i = 0; i < CLOCK_TRIES_MAX; i++) {
		if ((rc = tl_read_zero_filled(live, header, sizeof(*header),
			 0)) != 0 ||
		    (rc = tl_read_zero_filled(live, &again, sizeof(again),
			 0)) != 0)
			return rc;
		keep_checked(header, geometry);
		if (header->clock.sequence % 2 == 0 &&
		    memcmp(&header->clock, &again.clock, sizeof(again.clock)) ==
			0)
			return 0;
	}
	header->clock.sequence |= 1; /* readers then use only the knots */
	return 0;
}

/* The number of slots that may have a knot. */
static uint32_t
knots_used(const struct timeline_header *header, uint32_t max)
{
	return header->knot_count < max ? (uint32_t)header->knot_count : max;
}

/* Read the knots into as many slots as the file has.  Knots that change
 * meanwhile, because their ring is full, are left out. */
static int
read_knots(struct copy *c, struct timeline_knot *knots, uint32_t count)
{
	const uint64_t at = c->geometry->knots_offset;
	const size_t size = count * sizeof(*knots);
	struct timeline_knot *again = malloc(size + 1);
	int rc = -ENOMEM;

	if (again && (rc = tl_read_zero_filled(c->live, knots, size, at)) == 0)
		rc = tl_read_zero_filled(c->live, again, size, at);
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		if (memcmp(&knots[i], &again[i], sizeof(knots[i])) != 0)
			knots[i].seq = 0;
	free(again);
	return rc;
}

/* Read the clock, and add the closing point as a writer does.  all: the file
 * may be damaged, and its number of knots wrong. */
static int
read_clock(struct copy *c, struct timeline_header *header,
    struct timeline_knot **knots, bool all)
{
	const uint32_t max = c->geometry->knots_max;
	int rc = tl_take_header(c->live, c->geometry, header);

	if (rc != 0)
		return rc;
	if (!(*knots = calloc(max, sizeof(**knots))))
		return -ENOMEM;
	rc = read_knots(c, *knots, all ? max : knots_used(header, max));
	if (rc != 0) {
		free(*knots);
		return rc;
	}
	if (c->take->close_clock && tl_is_this_boot(header))
		tl_calibrate_copied(&(struct tl_calibrate){
		    .header = header,
		    .knots = *knots,
		    .knots_max = max,
		    .source = tl_clock_source(header->clock_kind),
		});
	return 0;
}

int
tl_take_clock(int live, const struct timeline_header *geometry,
    struct timeline_header *header, struct timeline_knot **knots)
{
	struct tl_take take = { .close_clock = true };
	struct copy c = { .take = &take, .live = live, .geometry = geometry };

	return read_clock(&c, header, knots, false);
}

/* Write the header of the copy: identity and geometry as checked, other fields
 * as they are now. */
static int
write_header(struct copy *c, uint64_t newest, uint64_t tail)
{
	const struct timeline_header *g = c->geometry;
	struct timeline_header *h = &c->take->header;
	const uint32_t lanes = timeline_lane_count(g);
	const bool all = !c->take->parts;
	struct timeline_knot *knots;
	int rc;

	if ((rc = read_clock(c, h, &knots, all)) != 0)
		return rc;
	rc = put(c, knots,
	    (all ? g->knots_max : knots_used(h, g->knots_max)) * sizeof(*knots),
	    g->knots_offset);
	free(knots);
	if (rc != 0)
		return rc;
	/* The names are copied after the header, so that the count in the
	 * header includes no later names.  A slot that is being written is
	 * invalid, and readers skip it.  A round has a window to the names,
	 * which are read even later. */
	if (g->names_offset != 0 && all &&
	    (rc = copy_bytes(c, g->names_offset,
		 g->names_max * TIMELINE_NAME_SIZE)) != 0)
		return rc;
	h->state = TIMELINE_SAVED;
	h->saved_ns = tl_clock_read(CLOCK_REALTIME);
	h->newest = newest;
	h->cut = c->ahead ? c->cut : 0;
	if (!c->take->holes) {
		h->levels = c->before.levels;
		memcpy(h->gates, c->before.gates, sizeof(h->gates));
	}
	h->strings_tail = tail;
	if (c->take->parts)
		place_timers(h, g, 0);
	else if ((rc = copy_timers(c, h)) != 0)
		return rc;
	if ((rc = put(c, c->take->heads, lanes * sizeof(struct timeline_head),
		 g->heads_offset)) != 0)
		return rc;
	return put(c, h, sizeof(*h), 0);
}

__attribute__((cold)) int
tl_take(struct tl_take *take, int live, const struct timeline_header *geometry,
    int out, struct tl_faults *faults)
{
	struct copy c = { .take = take,
		.live = live,
		.out = out,
		.geometry = geometry,
		.faults = faults };
	uint64_t newest = 0;
	uint64_t tail = 0;
	int rc = -ENOMEM;

	take->heads =
	    calloc(timeline_lane_count(geometry), sizeof(struct timeline_head));
	if (take->parts)
		c.chunk = take->parts->chunk;
	if (!c.chunk)
		c.chunk = malloc(CHUNK_ENTRIES * TIMELINE_ENTRY_SIZE);
	if (!take->heads || !c.chunk)
		goto out;
	rc = take->holes ? read_heads(&c) : copy_snapshot(&c);
	for (uint32_t i = 0;
	     take->holes && rc == 0 && i < timeline_lane_count(geometry); i++)
		rc = copy_round(&c, i, &take->heads[i]);
	if (rc == 0 && (rc = copy_strings(&c, &newest, &tail)) == 0)
		rc = write_header(&c, newest, tail);
out:
	free(c.before.table);
	if (take->parts)
		take->parts->chunk = c.chunk;
	else
		free(c.chunk);
	if (rc != 0) {
		free(take->heads);
		take->heads = NULL;
	}
	return rc;
}

/* == timeline_save() == */

int
timeline_save(struct timeline *tl, const char *filename)
{
	struct tl_take take = { .close_clock = true };
	struct tl_file_new file;
	struct tl_faults *faults;
	int rc = -ENOMEM;

	if (!tl || !filename)
		return tl_error(-EINVAL,
		    tl ? "the file name is NULL" : "no timeline");
	if (!(faults = calloc(1, sizeof(*faults))))
		return tl_error(rc, "no memory to save a timeline");
	tl_clock_visit(tl);
	if ((rc = tl_file_new_begin(&file, filename)) == 0) {
		rc = tl_take(&take, tl->fd, &tl->geometry, file.fd, faults);
		if (rc == 0)
			rc = tl_file_new_commit(&file);
		else
			tl_file_new_abort(&file);
		free(take.heads);
	}
	free(faults);
	if (rc != 0)
		return tl_error(rc, "cannot save %s: %s", filename,
		    tl_file_error(rc));
	return 0;
}
