/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known.h - what a Lincheck trace that is written defines: each once,
 * under the id that it had, or one that is free.
 */
#ifndef TL_FORMAT_LINCHECK_KNOWN_H
#define TL_FORMAT_LINCHECK_KNOWN_H

#include "base/id_map.h"
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
	struct tl_definer *bodies; /* numbers of (kind, wanted id, body) */
	struct tl_numbers used;    /* (kind, id) */
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

#endif
