/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_write.h - write events as the data file of a recorded trace
 * (timeline-trace(5)): a tree of spans for each thread.  Its index is made by
 * who opens it first.
 */
#ifndef TL_FORMAT_TRACE_WRITE_H
#define TL_FORMAT_TRACE_WRITE_H

#include "format/writer.h"

tl_writer_new tl_trace_write_new;

#endif
