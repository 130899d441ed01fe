/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.h - names of hosts and timelines, which may be anything, as parts of a
 * path.
 */
#ifndef TL_SHIP_NAME_H
#define TL_SHIP_NAME_H

#include "base/text.h"

enum { TL_FILE_PART_MAX = 120 }; /* bytes of one name in that of a file */

/*
 * Append a name as part of a file's: letters, digits, _ - and dots but the
 * first stay, of all else each byte becomes %XX.  What would be longer than
 * TL_FILE_PART_MAX is cut and ends with a hash of all of it.
 */
void tl_put_file_part(struct tl_text *text, const char *name);

#endif
