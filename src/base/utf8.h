/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - one character after the other out of bytes that may be anything.
 */
#ifndef TL_BASE_UTF8_H
#define TL_BASE_UTF8_H

#include "base/bytes.h"

/*
 * The character at byte at (which must be below bytes.size) and how many
 * bytes it takes, 1 to 4; 0 when they are not UTF-8: overlong forms,
 * surrogates, what lies beyond U+10FFFF and what is cut off are not.
 */
size_t tl_utf8_decode(struct tl_bytes bytes, size_t at, uint32_t *code);

/*
 * Could this character change how a terminal or an editor shows others?  C0
 * (newline and tab, too), DEL, C1, line and paragraph separators, the marks
 * of direction, the byte order mark.
 */
bool tl_utf8_steers(uint32_t code);

/* Columns of a terminal: 0, 1 or 2. */
unsigned tl_utf8_width(uint32_t code);

#endif
