/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_file.h - a text file that lines are appended to, each by one write(2):
 * a process that is killed leaves every line that was complete, and lines of
 * several threads and processes do not mix.
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
 * Open the file at a path and empty it.  What lies there is replaced if it is
 * empty or of the caller's own earlier runs: is_ours is given how it begins,
 * as a string.  0; -EPERM a file of another user, -EEXIST another file,
 * -EBUSY a file that another process writes just now, -EINVAL neither a
 * regular file nor a character device, or what open(2) returned.
 */
int tl_log_file_open(struct tl_log_file *file, const char *path,
    bool (*is_ours)(const char *start));
/* Is it written whole?  A piece that was written before the file system was
 * full is ended by "..." and a newline.  Any thread; errno stays as it is. */
bool tl_log_file_write(struct tl_log_file *file, const char *line, size_t size);
/* Lines that other threads write from here on are discarded. */
void tl_log_file_close(struct tl_log_file *file);

static inline bool
tl_log_file_is_open(const struct tl_log_file *file)
{
	return tl_load_int(&file->fd) >= 0;
}

#endif
