/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overwritten.h - where the entries of an input begin to be all there.
 *
 * Lanes turn at different times: until the oldest entry of the busiest one,
 * entries of some CPUs are there and those of others are not.
 */
#ifndef TL_DUMP_OVERWRITTEN_H
#define TL_DUMP_OVERWRITTEN_H

#include "base/text.h"
#include "event/filter.h"
#include "source/sources.h"

/* Of one input. */
struct tl_overwritten {
	const char *name; /* NULL: it is the only one */
	int64_t since_ns; /* from then on none is overwritten */
	int64_t first_ns; /* the oldest entry */
	uint64_t *cpus;   /* bits of those with overwritten entries */
	bool fallback;    /* so has a lane of no CPU */
	bool any;         /* is any overwritten? */
	bool due, said;   /* by a listing */
};

/* One for each input, of the CPUs that pass the filter.  0 or -errno. */
int tl_overwritten_find(struct tl_overwritten **list,
    const struct tl_sources *inputs, const struct tl_filter *filter);
void tl_overwritten_free(struct tl_overwritten *list, size_t count);

/* "before 21:03:25.123: entries of CPU 1 and 3 are overwritten" */
void tl_overwritten_put(struct tl_text *text, const struct tl_overwritten *o);

/* Say for each input that is complete for less than a tenth of its time since
 * when it is, and how more is kept.  0 or -errno. */
int tl_overwritten_warn(struct tl_text *text, const struct tl_sources *inputs,
    const struct tl_filter *filter);

#endif
