/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_formats.h - files of other formats for libtimeline-read:
 * libtimeline-formats.
 *
 *	struct timeline_read_options options = { .size = sizeof(options),
 *		.formats = timeline_formats() };
 *
 *	timeline_read_open(&reader, "trace.json", &options);
 *
 * The readers of other formats are a library of their own because the readers
 * need zlib and libzip, which a program that reads timelines does not need.
 *
 * Compile with the flags of "pkg-config --cflags --libs timeline-formats".  See
 * timeline_read(3).
 */
#ifndef TIMELINE_FORMATS_H
#define TIMELINE_FORMATS_H

#include <timeline_read.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * The formats for timeline_read_options.formats: GaBIEn TimeLogger
 * ("timelogger"), RTL_LOGFILE ("rtl"), LMS profiler ("lms"), Chrome trace
 * events ("chrome"), JSON lines ("jsonl"), CSV ("csv"), JetBrains Lincheck
 * ("lincheck") and recorded traces packed in a zip ("packed").
 * timeline-formats(7) describes the formats.  A file may be compressed by gzip
 * or zstd.  The content of a file decides its format; timeline_read_format()
 * returns the name.  The function never returns NULL.
 */
const struct timeline_read_formats *timeline_formats(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
