/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reading.c - the table of formats: how each format is read.  The file names no
 * writer, so that libtimeline-formats, which contains this file, has none.
 */
#include "base/array.h"
#include "base/table.h"
#include "format/chrome/chrome.h"
#include "format/csv/csv.h"
#include "format/jsonl/jsonl.h"
#include "format/lincheck/lincheck.h"
#include "format/lms/lms.h"
#include "format/registry.h"
#include "format/rtl/rtl.h"
#include "format/timelogger/timelogger.h"
#include "read/read.h"
#include "snap/compressed.h"
#include "source/kinds.h"
#include "trace/pack/packed.h"
#include "trace/read.h"

#include <timeline_formats.h>

static const struct tl_source_format reads[] = {
#define tl_source_open_none NULL
#define FORMAT(name, opener, reader, recogniser, writer, at, suffix, flags, \
    help) \
	{ name, tl_source_open_##opener, recogniser, reader, \
		((flags)&TL_FORMAT_PACKED) != 0 },
#include "format/formats.def"
#undef FORMAT
#undef tl_source_open_none
};

const struct tl_source_formats tl_formats_read = { reads, TL_COUNT(reads),
	tl_source_open_unpacked };

static const struct timeline_read_formats shown = { TL_READ_RELEASE,
	&tl_formats_read, &tl_hash_seed_chosen };

const struct timeline_read_formats *
timeline_formats(void)
{
	return &shown;
}
