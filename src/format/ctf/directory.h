/* SPDX-License-Identifier: Apache-2.0 */
/* directory.h - the directory for a writer of several files. */
#ifndef TL_FORMAT_CTF_DIRECTORY_H
#define TL_FORMAT_CTF_DIRECTORY_H

#include "format/ctf/write.h"

/*
 * Create the directory path, which must not exist yet, for the files of a
 * writer.  close() keeps the directory.  0, -EEXIST, -ENOMEM, or -errno.
 */
int tl_directory_new(struct tl_files **files, const char *path);
/*
 * Make a writer of a trace in the directory path, which must not exist yet.
 * Errors as tl_directory_new().
 */
tl_writer_at tl_ctf_write_at;

#endif
