/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - events of a server that never was: two threads, nested spans,
 * counters, texts.  They cost next to nothing to make, and as many as wanted.
 */
#ifndef STREAM_H
#define STREAM_H

#include "event/cursor.h"

/* Put count events, oldest first, into a sink; spans: nothing but begins and
 * ends.  Then finish it.  0, -errno of the sink. */
int stream_put(struct tl_sink *sink, long count, bool spans);

#endif
