/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.h - rename a finished file or folder to its final name, if nothing is
 * there or only something that may be replaced.
 */
#ifndef TL_CONVERT_REPLACE_H
#define TL_CONVERT_REPLACE_H

#include <stdbool.h>

/* May what is at path be replaced by a file, or by the folder of a trace?
 * 0 it may, or there is nothing; -EEXIST without force; -EISDIR; -ENOTDIR;
 * -ENOTEMPTY a folder that holds anything else than a trace. */
int tl_replace_check(const char *path, bool force, bool folder);

/* Rename a file or folder; nothing may stand at to: -EEXIST. */
int tl_rename_new(const char *from, const char *to);
/* Rename a file over whatever file is there. */
int tl_rename_over(const char *from, const char *to);
/* Rename the folder of a trace.  A trace that is at to is then at from; what
 * is no trace stays: -ENOTEMPTY, -ENOTDIR; -ESTALE: it is at from, and could
 * not be given its name again. */
int tl_rename_trace(const char *from, const char *to);

/* Remove a folder and the files in it, or a file.  By system calls only: a
 * signal handler may call it. */
void tl_remove_flat(const char *path);

#endif
