/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - a new timeline for each unit test, and access to its bytes.
 */
#ifndef TESTS_LIB_FIXTURE_H
#define TESTS_LIB_FIXTURE_H

#include "ring/ring.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The smallest timeline: one CPU lane and one fallback lane in each of two
 * tiers. */
static const struct timeline_options fixture_tiny = { .entries = 64,
	.stringtablesize = 16384,
	.cpu_lanes = 1 };

static char fixture_name[64];
static struct timeline *tl;

/*
 * Remove a file of this name first: a test that was killed may have left one.
 * shm_unlink() is used because timeline_remove() refuses a file that a test
 * damaged.
 *
 * A timeline has stamps of the counter unless the options choose others.  By
 * itself timeline_new() measures what a reading of the counter costs; under
 * valgrind the result, and with it the size of the CPU lanes, is a matter of
 * chance.
 */
static inline void
fixture_open(const struct timeline_options *options)
{
	struct timeline_options o = { 0 };

	if (options)
		o = *options;
	if (o.stamp == TIMELINE_STAMP_AUTO)
		o.stamp = TIMELINE_STAMP_TSC;
	snprintf(fixture_name, sizeof(fixture_name), "/test-unit-%d",
	    (int)getpid());
	shm_unlink(fixture_name);
	ck_assert_msg(timeline_new(&tl, fixture_name, &o) == 0, "%s",
	    timeline_error());
}

static inline void
fixture_close(void)
{
	timeline_close(tl);
	timeline_remove(fixture_name);
	shm_unlink(fixture_name);
	tl = NULL;
}

static inline void
fixture_setup_tiny(void)
{
	fixture_open(&fixture_tiny);
}

static inline struct timeline_head *
fixture_head(uint32_t lane)
{
	return (void *)(tl->map + timeline_head_offset(&tl->geometry, lane));
}

static inline struct timeline_entry *
fixture_entry(uint32_t lane, uint64_t q)
{
	return (
	    void *)(tl->map + timeline_entry_offset(&tl->geometry, lane, q));
}

/*
 * Compute the stamp of entry q for its present bytes, after a test changed
 * them.
 */
static inline void
fixture_stamp(uint32_t lane, uint64_t q)
{
	struct timeline_entry *e = fixture_entry(lane, q);

	e->stamp = timeline_lane_has_sums(&tl->geometry, lane)
		       ? timeline_stamp_fallback(q, e)
		       : timeline_stamp_whole(q);
}

/* The entry that was logged last, in any lane. */
static inline const struct timeline_entry *
fixture_newest(void)
{
	const struct timeline_entry *newest = NULL;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++) {
		const uint64_t head = fixture_head(i)->head;
		const struct timeline_entry *e;

		if (head == 0)
			continue;
		e = fixture_entry(i, head - 1);
		if (!newest || e->tsc >= newest->tsc)
			newest = e;
	}
	return newest;
}

/* The newest entry that is older than the given entry. */
static inline const struct timeline_entry *
fixture_before(const struct timeline_entry *than)
{
	const struct timeline_entry *newest = NULL;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++) {
		const uint64_t head = fixture_head(i)->head;

		for (uint64_t q = head > 2 ? head - 2 : 0; q < head; q++) {
			const struct timeline_entry *e = fixture_entry(i, q);

			if (e->tsc < than->tsc &&
			    (!newest || e->tsc >= newest->tsc))
				newest = e;
		}
	}
	return newest;
}

static inline uint64_t
fixture_logged(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++)
		sum += fixture_head(i)->head;
	return sum;
}

/* True if this process has a lane for each CPU and has logged into one. */
static inline bool
fixture_logs_on_cpus(void)
{
	uint64_t logged = 0;

	for (uint32_t i = 0; i < timeline_lane_count(&tl->geometry); i++)
		if (!timeline_lane_is_fallback(&tl->geometry, i))
			logged += fixture_head(i)->head;
	return logged > 0;
}

#endif
