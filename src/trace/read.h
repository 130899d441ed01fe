/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read a recorded trace.
 *
 *	data ----+
 *	index ---+--> open --> roots --> children, on demand
 *	         +--> cursor of tl_event, newest or oldest first
 *
 * A trace is a forest: one tree for each thread.  A node is an event; the node
 * of a span has children.  The number of children is known as soon as the node
 * is loaded, because the footer of its span carries it.  A child that is not
 * loaded is NULL (a placeholder).
 *
 *	root --> chunks of 256 --> node --> chunks --> ...
 *	          |  NULL               child_count = 3, loaded = 0
 *	          +- NULL
 *	          +- node
 *
 * Lazy loading.  tl_trace_load(node, first, count) finds the last mark before
 * child first in the index, starts there and reads count children; a child that
 * is a large container is skipped by its cell.  A load reads about
 * TL_TRACE_MARK_EVERY bytes besides the children.  tl_trace_forget_range()
 * frees children, which can be loaded again.  memory_max bounds all nodes of a
 * trace together: beyond this bound loading returns -EDQUOT, and the caller has
 * to free some children.  TL_CACHE_BLOCKS blocks of the file are in memory.
 *
 * Who may call.  A trace, its nodes and its cursors are used by one thread at a
 * time.  Several traces may be open at once, in one thread or in several;
 * traces share nothing.  Nodes, messages and texts live as long as the trace.
 *
 * Damage is reported with its place, and the rest is readable.  If the index is
 * missing, broken or belongs to another file, it is rebuilt.
 */
#ifndef TL_TRACE_READ_H
#define TL_TRACE_READ_H

#include "base/file.h"
#include "event/event.h"
#include "event/merge.h"
#include "event/observe.h"
#include "trace/layout.h"

#include <timeline_layout.h>

enum {
	TL_NODE_CHUNK = 256 /* children in one allocation */
};

/* The end of a span. */
enum tl_node_end {
	TL_NODE_LEAF,      /* not a span */
	TL_NODE_ENDED,     /* end is its end event */
	TL_NODE_CROSSED,   /* an enclosing span ended first */
	TL_NODE_UNFINISHED /* the trace ended first */
};

struct tl_node {
	struct tl_event event; /* in a span: its begin event */
	struct tl_event end;   /* in a span that is ENDED: its end event */
	struct tl_node *parent;
	/* for the caller: the owner of the tree, which is also in the root */
	void *owner;
	struct tl_node ***chunks; /* NULL: no child is loaded */
	uint64_t child_count;
	uint64_t loaded;  /* number of children in memory */
	uint64_t content; /* logical offset of the content */
	uint64_t content_end;
	/* number of spans open in the content; other trees than those of a
	 * recorded trace: a number of theirs */
	uint64_t level;
	uint32_t thread; /* index of the thread in the trace */
	uint32_t depth;  /* number of nodes around */
	uint8_t ended;   /* enum tl_node_end */
};

/* Child i.  NULL: not loaded, or no such child. */
static inline struct tl_node *
tl_node_child(const struct tl_node *node, uint64_t i)
{
	if (i >= node->child_count || !node->chunks ||
	    !node->chunks[i / TL_NODE_CHUNK])
		return NULL;
	return node->chunks[i / TL_NODE_CHUNK][i % TL_NODE_CHUNK];
}

/* The duration of a span, at least 0; 0 if the span is not ENDED. */
int64_t tl_node_duration(const struct tl_node *node);

/* The memory in use, and its limit (0: none). */
struct tl_node_budget {
	size_t used;
	size_t max;
};

/* Create an empty node.  NULL: *rc is -ENOMEM, or -EDQUOT if the budget is
 * exceeded. */
struct tl_node *tl_node_new(struct tl_node_budget *budget, int *rc);
/* Insert a child at its place, which must be empty.  The number of children
 * must be known.  0; -ENOMEM; -EDQUOT: the budget is exceeded. */
int tl_node_adopt(struct tl_node *node, uint64_t i, struct tl_node *child,
    struct tl_node_budget *budget);
/* Free all children, or one child, with all nodes inside.  The places
 * remain. */
void tl_node_forget(struct tl_node *node, struct tl_node_budget *budget);
void tl_node_forget_child(struct tl_node *node, uint64_t i,
    struct tl_node_budget *budget);
/* Free `count` children, starting at the first, and the memory of their places
 * as far as no neighbour needs it.  A node with very many children can thus be
 * walked range by range. */
void tl_node_forget_range(struct tl_node *node, uint64_t first, uint64_t count,
    struct tl_node_budget *budget);
/* Free a node and all nodes inside, at any depth. */
void tl_node_free(struct tl_node *node, struct tl_node_budget *budget);

/* Called for each problem.  rc is -EBADMSG for damage, -ENODATA for a truncated
 * file, 0 for a remark.  say may be NULL. */
struct tl_trace_report {
	void (*say)(void *context, const struct tl_fault *fault);
	void *context;
};

struct tl_trace_read_options {
	const struct tl_trace_codec *codecs; /* for packed blocks */
	size_t codec_count;
	struct tl_trace_report report;
	size_t memory_max; /* limit of the memory of nodes; 0: none */
	bool readonly;     /* a rebuilt index is not written */
};

/* Do the bytes begin the data file of a trace?  0: no, up to 100: certainly. */
unsigned tl_trace_recognise(struct tl_bytes first);

/* A thread of a trace. */
struct tl_trace_thread {
	int32_t id;
	uint32_t pid;
	uint32_t tid;
	struct tl_bytes name;    /* empty: unknown */
	struct tl_bytes command; /* of the process; empty: unknown */
	uint64_t events;
	uint64_t size; /* size of the stream */
	int64_t min_ns;
	int64_t max_ns;
};

/*
 * == trees ==
 *
 * The trees of an input: a root for each thread, whose nodes are loaded on
 * demand.  A recorded trace has trees; a format with an index of its own may
 * have trees, too (format/lincheck/index.h).  The trees own the nodes; threads
 * and roots are arrays of count elements.
 */
struct tl_trees {
	/* As tl_trees_load(). */
	int (*load)(struct tl_trees *trees, struct tl_node *node,
	    uint64_t first, uint64_t count);
	/* Set by a caller that shows no time of an end, and no duration.  Trees
	 * that would have to search for these times may leave them out. */
	bool untimed;
	struct tl_node_budget budget;
	struct tl_trace_thread *threads;
	struct tl_node *roots;
	size_t count;
};

/* Load the children of a range that are not loaded yet; first 0 and count
 * UINT64_MAX: all.  0; -ENOMEM; -EDQUOT: the budget is exceeded; -errno of
 * reading. */
static inline int
tl_trees_load(struct tl_trees *trees, struct tl_node *node, uint64_t first,
    uint64_t count)
{
	return trees->load(trees, node, first, count);
}

/* Forget all nodes, and free the arrays. */
void tl_trees_free(struct tl_trees *trees);

/* == lazily, by index == */

struct tl_trace;

/* The origin of the index. */
enum tl_trace_index {
	TL_INDEX_READ,    /* read from the file, and whole */
	TL_INDEX_MISSING, /* missing, and rebuilt */
	/* not an index of the data, and rebuilt; loading children may find this
	 * out */
	TL_INDEX_BROKEN
};

/* Open a trace from storages of data and index (NULL: none), which are taken
 * over, even on failure.  0; -errno with a fault. */
int tl_trace_open_storage(struct tl_trace **trace, struct tl_storage *data,
    struct tl_storage *index, const struct tl_trace_read_options *options,
    struct tl_fault *fault);
/* Open the files path and path.idx.  A rebuilt index is written back if the
 * directory permits writing.  0; -errno with a fault. */
int tl_trace_open(struct tl_trace **trace, const char *path,
    const struct tl_trace_read_options *options, struct tl_fault *fault);
void tl_trace_close(struct tl_trace *trace);

enum tl_trace_index tl_trace_index_state(const struct tl_trace *trace);
/* The bytes of the index, rebuilt if the index was not read.  Valid until
 * children are loaded or freed. */
struct tl_bytes tl_trace_index_bytes(const struct tl_trace *trace);
const struct tl_trace_header *tl_trace_header(const struct tl_trace *trace);
/* The value of an INFO.  Empty: none. */
struct tl_bytes tl_trace_info(const struct tl_trace *trace, const char *name);
/* What the trace says of the place where a reading in this order begins. */
void tl_trace_observed(const struct tl_trace *trace, enum tl_order order,
    struct tl_observed_start *start);
size_t tl_trace_knot_count(const struct tl_trace *trace);
const struct timeline_knot *
tl_trace_knot(const struct tl_trace *trace, size_t i);
/* Collect the defined messages in an array that the caller frees.  0 or
 * -ENOMEM. */
int tl_trace_messages(struct tl_trace *trace,
    const struct tl_message ***messages, size_t *count);
size_t tl_trace_thread_count(const struct tl_trace *trace);
const struct tl_trace_thread *
tl_trace_thread(const struct tl_trace *trace, size_t i);
/* The number of damaged places so far. */
uint64_t tl_trace_damage(const struct tl_trace *trace);

struct tl_trees *tl_trace_trees(struct tl_trace *trace);
/* The tree of a thread: a node without an event, whose children are the roots
 * of the thread.  No child is loaded.  Lives as long as the trace. */
struct tl_node *tl_trace_root(struct tl_trace *trace, size_t thread);
/* As tl_trees_load(). */
int tl_trace_load(struct tl_trace *trace, struct tl_node *node, uint64_t first,
    uint64_t count);
void tl_trace_forget_range(struct tl_trace *trace, struct tl_node *node,
    uint64_t first, uint64_t count);

/* Make a cursor over all events in order of time.  The cursor reads only the
 * blocks of the events that it returns.  0 or -errno. */
int tl_trace_cursor(struct tl_trace *trace, enum tl_order order,
    struct tl_cursor **cursor);

#endif
