/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write what GaBIEn's TimeLogger would have written.
 *
 * What its reader makes of a file becomes that file again, byte for byte.  Of
 * other events spans are written: a span of scope TIMELINE_SOURCE is a source
 * "category: message", any other one a source for each thread that logs it,
 * "category: message (pid/tid)", so that threads are no overlap.  A source is
 * defined right before its first event.  Instants, counters, arguments,
 * levels and CPUs are left out, and said.
 */
#ifndef TL_FORMAT_TIMELOGGER_WRITE_H
#define TL_FORMAT_TIMELOGGER_WRITE_H

#include "event/writer.h"

tl_writer_new tl_timelogger_write_new;

#endif
