/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c - look up a format. */
#include "format/formats.h"

#include "format/chrome_read.h"
#include "format/chrome_write.h"
#include "format/csv_read.h"
#include "format/csv_write.h"
#include "format/directory.h"
#include "format/firefox_write.h"
#include "format/fleet_write.h"
#include "format/folded_write.h"
#include "format/html_write.h"
#include "format/jsonl_read.h"
#include "format/jsonl_write.h"
#include "format/lincheck_read.h"
#include "format/lincheck_write.h"
#include "format/lms_read.h"
#include "format/lms_write.h"
#include "format/packed_events.h"
#include "format/parquet_write.h"
#include "format/perfetto_write.h"
#include "format/rtl_read.h"
#include "format/rtl_write.h"
#include "format/speedscope_write.h"
#include "format/sqlite_write.h"
#include "format/svg_write.h"
#include "format/timeline_write.h"
#include "format/timelogger_read.h"
#include "format/timelogger_write.h"
#include "format/trace_write.h"

static const struct tl_format_row rows[] = {
#define FORMAT(name, reader, recogniser, writer, at, suffix, flags, help) \
	{ name, reader, recogniser, writer, at, suffix, flags, help },
#include "format/formats.def"
#undef FORMAT
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const struct tl_format_row *
tl_formats_at(size_t i)
{
	return i < ROWS ? &rows[i] : NULL;
}

const struct tl_format_row *
tl_formats_find(const char *name)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

const struct tl_format_row *
tl_formats_recognise(struct tl_bytes first)
{
	const struct tl_format_row *best = NULL;
	unsigned most = 0;

	if (first.size > TL_FORMATS_FIRST_SIZE)
		first.size = TL_FORMATS_FIRST_SIZE;
	for (size_t i = 0; i < ROWS; i++) {
		const unsigned sure =
		    rows[i].recognise ? rows[i].recognise(first) : 0;

		if (sure > most) {
			most = sure;
			best = &rows[i];
		}
	}
	return best;
}
