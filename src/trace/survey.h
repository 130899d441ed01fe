/* SPDX-License-Identifier: Apache-2.0 */
/*
 * survey.h - where the containers of a damaged thread are, and some of their
 * children: what an index cannot say of it.
 *
 *	stream  | SPAN a | SPAN b |  lost  | leaf | FOOTER | leaf | ...
 *	open    |   1    |   2    |        |  3 open there: one began unseen
 *
 * Made by going through all of it once, when it is first needed; after that
 * any child is found as fast as in a whole thread.  What is open after
 * something lost is what tl_inside_skip says.
 */
#ifndef TL_TRACE_SURVEY_H
#define TL_TRACE_SURVEY_H

#include "trace/opened.h"

/* How a container ends. */
enum tl_survey_end {
	TL_SURVEY_FOOTER, /* its FOOTER is at end */
	TL_SURVEY_HOLE,   /* in what is lost before the block at end */
	TL_SURVEY_STREAM  /* with the stream */
};

struct tl_survey_span {
	uint64_t start; /* logical, of its content */
	uint64_t end;
	uint64_t children;
	enum tl_survey_end how;
};

struct tl_survey_mark {
	uint64_t start;   /* of the container's content */
	uint64_t number;  /* of a child ... */
	uint64_t at;      /* ... and where it begins */
	uint64_t orphans; /* levels open there whose begin is lost */
};

struct tl_survey {
	struct tl_survey_span *spans; /* the large ones, by start */
	size_t span_count;
	size_t span_capacity;
	struct tl_survey_mark *marks; /* by start and number */
	size_t mark_count;
	size_t mark_capacity;
};

/* The survey of a lane with holes, made now if there is none: NULL where it
 * does without (no memory, or too deep); or *rc -errno. */
const struct tl_survey *
tl_survey_get(struct tl_trace *trace, struct tl_trace_lane *lane, int *rc);
void tl_survey_free(struct tl_survey *survey);

/* The container whose content begins there; NULL: none, or a small one. */
const struct tl_survey_span *
tl_survey_find_span(const struct tl_survey *survey, uint64_t start);
/* The last mark at or before a child of this container; NULL: none. */
const struct tl_survey_mark *tl_survey_find_mark(const struct tl_survey *survey,
    uint64_t start, uint64_t number);

#endif
