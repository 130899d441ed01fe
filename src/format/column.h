/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column.h - columns that grow side by side and are written one after
 * the other.
 *
 *	column  first ---> chunk --next--> chunk <--- last    in a file
 *	        text: what is not in the file yet
 *
 * A column in memory is short: what is more goes to a file without a name,
 * shared by all columns, chained so that no list of chunks needs memory.
 */
#ifndef TL_FORMAT_COLUMN_H
#define TL_FORMAT_COLUMN_H

#include "event/writer.h"

#include <stdbool.h>

enum {
	TL_COLUMN_CHUNK_SIZE = 32 << 10,
	/* Of all columns together. */
	TL_COLUMNS_WAITING_MAX = 64 << 20
};

/* State shared by the columns of a writer.  Starts from all zeros. */
struct tl_columns {
	uint64_t size;    /* 0: there is no file yet */
	uint64_t waiting; /* bytes that all columns have in memory */
	int fd;
};

/* Starts from all zeros.  Its owner appends to text, then settles. */
struct tl_column {
	struct tl_text text;
	size_t counted; /* bytes of text that are in waiting */
	uint64_t first; /* where chunks lie; 0: there is none */
	uint64_t last;
};

/* After appending: 0, -ENOMEM, or the error of writing the file. */
int tl_column_spill_full(struct tl_columns *columns, struct tl_column *column);
/* Move all of its text to the file and give back the memory. */
int tl_column_spill(struct tl_columns *columns, struct tl_column *column);
/* Is there enough in memory that all columns should be spilled? */
static inline bool
tl_columns_are_full(const struct tl_columns *columns)
{
	return columns->waiting > TL_COLUMNS_WAITING_MAX;
}

/* Write all of it, which stays as it is. */
int tl_column_write(const struct tl_columns *columns,
    const struct tl_column *column, struct tl_out *out);

void tl_column_free(struct tl_column *column);
void tl_columns_free(struct tl_columns *columns);

#endif
