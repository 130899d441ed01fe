/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_json.h - threads and nodes as objects, one a line.
 */
#ifndef TL_DUMP_TREE_JSON_H
#define TL_DUMP_TREE_JSON_H

#include "base/text.h"
#include "trace/read.h"

/* path is null when empty: too long to be written for every node. */
void tl_tree_json_thread(struct tl_text *text, uint64_t number,
    const struct tl_trace_thread *thread, uint64_t children, const char *input);
void tl_tree_json_node(struct tl_text *text, const struct tl_node *node,
    struct tl_bytes path, uint64_t index);
/* Children that are lost with a damaged part of the file, from index on. */
void tl_tree_json_missing(struct tl_text *text, uint64_t depth,
    struct tl_bytes path, uint64_t index, uint64_t count);

#endif
