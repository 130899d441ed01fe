/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - the differences between two traces, as one trace.
 *
 * It is an ordinary trace, of one tree for each pair of threads.  Messages of
 * removed events begin with "- ", of added events with "+ ", of events with
 * another duration or other values with "! "; others are unchanged.  Times and
 * values are those of right.  An event that only left has is put where it is
 * missing, and takes no time there.  Durations that the times do not show are
 * the first event inside the span, in category "diff":
 *
 *	took $left%t		inside what was removed
 *	took $left%t, now $right%t	inside what is slower or faster
 *
 * The old values of a changed event are an instant as well: "- " and the
 * message.  A thread that only left has keeps its times, moved as a whole to
 * where the right trace begins.
 */
#ifndef TL_TRACE_DIFF_TRACE_H
#define TL_TRACE_DIFF_TRACE_H

#include "trace/diff/diff.h"
#include "trace/write.h"

#define TL_DIFF_CATEGORY "diff"

/* Write the differences to a writer, which finish of the sink does not finish.
 * 0 or -ENOMEM. */
int tl_diff_trace_new(struct tl_diff_sink **sink, struct tl_trace *left,
    struct tl_trace *right, struct tl_trace_writer *writer);
/* Call after the writer is freed, since it uses messages of the sink.  NULL
 * does nothing. */
void tl_diff_trace_free(struct tl_diff_sink *sink);

#endif
