/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the call tree of each thread as text or JSON.
 *
 *	inputs --> forest --> walk over each thread --> line --> output
 *
 * A recorded trace has trees on disk; forest.c copies any other input into a
 * trace, in a file without a name.  The code behind forest.c thus reads one
 * format, and no tree has to fit into memory.  walk.c loads children in windows
 * and unloads them again; tree.c prints as it walks.
 */
#ifndef TL_DUMP_TREE_TREE_H
#define TL_DUMP_TREE_TREE_H

#include "dump/output.h"
#include "dump/tree/forest.h"
#include "dump/tree/known.h"

/* Print the part of a forest that the options select, with what is known of
 * spans.  0; -errno, with a fault if the path leads nowhere. */
int tl_tree_print(const struct tl_forest *forest,
    const struct tl_tree_known *known, const struct tl_options *options,
    struct tl_output *output, struct tl_fault *fault);

#endif
