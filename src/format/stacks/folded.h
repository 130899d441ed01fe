/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.h - spans as folded stacks, what flame graphs are drawn of.
 *
 *	41/42;net: accept;net: read 1200
 *
 * A line for each path of spans: the thread, the spans around each other, and
 * how many nanoseconds were spent in the last of them and in none inside it.
 * The path of a source begins with its span.  A ; in a name becomes a comma;
 * what could steer a terminal is escaped as in a listing.  Events must come
 * oldest first; nothing is written before the last.
 */
#ifndef TL_FORMAT_STACKS_FOLDED_H
#define TL_FORMAT_STACKS_FOLDED_H

#include "event/writer.h"

tl_writer_new tl_folded_write_new;

#endif
