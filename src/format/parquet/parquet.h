/* SPDX-License-Identifier: Apache-2.0 */
/* parquet.h - private to the family: the writer. */
#ifndef TL_FORMAT_PARQUET_PARQUET_H
#define TL_FORMAT_PARQUET_PARQUET_H

#include "event/message_map.h"
#include "event/reader.h"
#include "event/render.h"
#include "event/spans.h"
#include "event/writer.h"
#include "format/parquet/column.h"

enum {
	PARQUET_GROUP_ROWS = 128 << 10,
	PARQUET_GROUP_SIZE_MAX = 64 << 20 /* bytes of the pages, unpacked */
};

enum parquet_column_name {
#define COLUMN(name, word, kind, repetition, is_known, number) name,
#include "format/parquet/columns.def"
#undef COLUMN
	COLUMNS
};

/* The distance between the columns of one argument and the next. */
enum { ARG_COLUMNS = NAME2 - NAME1 };

enum parquet_note { GATES, BUILTIN, NOT_UTF8, CUT };

/* Places of the texts that all events of a message share. */
struct parquet_message {
	struct tl_parquet_known category;
	struct tl_parquet_known message;
	struct tl_parquet_known kinds[TL_LOST + 1];
	struct tl_parquet_known priority;
	struct tl_parquet_known scope;
	struct tl_parquet_known explanation;
	struct tl_parquet_known file;
	struct tl_parquet_known names[TL_ARGS_MAX];
};

/* Places of the texts of a source. */
struct parquet_source {
	struct tl_parquet_known host;
	struct tl_parquet_known timeline;
	struct tl_parquet_known command;
};

struct parquet_write {
	struct tl_writer writer; /* first: callers see the writer */
	struct tl_parquet_packer packer;
	uint32_t row;          /* row of the page */
	uint32_t rows;         /* rows of the group, before the page */
	uint64_t rows_all;     /* rows of the written groups */
	uint64_t at;           /* bytes written */
	struct tl_text groups; /* metadata for the footer */
	size_t group_count;
	struct tl_render *render;
	struct tl_message_map messages;
	struct parquet_message unkept; /* slot of messages that find no room */
	/*
	 * One slot for each source of the writer, and one for events without a
	 * source.
	 */
	struct parquet_source *sources;
	struct tl_text scratch;
	struct tl_parquet_column columns[COLUMNS];
};

/*
 * Write a row group and keep its entry for the footer; 0 rows: nothing.  0,
 * -errno.
 */
int tl_parquet_write_group(struct parquet_write *w);
/* Write the footer after the last group. */
void tl_parquet_put_footer(struct parquet_write *w);

#endif
