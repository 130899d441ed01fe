/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - the entries of all targets as they come, given to rules, writers
 * and counts.
 */
#ifndef TL_DAEMON_STREAM_H
#define TL_DAEMON_STREAM_H

#include "daemon/target.h"

struct tl_stream;

/* Look at every target each poll_ns, less often while nothing comes. */
int tl_streams_new(struct tl_stream **stream, struct tl_daemon *daemon);
/* poll_ns of the configuration may have changed. */
void tl_streams_configure(struct tl_stream *stream);
void tl_streams_free(struct tl_stream *stream);

/* Read what is new of one target: 0 nothing more, 1 there is more than one
 * turn takes, -errno the stream is at its end.  *complete_ns becomes the time
 * of the last entry, if there was one. */
int tl_streams_read(struct tl_target *target, int64_t *complete_ns);

#endif
