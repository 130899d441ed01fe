/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extensions.h - words of our own in written files; other programs ignore or
 * show the words.
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
#ifndef TL_FORMAT_CHROME_EXTENSIONS_H
#define TL_FORMAT_CHROME_EXTENSIONS_H

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
