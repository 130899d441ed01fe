/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - the definitions of a trace, by kind and id. */
#include "trace/context.h"

#include "base/array.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

struct tl_context_object {
	uint8_t kind;
	bool defined;
	int32_t id;
	int32_t category; /* of a message */
	int32_t location;
	int32_t process; /* of a thread */
	int32_t file;    /* of a location */
	uint32_t line;
	uint32_t pid; /* of a thread */
	uint32_t tid;
	struct tl_bytes text; /* text after the object; the value of an INFO */
	struct tl_bytes name; /* of an INFO */
	struct tl_message message;
	char *data;
};

static uint64_t
hash_of(uint8_t kind, int32_t id)
{
	return tl_hash_number((uint64_t)kind << 32 | (uint32_t)id);
}

static struct tl_context_object *
find(const struct tl_context *c, uint8_t kind, int32_t id)
{
	struct tl_probe probe = tl_table_probe(&c->table, hash_of(kind, id));
	uint32_t at;

	while (tl_probe_next(&probe, &at))
		if (c->objects[at]->kind == kind && c->objects[at]->id == id)
			return c->objects[at];
	return NULL;
}

/* The object of a kind and an id; a new object is added. */
static struct tl_context_object *
get(struct tl_context *c, uint8_t kind, int32_t id)
{
	struct tl_context_object *object = find(c, kind, id);

	if (object)
		return object;
	if (TL_ARRAY_ROOM(c->objects, c->capacity, c->count) < 0 ||
	    !(object = calloc(1, sizeof(*object))))
		return NULL;
	if (tl_table_add(&c->table, hash_of(kind, id), c->count) < 0) {
		free(object);
		return NULL;
	}
	object->kind = kind;
	object->id = id;
	object->category = object->location = object->file = TL_TRACE_NONE;
	object->process = TL_TRACE_NONE;
	c->objects[c->count++] = object;
	return object;
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t number)
{
	const struct tl_context *c = (const void *)strings;
	const struct tl_context_object *object =
	    number <= INT32_MAX ? find(c, TL_TRACE_STRING, (int32_t)number)
				: NULL;

	return object && object->defined ? object->text : tl_bytes(NULL, 0);
}

static void
set_words(struct tl_message *message, struct tl_bytes text)
{
	const char *end =
	    text.size > 0 ? memchr(text.data, '\n', text.size) : NULL;

	if (tl_message_parse(message, text) == 0)
		return;
	message->argc = 0;
	message->text = text;
	message->line1 =
	    tl_bytes(text.data, end ? (size_t)(end - text.data) : text.size);
	message->explain = tl_bytes(NULL, 0);
	message->after = message->line1;
}

void
tl_context_init(struct tl_context *c)
{
	*c = (struct tl_context){ .strings = { get_string } };
	c->nothing.strings = &c->strings;
	c->nothing.names = &c->names;
	c->nothing.kind = TIMELINE_RECORD_INSTANT;
	c->nothing.category = tl_bytes_of("?");
	set_words(&c->nothing, tl_bytes_of("message that is not defined"));
}

void
tl_context_free(struct tl_context *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->objects[i]->data);
		free(c->objects[i]);
	}
	free(c->objects);
	tl_table_free(&c->table);
	tl_names_free(&c->names);
	free(c->knots);
}

static int
read_knot(struct tl_context *c, struct tl_data_in *in, bool known)
{
	struct timeline_knot knot = { .tsc = tl_data_u64(in) };

	knot.utc_ns = tl_data_i64(in);
	knot.mult = tl_data_u64(in);
	knot.raw_ns = tl_data_i64(in);
	knot.est_err_ns = tl_data_u32(in);
	knot.max_err_ns = tl_data_u32(in);
	knot.sync_err_us = tl_data_u32(in);
	knot.epoch = tl_data_u32(in);
	knot.flags = tl_data_u16(in);
	knot.tai_offset_s = (int16_t)tl_data_u16(in);
	knot.pid = tl_data_u32(in);
	if (in->bad || known)
		return 0;
	if (TL_ARRAY_ROOM(c->knots, c->knot_capacity, c->knot_count) < 0)
		return -ENOMEM;
	knot.seq = c->knot_count + 1;
	c->knots[c->knot_count++] = knot;
	/* messages that were read before the first knot */
	if (c->knot_count == 1)
		for (size_t i = 0; i < c->count; i++)
			c->objects[i]->message.mult = knot.mult;
	return 0;
}

/* Read the numbers of a message that are in range. */
static void
read_message(const struct tl_context *c, struct tl_context_object *object,
    struct tl_data_in *in)
{
	struct tl_message *m = &object->message;

	object->category = tl_data_i32(in);
	object->location = tl_data_i32(in);
	m->kind = tl_data_u8(in);
	m->level = tl_data_u8(in);
	m->gate = tl_data_u8(in);
	m->scope = tl_data_u8(in);
	m->builtin = tl_data_u8(in);
	if (c->knot_count > 0)
		m->mult = c->knots[0].mult;
	m->id = (uint32_t)object->id;
	if (m->kind < TIMELINE_RECORD_INSTANT ||
	    m->kind > TIMELINE_RECORD_COUNTER)
		m->kind = TIMELINE_RECORD_INSTANT;
	if (m->level > TIMELINE_LEVEL_MAX)
		m->level = TIMELINE_LEVEL_MAX;
	if (m->gate > TIMELINE_LEVEL_MAX)
		m->gate = TIMELINE_LEVEL_MAX;
}

/* Read the fields of an object that precede its texts. */
static int
read_numbers(struct tl_context *c, struct tl_context_object *object,
    struct tl_data_in *in, bool known)
{
	switch (object->kind) {
	case TL_TRACE_LOCATION:
		object->file = tl_data_i32(in);
		object->line = tl_data_u32(in);
		tl_data_i32(in);
		return 0;
	case TL_TRACE_MESSAGE:
		read_message(c, object, in);
		return 0;
	case TL_TRACE_PROCESS:
		object->pid = tl_data_u32(in);
		return 0;
	case TL_TRACE_THREAD:
		object->process = tl_data_i32(in);
		object->pid = tl_data_u32(in);
		object->tid = tl_data_u32(in);
		return 0;
	case TL_TRACE_KNOT:
		return read_knot(c, in, known);
	default:
		return 0;
	}
}

static int
read_texts(struct tl_context_object *object, struct tl_data_in *in)
{
	struct tl_bytes name = tl_bytes(NULL, 0), text = name;

	if (object->kind == TL_TRACE_INFO)
		name = tl_data_text(in);
	if (object->kind != TL_TRACE_LOCATION && object->kind != TL_TRACE_KNOT)
		text = tl_data_text(in);
	if (in->bad || name.size > TL_TRACE_TEXT_MAX ||
	    text.size > TL_TRACE_TEXT_MAX)
		return -EBADMSG;
	object->data = malloc(name.size + text.size + 1);
	if (!object->data)
		return -ENOMEM;
	if (name.size > 0)
		memcpy(object->data, name.data, name.size);
	if (text.size > 0)
		memcpy(object->data + name.size, text.data, text.size);
	object->name = tl_bytes(object->data, name.size);
	object->text = tl_bytes(object->data + name.size, text.size);
	return 0;
}

static bool
resolve(const struct tl_context *c, struct tl_context_object *object)
{
	const struct tl_context_object *category =
	    find(c, TL_TRACE_CATEGORY, object->category);
	const struct tl_context_object *place =
	    find(c, TL_TRACE_LOCATION, object->location);
	const struct tl_context_object *file =
	    place ? find(c, TL_TRACE_STRING, place->file) : NULL;

	if (category)
		object->message.category = category->text;
	if (file) {
		object->message.file = file->text;
		object->message.line = place->line;
	}
	return category && (object->location == TL_TRACE_NONE || file);
}

/* Define an object, unless it is already defined.  The last name of a thread
 * counts.  Takes the text over in any case. */
static int
define(struct tl_context *c, const struct tl_context_object *read)
{
	struct tl_context_object *object = get(c, read->kind, read->id);

	if (!object || (object->defined && object->kind != TL_TRACE_THREAD)) {
		free(read->data);
		return object ? 0 : -ENOMEM;
	}
	free(object->data);
	*object = *read;
	object->defined = true;
	if (object->kind == TL_TRACE_THREAD) {
		const struct tl_context_object *process =
		    find(c, TL_TRACE_PROCESS, object->process);
		int rc = 0;

		/* Set the name of a thread or a process, unless its number is
		 * missing. */
		if (object->tid != 0 &&
		    tl_bytes_equal(object->text, tl_bytes_of(TL_TRACE_UNNAMED)))
			rc = tl_names_hide(&c->names, object->pid, object->tid);
		else if (object->tid != 0 && object->text.size > 0)
			rc = tl_names_add(&c->names, object->pid, object->tid,
			    object->text);
		if (rc == 0 && process && object->pid != 0)
			rc = tl_names_add(&c->names, object->pid, 0,
			    process->text);
		return rc;
	}
	if (object->kind != TL_TRACE_MESSAGE)
		return 0;
	object->message.strings = &c->strings;
	object->message.names = &c->names;
	set_words(&object->message, object->text);
	if (!resolve(c, object))
		c->unsettled = true;
	return 0;
}

int
tl_context_read(struct tl_context *c, struct tl_data_in *in, int32_t *id)
{
	struct tl_context_object read = { .category = TL_TRACE_NONE,
		.location = TL_TRACE_NONE,
		.process = TL_TRACE_NONE,
		.file = TL_TRACE_NONE };
	const struct tl_context_object *known;
	int rc;

	read.kind = tl_data_u8(in);
	*id = read.id = tl_data_i32(in);
	if (in->bad || !tl_context_is_kind(read.kind) || read.id < 0)
		return -EBADMSG;
	known = find(c, read.kind, read.id);
	rc = read_numbers(c, &read, in, known && known->defined);
	if (rc == 0)
		rc = in->bad ? -EBADMSG : read_texts(&read, in);
	return rc < 0 ? rc : define(c, &read);
}

int
tl_context_read_all(struct tl_context *c, struct tl_bytes content)
{
	struct tl_data_in in = tl_data_in(content.data, content.size);
	int32_t id;

	while (in.at < in.size) {
		const int rc = tl_context_read(c, &in, &id);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Set the gate of the message that an entry of a change names.  Without such a
 * message, or with several, the gate may be any from then on. */
static void
set_gate(struct tl_context *c, struct tl_bytes line, uint8_t gate)
{
	struct tl_message *named = NULL;
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct tl_message *m = &c->objects[i]->message;

		if (c->objects[i]->kind != TL_TRACE_MESSAGE || m->builtin ||
		    (line.size > 0 && !tl_bytes_equal(m->line1, line)))
			continue;
		m->regated = true;
		if (m->level < m->gate)
			m->gate = m->level;
		named = m;
		count++;
	}
	if (count == 1 && line.size > 0 && gate <= TIMELINE_LEVEL_MAX)
		named->gate = gate;
}

void
tl_context_settle(struct tl_context *c)
{
	const size_t size = sizeof(TL_TRACE_GATE) - 1;

	for (size_t i = 0; c->unsettled && i < c->count; i++)
		if (c->objects[i]->kind == TL_TRACE_MESSAGE)
			resolve(c, c->objects[i]);
	c->unsettled = false;
	for (; c->settled < c->count; c->settled++) {
		const struct tl_context_object *o = c->objects[c->settled];

		if (o->kind == TL_TRACE_INFO && o->name.size == size &&
		    memcmp(o->name.data, TL_TRACE_GATE, size - 1) == 0)
			set_gate(c, o->text,
			    (uint8_t)(o->name.data[size - 1] - '0'));
	}
}

const struct tl_message *
tl_context_message(struct tl_context *c, uint32_t id)
{
	struct tl_context_object *object;

	if (id > INT32_MAX)
		return &c->nothing;
	object = find(c, TL_TRACE_MESSAGE, (int32_t)id);
	if (object)
		return &object->message;
	if (c->unknown == TL_CONTEXT_UNKNOWN_MAX ||
	    !(object = get(c, TL_TRACE_MESSAGE, (int32_t)id)))
		return &c->nothing;
	c->unknown++;
	object->message = c->nothing;
	object->message.id = id;
	return &object->message;
}

static int
by_id(const void *a, const void *b)
{
	const struct tl_message *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

int
tl_context_messages(struct tl_context *c, const struct tl_message ***messages,
    size_t *count)
{
	const struct tl_message **list = calloc(c->count + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < c->count; i++) {
		const struct tl_context_object *object = c->objects[i];

		if (object->kind == TL_TRACE_MESSAGE && object->defined)
			list[n++] = &object->message;
	}
	qsort(list, n, sizeof(*list), by_id);
	*messages = list;
	*count = n;
	return 0;
}

bool
tl_context_thread(const struct tl_context *c, int32_t id,
    struct tl_context_thread *thread)
{
	const struct tl_context_object *object = find(c, TL_TRACE_THREAD, id);
	const struct tl_context_object *process;

	if (!object)
		return false;
	process = find(c, TL_TRACE_PROCESS, object->process);
	*thread = (struct tl_context_thread){ object->pid, object->tid,
		object->text, process ? process->text : tl_bytes(NULL, 0) };
	return true;
}

struct tl_bytes
tl_context_info(const struct tl_context *c, const char *name)
{
	const struct tl_context_object *first = NULL;

	for (size_t i = 0; i < c->count; i++) {
		const struct tl_context_object *object = c->objects[i];

		if (object->kind == TL_TRACE_INFO &&
		    tl_bytes_equal(object->name, tl_bytes_of(name)) &&
		    (!first || object->id < first->id))
			first = object;
	}
	return first ? first->text : tl_bytes(NULL, 0);
}
