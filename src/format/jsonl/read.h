/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read the JSON lines that jsonl_write.h describes.
 *
 * The members may stand in any order, and arguments, which are known by their
 * names; what is unknown is skipped.  A loss, which has no time of its own,
 * gets that of the line before.  Reported and read on: lines that are no JSON
 * object or miss a number, values that are not of their argument's format,
 * priorities that are none.
 */
#ifndef TL_FORMAT_JSONL_READ_H
#define TL_FORMAT_JSONL_READ_H

#include "event/reader.h"

tl_reader_new tl_jsonl_read_new;
tl_recognise tl_jsonl_recognise;

#endif
