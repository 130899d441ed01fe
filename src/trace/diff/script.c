/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.c - find the shortest script by bisection.
 *
 *	box: a piece of left against a piece of right
 *	  1. what both begin with is the same, and what both end with
 *	  2. walk from both corners, one more difference at a time; where the
 *	     walks meet the box falls into two
 *
 * A walk keeps, for each diagonal k = x - y, the furthest x that it can reach
 * with a number of differences.  Boxes wait on an explicit stack, the leftmost
 * on top, so that the script is made from left to right.
 */
#include "trace/diff/script.h"

#include <errno.h>
#include <stdlib.h>

/* Compare left[x, x_end) with right[y, y_end); the last `same` elements of both
 * match. */
struct box {
	uint64_t x, x_end;
	uint64_t y, y_end;
	uint64_t same;
};

enum { DIAGONALS = 2 * TL_DIFF_COST_MAX + 3 };

/* A diagonal that is not reached yet; still negative after adding 1. */
#define NOWHERE (INT64_MIN / 4)

struct search {
	const uint64_t *left;
	const uint64_t *right;
	struct tl_diff_script *script;
	struct box *boxes;
	size_t count;
	size_t capacity;
	/* the furthest x, by diagonal: [k + TL_DIFF_COST_MAX + 1] */
	int64_t ahead[DIAGONALS];
	int64_t back[DIAGONALS];
};

/* One of the two walks through a box. */
struct walk {
	int64_t *furthest; /* points to diagonal 0 */
	const uint64_t *left;
	const uint64_t *right;
	int64_t step; /* 1; -1: from the far corner */
	int64_t width;
	int64_t height;
};

static int
reserve(void **array, size_t count, size_t *capacity, size_t each)
{
	const size_t more = *capacity * 2 + 16;
	void *grown;

	if (count < *capacity)
		return 0;
	grown = realloc(*array, more * each);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = more;
	return 0;
}

/* Append a run; removed and added elements between equal ones are one run. */
static int
put(struct tl_diff_script *s, struct tl_diff_run run)
{
	struct tl_diff_run *last = s->count ? &s->runs[s->count - 1] : NULL;
	int rc;

	if (run.removed == 0 && run.added == 0 && run.same == 0)
		return 0;
	if (last && (last->same == 0 || run.removed + run.added == 0)) {
		last->removed += run.removed;
		last->added += run.added;
		last->same += run.same;
		return 0;
	}
	rc = reserve((void **)&s->runs, s->count, &s->capacity, sizeof(run));
	if (rc == 0)
		s->runs[s->count++] = run;
	return rc;
}

static int
push(struct search *s, struct box box)
{
	const int rc =
	    reserve((void **)&s->boxes, s->count, &s->capacity, sizeof(box));

	if (rc == 0)
		s->boxes[s->count++] = box;
	return rc;
}

/* The number of equal elements at the begin of both. */
static uint64_t
common_begin(const struct search *s, const struct box *b)
{
	uint64_t n = 0;

	while (b->x + n < b->x_end && b->y + n < b->y_end &&
	       s->left[b->x + n] == s->right[b->y + n])
		n++;
	return n;
}

static uint64_t
common_end(const struct search *s, const struct box *b)
{
	uint64_t n = 0;

	while (b->x + n < b->x_end && b->y + n < b->y_end &&
	       s->left[b->x_end - 1 - n] == s->right[b->y_end - 1 - n])
		n++;
	return n;
}

/* Where d differences enter diagonal k, from the diagonals beside it, unless
 * that leads out of the box. */
static int64_t
enter(const struct walk *w, int64_t k, int64_t d)
{
	const int64_t over = k > -d ? w->furthest[k - 1] + 1 : NOWHERE;
	const int64_t down = k < d ? w->furthest[k + 1] : NOWHERE;
	int64_t x = NOWHERE;

	if (d == 0)
		return 0;
	if (over >= 0 && over <= w->width)
		x = over;
	if (down >= 0 && down - k <= w->height && down > x)
		x = down;
	return x;
}

/* Continue along equal elements: the furthest x; < 0: not reached. */
static int64_t
advance(const struct walk *w, int64_t k, int64_t d)
{
	int64_t x = enter(w, k, d);

	while (x >= 0 && x < w->width && x - k < w->height &&
	       w->left[x * w->step] == w->right[(x - k) * w->step])
		x++;
	w->furthest[k] = x;
	return x;
}

/* Advance all diagonals to d differences.  true: the walk met the other one,
 * which has covered diagonals up to met, at *x on diagonal *k. */
static bool
advance_all(const struct walk *w, const struct walk *other, int64_t d,
    int64_t met, int64_t *x, int64_t *k)
{
	const int64_t delta = w->width - w->height;

	for (int64_t i = -d; i <= d; i += 2) {
		const int64_t far = advance(w, i, d);
		const int64_t across = delta - i;

		if (across < -met || across > met || ((across + met) & 1) ||
		    far + other->furthest[across] < w->width)
			continue;
		*x = far;
		*k = i;
		return true;
	}
	return false;
}

/* Where the walk from the near corner got furthest with d differences. */
static void
find_furthest(const struct walk *w, int64_t d, int64_t *x, int64_t *k)
{
	int64_t best = -1;

	for (int64_t i = -d; i <= d; i += 2) {
		const int64_t far = w->furthest[i];

		if (far >= 0 && 2 * far - i > best) {
			best = 2 * far - i;
			*x = far;
			*k = i;
		}
	}
}

/* A point on a short way through a box, which is not a corner. */
static void
find_middle(struct search *s, const struct box *b, uint64_t *at_x,
    uint64_t *at_y)
{
	const struct walk ahead = { s->ahead + TL_DIFF_COST_MAX + 1,
		s->left + b->x, s->right + b->y, 1, (int64_t)(b->x_end - b->x),
		(int64_t)(b->y_end - b->y) };
	const struct walk back = { s->back + TL_DIFF_COST_MAX + 1,
		s->left + b->x_end - 1, s->right + b->y_end - 1, -1,
		ahead.width, ahead.height };
	int64_t x = 0, k = 0;

	for (int64_t d = 0;; d++) {
		if (advance_all(&ahead, &back, d, d - 1, &x, &k))
			break;
		if (advance_all(&back, &ahead, d, d, &x, &k)) {
			k = ahead.width - ahead.height - k;
			x = ahead.width - x;
			break;
		}
		if (d == TL_DIFF_COST_MAX) {
			find_furthest(&ahead, d, &x, &k);
			s->script->guessed = true;
			break;
		}
	}
	*at_x = b->x + (uint64_t)x;
	*at_y = b->y + (uint64_t)(x - k);
}

/* Remove matching ends of a box, and push the two boxes of the rest. */
static int
split(struct search *s, struct box b)
{
	const uint64_t begin = common_begin(s, &b);
	uint64_t end, x, y;
	int rc = put(s->script, (struct tl_diff_run){ .same = begin });

	b.x += begin;
	b.y += begin;
	end = common_end(s, &b);
	b.x_end -= end;
	b.y_end -= end;
	b.same += end;
	if (rc < 0)
		return rc;
	if (b.x == b.x_end || b.y == b.y_end)
		return put(s->script, (struct tl_diff_run){ b.x_end - b.x,
					  b.y_end - b.y, b.same });
	find_middle(s, &b, &x, &y);
	rc = push(s, (struct box){ x, b.x_end, y, b.y_end, b.same });
	if (rc == 0)
		rc = push(s, (struct box){ b.x, x, b.y, y, 0 });
	return rc;
}

int
tl_diff_script_make(struct tl_diff_script *script, struct tl_diff_list left,
    struct tl_diff_list right)
{
	struct search *s = calloc(1, sizeof(*s));
	int rc = s ? 0 : -ENOMEM;

	if (rc == 0) {
		s->left = left.items;
		s->right = right.items;
		s->script = script;
		rc = push(s, (struct box){ 0, left.count, 0, right.count, 0 });
	}
	while (rc == 0 && s->count > 0)
		rc = split(s, s->boxes[--s->count]);
	if (s)
		free(s->boxes);
	free(s);
	return rc;
}

void
tl_diff_script_free(struct tl_diff_script *script)
{
	free(script->runs);
	*script = (struct tl_diff_script){ 0 };
}
