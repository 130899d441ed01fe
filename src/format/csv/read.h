/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read the CSV that csv_write.h describes.
 *
 * The line of names may be missing; such a file is not recognised, but read
 * when it is said to be one.  Reported and read on: lines of another form,
 * values that are not of their argument's format, priorities that are none.
 */
#ifndef TL_FORMAT_CSV_READ_H
#define TL_FORMAT_CSV_READ_H

#include "event/reader.h"

tl_reader_new tl_csv_read_new;
tl_recognise tl_csv_recognise;

#endif
