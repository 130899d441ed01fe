/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - make a saved timeline smaller: few slots for clock knots, and no
 * free space for strings.
 */
#ifndef TESTS_LIB_PACK_H
#define TESTS_LIB_PACK_H

#include <stdlib.h>
#include <string.h>
#include <timeline_layout.h>

enum { PACK_KNOTS = 8 };

/* Returns the packed bytes, which the caller frees; NULL: no memory, or too
 * many knots. */
static inline uint8_t *
pack_snapshot(const uint8_t *from, size_t *size)
{
	const size_t knots = PACK_KNOTS * sizeof(struct timeline_knot);
	struct timeline_header old, *h;
	uint8_t *to;

	memcpy(&old, from, sizeof(old));
	*size = old.knots_offset + knots + ((old.strings_tail + 63) & ~63ULL);
	to = old.knot_count <= PACK_KNOTS ? calloc(1, *size) : NULL;
	if (!to)
		return NULL;
	memcpy(to, from, old.knots_offset + knots);
	h = (struct timeline_header *)(void *)to;
	h->knots_max = PACK_KNOTS;
	h->names_offset = 0;
	h->strings_offset = old.knots_offset + knots;
	h->strings_size = *size - h->strings_offset;
	h->total_size = *size;
	memcpy(to + h->strings_offset, from + old.strings_offset,
	    old.strings_tail);
	return to;
}

#endif
