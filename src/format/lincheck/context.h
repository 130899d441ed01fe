/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.h - what the points of a Lincheck trace refer to: classes,
 * methods, fields, variables, strings, access paths and locations, by kind and
 * id.  Bodies stay as the file's version has them.
 */
#ifndef TL_FORMAT_LINCHECK_CONTEXT_H
#define TL_FORMAT_LINCHECK_CONTEXT_H

#include "base/id_map.h"
#include "event/intern.h"
#include "format/lincheck/object.h"

/* Starts from all zeros but for definer and strings. */
struct tl_lincheck_context {
	struct tl_definer *definer; /* whose strings bodies are */
	const struct tl_strings *strings;
	uint32_t version;
	struct tl_numbers keys;
	uint64_t *bodies; /* numbers of strings; 0: not met */
	size_t capacity;
};

struct tl_lincheck_key {
	uint8_t kind;
	int32_t id;
};

/* Keep a definition: 0; 1: there is another one of its id, which stays;
 * -ENOSPC, -ENOMEM. */
int tl_lincheck_context_put(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/* The fields of a definition behind its id; false: it has not come. */
bool tl_lincheck_context_get(struct tl_lincheck_context *context, uint8_t kind,
    int32_t id, struct tl_data_in *fields);
/* The name in them: of a class, variable or string. */
struct tl_bytes tl_lincheck_context_name(struct tl_lincheck_context *context,
    uint8_t kind, int32_t id);

/* What a location holds, behind its id. */
struct tl_lincheck_place {
	int32_t texts[3]; /* STRING of file, class, method; NONE */
	int32_t line;
	int32_t path;                /* ACCESS_PATH of the owner, or NONE */
	struct tl_data_in arguments; /* ... of the arguments */
	uint32_t argument_count;
};
bool tl_lincheck_context_place(struct tl_lincheck_context *context, int32_t id,
    struct tl_lincheck_place *place);

/* Has something not come that a point or footer refers to?  Which. */
bool tl_lincheck_context_misses(struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object, struct tl_lincheck_key *key);

void tl_lincheck_context_free(struct tl_lincheck_context *context);

#endif
