/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtl.h - the log that RTL_LOGFILE makes.
 *
 *	opening log file 996739200.000000 seconds past January 1st 1970
 *	corresponding to 12 ms after timer start
 *	Process id is 4711
 *	000012 11 { desktop (cd100003) ::Desktop::Main
 *	000015 11 | desktop (cd100003) ::Desktop::Main : { splash screen
 *	000018 11 | : words
 *	closing log file at 000020
 *
 * Two forms are read: the documented form (a colon in every line, no header)
 * and the form that programs really wrote.  Columns count milliseconds, or
 * microseconds if the second line of the header says "us".  Without a header,
 * times count from the start of 1970.
 *
 * The reader reports three faults and continues: lines of another form, lines
 * over 64 KiB, which are cut, and a missing end.  Behind a header or a good
 * line, a line of another form is taken for a message, because a message may
 * contain line breaks.
 *
 * Writing.  Lines have the form that programs really wrote; front/rtl_text.h
 * says how a message becomes a line.  If a message comes from elsewhere, the
 * category is the project and "-" the author.  If a span was logged with
 * arguments, a line of its own behind the span has the arguments.  No event can
 * break a line: control bytes and bytes that are no UTF-8 are written as \n,
 * \xNN.
 */
#ifndef TL_FORMAT_RTL_RTL_H
#define TL_FORMAT_RTL_RTL_H

#include "event/reader.h"
#include "event/writer.h"

/* If no header names the process, the name of the file does: name_4711.log. */
tl_reader_new tl_rtl_read_new;
tl_recognise tl_rtl_recognise;

/*
 * The setting of the writer (tl_writer_set()): times in microseconds instead of
 * milliseconds.
 */
tl_writer_new tl_rtl_write_new;

#endif
