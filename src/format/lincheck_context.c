/* SPDX-License-Identifier: Apache-2.0 */
/* lincheck_context.c - (kind, id) --> number --> body, as it was read. */
#include "format/lincheck_context.h"

#include <errno.h>
#include <stdlib.h>

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

static bool
misses_location(struct tl_lincheck_context *c, int32_t id,
    struct tl_lincheck_key *key)
{
	struct tl_data_in fields, string;

	if (id == TL_LINCHECK_NONE)
		return false;
	if (misses(c, TL_LINCHECK_LOCATION, id, key, &fields))
		return true;
	for (unsigned i = 0; i < 3; i++) {
		const int32_t text = tl_data_i32(&fields);

		if (text != TL_LINCHECK_NONE &&
		    misses(c, TL_LINCHECK_STRING, text, key, &string))
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
	    misses_target(c, object, key))
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
