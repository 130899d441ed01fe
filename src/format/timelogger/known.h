/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - the sources that the inputs define, whether or not an event of
 * them was kept.
 *
 * A timeline logs when a source was made, and a ring overwrites that.  The
 * definition of its spans stays, with the number of the source in it, but not
 * the process that made it.  So a known source is taken by the first process
 * that uses one of this number and name.
 */
#ifndef TL_FORMAT_TIMELOGGER_KNOWN_H
#define TL_FORMAT_TIMELOGGER_KNOWN_H

#include "format/timelogger/form.h"

#include <stddef.h>

struct tl_known {
	const struct tl_message *message;
	size_t order; /* of its definition */
	uint32_t input;
	int32_t number; /* of the source */
	int32_t id;     /* in the output, once it is given */
	bool has_name;  /* the first line of the message is the name */
	bool given;     /* it has an id, and a definition if it has a name */
	bool taken;     /* by a process */
};

/* Starts from all zeros. */
struct tl_known_list {
	struct tl_known *items; /* by input and number, once it is sorted */
	size_t count;
	size_t capacity;
	bool sorted;
};

/* Add the message of an input, if it is the plain span of a source.  0,
 * -ENOMEM. */
int tl_known_add(struct tl_known_list *list, uint32_t input,
    const struct tl_message *message);
/* Take the source of this number and name; NULL: there is none. */
struct tl_known *tl_known_take(struct tl_known_list *list, uint32_t input,
    int32_t number, struct tl_bytes name);
/* The first item of an input with this number or a higher one; list->count:
 * there is none in any input from this one on. */
size_t
tl_known_from(struct tl_known_list *list, uint32_t input, int32_t number);
void tl_known_free(struct tl_known_list *list);

#endif
