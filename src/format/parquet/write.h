/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - events as Apache Parquet, a row for each, for DuckDB,
 * Spark and all that read columns.
 *
 *	PAR1 | row group | ... | footer | size of the footer | PAR1
 *
 *	row group: a chunk of each column | ...
 *	chunk:     [page of its dictionary] page page ...
 *	footer:    schema, and of each chunk: where, how many, least, most
 *
 * A stream of bytes: nothing that is written is looked at again.  Memory is
 * that of a row group, and of what the footer says of those before.
 */
#ifndef TL_FORMAT_PARQUET_WRITE_H
#define TL_FORMAT_PARQUET_WRITE_H

#include "event/writer.h"

/* The unit of its column time: not all that read columns know nanoseconds. */
enum tl_parquet_time { TL_PARQUET_TIME_NANOS, TL_PARQUET_TIME_MICROS };

/* "nanos" or "micros": 0 or -EINVAL. */
int tl_parquet_time_parse(const char *word, enum tl_parquet_time *time);

/* Its setting (tl_writer_set) is an enum tl_parquet_time. */
tl_writer_new tl_parquet_write_new;

#endif
