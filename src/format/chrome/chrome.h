/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome.h - the Trace Event Format of Chrome, which Perfetto and many other
 * programs read and write: an object with the member traceEvents, or only a
 * list, whose end may be missing.
 *
 * Source: "Trace Event Format", the document of the Chromium project.
 *
 * Reading.  Events are passed on when the input ends, in order of time
 * (convert.h).  Metadata gives names to processes and threads.
 *
 * Writing.  The file is an object:
 *
 *	{"displayTimeUnit":"ns","otherData":{"base_ns":"1795202658000000000"},
 *	"traceEvents":[
 *	{"ph":"M","pid":41,"tid":41,"name":"process_name","args":{...}},
 *	{"ph":"I","s":"t","pid":41,"tid":42,"ts":123456.789,"cat":"example",
 *	"name":"processed tcp","args":{"tcp":10,"priority":"trace"}}
 *	]}
 *
 * Times are microseconds since base_ns, the full second before the first event:
 * consumers read times as doubles, which cannot hold a nanosecond of Unix time.
 * For the same reason integers of 2^53 and above are strings.
 *
 * A span is X, not B and E, which some consumers pair across threads.  An X
 * stands where the span ends, with the arguments of begin and end:
 *
 *	{"ph":"X","pid":41,"tid":42,"ts":123456.789,"dur":2.500,"cat":"http",
 *	"name":"request id","args":{"id":7,"id$end":7,"priority":"info"}}
 *
 * Consumers sort by time, so the order in the file matters only among events of
 * equal times.  A span that crosses a span of its thread lies in another
 * thread, a lane, since viewers require that the spans of a thread nest
 * (extensions.h).  The begin of a span that is still open is B.  Any other
 * begin or end is an instant, marked as in extensions.h: a begin or end without
 * its counterpart, a pair that is not sure, and a begin that TL_SPANS_OPEN_MAX
 * other begins followed while its span was open.  dur is the duration by
 * stamps, even if the clock was set within the span.
 */
#ifndef TL_FORMAT_CHROME_CHROME_H
#define TL_FORMAT_CHROME_CHROME_H

#include "event/reader.h"
#include "event/writer.h"

tl_reader_new tl_chrome_read_new;
tl_recognise tl_chrome_recognise;
tl_writer_new tl_chrome_write_new;

#endif
