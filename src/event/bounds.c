/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.c - bounds of differences, closed after each that is added.
 *
 * x[b] - x[a] <= most is an edge from a to b of that length, and what follows
 * from all of them is a shortest path.  The table holds every shortest path,
 * so a new edge is one look at each pair of ends: the path may lead over it.
 * A cycle of a negative length would say that a number is less than itself.
 */
#include "event/bounds.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define NONE INT64_MAX
/* Lengths beyond it are as good as none, and sums of three below it fit. */
#define LENGTH_MAX (INT64_MAX / 4)

struct tl_bounds {
	size_t count;
	int64_t most[]; /* of x[b] - x[a], row a, column b; NONE */
};

static int64_t *
most_of(struct tl_bounds *bounds, size_t a, size_t b)
{
	return &bounds->most[a * bounds->count + b];
}

int
tl_bounds_new(struct tl_bounds **bounds, size_t count)
{
	struct tl_bounds *b;

	if (count > TL_BOUNDS_MAX)
		return -E2BIG;
	b = malloc(sizeof(*b) + count * count * sizeof(b->most[0]));
	if (!b)
		return -ENOMEM;
	b->count = count;
	for (size_t i = 0; i < count * count; i++)
		b->most[i] = i / count == i % count ? 0 : NONE;
	*bounds = b;
	return 0;
}

void
tl_bounds_free(struct tl_bounds *bounds)
{
	free(bounds);
}

static int64_t
length_of(int64_t most)
{
	if (most > LENGTH_MAX)
		return NONE;
	return most < -LENGTH_MAX ? -LENGTH_MAX : most;
}

/* Two lengths, one behind the other. */
static int64_t
join(int64_t a, int64_t b)
{
	return a == NONE || b == NONE ? NONE : length_of(a + b);
}

/* An edge from a to b, which is possible: every path may be shorter now. */
static void
shorten(struct tl_bounds *bounds, size_t a, size_t b, int64_t length)
{
	if (length >= *most_of(bounds, a, b))
		return;
	for (size_t i = 0; i < bounds->count; i++) {
		const int64_t to = join(*most_of(bounds, i, a), length);

		for (size_t k = 0; k < bounds->count && to != NONE; k++) {
			const int64_t path = join(to, *most_of(bounds, b, k));

			if (path < *most_of(bounds, i, k))
				*most_of(bounds, i, k) = path;
		}
	}
}

static int64_t
lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int
tl_bounds_add(struct tl_bounds *bounds, size_t a, size_t b,
    struct tl_range range, int64_t *by)
{
	const int64_t there = length_of(range.most);
	const int64_t back =
	    range.least == INT64_MIN ? NONE : length_of(-range.least);
	int64_t cycle = join(there, back);

	assert(a < bounds->count && b < bounds->count && a != b);
	cycle = lesser(cycle, join(there, *most_of(bounds, b, a)));
	cycle = lesser(cycle, join(back, *most_of(bounds, a, b)));
	if (cycle < 0) {
		*by = -cycle;
		return -EDOM;
	}
	shorten(bounds, a, b, there);
	shorten(bounds, b, a, back);
	return 0;
}

struct tl_range
tl_bounds_of(const struct tl_bounds *bounds, size_t a, size_t b)
{
	const int64_t back = bounds->most[b * bounds->count + a];

	return (struct tl_range){
		.least = back == NONE ? INT64_MIN : -back,
		.most = bounds->most[a * bounds->count + b],
	};
}
