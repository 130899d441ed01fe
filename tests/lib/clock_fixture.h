/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock_fixture.h - the clock of a file in memory, driven by a script.  The
 * functions stand in a header because only tests that link the ring can use
 * them.
 */
#ifndef TESTS_CLOCK_FIXTURE_H
#define TESTS_CLOCK_FIXTURE_H

#include "base/word.h"
#include "clock/calibrate.h"
#include "clock/calibrate_tail.h"
#include "clock_script.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOTS = 1024, PROBES = 3000 };
#define SECOND UINT64_C(1000000000)

static struct clock_script script;
static struct timeline_header header;
static struct timeline_knot knots[KNOTS];
static struct tl_clock_source source;
static struct tl_calibrate calibrate;

static inline void
set_up(uint64_t seed)
{
	clock_script_start(&script, 2596128, seed);
	memset(&header, 0, sizeof(header));
	memset(knots, 0, sizeof(knots));
	source = clock_script_source(&script);
	calibrate = (struct tl_calibrate){ .header = &header,
		.knots = knots,
		.knots_max = KNOTS,
		.source = &source };
}

static inline void
set_up_first(uint64_t seed)
{
	set_up(seed);
	ck_assert_ok(tl_calibrate_first(&calibrate));
}

/* The knots in order, then the tail: the closed polyline. */
static inline size_t
polyline(struct timeline_knot *line)
{
	const struct timeline_clock_tail *tail = &header.clock;
	const uint64_t count = header.knot_count;
	size_t n = 0;

	for (uint64_t i = count > KNOTS ? count - KNOTS : 0; i < count; i++) {
		ck_assert(knots[i % KNOTS].seq == i + 1);
		line[n++] = knots[i % KNOTS];
	}
	if (n == 0 || line[n - 1].epoch != tail->epoch ||
	    line[n - 1].tsc < tail->tsc)
		line[n++] = (struct timeline_knot){ .tsc = tail->tsc,
			.utc_ns = tail->utc_ns,
			.mult = tail->mult,
			.max_err_ns = tail->max_err_ns,
			.epoch = tail->epoch };
	for (size_t i = 1; i < n; i++)
		ck_assert(line[i].epoch > line[i - 1].epoch ||
			  line[i].tsc > line[i - 1].tsc);
	return n;
}

/*
 * Check that the error of every probed stamp is within its bound; return the
 * worst bound.
 */
static inline uint32_t
check_bounds(void)
{
	static struct timeline_knot line[KNOTS + 1];
	const size_t n = polyline(line);
	uint32_t worst = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		const struct timeline_knot *a = &line[i], *b = &line[i + 1];
		const uint64_t span = b->tsc - a->tsc;
		const size_t probes = PROBES / n + 20;

		if (a->epoch != b->epoch)
			continue;
		for (size_t k = 0; k < probes; k++) {
			const uint64_t tsc =
			    a->tsc +
			    (k == 0 ? 0 : clock_script_random(&script, span));
			uint32_t bound;
			const int64_t ns = clock_script_convert(line, n,
			    a->epoch, tsc, &bound);
			const int64_t truth =
			    clock_script_truth(&script, a->epoch, tsc);

			if (llabs(ns - truth) > bound)
				fprintf(stderr,
				    "piece %zu of %zu: off %lld bound %u "
				    "span %llu flags %x %x\n",
				    i, n, (long long)(ns - truth), bound,
				    (unsigned long long)span, a->flags,
				    b->flags);
			ck_assert_int_le(llabs(ns - truth), bound);
			worst = bound > worst ? bound : worst;
		}
	}
	return worst;
}

/* Copy the tail, the knot count and the knots of a live file into a private
 * header and an array of knots_max knots.  A knot that changes meanwhile gets
 * seq 0. */
static inline void
copy_clock(const struct timeline_header *live,
    const struct timeline_knot *live_knots, uint32_t knots_max,
    struct timeline_header *to, struct timeline_knot *to_knots)
{
	/*
	 * Read the tail first: a reader recognises a knot that is younger than
	 * the tail, but it could not detect that an older knot is missing.
	 */
	(void)tl_calibrate_read(live, &to->clock);
	const uint64_t count = tl_load_acquire_64(&live->knot_count);

	to->knot_count = count;
	to->epochs = tl_load_32(&live->epochs);
	memset(to_knots, 0, (size_t)knots_max * sizeof(*to_knots));
	for (uint64_t i = count > knots_max ? count - knots_max : 0; i < count;
	     i++)
		if (!tl_knot_load(live_knots, knots_max, i,
			&to_knots[i % knots_max]))
			to_knots[i % knots_max].seq = 0;
}

#endif
