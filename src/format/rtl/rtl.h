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
 * Both forms are read: the one that was documented (a colon in every line, no
 * header) and the one that was really written.  Columns count milliseconds,
 * or microseconds where the second line of the header says "us".  Without a
 * header times count from the start of 1970.
 * Reported and read on: lines of another form (once there was a good one they
 * are taken for messages, as what follows a line break in a message is),
 * lines over 64 KiB (cut), an end that is missing.
 *
 * Writing:
 * Lines are as the original really wrote them, see front/rtl_text.h for how
 * a message becomes one.  Of messages that come from elsewhere the category
 * is the project and "-" the author.  A span that was logged with arguments
 * has them in a line of its own behind it.  Nothing of an event can break a
 * line: control bytes and what is no UTF-8 are written as \n, \xNN.
 */
#ifndef TL_FORMAT_RTL_RTL_H
#define TL_FORMAT_RTL_RTL_H

#include "event/reader.h"
#include "event/writer.h"

/* If no header has the process, the name of the file does: name_4711.log. */
tl_reader_new tl_rtl_read_new;
tl_recognise tl_rtl_recognise;

/* Its setting (tl_writer_set): times in microseconds instead of
 * milliseconds. */
tl_writer_new tl_rtl_write_new;

#endif
