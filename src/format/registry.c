/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c - the table of formats: how each format is written. */
#include "format/registry.h"

#include "base/array.h"
#include "format/chrome/chrome.h"
#include "format/csv/csv.h"
#include "format/ctf/ctf.h"
#include "format/html/write.h"
#include "format/jsonl/jsonl.h"
#include "format/lincheck/lincheck.h"
#include "format/lms/lms.h"
#include "format/parquet/write.h"
#include "format/perfetto/write.h"
#include "format/rtl/rtl.h"
#include "format/sqlite/write.h"
#include "format/stacks/folded.h"
#include "format/timelogger/timelogger.h"
#include "snap/compressed.h"
#include "snap/write.h"
#include "trace/pack/packed.h"
#include "trace/write.h"

static const struct tl_format_row rows[] = {
#define FORMAT(name, opener, reader, recogniser, writer, at, suffix, flags, \
    help) \
	{ name, writer, at, suffix, flags, help },
#include "format/formats.def"
#undef FORMAT
};

enum { ROWS = TL_COUNT(rows) };

const struct tl_source_format *
tl_format_reading(const struct tl_format_row *row)
{
	return &tl_formats_read.list[row - rows];
}

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
