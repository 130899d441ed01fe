/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - a node in one line, for people or as JSON.
 *
 *	request id(7), size(3): 1.2ms -> id(7), size(9) at server.c:41 [3/0/17]
 *	message                 time     result         location       path
 */
#ifndef TL_DUMP_TREE_LINE_H
#define TL_DUMP_TREE_LINE_H

#include "base/text.h"
#include "format/lincheck/print.h"
#include "trace/read.h"

enum {
	TL_TREE_INDENT = 2,
	TL_TREE_INDENTED_MAX =
	    100 /* deeper lines show their depth as a number */
};

/* Is the node a span?  Other nodes have no children. */
static inline bool
tl_tree_is_span(const struct tl_node *node)
{
	return node->ended != TL_NODE_LEAF;
}

/* Is the time a number of steps of the program, as in a Lincheck trace? */
bool tl_tree_is_counted(const struct tl_node *node);

/* Append the message with its arguments; for a loss, the number of lost
 * entries.  A point of a Lincheck trace is printed as Lincheck prints it, a
 * call without its result. */
void tl_tree_put_message(struct tl_text *text, const struct tl_node *node);
/* Append ": 1.234ms" and the result, or ": <unfinished>".  Appends nothing for
 * a leaf, unless its duration is known, nor for a counted span that has
 * ended. */
void tl_tree_put_end(struct tl_text *text, const struct tl_node *node);
/* Append " at server.c:41", if known. */
void tl_tree_put_location(struct tl_text *text, const struct tl_node *node);

/* Append an indent.  depth counts from 0. */
void tl_tree_put_indent(struct tl_text *text, uint64_t depth);

/* Append the heading of a thread: "# Thread 3 (name of command)".  number
 * counts from 0. */
void tl_tree_put_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread);

/* Append a JSON object.  An empty path becomes null, because such a path is too
 * long to be written for every node.  parts: the states of a span, or NULL. */
void tl_tree_json_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread, uint64_t children, const char *input);
void tl_tree_json_node(struct tl_text *text, const struct tl_node *node,
    struct tl_bytes path, uint64_t index, const int64_t *parts);
/* Append an object for children, from index on, that are lost with a damaged
 * part of the file. */
void tl_tree_json_missing(struct tl_text *text, uint64_t depth,
    struct tl_bytes path, uint64_t index, uint64_t count);

#endif
