/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overwritten.h - the time from which an input has all its entries.
 *
 * Lanes overwrite their oldest entries at different times: before the oldest
 * entry of the busiest lane, entries of some CPUs exist while entries of other
 * CPUs have been overwritten.
 */
#ifndef TL_DUMP_OVERWRITTEN_H
#define TL_DUMP_OVERWRITTEN_H

#include "base/text.h"
#include "event/filter.h"
#include "source/sources.h"

/* The overwritten entries of one input. */
struct tl_overwritten {
	const char *name; /* NULL: the only input */
	int64_t since_ns; /* no entry after this time is overwritten */
	int64_t first_ns; /* the oldest entry */
	uint64_t *cpus;   /* a bit for each CPU with overwritten entries */
	bool fallback;    /* a lane of no CPU has overwritten entries */
	bool any;         /* any lane has overwritten entries */
	bool due, said;   /* state of a listing */
};

/* Make an element for each input, for the CPUs that pass the filter.  0 or
 * -errno. */
int tl_overwritten_find(struct tl_overwritten **list,
    const struct tl_sources *inputs, const struct tl_filter *filter);
void tl_overwritten_free(struct tl_overwritten *list, size_t count);

/* Append "before 21:03:25.123: entries of CPU 1 and 3 are overwritten". */
void tl_overwritten_put(struct tl_text *text, const struct tl_overwritten *o);

/* Append a line for each input that is complete for less than a tenth of its
 * time: the time from which the input is complete, and how to keep more.  0 or
 * -errno. */
int tl_overwritten_warn(struct tl_text *text, const struct tl_sources *inputs,
    const struct tl_filter *filter);

#endif
