/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - a format by the name that a user typed.
 */
#ifndef TL_FORMAT_CHOOSE_H
#define TL_FORMAT_CHOOSE_H

#include "base/fault.h"
#include "base/text.h"
#include "format/registry.h"

/*
 * Return the format of a name for reading or writing.  NULL: the fault names
 * the nearest format, or lists the possible formats.
 */
const struct tl_format_row *
tl_formats_choose_read(const char *name, struct tl_fault *fault);
const struct tl_format_row *
tl_formats_choose_written(const char *name, struct tl_fault *fault);

/* Is a row listed for the given name? */
typedef bool
tl_format_listed(const struct tl_format_row *row, const char *given);

/* Append the names of the listed rows; return the number of names. */
size_t tl_formats_put(struct tl_text *text, tl_format_listed *listed,
    const char *given);
/* Set a fault: "GIVEN: WHAT (NAMES)". */
void tl_formats_refuse(struct tl_fault *fault, const char *given,
    const char *what, tl_format_listed *listed);

#endif
