/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_writer.h - write events as the data file of a recorded trace
 * (timeline-trace(5)): a tree of spans for each thread.  Its index is made by
 * who opens it first.
 */
#ifndef TL_TRACE_EVENT_WRITER_H
#define TL_TRACE_EVENT_WRITER_H

#include "event/writer.h"

tl_writer_new tl_trace_write_new;

#endif
