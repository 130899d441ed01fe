/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_write.h - events as comma separated values.
 *
 *	ns,tsc,cpu,pid,tid,priority,category,message,kind,arg1,value1,...value4
 *	1795202658123456789,7654321,0,41,42,trace,example,
 *	    "processed $tcp, $udp",instant,tcp,10,udp,20,,,,
 *	1795202658123456789,7654321,0,,,,,,lost,lost,1234,,,,,,
 *
 * The first line names the 17 columns, every other has as many (drawn here on
 * several lines).  A line ends with \n; RFC 4180 quotes; no field holds a
 * line break.  An unknown CPU is empty.
 *
 * It can be read back: the formats of the arguments stand in the message.
 * $x and $x%x are decimal without a sign, $x%d and $x%t with one, $x%f reads
 * back the same (or is inf, -inf, nan).  Category, message and $x%s texts are
 * written by tl_put_csv: drop one leading ', then undo \\ \n \t \xNN.
 */
#ifndef TL_FORMAT_CSV_WRITE_H
#define TL_FORMAT_CSV_WRITE_H

#include "format/writer.h"

/* Its finish hands on what is left (at least the line of names) and may be
 * called again after more events. */
tl_writer_new tl_csv_write_new;

#endif
