/* SPDX-License-Identifier: Apache-2.0 */
/* column.c - rows to pages. */
#include "format/parquet/column.h"

#include "format/parquet/encode.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

/* Compression must keep up with millions of events a second. */
enum { ZSTD_LEVEL = 1 };

/* Numbers of the Parquet format: pages and their headers. */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum {
	PAGE_TYPE = 1,
	PAGE_SIZE = 2,
	PAGE_PACKED_SIZE = 3,
	PAGE_DATA = 5,
	PAGE_DICTIONARY = 7
};
enum {
	DATA_COUNT = 1,
	DATA_ENCODING = 2,
	DATA_DEFINITION = 3,
	DATA_REPETITION = 4
};
enum { DICTIONARY_COUNT = 1, DICTIONARY_ENCODING = 2 };

/* The header of a page. */
struct page {
	int type;
	uint32_t rows; /* rows of a data page, else entries */
	enum tl_parquet_encoding encoding;
};

int
tl_parquet_packer_init(struct tl_parquet_packer *p)
{
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	return 0;
}

void
tl_parquet_packer_free(struct tl_parquet_packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	tl_text_free(&p->body);
	tl_text_free(&p->packed);
}

enum tl_parquet_order
tl_parquet_order_of(enum tl_parquet_kind kind)
{
	if (kind == TL_PARQUET_DOUBLE)
		return TL_PARQUET_REAL;
	return kind == TL_PARQUET_BOOL || kind == TL_PARQUET_U64
		   ? TL_PARQUET_UNSIGNED
		   : TL_PARQUET_SIGNED;
}

void
tl_parquet_column_init(struct tl_parquet_column *c, enum tl_parquet_kind kind,
    bool is_optional)
{
	c->kind = kind;
	c->is_optional = is_optional;
	tl_parquet_next_chunk(c);
}

void
tl_parquet_column_free(struct tl_parquet_column *c)
{
	tl_text_free(&c->plain);
	tl_text_free(&c->pages);
	tl_text_free(&c->dictionary);
	tl_interner_free(c->interner);
}

/* Append a page to text; *size grows by the header and the unpacked body. */
static int
pack(struct tl_parquet_packer *p, struct tl_text *text, const struct page *page,
    const struct tl_text *body, uint64_t *size)
{
	const size_t bound = ZSTD_compressBound(body->size);
	const size_t before = text->size;
	size_t packed_size;
	char *to;

	tl_text_clear(&p->packed);
	to = tl_text_reserve(&p->packed, bound);
	if (body->rc < 0 || !to)
		return -ENOMEM;
	packed_size =
	    ZSTD_compress2(p->zstd, to, bound, body->data, body->size);
	if (ZSTD_isError(packed_size))
		return -ENOMEM; /* the only failure: there is room */

	struct tl_thrift t = { .text = text };
	int last;

	tl_thrift_put_i32(&t, PAGE_TYPE, page->type);
	tl_thrift_put_i32(&t, PAGE_SIZE, (int32_t)body->size);
	tl_thrift_put_i32(&t, PAGE_PACKED_SIZE, (int32_t)packed_size);
	if (page->type == DICTIONARY_PAGE) {
		last = tl_thrift_open(&t, PAGE_DICTIONARY);
		tl_thrift_put_i32(&t, DICTIONARY_COUNT, (int32_t)page->rows);
		tl_thrift_put_i32(&t, DICTIONARY_ENCODING, TL_PARQUET_PLAIN);
	} else {
		last = tl_thrift_open(&t, PAGE_DATA);
		tl_thrift_put_i32(&t, DATA_COUNT, (int32_t)page->rows);
		tl_thrift_put_i32(&t, DATA_ENCODING, (int32_t)page->encoding);
		tl_thrift_put_i32(&t, DATA_DEFINITION, TL_PARQUET_HYBRID);
		tl_thrift_put_i32(&t, DATA_REPETITION, TL_PARQUET_HYBRID);
	}
	tl_thrift_close(&t, last);
	tl_thrift_end(&t);
	*size += text->size - before + body->size;
	tl_put_bytes(text, tl_bytes(to, packed_size));
	return text->rc;
}

/* Append a data page made of body. */
static int
add_page(struct tl_parquet_packer *p, struct tl_parquet_column *c,
    uint32_t rows, enum tl_parquet_encoding encoding)
{
	const struct page page = { DATA_PAGE, rows, encoding };
	const uint64_t before = c->size;
	const int rc = pack(p, &c->pages, &page, &p->body, &c->size);

	c->encodings |= (uint16_t)(1 << encoding);
	p->size += c->size - before;
	return rc;
}

static size_t
open_size(struct tl_text *text)
{
	tl_put_repeat(text, 0, sizeof(uint32_t));
	return text->size;
}

/* Write the size of the bytes since open_size() in front of the bytes. */
static void
close_size(struct tl_text *text, size_t opened)
{
	const uint32_t size = htole32((uint32_t)(text->size - opened));

	if (text->rc == 0)
		memcpy(text->data + opened - sizeof(size), &size, sizeof(size));
}

/* Append a page that has only NULL. */
static int
add_nulls(struct tl_parquet_packer *p, struct tl_parquet_column *c)
{
	const uint32_t rows = c->waiting;
	size_t opened;

	if (rows == 0)
		return 0;
	tl_text_clear(&p->body);
	opened = open_size(&p->body);
	tl_thrift_varint(&p->body, (uint64_t)rows << 1);
	tl_put_char(&p->body, 0);
	close_size(&p->body, opened);
	c->nulls += rows;
	c->waiting = 0;
	return add_page(p, c, rows, TL_PARQUET_PLAIN);
}

static void
put_doubles(struct tl_text *body, const uint64_t *values, size_t count)
{
	char *to = tl_text_reserve(body, count * sizeof(*values));

	if (!to)
		return;
	for (size_t i = 0; i < count; i++) {
		const uint64_t bits = htole64(values[i]);

		memcpy(to + i * sizeof(bits), &bits, sizeof(bits));
	}
	body->size += count * sizeof(*values);
}

static enum tl_parquet_encoding
put_values(struct tl_text *body, struct tl_parquet_column *c)
{
	switch (c->kind) {
	case TL_PARQUET_STRING:
	case TL_PARQUET_TEXT:
		if (!c->is_plain) {
			const unsigned most = tl_parquet_width(c->entries - 1);
			const unsigned width = most > 0 ? most : 1;

			tl_put_char(body, (char)width);
			tl_parquet_put_indices(body, c->values, c->count,
			    width);
			return TL_PARQUET_DICTIONARY;
		}
		tl_put_bytes(body, tl_text_bytes(&c->plain));
		if (c->plain.rc < 0)
			body->rc = c->plain.rc;
		return TL_PARQUET_PLAIN;
	case TL_PARQUET_BOOL:
		tl_parquet_put_bools(body, c->values, c->count);
		return TL_PARQUET_PLAIN;
	case TL_PARQUET_DOUBLE:
		put_doubles(body, c->values, c->count);
		return TL_PARQUET_PLAIN;
	default:
		tl_parquet_put_delta(body, c->values, c->count,
		    c->kind == TL_PARQUET_I32);
		return TL_PARQUET_DELTA;
	}
}

/* Make a page of the rows that have levels; more rows may follow. */
static int
cut_page(struct tl_parquet_packer *p, struct tl_parquet_column *c)
{
	enum tl_parquet_encoding encoding;
	size_t opened;
	int rc = add_nulls(p, c);

	if (rc < 0 || c->rows == 0)
		return rc;
	tl_text_clear(&p->body);
	if (c->is_optional) {
		opened = open_size(&p->body);
		tl_parquet_put_levels(&p->body, c->levels, c->rows);
		close_size(&p->body, opened);
	}
	if (!tl_parquet_is_text(c->kind))
		tl_parquet_bounds_take(&c->bounds, tl_parquet_order_of(c->kind),
		    c->values, c->count);
	encoding = put_values(&p->body, c);
	rc = add_page(p, c, c->rows, encoding);
	c->nulls += c->rows - c->count;
	c->base += c->rows;
	c->rows = c->count = 0;
	tl_text_clear(&c->plain);
	return rc;
}

size_t
tl_parquet_text_open(struct tl_parquet_column *c)
{
	return open_size(&c->plain);
}

int
tl_parquet_text_close(struct tl_parquet_packer *p, struct tl_parquet_column *c,
    uint32_t row, size_t opened)
{
	close_size(&c->plain, opened);
	tl_parquet_raise(c, row);
	c->count++;
	return c->plain.size < TL_PARQUET_PAGE_SIZE_MAX ? 0 : cut_page(p, c);
}

static int
put_plain(struct tl_parquet_packer *p, struct tl_parquet_column *c,
    uint32_t row, struct tl_bytes string)
{
	const size_t opened = tl_parquet_text_open(c);

	tl_put_bytes(&c->plain, string);
	return tl_parquet_text_close(p, c, row, opened);
}

/*
 * Find the entry of a string, counted from 0, or add an entry.  -ENOSPC: the
 * dictionary is full.
 */
static int
find_entry(struct tl_parquet_column *c, struct tl_bytes string, uint32_t *entry)
{
	uint64_t number;
	size_t opened;
	int rc = c->interner ? 0 : tl_interner_new(&c->interner);

	if (rc == 0)
		rc = tl_interner_string(c->interner, string, &number);
	if (rc < 0)
		return rc;
	*entry = (uint32_t)number - 1;
	if (number <= c->entries)
		return 0;
	if (number > TL_PARQUET_ENTRIES_MAX ||
	    c->dictionary.size + string.size > TL_PARQUET_DICTIONARY_SIZE_MAX)
		return -ENOSPC;
	opened = open_size(&c->dictionary);
	tl_put_bytes(&c->dictionary, string);
	close_size(&c->dictionary, opened);
	c->entries++;
	return c->dictionary.rc;
}

int
tl_parquet_put_string(struct tl_parquet_packer *p, struct tl_parquet_column *c,
    uint32_t row, struct tl_bytes string, struct tl_parquet_known *known)
{
	uint32_t entry;
	int rc;

	if (c->is_plain)
		return put_plain(p, c, row, string);
	rc = find_entry(c, string, &entry);
	if (rc == -ENOSPC) {
		rc = cut_page(p, c);
		c->is_plain = true;
		return rc < 0 ? rc : put_plain(p, c, row, string);
	}
	if (rc < 0)
		return rc;
	tl_parquet_put(c, row, entry);
	if (known)
		*known = (struct tl_parquet_known){ c->chunk_id, entry };
	return 0;
}

int
tl_parquet_end_page(struct tl_parquet_packer *p, struct tl_parquet_column *c,
    uint32_t rows)
{
	int rc = 0;

	rows -= c->base;
	assert(rows >= c->rows && (c->is_optional || rows == c->rows));
	if (c->count == 0) { /* join neighbouring NULLs */
		c->waiting += rows;
	} else {
		memset(c->levels + c->rows, 0, rows - c->rows);
		c->rows = rows;
		rc = cut_page(p, c);
	}
	c->base = 0;
	return rc;
}

int
tl_parquet_end_chunk(struct tl_parquet_packer *p, struct tl_parquet_column *c,
    struct tl_text *text)
{
	const struct page page = { DICTIONARY_PAGE, c->entries,
		TL_PARQUET_PLAIN };
	const int rc = add_nulls(p, c);

	if (rc < 0 || c->entries == 0)
		return rc;
	return pack(p, text, &page, &c->dictionary, &c->size);
}

void
tl_parquet_next_chunk(struct tl_parquet_column *c)
{
	assert(c->rows == 0 && c->waiting == 0);
	tl_text_clear(&c->pages);
	tl_text_clear(&c->dictionary);
	tl_interner_free(c->interner);
	c->interner = NULL;
	c->entries = 0;
	c->nulls = c->size = 0;
	c->encodings = 0;
	c->bounds = (struct tl_parquet_bounds){ 0 };
	c->is_plain = c->kind == TL_PARQUET_TEXT;
	c->chunk_id++;
}
