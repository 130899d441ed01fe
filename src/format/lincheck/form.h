/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - the point that the events of a message become, and the definitions
 * that the point refers to.
 *
 * A message that was read from a Lincheck trace describes its point in its text
 * (words.h).  For any other message, a span or an instant becomes a call of a
 * method "message" of class "category", and a counter becomes a write to a
 * static field.  Each definition is kept once, under the id that it had or
 * under a free id.
 */
#ifndef TL_FORMAT_LINCHECK_FORM_H
#define TL_FORMAT_LINCHECK_FORM_H

#include "base/table.h"
#include "event/event.h"
#include "event/intern.h"
#include "format/lincheck/object.h"

struct tl_lincheck_definition {
	char *body; /* fields behind the id */
	uint32_t size;
	int32_t id;
	uint8_t kind;
};

/* Starts from all zeros except for bodies. */
struct tl_lincheck_known {
	struct tl_interner *bodies; /* numbers (kind, wanted id, body) */
	struct tl_id_map used;      /* taken (kind, id) */
	struct tl_lincheck_definition *definitions;
	size_t capacity;
	int32_t next[TL_LINCHECK_POINT]; /* next id to try */
	bool moved;                      /* a wanted id was not free */
};

/*
 * Add a definition and return its number.  The id of the definition is the
 * wanted id if that id is free; wanted NONE: any id.  0, -ENOSPC, -ENOMEM.
 */
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
	bool native;   /* message of a Lincheck trace */
	bool is_block; /* block end, as older releases read it */
	bool throws;   /* footer with an exception */
	uint8_t shown; /* values with an argument; TL_ARGS_MAX + 1: more */
	int32_t location;
	int32_t target;
	int32_t paths; /* access paths of the location, which are left out */
	int32_t arguments; /* named arguments, left out too */
	uint32_t count;    /* number of values */
	uint32_t definition_count;
	int32_t *tags; /* type of each value; class id of an object */
	/* Indexes of tl_lincheck_known: definitions that precede the point. */
	uint32_t *definitions;
};

/*
 * Make the form of an event's message: 0, -ENOSPC, -ENOMEM.  *changed: a name
 * did not fit into the format and is written changed.
 */
int tl_lincheck_form_new(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const struct tl_event *event,
    bool *changed);
/*
 * Make the form of a call that has no message: a method of class "timeline"
 * with argc integers.  0, -ENOSPC, -ENOMEM.
 */
int tl_lincheck_form_own(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const char *method, unsigned argc);
/* The tag that values of a TIMELINE_ARG format get. */
int32_t tl_lincheck_tag_of(uint8_t format);
void tl_lincheck_form_free(void *form);

#endif
