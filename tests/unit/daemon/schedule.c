/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.c - samples are drawn evenly.  The statistics use a fixed seed:
 * every run gives the same result.
 */
#include "daemon/sampling/bursts.h"
#include "lib/test.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 100000, BINS = 50 };

static const struct tl_config_bursts plan = { .levels = { 4, 3, 2 },
	.level_count = 3,
	.rarer = 5,
	.length_ns = 100000,
	.period_ns = 10000000,
	.jitter = 0.5 };
static const uint64_t start_ns = 1000000000000;

static struct tl_schedule
begin(const struct tl_config_bursts *how, uint64_t seed)
{
	struct tl_schedule s;

	tl_schedule_init(&s, how, seed, start_ns);
	return s;
}

TEST_FILE(.timeout = 60);

TEST(levels_come_as_seldom_as_they_should)
{
	static const double share[] = { 25.0 / 31, 5.0 / 31, 1.0 / 31 };
	unsigned count[TIMELINE_LEVEL_NONE] = { 0 };
	struct tl_schedule s = begin(&plan, 1);
	double chi = 0;

	for (unsigned i = 0; i < DRAWS; i++)
		count[tl_schedule_level(&s)]++;
	ck_assert_uint_eq(count[4] + count[3] + count[2], DRAWS);
	for (unsigned i = 0; i < 3; i++) {
		const double want = share[i] * DRAWS;

		chi += pow(count[4 - i] - want, 2) / want;
	}
	/* the 1 % limit */
	ck_assert_msg(chi < 9.21, "chi square %g of 2", chi);
}

TEST(one_level_is_always_drawn)
{
	struct tl_config_bursts one = plan;
	struct tl_schedule s;

	one.level_count = 1;
	s = begin(&one, 1);
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_uint_eq(tl_schedule_level(&s), 4);
}

/* The chi square of bins that should be even. */
static double
chi_even(const unsigned *bins)
{
	const double want = (double)DRAWS / BINS;
	double chi = 0;

	for (unsigned i = 0; i < BINS; i++)
		chi += pow(bins[i] - want, 2) / want;
	return chi;
}

static const double chi_max = 74.9; /* the 1 % limit of 49 degrees of freedom */

TEST(distances_are_even_around_the_period)
{
	struct tl_schedule s = begin(&plan, 2);
	unsigned bins[BINS] = { 0 };
	double before = 0, product = 0, square = 0;

	for (unsigned i = 0; i < DRAWS; i++) {
		const uint64_t at = s.at_ns;
		uint64_t distance;
		double off;

		tl_schedule_next(&s, at);
		distance = s.at_ns - at;
		ck_assert_uint_ge(distance, 7500000);
		ck_assert_uint_le(distance, 12500000);
		off = ((double)distance - 1e7) / 5e6;
		bins[(unsigned)((off + 0.5) * BINS * 0.999999)]++;
		product += off * before;
		square += off * off;
		before = off;
	}
	ck_assert_msg(chi_even(bins) < chi_max, "chi square %g",
	    chi_even(bins));
	/* successive distances do not correlate */
	ck_assert(fabs(product / square) < 3 / sqrt(DRAWS));
}

/* The chi square of the phases of samples within a program's period. */
static double
phase_chi(double jitter, uint64_t program_ns)
{
	struct tl_config_bursts how = plan;
	unsigned bins[BINS] = { 0 };
	struct tl_schedule s;

	how.jitter = jitter;
	s = begin(&how, 3);
	for (unsigned i = 0; i < DRAWS; i++) {
		/* every tenth sample, because neighbours still correlate */
		for (unsigned k = 0; k < 10; k++)
			tl_schedule_next(&s, s.at_ns);
		bins[s.at_ns % program_ns * BINS / program_ns]++;
	}
	return chi_even(bins);
}

TEST(every_part_of_a_programs_period_is_met)
{
	static const uint64_t periods_ns[] = { 10000000, 5000000, 20000000,
		30000000, 9999999, 1000000 };
	unsigned even = 0;

	for (size_t i = 0; i < sizeof(periods_ns) / sizeof(periods_ns[0]); i++)
		even += phase_chi(0.5, periods_ns[i]) < 2 * chi_max;
	ck_assert_uint_eq(even, sizeof(periods_ns) / sizeof(periods_ns[0]));
	/* without jitter, samples always meet the same phase */
	ck_assert(phase_chi(0, 10000000) > 1000 * chi_max);
}

TEST(what_was_missed_is_not_made_up)
{
	struct tl_schedule s = begin(&plan, 4);
	uint64_t later = s.at_ns + 3600 * UINT64_C(1000000000);

	tl_schedule_next(&s, later);
	ck_assert_uint_ge(s.at_ns, later + 7500000);
	ck_assert_uint_le(s.at_ns, later + 12500000);
	/* a short delay does not shift the schedule */
	later = s.at_ns;
	tl_schedule_next(&s, s.at_ns + 1000000);
	ck_assert_uint_le(s.at_ns, later + 12500000);
}

TEST(the_next_never_begins_before_the_last_has_ended)
{
	struct tl_config_bursts dense = plan;
	struct tl_schedule s;

	dense.length_ns = dense.period_ns;
	dense.jitter = 1;
	s = begin(&dense, 5);
	for (unsigned i = 0; i < DRAWS; i++) {
		const uint64_t at = s.at_ns;

		tl_schedule_next(&s, at + i % 1000);
		ck_assert_uint_ge(s.at_ns,
		    at + dense.length_ns + TL_SCHEDULE_GAP_NS);
	}
}

TEST(the_pace_can_be_changed_as_it_goes)
{
	struct tl_schedule s = begin(&plan, 6);
	uint64_t at;

	tl_schedule_pace(&s, 20000, 40000000);
	at = s.at_ns;
	tl_schedule_next(&s, at);
	ck_assert_uint_ge(s.at_ns - at, 30000000);
	ck_assert_uint_le(s.at_ns - at, 50000000);
	ck_assert_uint_eq(s.length_ns, 20000);
}

TEST(a_seed_draws_the_same_and_another_something_else)
{
	struct tl_schedule a = begin(&plan, 7), b = begin(&plan, 7),
			   c = begin(&plan, 8);
	unsigned same = 0;

	for (unsigned i = 0; i < 1000; i++) {
		tl_schedule_next(&a, a.at_ns);
		tl_schedule_next(&b, b.at_ns);
		tl_schedule_next(&c, c.at_ns);
		ck_assert_uint_eq(a.at_ns, b.at_ns);
		same += a.at_ns == c.at_ns;
	}
	ck_assert_uint_eq(same, 0);
	ck_assert_uint_ne(tl_schedule_seed(), tl_schedule_seed());
}
