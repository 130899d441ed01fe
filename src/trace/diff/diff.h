/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - the differences between two recorded traces.
 *
 *	left tree   --+                               +--> text
 *	              +--> pairs of nodes, in order --+
 *	right tree  --+    (or a node of one side)    +--> a trace
 *
 * Threads are paired, then the roots of a pair of threads, then the children of
 * each pair of spans.  Two events can be a pair if their message is the same
 * (category, text, file), and are one if the shortest script that turns one
 * list of children into the other keeps both (script.h).  A pair is slower or
 * faster if the durations of its spans differ enough, and changed if only one
 * of them ended, or if its arguments differ and the option values is set.
 *
 * Memory is bounded by the open nodes: one path through both trees, with a part
 * of the children of each node on it, and a number for each child of the
 * current list.  A matching of whole trees (edit distance) was rejected: it
 * needs both trees in memory and time quadratic in their size.
 */
#ifndef TL_TRACE_DIFF_DIFF_H
#define TL_TRACE_DIFF_DIFF_H

#include "base/text.h"
#include "trace/read.h"

enum {
	/* The part of a node's children that is loaded at once, within these
	 * bounds. */
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
	TL_DIFF_REMOVED, /* only in left */
	TL_DIFF_ADDED,   /* only in right */
	TL_DIFF_SLOWER,  /* right took longer */
	TL_DIFF_FASTER,
	TL_DIFF_CHANGED, /* arguments differ, or only one of them ended */
	TL_DIFF_RESULTS
};

/* How to treat threads that the other trace does not have. */
enum tl_diff_unmatched {
	TL_DIFF_TELL, /* report all of it as removed or added */
	TL_DIFF_SKIP,
	TL_DIFF_REFUSE
};

/* All zeros but for the thresholds: the defaults. */
struct tl_diff_options {
	bool by_index;     /* pair threads by index, not by name */
	bool lines;        /* compare the lines of places as well */
	bool values;       /* compare arguments */
	uint8_t unmatched; /* enum tl_diff_unmatched */
	uint32_t depth;    /* deepest level; 0: all */
	/* A span is slower or faster if it differs by both: */
	uint32_t percent; /* of the duration in left */
	int64_t least_ns;
};

/* A pair of nodes, or a single node.  Nodes are valid until the item is
 * left. */
struct tl_diff_item {
	const struct tl_node *left;  /* NULL: ADDED */
	const struct tl_node *right; /* NULL: REMOVED */
	int64_t left_ns;             /* durations, or TL_DIFF_NO_TIME */
	int64_t right_ns;
	uint32_t depth;  /* 0: a root */
	uint8_t result;  /* enum tl_diff_result */
	bool changed;    /* arguments differ, and the option values is set */
	bool has_inside; /* are there children, loaded or not? */
};

struct tl_diff_counts {
	uint64_t items[TL_DIFF_RESULTS];
	uint64_t threads;      /* pairs of threads */
	uint64_t left_threads; /* only in left */
	uint64_t right_threads;
	uint64_t guessed; /* lists for which a shorter script may exist */
	uint64_t unread;  /* children lost in damaged parts */
};

/* Append "1 removed, 2 added, ..." */
void
tl_diff_put_counts(struct tl_text *text, const struct tl_diff_counts *counts);

/* Receives the results.  Each function returns 0, or -errno to stop. */
struct tl_diff_sink {
	/* A pair of threads, or a single one (the other is NULL). */
	int (*thread)(struct tl_diff_sink *sink,
	    const struct tl_trace_thread *left,
	    const struct tl_trace_thread *right);
	/* The next item; its children come before it is left. */
	int (
	    *enter)(struct tl_diff_sink *sink, const struct tl_diff_item *item);
	int (
	    *leave)(struct tl_diff_sink *sink, const struct tl_diff_item *item);
	int (*finish)(struct tl_diff_sink *sink,
	    const struct tl_diff_counts *counts);
};

/*
 * Compare two traces, which must be opened separately and not be in use; their
 * roots are forgotten.  0; -ENOMEM; -EDQUOT: the budget of a trace is exceeded;
 * -ENOENT: a thread has no pair, which the options refuse; errors of reading
 * and of the sink.  counts is always set.
 */
int tl_trace_diff(struct tl_trace *left, struct tl_trace *right,
    const struct tl_diff_options *options, struct tl_diff_sink *sink,
    struct tl_diff_counts *counts);

#endif
