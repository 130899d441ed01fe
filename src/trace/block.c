/* SPDX-License-Identifier: Apache-2.0 */
/* block.c - blocks into the data, their cells into the index. */
#include "trace/writer.h"

#include "base/word.h"
#include "trace/crc32c.h"

#include <errno.h>

/* What goes to a file, unless it is the null strategy's. */
static int
append(struct tl_trace_writer *w, tl_trace_append *to, const void *data,
    size_t size)
{
	if (w->rc == 0 && to && w->options.strategy != TL_TRACE_NULL)
		w->rc = to(w->options.context, data, size);
	return w->rc;
}

/* What waits beside the streams. */
static void
note_settled(struct tl_trace_writer *w)
{
	const size_t size = w->definitions.text.size - TL_TRACE_BLOCK_HEADER;

	tl_store_64(&w->settled,
	    w->data_at + (size > 0 ? size + TL_BLOCK_AROUND : 0));
}

static int
append_data(struct tl_trace_writer *w, const void *data, size_t size)
{
	const int rc = append(w, w->options.data, data, size);

	if (rc == 0) {
		w->data_at += size;
		w->counts.data_bytes += size;
		note_settled(w);
	}
	return rc;
}

static int
append_index(struct tl_trace_writer *w, const void *data, size_t size)
{
	const int rc = append(w, w->options.index, data, size);

	if (rc == 0 && w->options.index)
		w->counts.index_bytes += size;
	return rc;
}

static int
append_cells(struct tl_trace_writer *w, const uint8_t *cells, size_t size)
{
	if (size == 0)
		return w->rc;
	w->index_crc = tl_crc32c(w->index_crc, cells, size);
	w->cell_count += size / TL_CELL_SIZE;
	return append_index(w, cells, size);
}

static int
append_cell(struct tl_trace_writer *w, const struct tl_cell *cell)
{
	uint8_t bytes[TL_CELL_SIZE];

	tl_cell_put(bytes, cell);
	return append_cells(w, bytes, sizeof(bytes));
}

/* A block as it lies there, with its end behind it. */
static int
write_block(struct tl_trace_writer *w, const struct tl_trace_block *block,
    uint8_t *bytes, const uint8_t *cells, size_t cells_size)
{
	const uint64_t size = tl_trace_block_size(block);
	const struct tl_cell cell = { .kind = TL_TRACE_BLOCK_START,
		.id = block->thread,
		.start = (int64_t)w->data_at,
		.end = (int64_t)(w->data_at + size - 1) };

	tl_trace_block_put(bytes, block, w->seed);
	bytes[size - 1] = TL_TRACE_BLOCK_END;
	append_data(w, bytes, size);
	append_cell(w, &cell);
	append_cells(w, cells, cells_size);
	if (w->rc == 0) {
		w->counts.blocks++;
		w->counts.events += block->events;
	}
	return w->rc;
}

/* Where its objects go is known now. */
static void
place_cells(const struct tl_trace_writer *w, struct tl_text *cells)
{
	for (size_t at = 0; at < cells->size; at += TL_CELL_SIZE) {
		uint8_t *bytes = (uint8_t *)cells->data + at;
		struct tl_cell cell = tl_cell_get(bytes);

		cell.start += (int64_t)w->data_at;
		tl_cell_put(bytes, &cell);
	}
}

int
tl_block_write_definitions(struct tl_trace_writer *w)
{
	struct tl_definitions *d = &w->definitions;
	const size_t size = d->text.size - TL_TRACE_BLOCK_HEADER;
	uint8_t *bytes = (uint8_t *)d->text.data;
	const struct tl_trace_block block = { .thread = TL_TRACE_DEFINITIONS,
		.stored = (uint32_t)size,
		.size = (uint32_t)size,
		.logical = d->logical,
		.crc =
		    tl_crc32c(w->seed, bytes + TL_TRACE_BLOCK_HEADER, size) };

	if (size == 0 || w->rc < 0)
		return w->rc;
	place_cells(w, &d->cells);
	/* A text has one byte more than it says. */
	write_block(w, &block, bytes, (uint8_t *)d->cells.data, d->cells.size);
	d->logical += size;
	d->text.size = TL_TRACE_BLOCK_HEADER;
	tl_text_clear(&d->cells);
	note_settled(w);
	return w->rc;
}

int
tl_block_settle(struct tl_trace_writer *w)
{
	note_settled(w);
	if (w->definitions.text.size < TL_TRACE_BLOCK_SIZE)
		return w->rc;
	return tl_block_write_definitions(w);
}

int
tl_block_write(struct tl_trace_writer *w, struct tl_trace_block *block,
    uint8_t *bytes, const uint8_t *cells, size_t cells_size)
{
	int rc;

	block->crc =
	    tl_crc32c(w->seed, bytes + TL_TRACE_BLOCK_HEADER, block->stored);
	pthread_mutex_lock(&w->lock);
	rc = tl_block_write_definitions(w);
	if (rc == 0)
		rc = write_block(w, block, bytes, cells, cells_size);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

static uint64_t
half_of_id(const struct tl_trace_header *header, size_t at)
{
	struct tl_data_in in = tl_data_in(header->id + at, sizeof(uint64_t));

	return tl_data_u64(&in);
}

int
tl_block_begin_files(struct tl_trace_writer *w)
{
	uint8_t bytes[TL_TRACE_HEADER_SIZE];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	const struct tl_cell self = { .kind = TL_TRACE_SELF,
		.start = (int64_t)half_of_id(&w->header, 0),
		.end = (int64_t)half_of_id(&w->header, sizeof(uint64_t)) };

	tl_trace_header_put(bytes, &w->header);
	append_data(w, bytes, sizeof(bytes));
	tl_data_put_u64(&out, TL_TRACE_INDEX_MAGIC);
	tl_data_put_u64(&out, TL_TRACE_VERSION);
	append_index(w, bytes, out.size);
	return append_cell(w, &self);
}

static void
append_roots(struct tl_trace_writer *w)
{
	for (size_t i = 0; i < w->stream_count; i++) {
		const struct tl_trace_stream *s = w->streams[i];
		const struct tl_cell cell = { .kind = TL_TRACE_ROOT,
			.id = s->id,
			.start = (int64_t)s->block.logical,
			.end = (int64_t)s->shape.levels[0].children };

		if (s->block.logical > 0)
			append_cell(w, &cell);
	}
}

int
tl_block_end_files(struct tl_trace_writer *w)
{
	const uint8_t end = TL_TRACE_EOF;
	uint8_t bytes[TL_INDEX_FOOTER_SIZE];
	struct tl_data_out out = { .data = bytes + TL_CELL_SIZE,
		.capacity = sizeof(bytes) - TL_CELL_SIZE };
	struct tl_cell eof = { .kind = TL_TRACE_EOF };

	append_data(w, &end, sizeof(end));
	append_roots(w);
	eof.id = (int32_t)w->index_crc;
	eof.start = (int64_t)w->data_at;
	eof.end = (int64_t)w->cell_count;
	tl_cell_put(bytes, &eof);
	tl_data_put_u64(&out, TL_TRACE_INDEX_MAGIC);
	return append_index(w, bytes, sizeof(bytes));
}
