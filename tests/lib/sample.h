/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - a third of a test's repetitions: SAMPLE=0, 1 or 2 chooses it
 * (tests/run), and without SAMPLE all are run.
 *
 *	for (i = sample_first(0); i < count; i += sample_step())
 */
#ifndef TESTS_LIB_SAMPLE_H
#define TESTS_LIB_SAMPLE_H

#include <stdlib.h>

static inline unsigned
sample_step(void)
{
	return getenv("SAMPLE") ? 3 : 1;
}

/* The first repetition; loops of other numbers begin with other ones. */
static inline unsigned
sample_first(unsigned number)
{
	const char *sample = getenv("SAMPLE");

	return sample ? ((unsigned)atoi(sample) + number) % 3 : 0;
}

#endif
