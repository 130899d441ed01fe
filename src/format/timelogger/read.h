/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read what GaBIEn's TimeLogger wrote.
 *
 * Events come in the order of the file, which is not that of their times: the
 * original took the time before it queued.  Reported and read on: a record of
 * an unknown type (its 13 bytes are skipped), a source that was never defined
 * or is defined again, activity outside 0 and 1, a tail that is cut.
 */
#ifndef TL_FORMAT_TIMELOGGER_READ_H
#define TL_FORMAT_TIMELOGGER_READ_H

#include "event/reader.h"

tl_reader_new tl_timelogger_read_new;
tl_recognise tl_timelogger_recognise;

#endif
