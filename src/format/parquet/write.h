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

tl_writer_new tl_parquet_write_new;

#endif
