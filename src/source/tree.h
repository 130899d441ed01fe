/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - a recorded trace, for its trees, of what is none: it is made in
 * files without names, which go with it.
 */
#ifndef TL_SOURCE_TREE_H
#define TL_SOURCE_TREE_H

#include "trace/read.h"
#include "trace/write.h"

/* Open what write puts into a writer, with options as tl_trace_open.  0, or
 * -errno, also that of write. */
int tl_tree_make(struct tl_trace **trace,
    const struct tl_trace_read_options *options,
    int (*write)(void *context, struct tl_trace_writer *writer), void *context);

#endif
