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

/* Is it a span?  Anything else has no children. */
static inline bool
tl_tree_is_span(const struct tl_node *node)
{
	return node->ended != TL_NODE_LEAF;
}

/* Has its end event arguments that differ from those of its begin event? */
bool tl_tree_has_result(const struct tl_node *node);
/* Is its time the number of a step of the program, as in a Lincheck trace? */
bool tl_tree_is_counted(const struct tl_node *node);

/* "1.234ms", or "17 steps". */
void tl_tree_put_duration(struct tl_text *text, const struct tl_node *node);

/* Its message with arguments; a loss is the number of lost entries.  A point of
 * a Lincheck trace is printed as there, a call without its result. */
void tl_tree_put_message(struct tl_text *text, const struct tl_node *node);
/* ": 1.234ms" and the result; ": <unfinished>".  Nothing for a leaf, nor for
 * what was counted and ended. */
void tl_tree_put_end(struct tl_text *text, const struct tl_node *node);
/* " at server.c:41", where it is known. */
void tl_tree_put_location(struct tl_text *text, const struct tl_node *node);
/* The arguments of its end event: "id(7), size(9)". */
void tl_tree_put_result(struct tl_text *text, const struct tl_node *node);

/* Depth counts from 0. */
void tl_tree_put_indent(struct tl_text *text, uint64_t depth);

/* The heading of a thread: "# Thread 3 (name of command)"; number counts from
 * 0. */
void tl_tree_put_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread);

/* path is null when empty: too long to be written for every node.  parts: the
 * states of a span, or NULL. */
void tl_tree_json_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread, uint64_t children, const char *input);
void tl_tree_json_node(struct tl_text *text, const struct tl_node *node,
    struct tl_bytes path, uint64_t index, const int64_t *parts);
/* Children that are lost with a damaged part of the file, from index on. */
void tl_tree_json_missing(struct tl_text *text, uint64_t depth,
    struct tl_bytes path, uint64_t index, uint64_t count);

#endif
