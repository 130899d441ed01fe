/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read what the profiler of LMS wrote.
 *
 * Events come in the order of the file; where a difference is negative that
 * is not the order of their times.  Reported and read on: an end without a
 * begin, a begin without an end, a begin inside another of its label, an id
 * without a label or with a second one, lines that are none of this format.
 */
#ifndef TL_FORMAT_LMS_READ_H
#define TL_FORMAT_LMS_READ_H

#include "event/reader.h"

tl_reader_new tl_lms_read_new;
tl_recognise tl_lms_recognise;

#endif
