/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - timelines that come through a pipe or from a server, as
 * they come.
 */
#ifndef TL_DUMP_FOLLOW_STREAM_H
#define TL_DUMP_FOLLOW_STREAM_H

#include "dump/follow/sources.h"
#include "event/cursor.h"

/*
 * Follow a stream.  The cursor gives -EPIPE at its end; what was wrong is in
 * the faults of the input when it is closed.  0 or -errno, and the input's
 * fault says why.
 */
int tl_follow_stream_open(struct tl_cursor **cursor, struct tl_source *input,
    const struct tl_remote_plan *plan, struct tl_follow_sources *sources);

#endif
