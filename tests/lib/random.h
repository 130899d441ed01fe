/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random.h - reproducible random numbers for tests, from a seed.
 */
#ifndef TESTS_LIB_RANDOM_H
#define TESTS_LIB_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

/*
 * The number of rounds of a random test.  TEST_FEWER=10 makes a tenth, for slow
 * machines such as valgrind's.
 */
static inline int
random_rounds(int rounds)
{
	const char *fewer = getenv("TEST_FEWER");
	const int by = fewer ? atoi(fewer) : 1;

	return by > 1 && rounds >= by ? rounds / by : rounds;
}

/*
 * True if the machine is emulated in software; a test with a limit in seconds
 * proves nothing there.
 */
static inline int
random_is_slow(void)
{
	return random_rounds(10) < 10;
}

/* The step of a loop over all places, multiplied by TEST_FEWER. */
static inline uint64_t
random_step(uint64_t step)
{
	return step * (10 / (uint64_t)random_rounds(10));
}

/* splitmix64 (Steele, Lea and Flood 2014); any seed is good. */
static inline uint64_t
random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static inline uint64_t
random_next(uint64_t *state)
{
	return random_mix(*state += 0x9e3779b97f4a7c15);
}

/* 0 to n - 1, nearly evenly. */
static inline uint64_t
random_below(uint64_t *state, uint64_t n)
{
	return random_next(state) % n;
}

#endif
