/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_string.h - where a JSON string ends and what it says.
 */
#ifndef TL_FORMAT_JSON_STRING_H
#define TL_FORMAT_JSON_STRING_H

#include "base/text.h"

/*
 * The byte at or after at that ends a string, a quote or a newline; size when
 * none does.  *is_escaped: a backslash stands before byte at; on return,
 * before byte size.  *has_escapes becomes true when there is a backslash.
 */
size_t tl_json_string_end(const char *data, size_t size, size_t at,
    bool *is_escaped, bool *has_escapes);

/*
 * The text without its escapes, in plain, which is overwritten.  Half a
 * surrogate pair becomes U+FFFD; an escape that the end cuts off is left out.
 * 0, -EBADMSG, -ENOMEM.
 */
int tl_json_unescape(struct tl_text *plain, struct tl_bytes *text);

#endif
