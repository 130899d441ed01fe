/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - definitions by id, the layout of the file, messages by shape. */
#include "format/lincheck/context.h"

#include "base/array.h"
#include "base/utf8.h"
#include "format/lincheck/words.h"

#include <errno.h>
#include <stdlib.h>
#include <timeline.h>

/* == definitions == */

/* Find the place of a definition's body: 0, -ENOSPC, -ENOMEM. */
static int
find(struct tl_lincheck_context *c, uint8_t kind, int32_t id, uint64_t **body)
{
	const struct tl_id_key key = { kind, (uint32_t)id };
	uint32_t number;
	int rc = TL_ID_MAP_ROOM(&c->keys, key, &number, c->bodies, c->capacity);

	if (rc < 0)
		return rc;
	*body = &c->bodies[number];
	return 0;
}

int
tl_lincheck_context_put(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object)
{
	uint64_t *body, number;
	int rc = find(c, object->kind, object->id, &body);

	if (rc == 0)
		rc = tl_interner_string(c->interner, object->body, &number);
	if (rc < 0)
		return rc;
	if (*body != 0)
		return *body == number ? 0 : -EEXIST;
	*body = number;
	return 0;
}

bool
tl_lincheck_context_get(struct tl_lincheck_context *c, uint8_t kind, int32_t id,
    struct tl_data_in *fields)
{
	struct tl_bytes bytes;
	uint64_t *body;

	*fields = tl_data_in("", 0);
	if (find(c, kind, id, &body) < 0 || *body == 0)
		return false;
	bytes = c->strings->get(c->strings, *body);
	*fields = tl_data_in(bytes.data, bytes.size);
	return true;
}

struct tl_bytes
tl_lincheck_context_name(struct tl_lincheck_context *c, uint8_t kind,
    int32_t id)
{
	struct tl_data_in fields;

	tl_lincheck_context_get(c, kind, id, &fields);
	return tl_data_utf(&fields);
}

static bool
misses(struct tl_lincheck_context *c, uint8_t kind, int32_t id,
    struct tl_lincheck_key *key, struct tl_data_in *fields)
{
	*key = (struct tl_lincheck_key){ kind, id };
	return !tl_lincheck_context_get(c, kind, id, fields);
}

bool
tl_lincheck_context_place(struct tl_lincheck_context *c, int32_t id,
    struct tl_lincheck_place *place)
{
	struct tl_data_in in;

	*place = (struct tl_lincheck_place){ .path = TL_LINCHECK_NONE };
	if (id == TL_LINCHECK_NONE ||
	    !tl_lincheck_context_get(c, TL_LINCHECK_LOCATION, id, &in))
		return false;
	for (unsigned i = 0; i < 3; i++)
		place->texts[i] = tl_data_i32(&in);
	place->line = tl_data_i32(&in);
	if (c->version >= TL_LINCHECK_SINCE_PATHS)
		place->path = tl_data_i32(&in);
	if (c->version >= TL_LINCHECK_SINCE_ARGUMENTS)
		place->argument_count = tl_data_u32(&in);
	place->arguments = in;
	return true;
}

/*
 * Does a path, or a path inside it, refer to a missing definition?  At most
 * TL_LINCHECK_STEPS_MAX steps are checked, because damaged paths may contain
 * themselves.
 */
static bool
misses_path(struct tl_lincheck_context *c, int32_t id,
    struct tl_lincheck_key *key)
{
	struct tl_data_in open[TL_LINCHECK_PATHS_MAX], other;
	unsigned depth = 0, steps = 0;

	if (id == TL_LINCHECK_NONE)
		return false;
	if (misses(c, TL_LINCHECK_ACCESS_PATH, id, key, &open[0]))
		return true;
	tl_data_i32(&open[depth++]);
	while (depth > 0) {
		struct tl_data_in *in = &open[depth - 1];
		const uint8_t step = tl_data_u8(in);

		id = tl_data_i32(in);
		if (in->bad || ++steps == TL_LINCHECK_STEPS_MAX) {
			depth = steps == TL_LINCHECK_STEPS_MAX ? 0 : depth - 1;
			continue;
		}
		if (step == TL_LINCHECK_STEP_LOCAL &&
		    misses(c, TL_LINCHECK_VARIABLE, id, key, &other))
			return true;
		if (step == TL_LINCHECK_STEP_STATIC ||
		    step == TL_LINCHECK_STEP_FIELD) {
			if (misses(c, TL_LINCHECK_FIELD, id, key, &other) ||
			    (step == TL_LINCHECK_STEP_STATIC &&
				misses(c, TL_LINCHECK_CLASS,
				    tl_data_i32(&other), key, &other)))
				return true;
		}
		if (step != TL_LINCHECK_STEP_PATH ||
		    depth == TL_LINCHECK_PATHS_MAX)
			continue;
		if (misses(c, TL_LINCHECK_ACCESS_PATH, id, key, &open[depth]))
			return true;
		tl_data_i32(&open[depth++]);
	}
	return false;
}

static bool
misses_location(struct tl_lincheck_context *c, int32_t id,
    struct tl_lincheck_key *key)
{
	struct tl_lincheck_place place;
	struct tl_data_in other;

	if (id == TL_LINCHECK_NONE)
		return false;
	if (misses(c, TL_LINCHECK_LOCATION, id, key, &other))
		return true;
	tl_lincheck_context_place(c, id, &place);
	for (unsigned i = 0; i < 3; i++) {
		if (place.texts[i] != TL_LINCHECK_NONE &&
		    misses(c, TL_LINCHECK_STRING, place.texts[i], key, &other))
			return true;
	}
	if (misses_path(c, place.path, key))
		return true;
	for (uint32_t i = 0;
	     i < place.argument_count && i < TL_LINCHECK_VALUES_MAX; i++) {
		if (misses_path(c, tl_data_i32(&place.arguments), key))
			return true;
	}
	return false;
}

/* Ask for the definitions in the order in which a message names them. */
bool
tl_lincheck_context_misses(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key)
{
	const uint8_t kind = tl_lincheck_target_kind(object->class);
	struct tl_data_in stack =
	    tl_data_in(object->stack.data, object->stack.size);
	struct tl_data_in values = object->values, fields, class;
	struct tl_lincheck_value value;

	if (misses_location(c, object->location, key))
		return true;
	if (tl_lincheck_has_target(object->class)) {
		if (misses(c, kind, object->target, key, &fields))
			return true;
		if (kind != TL_LINCHECK_VARIABLE &&
		    misses(c, TL_LINCHECK_CLASS, tl_data_i32(&fields), key,
			&class))
			return true;
	}
	for (unsigned i = 0; i < TL_LINCHECK_STACK_SHOWN; i++) {
		const int32_t id = tl_data_i32(&stack);

		if (!stack.bad && misses_location(c, id, key))
			return true;
	}
	for (uint32_t i = 0; i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		if (value.tag >= 0 &&
		    misses(c, TL_LINCHECK_CLASS, value.tag, key, &class))
			return true;
	}
	return false;
}

int32_t
tl_lincheck_context_target(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object)
{
	struct tl_data_in fields;

	if (object->class != TL_LINCHECK_CALL ||
	    !tl_lincheck_context_get(c, TL_LINCHECK_METHOD, object->target,
		&fields))
		return TL_LINCHECK_NONE;
	return tl_data_i32(&fields);
}

bool
tl_lincheck_context_is_inside(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object, int32_t outer)
{
	static const char companion[] = "$Companion";
	const int32_t class = tl_lincheck_context_target(c, object);
	struct tl_bytes name, outer_name;

	if (object->version < TL_LINCHECK_SINCE_ARGUMENTS ||
	    outer == TL_LINCHECK_NONE || class == TL_LINCHECK_NONE)
		return false;
	if (class == outer)
		return true;
	name = tl_lincheck_context_name(c, TL_LINCHECK_CLASS, class);
	outer_name = tl_lincheck_context_name(c, TL_LINCHECK_CLASS, outer);
	return name.size == outer_name.size + sizeof(companion) - 1 &&
	       tl_bytes_equal(tl_bytes(name.data, outer_name.size),
		   outer_name) &&
	       memcmp(name.data + outer_name.size, companion,
		   sizeof(companion) - 1) == 0;
}

/* == layout == */

void
tl_lincheck_layout_add(struct tl_lincheck_layout *l,
    enum tl_lincheck_layout_what what, uint8_t kind, int32_t n)
{
	struct tl_lincheck_layout_step *last =
	    l->count > 0 ? &l->steps[l->count - 1] : NULL;

	if (l->lost)
		return;
	if (what == TL_LINCHECK_LAYOUT_POINTS && last && last->what == what &&
	    last->n < INT32_MAX) {
		last->n += n;
		return;
	}
	if (l->count == TL_LINCHECK_LAYOUT_MAX ||
	    TL_ARRAY_ZEROS(l->steps, l->capacity, l->count) < 0) {
		l->lost = true;
		return;
	}
	l->steps[l->count++] =
	    (struct tl_lincheck_layout_step){ (uint8_t)what, kind, n };
}

bool
tl_lincheck_layout_is_by_memory(const struct tl_lincheck_layout *l)
{
	int32_t next = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (l->steps[i].what != TL_LINCHECK_LAYOUT_BLOCK)
			continue;
		if (l->steps[i].n != next++ || i + 1 == l->count ||
		    l->steps[i + 1].what == TL_LINCHECK_LAYOUT_END)
			return false;
	}
	return next > 0;
}

static struct tl_bytes
get_string(const struct tl_strings *strings, uint64_t n)
{
	const struct tl_lincheck_strings *s =
	    (const struct tl_lincheck_strings *)(const void *)strings;

	return s->inner->get(s->inner, n);
}

const struct tl_lincheck_layout *
tl_lincheck_layout_of(const struct tl_message *message)
{
	const struct tl_strings *strings = message->strings;

	if (!strings || strings->get != get_string)
		return NULL;
	return &((const struct tl_lincheck_strings *)(const void *)strings)
		    ->layout;
}

/* == messages == */

int
tl_lincheck_messages_init(struct tl_lincheck_messages *m)
{
	const struct tl_message *first;
	int rc = tl_interner_new(&m->interner);

	if (rc == 0) /* its message leads to the interner's strings */
		rc = tl_interner_message(m->interner, tl_bytes_of("lincheck"),
		    tl_bytes_of("lincheck"), TIMELINE_RECORD_INSTANT,
		    (uint8_t)tl_level_parse("trace"), 0, &first);
	if (rc < 0)
		return rc;
	m->context.interner = m->interner;
	m->context.strings = first->strings;
	m->strings = (struct tl_lincheck_strings){ .strings = { get_string },
		.inner = first->strings,
		.layout = { .context = &m->context } };
	return 0;
}

void
tl_lincheck_messages_free(struct tl_lincheck_messages *m)
{
	for (size_t i = 0; i < m->capacity; i++)
		free(m->messages[i]);
	free(m->messages);
	tl_id_map_free(&m->shapes);
	free(m->strings.layout.steps);
	tl_id_map_free(&m->context.keys);
	free(m->context.bodies);
	tl_interner_free(m->interner);
	tl_text_free(&m->key);
	tl_text_free(&m->text);
}

static struct tl_bytes
text_of(const struct tl_lincheck_messages *m)
{
	return tl_text_bytes(&m->text);
}

/*
 * Messages of an interner have no source location, so the reader's message is a
 * copy of the interner's, with a location.
 */
static int
set_place(struct tl_lincheck_messages *m, struct tl_message *message,
    int32_t location)
{
	struct tl_lincheck_place place;
	uint64_t number;
	int rc;

	if (!tl_lincheck_context_place(&m->context, location, &place))
		return 0;
	tl_text_clear(&m->text);
	tl_mutf8_decode(&m->text, tl_lincheck_context_name(&m->context,
				      TL_LINCHECK_STRING, place.texts[0]));
	if (m->text.rc < 0 || m->text.size == 0)
		return m->text.rc;
	rc = tl_interner_string(m->interner, text_of(m), &number);
	if (rc < 0)
		return rc;
	message->file = tl_message_string(message, number);
	message->line = place.line > 0 ? (uint32_t)place.line : 0;
	return 0;
}

static const char *
category_of(uint8_t class)
{
	switch (class) {
	case TL_LINCHECK_CALL:
		return "call";
	case TL_LINCHECK_FOOTER_CLASS:
		return "return";
	case TL_LINCHECK_LOOP:
	case TL_LINCHECK_ITERATION:
		return "loop";
	case TL_LINCHECK_BREAKPOINT:
	case TL_LINCHECK_THROW:
	case TL_LINCHECK_CATCH:
		return tl_lincheck_classes[class];
	}
	return tl_lincheck_is_write(class) ? "write" : "read";
}

/* Make the message of a point or footer: 0, -ENOSPC, -ENOMEM. */
static int
make(struct tl_lincheck_messages *m, const struct tl_lincheck_object *object,
    struct tl_message **message)
{
	const uint8_t class = object->class;
	const bool is_span = tl_lincheck_is_container(class);
	const bool is_access =
	    class > TL_LINCHECK_CALL && class < TL_LINCHECK_LOOP;
	const struct tl_message *defined;
	struct tl_message *own;
	int rc;

	tl_text_clear(&m->text);
	if (!tl_lincheck_describe(&m->text, &m->context, object))
		m->bad_name++;
	if (m->text.size > TL_INTERNER_TEXT_MAX)
		m->cut++;
	rc = m->text.rc;
	if (rc == 0)
		rc = tl_interner_message(m->interner,
		    tl_bytes_of(category_of(class)), text_of(m),
		    is_span ? TIMELINE_RECORD_SPAN : TIMELINE_RECORD_INSTANT,
		    (uint8_t)tl_level_parse(is_access ? "debug" : "info"),
		    TIMELINE_THREAD, &defined);
	if (rc < 0)
		return rc == -EINVAL ? -ENOSPC : rc;
	own = malloc(sizeof(*own));
	if (!own)
		return -ENOMEM;
	*own = *defined;
	own->strings = &m->strings.strings;
	rc = set_place(m, own, object->location);
	if (rc < 0)
		free(own);
	else
		*message = own;
	return rc;
}

int
tl_lincheck_messages_get(struct tl_lincheck_messages *m,
    const struct tl_lincheck_object *object, bool last,
    struct tl_lincheck_key *key, const struct tl_message **message)
{
	struct tl_message **kept;
	uint64_t shape;
	uint32_t number;
	int rc;

	/*
	 * Make the key of a message: every property in which two messages
	 * differ.
	 */
	const int32_t head[] = { object->class, object->location,
		object->target, object->exception.size > 0, object->diff,
		object->inside, (int32_t)object->uuid.size };
	struct tl_data_in values = object->values;
	struct tl_lincheck_value value;

	tl_text_clear(&m->key);
	tl_put_bytes(&m->key, tl_bytes(head, sizeof(head)));
	tl_put_bytes(&m->key, object->uuid);
	tl_put_bytes(&m->key, object->stack);
	for (uint32_t i = 0; i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		tl_put_bytes(&m->key, tl_bytes(&value.tag, sizeof(value.tag)));
	}
	rc = m->key.rc;
	if (rc == 0)
		rc = tl_interner_string(m->interner, tl_text_bytes(&m->key),
		    &shape);
	if (rc == 0)
		rc = TL_ID_MAP_ROOM(&m->shapes,
		    ((struct tl_id_key){ .a = shape }), &number, m->messages,
		    m->capacity);
	if (rc < 0)
		return rc;
	kept = &m->messages[number];
	if (!*kept) {
		if (tl_lincheck_context_misses(&m->context, object, key) &&
		    !last)
			return -EAGAIN;
		rc = make(m, object, kept);
	}
	*message = *kept;
	return rc;
}

/*
 * Store a text as a string.  If the interner is full, the number is 0 and the
 * loss is counted.
 */
static int
number_of(struct tl_lincheck_messages *m, uint64_t *number)
{
	int rc = m->text.rc;

	*number = 0;
	if (m->text.size > TL_INTERNER_TEXT_MAX)
		m->cut++;
	if (rc == 0)
		rc = tl_interner_value(m->interner, text_of(m), number);
	if (rc == -ENOSPC)
		m->full++;
	return rc == -ENOSPC ? 0 : rc;
}

/*
 * A number is its own argument; any other value is a string.  If there are too
 * many values, the last argument joins the remaining values, a word each.
 */
int
tl_lincheck_messages_args(struct tl_lincheck_messages *m,
    const struct tl_lincheck_object *object, uint64_t args[TL_ARGS_MAX])
{
	const bool joins = tl_lincheck_count_shown(object) > TL_ARGS_MAX;
	const bool throws = object->exception.size > 0;
	struct tl_data_in values = object->values;
	struct tl_lincheck_value value;
	struct tl_text more = { 0 };
	uint32_t slot = 0;
	int rc = 0;

	memset(args, 0, TL_ARGS_MAX * sizeof(*args));
	for (uint32_t i = 0; rc == 0 && i < object->count; i++) {
		const bool joined = joins && slot >= TL_ARGS_MAX - 1;

		tl_lincheck_next_value(object, &values, i, &value);
		if (!tl_lincheck_is_shown(object->class, i, value.tag, throws))
			continue;
		if (!joined && tl_lincheck_is_number(value.tag)) {
			args[slot++] = value.bits;
			continue;
		}
		tl_text_clear(&m->text);
		if (!tl_lincheck_put_value_text(&m->text, &m->context, &value))
			m->bad_name++;
		if (!joined) {
			rc = number_of(m, &args[slot++]);
			continue;
		}
		if (more.size > 0)
			tl_put_char(&more, ' ');
		tl_lincheck_put_word(&more, text_of(m));
		rc = m->text.rc;
		slot++;
	}
	if (rc == 0 && throws) {
		tl_text_clear(&m->text);
		if (!tl_mutf8_decode(&m->text, object->exception))
			m->bad_name++;
		rc = number_of(m, &args[slot]);
	}
	if (rc == 0 && joins) {
		tl_text_clear(&m->text);
		tl_put_bytes(&m->text, tl_text_bytes(&more));
		rc = more.rc < 0 ? more.rc
				 : number_of(m, &args[TL_ARGS_MAX - 1]);
	}
	tl_text_free(&more);
	return rc;
}
