/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - comma separated values, as timeline-dump --format csv prints them.
 *
 *	ns,tsc,cpu,pid,tid,priority,category,message,kind,arg1,value1,...value4,
 *	    thread,process,duration_ns,unsure,proven,begun_tsc,host,timeline,
 *	    bare
 *	1795202658123456789,7654321,0,41,42,trace,example,
 *	    "processed $tcp, $udp",instant,tcp,10,udp,20,,,,,worker,server,,,,,
 *	    web1,app,
 *	1795202658123456789,7654321,0,,,,,,lost,lost,1234,,,,,,,,,,,,web1,app,
 *
 *	1795202658123456799,7654331,0,41,42,info,source,GameThread,begin,
 *	    scope,source,,,,,,,,,,,,web1,app,
 *
 * The first line names the 26 columns; every other line has 26 fields (drawn
 * here on several lines).  thread and process are names, empty if unknown.
 * duration_ns belongs to an end whose begin is known; unsure is true if begin
 * and end may be no pair.  begun_tsc is the stamp of the begin of such an end,
 * and 0 for an end of which is known that it has no begin.  proven is true for
 * an end that was logged with the stamp of its begin, and for a begin whose end
 * will be.  host and timeline are names, too.  A line ends with \n; RFC 4180
 * quotes; no field holds a line break.  An unknown CPU is empty.  An end that
 * was logged without arguments has those of its begin, and bare is true; if the
 * begin is unknown, it has the names of the arguments and no values.  An empty
 * text is "".  If a span belongs to its message, not to a thread, and has fewer
 * than four arguments, scope,source follows the arguments.
 *
 * The file can be read back, because the message contains the formats of the
 * arguments.  $x and $x%x are decimal without a sign, $x%d and $x%t with a
 * sign; $x%f reads back the same (or is inf, -inf, nan).  tl_put_csv() writes
 * category, message, names and $x%s texts: drop one leading ', then undo \\,
 * \n, \t and \xNN.
 *
 * Reading.  Lines with only the first 17, 19, 21, 23 or 25 columns, as older
 * versions wrote them, are read.  What an end with begun_tsc says is taken; the
 * duration of another end is computed from its begin.  All lines become one
 * timeline, with the host and name of the lines; if lines differ in these, the
 * timeline has none.  The line of names may be missing; such a file is not
 * recognised, but is read if the user names the format.  The reader reports
 * these faults and continues: lines of another form, values that do not fit the
 * format of their argument, unknown priorities.
 */
#ifndef TL_FORMAT_CSV_CSV_H
#define TL_FORMAT_CSV_CSV_H

#include "event/reader.h"
#include "event/writer.h"

tl_reader_new tl_csv_read_new;
tl_recognise tl_csv_recognise;

/*
 * Make a writer.  Its finish passes on the rest, at least the line of names,
 * and may be called again after more events.
 */
tl_writer_new tl_csv_write_new;

#endif
