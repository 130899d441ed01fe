/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.h - a format by the name that a user typed.
 */
#ifndef TL_FORMAT_CHOOSE_H
#define TL_FORMAT_CHOOSE_H

#include "base/fault.h"
#include "base/text.h"
#include "format/registry.h"

/* The format that is read, or written, under this name; or NULL and a fault
 * that names the nearest one or lists those that are. */
const struct tl_format_row *
tl_formats_choose_read(const char *name, struct tl_fault *fault);
const struct tl_format_row *
tl_formats_choose_written(const char *name, struct tl_fault *fault);

/* Is a row one of those that are listed for what was given? */
typedef bool
tl_format_listed(const struct tl_format_row *row, const char *given);

/* Append the names of the rows that are listed; returns how many. */
size_t tl_formats_put(struct tl_text *text, tl_format_listed *listed,
    const char *given);
/* Set a fault: "GIVEN: WHAT (NAMES)". */
void tl_formats_refuse(struct tl_fault *fault, const char *given,
    const char *what, tl_format_listed *listed);

#endif
