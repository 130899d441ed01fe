/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_context.c - (kind, id) --> number --> body, as it was read. */
#include "format/lincheck/context.h"

#include <errno.h>
#include <stdlib.h>

enum {
	PATHS_MAX = 8, /* that hold each other */
	STEPS_MAX = 256
};

/* Where the body of a key is kept: 0, -ENOSPC, -ENOMEM. */
static int
find(struct tl_lincheck_context *c, uint8_t kind, int32_t id, uint64_t **body)
{
	const struct tl_number_key key = { kind, (uint32_t)id };
	void *bodies = c->bodies;
	uint32_t number;
	int rc = tl_numbers_get(&c->keys, key, &number);

	if (rc >= 0 && number >= c->capacity) {
		rc = tl_numbers_room(&bodies, &c->capacity, number,
		    sizeof(*c->bodies));
		c->bodies = bodies;
	}
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
		rc = tl_definer_string(c->definer, object->body, &number);
	if (rc < 0)
		return rc;
	if (*body != 0)
		return *body != number;
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

/* A path, and the paths that it names; in all so many steps are looked at. */
static bool
misses_path(struct tl_lincheck_context *c, int32_t id,
    struct tl_lincheck_key *key)
{
	struct tl_data_in open[PATHS_MAX], other;
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
		if (in->bad || ++steps == STEPS_MAX) {
			depth = steps == STEPS_MAX ? 0 : depth - 1;
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
		if (step != TL_LINCHECK_STEP_PATH || depth == PATHS_MAX)
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

/* The locations that the stack of a breakpoint shows. */
static bool
misses_stack(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key)
{
	struct tl_data_in stack =
	    tl_data_in(object->stack.data, object->stack.size);

	for (unsigned i = 0; i < TL_LINCHECK_STACK_SHOWN; i++) {
		const int32_t id = tl_data_i32(&stack);

		if (!stack.bad && misses_location(c, id, key))
			return true;
	}
	return false;
}

static bool
misses_target(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key)
{
	const uint8_t kind = tl_lincheck_target_kind(object->class);
	struct tl_data_in fields, class;

	if (!tl_lincheck_has_target(object->class))
		return false;
	return misses(c, kind, object->target, key, &fields) ||
	       (kind != TL_LINCHECK_VARIABLE &&
		   misses(c, TL_LINCHECK_CLASS, tl_data_i32(&fields), key,
		       &class));
}

bool
tl_lincheck_context_misses(struct tl_lincheck_context *c,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key)
{
	struct tl_data_in values = object->values, class;
	struct tl_lincheck_value value;

	if (misses_location(c, object->location, key) ||
	    misses_target(c, object, key) || misses_stack(c, object, key))
		return true;
	for (uint32_t i = 0; i < object->count; i++) {
		tl_lincheck_next_value(object, &values, i, &value);
		if (value.tag >= 0 &&
		    misses(c, TL_LINCHECK_CLASS, value.tag, key, &class))
			return true;
	}
	return false;
}

void
tl_lincheck_context_free(struct tl_lincheck_context *c)
{
	tl_numbers_free(&c->keys);
	free(c->bodies);
}
