/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - files of a folder that others may write to: names that are safe as
 * part of a path, and files that appear whole or not at all
 */
#ifndef TL_SHIP_FILES_H
#define TL_SHIP_FILES_H

#include "base/bytes.h"
#include "base/fault.h"
#include "base/text.h"

#include <sys/types.h>

enum { TL_FOLDER_FILES_MAX = 1 << 20 /* more are ignored */ };

/* Called for each name but "." and ".."; a result other than 0 ends it. */
typedef int tl_folder_name(void *context, const char *name);

/* 0, the result of each, or -errno. */
int tl_folder_each(int folder, tl_folder_name *each, void *context);
/* Write a file under a hidden name, then rename it over whatever has its name:
 * it appears whole or not at all.  0 or -errno. */
int tl_folder_write(int folder, const char *name, const char *hidden,
    mode_t mode, struct tl_bytes data);

/* == names == */

enum { TL_FILE_PART_MAX = 120 }; /* bytes of one name in that of a file */

/*
 * Append a name as part of a file name.  Letters, digits, _ - and dots but the
 * first are copied; each other byte becomes %XX.  A result longer than
 * TL_FILE_PART_MAX is cut and ends with a hash of the whole name.
 */
void tl_put_file_part(struct tl_text *text, const char *name);

/* == a password or token from a file, erased from memory after use == */

enum { TL_SECRET_MAX = 4096 };

/* Read the first line of a file.  0; -EINVAL: it is empty; -errno; the
 * fault. */
int
tl_secret_read(struct tl_text *text, const char *path, struct tl_fault *fault);
void tl_secret_forget(struct tl_text *text);

#endif
