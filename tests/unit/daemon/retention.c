/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retention.c - the control of history finds how much of the time bursts may
 * take, and stays there.  Lanes and programs are scripted.
 */
#include "daemon/sampling/retention.h"
#include "lib/test.h"

#include "lib/random.h"

#include <math.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

enum { LANES_MAX = 4, LEVELS = TIMELINE_LEVEL_NONE + 1 };

/* A program: what it logs per second on each lane while a level is open. */
struct program {
	size_t lanes;
	uint64_t entries;               /* in each lane */
	double rate[LANES_MAX][LEVELS]; /* by the lowest open level */
	bool noisy;                     /* Poisson-distributed, not even */
};

static struct tl_retention r;
static struct tl_retention_reading looks[LANES_MAX];
static double heads[LANES_MAX];
static uint64_t now, random_state;
/* The extremes that run() saw. */
static unsigned step_min, step_max, base_changes;
static uint8_t base_max_seen;

static double
uniform(void)
{
	return ((double)(random_next(&random_state) >> 11) + 0.5) * 0x1p-53;
}

/* About Poisson: a normal distribution, never below 0. */
static double
noise(double mean)
{
	const double z = sqrt(-2 * log(uniform())) * cos(6.283185 * uniform());
	const double n = mean + z * sqrt(mean);

	return n < 0 ? 0 : n;
}

static void
grow(const struct program *p, unsigned level, uint64_t ns)
{
	now += ns;
	for (size_t i = 0; i < p->lanes; i++) {
		const double n = p->rate[i][level] * (double)ns / 1e9;

		heads[i] += p->noisy ? noise(n) : n;
		looks[i].entries = p->entries;
		looks[i].head = (uint64_t)heads[i];
	}
}

/*
 * Run the bursts of some time, then one burst that is measured, and a decision.
 */
static void
tick(const struct program *p, uint64_t ns)
{
	const uint64_t length = tl_retention_length(&r);
	const uint64_t period = tl_retention_period(&r);
	const bool bursts = r.plan.period_ns > 0;
	const uint64_t count = bursts ? ns / period : 0;
	const uint8_t burst =
	    r.plan.burst_level < r.base ? r.plan.burst_level : r.base;

	for (uint64_t i = 0; i < count; i++)
		grow(p, burst, length);
	grow(p, r.base, ns - count * length);
	tl_retention_read(&r, looks, now, count * length);
	if (bursts && (count > 0 || uniform() < (double)ns / (double)period)) {
		grow(p, burst, length);
		grow(p, r.base, 50000); /* the loop wakes late */
		tl_retention_read(&r, looks, now, length);
	}
	tl_retention_decide(&r, now);
}

static void
run(const struct program *p, double seconds)
{
	const uint64_t end = now + (uint64_t)(seconds * 1e9);

	step_min = r.step;
	step_max = r.step;
	base_max_seen = r.base;
	base_changes = 0;
	while (now < end) {
		const uint8_t before = r.base;

		tick(p, SECOND / 4);
		step_min = r.step < step_min ? r.step : step_min;
		step_max = r.step > step_max ? r.step : step_max;
		base_max_seen = r.base > base_max_seen ? r.base : base_max_seen;
		base_changes += r.base != before;
	}
}

static void
begin(const struct program *p, const struct tl_retention_plan *plan,
    uint8_t base)
{
	now = SECOND;
	random_state = 7;
	for (size_t i = 0; i < LANES_MAX; i++)
		heads[i] = 0;
	ck_assert_ok(tl_retention_init(&r, p->lanes));
	tl_retention_want(&r, base);
	tl_retention_configure(&r, plan);
}

/* The mean need of the tightest lane; 1 is all of its room. */
static double
load(const struct program *p)
{
	const double share = r.plan.period_ns
				 ? (double)tl_retention_length(&r) /
				       (double)tl_retention_period(&r)
				 : 0;
	const uint8_t burst =
	    r.plan.burst_level < r.base ? r.plan.burst_level : r.base;
	double most = 0;

	for (size_t i = 0; i < p->lanes; i++) {
		const double rate = p->rate[i][r.base] * (1 - share) +
				    p->rate[i][burst] * share;

		most = fmax(most,
		    rate * (double)r.plan.keep_ns / 1e9 / (double)p->entries);
	}
	return most;
}

static void
times(struct program *p, double factor)
{
	for (size_t i = 0; i < p->lanes; i++)
		for (unsigned l = 0; l < LEVELS; l++)
			p->rate[i][l] *= factor;
}

/* Set one rate for base levels from 6 on, and another for lower levels. */
static void
fill(struct program *p, size_t lane, double base, double burst)
{
	for (unsigned l = 0; l < LEVELS; l++)
		p->rate[lane][l] = l < 6 ? burst : base;
	p->rate[lane][TIMELINE_LEVEL_NONE] = 0;
}

static const struct tl_retention_plan minute = { .keep_ns = 60 * SECOND,
	.length_ns = 100000,
	.period_ns = 10000000,
	.burst_level = 4 };

TEST_FILE(.timeout = 120);

TEST(where_there_is_room_bursts_are_as_configured)
{
	struct program p = { .lanes = 2, .entries = 1 << 20 };

	fill(&p, 0, 1000, 100000);
	fill(&p, 1, 10, 1000);
	begin(&p, &minute, 6);
	run(&p, 30);
	ck_assert_uint_eq(step_max, 0);
	ck_assert_uint_eq(tl_retention_length(&r), 100000);
	ck_assert_uint_eq(tl_retention_period(&r), 10000000);
	tl_retention_free(&r);
}

/*
 * The need is a few per cent too high, which is within the accuracy of the
 * rates.
 */
TEST(a_little_too_much_is_left_alone)
{
	struct program p = { .lanes = 1, .entries = 60000 };

	/* the base needs 0.1 of the room, bursts 0.8 and a little */
	fill(&p, 0, 100, 100 + 800 / 0.97 * 100);
	begin(&p, &minute, 6);
	run(&p, 60);
	ck_assert_uint_eq(step_max, 0);
	times(&p, 1.1);
	run(&p, 60);
	ck_assert_uint_gt(step_max, 0);
	tl_retention_free(&r);
}

/* The rings and rates of programs whose rate jumps a hundredfold and back. */
static const struct {
	uint64_t entries;
	double base, burst;
	bool noisy;
} jumps[] = {
	{ 1 << 16, 8, 40000, false },
	{ 1 << 16, 8, 40000, true },
	{ 1 << 18, 30, 200000, false },
	{ 1 << 18, 30, 200000, true },
	{ 1 << 20, 100, 1000000, true },
	{ 1 << 22, 500, 3000000, true },
};

TEST(it_converges_when_the_rate_jumps_a_hundredfold,
    .to = (int)(sizeof(jumps) / sizeof(jumps[0])))
{
	struct program p = { .lanes = 2,
		.entries = jumps[_i].entries,
		.noisy = jumps[_i].noisy };
	unsigned quiet_step;

	fill(&p, 0, jumps[_i].base, jumps[_i].burst);
	fill(&p, 1, jumps[_i].base / 2, jumps[_i].burst / 2);
	begin(&p, &minute, 6);
	run(&p, 30);
	quiet_step = r.step;
	times(&p, 100);
	run(&p, 3);
	ck_assert_msg(r.step > quiet_step, "step %u", r.step);
	run(&p, 17); /* the control may take so long to settle */
	run(&p, 60);
	ck_assert_msg(step_max - step_min <= 1, "steps %u to %u", step_min,
	    step_max);
	ck_assert_msg(load(&p) <= 1, "load %g", load(&p));
	/* the room is used, up to the width of a step */
	ck_assert_msg(load(&p) > 0.6, "load %g", load(&p));
	times(&p, 0.01);
	run(&p, 30);
	run(&p, 60);
	ck_assert_msg(step_max - step_min <= 1, "back: steps %u to %u",
	    step_min, step_max);
	ck_assert_uint_le(abs((int)r.step - (int)quiet_step), 1);
	tl_retention_free(&r);
}

TEST(the_busiest_lane_decides)
{
	struct program p = { .lanes = 4, .entries = 1 << 18, .noisy = true };

	for (size_t i = 0; i < 4; i++)
		fill(&p, i, 10, 100);
	fill(&p, 2, 2000, 2000000);
	begin(&p, &minute, 6);
	run(&p, 30);
	ck_assert_uint_gt(r.step, 0);
	run(&p, 60);
	ck_assert_uint_le(step_max - step_min, 1);
	ck_assert(load(&p) <= 1 && load(&p) > 0.6);
	tl_retention_free(&r);
}

TEST(bursts_never_stop_but_cost_nothing_where_there_is_no_room)
{
	struct program p = { .lanes = 1, .entries = 1 << 14 };

	fill(&p, 0, 100000, 1000000);
	begin(&p, &minute, 6);
	run(&p, 30);
	ck_assert_uint_eq(r.step, TL_RETENTION_STEPS);
	ck_assert_uint_eq(r.base, 6); /* the base may not be raised */
	ck_assert(tl_retention_scale(&r) < 0.001);
	ck_assert_uint_gt(tl_retention_length(&r), 0);
	ck_assert_uint_ge(tl_retention_period(&r), SECOND);
	tl_retention_free(&r);
}

TEST(bursts_get_shorter_first_and_then_rarer)
{
	struct program p = { .lanes = 1 };

	begin(&p, &minute, 6);
	r.step = 4;
	ck_assert_uint_eq(tl_retention_length(&r), 50000);
	ck_assert_uint_eq(tl_retention_period(&r), 10000000);
	r.step = 16;
	ck_assert_uint_eq(tl_retention_length(&r), 12500);
	ck_assert_uint_eq(tl_retention_period(&r), 20000000);
	tl_retention_free(&r);
}

/* The rate falls to a quarter with each level. */
static void
fill_levels(struct program *p, double rate)
{
	for (unsigned l = 0; l < LEVELS; l++)
		p->rate[0][l] = rate / pow(4, l);
	p->rate[0][TIMELINE_LEVEL_NONE] = 0;
}

static const struct tl_retention_plan raising = { .keep_ns = 10 * SECOND,
	.length_ns = 100000,
	.period_ns = 10000000,
	.burst_level = 1,
	.base_max = 7 };

TEST(the_priority_is_raised_as_far_as_needed_and_stays)
{
	struct program p = { .lanes = 1, .entries = 1 << 16, .noisy = true };

	fill_levels(&p, 1e6); /* 6554/s fit: level 4 logs 3900/s */
	begin(&p, &raising, 2);
	run(&p, 30);
	ck_assert_uint_eq(r.base, 4);
	run(&p, 300);
	ck_assert_uint_eq(r.base, 4);
	ck_assert_uint_eq(base_changes, 0);
	ck_assert(load(&p) <= 1);
	tl_retention_free(&r);
}

TEST(it_is_raised_no_further_than_allowed)
{
	struct program p = { .lanes = 1, .entries = 1 << 16 };

	fill_levels(&p, 1e12);
	begin(&p, &raising, 2);
	run(&p, 120);
	ck_assert_uint_eq(r.base, 7);
	tl_retention_free(&r);
}

TEST(it_is_lowered_again_when_there_is_room)
{
	struct program p = { .lanes = 1, .entries = 1 << 16, .noisy = true };

	fill_levels(&p, 1e6);
	begin(&p, &raising, 2);
	run(&p, 60);
	ck_assert_uint_eq(r.base, 4);
	fill_levels(&p, 1e4);
	run(&p, 60);
	ck_assert_uint_eq(r.base, 2);
	run(&p, 120);
	ck_assert_uint_eq(base_changes, 0);
	tl_retention_free(&r);
}

TEST(without_bursts_it_is_raised_and_lowered_too)
{
	struct tl_retention_plan plan = raising;
	struct program p = { .lanes = 1, .entries = 1 << 16, .noisy = true };

	plan.period_ns = 0;
	fill_levels(&p, 1e6);
	begin(&p, &plan, 2);
	run(&p, 30);
	ck_assert_uint_eq(r.base, 4);
	run(&p, 300);
	ck_assert_uint_eq(base_changes, 0);
	fill_levels(&p, 1e4);
	run(&p, 60);
	ck_assert_uint_eq(r.base, 2);
	tl_retention_free(&r);
}

/*
 * Nothing is logged on the levels above, so only a try shows whether there is
 * room.  The tries become rarer.
 */
TEST(what_cannot_be_told_is_tried_ever_more_seldom)
{
	struct tl_retention_plan plan = raising;
	struct program p = { .lanes = 1, .entries = 1 << 16 };
	unsigned early;

	plan.period_ns = 0;
	for (unsigned l = 0; l <= 5; l++)
		p.rate[0][l] = 1e5;
	begin(&p, &plan, 5);
	run(&p, 60);
	early = base_changes;
	ck_assert_uint_ge(early, 3);
	ck_assert_uint_le(base_max_seen, 6);
	run(&p, 600);
	ck_assert_uint_le(base_changes, early + 4);
	tl_retention_free(&r);
}

TEST(somebody_elses_priority_is_the_wish)
{
	struct program p = { .lanes = 1, .entries = 1 << 16, .noisy = true };

	fill_levels(&p, 1e6);
	begin(&p, &raising, 2);
	run(&p, 60);
	ck_assert_uint_eq(r.base, 4);
	tl_retention_want(&r, 6); /* higher than needed: the base stays */
	run(&p, 120);
	ck_assert_uint_eq(r.base, 6);
	ck_assert_uint_eq(base_changes, 0);
	tl_retention_want(&r, 8); /* beyond the maximum: the base stays, too */
	run(&p, 120);
	ck_assert_uint_eq(r.base, 8);
	tl_retention_free(&r);
}

TEST(without_keep_nothing_is_controlled)
{
	struct tl_retention_plan plan = raising;
	struct program p = { .lanes = 1, .entries = 64 };

	plan.keep_ns = 0;
	fill_levels(&p, 1e9);
	begin(&p, &plan, 2);
	run(&p, 60);
	ck_assert_uint_eq(r.base, 2);
	ck_assert_uint_eq(r.step, 0);
	tl_retention_free(&r);
}
