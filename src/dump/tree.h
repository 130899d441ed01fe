/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the tree of each thread: what happened inside of what.
 */
#ifndef TL_DUMP_TREE_H
#define TL_DUMP_TREE_H

#include "dump/output.h"
#include "dump/tree_forest.h"
#include "script/select.h"

/* 0 or -errno; the fault where a path leads nowhere, select->fault where an
 * expression failed. */
int tl_tree_show(const struct tl_inputs *inputs, struct tl_select *select,
    const struct tl_options *options, struct tl_output *output,
    struct tl_fault *fault);

/* The same of a forest that is there. */
int
tl_tree_print(const struct tl_forest *forest, const struct tl_options *options,
    struct tl_output *output, struct tl_fault *fault);

#endif
