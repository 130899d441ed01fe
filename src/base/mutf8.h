/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mutf8.h - the modified UTF-8 of Java's DataOutputStream, both ways.
 *
 * It differs from UTF-8 in two things: U+0000 is C0 80, and a character above
 * U+FFFF is two surrogates of three bytes each.  A surrogate that is alone,
 * which Java allows, keeps its three bytes on our side, too: it is no UTF-8,
 * sinks escape it, and it comes back as it was.
 */
#ifndef TL_BASE_MUTF8_H
#define TL_BASE_MUTF8_H

#include "base/text.h"

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
