/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - write what the profiler of LMS would have written.
 *
 * What its reader makes of such a file becomes that file again, byte for
 * byte.  Of other events spans are written, each under the label
 * "category.message".  The first difference counts from Unix time 0, so that
 * absolute time is kept.  Instants, counters, arguments, threads, levels and
 * what is below a microsecond are left out, and said.
 */
#ifndef TL_FORMAT_LMS_WRITE_H
#define TL_FORMAT_LMS_WRITE_H

#include "event/writer.h"

tl_writer_new tl_lms_write_new;

#endif
