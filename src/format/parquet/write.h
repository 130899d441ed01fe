/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as Apache Parquet, a row for each, for DuckDB, Spark and
 * other readers of columns.
 *
 *	PAR1 | row group | ... | footer | size of the footer | PAR1
 *
 *	row group: a chunk of each column | ...
 *	chunk:     [page of its dictionary] page page ...
 *	footer:    schema, and for each chunk: place, count, least, greatest
 *
 * The output is a stream: written bytes are never read again.  The writer holds
 * one row group in memory, and the footer entries of the groups before.
 */
#ifndef TL_FORMAT_PARQUET_WRITE_H
#define TL_FORMAT_PARQUET_WRITE_H

#include "event/writer.h"

/* The unit of the column time, because some readers know no nanoseconds. */
enum tl_parquet_time { TL_PARQUET_TIME_NANOS, TL_PARQUET_TIME_MICROS };

/* Parse "nanos" or "micros": 0, -EINVAL. */
int tl_parquet_time_parse(const char *word, enum tl_parquet_time *time);

/* The setting of the writer (tl_writer_set()) is an enum tl_parquet_time. */
tl_writer_new tl_parquet_write_new;

#endif
