/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_file.h - a text file that lines are appended to, each by one write(2): a
 * process that is killed leaves every complete line, and lines of several
 * threads and processes do not mix.
 */
#ifndef TL_FRONT_LOG_FILE_H
#define TL_FRONT_LOG_FILE_H

#include "base/word.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tl_log_file {
	int fd; /* -1: closed */
	uint32_t is_broken;
	uint64_t lost; /* lines that could not be written */
};

/*
 * Open the file at a path and empty the file.  An existing file is replaced if
 * the file is empty or was written by an earlier run of the caller: is_ours
 * gets the first bytes as a string.  Returns 0; -EPERM: the file belongs to
 * another user; -EEXIST: is_ours refuses the file; -EBUSY: another process
 * writes the file; -EINVAL: the path is neither a regular file nor a character
 * device; or the error of open(2).
 */
int tl_log_file_open(struct tl_log_file *file, const char *path,
    bool (*is_ours)(const char *start));
/* Write a line; false: the line is not written whole.  After a piece of a line
 * (the file system was full) the next write first ends the piece by "..." and
 * a newline.  Any thread may call; errno keeps its value. */
bool tl_log_file_write(struct tl_log_file *file, const char *line, size_t size);
/* Close the file.  Lines that other threads write later are discarded. */
void tl_log_file_close(struct tl_log_file *file);

static inline bool
tl_log_file_is_open(const struct tl_log_file *file)
{
	return tl_load_int(&file->fd) >= 0;
}

#endif
