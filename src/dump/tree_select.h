/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_select.h - what a selection lets through of a recorded trace, as a
 * trace again.
 */
#ifndef TL_DUMP_TREE_SELECT_H
#define TL_DUMP_TREE_SELECT_H

#include "script/select.h"
#include "trace/read.h"
#include "trace/write.h"

/* Thread by thread, in the order of each, under its name.  0; -errno, and
 * select->fault where its expression failed. */
int tl_tree_select(struct tl_trace *trace, struct tl_select *select,
    struct tl_trace_writer *writer);

#endif
