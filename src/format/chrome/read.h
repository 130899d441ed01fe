/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read trace events of Chrome, and of all the programs that
 * write them, too: the object with its traceEvents anywhere in it, and the
 * bare list, whose end may be missing.
 *
 * Events come in the order of the input, but for spans that are written whole
 * (see chrome_spans.h) and metadata, which waits for the first time.
 */
#ifndef TL_FORMAT_CHROME_READ_H
#define TL_FORMAT_CHROME_READ_H

#include "event/reader.h"

tl_reader_new tl_chrome_read_new;
tl_recognise tl_chrome_recognise;

#endif
