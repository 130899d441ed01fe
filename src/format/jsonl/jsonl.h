/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jsonl.h - JSON lines, as timeline-dump --json prints them.
 *
 *	{"ns":1795202658123456789,"tsc":7654321,"cpu":0,"pid":41,"tid":42,
 *	 "priority":"trace","category":"example",
 *	 "message":"processed $tcp, $udp, and $other","kind":"instant",
 *	 "args":{"tcp":10,"udp":20,"other":3}}
 *	{"lost":1234,"cpu":0}
 *	{"overwritten":1234,"cpu":0}
 *
 * Each line is one object (drawn here on several lines).  Every 64-bit value is
 * a plain integer: a reader that keeps numbers as doubles rounds values above
 * 2^53.  ns is Unix time; cpu is null when unknown; kind is instant, begin, end
 * or counter; $x%f is a number, null when not finite; $x%s the text.  An end
 * that was logged without arguments has those of its begin and "bare":true
 * before priority; if the begin is unknown, args is empty.  What an end says of
 * its begin is in write.c; of an end with begun_tsc it is read.  A span that
 * belongs to its message, not to a thread, has "scope":"source" after args.  If
 * names are known, "thread":"worker","process":"server" follow tid.
 *
 * Reading.  Members may have any order, and so may arguments, which are found
 * by name; unknown members are skipped.  A loss has no time of its own and gets
 * the later time of the events around it.  The reader reports these faults and
 * continues: lines that are no JSON object or lack a number, values that do not
 * fit the format of their argument, unknown priorities.
 */
#ifndef TL_FORMAT_JSONL_JSONL_H
#define TL_FORMAT_JSONL_JSONL_H

#include "event/reader.h"
#include "event/writer.h"

tl_reader_new tl_jsonl_read_new;
tl_recognise tl_jsonl_recognise;

/*
 * Make a writer.  Its finish writes the rest and may be called again after more
 * events.
 */
tl_writer_new tl_jsonl_write_new;

#endif
