/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as a processed profile, version 63, for the Firefox
 * Profiler, https://profiler.firefox.com.
 *
 *	{"meta":{"preprocessedProfileVersion":63,"startTime":1795202658000,
 *	  "categories":[{"name":"net","color":"blue","subcategories":[...]}],
 *	  "markerSchema":[{"name":"m0","tableLabel":"accept {...}",
 *	    "fields":[{"key":"port","label":"port","format":"integer"},...]}],
 *	  ...},
 *	 "libs":[],
 *	 "shared":{"stringArray":["accept port","eth0"],...empty tables...},
 *	 "threads":[{"name":"thread 51","pid":"40","tid":51,...,"markers":
 *	   {"length":2,"name":[0,0],"startTime":[123.456789,124.000001],
 *	    "endTime":[null,130.5],"phase":[0,1],"category":[1,1],
 *	    "data":[{"type":"m0","$priority":"info","port":80,"$cpu":1},
 *	            {"type":"m0",...}]}}],
 *	 "counters":[{"name":"depth length","pid":"40","mainThreadIndex":0,
 *	   "samples":{"length":3,"time":[...],"count":[0,3,-1]},...}]}
 *
 * It is the oldest version that says how a counter is drawn; what is newer
 * reads it, too.  Tables of stacks and functions are there and empty.
 *
 * A column holds one field of all markers of a thread, so nothing can be
 * written before the last event: columns wait in a file (column.h).
 * Memory grows with threads, messages and strings, not with events.
 *
 * startTime is the whole second before the first event: all else counts
 * milliseconds from there, with six decimals.
 *
 * phase  0 an instant: startTime
 *	  1 a span: both
 *	  2 a begin without an end: startTime
 *	  3 an end without a begin: endTime
 *
 * The viewer pairs 2 and 3 by name and thread, last in first out; so do we by
 * message and thread, and write a span whole, as 1, when it ends.  A span of
 * scope TIMELINE_SOURCE lies in a thread of its message, in the process that
 * was the first to use it; "$thread" tells whose it is.
 *
 * An argument has its own name for a key, with $ before what means something
 * else to the viewer; "$end" behind it: the value of the end, where it is
 * another one.  Integers of 2^53 and above, durations of 2^33 ms and above and
 * doubles that are no number are strings.
 *
 * A counter has differences, from a first sample of 0 on, as the viewer adds
 * them up and takes no notice of the first.
 */
#ifndef TL_FORMAT_FIREFOX_WRITE_H
#define TL_FORMAT_FIREFOX_WRITE_H

#include "event/writer.h"

tl_writer_new tl_firefox_write_new;

#endif
