/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - comma separated values, as timeline-dump --format csv prints them.
 *
 *	ns,tsc,cpu,pid,tid,priority,category,message,kind,arg1,value1,...value4,
 *	    thread,process,duration_ns,unsure,proven,begun_tsc,host,timeline
 *	1795202658123456789,7654321,0,41,42,trace,example,
 *	    "processed $tcp, $udp",instant,tcp,10,udp,20,,,,,worker,server,,,,,web1,
 *	    app
 *	1795202658123456789,7654321,0,,,,,,lost,lost,1234,,,,,,,,,,,,web1,app
 *
 *	1795202658123456799,7654331,0,41,42,info,source,GameThread,begin,
 *	    scope,source,,,,,,,,,,,,web1,app
 *
 * The first line names the 25 columns, every other has as many (drawn here on
 * several lines).  thread and process are names, empty where they are not known.
 * duration_ns is of an end whose begin is known, and unsure is true if the two may
 * be no pair.  proven is true of an end that holds the stamp of its begin, which is
 * begun_tsc, and of a begin whose end will.  host and timeline, the last two, are
 * names as well.  A line ends with \n; RFC 4180 quotes; no field holds a
 * line break.  An unknown CPU is empty.  An end that was logged without
 * arguments has their names and no values; a text that is empty is "".
 * Behind the arguments of a span that belongs to its message, not to a
 * thread, stands scope,source where they are less than four.
 *
 * It can be read back: the formats of the arguments stand in the message.
 * $x and $x%x are decimal without a sign, $x%d and $x%t with one, $x%f reads
 * back the same (or is inf, -inf, nan).  Category, message and $x%s texts are
 * written by tl_put_csv, as names are: drop one leading ', then undo \\ \n \t \xNN.
 *
 * Reading:
 * Lines of the first 17, 19, 21 or 23 columns, as older versions wrote them, are read.
 * Durations are those between begin and end: duration_ns is read only of an end
 * that is proven.  All lines become one timeline, of the host and with the name
 * that they have; where lines differ in them, it has none.
 * The line of names may be missing; such a file is not recognised, but read
 * when it is said to be one.  Reported and read on: lines of another form,
 * values that are not of their argument's format, priorities that are none.
 */
#ifndef TL_FORMAT_CSV_CSV_H
#define TL_FORMAT_CSV_CSV_H

#include "event/reader.h"
#include "event/writer.h"

tl_reader_new tl_csv_read_new;
tl_recognise tl_csv_recognise;

/* The field after the arguments of such a span, read like one. */
#define TL_CSV_SCOPE_NAME   "scope"
#define TL_CSV_SCOPE_SOURCE "source"

/* Its finish hands on what is left (at least the line of names) and may be
 * called again after more events. */
tl_writer_new tl_csv_write_new;

#endif
