/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - the differences between two recorded traces.
 *
 *	left tree   --+                               +--> text
 *	              +--> pairs of nodes, in order --+
 *	right tree  --+    (or a node of one side)    +--> a trace
 *
 * Threads are paired, then the roots of a pair of threads, then the children
 * of each pair of spans.  Two events can be a pair if their message is the
 * same (category, text, file), and are one if the shortest script that turns
 * one list of children into the other keeps both (script.h).  A pair is
 * slower or faster if the durations of its spans differ enough, and changed
 * if only one of them ended, or if its arguments differ and that is asked
 * for.
 *
 * Memory is bounded by what is open: one path through both trees, with a
 * piece of the children of each node on it, and a number for each child of
 * the list at hand.  A matching of whole trees (edit distance) was rejected:
 * it needs both trees in memory and time quadratic in their size.
 */
#ifndef TL_TRACE_DIFF_DIFF_H
#define TL_TRACE_DIFF_DIFF_H

#include "base/text.h"
#include "trace/read.h"

enum {
	/* What is loaded at once of one node's children: a part of them, and
	 * within these bounds. */
	TL_DIFF_PIECE_PART = 64,
	TL_DIFF_PIECE_MIN = 256,
	TL_DIFF_PIECE_MAX = 65536,
	/* Default thresholds from which a span is slower or faster. */
	TL_DIFF_PERCENT = 10,
	TL_DIFF_LEAST_NS = 1000
};

#define TL_DIFF_NO_TIME INT64_MIN

enum tl_diff_result {
	TL_DIFF_SAME,
	TL_DIFF_REMOVED, /* only left has it */
	TL_DIFF_ADDED,   /* only right has it */
	TL_DIFF_SLOWER,  /* right took longer */
	TL_DIFF_FASTER,
	TL_DIFF_CHANGED, /* its arguments, or only one of them has an end */
	TL_DIFF_RESULTS
};

/* Threads that the other trace does not have. */
enum tl_diff_unmatched {
	TL_DIFF_TELL, /* all of it is removed or added */
	TL_DIFF_SKIP,
	TL_DIFF_REFUSE
};

/* All zeros but for the threshold: what is asked for as a rule. */
struct tl_diff_options {
	bool by_index; /* threads are paired by their place, not their name */
	bool lines;    /* the line of a message's place counts, too */
	bool values;   /* other arguments are a change */
	uint8_t unmatched; /* enum tl_diff_unmatched */
	uint32_t depth;    /* go no deeper; 0: all the way */
	/* A span is slower or faster if it differs by both: */
	uint32_t percent; /* of left's duration */
	int64_t least_ns;
};

/* A pair of nodes, or one of them.  Nodes stay until the item is left. */
struct tl_diff_item {
	const struct tl_node *left;  /* NULL: ADDED */
	const struct tl_node *right; /* NULL: REMOVED */
	int64_t left_ns;             /* durations, or TL_DIFF_NO_TIME */
	int64_t right_ns;
	uint32_t depth;  /* of the roots: 0 */
	uint8_t result;  /* enum tl_diff_result */
	bool changed;    /* arguments differ, if that is asked for */
	bool has_inside; /* is there more in it, loaded or not? */
};

struct tl_diff_counts {
	uint64_t items[TL_DIFF_RESULTS];
	uint64_t threads;      /* pairs of them */
	uint64_t left_threads; /* that right does not have */
	uint64_t right_threads;
	uint64_t guessed; /* lists for which there may be a shorter script */
	uint64_t unread;  /* children that damage has swallowed */
};

/* "1 removed, 2 added, ..." */
void
tl_diff_put_counts(struct tl_text *text, const struct tl_diff_counts *counts);

/* Where results go.  Each function returns 0, or -errno to stop. */
struct tl_diff_sink {
	/* A pair of threads, or one (the other is NULL). */
	int (*thread)(struct tl_diff_sink *sink,
	    const struct tl_trace_thread *left,
	    const struct tl_trace_thread *right);
	/* The next item; what is inside comes before it is left. */
	int (
	    *enter)(struct tl_diff_sink *sink, const struct tl_diff_item *item);
	int (
	    *leave)(struct tl_diff_sink *sink, const struct tl_diff_item *item);
	int (*finish)(struct tl_diff_sink *sink,
	    const struct tl_diff_counts *counts);
};

/*
 * Compare two traces, each of which was opened on its own and is used by
 * nobody else meanwhile; their roots are forgotten.  0; -ENOMEM; -EDQUOT over
 * the budget of a trace; -ENOENT a thread is without a pair, and that is
 * refused; what reading or the sink said.  counts is set in any case.
 */
int tl_trace_diff(struct tl_trace *left, struct tl_trace *right,
    const struct tl_diff_options *options, struct tl_diff_sink *sink,
    struct tl_diff_counts *counts);

#endif
