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
 * thread, a lane, since viewers require that the spans of a thread nest (see
 * below).  The begin of a span that is still open is B.  Any other begin or end
 * is an instant, marked as below: a begin or end without its counterpart, a
 * pair that is not sure, and a begin that TL_SPANS_OPEN_MAX other begins
 * followed while its span was open.  dur is the duration by stamps, even if the
 * clock was set within the span.
 *
 * Words of our own in written files, which other programs ignore or show:
 *
 *	"otherData":{"base_ns":"1795202658000000000"}
 *
 * is the time, in nanoseconds since 1970, from which the times of all events
 * count; the reader uses it, too.
 *
 *	{"ph":"I","s":"t",...,"ts":5.000,"alone":"begin","cat":"example",
 *	"name":"accept","args":{"port":80,"priority":"info"}}
 *
 * is a begin or end event that is not known to be part of a span.  From B and
 * E, viewers would make a span with an event that is not the partner.
 *
 *	{"ph":"X","pid":41,"tid":1879048191,"lane_of":42,...}
 *
 * is a span of thread 42 that crosses a span of the thread: viewers require
 * that the spans of a thread nest.  The reader takes 42 as the thread.
 */
#ifndef TL_FORMAT_CHROME_CHROME_H
#define TL_FORMAT_CHROME_CHROME_H

#include "event/reader.h"
#include "event/writer.h"

tl_reader_new tl_chrome_read_new;
tl_recognise tl_chrome_recognise;
tl_writer_new tl_chrome_write_new;

/* == words of our own == */

/*
 * Spans of scope TIMELINE_SOURCE have threads of their own, numbered down from
 * here.
 */
#define TL_CHROME_SOURCE_TID 0x7fffffffu
/* The same for lanes. */
#define TL_CHROME_LANE_TID 0x6fffffffu

#define TL_CHROME_THREAD  "thread_name"
#define TL_CHROME_PROCESS "process_name"
#define TL_CHROME_BASE    "base_ns"
#define TL_CHROME_LANE_OF "lane_of"
#define TL_CHROME_LABEL   "label" /* the name is an argument */

/*
 * A longer name becomes the argument "label", and so does a name that cannot be
 * the first line of a message.
 */
enum { TL_CHROME_NAME_MAX = 4096 };

#endif
