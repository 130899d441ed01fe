/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_scan.h - go through a line by what must stand in it.
 */
#ifndef TL_BASE_LINE_SCAN_H
#define TL_BASE_LINE_SCAN_H

#include "base/bytes.h"

/* Where reading of a line stands. */
struct tl_scan {
	const char *at;
	const char *end;
};

/* Go on behind text if it is what stands here. */
static inline bool
tl_scan_skip(struct tl_scan *s, struct tl_bytes text)
{
	if ((size_t)(s->end - s->at) < text.size ||
	    memcmp(s->at, text.data, text.size) != 0)
		return false;
	s->at += text.size;
	return true;
}

/* The same for a literal, whose size the compiler knows. */
#define TL_SCAN_SKIP(s, literal) \
	tl_scan_skip((s), tl_bytes((literal), sizeof(literal) - 1))

#endif
