/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - is what a cell says what stands there? */
#include "trace/check.h"

#include "trace/shape.h"

#include <errno.h>

/* What a failed seek means: where something is lost, nothing. */
static int
judge(const struct tl_trace_lane *lane, int rc)
{
	if (rc != -EBADMSG)
		return rc;
	return lane->holes ? 0 : TL_CELL_WRONG;
}

/* The object at the place of a walk, which may begin a block. */
static int
next_point(struct tl_walk *walk, struct tl_point *point)
{
	int rc;

	do {
		rc = tl_walk_next(walk, point);
	} while (rc == TL_WALK_BLOCK);
	return rc;
}

static bool
is_footer(const struct tl_point *point, uint32_t message, uint64_t size)
{
	return point->kind == TL_TRACE_FOOTER && point->message == message &&
	       point->size == size &&
	       point->children <= size / TL_POINT_SIZE_MIN;
}

int
tl_check_jump(struct tl_walk *walk, uint64_t level, uint32_t message,
    struct tl_point *footer)
{
	struct tl_trace_lane *lane = walk->lane;
	const struct tl_span_place *span =
	    lane->holes ? NULL : tl_trace_lane_span(lane, walk->at);
	int rc;

	if (!span)
		return 0;
	if (span->depth + UINT64_C(1) != level)
		return TL_CELL_WRONG;
	rc = tl_walk_seek(walk, span->end);
	if (rc == 0)
		rc = next_point(walk, footer);
	if (rc == TL_WALK_POINT &&
	    is_footer(footer, message, span->end - span->start))
		return 1;
	if (rc < 0 && rc != -EBADMSG)
		return rc;
	return lane->holes ? tl_walk_seek(walk, span->start) : TL_CELL_WRONG;
}

/* From child to child of one container. */
struct count {
	struct tl_walk walk;
	struct tl_inside inside;
	uint64_t level; /* spans that are open in the content */
	uint64_t to;
	uint64_t children;
	bool over; /* the last child never ends */
};

static int
count_point(struct count *c, const struct tl_point *point)
{
	const bool inside = c->inside.nested > 0;
	struct tl_point footer;
	int rc;

	if (point->kind == TL_TRACE_FOOTER && !inside)
		return TL_CELL_WRONG; /* the container itself ends here */
	c->children += tl_inside_step(&c->inside, point->kind, point->silent);
	if (inside || point->kind != TL_TRACE_SPAN || c->walk.lane->holes)
		return 0;
	if (tl_trace_lane_open(c->walk.lane, c->walk.at)) {
		c->over = true;
		return 0;
	}
	rc = tl_check_jump(&c->walk, c->level + 1, point->message, &footer);
	if (rc == 1)
		c->inside.nested = 0;
	return rc < 0 ? rc : 0;
}

static int
count_all(struct count *c)
{
	const struct tl_trace_lane *lane = c->walk.lane;
	struct tl_point point;
	int rc = 0;

	while (rc == 0 && !c->over && !lane->holes &&
	       (c->inside.nested > 0 || c->walk.at < c->to)) {
		rc = next_point(&c->walk, &point);
		if (rc == TL_WALK_END)
			break;
		if (rc == TL_WALK_POINT)
			rc = count_point(c, &point);
	}
	return rc < 0 ? rc : 0;
}

/* Does child number begin at a place (or, at the end of the stream, would
 * it), counted from a mark (NULL: from the first child)? */
static int
check_count(struct tl_trace *trace, struct tl_trace_lane *lane, struct count *c,
    uint64_t content, const struct tl_mark_place *from, uint64_t number)
{
	const uint64_t begin = from ? from->at : content;
	int rc;

	tl_walk_init(&c->walk, trace, lane);
	c->children = from ? from->number : 0;
	rc = begin == 0 ? 0 : tl_walk_seek(&c->walk, begin);
	if (rc == 0)
		rc = count_all(c);
	tl_walk_free(&c->walk);
	if (rc < 0 || lane->holes)
		return judge(lane, rc);
	if (c->over ? c->to != lane->size : c->walk.at != c->to)
		return TL_CELL_WRONG;
	if (c->inside.nested > 0 && c->to != lane->size)
		return TL_CELL_WRONG;
	return c->children == number ? 0 : TL_CELL_WRONG;
}

static bool
is_trusted(const struct tl_trace *trace, const struct tl_trace_lane *lane)
{
	return trace->state != TL_INDEX_READ || lane->holes;
}

int
tl_check_mark(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, struct tl_mark_place *mark)
{
	struct count c = { .level = mark->depth, .to = mark->at };
	int rc;

	if (mark->checked || is_trusted(trace, lane))
		return 0;
	rc = check_count(trace, lane, &c, content,
	    tl_trace_lane_mark(lane, content, mark->at, mark->depth,
		UINT64_MAX),
	    mark->number);
	mark->checked = rc == 0;
	return rc;
}

/* All children of what goes on to the end of the stream. */
static int
check_to_end(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, uint32_t level, uint64_t number)
{
	struct count c = { .level = level, .to = lane->size };

	return check_count(trace, lane, &c, content,
	    tl_trace_lane_mark(lane, content, lane->size, level, UINT64_MAX),
	    number);
}

int
tl_check_open(struct tl_trace *trace, struct tl_trace_lane *lane,
    struct tl_mark_place *open)
{
	int rc;

	if (open->checked || is_trusted(trace, lane))
		return 0;
	rc = check_to_end(trace, lane, open->at, open->depth + 1, open->number);
	open->checked = rc == 0;
	return rc;
}

int
tl_check_root(struct tl_trace *trace, struct tl_trace_lane *lane)
{
	int rc;

	if (lane->checked || is_trusted(trace, lane))
		return 0;
	rc = check_to_end(trace, lane, 0, 0, lane->children);
	lane->checked = rc == 0;
	return rc;
}
