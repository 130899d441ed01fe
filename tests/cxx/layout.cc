/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.cc - timeline_layout.h: print the value of each macro and function.
 * The file is also C: both languages must print the same values.
 */
#include <timeline_layout.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOW(what) printf("%s %" PRIu64 "\n", #what, (uint64_t)(what))

TIMELINE_ASSERT(TIMELINE_ENTRY_SIZE == 1 << TIMELINE_ENTRY_SHIFT);

static void
show_macros(void)
{
	SHOW(TIMELINE_MAGIC);
	SHOW(TIMELINE_MAJOR);
	SHOW(TIMELINE_MINOR);
	SHOW(TIMELINE_MAJOR_OLDEST);
	SHOW(TIMELINE_WRITER_ABI);
	SHOW(TIMELINE_SCHED_ABI);
	SHOW(TIMELINE_HEADER_SIZE);
	SHOW(TIMELINE_PAGE_SIZE);
	SHOW(TIMELINE_ENTRY_SIZE);
	SHOW(TIMELINE_ENTRY_SHIFT);
	SHOW(TIMELINE_HEAD_SIZE);
	SHOW(TIMELINE_KNOT_SIZE);
	SHOW(TIMELINE_KNOTS_MAX);
	SHOW(TIMELINE_NAME_SIZE);
	SHOW(TIMELINE_NAMES);
	SHOW(TIMELINE_NAMES_MAX);
	SHOW(TIMELINE_NAMES_SET);
	SHOW(TIMELINE_TIERS_MAX);
	SHOW(TIMELINE_LANES_MAX);
	SHOW(TIMELINE_ARGS_MAX);
	SHOW(TIMELINE_RECORD_ALIGN);
	SHOW(TIMELINE_STRINGS_START);
	SHOW(TIMELINE_TRIES_MAX);
	SHOW(TIMELINE_TIMERS_MAX);
	SHOW(TIMELINE_EXITS);
	SHOW(TIMELINE_EXIT_SHIFT);
	SHOW(TIMELINE_OFF_TSC);
	SHOW(TIMELINE_OFF_TID);
	SHOW(TIMELINE_OFF_PID);
	SHOW(TIMELINE_OFF_MESSAGE);
	SHOW(TIMELINE_OFF_CPU);
	SHOW(TIMELINE_OFF_ARGS);
	SHOW(TIMELINE_OFF_STAMP);
	SHOW(TIMELINE_EVENT_GATE);
	SHOW(TIMELINE_EVENT_LEVELS);
	SHOW(TIMELINE_EVENT_HEADS);
	SHOW(TIMELINE_EVENT_ENTRIES);
	SHOW(TIMELINE_EVENT_MESSAGE);
	SHOW(TIMELINE_EVENT_IDS);
	SHOW(TIMELINE_EVENT_RSEQ);
	SHOW(TIMELINE_EVENT_LANES);
	SHOW(TIMELINE_EVENT_HEAD_STEP);
	SHOW(TIMELINE_EVENT_LANE_STEP);
	SHOW(TIMELINE_EVENT_MASK);
	SHOW(TIMELINE_EVENT_BURST_MAX);
	SHOW(TIMELINE_EVENT_HISTOGRAM);
	SHOW(TIMELINE_EVENT_SLOWER);
	SHOW(TIMELINE_EVENT_SIZE);
	SHOW(TIMELINE_HISTOGRAM_SIZE);
	SHOW(TIMELINE_HISTOGRAM_COUNT);
	SHOW(TIMELINE_HISTOGRAM_STATE);
	SHOW(TIMELINE_HISTOGRAM_VALUES);
	SHOW(TIMELINE_STATE_BUCKET);
	SHOW(TIMELINE_STATE_VALUE);
	SHOW(TIMELINE_STATE_SUM);
	SHOW(TIMELINE_STATE_MAX);
	SHOW(TIMELINE_BUCKET_BITS);
	SHOW(TIMELINE_BUCKETS);
	SHOW(TIMELINE_BUCKET_VALUES);
	SHOW(TIMELINE_GIVEN_SHIFT);
	SHOW(TIMELINE_GIVEN_RUN);
	SHOW(TIMELINE_LEVELS_BASE);
	SHOW(TIMELINE_LEVELS_THRESHOLD);
	SHOW(TIMELINE_LEVELS_UNTIL);
	SHOW(TIMELINE_UNTIL_SHIFT);
	SHOW(TIMELINE_PLAN_LEASE);
	SHOW(TIMELINE_PLAN_SEED);
	SHOW(TIMELINE_PLAN_SHARES);
	SHOW(TIMELINE_PLAN_GATES);
	SHOW(TIMELINE_PLAN_SHIFT);
	SHOW(TIMELINE_PLAN_HELD);
	SHOW(TIMELINE_LEVEL_NAMED);
	SHOW(TIMELINE_LEVEL_AFTER);
	SHOW(TIMELINE_LEVEL_MADE);
	SHOW(TIMELINE_BEGUN_NONE);
	SHOW(TIMELINE_HASH_STEP);
	SHOW(TIMELINE_HASH_FIRST);
	SHOW(TIMELINE_HASH_SECOND);
	SHOW(TIMELINE_RECORD_MIN);
	SHOW(TIMELINE_LEVEL_OFF);
	SHOW(TIMELINE_LEVEL_MIN);
	SHOW(TIMELINE_LEVEL_KEEP);
	SHOW(TIMELINE_LEVEL_MAX);
	SHOW(TIMELINE_LEVEL_NONE);
	SHOW(TIMELINE_SUM_TSC);
	SHOW(TIMELINE_SUM_IDS);
	SHOW(TIMELINE_SUM_MESSAGE);
	SHOW(TIMELINE_SUM_ARG0);
	SHOW(TIMELINE_SUM_ARG1);
	SHOW(TIMELINE_SUM_ARG2);
	SHOW(TIMELINE_SUM_ARG3);
	SHOW(TIMELINE_COMPAT_TIMERS);
	SHOW(TIMELINE_SCOPE_TIMER);
}

static void
show_numbers(void)
{
	const uint64_t exit = timeline_exit(4711, INT64_C(5) << 30);
	const uint64_t levels = (uint64_t)3 << TIMELINE_LEVELS_THRESHOLD;

	SHOW(timeline_bucket(1000));
	SHOW(timeline_bucket_low(timeline_bucket(1000)));
	SHOW(timeline_duration_code(123456789));
	SHOW(timeline_duration(timeline_duration_code(123456789)));
	SHOW(timeline_begun_word(8 | TIMELINE_MESSAGE_BARE));
	SHOW(timeline_begun_word(8));
	SHOW(timeline_begun_said(9, 7, 1));
	SHOW(timeline_threshold(levels));
	SHOW(timeline_slot(1 << 20, 10));
	SHOW(timeline_slot_hash(7, 8));
	SHOW(timeline_exit_pid(exit));
	SHOW(timeline_exit_ns(exit, INT64_C(6) << 30));
	SHOW(timeline_stamp_writing(7));
	SHOW(timeline_stamp_whole(7));
	SHOW(timeline_name_set(4711, 4712, TIMELINE_NAMES));
}

static void
show_places(void)
{
	struct timeline_header h;
	struct timeline_entry e;
	struct timeline_name n;

	memset(&h, 0, sizeof(h));
	memset(&e, 0, sizeof(e));
	memset(&n, 0, sizeof(n));
	h.major = TIMELINE_MAJOR;
	h.state = TIMELINE_LIVE;
	h.tiers = 2;
	h.cpu_lanes = 4;
	h.fallback_lanes = 1;
	h.tier_entries[0] = h.tier_entries[1] = 1024;
	h.fallback_entries[0] = h.fallback_entries[1] = 512;
	h.timer_rows = 5;
	h.timers_max = TIMELINE_TIMERS_MAX;
	e.tsc = 7;
	n.tid = 1;
	SHOW(timeline_lane(&h, 3, 1));
	SHOW(timeline_lane_count(&h));
	SHOW(timeline_lane_tier(&h, 3));
	SHOW(timeline_lane_is_fallback(&h, 8));
	SHOW(timeline_lane_has_sums(&h, 8));
	SHOW(timeline_lane_entries(&h, 8));
	SHOW(timeline_tier_slots(&h, 1));
	SHOW(timeline_head_offset(&h, 3));
	SHOW(timeline_gate_offset(&h, 1024));
	SHOW(timeline_is_whole(&h));
	SHOW(timeline_entry_offset(&h, 3, 5));
	SHOW(timeline_timer_offset(&h, 3));
	SHOW(timeline_histogram_offset(&h, 3, 2));
	SHOW(timeline_levels(&h));
	SHOW(timeline_stamp_fallback(7, &e));
	SHOW(timeline_name_sum(&n));
}

int
main(void)
{
	show_macros();
	show_numbers();
	show_places();
	return 0;
}
