/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - the sources that the inputs define, even if no event of a source
 * was kept.
 *
 * A timeline logs the making of a source, and a ring overwrites that entry.
 * The definition of the source's spans stays, with the number of the source,
 * but without the process that made the source.  A known source is therefore
 * taken by the first process that uses a source of its number and name.
 */
#ifndef TL_FORMAT_TIMELOGGER_KNOWN_H
#define TL_FORMAT_TIMELOGGER_KNOWN_H

#include "format/timelogger/form.h"

#include <stddef.h>

struct tl_known {
	const struct tl_message *message;
	size_t order; /* order of definition */
	uint32_t input;
	int32_t number; /* number of the source */
	int32_t id;     /* id in the output, if given */
	bool has_name;  /* the first line of the message is the name */
	bool given;     /* has an id, and a definition if has_name */
	bool taken;     /* a process has taken it */
};

/* Starts from all zeros. */
struct tl_known_list {
	struct tl_known *items; /* by input and number, once sorted */
	size_t count;
	size_t capacity;
	bool sorted;
};

/*
 * Add the message of an input if the message is the plain span of a source.  0,
 * -ENOMEM.
 */
int tl_known_add(struct tl_known_list *list, uint32_t input,
    const struct tl_message *message);
/* Take the source of a number and name; NULL: no such source. */
struct tl_known *tl_known_take(struct tl_known_list *list, uint32_t input,
    int32_t number, struct tl_bytes name);
/*
 * The index of the first item of an input with this number or a higher one.
 * list->count: neither this input nor a later one has such an item.
 */
size_t
tl_known_from(struct tl_known_list *list, uint32_t input, int32_t number);
void tl_known_free(struct tl_known_list *list);

#endif
