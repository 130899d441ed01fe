/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_stream.h - timelines that come through a pipe or from a server, as
 * they come, and who they are of.
 *
 * A source of events is the number of an input, as everywhere, or for the
 * timelines of a stream, which are known only when they come, a number behind
 * all of these.
 */
#ifndef TL_DUMP_FOLLOW_STREAM_H
#define TL_DUMP_FOLLOW_STREAM_H

#include "event/cursor.h"
#include "format/hosts.h"
#include "format/inputs.h"

/* Who all sources are of. */
struct tl_follow_sources {
	struct tl_hosts hosts;
	struct tl_origin *origins;
	size_t count;
	bool has_streams;
};

/* Writers want to know all of them at the beginning: what has not come yet is
 * unknown, and costs no memory that is not used. */
enum { TL_FOLLOW_SOURCES_MAX = UINT16_MAX };

/* Begins with the inputs, in their order: 0, -ENOMEM. */
int tl_follow_sources_init(struct tl_follow_sources *sources,
    const struct tl_inputs *inputs);
void tl_follow_sources_free(struct tl_follow_sources *sources);

/*
 * Follow a stream.  The cursor gives -EPIPE at its end; what was wrong is in
 * the faults of the input when it is closed.  0 or -errno, and the input's
 * fault says why.
 */
int tl_follow_stream_open(struct tl_cursor **cursor, struct tl_input *input,
    const struct tl_remote_plan *plan, struct tl_follow_sources *sources);

#endif
