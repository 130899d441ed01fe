/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - make a recorded trace, for its trees, of events in another format.
 * The trace is in unnamed files, which vanish with the trace.
 */
#ifndef TL_SOURCE_TREE_H
#define TL_SOURCE_TREE_H

#include "trace/read.h"
#include "trace/write.h"

/* Open the trace that write puts into a writer, with options as for
 * tl_trace_open.  Returns 0 or -errno, also the -errno of write. */
int tl_tree_make(struct tl_trace **trace,
    const struct tl_trace_read_options *options,
    int (*write)(void *context, struct tl_trace_writer *writer), void *context);

#endif
