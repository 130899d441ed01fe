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

enum {
	DATA_FIRST = 256, /* small: most of very many threads have few points */
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
	const int rc =
	    TL_ARRAY_ZEROS(s->cells, s->cell_capacity, s->cell_count);

	return rc;
}

/* Make room for size bytes and a cell; appending them cannot fail then. */
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

int
tl_lincheck_stream_define_all(struct tl_lincheck_file *f,
    struct tl_lincheck_stream *s, const struct tl_lincheck_known *known,
    const struct tl_lincheck_form *form)
{
	int rc = 0;

	for (uint32_t i = 0; form && rc == 0 && i < form->definition_count; i++)
		rc = define(f, s, known, form->definitions[i]);
	return rc;
}

int
tl_lincheck_stream_put(struct tl_lincheck_file *f, struct tl_lincheck_stream *s,
    const struct tl_lincheck_record *record, const void *bytes)
{
	int rc = TL_ARRAY_ZEROS(s->started, s->started_capacity, s->depth);

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

/*
 * Write the cells of a block in the order in which they were made.  Places of
 * definitions were counted in the stream and move by shift; calls stay.
 */
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

/* Move cells and open calls by the bytes taken out before them. */
static void
move_places(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	uint32_t count = 0;

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
}

static void
take_out_repeated(struct tl_lincheck_file *f, struct tl_lincheck_stream *s)
{
	uint64_t to = 0, from = 0, done = 0;

	choose_repeated(f, s);
	if (s->method_count == 0)
		return;
	move_places(f, s);
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
	put_number(&f->data->text, TL_LINCHECK_BLOCK_END, 1);
	f->at++;
	f->begun = false;
	return flush_full(f);
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
tl_lincheck_file_free(struct tl_lincheck_file *f)
{
	free(f->methods);
}

static void
free_stream(struct tl_lincheck_stream *s)
{
	free(s->data.data);
	free(s->cells);
	free(s->defined);
	free(s->methods);
	free(s->started);
}

/* == lanes == */

/*
 * The key of a lane: a thread, or a message.  Bits 0 and 1 of the second word
 * are 2 for a message and never 2 for a thread.
 */
static struct tl_id_key
key_of(const struct tl_event *event, bool native, bool of_message)
{
	if (of_message)
		return (struct tl_id_key){ (uintptr_t)event->message, 2 };
	return (struct tl_id_key){ (uint64_t)event->pid << 32 | event->tid,
		(uint64_t)event->source << 2 | native };
}

/* Choose the number of a new thread: the wanted number, if it is free. */
static int
choose(struct tl_lincheck_lanes *l, int32_t wanted, int32_t *id)
{
	uint32_t number;
	int rc = 0;

	*id = wanted;
	if (wanted != TL_LINCHECK_NONE)
		rc = tl_id_map_get(&l->used,
		    (struct tl_id_key){ .a = (uint32_t)wanted }, &number);
	while (rc == 0) {
		*id = l->next++;
		rc = tl_id_map_get(&l->used,
		    (struct tl_id_key){ .a = (uint32_t)*id }, &number);
	}
	return rc < 0 ? rc : 0;
}

int
tl_lincheck_lanes_find(struct tl_lincheck_lanes *l,
    const struct tl_event *event, bool native, bool of_message,
    struct tl_lincheck_lane **lane)
{
	uint32_t number;
	int rc = tl_id_map_get(&l->numbers, key_of(event, native, of_message),
	    &number);
	const bool is_new = rc == 1;

	if (rc >= 0 && number >= TL_LINCHECK_THREADS_MAX)
		return -ENOSPC;
	if (is_new) {
		rc = TL_ARRAY_ZEROS(l->lanes, l->capacity, number);
		l->count = rc == 0 ? number + 1 : number;
	}
	if (rc >= 0 && is_new)
		l->lanes[number].waiting.fd = -1;
	if (rc >= 0 && is_new)
		rc = choose(l, native ? (int32_t)event->tid : TL_LINCHECK_NONE,
		    &l->lanes[number].stream.thread);
	if (rc < 0)
		return rc;
	*lane = &l->lanes[number];
	return is_new;
}

void
tl_lincheck_lanes_free(struct tl_lincheck_lanes *l)
{
	for (size_t i = 0; i < l->capacity; i++) {
		free_stream(&l->lanes[i].stream);
		if (i < l->count)
			tl_lincheck_queue_free(&l->lanes[i].waiting);
		free(l->lanes[i].open);
	}
	free(l->lanes);
	tl_id_map_free(&l->numbers);
	tl_id_map_free(&l->used);
}

int
tl_lincheck_lane_push(struct tl_lincheck_lane *lane,
    const struct tl_message *message, int32_t number)
{
	int rc;

	if (lane->depth == TL_LINCHECK_DEPTH_MAX)
		return -ENOSPC;
	rc = TL_ARRAY_ZEROS(lane->open, lane->capacity, lane->depth);
	if (rc == 0)
		lane->open[lane->depth++] =
		    (struct tl_lincheck_open){ .message = message,
			    .number = number };
	return rc;
}

/* Close the innermost call. */
static struct tl_lincheck_open
lane_pop(struct tl_lincheck_lane *lane)
{
	return lane->open[--lane->depth];
}

bool
tl_lincheck_lane_find(const struct tl_lincheck_lane *lane,
    const struct tl_message *message, uint32_t *depth)
{
	const uint32_t least = lane->depth > TL_LINCHECK_LOOK_MAX
				   ? lane->depth - TL_LINCHECK_LOOK_MAX
				   : 0;

	for (uint32_t i = lane->depth; i > least; i--) {
		if (lane->open[i - 1].message == message) {
			*depth = i;
			return true;
		}
	}
	return false;
}

/* == values == */

static void
start_values(struct tl_lincheck_values *v, const struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	v->form = form;
	v->event = event;
	v->more = tl_bytes(NULL, 0);
	v->slot = 0;
	if (form->shown > TL_ARGS_MAX)
		v->more = tl_message_string(event->message,
		    event->args[TL_ARGS_MAX - 1]);
}

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

/* Take the hash behind the class name of an object. */
static bool
take_hash(struct tl_bytes text, uint64_t *bits)
{
	const char *end = text.data + text.size, *at = end;
	int64_t hash;

	while (at > text.data && at[-1] != '@')
		at--;
	if (at == text.data ||
	    tl_number_signed(tl_bytes(at, (size_t)(end - at)), end, &hash) < 0)
		return false;
	*bits = (uint64_t)hash;
	return true;
}

static bool
take_number(struct tl_bytes text, uint64_t *bits)
{
	int64_t n;

	if (tl_number_signed(text, text.data + text.size, &n) < 0)
		return false;
	*bits = (uint64_t)n;
	return true;
}

/* Parse a value of value->tag from its text. */
static bool
read_value(struct tl_lincheck_values *v, struct tl_bytes text,
    struct tl_lincheck_value *value)
{
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
		value->bits = tl_bytes_equal(text, tl_bytes_of("true"));
		return true;
	case TL_LINCHECK_FLOAT:
	case TL_LINCHECK_DOUBLE:
		return tl_number_double(text, &value->bits) == 0;
	}
	return value->tag >= 0 ? take_hash(text, &value->bits)
			       : take_number(text, &value->bits);
}

/* Take the next of the values that share the last argument. */
static bool
next_more(struct tl_lincheck_values *v, struct tl_lincheck_value *value)
{
	struct tl_bytes word;

	if (!tl_lincheck_next_word(&v->more, &word))
		return false;
	tl_text_clear(&v->word);
	tl_lincheck_take_word(&v->word, word);
	if (v->word.rc < 0)
		v->text.rc = v->word.rc;
	return read_value(v, tl_bytes(v->word.data, v->word.size), value);
}

bool
tl_lincheck_values_next(struct tl_lincheck_values *v, uint32_t i,
    struct tl_lincheck_value *value)
{
	const struct tl_lincheck_form *f = v->form;
	uint32_t slot;

	*value = (struct tl_lincheck_value){ .tag = f->tags[i] };
	tl_text_clear(&v->text);
	if (!tl_lincheck_is_shown(f->class, i, value->tag, f->throws))
		return true;
	slot = v->slot++;
	if (f->shown > TL_ARGS_MAX && slot >= TL_ARGS_MAX - 1)
		return next_more(v, value);
	if (tl_lincheck_is_number(value->tag)) {
		value->bits = v->event->args[slot];
		return true;
	}
	return read_value(v,
	    tl_message_string(v->event->message, v->event->args[slot]), value);
}

bool
tl_lincheck_values_exception(struct tl_lincheck_values *v,
    struct tl_bytes *name)
{
	const struct tl_bytes text = tl_message_string(v->event->message,
	    v->event->args[v->slot % TL_ARGS_MAX]);

	tl_text_clear(&v->text);
	return take_text(v, text.data ? text : tl_bytes("", 0), name);
}

static void
free_values(struct tl_lincheck_values *v)
{
	tl_text_free(&v->word);
	tl_text_free(&v->text);
}

/* == points == */

enum { HEAD = 1 + 1 + 4 * 4, COUNT = 4, RECORD_FIRST = 256 };

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

/* Make room for size more bytes of the record. */
static int
reserve_record(struct tl_lincheck_points *p, size_t size)
{
	struct tl_data_out *out = &p->record;
	size_t capacity = out->capacity ? out->capacity : RECORD_FIRST;
	uint8_t *data;

	while (capacity - out->size < size)
		capacity *= 2;
	if (capacity == out->capacity)
		return 0;
	data = realloc(out->data, capacity);
	if (!data)
		return -ENOMEM;
	out->data = data;
	out->capacity = capacity;
	return 0;
}

static int
put_value(struct tl_lincheck_points *p, const struct tl_lincheck_value *value,
    bool is_index)
{
	const int rc = reserve_record(p, tl_lincheck_value_max(value) + COUNT);

	if (rc == 0)
		tl_lincheck_put_value(&p->record, value, is_index);
	return rc;
}

static int
put_values(struct tl_lincheck_points *p, const struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_lincheck_value value;
	int rc = 0;

	start_values(&p->values, form, event);
	for (uint32_t i = 0; rc == 0 && i < form->count; i++) {
		if (!tl_lincheck_values_next(&p->values, i, &value))
			p->changed++;
		rc = p->values.text.rc;
		if (rc == 0)
			rc = put_value(p, &value,
			    tl_lincheck_is_index(form->class, i));
		if (rc == 0 && form->class == TL_LINCHECK_CALL && i == 0)
			tl_data_put_u32(&p->record, form->count - 1);
	}
	return rc;
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
	struct tl_bytes bytes;
	int rc;

	record.size = (uint32_t)p->record.size;
	if (!p->waits) {
		rc = tl_lincheck_stream_define_all(&p->file, &lane->stream,
		    &p->known, record.form);
		return rc < 0 ? rc
			      : tl_lincheck_stream_put(&p->file, &lane->stream,
				    &record, p->record.data);
	}
	rc = reserve_record(p, sizeof(record));
	if (rc < 0)
		return rc;
	tl_data_put_bytes(&p->record, tl_bytes(&record, sizeof(record)));
	bytes = tl_bytes(p->record.data, p->record.size);
	rc = tl_lincheck_queue_put(&lane->waiting, waiting, bytes);
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

	if (rc <= 0)
		return rc;
	memcpy(&record, bytes.data + bytes.size - sizeof(record),
	    sizeof(record));
	if (define)
		rc = tl_lincheck_stream_define_all(&p->file, &lane->stream,
		    &p->known, record.form);
	if (rc >= 0)
		rc = tl_lincheck_stream_put(&p->file, &lane->stream, &record,
		    bytes.data);
	if (rc < 0)
		return rc;
	tl_lincheck_queue_pop(&lane->waiting);
	return 1;
}

int
tl_lincheck_put_point(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	struct tl_data_out *out = &p->record;
	const bool opens = form->class == TL_LINCHECK_CALL;
	int32_t number;
	int rc = number_event(p, event, form->native, &number);

	out->size = 0;
	if (rc == 0)
		rc = reserve_record(p, HEAD);
	if (rc < 0)
		return rc;
	tl_data_put_u8(out, TL_LINCHECK_POINT);
	tl_data_put_u8(out, form->class);
	tl_data_put_i32(out, form->location);
	tl_data_put_i32(out, lane->stream.thread);
	tl_data_put_i32(out, number);
	if (tl_lincheck_has_target(form->class))
		tl_data_put_i32(out, form->target);
	rc = put_values(p, form, event);
	if (rc == 0 && opens)
		rc = tl_lincheck_lane_push(lane, event->message, number);
	if (rc < 0)
		return rc;
	rc = put_record(p, lane,
	    (struct tl_lincheck_record){ .form = form,
		.number = number,
		.opens = opens });
	if (rc < 0 && opens)
		lane_pop(lane);
	return rc;
}

/* Finish a footer, whose result is in the record; form may be NULL. */
static int
put_footer(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_form *form, struct tl_bytes exception)
{
	int rc = reserve_record(p, sizeof(uint16_t) + exception.size);

	if (rc < 0)
		return rc;
	tl_data_put_utf(&p->record, exception);
	rc = put_record(p, lane,
	    (struct tl_lincheck_record){ .form = form, .closes = true });
	if (rc == 0)
		lane_pop(lane);
	return rc;
}

static int
begin_footer(struct tl_lincheck_points *p)
{
	int rc;

	p->record.size = 0;
	rc = reserve_record(p, 1);
	if (rc == 0)
		tl_data_put_u8(&p->record, TL_LINCHECK_FOOTER);
	return rc;
}

/* Write a footer with one value and no exception. */
static int
put_result(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_lincheck_value *value)
{
	int rc = begin_footer(p);

	if (rc == 0)
		rc = put_value(p, value, false);
	return rc < 0 ? rc : put_footer(p, lane, NULL, tl_bytes("", 0));
}

int
tl_lincheck_put_footer(struct tl_lincheck_points *p,
    struct tl_lincheck_lane *lane, struct tl_lincheck_form *form,
    const struct tl_event *event)
{
	static const struct tl_lincheck_value none = { .tag =
							   TL_LINCHECK_VOID };
	struct tl_bytes exception = tl_bytes("", 0);
	int rc;

	if (!form)
		return put_result(p, lane, &none);
	rc = begin_footer(p);
	if (rc == 0)
		rc = put_values(p, form, event);
	if (rc == 0 && form->throws &&
	    !tl_lincheck_values_exception(&p->values, &exception))
		p->changed++;
	if (rc == 0)
		rc = p->values.text.rc;
	/* a form without definitions may be on the stack: drop it */
	return rc < 0
		   ? rc
		   : put_footer(p, lane,
			 form->definition_count > 0 ? form : NULL, exception);
}

/* Write a footer with all arguments as one text. */
static int
put_text(struct tl_lincheck_points *p, struct tl_lincheck_lane *lane,
    const struct tl_event *event)
{
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
	if (!tl_mutf8_encode(&text, tl_bytes(plain.data, plain.size),
		TL_MUTF8_SIZE_MAX))
		p->changed++;
	value.text = tl_bytes(text.data, text.size);
	rc = plain.rc < 0 ? plain.rc : text.rc;
	if (rc == 0)
		rc = put_result(p, lane, &value);
	tl_text_free(&plain);
	tl_text_free(&text);
	return rc;
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

	if (argc > 1)
		return put_text(p, lane, event);
	if (argc == 1)
		tag = tl_lincheck_tag_of(event->message->args[0].format);
	return tl_lincheck_put_footer(p, lane, argc == 1 ? &form : NULL, event);
}

void
tl_lincheck_points_free(struct tl_lincheck_points *p)
{
	tl_lincheck_known_free(&p->known);
	tl_lincheck_file_free(&p->file);
	free_values(&p->values);
	free(p->record.data);
}
