/* SPDX-License-Identifier: Apache-2.0 */
/*
 * column.h - a column of a row group, page after page.
 *
 *	page    header | size of levels, levels | values		zstd
 *	chunk   [dictionary page] page page ...
 *
 *	rows of a page:   1 . . 2 3 .        . is NULL
 *	levels            1 0 0 1 1 0
 *	values            1 2 3
 *
 * NULL need not be put: levels follow when the next value comes.
 * Strings are numbers in values while they have a dictionary, and lie in plain
 * once it is full; from there on so do those of the rest of the chunk.
 */
#ifndef TL_FORMAT_PARQUET_COLUMN_H
#define TL_FORMAT_PARQUET_COLUMN_H

#include "event/intern.h"
#include "format/parquet/encode.h"

#include <assert.h>
#include <zstd.h>

enum {
	TL_PARQUET_PAGE_ROWS = 8 << 10,
	TL_PARQUET_PAGE_SIZE_MAX = 1 << 20, /* of plain strings */
	TL_PARQUET_ENTRIES_MAX = 1 << 15,   /* of a dictionary */
	TL_PARQUET_DICTIONARY_SIZE_MAX = 1 << 20
};

enum tl_parquet_kind {
	TL_PARQUET_BOOL,
	TL_PARQUET_I32,
	TL_PARQUET_U64,
	TL_PARQUET_I64,
	TL_PARQUET_NANOS, /* times since 1970 */
	TL_PARQUET_MICROS,
	TL_PARQUET_DOUBLE,
	TL_PARQUET_STRING,
	TL_PARQUET_TEXT /* strings that are hardly ever the same: plain */
};

static inline bool
tl_parquet_is_text(enum tl_parquet_kind kind)
{
	return kind >= TL_PARQUET_STRING;
}

/* Of the format. */
enum tl_parquet_encoding {
	TL_PARQUET_PLAIN = 0,
	TL_PARQUET_HYBRID = 3,
	TL_PARQUET_DELTA = 5,
	TL_PARQUET_DICTIONARY = 8
};

/* Where a string stands in the dictionary of a chunk; starts from zeros. */
struct tl_parquet_known {
	uint32_t chunk; /* which: 0 none */
	uint32_t entry;
};

struct tl_parquet_column {
	enum tl_parquet_kind kind;
	bool is_optional;
	bool is_plain;     /* strings: there is no dictionary any more */
	uint32_t chunk_id; /* from 1 */
	/* The page. */
	uint32_t base;  /* row, of those since tl_parquet_end_page, it begins
			   with */
	uint32_t rows;  /* that have a level */
	uint32_t count; /* values */
	struct tl_text plain;
	/* The chunk. */
	struct tl_text pages;
	struct tl_text dictionary; /* its entries */
	struct tl_interner *interner;
	uint32_t entries;
	uint32_t waiting;   /* rows of NULL before the page */
	uint64_t nulls;     /* of its pages */
	uint64_t size;      /* of its pages, unpacked */
	uint16_t encodings; /* of its pages, a bit for each */
	struct tl_parquet_bounds bounds;
	uint8_t levels[TL_PARQUET_PAGE_ROWS];
	uint64_t values[TL_PARQUET_PAGE_ROWS];
};

/* State shared by all columns. */
struct tl_parquet_packer {
	ZSTD_CCtx *zstd;
	struct tl_text body;   /* of a page */
	struct tl_text packed; /* the same */
	uint64_t size;         /* of all pages since the chunks began */
};

int tl_parquet_packer_init(struct tl_parquet_packer *packer);
void tl_parquet_packer_free(struct tl_parquet_packer *packer);

void tl_parquet_column_init(struct tl_parquet_column *column,
    enum tl_parquet_kind kind, bool is_optional);
void tl_parquet_column_free(struct tl_parquet_column *column);

/* The level of a row that is not NULL.  Rows are counted from the last
 * tl_parquet_end_page. */
static inline void
tl_parquet_raise(struct tl_parquet_column *c, uint32_t row)
{
	row -= c->base;
	assert(row >= c->rows && row < TL_PARQUET_PAGE_ROWS);
	if (row > c->rows)
		memset(c->levels + c->rows, 0, row - c->rows);
	c->levels[row] = 1;
	c->rows = row + 1;
}

/* The value of a row: a number, or the bits of a double. */
static inline void
tl_parquet_put(struct tl_parquet_column *c, uint32_t row, uint64_t value)
{
	tl_parquet_raise(c, row);
	c->values[c->count++] = value;
}

/* A string of UTF-8 of at most TL_INTERNER_TEXT_MAX bytes, that was or will be
 * known (NULL: it is not).  0, -errno. */
int tl_parquet_put_string(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, uint32_t row, struct tl_bytes string,
    struct tl_parquet_known *known);

/* The same of a string that is known. */
static inline bool
tl_parquet_put_known(struct tl_parquet_column *c, uint32_t row,
    const struct tl_parquet_known *known)
{
	if (known->chunk != c->chunk_id || c->is_plain)
		return false;
	tl_parquet_put(c, row, known->entry);
	return true;
}

/* A text that its caller appends to plain until close. */
size_t tl_parquet_text_open(struct tl_parquet_column *column);
int tl_parquet_text_close(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, uint32_t row, size_t opened);

/* Rows are counted from 0 again.  0, -errno. */
int tl_parquet_end_page(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, uint32_t rows);

/* After tl_parquet_end_page: pages is all of them; the page of the dictionary,
 * which stands before them, is appended to text where there is one. */
int tl_parquet_end_chunk(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, struct tl_text *text);
/* The next one. */
void tl_parquet_next_chunk(struct tl_parquet_column *column);

enum tl_parquet_order tl_parquet_order_of(enum tl_parquet_kind kind);

#endif
