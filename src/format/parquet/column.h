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
 * NULL need not be put: the next value adds the levels of the rows before it.
 * While a string column has a dictionary, the values are numbers of entries.
 * Once the dictionary is full, the strings of the rest of the chunk lie in
 * plain.
 */
#ifndef TL_FORMAT_PARQUET_COLUMN_H
#define TL_FORMAT_PARQUET_COLUMN_H

#include "event/intern.h"
#include "format/parquet/encode.h"

#include <assert.h>
#include <zstd.h>

enum {
	TL_PARQUET_PAGE_ROWS = 8 << 10,
	TL_PARQUET_PAGE_SIZE_MAX = 1 << 20, /* bytes of plain strings */
	TL_PARQUET_ENTRIES_MAX = 1 << 15,   /* entries of a dictionary */
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
	TL_PARQUET_TEXT /* rarely equal strings: plain */
};

static inline bool
tl_parquet_is_text(enum tl_parquet_kind kind)
{
	return kind >= TL_PARQUET_STRING;
}

/* Numbers of the Parquet format. */
enum tl_parquet_encoding {
	TL_PARQUET_PLAIN = 0,
	TL_PARQUET_HYBRID = 3,
	TL_PARQUET_DELTA = 5,
	TL_PARQUET_DICTIONARY = 8
};

/* The place of a string in the dictionary of a chunk; starts from all zeros. */
struct tl_parquet_known {
	uint32_t chunk; /* id of the chunk; 0: none */
	uint32_t entry;
};

struct tl_parquet_column {
	enum tl_parquet_kind kind;
	bool is_optional;
	bool is_plain;     /* strings without a dictionary */
	uint32_t chunk_id; /* counted from 1 */
	/* The page that fills. */
	/* First row of the page, counted from tl_parquet_end_page(). */
	uint32_t base;
	uint32_t rows;  /* rows with a level */
	uint32_t count; /* number of values */
	struct tl_text plain;
	/* The chunk. */
	struct tl_text pages;
	struct tl_text dictionary; /* entries with their sizes */
	struct tl_interner *interner;
	uint32_t entries;
	uint32_t waiting;   /* rows of NULL before the page */
	uint64_t nulls;     /* NULLs of the pages */
	uint64_t size;      /* bytes of the pages, unpacked */
	uint16_t encodings; /* encodings of the pages, as bits */
	struct tl_parquet_bounds bounds;
	uint8_t levels[TL_PARQUET_PAGE_ROWS];
	uint64_t values[TL_PARQUET_PAGE_ROWS];
};

/* State shared by all columns. */
struct tl_parquet_packer {
	ZSTD_CCtx *zstd;
	struct tl_text body;   /* body of a page */
	struct tl_text packed; /* the body, compressed */
	uint64_t size;         /* bytes of all pages of the row group */
};

int tl_parquet_packer_init(struct tl_parquet_packer *packer);
void tl_parquet_packer_free(struct tl_parquet_packer *packer);

void tl_parquet_column_init(struct tl_parquet_column *column,
    enum tl_parquet_kind kind, bool is_optional);
void tl_parquet_column_free(struct tl_parquet_column *column);

/*
 * Give a row that is not NULL its level.  Rows are counted from the last
 * tl_parquet_end_page().
 */
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

/* Put the value of a row: a number, or the bits of a double. */
static inline void
tl_parquet_put(struct tl_parquet_column *c, uint32_t row, uint64_t value)
{
	tl_parquet_raise(c, row);
	c->values[c->count++] = value;
}

/*
 * Put a UTF-8 string of at most TL_INTERNER_TEXT_MAX bytes, and note its place
 * in known (NULL: do not note).  0, -errno.
 */
int tl_parquet_put_string(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, uint32_t row, struct tl_bytes string,
    struct tl_parquet_known *known);

/* Put a string by its noted place; false: the chunk has no such place. */
static inline bool
tl_parquet_put_known(struct tl_parquet_column *c, uint32_t row,
    const struct tl_parquet_known *known)
{
	if (known->chunk != c->chunk_id || c->is_plain)
		return false;
	tl_parquet_put(c, row, known->entry);
	return true;
}

/*
 * Put a string that the caller appends to plain between open and close.  close
 * returns 0, -errno.
 */
size_t tl_parquet_text_open(struct tl_parquet_column *column);
int tl_parquet_text_close(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, uint32_t row, size_t opened);

/* End the page after this many rows; the next row is row 0.  0, -errno. */
int tl_parquet_end_page(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, uint32_t rows);

/*
 * End the chunk after tl_parquet_end_page(): pages then holds all pages, and
 * the page of the dictionary, which precedes them, is appended to text if there
 * is a dictionary.  0, -errno.
 */
int tl_parquet_end_chunk(struct tl_parquet_packer *packer,
    struct tl_parquet_column *column, struct tl_text *text);
/* Start the next chunk. */
void tl_parquet_next_chunk(struct tl_parquet_column *column);

enum tl_parquet_order tl_parquet_order_of(enum tl_parquet_kind kind);

#endif
