/* SPDX-License-Identifier: Apache-2.0 */
/* take.c - freeze a live file; take.h has the order and why. */
#include "snap/take.h"
#include "base/clock.h"
#include "base/file.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK_ENTRIES = 4096, /* 256 KiB are copied at a time */
	CLOCK_TRIES_MAX = 64
};

/* One copy in progress. */
struct copy {
	struct tl_take *take;
	int live;
	int out;
	const struct timeline_header *geometry;
	struct timeline_entry *chunk;
	uint64_t *stamps;   /* first copy of a fallback lane's stamps */
	uint64_t whole_end; /* behind the last whole entry of the lane */
	struct tl_faults *faults;
};

/* Entries [q, q + count) of a lane that lie side by side in the file. */
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

static int
write_run(struct copy *c, uint32_t lane, struct run run)
{
	return tl_write_at(c->out, c->chunk, run.count * TIMELINE_ENTRY_SIZE,
	    timeline_entry_offset(c->geometry, lane, run.q));
}

static int
read_head(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	return tl_read_zero_filled(c->live, head, sizeof(*head),
	    timeline_head_offset(c->geometry, lane));
}

/* Where the wanted part of a lane begins. */
static uint64_t
first_wanted(const struct copy *c, uint32_t lane,
    const struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	uint64_t first = head->head >= n ? head->head - n + 1 : 0;

	if (first < head->cleared)
		first = head->cleared;
	if (c->take->from && first < c->take->from[lane])
		first = c->take->from[lane];
	if (c->take->tail && head->head > c->take->tail &&
	    first < head->head - c->take->tail)
		first = head->head - c->take->tail;
	return first < head->head ? first : head->head;
}

/* Zero the stamps of what is not whole; count it.  Is anything whole? */
static bool
check_run(struct copy *c, uint32_t lane, struct run run,
    struct timeline_head *head)
{
	const bool fallback = timeline_lane_is_fallback(c->geometry, lane);
	bool any = false;

	for (uint64_t i = 0; i < run.count; i++) {
		struct timeline_entry *e = &c->chunk[i];
		const uint64_t whole = timeline_stamp_whole(run.q + i);

		if (e->stamp == whole &&
		    (!fallback ||
			c->stamps[run.q + i - head->first] == whole)) {
			c->whole_end = run.q + i + 1;
			any = true;
			continue;
		}
		if (fallback && (e->stamp & 1) &&
		    e->stamp < timeline_stamp_writing(run.q + i))
			head->stuck++;
		head->torn++;
		e->stamp = 0;
	}
	return any;
}

/* First copy of a fallback lane: only its stamps are kept. */
static int
read_stamps(struct copy *c, uint32_t lane, const struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	int rc;

	c->stamps = malloc((head->end - head->first + 1) * sizeof(uint64_t));
	if (!c->stamps)
		return -ENOMEM;
	for (uint64_t q = head->first; q < head->end;) {
		const struct run run = next_run(q, head->end, n);

		if ((rc = read_run(c, lane, run)) != 0)
			return rc;
		for (uint64_t i = 0; i < run.count; i++)
			c->stamps[q + i - head->first] = c->chunk[i].stamp;
		q += run.count;
	}
	return 0;
}

/* Blank what was copied too late: entries [from, head->first) of the copy.
 * They are lapped now, and those that failed their stamp not torn any more. */
static int
blank(struct copy *c, uint32_t lane, uint64_t from, struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	int rc;

	while (from < head->first) {
		const struct run run = next_run(from, head->first, n);
		const size_t size = run.count * TIMELINE_ENTRY_SIZE;

		if ((rc = tl_read_zero_filled(c->out, c->chunk, size,
			 timeline_entry_offset(c->geometry, lane, from))) != 0)
			return rc;
		for (uint64_t i = 0; i < run.count; i++)
			head->torn -= c->chunk[i].stamp == 0;
		memset(c->chunk, 0, size);
		if ((rc = write_run(c, lane, run)) != 0)
			return rc;
		from += run.count;
	}
	return 0;
}

/* Leave out what writers reached while the lane was copied. */
static int
leave_out_lapped(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
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
	} else if (after.head >= n && head->first < after.head - n + 1) {
		head->first = after.head - n + 1;
	}
	if (head->first > head->end)
		head->first = head->end;
	if ((rc = blank(c, lane, copied, head)) != 0)
		return rc;
	if (head->stuck > head->torn)
		head->stuck = head->torn;
	return 0;
}

/* Heads of fallback lanes run ahead of their entries: those behind the last
 * whole one are not lost, they have not happened yet. */
static void
leave_out_unfinished(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	if (!timeline_lane_is_fallback(c->geometry, lane))
		return;
	head->torn -= head->end - c->whole_end;
	head->end = c->whole_end;
}

/* Oldest entries first: they are the next to be overwritten. */
static int
copy_lane(struct copy *c, uint32_t lane, struct timeline_head *head)
{
	const uint64_t n = timeline_lane_entries(c->geometry, lane);
	int rc = 0;

	if (head->first == head->end)
		return 0;
	c->whole_end = head->first;
	if (timeline_lane_is_fallback(c->geometry, lane))
		rc = read_stamps(c, lane, head);
	for (uint64_t q = head->first; rc == 0 && q < head->end;) {
		const struct run run = next_run(q, head->end, n);

		if ((rc = read_run(c, lane, run)) != 0)
			break;
		/* what nobody wrote takes no room in the copy, either */
		if (check_run(c, lane, run, head))
			rc = write_run(c, lane, run);
		q += run.count;
	}
	free(c->stamps);
	c->stamps = NULL;
	if (rc == 0)
		leave_out_unfinished(c, lane, head);
	return rc ? rc : leave_out_lapped(c, lane, head);
}

static int
copy_lanes(struct copy *c)
{
	const uint32_t lanes = timeline_lane_count(c->geometry);
	struct timeline_head *heads = c->take->heads;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < lanes; i++) {
		rc = read_head(c, i, &heads[i]);
		heads[i].first = first_wanted(c, i, &heads[i]);
		heads[i].end = heads[i].head;
		heads[i].torn = heads[i].stuck = 0;
	}
	for (uint32_t i = 0; rc == 0 && i < lanes; i++)
		rc = copy_lane(c, i, &heads[i]);
	return rc;
}

/* The newest record first, then the tail: every record that can be reached
 * lies below it. */
static int
copy_strings(struct copy *c, uint64_t *newest, uint64_t *tail)
{
	const struct timeline_header *g = c->geometry;
	const size_t size = CHUNK_ENTRIES * TIMELINE_ENTRY_SIZE;
	int rc;

	if ((rc = tl_read_zero_filled(c->live, newest, sizeof(*newest),
		 offsetof(struct timeline_header, newest))) != 0 ||
	    (rc = tl_read_zero_filled(c->live, tail, sizeof(*tail),
		 offsetof(struct timeline_header, strings_tail))) != 0)
		return rc;
	if (*tail > g->strings_size) {
		tl_faults_add(c->faults,
		    offsetof(struct timeline_header, strings_tail),
		    "%llu bytes of strings in a table of %llu",
		    (unsigned long long)*tail,
		    (unsigned long long)g->strings_size);
		*tail = g->strings_size;
	}
	for (uint64_t at = 0; at < *tail; at += size) {
		const size_t n = *tail - at < size ? *tail - at : size;

		if ((rc = tl_read_zero_filled(c->live, c->chunk, n,
			 g->strings_offset + at)) != 0 ||
		    (rc = tl_write_at(c->out, c->chunk, n,
			 g->strings_offset + at)) != 0)
			return rc;
	}
	return 0;
}

/*
 * What never changes in an honest file is taken as it was checked: anyone who
 * may write to the file may have changed it since.
 */
static void
keep_checked(struct timeline_header *header,
    const struct timeline_header *checked)
{
	const size_t maker = offsetof(struct timeline_header, boot_id);
	const size_t end = offsetof(struct timeline_header, fallback_entries) +
			   sizeof(header->fallback_entries);

	memcpy(header, checked, offsetof(struct timeline_header, levels));
	memcpy((char *)header + maker, (const char *)checked + maker,
	    end - maker);
}

/* The header as it is now.  The clock's tail is under a sequence lock: twice
 * the same and even. */
static int
read_header(struct copy *c, struct timeline_header *header)
{
	struct timeline_header again;
	int rc;

	for (int i = 0; i < CLOCK_TRIES_MAX; i++) {
		if ((rc = tl_read_zero_filled(c->live, header, sizeof(*header),
			 0)) != 0 ||
		    (rc = tl_read_zero_filled(c->live, &again, sizeof(again),
			 0)) != 0)
			return rc;
		keep_checked(header, c->geometry);
		if (header->clock.sequence % 2 == 0 &&
		    memcmp(&header->clock, &again.clock, sizeof(again.clock)) ==
			0)
			return 0;
	}
	header->clock.sequence |= 1; /* readers take the knots alone */
	return 0;
}

/* Knots that change while they are copied (their ring is full) count for
 * nothing.  The closing point is worked in as a writer would do it. */
static int
copy_clock(struct copy *c, struct timeline_header *header)
{
	const uint32_t max = c->geometry->knots_max;
	const size_t size = max * sizeof(struct timeline_knot);
	struct timeline_knot *knots = malloc(2 * size);
	struct timeline_knot *again = knots + max;
	int rc = -ENOMEM;

	if (!knots)
		return rc;
	if ((rc = read_header(c, header)) != 0 ||
	    (rc = tl_read_zero_filled(c->live, knots, size,
		 c->geometry->knots_offset)) != 0 ||
	    (rc = tl_read_zero_filled(c->live, again, size,
		 c->geometry->knots_offset)) != 0)
		goto out;
	for (uint32_t i = 0; i < max; i++)
		if (memcmp(&knots[i], &again[i], sizeof(knots[i])) != 0)
			knots[i].seq = 0;
	if (c->take->close_clock && tl_is_this_boot(header))
		tl_calibrate_copied(&(struct tl_calibrate){
		    .header = header,
		    .knots = knots,
		    .knots_max = max,
		    .source = tl_clock_source(header->clock_kind),
		});
	rc = tl_write_at(c->out, knots, size, c->geometry->knots_offset);
out:
	free(knots);
	return rc;
}

/* The header of the copy: identity and geometry as checked, the rest as it
 * is now. */
static int
write_header(struct copy *c, uint64_t newest, uint64_t tail)
{
	const struct timeline_header *g = c->geometry;
	struct timeline_header *h = &c->take->header;
	const uint32_t lanes = timeline_lane_count(g);
	int rc;

	if ((rc = copy_clock(c, h)) != 0)
		return rc;
	h->state = TIMELINE_SAVED;
	h->saved_ns = tl_clock_read(CLOCK_REALTIME);
	h->newest = newest;
	h->strings_tail = tail;
	if ((rc = tl_write_at(c->out, c->take->heads,
		 lanes * sizeof(struct timeline_head), g->heads_offset)) != 0)
		return rc;
	return tl_write_at(c->out, h, sizeof(*h), 0);
}

int
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
	c.chunk = malloc(CHUNK_ENTRIES * TIMELINE_ENTRY_SIZE);
	if (!take->heads || !c.chunk)
		goto out;
	if (ftruncate(out, (off_t)geometry->total_size) != 0) {
		rc = -errno;
		goto out;
	}
	if ((rc = copy_lanes(&c)) == 0 &&
	    (rc = copy_strings(&c, &newest, &tail)) == 0)
		rc = write_header(&c, newest, tail);
out:
	free(c.chunk);
	if (rc != 0) {
		free(take->heads);
		take->heads = NULL;
	}
	return rc;
}
