/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - a recorded trace as a forest: one tree per thread.
 *
 * A node is an event; that of a span has children.  Their number is known as
 * soon as the node is; those that are not loaded are NULL (placeholders).
 */
#ifndef TL_TRACE_NODE_H
#define TL_TRACE_NODE_H

#include "event/event.h"

enum {
	TL_NODE_CHUNK = 256 /* children that share one piece of memory */
};

/* How a span ended. */
enum tl_node_end {
	TL_NODE_LEAF,      /* no span */
	TL_NODE_ENDED,     /* end is its end */
	TL_NODE_CROSSED,   /* a span around it ended first */
	TL_NODE_UNFINISHED /* the trace ended first */
};

struct tl_node {
	struct tl_event event; /* a span's begin */
	struct tl_event end;   /* of a span that is ENDED */
	struct tl_node *parent;
	struct tl_node ***chunks; /* NULL: no child is loaded */
	uint64_t child_count;
	uint64_t loaded;  /* ... of them */
	uint64_t content; /* logical: where its content begins ... */
	uint64_t content_end;
	uint64_t level;  /* spans that are open there */
	uint32_t thread; /* which of an open trace's */
	uint32_t depth;  /* nodes around it */
	uint8_t ended;   /* enum tl_node_end */
};

/* Child i, or NULL where it is not loaded (or i is too large). */
static inline struct tl_node *
tl_node_child(const struct tl_node *node, uint64_t i)
{
	if (i >= node->child_count || !node->chunks ||
	    !node->chunks[i / TL_NODE_CHUNK])
		return NULL;
	return node->chunks[i / TL_NODE_CHUNK][i % TL_NODE_CHUNK];
}

/* How much memory is taken, and may be (0: any). */
struct tl_node_budget {
	size_t used;
	size_t max;
};

/* A node of nothing; NULL and *rc: -ENOMEM, -EDQUOT over the budget. */
struct tl_node *tl_node_new(struct tl_node_budget *budget, int *rc);
/* Put a child at its place, which is empty; the child count is known.  0,
 * -ENOMEM, -EDQUOT over the budget. */
int tl_node_adopt(struct tl_node *node, uint64_t i, struct tl_node *child,
    struct tl_node_budget *budget);
/* Put one more child behind the others.  As tl_node_adopt. */
int tl_node_append(struct tl_node *node, struct tl_node *child,
    struct tl_node_budget *budget);
/* Forget the children, or one of them, with all below; the place stays. */
void tl_node_forget(struct tl_node *node, struct tl_node_budget *budget);
void tl_node_forget_child(struct tl_node *node, uint64_t i,
    struct tl_node_budget *budget);
/* Free a node with all below it, however deep. */
void tl_node_free(struct tl_node *node, struct tl_node_budget *budget);

#endif
