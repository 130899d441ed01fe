/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.h - unknown numbers of which only differences are bounded.
 *
 *	least <= x[b] - x[a] <= most	for some a and b
 *
 * What is known of some pairs bounds others: every interval is kept as narrow
 * as all of them together make it.  Offsets of clocks are such numbers, from
 * what was sent by one host and received by another.
 */
#ifndef TL_EVENT_BOUNDS_H
#define TL_EVENT_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

enum { TL_BOUNDS_MAX = 512 }; /* numbers */

struct tl_bounds;

struct tl_range {
	int64_t least; /* INT64_MIN: no bound */
	int64_t most;  /* INT64_MAX: no bound */
};

/* Of count numbers nothing is known: 0, -ENOMEM, -E2BIG too many. */
int tl_bounds_new(struct tl_bounds **bounds, size_t count);
void tl_bounds_free(struct tl_bounds *bounds);

/*
 * x[b] - x[a] lies in a range.  0; -EDOM, and nothing is changed, when that
 * cannot be: *by is by how much all that is known, this included, misses
 * being possible.  a and b differ.
 */
int tl_bounds_add(struct tl_bounds *bounds, size_t a, size_t b,
    struct tl_range range, int64_t *by);

/* What is known of x[b] - x[a]. */
struct tl_range
tl_bounds_of(const struct tl_bounds *bounds, size_t a, size_t b);

#endif
