/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the table of formats: find one by the name of a file, or list all.
 */
#ifndef TL_CONVERT_TABLE_H
#define TL_CONVERT_TABLE_H

#include "base/fault.h"
#include "base/text.h"
#include "format/registry.h"

/*
 * The format that is written to files with the suffix of path: the longest
 * suffix; among equal ones the format that is called like its suffix.  NULL:
 * none, or several.
 */
const struct tl_format_row *tl_table_of_suffix(const char *path);
/* The same; NULL and a fault that lists the formats to choose from. */
const struct tl_format_row *
tl_table_of_file(const char *path, struct tl_fault *fault);

/* All of it: lines for a person, or an object a line. */
void tl_table_show(struct tl_text *text, bool json);

#endif
