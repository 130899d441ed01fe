/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - what the events of a message are in a Lincheck trace.
 *
 * A message that a Lincheck trace was read into says so itself, see
 * format/lincheck_word.h.  Of any other a span or an instant is a call of a
 * method "message" of class "category", a counter a write to a static field.
 */
#ifndef TL_FORMAT_LINCHECK_FORM_H
#define TL_FORMAT_LINCHECK_FORM_H

#include "event/event.h"
#include "format/lincheck/known.h"

struct tl_lincheck_form {
	uint8_t class;
	bool native;   /* was it read from such a trace? */
	bool is_block; /* ... by a version that told the ends of blocks */
	bool throws;   /* of a footer */
	uint8_t shown; /* values among the arguments, TL_ARGS_MAX + 1: more */
	int32_t location;
	int32_t target;
	uint32_t count; /* of values */
	uint32_t definition_count;
	int32_t *tags;         /* of them; behind it the numbers of */
	uint32_t *definitions; /* ... what it refers to, in order */
};

/* The form of an event's message: 0, -ENOSPC, -ENOMEM.  *changed: a name does
 * not fit, and is written otherwise. */
int tl_lincheck_form_new(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const struct tl_event *event,
    bool *changed);
/* ... of a call that no message stands for, of class "timeline", with so many
 * integers. */
int tl_lincheck_form_own(struct tl_lincheck_form **form,
    struct tl_lincheck_known *known, const char *method, unsigned argc);
/* The tag of an argument's values. */
int32_t tl_lincheck_tag_of(uint8_t format);
void tl_lincheck_form_free(void *form);

#endif
