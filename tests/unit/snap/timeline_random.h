/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_random.h - random snapshots with all features, made by hand: lanes,
 * losses, torn entries, epochs, strings, clock knots.
 */
#ifndef TESTS_UNIT_TIMELINE_RANDOM_H
#define TESTS_UNIT_TIMELINE_RANDOM_H

#include "lib/test.h"
#include "timeline_fixture.h"

#include "clock/clock.h"

enum { LANES = 8, N = 64, EVENTS = 3 };

static struct timeline_event *events[EVENTS];
static uint64_t words[2];
static struct frozen file;
static uint64_t seed;
static bool huge; /* losses are huge */

/* Three CPUs and a fallback lane, in two tiers. */
static inline void
setup(void)
{
	struct timeline_options options = fixture_tiny;

	options.cpu_lanes = LANES / 2 - 1;
	fixture_open(&options);
	ck_assert_ok(timeline_define(tl, "a", "info", "got $n of $what%s\nWhy.",
	    &events[0]));
	ck_assert_ok(timeline_define_span(tl, "b", "warning", "works $n%d",
	    TIMELINE_SOURCE, &events[1]));
	ck_assert_ok(
	    timeline_define_counter(tl, "c", "trace", "$depth%f", &events[2]));
	ck_assert_ok(timeline_string(tl, "a word", &words[0]));
	ck_assert_ok(timeline_string(tl, "\033[31m\xff", &words[1]));
	file = frozen_save();
}

static inline void
teardown(void)
{
	frozen_free(&file);
	fixture_close();
}

static inline uint64_t
below(uint64_t n)
{
	return random_below(&seed, n);
}

/* Put the next entry of a lane; torn: the entry is not whole. */
static inline void
put(uint32_t lane, uint64_t tsc, bool torn)
{
	struct timeline_head *head = frozen_head(&file, lane);
	const uint64_t q = head->end;
	const uint64_t which = below(EVENTS);
	struct timeline_entry *e = frozen_entry(&file, lane, q);

	*e = (struct timeline_entry){ .tsc = tsc,
		.message = events[which]->message,
		.cpu = timeline_lane_is_fallback(file.header, lane)
			   ? (uint32_t)below(2) * 77 - 1
			   : 0,
		.pid = (uint32_t)random_next(&seed),
		.tid = (uint32_t)random_next(&seed),
		.stamp = torn ? 0 : timeline_stamp_whole(q) };
	if (which == 1) /* a begin, an end, or both, which is two events */
		e->message |= 3U >> below(4) % 3;
	if (!(e->message & TIMELINE_MESSAGE_BARE))
		e->args[0] = random_next(&seed);
	if (which == 0) /* a string, or an invalid string number */
		e->args[1] = below(3) ? words[below(2)] : 2 * below(2000) + 1;
	head->end = head->head = q + 1;
	head->torn += torn;
}

/* Start an empty lane that has logged before, and may have lost entries. */
static inline void
start_lane(uint32_t lane)
{
	struct timeline_head *head = frozen_head(&file, lane);
	const uint64_t first = below(3) || !huge ? below(3) * below(1 << 20)
						 : UINT64_MAX / 4 - 100;

	memset(head, 0, sizeof(*head));
	head->first = head->end = head->head = first;
	head->cleared = first - (below(2) ? 0 : below(first + 1));
	head->stuck = below(2);
}

/*
 * Publish a record by hand: link it to the newest record, and make it the
 * newest.
 */
static inline void
add_epoch(uint64_t number)
{
	const uint64_t at = file.header->strings_tail;
	const uint32_t text = (LANES + 1) * sizeof(uint64_t);
	uint8_t *to = file.bytes + file.header->strings_offset + at;
	struct timeline_record r = { .kind = TIMELINE_RECORD_EPOCH,
		.size = (sizeof(r) + text + 3 + 15) & ~15U,
		.link = file.header->newest,
		.text = sizeof(r),
		.text_length = text,
		.category = sizeof(r) + text + 1,
		.file = sizeof(r) + text + 2 };

	memset(to, 0, r.size);
	memcpy(to, &r, sizeof(r));
	memcpy(to + sizeof(r), &number, sizeof(number));
	for (uint32_t i = 0; i < LANES; i++)
		memcpy(to + sizeof(r) + 8 + i * sizeof(uint64_t),
		    &frozen_head(&file, i)->end, sizeof(uint64_t));
	file.header->strings_tail += r.size;
	file.header->newest = at;
}

/*
 * Make knots with bends, steps and gaps; the counter begins again with each
 * epoch.
 */
static inline void
make_knots(uint32_t epochs)
{
	static const uint16_t flags[] = { 0, TIMELINE_KNOT_STEP,
		TIMELINE_KNOT_GAP, TIMELINE_KNOT_KINK, TIMELINE_KNOT_LEAP };
	const uint64_t count = below(100) + epochs + 1;
	/* knots that were overwritten */
	const uint64_t before = below(2) ? 0 : 5000;
	struct timeline_knot *knots =
	    (void *)(file.bytes + file.header->knots_offset);
	struct timeline_knot knot = { .utc_ns = 1700000000000000000,
		.mult = TL_MULT_ONE / 2 };
	uint32_t max = file.header->knots_max;

	memset(knots, 0, max * sizeof(*knots));
	for (uint64_t i = before ? before - max + count : 0; i < before + count;
	     i++) {
		knot.tsc += 1 + below(200);
		knot.utc_ns += (int64_t)below(300);
		knot.flags = flags[below(5)];
		knot.max_err_ns = (uint32_t)below(1000);
		if (i + epochs >= before + count) {
			knot.epoch++;
			knot.tsc = below(100);
			knot.flags = TIMELINE_KNOT_NEW_EPOCH;
		}
		knot.mult = TL_MULT_ONE / 2 + below(TL_MULT_ONE / 4);
		knot.seq = i + 1;
		knots[i % max] = knot;
	}
	file.header->knot_count = before + count;
	file.header->clock =
	    (struct timeline_clock_tail){ .sequence = (uint32_t)below(
					      3), /* 1: a writer died in an
						   * update */
		    .tsc = knot.tsc + below(500),
		    .utc_ns = knot.utc_ns + 1000,
		    .mult = knot.mult,
		    .epoch = knot.epoch,
		    .max_err_ns = 77 };
}

/*
 * Make a snapshot with all features; disorder: stamps of a CPU lane may go
 * back.
 */
static inline void
make_random(bool disorder)
{
	const uint32_t epochs = (uint32_t)below(3);
	uint64_t tsc;

	for (uint32_t lane = 0; lane < LANES; lane++)
		start_lane(lane);
	for (uint32_t epoch = 0; epoch <= epochs; epoch++) {
		if (epoch > 0)
			add_epoch(epoch);
		tsc = below(1000);
		for (uint64_t k = below(100); k > 0; k--) {
			const uint32_t lane = (uint32_t)below(LANES);

			tsc += below(3);
			if (frozen_head(&file, lane)->end <
			    frozen_head(&file, lane)->first + N)
				put(lane,
				    disorder && !timeline_lane_is_fallback(
						    file.header, lane)
					? below(1000)
					: tsc,
				    below(8) == 0);
		}
	}
	make_knots(epochs);
}

/* The header before the first random snapshot. */
static struct timeline_header first_header;

static inline void
make_again(bool disorder)
{
	file.header->strings_tail = first_header.strings_tail;
	file.header->newest = first_header.newest;
	make_random(disorder);
}

#endif
