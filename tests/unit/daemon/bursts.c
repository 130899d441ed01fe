/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bursts.c - the sampling loop makes its bursts, and disturbs no burst or
 * priority of others.
 */
#include "daemon/sampling/bursts.h"
#include "lib/test.h"

#include "lib/fixture.h"
#include "lib/snap_open.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

enum { PATIENCE_S = 60, TRACE = 4, DEBUG = 5, INFO = 6 };

static struct ev_loop *loop;
static struct tl_bursts *bursts;
static struct tl_bursts_status status;
static struct tl_config_timeline config;
static struct timeline_event *trace_event;

static void
setup(void)
{
	const struct timeline_options options = { .entries = 65536 };

	fixture_open(&options);
	ck_assert_ok(timeline_priority(tl, "info"));
	ck_assert_ok(timeline_define(tl, "a", "trace", "$n", &trace_event));
	loop = ev_loop_new(EVFLAG_AUTO);
	ck_assert_ptr_nonnull(loop);
	config = (struct tl_config_timeline){ .name = "x",
		.bursts = { .levels = { TRACE },
		    .level_count = 1,
		    .rarer = 5,
		    .length_ns = 200000,
		    .period_ns = 2000000,
		    .jitter = 0.5 } };
}

static void
start(void)
{
	ck_assert_ok(tl_bursts_new(&bursts, loop, tl, &config, 1));
}

static void
teardown(void)
{
	tl_bursts_free(bursts);
	bursts = NULL;
	ev_loop_destroy(loop);
	fixture_close();
}

static uint64_t
monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Run the loop until condition, which reads status, holds. */
#define run_until(condition) \
	do { \
		const uint64_t give_up_ = monotonic() + PATIENCE_S * SECOND; \
\
		tl_bursts_status(bursts, &status); \
		while (!(condition)) { \
			ck_assert_msg(monotonic() < give_up_, #condition); \
			ev_run(loop, EVRUN_ONCE); \
			tl_bursts_status(bursts, &status); \
		} \
	} while (0)

/* Run the loop for some time without waiting for anything. */
static void
run_for(uint64_t ns)
{
	const uint64_t end = monotonic() + ns;

	while (monotonic() < end) {
		ev_run(loop, EVRUN_NOWAIT);
		usleep(500);
	}
	tl_bursts_status(bursts, &status);
}

/*
 * Count the bursts in the log, samples and requests; each must have this
 * threshold.
 */
static void
count_logged(unsigned threshold, uint64_t *samples, uint64_t *wishes)
{
	struct tl_fault fault = { 0 };
	struct tl_cursor *cursor;
	struct tl_snap *snap;
	struct tl_event e;

	*samples = *wishes = 0;
	ck_assert_msg(snap_open(&snap, fixture_name, 0, &fault) == 0, "%s",
	    fault.text);
	ck_assert_ok(tl_snap_cursor(snap, TL_OLDEST_FIRST, &cursor));
	while (tl_cursor_next(cursor, &e) > 0) {
		if (e.kind == TL_LOST ||
		    e.message->builtin != TIMELINE_BUILTIN_BURST)
			continue;
		if (threshold != 0)
			ck_assert_uint_eq(e.args[0], threshold);
		ck_assert_uint_eq(e.args[1], INFO);
		ck_assert_uint_gt(e.args[2], e.tsc);
		*samples += e.args[3] != 0;
		*wishes += e.args[3] == 0;
	}
	tl_cursor_close(cursor);
	tl_snap_close(snap);
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 120);

TEST(no_burst_is_made_while_nobody_is_left)
{
	uint64_t made;

	start();
	run_until(status.made >= 5);
	tl_bursts_set_left(bursts, true);
	tl_bursts_status(bursts, &status);
	made = status.made;
	run_for(SECOND / 2);
	ck_assert_uint_le(status.made, made + 1);
	tl_bursts_set_left(bursts, false);
	run_until(status.made >= made + 5);
}

TEST(bursts_are_made_and_say_so_in_the_log)
{
	uint64_t samples, wishes;

	start();
	run_until(status.made >= 50);
	count_logged(TRACE, &samples, &wishes);
	ck_assert_uint_eq(samples, status.made);
	ck_assert_uint_eq(wishes, 0);
	ck_assert_uint_eq(status.by_level[TRACE], status.made);
	ck_assert_uint_eq(status.skipped, 0);
	ck_assert(status.scale == 1 && status.keeps && status.base == 0);
	ck_assert_uint_eq(status.length_ns, 200000);
	ck_assert_uint_eq(status.period_ns, 2000000);
}

TEST(rarer_levels_come_too)
{
	uint64_t samples, wishes;

	config.bursts.levels[1] = 2;
	config.bursts.level_count = 2;
	start();
	run_until(status.made >= 50 && status.by_level[2] > 0);
	ck_assert_uint_eq(status.by_level[TRACE] + status.by_level[2],
	    status.made);
	ck_assert_uint_gt(status.by_level[TRACE], status.by_level[2]);
	count_logged(0, &samples, &wishes);
	ck_assert_uint_eq(samples, status.made);
}

TEST(no_sample_begins_while_a_foreign_burst_is_open)
{
	uint64_t samples, wishes, made;

	start();
	run_until(status.made >= 5);
	ck_assert_ok(timeline_burst(tl, "trace", 600 * SECOND));
	made = status.made;
	run_until(status.skipped >= 5);
	ck_assert_uint_eq(status.made, made);
	count_logged(TRACE, &samples, &wishes);
	ck_assert_uint_eq(samples, made);
	ck_assert_uint_eq(wishes, 1);
	/* the samples continue when the burst is over */
	tl->header->levels = INFO | INFO << TIMELINE_LEVELS_BASE;
	run_until(status.made >= made + 5);
}

TEST(what_a_trigger_wants_is_no_sample)
{
	uint64_t samples, wishes;

	config.bursts.level_count = 0;
	start();
	ck_assert_ok(tl_bursts_raise(bursts, TRACE, SECOND / 1000));
	ck_assert_int_eq(tl_bursts_raise(bursts, 0, SECOND), -EINVAL);
	ck_assert_int_eq(tl_bursts_raise(bursts, 10, SECOND), -EINVAL);
	ck_assert_int_eq(tl_bursts_raise(bursts, TRACE, 0), -ERANGE);
	tl_bursts_status(bursts, &status);
	ck_assert_uint_eq(status.triggered, 1);
	ck_assert_uint_eq(status.made, 0);
	count_logged(TRACE, &samples, &wishes);
	ck_assert_uint_eq(samples, 0);
	ck_assert_uint_eq(wishes, 1);
}

TEST(bursts_begin_and_stop_when_they_are_configured)
{
	const struct tl_config_bursts plan = config.bursts;
	uint64_t made;

	config.bursts.level_count = 0;
	start();
	run_for(SECOND / 20);
	ck_assert_uint_eq(status.made, 0);
	config.bursts = plan;
	tl_bursts_configure(bursts, &config);
	run_until(status.made >= 5);
	config.bursts.level_count = 0;
	tl_bursts_configure(bursts, &config);
	tl_bursts_status(bursts, &status);
	made = status.made;
	run_for(SECOND / 20);
	ck_assert_uint_eq(status.made, made);
}

TEST(what_is_open_anyway_is_not_opened)
{
	ck_assert_ok(timeline_priority(tl, "trace"));
	start();
	run_for(SECOND / 20);
	ck_assert_uint_eq(status.made + status.skipped, 0);
	ck_assert_ok(timeline_priority(tl, "info"));
	run_until(status.made >= 5);
}

TEST(a_damaged_levels_word_breaks_nothing)
{
	static const uint64_t words[] = { 0, UINT64_MAX, 0xff00, 0x00ff,
		0x0b01 };

	config.keep_ns = SECOND;
	config.priority_max = 9;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		tl->header->levels = words[i];
		start();
		run_for(SECOND / 3);
		tl_bursts_free(bursts);
		bursts = NULL;
	}
}

/* Sample in a child, which the test kills. */
static void
sample_until_killed(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	config.bursts.length_ns = SECOND / 2;
	config.bursts.period_ns = SECOND;
	config.bursts.jitter = 0;
	ev_loop_fork(loop);
	if (tl_bursts_new(&bursts, loop, tl, &config, 1) != 0)
		_exit(1);
	for (;;)
		ev_run(loop, EVRUN_ONCE);
}

TEST(a_burst_whose_maker_was_killed_ends_by_itself)
{
	const uint64_t give_up = monotonic() + PATIENCE_S * SECOND;
	const pid_t pid = fork();
	uint64_t until;
	int unused;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		sample_until_killed();
	while (!timeline_enabled(trace_event) && monotonic() < give_up)
		usleep(100);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &unused, 0), pid);
	ck_assert(timeline_enabled(trace_event));
	until = tl->header->levels >> TIMELINE_LEVELS_UNTIL;
	while (timeline_enabled(trace_event)) {
		timeline_log(trace_event, 1);
		ck_assert(monotonic() < give_up);
	}
	ck_assert_uint_eq((uint16_t)tl->header->levels,
	    INFO | INFO << TIMELINE_LEVELS_BASE);
	ck_assert_uint_ge(tl_stamp_now(tl) >> TIMELINE_UNTIL_SHIFT, until);
}

/* A program that logs without end at trace. */
static void
log_some(struct ev_loop *of, ev_timer *timer, int events)
{
	(void)of;
	(void)timer;
	(void)events;
	for (uint64_t i = 0; i < 1000; i++)
		timeline_log(trace_event, i);
}

static void
setup_small(void)
{
	const struct timeline_options options = { .entries = 4096,
		.cpu_lanes = 2 };

	setup();
	fixture_close();
	fixture_open(&options);
	ck_assert_ok(timeline_priority(tl, "trace"));
	ck_assert_ok(timeline_define(tl, "a", "trace", "$n", &trace_event));
}

static unsigned
base(void)
{
	return (uint8_t)(tl->header->levels >> TIMELINE_LEVELS_BASE);
}

TEST(the_priority_is_raised_to_keep_history_and_given_back, .timeout = 240,
    .setup = setup_small, .teardown = teardown)
{
	ev_timer timer;

	config.bursts.level_count = 0;
	config.keep_ns = 20 * SECOND;
	config.priority_max = DEBUG;
	ev_timer_init(&timer, log_some, 0, 0.01);
	ev_timer_start(loop, &timer);
	start();
	run_until(!status.keeps);
	run_until(status.base == DEBUG);
	ck_assert_uint_eq(base(), DEBUG);
	ck_assert(status.kept_ns >= 0);
	run_for(SECOND / 2); /* the priority goes no further */
	ck_assert_uint_eq(base(), DEBUG);
	ev_timer_stop(loop, &timer);
	tl_bursts_free(bursts);
	bursts = NULL;
	ck_assert_uint_eq(base(), TRACE);
}

TEST(a_priority_that_somebody_sets_is_let_be, .timeout = 240,
    .setup = setup_small, .teardown = teardown)
{
	ev_timer timer;

	config.bursts.level_count = 0;
	config.keep_ns = 20 * SECOND;
	config.priority_max = DEBUG;
	ev_timer_init(&timer, log_some, 0, 0.01);
	ev_timer_start(loop, &timer);
	start();
	run_until(status.base == DEBUG);
	ck_assert_ok(timeline_priority(tl, "error"));
	run_until(status.base == 0);
	run_for(SECOND / 2);
	ck_assert_uint_eq(base(), 8);
	ev_timer_stop(loop, &timer);
	tl_bursts_free(bursts);
	bursts = NULL;
	ck_assert_uint_eq(base(), 8);
}

/* The base fits into the lanes, but far too much is logged in bursts. */
TEST(bursts_get_shorter_where_history_must_be_kept, .timeout = 240,
    .setup = setup_small, .teardown = teardown)
{
	ev_timer timer;

	ck_assert_ok(timeline_priority(tl, "info"));
	config.keep_ns = 20 * SECOND;
	config.bursts.length_ns = 5000000;
	config.bursts.period_ns = 20000000;
	ev_timer_init(&timer, log_some, 0, 0.001);
	ev_timer_start(loop, &timer);
	start();
	run_until(status.scale < 0.2);
	ck_assert_uint_lt(status.length_ns, 1500000);
	ck_assert_uint_eq(base(), INFO);
	ev_timer_stop(loop, &timer);
}

/* == slots == */

static void
start_slots(void)
{
	config.bursts.slots = true;
	config.bursts.length_ns = 100000;
	config.bursts.period_ns = 1000000;
	start();
	tl_bursts_status(bursts, &status);
}

TEST(by_slots_the_writers_sample_and_no_burst_is_made)
{
	uint64_t open = 0, all = 0, samples, wishes;
	const uint64_t end = monotonic() + SECOND;

	start_slots();
	ck_assert(fabs(status.share - 0.1) < 1e-6);
	ck_assert(status.slot_ns >= 70000 && status.slot_ns <= 142000);
	ck_assert(timeline_enabled(trace_event));
	ck_assert_uint_eq(timeline_threshold(tl->header->levels), INFO);
	for (; monotonic() < end; all++) {
		const uint64_t before = fixture_logged();

		timeline_log(trace_event, 1);
		open += fixture_logged() > before;
	}
	run_for(1);
	/*
	 * about 1000 of 10000 slots are open: the limits allow for six standard
	 * deviations and for other programs on the CPU
	 */
	ck_assert_msg(open > all / 30 && open < all / 4, "%lu of %lu", open,
	    all);
	count_logged(TRACE, &samples, &wishes);
	ck_assert_uint_eq(samples + wishes, 0);
	ck_assert_uint_eq(status.made, 0);
}

TEST(the_plan_is_renewed_and_ends_with_the_daemon)
{
	uint64_t lease;

	start_slots();
	lease = tl->header->lease;
	run_until(tl->header->lease > lease);
	ck_assert_uint_eq(status.starved_ns, 0);
	/*
	 * a stalled writer closes the slots: the daemon detects this and opens
	 * them again
	 */
	tl->header->levels = INFO | INFO << TIMELINE_LEVELS_BASE;
	run_until(status.starved_ns > 0);
	ck_assert(timeline_enabled(trace_event));
	tl_bursts_free(bursts);
	bursts = NULL;
	ck_assert(!timeline_enabled(trace_event));
	ck_assert_uint_eq((uint16_t)tl->header->levels,
	    INFO | INFO << TIMELINE_LEVELS_BASE);
	ck_assert_uint_eq(tl->header->lease, 0);
}

TEST(the_share_of_a_level_is_that_of_all_it_is_open_to)
{
	const uint32_t *shares = tl->header->shares;

	config.bursts.levels[0] = DEBUG;
	config.bursts.levels[1] = TRACE;
	config.bursts.level_count = 2;
	config.bursts.rarer = 4;
	start_slots();
	ck_assert_uint_eq(shares[TRACE - 1], 0);
	ck_assert(fabs(shares[TRACE] * 0x1p-32 - 0.02) < 1e-6);
	ck_assert(fabs(shares[DEBUG] * 0x1p-32 - 0.1) < 1e-6);
	ck_assert_uint_eq(shares[9], shares[DEBUG]);
	config.bursts.share = 0.5;
	tl_bursts_configure(bursts, &config);
	ck_assert(fabs(shares[9] * 0x1p-32 - 0.5) < 1e-6);
	/* the daemon makes bursts again */
	config.bursts.slots = false;
	config.bursts.share = 0;
	tl_bursts_configure(bursts, &config);
	ck_assert_uint_eq(shares[9], 0);
	ck_assert_uint_eq(timeline_threshold(tl->header->levels), INFO);
	run_until(status.made > 0);
}

TEST(keep_lowers_the_share_and_nothing_else)
{
	const struct timeline_header *h = tl->header;
	uint8_t shift;
	uint32_t most;

	config.keep_ns = 3600 * SECOND;
	config.bursts.share = 0.5;
	start_slots();
	shift = (uint8_t)h->lease;
	most = h->shares[9];
	do {
		for (int i = 0; i < 2000; i++)
			timeline_log(trace_event, 1);
		run_for(1000000);
	} while (h->shares[9] > most / 4);
	ck_assert_uint_eq((uint8_t)h->lease, shift);
	ck_assert(status.scale < 0.26);
}

TEST(slots_are_rounded_to_a_power_of_two)
{
	ck_assert_uint_eq(tl_bursts_slot_shift(259600), 18);
	ck_assert_uint_eq(tl_bursts_slot_shift(1 << 17), 17);
	ck_assert_uint_eq(tl_bursts_slot_shift(185000), 17);
	ck_assert_uint_eq(tl_bursts_slot_shift(186000), 18);
	ck_assert_uint_eq(tl_bursts_slot_shift(0), 1);
	ck_assert_uint_eq(tl_bursts_slot_shift(UINT64_MAX), 63);
}
