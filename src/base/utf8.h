/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - decode characters from bytes that may have any value.
 */
#ifndef TL_BASE_UTF8_H
#define TL_BASE_UTF8_H

#include "base/bytes.h"
#include "base/text.h"

/*
 * Decode the character at byte at, which must be below bytes.size.  Returns its
 * number of bytes, 1 to 4; 0: not UTF-8, which includes overlong forms,
 * surrogates, codes above U+10FFFF and truncated characters.
 */
size_t tl_utf8_decode(struct tl_bytes bytes, size_t at, uint32_t *code);
/* The number of leading bytes that are UTF-8. */
size_t tl_utf8_valid(struct tl_bytes text);
/* Append the character of a code up to U+10FFFF; a surrogate is encoded like
 * any other. */
void tl_put_utf8(struct tl_text *text, uint32_t code);

/*
 * Can the character change how a terminal or an editor shows other characters?
 * C0 (with newline and tab), DEL, C1, line and paragraph separators, direction
 * marks, the byte order mark.
 */
bool tl_utf8_steers(uint32_t code);

/* The columns of a terminal that a character takes: 0, 1 or 2. */
unsigned tl_utf8_width(uint32_t code);
/* The number of bytes that fit into a number of columns, of text that is shown
 * without escapes.  *used is the columns that these bytes take.  At least the
 * first character fits, unless columns is 0. */
size_t tl_utf8_fit(struct tl_bytes text, unsigned columns, unsigned *used);

/*
 * == mutf8 ==
 *
 * The modified UTF-8 of Java's DataOutputStream, both ways.
 *
 * Modified UTF-8 differs from UTF-8 in two ways: U+0000 is C0 80, and a
 * character above U+FFFF is two surrogates of three bytes each.  A lone
 * surrogate, which Java allows, keeps its three bytes when decoded: the bytes
 * are not UTF-8, sinks escape them, and encoding restores the surrogate.
 */

/* The largest size of a text, because sizes have 16 bits. */
enum { TL_MUTF8_SIZE_MAX = 65535 };

/* Append decoded text as UTF-8.  Each byte that Java would not have read
 * becomes U+FFFD.  false: there were such bytes. */
bool tl_mutf8_decode(struct tl_text *text, struct tl_bytes bytes);

/* Append text as modified UTF-8, whole characters of up to size_max bytes.
 * Each byte that is neither UTF-8 nor part of a surrogate becomes U+FFFD.
 * false: there were such bytes, or the text was cut. */
bool
tl_mutf8_encode(struct tl_text *text, struct tl_bytes bytes, size_t size_max);

#endif
