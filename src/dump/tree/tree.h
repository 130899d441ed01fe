/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the call tree of each thread as text or JSON.
 *
 *	inputs --> forest --> walk over each thread --> line --> output
 *
 * A recorded trace has trees on disk; of anything else forest.c makes a trace
 * in a file without a name, so that everything behind it reads one format and
 * no tree has to fit into memory.  walk.c loads children in windows and forgets
 * them; tree.c prints as it walks.  --browse begins with the same forest.
 */
#ifndef TL_DUMP_TREE_TREE_H
#define TL_DUMP_TREE_TREE_H

#include "dump/output.h"
#include "dump/tree/forest.h"
#include "dump/tree/parts.h"

/* Print the part of a forest that the options select, with the states of spans
 * that parts has: 0, or -errno and a fault when the path leads nowhere. */
int tl_tree_print(const struct tl_forest *forest,
    const struct tl_tree_parts *parts, const struct tl_options *options,
    struct tl_output *output, struct tl_fault *fault);

#endif
