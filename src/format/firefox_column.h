/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firefox_column.h - columns that grow side by side and are written one after
 * the other.
 *
 *	column  first ---> chunk --next--> chunk <--- last    in a file
 *	        text: what is not in the file yet
 *
 * A column in memory is short: what is more goes to a file without a name,
 * shared by all columns, chained so that no list of chunks needs memory.
 */
#ifndef TL_FORMAT_FIREFOX_COLUMN_H
#define TL_FORMAT_FIREFOX_COLUMN_H

#include "format/out.h"

#include <stdbool.h>

enum {
	TL_FIREFOX_CHUNK_SIZE = 32 << 10,
	/* Of all columns together. */
	TL_FIREFOX_WAITING_MAX = 64 << 20
};

/* The file.  Starts from all zeros. */
struct tl_firefox_spill {
	uint64_t size;    /* 0: there is no file yet */
	uint64_t waiting; /* bytes that all columns have in memory */
	int fd;
};

/* Starts from all zeros.  Its owner appends to text, then settles. */
struct tl_firefox_column {
	struct tl_text text;
	size_t counted; /* bytes of text that are in waiting */
	uint64_t first; /* where chunks lie; 0: there is none */
	uint64_t last;
};

/* After appending: 0, -ENOMEM, or what writing the file said. */
int tl_firefox_column_settle(struct tl_firefox_spill *spill,
    struct tl_firefox_column *column);
/* Move all of its text to the file and give back the memory. */
int tl_firefox_column_spill(struct tl_firefox_spill *spill,
    struct tl_firefox_column *column);
/* Is there so much in memory that all columns should be spilled? */
static inline bool
tl_firefox_spill_is_full(const struct tl_firefox_spill *spill)
{
	return spill->waiting > TL_FIREFOX_WAITING_MAX;
}

/* Write all of it, which stays as it is. */
int tl_firefox_column_write(const struct tl_firefox_spill *spill,
    const struct tl_firefox_column *column, struct tl_out *out);

void tl_firefox_column_free(struct tl_firefox_column *column);
void tl_firefox_spill_free(struct tl_firefox_spill *spill);

#endif
