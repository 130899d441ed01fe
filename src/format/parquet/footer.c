/* SPDX-License-Identifier: Apache-2.0 */
/* footer.c - write row groups, and their metadata in the footer. */
#include "format/parquet/encode.h"
#include "format/parquet/parquet.h"

#include <endian.h>
#include <timeline.h>

/* Numbers of the Parquet format: the metadata of a file. */
enum {
	FILE_VERSION = 1,
	FILE_SCHEMA = 2,
	FILE_ROWS = 3,
	FILE_GROUPS = 4,
	FILE_WORDS = 5,
	FILE_CREATED_BY = 6,
	FILE_ORDERS = 7
};
enum {
	ELEMENT_TYPE = 1,
	ELEMENT_REPETITION = 3,
	ELEMENT_NAME = 4,
	ELEMENT_CHILDREN = 5,
	ELEMENT_CONVERTED = 6,
	ELEMENT_LOGICAL = 10
};
enum { LOGICAL_STRING = 1, LOGICAL_TIME = 8, LOGICAL_INTEGER = 10 };
enum {
	TIME_IS_UTC = 1,
	TIME_UNIT = 2,
	UNIT_MICROSECONDS = 2,
	UNIT_NANOSECONDS = 3
};
enum { INTEGER_BITS = 1, INTEGER_IS_SIGNED = 2 };
enum {
	GROUP_COLUMNS = 1,
	GROUP_SIZE = 2,
	GROUP_ROWS = 3,
	GROUP_OFFSET = 5,
	GROUP_PACKED_SIZE = 6
};
enum { CHUNK_OFFSET = 2, CHUNK_META = 3 };
enum {
	META_TYPE = 1,
	META_ENCODINGS = 2,
	META_PATH = 3,
	META_CODEC = 4,
	META_COUNT = 5,
	META_SIZE = 6,
	META_PACKED_SIZE = 7,
	META_PAGES = 9,
	META_DICTIONARY = 11,
	META_STATISTICS = 12
};
enum {
	STATISTICS_NULLS = 3,
	STATISTICS_MOST = 5,
	STATISTICS_LEAST = 6,
	STATISTICS_MOST_IS_EXACT = 7,
	STATISTICS_LEAST_IS_EXACT = 8
};
enum { WORD_KEY = 1, WORD_VALUE = 2, ORDER_OF_TYPE = 1 };
enum { BOOLEAN = 0, INT32 = 1, INT64 = 2, DOUBLE = 5, BYTES = 6 };
enum { NO_CONVERTED = -1, CODEC_ZSTD = 6, VERSION_2 = 2, IS_OPTIONAL = 1 };
enum { ENCODINGS_END = TL_PARQUET_DICTIONARY + 1 };

static const struct {
	int8_t type;
	int8_t converted;
	int8_t bits; /* bits of an integer; 0: no integer */
} types[] = {
	[TL_PARQUET_BOOL] = { BOOLEAN, NO_CONVERTED, 0 },
	[TL_PARQUET_I32] = { INT32, NO_CONVERTED, 0 },
	[TL_PARQUET_U64] = { INT64, 14, 64 },
	[TL_PARQUET_I64] = { INT64, NO_CONVERTED, 0 },
	[TL_PARQUET_NANOS] = { INT64, NO_CONVERTED, 0 },
	[TL_PARQUET_MICROS] = { INT64, 10, 0 },
	[TL_PARQUET_DOUBLE] = { DOUBLE, NO_CONVERTED, 0 },
	[TL_PARQUET_STRING] = { BYTES, 0, 0 },
	[TL_PARQUET_TEXT] = { BYTES, 0, 0 },
};

static const char *const names[] = {
#define COLUMN(name, word, kind, repetition, is_known, number) word,
#include "format/parquet/columns.def"
#undef COLUMN
};

/* == a row group == */

static void
put_bound(struct tl_thrift *t, int field, enum tl_parquet_kind kind,
    uint64_t value)
{
	const size_t size = types[kind].type == BOOLEAN ? 1
			    : types[kind].type == INT32 ? 4
							: 8;

	value = htole64(value);
	tl_thrift_put_bytes(t, field, tl_bytes(&value, size));
}

/* Append the bounds of texts, which only a complete dictionary gives. */
static void
put_text_bounds(struct parquet_write *w, struct tl_thrift *t,
    const struct tl_parquet_column *c)
{
	const struct tl_bytes texts = tl_text_bytes(&c->dictionary);
	bool most_is_exact, least_is_exact;
	struct tl_bytes least, most;
	size_t size;

	if (c->is_plain || !tl_parquet_bounds_of_texts(texts, &least, &most))
		return;
	tl_text_clear(&w->scratch);
	most_is_exact = tl_parquet_cut_most(&w->scratch, most);
	size = w->scratch.size;
	if (most.size > 0 && size == 0)
		return;
	least_is_exact = tl_parquet_cut_least(&w->scratch, least);
	tl_thrift_put_bytes(t, STATISTICS_MOST,
	    tl_bytes(w->scratch.data, size));
	tl_thrift_put_bytes(t, STATISTICS_LEAST,
	    tl_bytes(w->scratch.data + size, w->scratch.size - size));
	tl_thrift_put_bool(t, STATISTICS_MOST_IS_EXACT, most_is_exact);
	tl_thrift_put_bool(t, STATISTICS_LEAST_IS_EXACT, least_is_exact);
}

/*
 * Append the entry of column i, whose dictionary takes that many bytes at
 * w->at.
 */
static void
put_chunk(struct parquet_write *w, struct tl_thrift *t, unsigned i,
    size_t dictionary)
{
	const struct tl_parquet_column *c = &w->columns[i];
	const int64_t at = (int64_t)w->at;
	const int chunk = tl_thrift_item_open(t);
	int meta;

	tl_thrift_put_i64(t, CHUNK_OFFSET, 0);
	meta = tl_thrift_open(t, CHUNK_META);
	tl_thrift_put_i32(t, META_TYPE, types[c->kind].type);

	/* the hybrid encoding is that of the levels */
	const unsigned encodings = c->encodings | 1U << TL_PARQUET_HYBRID;

	tl_thrift_list(t, META_ENCODINGS, TL_THRIFT_I32,
	    (size_t)__builtin_popcount(encodings));
	for (int e = 0; e < ENCODINGS_END; e++) {
		if (encodings >> e & 1)
			tl_thrift_item_i32(t, e);
	}
	tl_thrift_list(t, META_PATH, TL_THRIFT_BYTES, 1);
	tl_thrift_item_bytes(t, tl_bytes_of(names[i]));
	tl_thrift_put_i32(t, META_CODEC, CODEC_ZSTD);
	tl_thrift_put_i64(t, META_COUNT, w->rows);
	tl_thrift_put_i64(t, META_SIZE, (int64_t)c->size);
	tl_thrift_put_i64(t, META_PACKED_SIZE,
	    (int64_t)(dictionary + c->pages.size));
	tl_thrift_put_i64(t, META_PAGES, at + (int64_t)dictionary);
	if (dictionary > 0)
		tl_thrift_put_i64(t, META_DICTIONARY, at);

	const int last = tl_thrift_open(t, META_STATISTICS);

	tl_thrift_put_i64(t, STATISTICS_NULLS, (int64_t)c->nulls);
	if (tl_parquet_is_text(c->kind)) {
		put_text_bounds(w, t, c);
	} else {
		uint64_t least, most;

		if (tl_parquet_bounds_get(&c->bounds,
			tl_parquet_order_of(c->kind), &least, &most)) {
			put_bound(t, STATISTICS_MOST, c->kind, most);
			put_bound(t, STATISTICS_LEAST, c->kind, least);
			tl_thrift_put_bool(t, STATISTICS_MOST_IS_EXACT, true);
			tl_thrift_put_bool(t, STATISTICS_LEAST_IS_EXACT, true);
		}
	}
	tl_thrift_close(t, last);
	tl_thrift_close(t, meta);
	tl_thrift_close(t, chunk);
}

/* Write the chunk of column i and append its entry. */
static int
write_chunk(struct parquet_write *w, struct tl_thrift *t, unsigned i)
{
	struct tl_parquet_column *c = &w->columns[i];
	struct tl_out *out = &w->writer.out;
	const size_t before = out->text.size;
	const int rc = tl_parquet_end_chunk(&w->packer, c, &out->text);
	const size_t dictionary = out->text.size - before;

	if (rc < 0)
		return rc;
	put_chunk(w, t, i, dictionary);
	w->at += dictionary + c->pages.size;
	tl_put_bytes(&out->text, tl_text_bytes(&c->pages));
	if (c->pages.rc < 0)
		return c->pages.rc;
	return tl_out_flush_full(out);
}

int
tl_parquet_write_group(struct parquet_write *w)
{
	struct tl_thrift t = { .text = &w->groups };
	const int64_t start = (int64_t)w->at;
	int64_t size = 0;
	int rc = 0;

	if (w->rows == 0)
		return 0;
	tl_thrift_list(&t, GROUP_COLUMNS, TL_THRIFT_STRUCT, COLUMNS);
	for (unsigned i = 0; i < COLUMNS && rc == 0; i++) {
		rc = write_chunk(w, &t, i);
		size += (int64_t)w->columns[i].size;
		if (rc == 0)
			tl_parquet_next_chunk(&w->columns[i]);
	}
	tl_thrift_put_i64(&t, GROUP_SIZE, size);
	tl_thrift_put_i64(&t, GROUP_ROWS, w->rows);
	tl_thrift_put_i64(&t, GROUP_OFFSET, start);
	tl_thrift_put_i64(&t, GROUP_PACKED_SIZE, (int64_t)w->at - start);
	tl_thrift_end(&t);
	w->group_count++;
	w->rows_all += w->rows;
	w->rows = 0;
	w->packer.size = 0;
	return rc;
}

/* == the footer == */

/*
 * The time is UTC, but readers that are told so drop the nanoseconds; only
 * microseconds are marked as UTC.
 */
static void
put_time(struct tl_thrift *t, enum tl_parquet_kind kind)
{
	const bool is_micros = kind == TL_PARQUET_MICROS;
	const int last = tl_thrift_open(t, LOGICAL_TIME);
	int unit;

	tl_thrift_put_bool(t, TIME_IS_UTC, is_micros);
	unit = tl_thrift_open(t, TIME_UNIT);
	tl_thrift_put_nothing(t,
	    is_micros ? UNIT_MICROSECONDS : UNIT_NANOSECONDS);
	tl_thrift_close(t, unit);
	tl_thrift_close(t, last);
}

/* Is the physical type of a kind enough: booleans, signed integers, doubles? */
static bool
is_plain(enum tl_parquet_kind kind)
{
	return kind == TL_PARQUET_BOOL || kind == TL_PARQUET_I32 ||
	       kind == TL_PARQUET_I64 || kind == TL_PARQUET_DOUBLE;
}

static void
put_logical(struct tl_thrift *t, enum tl_parquet_kind kind)
{
	const int last = tl_thrift_open(t, ELEMENT_LOGICAL);
	int inner;

	if (tl_parquet_is_text(kind)) {
		tl_thrift_put_nothing(t, LOGICAL_STRING);
	} else if (kind == TL_PARQUET_NANOS || kind == TL_PARQUET_MICROS) {
		put_time(t, kind);
	} else {
		inner = tl_thrift_open(t, LOGICAL_INTEGER);
		tl_thrift_put_i8(t, INTEGER_BITS, types[kind].bits);
		tl_thrift_put_bool(t, INTEGER_IS_SIGNED, false);
		tl_thrift_close(t, inner);
	}
	tl_thrift_close(t, last);
}

static void
put_element(struct tl_thrift *t, const struct tl_parquet_column *c,
    const char *name)
{
	const int last = tl_thrift_item_open(t);

	tl_thrift_put_i32(t, ELEMENT_TYPE, types[c->kind].type);
	tl_thrift_put_i32(t, ELEMENT_REPETITION,
	    c->is_optional ? IS_OPTIONAL : 0);
	tl_thrift_put_bytes(t, ELEMENT_NAME, tl_bytes_of(name));
	if (types[c->kind].converted != NO_CONVERTED)
		tl_thrift_put_i32(t, ELEMENT_CONVERTED,
		    types[c->kind].converted);
	if (!is_plain(c->kind))
		put_logical(t, c->kind);
	tl_thrift_close(t, last);
}

static void
put_word(struct tl_thrift *t, const char *key, struct tl_bytes value)
{
	const int last = tl_thrift_item_open(t);

	tl_thrift_put_bytes(t, WORD_KEY, tl_bytes_of(key));
	tl_thrift_put_bytes(t, WORD_VALUE, value);
	tl_thrift_close(t, last);
}

static void
put_host(struct tl_text *text, const char *host)
{
	if (host[0] == '\0')
		return;
	tl_put_string(text, text->size > 1 ? ",\"" : "\"");
	tl_put_json(text, tl_bytes_of(host));
	tl_put_char(text, '"');
}

/* Is a source the first source of its host? */
static bool
is_first(const struct tl_writer *writer, size_t source)
{
	for (size_t i = 0; i < source; i++) {
		if (strcmp(writer->facts.sources[i].machine,
			writer->facts.sources[source].machine) == 0)
			return false;
	}
	return true;
}

/* The hosts as a list of JSON, in the order of the sources. */
static struct tl_bytes
hosts_of(struct parquet_write *w)
{
	const struct tl_writer *writer = &w->writer;
	struct tl_text *text = &w->scratch;

	tl_text_clear(text);
	tl_put_char(text, '[');
	for (size_t i = 0; i < writer->facts.source_count; i++) {
		if (is_first(writer, i))
			put_host(text, writer->facts.sources[i].machine);
	}
	if (writer->facts.source_count == 0)
		put_host(text, writer->facts.origin.machine);
	tl_put_char(text, ']');
	return tl_text_bytes(text);
}

void
tl_parquet_put_footer(struct parquet_write *w)
{
	struct tl_text *text = &w->writer.out.text;
	struct tl_thrift t = { .text = text };
	const size_t before = text->size;
	uint32_t size;
	int root;

	tl_thrift_put_i32(&t, FILE_VERSION, VERSION_2);
	tl_thrift_list(&t, FILE_SCHEMA, TL_THRIFT_STRUCT, COLUMNS + 1);
	root = tl_thrift_item_open(&t);
	tl_thrift_put_bytes(&t, ELEMENT_NAME, tl_bytes_of("timeline"));
	tl_thrift_put_i32(&t, ELEMENT_CHILDREN, COLUMNS);
	tl_thrift_close(&t, root);
	for (unsigned i = 0; i < COLUMNS; i++)
		put_element(&t, &w->columns[i], names[i]);
	tl_thrift_put_i64(&t, FILE_ROWS, (int64_t)w->rows_all);
	tl_thrift_list(&t, FILE_GROUPS, TL_THRIFT_STRUCT, w->group_count);
	tl_put_bytes(t.text, tl_text_bytes(&w->groups));
	tl_thrift_list(&t, FILE_WORDS, TL_THRIFT_STRUCT, 2);
	put_word(&t, "timeline.version", tl_bytes_of(TIMELINE_VERSION));
	put_word(&t, "timeline.hosts", hosts_of(w));
	tl_thrift_put_bytes(&t, FILE_CREATED_BY,
	    tl_bytes_of("timeline version " TIMELINE_VERSION));
	tl_thrift_list(&t, FILE_ORDERS, TL_THRIFT_STRUCT, COLUMNS);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const int last = tl_thrift_item_open(&t);

		tl_thrift_put_nothing(&t, ORDER_OF_TYPE);
		tl_thrift_close(&t, last);
	}
	tl_thrift_end(&t);
	size = htole32((uint32_t)(text->size - before));
	tl_put_bytes(text, tl_bytes(&size, sizeof(size)));
	tl_put_string(text, "PAR1");
}
