/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.h - a point of a Lincheck trace in words: for a person in
 * the first line, for who writes it again in those behind.
 */
#ifndef TL_FORMAT_LINCHECK_DESCRIBE_H
#define TL_FORMAT_LINCHECK_DESCRIBE_H

#include "format/lincheck/context.h"

/* Append the text of the message of a point or footer.  false: a name is not
 * modified UTF-8. */
bool
tl_lincheck_describe(struct tl_text *text, struct tl_lincheck_context *context,
    const struct tl_lincheck_object *object);

/* Append a value as the text forms of the original have it, but without
 * quotes.  false as above. */
bool tl_lincheck_put_value_text(struct tl_text *text,
    struct tl_lincheck_context *context, const struct tl_lincheck_value *value);

/* How many of its values have a place among the arguments. */
uint32_t tl_lincheck_count_shown(const struct tl_lincheck_object *object);

#endif
