/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.c - write the definitions of a trace, and the blocks of its two files.
 */
#include "trace/writer.h"

#include "base/array.h"
#include "base/word.h"
#include "trace/layout.h"

#include <errno.h>
#include <stdlib.h>

/* == definitions == */

enum { FIELDS_MAX = 80 };

struct tl_text_id {
	struct tl_bytes text;
	uint8_t kind;
	int32_t id;
};

int
tl_definitions_init(struct tl_definitions *d)
{
	*d = (struct tl_definitions){ .pids = { .unbounded = true } };
	d->next[TL_TRACE_STRING] = 1;
	tl_put_repeat(&d->text, '\0', TL_TRACE_BLOCK_HEADER);
	return d->text.rc;
}

void
tl_definitions_free(struct tl_definitions *d)
{
	for (size_t i = 0; i < d->ids.count; i++)
		free((void *)(uintptr_t)d->ids.list[i].text.data);
	free(d->ids.list);
	tl_table_free(&d->ids.table);
	free(d->processes);
	tl_id_map_free(&d->pids);
	tl_message_map_free(&d->messages, free);
	tl_text_free(&d->text);
	tl_text_free(&d->cells);
}

/* Append an object: numbers, then at most two texts.  It gets a cell, or is
 * removed. */
static int
put_object(struct tl_definitions *d, enum tl_trace_kind kind, int32_t id,
    const struct tl_data_out *fields, const struct tl_bytes *texts,
    unsigned count)
{
	const size_t mark = d->text.size;
	/* the start is replaced when the place in the file is known */
	const struct tl_cell cell = { (uint8_t)kind, id, (int64_t)mark, -1 };
	uint8_t head[5], bytes[TL_CELL_SIZE];
	struct tl_data_out out = { .data = head, .capacity = sizeof(head) };

	tl_data_put_u8(&out, (uint8_t)kind);
	tl_data_put_i32(&out, id);
	tl_put_bytes(&d->text, tl_bytes(head, out.size));
	tl_put_bytes(&d->text, tl_bytes(fields->data, fields->size));
	for (unsigned i = 0; i < count; i++) {
		const size_t size = texts[i].size < TL_TRACE_TEXT_MAX
					? texts[i].size
					: TL_TRACE_TEXT_MAX;

		out.size = 0;
		tl_data_put_u32(&out, (uint32_t)size);
		tl_put_bytes(&d->text, tl_bytes(head, out.size));
		tl_put_bytes(&d->text, tl_bytes(texts[i].data, size));
	}
	tl_cell_put(bytes, &cell);
	if (d->text.rc == 0)
		tl_put_bytes(&d->cells, tl_bytes(bytes, sizeof(bytes)));
	if (d->text.rc == 0 && d->cells.rc == 0)
		return 0;
	d->text.size = mark;
	d->text.rc = d->cells.rc = 0;
	return -ENOMEM;
}

/* Append an object with the next id of its kind.  Returns the id or -errno. */
static int64_t
put_next(struct tl_definitions *d, enum tl_trace_kind kind,
    const struct tl_data_out *fields, const struct tl_bytes *texts,
    unsigned count)
{
	const int32_t id = d->next[kind];
	const int rc = id == INT32_MAX
			   ? -ENOSPC
			   : put_object(d, kind, id, fields, texts, count);

	if (rc < 0)
		return rc;
	d->next[kind]++;
	return id;
}

int64_t
tl_define_text(struct tl_definitions *d, enum tl_trace_kind kind,
    struct tl_bytes text)
{
	const struct tl_data_out none = { 0 };
	const uint64_t hash = tl_hash_more(tl_hash_bytes(text), kind);
	struct tl_text_ids *ids = &d->ids;
	struct tl_probe probe = tl_table_probe(&ids->table, hash);
	uint32_t at;
	char *copy;
	int64_t id;

	while (tl_probe_next(&probe, &at))
		if (ids->list[at].kind == kind &&
		    tl_bytes_equal(ids->list[at].text, text))
			return ids->list[at].id;
	if (TL_ARRAY_ROOM(ids->list, ids->capacity, ids->count) < 0)
		return -ENOMEM;
	if ((id = tl_table_reserve(&ids->table)) < 0)
		return id;
	if (!(copy = malloc(text.size + 1)))
		return -ENOMEM;
	if ((id = put_next(d, kind, &none, &text, 1)) < 0) {
		free(copy);
		return id;
	}
	if (text.size > 0)
		memcpy(copy, text.data, text.size);
	tl_table_add(&ids->table, hash, ids->count); /* there is room */
	ids->list[ids->count++] =
	    (struct tl_text_id){ tl_bytes(copy, text.size), (uint8_t)kind,
		    (int32_t)id };
	return id;
}

static int64_t
define_location(struct tl_definitions *d, const struct tl_message *m)
{
	uint8_t bytes[FIELDS_MAX];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	int64_t file;

	if (m->file.size == 0)
		return TL_TRACE_NONE;
	if ((file = tl_define_text(d, TL_TRACE_STRING, m->file)) < 0)
		return file;
	tl_data_put_i32(&out, (int32_t)file);
	tl_data_put_u32(&out, m->line);
	tl_data_put_i32(&out, TL_TRACE_NONE);
	return put_next(d, TL_TRACE_LOCATION, &out, NULL, 0);
}

static int64_t
write_message(struct tl_definitions *d, const struct tl_message *m)
{
	uint8_t bytes[FIELDS_MAX];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	const int64_t category =
	    tl_define_text(d, TL_TRACE_CATEGORY, m->category);
	int64_t location;

	if (category < 0)
		return category;
	location = define_location(d, m);
	if (location < TL_TRACE_NONE)
		return location;
	tl_data_put_i32(&out, (int32_t)category);
	tl_data_put_i32(&out, (int32_t)location);
	tl_data_put_u8(&out, m->kind);
	tl_data_put_u8(&out, m->level);
	tl_data_put_u8(&out, tl_load_8(&m->gate));
	tl_data_put_u8(&out, m->scope);
	tl_data_put_u8(&out, m->builtin);
	return put_next(d, TL_TRACE_MESSAGE, &out, &m->text, 1);
}

const struct tl_defined *
tl_define_message(struct tl_definitions *d, const struct tl_message *m, int *rc)
{
	struct tl_defined *defined = tl_message_map_find(&d->messages, m);
	int64_t id;

	if (defined)
		return defined;
	if (!(defined = calloc(1, sizeof(*defined)))) {
		*rc = -ENOMEM;
		return NULL;
	}
	id = write_message(d, m);
	*rc = id < 0 ? (int)id : tl_message_map_add(&d->messages, m, defined);
	if (*rc < 0) {
		free(defined);
		return NULL;
	}
	defined->id = (uint32_t)id;
	for (unsigned i = 0; i < m->argc; i++)
		if (m->args[i].format == TIMELINE_ARG_STRING)
			defined->strings |= (uint8_t)(1u << i);
	return defined;
}

/* The place for the id of a process in the table of pids. */
static int
get_process(struct tl_definitions *d, uint32_t pid, int32_t **process)
{
	const struct tl_id_key key = { pid, 0 };
	uint32_t i;
	int rc;

	if (TL_ARRAY_ROOM(d->processes, d->process_capacity, d->pids.count) < 0)
		return -ENOMEM;
	rc = tl_id_map_get(&d->pids, key, &i);
	if (rc < 0)
		return rc;
	*process = &d->processes[i];
	if (rc > 0)
		**process = TL_TRACE_NONE;
	return 0;
}

int
tl_define_process(struct tl_definitions *d, uint32_t pid,
    struct tl_bytes command)
{
	uint8_t bytes[FIELDS_MAX];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	int32_t *process;
	int64_t id = get_process(d, pid, &process);

	if (id < 0)
		return (int)id;
	tl_data_put_u32(&out, pid);
	if ((id = put_next(d, TL_TRACE_PROCESS, &out, &command, 1)) < 0)
		return (int)id;
	*process = (int32_t)id;
	return 0;
}

int
tl_define_thread(struct tl_definitions *d, int32_t id, uint32_t pid,
    uint32_t tid, struct tl_bytes name)
{
	uint8_t bytes[FIELDS_MAX];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	int32_t *process;
	const int rc = get_process(d, pid, &process);

	if (rc < 0)
		return rc;
	tl_data_put_i32(&out, *process);
	tl_data_put_u32(&out, pid);
	tl_data_put_u32(&out, tid);
	return put_object(d, TL_TRACE_THREAD, id, &out, &name, 1);
}

int
tl_define_info(struct tl_definitions *d, struct tl_bytes name,
    struct tl_bytes value)
{
	const struct tl_data_out none = { 0 };
	const struct tl_bytes texts[] = { name, value };
	const int64_t id = put_next(d, TL_TRACE_INFO, &none, texts, 2);

	return id < 0 ? (int)id : 0;
}

int
tl_define_knot(struct tl_definitions *d, const struct timeline_knot *knot)
{
	uint8_t bytes[FIELDS_MAX];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	int64_t id;

	tl_data_put_u64(&out, knot->tsc);
	tl_data_put_i64(&out, knot->utc_ns);
	tl_data_put_u64(&out, knot->mult);
	tl_data_put_i64(&out, knot->raw_ns);
	tl_data_put_u32(&out, knot->est_err_ns);
	tl_data_put_u32(&out, knot->max_err_ns);
	tl_data_put_u32(&out, knot->sync_err_us);
	tl_data_put_u32(&out, knot->epoch);
	tl_data_put_u16(&out, knot->flags);
	tl_data_put_u16(&out, (uint16_t)knot->tai_offset_s);
	tl_data_put_u32(&out, knot->pid);
	id = put_next(d, TL_TRACE_KNOT, &out, NULL, 0);
	return id < 0 ? (int)id : 0;
}

/* == blocks == */

/* Append to a file.  With TL_TRACE_NULL there is no file. */
static int
append(struct tl_trace_writer *w, tl_trace_append *to, const void *data,
    size_t size)
{
	if (w->rc == 0 && to && w->options.strategy != TL_TRACE_NULL)
		w->rc = to(w->options.context, data, size);
	return w->rc;
}

/* Set the number of bytes that wait outside of streams. */
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
		note_settled(w);
	}
	return rc;
}

static int
append_cells(struct tl_trace_writer *w, const uint8_t *cells, size_t size)
{
	if (size == 0)
		return w->rc;
	w->index_crc = tl_crc32c(w->index_crc, cells, size);
	w->cell_count += size / TL_CELL_SIZE;
	return append(w, w->options.index, cells, size);
}

static int
append_cell(struct tl_trace_writer *w, const struct tl_cell *cell)
{
	uint8_t bytes[TL_CELL_SIZE];

	tl_cell_put(bytes, cell);
	return append_cells(w, bytes, sizeof(bytes));
}

/* Write a block with its header and end. */
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
	return append_cells(w, cells, cells_size);
}

int
tl_block_write_definitions(struct tl_trace_writer *w)
{
	struct tl_definitions *d = &w->definitions;
	const size_t size = d->text.size - TL_TRACE_BLOCK_HEADER;
	uint8_t *bytes = (uint8_t *)d->text.data;
	uint8_t *cells = (uint8_t *)d->cells.data;
	const struct tl_trace_block block = { .thread = TL_TRACE_DEFINITIONS,
		.stored = (uint32_t)size,
		.size = (uint32_t)size,
		.logical = d->logical,
		.crc =
		    tl_crc32c(w->seed, bytes + TL_TRACE_BLOCK_HEADER, size) };

	if (size == 0 || w->rc < 0)
		return w->rc;
	/* the places of objects are known now */
	for (size_t at = 0; at < d->cells.size; at += TL_CELL_SIZE) {
		struct tl_cell cell = tl_cell_get(cells + at);

		cell.start += (int64_t)w->data_at;
		tl_cell_put(cells + at, &cell);
	}
	/* tl_text has room for one byte after its size */
	write_block(w, &block, bytes, cells, d->cells.size);
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
tl_block_unlock(struct tl_trace_writer *w, int64_t rc)
{
	if (rc >= 0)
		rc = tl_block_settle(w);
	pthread_mutex_unlock(&w->lock);
	return (int)rc;
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

int
tl_block_begin_files(struct tl_trace_writer *w)
{
	uint8_t bytes[TL_TRACE_HEADER_SIZE];
	struct tl_data_out out = { .data = bytes, .capacity = sizeof(bytes) };
	struct tl_data_in id = tl_data_in(w->header.id, sizeof(w->header.id));
	struct tl_cell self = { .kind = TL_TRACE_SELF };

	self.start = tl_data_i64(&id);
	self.end = tl_data_i64(&id);
	tl_trace_header_put(bytes, &w->header);
	append_data(w, bytes, sizeof(bytes));
	tl_data_put_u64(&out, TL_TRACE_INDEX_MAGIC);
	tl_data_put_u64(&out, TL_TRACE_VERSION);
	append(w, w->options.index, bytes, out.size);
	return append_cell(w, &self);
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
	for (size_t i = 0; i < w->stream_count; i++) {
		const struct tl_trace_stream *s = w->streams[i];
		const struct tl_cell root = { .kind = TL_TRACE_ROOT,
			.id = s->id,
			.start = (int64_t)s->block.logical,
			.end = (int64_t)s->shape.levels[0].children };

		if (s->block.logical > 0)
			append_cell(w, &root);
	}
	eof.id = (int32_t)w->index_crc;
	eof.start = (int64_t)w->data_at;
	eof.end = (int64_t)w->cell_count;
	tl_cell_put(bytes, &eof);
	tl_data_put_u64(&out, TL_TRACE_INDEX_MAGIC);
	return append(w, w->options.index, bytes, sizeof(bytes));
}
