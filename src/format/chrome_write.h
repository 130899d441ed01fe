/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_write.h - events in the trace event format of Chrome, which Perfetto
 * and many others read:
 *
 *	{"displayTimeUnit":"ns","otherData":{"base_ns":"1795202658000000000"},
 *	"traceEvents":[
 *	{"ph":"M","pid":41,"tid":41,"name":"process_name","args":{...}},
 *	{"ph":"i","s":"t","pid":41,"tid":42,"ts":123456.789,"cat":"example",
 *	"name":"processed tcp","args":{"tcp":10,"priority":"trace"}}
 *	]}
 *
 * Times are microseconds since base_ns, the second of the first event:
 * consumers read them as doubles, which hold no nanosecond of Unix time.  For
 * the same reason integers of 2^53 and above are strings.  Spans of scope
 * TIMELINE_SOURCE have a thread of their own, counted down from
 * TL_CHROME_SOURCE_TID.
 */
#ifndef TL_FORMAT_CHROME_WRITE_H
#define TL_FORMAT_CHROME_WRITE_H

#include "format/writer.h"

#define TL_CHROME_SOURCE_TID 0x7fffffffu

tl_writer_new tl_chrome_write_new;

#endif
