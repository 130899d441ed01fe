/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extensions.h - words of files that we write, which other programs ignore or
 * show.
 *
 *	"otherData":{"base_ns":"1795202658000000000"}
 *
 * is the time, in nanoseconds since 1970, that the times of all events count
 * from; it is read, too.
 *
 *	{"ph":"I","s":"t",...,"ts":5.000,"alone":"begin","cat":"example",
 *	"name":"accept","args":{"port":80,"priority":"info"}}
 *
 * is the begin or end event of what is not known to be a span.  As B and E,
 * viewers would make a span of it, with an event that is not its partner.
 */
#ifndef TL_FORMAT_CHROME_EXTENSIONS_H
#define TL_FORMAT_CHROME_EXTENSIONS_H

/* Spans of scope TIMELINE_SOURCE have threads of their own, which are numbered
 * down from here. */
#define TL_CHROME_SOURCE_TID 0x7fffffffu

#define TL_CHROME_THREAD  "thread_name"
#define TL_CHROME_PROCESS "process_name"
#define TL_CHROME_BASE    "base_ns"
#define TL_CHROME_LABEL   "label" /* the name is an argument */

/* Longer names are arguments ("label"), and so are names that cannot be the
 * first line of a message. */
enum { TL_CHROME_NAME_MAX = 4096 };

#endif
