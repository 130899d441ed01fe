/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - follow timelines that come through a pipe or from a server.
 */
#ifndef TL_DUMP_FOLLOW_STREAM_H
#define TL_DUMP_FOLLOW_STREAM_H

#include "dump/follow/sources.h"
#include "event/cursor.h"

/*
 * Follow a stream.  The cursor returns -EPIPE at the end of the stream; closing
 * the cursor stores the faults in the input.  0; -errno with the fault of the
 * input.
 */
int tl_follow_stream_open(struct tl_cursor **cursor, struct tl_source *input,
    const struct tl_remote_plan *plan, struct tl_follow_sources *sources);

#endif
