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
 * A library of its own, as its readers need others (zlib and libzip) that a
 * program which reads timelines does not.
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
 * For timeline_read_options.formats: GaBIEn TimeLogger ("timelogger"),
 * RTL_LOGFILE ("rtl"), LMS profiler ("lms"), Chrome trace events ("chrome"),
 * JSON lines ("jsonl"), CSV ("csv"), JetBrains Lincheck ("lincheck"), and
 * recorded traces packed in a zip ("packed"), as timeline-formats(7) describes
 * them, also as gzip or zstd compressed them.  The content of a file decides
 * which of them it is; timeline_read_format() has the name.  Never NULL.
 */
const struct timeline_read_formats *timeline_formats(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
