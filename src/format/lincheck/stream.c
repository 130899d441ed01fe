/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_stream.c - blocks out of streams, and cells out of both. */
#include "format/lincheck/stream.h"

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

/* Room for so many bytes and a cell, so that putting them cannot fail. */
static int
reserve(struct tl_lincheck_file *f, struct tl_lincheck_stream *s, size_t size)
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

static uint64_t
stream_at(const struct tl_lincheck_stream *s)
{
	return s->logical + s->data.size;
}

static void
add_cell(struct tl_lincheck_file *f, struct tl_lincheck_stream *s, uint8_t kind,
    int32_t id, uint64_t start, uint64_t end)
{
	if (!f->index)
		return;
	s->cells[s->cell_count++] =
	    (struct tl_cell){ kind, id, (int64_t)start, (int64_t)end };
	f->filling += sizeof(struct tl_cell);
}

int
tl_lincheck_stream_define(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, uint8_t kind, int32_t id,
    struct tl_bytes body)
{
	const size_t size = 1 + 4 + body.size;
	const int rc = reserve(f, s, size);

	if (rc < 0)
		return rc;
	add_cell(f, s, kind, id, stream_at(s), UINT64_MAX);
	tl_data_put_u8(&s->data, kind);
	tl_data_put_i32(&s->data, id);
	tl_data_put_bytes(&s->data, body);
	f->filling += size;
	return 0;
}

/* Is a definition new to the block?  1, 0, -ENOMEM. */
static int
mark_defined(struct tl_lincheck_stream *s, uint32_t number)
{
	const uint8_t bit = (uint8_t)(1u << number % 8);
	void *defined = s->defined;
	int rc = tl_numbers_room(&defined, &s->defined_size, number / 8, 1);

	s->defined = defined;
	if (rc < 0)
		return rc;
	rc = (s->defined[number / 8] & bit) == 0;
	s->defined[number / 8] |= bit;
	return rc;
}

int
tl_lincheck_stream_define_all(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, const struct tl_lincheck_known *known,
    const struct tl_lincheck_form *form)
{
	for (uint32_t i = 0; form && i < form->definition_count; i++) {
		const struct tl_lincheck_definition *d =
		    tl_lincheck_known_at(known, form->definitions[i]);
		int rc = mark_defined(s, form->definitions[i]);

		if (rc > 0)
			rc = tl_lincheck_stream_define(f, s, d->kind, d->id,
			    tl_bytes(d->body, d->size));
		if (rc < 0)
			return rc;
	}
	return 0;
}

int
tl_lincheck_stream_put(struct tl_lincheck_file *f, struct tl_lincheck_stream *s,
    const struct tl_lincheck_record *record, const void *bytes)
{
	void *started = s->started;
	int rc = tl_numbers_room(&started, &s->started_capacity, s->depth,
	    sizeof(*s->started));

	s->started = started;
	if (rc == 0)
		rc = reserve(f, s, record->size);
	if (rc < 0)
		return rc;
	if (record->closes && s->depth > 0) {
		const struct tl_lincheck_started *call =
		    &s->started[--s->depth];

		add_cell(f, s, TL_LINCHECK_POINT, call->number, call->at,
		    stream_at(s));
	}
	tl_data_put_bytes(&s->data, tl_bytes(bytes, record->size));
	f->filling += record->size;
	if (record->opens)
		s->started[s->depth++] =
		    (struct tl_lincheck_started){ record->number,
			    stream_at(s) };
	return 0;
}

/* The cells of a block, in the order in which they were made; by how much
 * what is counted in the stream moves in the file. */
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
put_content(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	tl_put_bytes(&f->data->text,
	    tl_bytes(s->data.size ? s->data.data : (const uint8_t *)"",
		s->data.size));
	put_cells(f, s, f->at - s->logical);
	f->at += s->data.size;
	f->filling -= s->data.size + s->cell_count * sizeof(*s->cells);
	s->logical += s->data.size;
	s->data.size = 0;
	s->cell_count = 0;
	if (s->defined)
		memset(s->defined, 0, s->defined_size);
}

static void
begin_block(struct tl_lincheck_file *f, const struct tl_lincheck_stream *s)
{
	if (f->begun)
		return;
	f->begun = true;
	f->start = f->at;
	put_number(&f->data->text, TL_LINCHECK_BLOCK_START, 1);
	put_number(&f->data->text, (uint32_t)s->thread, 4);
	f->at += TL_LINCHECK_BLOCK_HEADER;
	f->block = f->at;
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
	begin_block(f, s);
	put_content(f, s);
	return settle(f);
}

int
tl_lincheck_stream_flush(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s)
{
	bool is_last = f->by_memory || f->begun;

	begin_block(f, s);
	if (!is_last)
		put_cell(f, TL_LINCHECK_BLOCK_START, s->thread, f->start,
		    f->at + s->data.size);
	put_content(f, s);
	if (is_last)
		put_cell(f, TL_LINCHECK_BLOCK_START, s->thread, f->start,
		    f->at);
	put_number(&f->data->text, TL_LINCHECK_BLOCK_END, 1);
	f->at++;
	f->begun = false;
	return settle(f);
}

void
tl_lincheck_file_end(struct tl_lincheck_file *f)
{
	const uint64_t end = f->by_memory ? f->block - 1 : UINT64_MAX;

	put_number(&f->data->text, TL_LINCHECK_EOF, 1);
	put_cell(f, TL_LINCHECK_EOF, -1, end, end);
	if (f->index)
		put_number(&f->index->text, TL_LINCHECK_INDEX_MAGIC,
		    NUMBER_MAX);
}

void
tl_lincheck_stream_free(struct tl_lincheck_stream *s)
{
	free(s->data.data);
	free(s->cells);
	free(s->defined);
	free(s->started);
}
