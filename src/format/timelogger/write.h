/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write what GaBIEn's TimeLogger would have written.
 *
 * A file that was read becomes that file again, byte for byte, unless it has
 * records out of order of time: these are sorted, and where such a file also
 * has two sources of one id, an event may move to the other source of that id.
 *
 * Of other events spans are written: a span of scope TIMELINE_SOURCE is a
 * source "category: message", any other one a source for each thread that logs
 * it, "category: message (pid/tid)", so that threads are no overlap.  A source
 * is defined right before its first event.  Instants, counters, arguments,
 * levels and CPUs are left out, which is reported.
 */
#ifndef TL_FORMAT_TIMELOGGER_WRITE_H
#define TL_FORMAT_TIMELOGGER_WRITE_H

#include "event/writer.h"

tl_writer_new tl_timelogger_write_new;

#endif
