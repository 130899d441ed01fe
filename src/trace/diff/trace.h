/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - what differs between two traces, as one trace.
 *
 * It is an ordinary trace, of one tree for each pair of threads.  Messages of
 * what was removed begin with "- ", of what was added with "+ ", of what took
 * another time or has other values with "! "; the others are as they were.
 * Times and values are those of right.  What only left has stands where it is
 * missing, and takes no time there.  How long spans took is the first thing
 * inside them, in category "diff", wherever it is not to be seen:
 *
 *	took $left%t		inside what was removed
 *	took $left%t, now $right%t	inside what is slower or faster
 *
 * as are, in what has other values, the old ones: "- " and the message.
 * A thread that only left has keeps its times, moved as a whole to where the
 * right trace begins.
 */
#ifndef TL_TRACE_DIFF_TRACE_H
#define TL_TRACE_DIFF_TRACE_H

#include "trace/diff/diff.h"
#include "trace/write.h"

#define TL_DIFF_CATEGORY "diff"

/* Into a writer, which finish of the sink does not finish.  0 or -ENOMEM. */
int tl_diff_trace_new(struct tl_diff_sink **sink, struct tl_trace *left,
    struct tl_trace *right, struct tl_trace_writer *writer);
/* After the writer is freed: its messages are the sink's.  NULL does
 * nothing. */
void tl_diff_trace_free(struct tl_diff_sink *sink);

#endif
