/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h - the files of an open folder.
 */
#ifndef TL_SHIP_FOLDER_H
#define TL_SHIP_FOLDER_H

#include "base/bytes.h"

#include <sys/types.h>

enum { TL_FOLDER_FILES_MAX = 1 << 20 /* more are not seen */ };

/* Told of each name but "." and ".."; what is not 0 ends it. */
typedef int tl_folder_name(void *context, const char *name);

/* 0, what each said, or -errno. */
int tl_folder_each(int folder, tl_folder_name *each, void *context);
/* Write a file under another name, then give it its own, whatever had that:
 * it is there whole or not at all.  0 or -errno. */
int tl_folder_write(int folder, const char *name, const char *hidden,
    mode_t mode, struct tl_bytes data);

#endif
