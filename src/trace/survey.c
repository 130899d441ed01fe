/* SPDX-License-Identifier: Apache-2.0 */
/* survey.c - once along a damaged stream, with a stack of what is open. */
#include "trace/survey.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* A container whose begin is known; those without one count as orphans of the
 * one around them. */
struct level {
	uint64_t start;  /* of its content */
	uint64_t number; /* spans that are open in it */
	uint64_t orphans;
	uint64_t children;
	uint64_t marked;
};

struct pass {
	struct tl_survey *survey;
	struct tl_walk walk;
	struct level *levels; /* 0: the thread itself */
	size_t depth;         /* of the innermost */
	size_t capacity;
};

static int
add_mark(struct pass *p, uint64_t at)
{
	struct tl_survey *s = p->survey;
	const struct level *top = &p->levels[p->depth];

	if (TL_ARRAY_ROOM(s->marks, s->mark_capacity, s->mark_count) < 0)
		return -ENOMEM;
	s->marks[s->mark_count++] = (struct tl_survey_mark){ top->start,
		top->children, at, top->orphans };
	return 0;
}

static int
add_child(struct pass *p, uint64_t at)
{
	struct level *top = &p->levels[p->depth];
	int rc = 0;

	if (at - top->marked >= TL_TRACE_MARK_EVERY) {
		rc = add_mark(p, at);
		top->marked = at;
	}
	top->children++;
	return rc;
}

/* Room for one more level inside the innermost. */
static int
reserve_level(struct pass *p)
{

	if (TL_ARRAY_ROOM(p->levels, p->capacity, p->depth + 1) < 0)
		return -ENOMEM;
	return 0;
}

static int
open_level(struct pass *p)
{
	const struct level *top = &p->levels[p->depth];
	const uint64_t number = top->number + top->orphans + 1;
	const int rc =
	    p->depth < TL_TRACE_DEPTH_MAX ? reserve_level(p) : -ENOSPC;

	if (rc == 0)
		p->levels[++p->depth] = (struct level){ .start = p->walk.at,
			.number = number,
			.marked = p->walk.at };
	return rc;
}

/* The innermost ends; what is short is read over. */
static int
close_level(struct pass *p, uint64_t end, enum tl_survey_end how)
{
	struct tl_survey *s = p->survey;
	const struct level *top = &p->levels[p->depth--];

	if (end - top->start < TL_TRACE_CELL_MIN)
		return 0;
	if (TL_ARRAY_ROOM(s->spans, s->span_capacity, s->span_count) < 0)
		return -ENOMEM;
	s->spans[s->span_count++] =
	    (struct tl_survey_span){ top->start, end, top->children, how };
	return 0;
}

static int
take_point(struct pass *p, const struct tl_point *point, uint64_t at)
{
	struct level *top = &p->levels[p->depth];
	int rc;

	if (point->kind != TL_TRACE_FOOTER) {
		rc = add_child(p, at);
		if (rc == 0 && point->kind == TL_TRACE_SPAN)
			rc = open_level(p);
		return rc;
	}
	if (top->orphans == 0 && p->depth > 0)
		return close_level(p, at, TL_SURVEY_FOOTER);
	rc = point->silent ? 0 : add_child(p, at);
	if (top->orphans > 0)
		top->orphans--;
	return rc;
}

static int
take_block(struct pass *p)
{
	const struct tl_trace_block *block =
	    &p->walk.lane->blocks[p->walk.block].block;
	const struct level *top = &p->levels[p->depth];
	int rc = 0;

	if (block->depth == top->number + top->orphans)
		return 0;
	while (rc == 0 && p->levels[p->depth].number > block->depth)
		rc = close_level(p, block->logical, TL_SURVEY_HOLE);
	p->levels[p->depth].orphans = block->depth - p->levels[p->depth].number;
	return rc;
}

static int
go_through(struct pass *p)
{
	struct tl_point point;
	int rc = 0;

	while (rc == 0) {
		const uint64_t at = p->walk.at;

		rc = tl_walk_next(&p->walk, &point);
		if (rc == TL_WALK_END)
			break;
		if (rc == TL_WALK_POINT)
			rc = take_point(p, &point, at);
		else if (rc == TL_WALK_BLOCK)
			rc = take_block(p);
	}
	while (rc == 0 && p->depth > 0)
		rc = close_level(p, p->walk.at, TL_SURVEY_STREAM);
	return rc;
}

static int
by_start(const void *a, const void *b)
{
	const struct tl_survey_span *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

static int
by_number(const void *a, const void *b)
{
	const struct tl_survey_mark *p = a, *q = b;

	if (p->start != q->start)
		return p->start < q->start ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

static int
make(struct tl_trace *trace, struct tl_trace_lane *lane, struct tl_survey *s)
{
	struct pass p = { .survey = s };
	int rc = reserve_level(&p);

	tl_walk_init(&p.walk, trace, lane);
	if (rc == 0) {
		p.levels[0] = (struct level){ 0 };
		rc = go_through(&p);
	}
	tl_walk_free(&p.walk);
	free(p.levels);
	if (s->span_count > 1)
		qsort(s->spans, s->span_count, sizeof(*s->spans), by_start);
	if (s->mark_count > 1)
		qsort(s->marks, s->mark_count, sizeof(*s->marks), by_number);
	return rc;
}

const struct tl_survey *
tl_survey_get(struct tl_trace *trace, struct tl_trace_lane *lane, int *rc)
{
	*rc = 0;
	if (lane->survey || lane->plain)
		return lane->survey;
	lane->survey = calloc(1, sizeof(*lane->survey));
	*rc = lane->survey ? make(trace, lane, lane->survey) : -ENOMEM;
	if (*rc == 0)
		return lane->survey;
	tl_survey_free(lane->survey);
	lane->survey = NULL;
	lane->plain = *rc == -ENOMEM || *rc == -ENOSPC;
	if (lane->plain)
		*rc = 0;
	return NULL;
}

void
tl_survey_free(struct tl_survey *survey)
{
	if (!survey)
		return;
	free(survey->spans);
	free(survey->marks);
	free(survey);
}

const struct tl_survey_span *
tl_survey_find_span(const struct tl_survey *s, uint64_t start)
{
	const struct tl_survey_span key = { .start = start };

	if (s->span_count == 0)
		return NULL;
	return bsearch(&key, s->spans, s->span_count, sizeof(key), by_start);
}

const struct tl_survey_mark *
tl_survey_find_mark(const struct tl_survey *s, uint64_t start, uint64_t number)
{
	const struct tl_survey_mark key = { .start = start, .number = number };
	size_t low = 0, high = s->mark_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (by_number(&s->marks[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || s->marks[low - 1].start != start)
		return NULL;
	return &s->marks[low - 1];
}
