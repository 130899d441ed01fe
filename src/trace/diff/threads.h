/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.h - which thread of one trace is which of another.
 */
#ifndef TL_TRACE_DIFF_THREADS_H
#define TL_TRACE_DIFF_THREADS_H

#include "trace/read.h"

#include <stddef.h>

#define TL_DIFF_NO_THREAD SIZE_MAX

struct tl_diff_pair {
	size_t left; /* its place in its trace, or TL_DIFF_NO_THREAD */
	size_t right;
};

/*
 * The pairs in the order of left's threads, then those that only right has;
 * the caller frees them.  Threads of one name, or of none, are paired in the
 * order in which they stand in their traces.  0 or -ENOMEM.
 */
int
tl_diff_pair_threads(const struct tl_trace *left, const struct tl_trace *right,
    bool by_index, struct tl_diff_pair **pairs, size_t *count);

#endif
