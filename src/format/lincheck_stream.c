/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_stream.c - blocks out of streams, and cells out of both. */
#include "format/lincheck_stream.h"

#include <errno.h>
#include <stdlib.h>

enum {
	DATA_FIRST = 256, /* most of very many threads have little to say */
	NUMBER_MAX = 8
};

static void
put_number(struct tl_text *to, uint64_t n, unsigned size)
{
	while (size-- > 0)
		tl_put_char(to, (char)(n >> 8 * size));
}

static void
put_cell(struct tl_lincheck_file *f, uint8_t kind, int32_t id, uint64_t start,
    uint64_t end)
{
	const struct tl_cell cell = { kind, id, (int64_t)start, (int64_t)end };
	uint8_t bytes[TL_CELL_SIZE];

	if (!f->index)
		return;
	tl_cell_put(bytes, &cell);
	tl_put_bytes(&f->index->text, tl_bytes(bytes, sizeof(bytes)));
}

void
tl_lincheck_file_begin(struct tl_lincheck_file *f)
{
	put_number(&f->data->text, TL_LINCHECK_MAGIC, NUMBER_MAX);
	put_number(&f->data->text, TL_LINCHECK_VERSION, NUMBER_MAX);
	f->at = TL_LINCHECK_HEADER_SIZE;
	if (!f->index)
		return;
	put_number(&f->index->text, TL_LINCHECK_INDEX_MAGIC, NUMBER_MAX);
	put_number(&f->index->text, TL_LINCHECK_VERSION, NUMBER_MAX);
}

static int
reserve_cell(struct tl_lincheck_stream *s)
{
	void *cells = s->cells;
	const int rc = tl_numbers_room(&cells, &s->cell_capacity, s->cell_count,
	    sizeof(*s->cells));

	s->cells = cells;
	return rc;
}

int
tl_lincheck_stream_reserve(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, size_t size)
{
	size_t capacity = s->data.capacity ? s->data.capacity : DATA_FIRST;
	uint8_t *data;

	if (f->index && reserve_cell(s) < 0)
		return -ENOMEM;
	while (capacity - s->data.size < size)
		capacity *= 2;
	if (capacity == s->data.capacity)
		return 0;
	data = realloc(s->data.data, capacity);
	if (!data)
		return -ENOMEM;
	s->data.data = data;
	s->data.capacity = capacity;
	return 0;
}

void
tl_lincheck_stream_cell(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, struct tl_cell cell)
{
	if (!f->index)
		return;
	s->cells[s->cell_count++] = cell;
	f->filling += sizeof(cell);
}

int
tl_lincheck_stream_define(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, struct tl_lincheck_definition *d)
{
	const struct tl_cell cell = { d->kind, d->id,
		(int64_t)tl_lincheck_stream_at(s), -1 };
	const size_t before = s->data.size;
	int rc;

	if (d->written)
		return 0;
	rc = tl_lincheck_stream_reserve(f, s, 1 + 4 + d->size);
	if (rc < 0)
		return rc;
	tl_data_put_u8(&s->data, d->kind);
	tl_data_put_i32(&s->data, d->id);
	tl_data_put_bytes(&s->data, tl_bytes(d->body, d->size));
	tl_lincheck_stream_cell(f, s, cell);
	f->filling += s->data.size - before;
	d->written = true;
	return 0;
}

/* The cells of a block, in the order in which they were made; by how much
 * what is told in the stream moves in the file. */
static void
put_cells(struct tl_lincheck_file *f, const struct tl_lincheck_stream *s,
    uint64_t shift)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct tl_cell *c = &s->cells[i];
		const uint64_t by = c->kind == TL_LINCHECK_POINT ? 0 : shift;

		put_cell(f, c->kind, c->id, (uint64_t)c->start + by,
		    (uint64_t)c->end + by);
	}
}

static void
begin_block(struct tl_lincheck_file *f, const struct tl_lincheck_stream *s)
{
	f->is_open = true;
	f->open_thread = s->thread;
	f->open_start = f->at;
	put_number(&f->data->text, TL_LINCHECK_BLOCK_START, 1);
	put_number(&f->data->text, (uint32_t)s->thread, 4);
	f->at += TL_LINCHECK_BLOCK_HEADER;
}

static void
put_content(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	tl_put_bytes(&f->data->text, tl_bytes(s->data.data, s->data.size));
	put_cells(f, s, f->at - s->logical);
	f->at += s->data.size;
	f->filling -= s->data.size + s->cell_count * sizeof(*s->cells);
	s->logical += s->data.size;
	s->data.size = 0;
	s->cell_count = 0;
}

static void
end_block(struct tl_lincheck_file *f)
{
	put_number(&f->data->text, TL_LINCHECK_BLOCK_END, 1);
	f->at++;
	f->is_open = false;
}

/* ... of one that went out in parts. */
static void
end_open(struct tl_lincheck_file *f)
{
	put_cell(f, TL_LINCHECK_BLOCK_START, f->open_thread, f->open_start,
	    f->at);
	end_block(f);
}

static bool
is_own(const struct tl_lincheck_file *f, const struct tl_lincheck_stream *s)
{
	return f->is_open && f->open_thread == s->thread;
}

/* The end of the file is for this stream. */
static void
make_way(struct tl_lincheck_file *f, const struct tl_lincheck_stream *s)
{
	if (!f->is_open || is_own(f, s))
		return;
	end_open(f);
	f->cut++;
}

static int
settle(struct tl_lincheck_file *f)
{
	const int rc = f->index ? tl_out_settle(f->index) : 0;

	return rc < 0 ? rc : tl_out_settle(f->data);
}

int
tl_lincheck_stream_spill(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s)
{
	make_way(f, s);
	if (!f->is_open)
		begin_block(f, s);
	put_content(f, s);
	return settle(f);
}

int
tl_lincheck_stream_flush(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s)
{
	make_way(f, s);
	if (is_own(f, s)) {
		put_content(f, s);
		end_open(f);
		return settle(f);
	}
	begin_block(f, s);
	put_cell(f, TL_LINCHECK_BLOCK_START, s->thread, f->open_start,
	    f->at + s->data.size);
	put_content(f, s);
	end_block(f);
	return settle(f);
}

void
tl_lincheck_file_end(struct tl_lincheck_file *f)
{
	if (f->is_open)
		end_open(f);
	put_number(&f->data->text, TL_LINCHECK_EOF, 1);
	put_cell(f, TL_LINCHECK_EOF, -1, UINT64_MAX, UINT64_MAX);
	if (f->index)
		put_number(&f->index->text, TL_LINCHECK_INDEX_MAGIC,
		    NUMBER_MAX);
}

void
tl_lincheck_stream_free(struct tl_lincheck_stream *s)
{
	free(s->data.data);
	free(s->cells);
}
