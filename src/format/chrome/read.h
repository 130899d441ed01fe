/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - read the Trace Event Format of Chrome, which many programs write: an
 * object with the member traceEvents, or only a list, whose end may be missing.
 *
 * Source: "Trace Event Format", the document of the Chromium project.
 *
 * Events are passed on when the input ends, in order of time (spans.h).
 * Metadata gives names to processes and threads.
 */
#ifndef TL_FORMAT_CHROME_READ_H
#define TL_FORMAT_CHROME_READ_H

#include "event/reader.h"

tl_reader_new tl_chrome_read_new;
tl_recognise tl_chrome_recognise;

#endif
