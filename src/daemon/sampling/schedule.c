/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.c - the start and the level of the next sample.
 */
#include "daemon/sampling/bursts.h"

#include <assert.h>
#include <errno.h>
#include <sys/random.h>
#include <time.h>

uint64_t
tl_schedule_seed(void)
{
	struct timespec now;
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return seed;
	/* any seed will do before the kernel's pool is ready */
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000007 + (uint64_t)now.tv_nsec;
}

/* splitmix64: a counter in steps of the golden ratio, mixed. */
static uint64_t
draw(struct tl_schedule *s)
{
	uint64_t x = s->random += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* Draw uniformly from [0, 1). */
static double
draw_share(struct tl_schedule *s)
{
	return (double)(draw(s) >> 11) * 0x1p-53;
}

void
tl_schedule_init(struct tl_schedule *s, const struct tl_config_bursts *plan,
    uint64_t seed, uint64_t now_ns)
{
	assert(
	    plan->level_count > 0 && plan->level_count <= TL_CONFIG_LEVELS_MAX);
	assert(plan->length_ns > 0 && plan->period_ns > 0);
	*s = (struct tl_schedule){ .plan = *plan,
		.length_ns = plan->length_ns,
		.period_ns = plan->period_ns,
		.random = seed };
	s->at_ns = now_ns + (uint64_t)(draw_share(s) * (double)s->period_ns);
}

void
tl_schedule_pace(struct tl_schedule *s, uint64_t length_ns, uint64_t period_ns)
{
	assert(length_ns > 0 && period_ns > 0);
	s->length_ns = length_ns;
	s->period_ns = period_ns;
}

void
tl_schedule_next(struct tl_schedule *s, uint64_t now_ns)
{
	const double period = (double)s->period_ns;
	const double move = s->plan.jitter * (draw_share(s) - 0.5);
	const uint64_t distance = (uint64_t)(period * (1 + move));
	const uint64_t over = s->length_ns + TL_SCHEDULE_GAP_NS;

	s->at_ns += distance > over ? distance : over;
	/* If the sample is late by more than its distance, continue from
	 * now. */
	if (s->at_ns < now_ns + over)
		s->at_ns = now_ns + (distance > over ? distance : over);
}

uint8_t
tl_schedule_level(struct tl_schedule *s)
{
	const struct tl_config_bursts *plan = &s->plan;
	double all = 0, weight = 1, at;

	for (size_t i = 0; i < plan->level_count; i++, weight /= plan->rarer)
		all += weight;
	at = draw_share(s) * all;
	weight = 1;
	for (size_t i = 0; i + 1 < plan->level_count; i++) {
		if (at < weight)
			return plan->levels[i];
		at -= weight;
		weight /= plan->rarer;
	}
	return plan->levels[plan->level_count - 1];
}
