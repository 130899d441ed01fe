/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - one character after the other out of bytes that may be anything.
 */
#ifndef TL_BASE_UTF8_H
#define TL_BASE_UTF8_H

#include "base/bytes.h"
#include "base/text.h"

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
/* How many bytes of text that is shown as it is fit into this many columns, and
 * the columns that these take: the first character in any case, unless there is
 * no column. */
size_t tl_utf8_fit(struct tl_bytes text, unsigned columns, unsigned *used);

/*
 * == mutf8 ==
 *
 * the modified UTF-8 of Java's DataOutputStream, both ways.
 *
 * It differs from UTF-8 in two things: U+0000 is C0 80, and a character above
 * U+FFFF is two surrogates of three bytes each.  A surrogate that is alone,
 * which Java allows, keeps its three bytes on our side, too: it is no UTF-8,
 * sinks escape it, and it comes back as it was.
 */

/* No text is longer: its size stands in 16 bits. */
enum { TL_MUTF8_SIZE_MAX = 65535 };

/* Append as UTF-8.  Would Java have read it?  What it would not is U+FFFD,
 * one for each byte. */
bool tl_mutf8_decode(struct tl_text *text, struct tl_bytes bytes);

/* Append as modified UTF-8, whole characters up to size_max bytes of it.  Was
 * it all there, and all UTF-8?  What was not is U+FFFD, one for each byte. */
bool
tl_mutf8_encode(struct tl_text *text, struct tl_bytes bytes, size_t size_max);

#endif
