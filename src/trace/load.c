/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - load the children of a node from the stream of its thread.
 *
 *	content of the node
 *	| leaf | SPAN | its content ... | FOOTER | leaf | ...
 *	       child    ^ a cell has the end, so the content is not read
 *
 * Short contents are read.  If blocks are lost, a survey replaces the cells; if
 * a cell is wrong, the index is rebuilt and loading starts again.
 */
#include "trace/opened.h"
#include "trace/point.h"

#include <errno.h>

struct load {
	struct tl_trace *trace;
	struct tl_node *node;
	struct tl_walk walk;
	const struct tl_survey *survey; /* if blocks are lost; else NULL */
	struct tl_inside inside;
	uint64_t number; /* number of the next child */
	uint64_t first;  /* the first child to load */
	uint64_t last;
	struct tl_node *child; /* the open child, if loaded */
	struct tl_inside child_inside;
	uint64_t child_count; /* number of children of the open child */
};

/* End the open child, whose content ended at a place, and set how its span
 * ended, as far as known. */
static void
close_child(struct load *l, uint64_t end, const struct tl_point *footer)
{
	struct tl_node *child = l->child;

	if (!child)
		return;
	child->content_end = end;
	child->child_count = l->child_count;
	child->ended = TL_NODE_UNFINISHED;
	if (footer && footer->silent) {
		if (!footer->event.bare)
			child->ended = TL_NODE_CROSSED;
	} else if (footer && footer->event.message == child->event.message) {
		child->ended = TL_NODE_ENDED;
		child->end = footer->event;
	}
	l->child = NULL;
}

/* Continue in a new block.  1: the node ended in the lost blocks before; 0. */
static int
take_block(struct load *l)
{
	const struct tl_trace_block *block =
	    &l->walk.lane->blocks[l->walk.block].block;
	const uint64_t level = l->node->level;
	const uint64_t depth = l->inside.orphans + l->inside.nested;
	const bool nested = l->inside.nested > 0;

	if (block->depth < level)
		return 1;
	if (block->depth == level + depth)
		return 0;
	tl_inside_skip(&l->inside, block->depth - level);
	if (nested && l->inside.nested == 0)
		close_child(l, block->logical, NULL);
	else if (nested)
		tl_inside_skip(&l->child_inside, l->inside.nested - 1);
	return 0;
}

/* Seek the content of the node, where blocks may be lost. */
static int
seek_content(struct load *l)
{
	const int rc = tl_walk_seek(&l->walk, l->node->content);

	if ((rc == 0 || rc == -EBADMSG) && l->walk.data && l->walk.in.at == 0 &&
	    l->walk.at >= l->node->content)
		return take_block(l);
	return rc;
}

/* Start near the first child, in a stream with lost blocks. */
static int
start_surveyed(struct load *l)
{
	const struct tl_survey_mark *mark = NULL;
	int rc = 0;

	if (l->survey && l->first > 0)
		mark =
		    tl_survey_find_mark(l->survey, l->node->content, l->first);
	if (!mark)
		return l->node->content == 0 ? 0 : seek_content(l);
	rc = tl_walk_seek(&l->walk, mark->at);
	l->number = mark->number;
	l->inside.orphans = mark->orphans;
	return rc;
}

/* Start at the first child, or at a mark before the first child to load. */
static int
start(struct load *l)
{
	const struct tl_node *node = l->node;
	struct tl_trace_lane *lane = l->walk.lane;
	struct tl_mark_place *mark = NULL;
	int rc;

	if (lane->holes)
		return start_surveyed(l);
	if (l->first > 0)
		mark = tl_trace_lane_mark(lane, node->content,
		    node->content_end, (uint32_t)node->level, l->first);
	if (mark) {
		rc = tl_check_mark(l->trace, lane, node->content, mark);
		if (rc < 0)
			return rc;
	}
	if (mark && !lane->holes) {
		rc = tl_walk_seek(&l->walk, mark->at);
		l->number = mark->number;
		if (rc != -EBADMSG)
			return rc;
		if (!lane->holes)
			return TL_CELL_WRONG;
		l->number = 0;
	}
	return node->content == 0 ? 0 : seek_content(l);
}

static int
adopt(struct load *l, const struct tl_point *point)
{
	struct tl_node *node = l->node;
	struct tl_node *child;
	int rc = 0;

	l->child = NULL;
	if (l->number < l->first || l->number > l->last ||
	    l->number >= node->child_count || tl_node_child(node, l->number))
		return 0;
	child = tl_node_new(&l->trace->trees.budget, &rc);
	if (!child)
		return rc;
	child->event = point->event;
	rc = tl_node_adopt(node, l->number, child, &l->trace->trees.budget);
	if (rc < 0)
		tl_node_free(child, &l->trace->trees.budget);
	else
		l->child = child;
	return rc;
}

/* Skip a span that is in the survey.  1: the span is the last child, or ends
 * with the node. */
static int
jump_surveyed(struct load *l)
{
	const struct tl_survey_span *span =
	    tl_survey_find_span(l->survey, l->walk.at);
	struct tl_point footer;
	int rc;

	if (!span)
		return 0;
	rc = span->how == TL_SURVEY_STREAM ? 1
					   : tl_walk_seek(&l->walk, span->end);
	if (rc == 0 && span->how == TL_SURVEY_FOOTER)
		rc = tl_walk_next(&l->walk, &footer) == TL_WALK_POINT
			 ? 0
			 : -EBADMSG;
	if (rc == -EBADMSG) /* damage that the survey did not see */
		return tl_walk_seek(&l->walk, span->start);
	if (rc < 0)
		return rc;
	l->inside.nested = 0;
	l->child_count = span->children;
	if (span->how == TL_SURVEY_FOOTER)
		tl_trace_name(l->trace, &footer);
	close_child(l, span->end,
	    span->how == TL_SURVEY_FOOTER ? &footer : NULL);
	return span->how == TL_SURVEY_HOLE ? take_block(l) : rc;
}

/* Skip a span that has a cell. */
static int
jump(struct load *l, uint32_t message)
{
	const uint64_t content = l->walk.at;
	struct tl_point footer;
	int rc;

	if (l->survey)
		return jump_surveyed(l);
	rc = tl_check_jump(&l->walk, l->node->level + 1, message, &footer);
	if (rc != 1)
		return rc;
	if (content + footer.size >= l->node->content_end)
		return TL_CELL_WRONG;
	tl_trace_name(l->trace, &footer);
	l->child_count = footer.children;
	close_child(l, content + footer.size, &footer);
	l->inside.nested = 0;
	return 0;
}

/* Take the last child if the child is a span without an end.  1: taken; 0. */
static int
take_open(struct load *l)
{
	struct tl_trace_lane *lane = l->walk.lane;
	struct tl_mark_place *open =
	    lane->holes ? NULL : tl_trace_lane_open(lane, l->walk.at);
	int rc;

	if (!open)
		return 0;
	if (open->depth != l->node->level)
		return TL_CELL_WRONG;
	rc = tl_check_open(l->trace, lane, open);
	if (rc < 0 || lane->holes)
		return rc;
	l->child_count = open->number;
	close_child(l, lane->size, NULL);
	return 1;
}

static int
take_point(struct load *l, struct tl_point *point, uint64_t from)
{
	const bool nested = l->inside.nested > 0;

	if (tl_inside_step(&l->inside, point->kind, point->silent)) {
		int rc;

		/* Begin a child.  1: the last child; 0. */
		tl_trace_name(l->trace, point);
		if ((rc = adopt(l, point)) < 0)
			return rc;
		l->number++;
		l->child_count = 0;
		l->child_inside = (struct tl_inside){ 0 };
		if (point->kind != TL_TRACE_SPAN) {
			l->child = NULL; /* a leaf has no end */
			return 0;
		}
		if (l->child) {
			l->child->content = l->walk.at;
			l->child->level =
			    l->node->level + l->inside.orphans + 1;
			l->child->ended = TL_NODE_UNFINISHED;
		}
		rc = take_open(l);
		return rc != 0 ? rc : jump(l, point->message);
	}
	if (!nested)
		return 0;
	if (l->inside.nested > 0) {
		l->child_count += tl_inside_step(&l->child_inside, point->kind,
		    point->silent);
		return 0;
	}
	tl_trace_name(l->trace, point);
	close_child(l, from, point);
	return 0;
}

/* Load children.  TL_CELL_WRONG: a cell is wrong. */
static int
load(struct tl_trace *trace, struct tl_node *node, uint64_t first,
    uint64_t count)
{
	struct tl_trace_lane *lane = &trace->index.lanes[node->thread];
	struct load l = { .trace = trace, .node = node, .first = first };
	int rc = node->parent ? 0 : tl_check_root(trace, lane);
	struct tl_point point;

	if (rc < 0 || first >= node->child_count || count == 0)
		return rc;
	if (count > node->child_count - first)
		count = node->child_count - first;
	l.last = first + count - 1;
	if (lane->holes)
		l.survey = tl_survey_get(trace, lane, &rc);
	if (rc < 0)
		return rc;
	tl_walk_init(&l.walk, trace, lane);
	rc = start(&l);
	while (rc == 0 &&
	       (l.inside.nested > 0 ||
		   (l.number <= l.last && l.walk.at < l.node->content_end))) {
		const uint64_t from = l.walk.at;

		rc = tl_walk_next(&l.walk, &point);
		if (rc == TL_WALK_END)
			break;
		if (rc == TL_WALK_POINT)
			rc = take_point(&l, &point, from);
		else if (rc == TL_WALK_BLOCK)
			rc = take_block(&l);
	}
	if (rc >= 0)
		close_child(&l, l.walk.at, NULL);
	else if (l.child) /* the end of the child is missing */
		tl_node_forget_child(l.node, l.number - 1,
		    &l.trace->trees.budget);
	if (rc > 0)
		rc = 0;
	tl_walk_free(&l.walk);
	return rc;
}

/* Load children.  If a cell is wrong, load again with a rebuilt index, and
 * finally without an index for this thread. */
int
tl_trace_load(struct tl_trace *trace, struct tl_node *node, uint64_t first,
    uint64_t count)
{
	int rc;

	while ((rc = load(trace, node, first, count)) == TL_CELL_WRONG)
		tl_trace_mend(trace, &trace->index.lanes[node->thread]);
	return rc;
}

void
tl_trace_forget_range(struct tl_trace *trace, struct tl_node *node,
    uint64_t first, uint64_t count)
{
	tl_node_forget_range(node, first, count, &trace->trees.budget);
}
