/* SPDX-License-Identifier: Apache-2.0 */
/* directory.h - a directory that takes the files of a writer of several. */
#ifndef TL_FORMAT_CTF_DIRECTORY_H
#define TL_FORMAT_CTF_DIRECTORY_H

#include "format/ctf/write.h"

/*/* Make the directory path, which must not be there yet, for the files of a
 * writer; their close() leaves it.  0, -EEXIST, -ENOMEM, or what the system
 * says. */
int tl_directory_new(struct tl_files **files, const char *path);
/* A writer of a trace in the directory path, which must not be there yet.
 * Errors as of tl_directory_new. */
tl_writer_at tl_ctf_write_at;

#endif
