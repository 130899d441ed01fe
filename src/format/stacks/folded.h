/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.h - spans as folded stacks, the input of flame graphs.
 *
 *	41/42;net: accept;net: read 1200
 *
 * Each path of spans has a line: the thread, the spans from the outermost to
 * the innermost, and the nanoseconds that were spent in the innermost span and
 * in no span inside it.  Time in which spans inside were not recorded has a
 * frame of its own, "details closed".  The path of a source begins with its
 * span.  A ; in a name becomes a comma; characters that could steer a terminal
 * are escaped as in a listing.  Events must come oldest first; the output
 * follows the last event.
 */
#ifndef TL_FORMAT_STACKS_FOLDED_H
#define TL_FORMAT_STACKS_FOLDED_H

#include "event/writer.h"

enum { TL_FOLDED_DEPTH_MAX = 512 }; /* spans inside each other */

tl_writer_new tl_folded_write_new;

#endif
