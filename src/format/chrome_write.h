/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chrome_write.h - events in the trace event format of Chrome, which Perfetto
 * and many others read:
 *
 *	{"displayTimeUnit":"ns","otherData":{"base_ns":"1795202658000000000"},
 *	"traceEvents":[
 *	{"ph":"M","pid":41,"tid":41,"name":"process_name","args":{...}},
 *	{"ph":"I","s":"t","pid":41,"tid":42,"ts":123456.789,"cat":"example",
 *	"name":"processed tcp","args":{"tcp":10,"priority":"trace"}}
 *	]}
 *
 * Times are microseconds since base_ns, the second of the first event:
 * consumers read them as doubles, which hold no nanosecond of Unix time.  For
 * the same reason integers of 2^53 and above are strings.  A span is B and E,
 * not X: an X can be written when its end is known, and a span that has only
 * one end, as the oldest and the newest of a ring, not at all.  The metadata
 * is told in chrome_words.h.
 */
#ifndef TL_FORMAT_CHROME_WRITE_H
#define TL_FORMAT_CHROME_WRITE_H

#include "format/writer.h"

tl_writer_new tl_chrome_write_new;

#endif
