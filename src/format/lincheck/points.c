/* SPDX-License-Identifier: Apache-2.0 */
/* points.c - threads, their streams, and the points in the streams. */
#include "format/lincheck/points.h"

#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "event/render.h"
#include "format/lincheck/words.h"

#include <errno.h>
#include <stdlib.h>

/* == streams == */

enum { NUMBER_MAX = 8 };

/* Write a cell to the index, if there is an index. */
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
	tl_lincheck_put_number(&f->data->text, TL_LINCHECK_MAGIC, NUMBER_MAX);
	tl_lincheck_put_number(&f->data->text, TL_LINCHECK_VERSION, NUMBER_MAX);
	f->at = TL_LINCHECK_HEADER_SIZE;
	if (!f->index)
		return;
	tl_lincheck_put_number(&f->index->text, TL_LINCHECK_INDEX_MAGIC,
	    NUMBER_MAX);
	tl_lincheck_put_number(&f->index->text, TL_LINCHECK_VERSION,
	    NUMBER_MAX);
}

static uint64_t
stream_at(const struct tl_lincheck_stream *s)
{
	return s->logical + s->data.size;
}

/* Keep a cell until the block is written: 0, -ENOMEM. */
static int
add_cell(struct tl_lincheck_file *f, struct tl_lincheck_stream *s, uint8_t kind,
    int32_t id, uint64_t start, uint64_t end)
{
	if (!f->index)
		return 0;
	if (TL_ARRAY_ZEROS(s->cells, s->cell_capacity, s->cell_count) < 0)
		return -ENOMEM;
	s->cells[s->cell_count++] =
	    (struct tl_cell){ kind, id, (int64_t)start, (int64_t)end };
	f->filling += sizeof(struct tl_cell);
	return 0;
}

int
tl_lincheck_stream_define(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, uint8_t kind, int32_t id,
    struct tl_bytes body)
{
	const int rc = add_cell(f, s, kind, id, stream_at(s), UINT64_MAX);

	if (rc < 0)
		return rc;
	tl_put_char(&s->data, (char)kind);
	tl_lincheck_put_i32(&s->data, id);
	tl_put_bytes(&s->data, body);
	f->filling += 1 + sizeof(id) + body.size;
	return s->data.rc;
}

static bool
is_marked(const uint8_t *bits, uint32_t number)
{
	return bits[number / 8] >> number % 8 & 1;
}

static void
mark(uint8_t *bits, uint32_t number)
{
	bits[number / 8] |= (uint8_t)(1u << number % 8);
}

/* Append a method, unless a block in the file defines the method. */
static int
define_method(struct tl_lincheck_file *f, struct tl_lincheck_stream *s,
    uint32_t number, const struct tl_lincheck_definition *d)
{
	const uint64_t at = stream_at(s);
	int rc = TL_ARRAY_ZEROS(f->methods, f->methods_size, number / 8);

	if (rc < 0 || is_marked(f->methods, number))
		return rc;
	rc = TL_ARRAY_ROOM(s->methods, s->method_capacity, s->method_count);
	if (rc == 0)
		rc = tl_lincheck_stream_define(f, s, d->kind, d->id,
		    tl_bytes(d->body, d->size));
	if (rc == 0)
		s->methods[s->method_count++] =
		    (struct tl_lincheck_method){ .number = number,
			    .at = at,
			    .size = stream_at(s) - at };
	return rc;
}

/* Append a definition, unless the block has the definition. */
static int
define(struct tl_lincheck_file *f, struct tl_lincheck_stream *s,
    const struct tl_lincheck_known *known, uint32_t number)
{
	const struct tl_lincheck_definition *d =
	    tl_lincheck_known_at(known, number);
	int rc = TL_ARRAY_ZEROS(s->defined, s->defined_size, number / 8);

	if (rc < 0 || is_marked(s->defined, number))
		return rc;
	rc = d->kind == TL_LINCHECK_METHOD
		 ? define_method(f, s, number, d)
		 : tl_lincheck_stream_define(f, s, d->kind, d->id,
		       tl_bytes(d->body, d->size));
	if (rc == 0)
		mark(s->defined, number);
	return rc;
}

/*
 * Append the definitions of a form that the block lacks; a method is appended
 * only if the file lacks it, too.  form NULL: no definitions.  0, -ENOMEM.
 */
static int
define_all(struct tl_lincheck_file *f, struct tl_lincheck_stream *s,
    const struct tl_lincheck_known *known, const struct tl_lincheck_form *form)
{
	int rc = 0;

	for (uint32_t i = 0; form && rc == 0 && i < form->definition_count; i++)
		rc = define(f, s, known, form->definitions[i]);
	return rc;
}

/* Append a record to a stream: 0, -ENOMEM. */
static int
stream_put(struct tl_lincheck_file *f, struct tl_lincheck_stream *s,
    const struct tl_lincheck_record *record, const void *bytes)
{
	int rc = TL_ARRAY_ZEROS(s->started, s->started_capacity, s->depth);

	if (rc == 0 && record->closes && s->depth > 0) {
		const struct tl_lincheck_started *call =
		    &s->started[--s->depth];

		rc = add_cell(f, s, TL_LINCHECK_POINT, call->number, call->at,
		    stream_at(s));
	}
	if (rc < 0)
		return rc;
	tl_put_bytes(&s->data, tl_bytes(bytes, record->size));
	f->filling += record->size;
	if (record->opens)
		s->started[s->depth++] =
		    (struct tl_lincheck_started){ record->number,
			    stream_at(s) };
	return s->data.rc;
}

/*
 * Keep in the list only the methods that the file has got meanwhile; the size
 * of each becomes the size of all listed methods up to it.  The block is the
 * first to define the other methods, so they are marked.
 */
static void
choose_repeated(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	uint32_t count = 0;
	uint64_t size = 0;

	for (uint32_t i = 0; i < s->method_count; i++) {
		struct tl_lincheck_method m = s->methods[i];

		if (!is_marked(f->methods, m.number)) {
			mark(f->methods, m.number);
			continue;
		}
		m.size = size += m.size;
		s->methods[count++] = m;
	}
	s->method_count = count;
}

/* The number of bytes that are taken out before a place of the stream. */
static uint64_t
size_before(const struct tl_lincheck_stream *s, uint64_t at)
{
	uint32_t i = 0;

	TL_SEARCH(i, 0, s->method_count, s->methods[i].at < at);
	return i > 0 ? s->methods[i - 1].size : 0;
}

static bool
is_repeated(const struct tl_lincheck_stream *s, const struct tl_cell *c)
{
	uint32_t i = 0;

	TL_SEARCH(i, 0, s->method_count, s->methods[i].at < (uint64_t)c->start);
	return c->kind == TL_LINCHECK_METHOD && i < s->method_count &&
	       s->methods[i].at == (uint64_t)c->start;
}

static void
take_out_repeated(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	uint64_t to = 0, from = 0, done = 0;
	uint32_t count = 0;

	choose_repeated(f, s);
	if (s->method_count == 0)
		return;

	/* move cells and open calls by the bytes taken out before them */
	for (uint32_t i = 0; i < s->cell_count; i++) {
		struct tl_cell c = s->cells[i];

		if (is_repeated(s, &c))
			continue;
		c.start -= (int64_t)size_before(s, (uint64_t)c.start);
		if (c.kind == TL_LINCHECK_POINT)
			c.end -= (int64_t)size_before(s, (uint64_t)c.end);
		s->cells[count++] = c;
	}
	f->filling -= (s->cell_count - count) * sizeof(*s->cells);
	s->cell_count = count;
	for (uint32_t i = s->depth; i > 0; i--) {
		if (s->started[i - 1].at < s->logical)
			break;
		s->started[i - 1].at -= size_before(s, s->started[i - 1].at);
	}
	for (uint32_t i = 0; i < s->method_count; i++) {
		const struct tl_lincheck_method *m = &s->methods[i];
		const uint64_t size = m->at - s->logical - from;

		memmove(s->data.data + to, s->data.data + from, size);
		to += size;
		from += size + m->size - done;
		done = m->size;
	}
	memmove(s->data.data + to, s->data.data + from, s->data.size - from);
	s->data.size -= done;
	f->filling -= done;
	s->method_count = 0;
}

/*
 * Write the bytes and the cells of a block, the cells in the order in which
 * they were made.  Places of definitions were counted in the stream and move by
 * shift; calls stay.
 */
static void
put_content(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	const uint64_t shift = f->at - s->logical;

	tl_put_bytes(&f->data->text, tl_text_bytes(&s->data));
	for (size_t i = 0; i < s->cell_count; i++) {
		const struct tl_cell *c = &s->cells[i];
		const uint64_t by = c->kind == TL_LINCHECK_POINT ? 0 : shift;

		put_cell(f, c->kind, c->id, (uint64_t)c->start + by,
		    (uint64_t)c->end + by);
	}
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
	tl_lincheck_put_number(&f->data->text, TL_LINCHECK_BLOCK_START, 1);
	tl_lincheck_put_number(&f->data->text, (uint32_t)s->thread, 4);
	f->at += TL_LINCHECK_BLOCK_HEADER;
	f->block = f->at;
}

static int
flush_full(struct tl_lincheck_file *f)
{
	const int rc = f->index ? tl_out_flush_full(f->index) : 0;

	return rc < 0 ? rc : tl_out_flush_full(f->data);
}

int
tl_lincheck_stream_spill(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s)
{
	take_out_repeated(f, s);
	begin_block(f, s);
	put_content(f, s);
	return flush_full(f);
}

int
tl_lincheck_stream_flush(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s)
{
	bool is_last = f->by_memory || f->begun;

	take_out_repeated(f, s);
	begin_block(f, s);
	if (!is_last)
		put_cell(f, TL_LINCHECK_BLOCK_START, s->thread, f->start,
		    f->at + s->data.size);
	put_content(f, s);
	if (is_last)
		put_cell(f, TL_LINCHECK_BLOCK_START, s->thread, f->start,
		    f->at);
	tl_lincheck_put_number(&f->data->text, TL_LINCHECK_BLOCK_END, 1);
	f->at++;
	f->begun = false;
	return flush_full(f);
}

void
tl_lincheck_file_end(struct tl_lincheck_file *f)
{
	const uint64_t end = f->by_memory ? f->block - 1 : UINT64_MAX;

	tl_lincheck_put_number(&f->data->text, TL_LINCHECK_EOF, 1);
	put_cell(f, TL_LINCHECK_EOF, -1, end, end);
	if (f->index)
		tl_lincheck_put_number(&f->index->text, TL_LINCHECK_INDEX_MAGIC,
		    NUMBER_MAX);
}

/* == lanes == */

/*
 * A lane belongs to a thread or to a message.  Bits 0 and 1 of the second word
 * of its key are 2 for a message and never 2 for a thread.
 */
int
tl_lincheck_lanes_find(struct tl_lincheck_lanes *l,
    const struct tl_event *event, bool native, bool of_message,
    struct tl_lincheck_lane **lane)
{
	const struct tl_id_key key =
	    of_message
		? (struct tl_id_key){ (uintptr_t)event->message, 2 }
		: (struct tl_id_key){ (uint64_t)event->pid << 32 | event->tid,
			  (uint64_t)event->source << 2 | native };
	const int64_t wanted = (int32_t)event->tid;
	int64_t thread;
	uint32_t number;
	int rc = tl_id_map_get(&l->numbers, key, &number);

	if (rc < 0)
		return rc;
	if (number >= TL_LINCHECK_THREADS_MAX)
		return -ENOSPC;
	if (rc == 1) {
		rc = TL_ARRAY_ZEROS(l->lanes, l->capacity, number);
		l->count = rc == 0 ? number + 1 : number;
		if (rc < 0)
			return rc;
		l->lanes[number].waiting.fd = -1;
		rc = tl_id_map_take(&l->used, 0,
		    native && wanted != TL_LINCHECK_NONE ? &wanted : NULL,
		    &l->next, &thread);
		if (rc < 0)
			return rc;
		l->lanes[number].stream.thread = (int32_t)thread;
	}
	*lane = &l->lanes[number];
	return 0;
}

void
tl_lincheck_lanes_free(struct tl_lincheck_lanes *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct tl_lincheck_lane *lane = &l->lanes[i];

		tl_text_free(&lane->stream.data);
		free(lane->stream.cells);
		free(lane->stream.defined);
		free(lane->stream.methods);
		free(lane->stream.started);
		tl_lincheck_queue_free(&lane->waiting);
		free(lane->open);
	}
	free(l->lanes);
	tl_id_map_free(&l->numbers);
	tl_id_map_free(&l->used);
}

/* Open a call in a lane: 0, -ENOSPC too deep, -ENOMEM. */
static int
lane_push(struct tl_lincheck_lane *lane, const struct tl_message *message)
{
	if (lane->depth == TL_LINCHECK_DEPTH_MAX)
		return -ENOSPC;
	if (TL_ARRAY_ZEROS(lane->open, lane->capacity, lane->depth) < 0)
		return -ENOMEM;
	lane->open[lane->depth++] = message;
	return 0;
}

bool
tl_lincheck_lane_find(const struct tl_lincheck_lane *lane,
    const struct tl_message *message, uint32_t *depth)
{
	const uint32_t least = lane->depth > TL_LINCHECK_LOOK_MAX
				   ? lane->depth - TL_LINCHECK_LOOK_MAX
				   : 0;

	for (uint32_t i = lane->depth; i > least; i--) {
		if (lane->open[i - 1] == message) {
			*depth = i;
			return true;
		}
	}
	return false;
}

/* == values == */

/* Encode a text into v->text. */
static bool
take_text(struct tl_lincheck_values *v, struct tl_bytes text,
    struct tl_bytes *name)
{
	const bool good = tl_mutf8_encode(&v->text, text, TL_MUTF8_SIZE_MAX);

	*name = tl_bytes(v->text.size > 0 ? v->text.data : "", v->text.size);
	return good;
}

/* Take the UTF-16 unit of a character. */
static bool
take_unit(struct tl_lincheck_values *v, struct tl_bytes text, uint64_t *unit)
{
	const uint8_t *b;
	struct tl_bytes name;

	if (!take_text(v, text, &name) || name.size == 0 || name.size > 3)
		return false;
	b = (const uint8_t *)name.data;
	if (name.size == 1)
		*unit = b[0];
	else if (name.size == 2)
		*unit = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
	else
		*unit =
		    (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
	return true;
}

/* Parse a value of value->tag from its text. */
static bool
read_value(struct tl_lincheck_values *v, struct tl_bytes text,
    struct tl_lincheck_value *value)
{
	const char *at;
	int64_t n;

	if (!text.data)
		text = tl_bytes("", 0);
	switch (value->tag) {
	case TL_LINCHECK_NULL:
	case TL_LINCHECK_VOID:
	case TL_LINCHECK_UNIT:
		return true;
	case TL_LINCHECK_TEXT:
	case TL_LINCHECK_RAW:
		return take_text(v, text, &value->text);
	case TL_LINCHECK_CHAR:
		return take_unit(v, text, &value->bits);
	case TL_LINCHECK_BOOLEAN:
		value->bits = tl_bytes_are(text, "true");
		return true;
	case TL_LINCHECK_FLOAT:
	case TL_LINCHECK_DOUBLE:
		return tl_number_double(text, &value->bits) == 0;
	}
	if (value->tag >= 0) { /* hash behind the class name of an object */
		if (!(at = memrchr(text.data, '@', text.size)))
			return false;
		text.size -= (size_t)(at + 1 - text.data);
		text.data = at + 1;
	}
	if (tl_number_signed(text, text.data + text.size, &n) < 0)
		return false;
	value->bits = (uint64_t)n;
	return true;
}

/*
 * Return value i; values are asked for in order, and a value is valid until the
 * next call.  false: the argument does not fit and the value is changed.
 * v->text.rc is -ENOMEM without memory.
 */
static bool
next_value(struct tl_lincheck_values *v, uint32_t i,
    struct tl_lincheck_value *value)
{
	const struct tl_lincheck_form *f = v->form;
	struct tl_bytes word;
	uint32_t slot;

	*value = (struct tl_lincheck_value){ .tag = f->tags[i] };
	tl_text_clear(&v->text);
	if (!tl_lincheck_is_shown(f->class, i, value->tag, f->throws))
		return true;
	slot = v->slot++;
	if (f->shown > TL_ARGS_MAX && slot >= TL_ARGS_MAX - 1) {
		if (!tl_lincheck_next_word(&v->more, &word))
			return false;
		tl_text_clear(&v->word);
		tl_lincheck_take_word(&v->word, word);
		if (v->word.rc < 0)
			v->text.rc = v->word.rc;
		return read_value(v, tl_text_bytes(&v->word), value);
	}
	if (tl_lincheck_is_number(value->tag)) {
		value->bits = v->event->args[slot];
		return true;
	}
	return read_value(v,
	    tl_message_text(v->event->message, slot, &v->event->args[slot]),
	    value);
}

/* == points == */

/*
 * Number an event.  An event keeps the number that it was read with, as long as
 * every event before came from a Lincheck trace.
 */
static int
number_event(struct tl_lincheck_points *p, const struct tl_event *event,
    bool native, int32_t *number)
{
	const bool kept = native && !p->foreign && event->ns >= INT32_MIN &&
			  event->ns <= INT32_MAX;
	const int64_t n = kept ? event->ns : p->next;

	p->foreign |= !native;
	p->numbered += native && !kept;
	if (n > INT32_MAX)
		return -ENOSPC;
	if (n >= p->next)
		p->next = n + 1;
	*number = (int32_t)n;
	return 0;
}

/* Append the values of an event to the record. */
static int
put_values(struct tl_lincheck_points *p, const struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_lincheck_values *v = &p->values;
	struct tl_lincheck_value value;
	int rc = 0;

	v->form = form;
	v->event = event;
	v->slot = 0;
	v->more = tl_bytes(NULL, 0);
	if (form->shown > TL_ARGS_MAX)
		v->more = tl_message_string(event->message,
		    event->args[TL_ARGS_MAX - 1]);
	for (uint32_t i = 0; rc == 0 && i < form->count; i++) {
		if (!next_value(v, i, &value))
			p->changed++;
		rc = v->text.rc;
		tl_lincheck_put_value(&p->record, &value,
		    tl_lincheck_is_index(form->class, i));
		if (form->class == TL_LINCHECK_CALL && i == 0)
			tl_lincheck_put_i32(&p->record,
			    (int32_t)form->count - 1);
	}
	return rc < 0 ? rc : p->record.rc;
}

/*
 * Write the record that was made: append it to the stream behind its
 * definitions, or to the queue while records wait.
 */
static int
put_record(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    struct tl_lincheck_record record)
{
	static const struct tl_lincheck_waiting waiting;
	int rc;

	record.size = (uint32_t)p->record.size;
	if (!p->waits) {
		rc =
		    define_all(&p->file, &lane->stream, &p->known, record.form);
		if (rc == 0)
			rc = stream_put(&p->file, &lane->stream, &record,
			    p->record.data);
		return rc;
	}
	tl_put_bytes(&p->record, tl_bytes(&record, sizeof(record)));
	if (p->record.rc < 0)
		return p->record.rc;
	rc = tl_lincheck_queue_put(&lane->waiting, waiting,
	    tl_text_bytes(&p->record));
	lane->records += rc == 0;
	return rc;
}

int
tl_lincheck_put_waiting(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, bool define)
{
	struct tl_lincheck_waiting waiting;
	struct tl_lincheck_record record;
	struct tl_bytes bytes;
	int rc = tl_lincheck_queue_front(&lane->waiting, &waiting, &bytes);

	if (rc < 0)
		return rc;
	memcpy(&record, bytes.data + bytes.size - sizeof(record),
	    sizeof(record));
	if (define)
		rc =
		    define_all(&p->file, &lane->stream, &p->known, record.form);
	if (rc == 0)
		rc = stream_put(&p->file, &lane->stream, &record, bytes.data);
	if (rc == 0)
		tl_lincheck_queue_pop(&lane->waiting);
	return rc;
}

int
tl_lincheck_put_point(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_text *out = &p->record;
	const bool opens = form->class == TL_LINCHECK_CALL;
	int32_t number;
	int rc = number_event(p, event, form->native, &number);

	if (rc < 0)
		return rc;
	tl_text_clear(out);
	tl_put_char(out, TL_LINCHECK_POINT);
	tl_put_char(out, (char)form->class);
	tl_lincheck_put_i32(out, form->location);
	tl_lincheck_put_i32(out, lane->stream.thread);
	tl_lincheck_put_i32(out, number);
	if (tl_lincheck_has_target(form->class))
		tl_lincheck_put_i32(out, form->target);
	rc = put_values(p, form, event);
	if (rc == 0 && opens)
		rc = lane_push(lane, event->message);
	if (rc < 0)
		return rc;
	rc = put_record(p, lane,
	    (struct tl_lincheck_record){ .form = form,
		.number = number,
		.opens = opens });
	if (rc < 0 && opens)
		lane->depth--;
	return rc;
}

static void
begin_footer(struct tl_lincheck_points *p)
{
	tl_text_clear(&p->record);
	tl_put_char(&p->record, TL_LINCHECK_FOOTER);
}

/* Finish a footer, whose result is in the record; form may be NULL. */
static int
put_footer(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_form *form, struct tl_bytes exception)
{
	int rc;

	tl_lincheck_put_mutf8(&p->record, exception);
	if (p->record.rc < 0)
		return p->record.rc;
	rc = put_record(p, lane,
	    (struct tl_lincheck_record){ .form = form, .closes = true });
	if (rc == 0)
		lane->depth--;
	return rc;
}

/* Write a footer with one value and no exception. */
static int
put_result(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_value *value)
{
	begin_footer(p);
	tl_lincheck_put_value(&p->record, value, false);
	return put_footer(p, lane, NULL, tl_bytes("", 0));
}

int
tl_lincheck_put_footer(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	static const struct tl_lincheck_value none = { .tag =
							   TL_LINCHECK_VOID };
	struct tl_lincheck_values *v = &p->values;
	struct tl_bytes exception = tl_bytes("", 0);
	int rc;

	if (!form)
		return put_result(p, lane, &none);
	begin_footer(p);
	rc = put_values(p, form, event);
	if (rc == 0 && form->throws) { /* the exception follows the values */
		const struct tl_bytes name = tl_message_string(event->message,
		    event->args[v->slot % TL_ARGS_MAX]);

		tl_text_clear(&v->text);
		if (!take_text(v, name.data ? name : tl_bytes("", 0),
			&exception))
			p->changed++;
	}
	if (rc == 0)
		rc = v->text.rc;
	if (rc < 0)
		return rc;
	/* a form without definitions may be on the stack: drop it */
	return put_footer(p, lane, form->definition_count > 0 ? form : NULL,
	    exception);
}

int
tl_lincheck_put_end(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_event *event)
{
	const unsigned argc = event->bare ? 0 : event->message->argc;
	int32_t tag;
	struct tl_lincheck_form form = { .class = TL_LINCHECK_FOOTER_CLASS,
		.shown = 1,
		.count = 1,
		.tags = &tag };

	if (argc > 1) {
		/* Write a footer with all arguments as one text. */
		struct tl_lincheck_value value = { .tag = TL_LINCHECK_RAW };
		struct tl_text plain = { 0 }, text = { 0 };
		int rc;

		for (unsigned i = 0; i < event->message->argc; i++) {
			tl_put_string(&plain, i > 0 ? ", " : "");
			tl_put_bytes(&plain, event->message->args[i].name);
			tl_put_char(&plain, '(');
			tl_render_arg(&plain, event, i);
			tl_put_char(&plain, ')');
		}
		if (!tl_mutf8_encode(&text, tl_text_bytes(&plain),
			TL_MUTF8_SIZE_MAX))
			p->changed++;
		value.text = tl_text_bytes(&text);
		rc = plain.rc < 0 ? plain.rc : text.rc;
		if (rc == 0)
			rc = put_result(p, lane, &value);
		tl_text_free(&plain);
		tl_text_free(&text);
		return rc;
	}
	if (argc == 1)
		tag = tl_lincheck_tag_of(event->message->args[0].format);
	return tl_lincheck_put_footer(p, lane, argc == 1 ? &form : NULL, event);
}

void
tl_lincheck_points_free(struct tl_lincheck_points *p)
{
	tl_lincheck_known_free(&p->known);
	free(p->file.methods);
	tl_text_free(&p->values.word);
	tl_text_free(&p->values.text);
	tl_text_free(&p->record);
}
