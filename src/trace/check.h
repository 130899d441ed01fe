/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - cells against what they point to, before they are used; and the
 * index made again where one of them is wrong.
 *
 *	SPAN        its FOOTER says how long the content before it is
 *	MARK        counted from the mark before, or from the first child
 *	ROOT, OPEN  counted from the last mark, or from the first child
 *
 * So an open trace reads no more than it uses, and a check costs about as
 * much as MARK_EVERY bytes.  Where something is lost nothing can be checked:
 * a survey says there what cells would.  An index that was made here is right.
 */
#ifndef TL_TRACE_CHECK_H
#define TL_TRACE_CHECK_H

#include "trace/opened.h"

#include <limits.h>

enum {
	TL_CELL_WRONG = INT_MIN /* no -errno: the index is to be discarded */
};

/* All return 0 or -errno of reading besides. */

/* Go from the begin of a span's content, where the walk is and level - 1
 * spans are open, behind its footer: 1 it did, 0 there is no cell for it. */
int tl_check_jump(struct tl_walk *walk, uint64_t level, uint32_t message,
    struct tl_point *footer);
/* A mark among the children of this content. */
int tl_check_mark(struct tl_trace *trace, struct tl_trace_lane *lane,
    uint64_t content, struct tl_mark_place *mark);
int tl_check_open(struct tl_trace *trace, struct tl_trace_lane *lane,
    struct tl_mark_place *open);
/* The number of children of the thread itself. */
int tl_check_root(struct tl_trace *trace, struct tl_trace_lane *lane);

/* == mend.c == */

/* A cell of this lane was wrong: make the index again, or do without one. */
void tl_trace_mend(struct tl_trace *trace, struct tl_trace_lane *lane);
/* Write the index that was made beside the data, if there is a path and that
 * is allowed; no harm if it is not. */
void tl_trace_write_back(const struct tl_trace *trace);

#endif
