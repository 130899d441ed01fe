/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - the point that the events of a message become, and the definitions
 * that it refers to.
 *
 * A message that was read from a Lincheck trace describes its point itself
 * (words.h).  Of any other message a span or an instant is a call of a method
 * "message" of class "category", a counter a write to a static field.  Each
 * definition is kept once, under the id that it had or a free one.
 */
#ifndef TL_FORMAT_LINCHECK_FORM_H
#define TL_FORMAT_LINCHECK_FORM_H

#include "base/table.h"
#include "event/event.h"
#include "event/intern.h"
#include "format/lincheck/object.h"

struct tl_lincheck_definition {
	char *body; /* behind its id */
	uint32_t size;
	int32_t id;
	uint8_t kind;
};

/* Starts from all zeros but for bodies. */
struct tl_lincheck_known {
	struct tl_interner *bodies; /* numbers of (kind, wanted id, body) */
	struct tl_id_map used;      /* (kind, id) */
	struct tl_lincheck_definition *definitions;
	size_t capacity;
	int32_t next[TL_LINCHECK_POINT]; /* id to be tried */
	bool moved;                      /* a wanted id was not free */
};

/* The number of a definition.  Its id is the wanted one where that is free;
 * NONE: any.  0, -ENOSPC, -ENOMEM. */
int tl_lincheck_known_add(struct tl_lincheck_known *known, uint8_t kind,
    int32_t wanted, struct tl_bytes body, uint32_t *number);
static inline struct tl_lincheck_definition *
tl_lincheck_known_at(const struct tl_lincheck_known *known, uint32_t number)
{
	return &known->definitions[number];
}

void tl_lincheck_known_free(struct tl_lincheck_known *known);

struct tl_lincheck_form {
	uint8_t class;
	bool native;   /* was it read from such a trace? */
	bool is_block; /* by a version that wrote the ends of blocks */
	bool throws;   /* of a footer */
	uint8_t shown; /* values among the arguments, TL_ARGS_MAX + 1: more */
	int32_t location;
	int32_t target;
	int32_t paths;     /* of the place, which are not written, ... */
	int32_t arguments; /* and names of arguments */
	uint32_t count;    /* of values */
	uint32_t definition_count;
	int32_t *tags; /* the type of each value; a class's id for an object */
	/* Indexes of tl_lincheck_known, to be defined before the point. */
	uint32_t *definitions;
};

/* The form of an event's message: 0, -ENOSPC, -ENOMEM.  *changed: a name does
 * not fit, and is written otherwise. */
int tl_lincheck_form_new(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const struct tl_event *event,
    bool *changed);
/* ... of a call that no message stands for, of class "timeline", with this many
 * integers. */
int tl_lincheck_form_own(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const char *method, unsigned argc);
/* The tag of an argument's values. */
int32_t tl_lincheck_tag_of(uint8_t format);
void tl_lincheck_form_free(void *form);

#endif
