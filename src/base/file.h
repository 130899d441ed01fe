/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - names of timelines, whole reads and writes, files that appear
 * whole or not at all.
 */
#ifndef TL_BASE_FILE_H
#define TL_BASE_FILE_H

#include "base/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { TL_PATH_MAX = 4096 };

/*
 * The rule of names, for the library and every tool.  "name" and "/name" are
 * the timeline /dev/shm/name; what has another slash in it, "." and ".." are
 * paths themselves: "./name", "folder/name", "/folder/name".
 * -ENAMETOOLONG, -EINVAL for NULL, "" and "/".
 */
int tl_name_path(const char *name, char path[TL_PATH_MAX]);

/* The same for reading only: if /dev/shm has no "name", the file of that name
 * in the current directory. */
int tl_name_find(const char *name, char path[TL_PATH_MAX]);

/* Open what tl_name_find finds, to read; neither a FIFO without a writer nor a
 * terminal holds us up.  The descriptor or -errno. */
int tl_open_read(const char *path);

/* A file in TMPDIR or /tmp that no other process can open and that is removed
 * when it is closed.  The descriptor or -errno. */
int tl_file_unnamed(void);

/* The next up to size bytes of a file or pipe, waiting for them even where it
 * was opened not to: how many, 0 at the end, or -errno. */
int64_t tl_read_waiting(int fd, void *data, size_t size);

/* All that fd gives until its end, behind the size bytes of first, in an
 * unnamed file: its descriptor, -ENOMEM, or -errno. */
int tl_file_copy(int fd, const void *first, size_t size);

/* Read up to size bytes at offset, going on after short reads and signals:
 * how many there were (less at the end of the file), or -errno. */
int64_t tl_read_at(int fd, void *data, size_t size, uint64_t offset);

/* The same; bytes after the end of the file are read as zeros.  0, -errno. */
int tl_read_zero_filled(int fd, void *data, size_t size, uint64_t offset);

/* Append all of an ordinary file of at most size_max bytes to text: 0, -EISDIR,
 * -EINVAL not an ordinary file, -EFBIG, -ENOMEM, or -errno of opening or
 * reading. */
int tl_read_file(const char *path, size_t size_max, struct tl_text *text);

/* The first size - 1 bytes of a small file, mostly of the kernel, as a string:
 * how many.  0 and "" if it is empty or cannot be read. */
size_t tl_read_start(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Whatever makes a file longer.  Where it would be longer than the process may
 * make a file (ulimit -f), the kernel sends the thread SIGXFSZ as well, which
 * ends a program by default; hold and release leave the error alone, -EFBIG.
 * A signal that waited before waits on.  release returns rc.
 */
struct tl_file_limit {
	sigset_t before;
	bool waited;
};

void tl_file_limit_hold(struct tl_file_limit *limit);
int tl_file_limit_release(const struct tl_file_limit *limit, int rc);

/* Write all of it: 0 or -errno. */
int tl_write_at(int fd, const void *data, size_t size, uint64_t offset);
/* Set the size of a file: 0 or -errno. */
int tl_file_resize(int fd, uint64_t size);
/* Take room on the disk for a part of a file now, where a store into a hole
 * would raise SIGBUS later: 0 or -errno. */
int tl_file_reserve(int fd, uint64_t offset, uint64_t size);
/* The bytes that a file takes on its disk or in memory: those that were written,
 * without its holes. */
static inline uint64_t
tl_file_used(const struct stat *st)
{
	enum { BLOCK = 512 }; /* in which st_blocks counts */

	return (uint64_t)st->st_blocks * BLOCK;
}
/* The text of an error of a call that makes a file longer, with the remedy
 * where the limit of the process is the reason. */
const char *tl_file_error(int rc);

/*
 * What is made of a file is not for more users than the file: the permissions
 * that a file withholds from group and others, and where it may not be read, to
 * enter a folder.  What is made has the group of the process: if the file has
 * another one, that group gets what others do.  0 if it is not a regular file:
 * a pipe withholds nothing.
 * The owner's are left out: who makes a file owns it, and has read the other.
 */
mode_t tl_file_withheld(const struct stat *st);
/* Add them to the umask.  For programs; a library must not. */
void tl_umask_add(mode_t withheld);
/* Give a file of fd what the umask leaves of 0666: 0 or -errno. */
int tl_file_give_usual(int fd);

/*
 * A file that appears under its name only when it is finished.  Begin opens
 * path.XXXXXX beside it with mode 0600; commit gives it the name path
 * (replacing the file that was there); abort removes it.  Begin gives -EISDIR
 * for a directory and -EEXIST for what is special, as below.
 */
struct tl_file_new {
	int fd;
	char path[TL_PATH_MAX];
	char temporary[TL_PATH_MAX];
};

int tl_file_new_begin(struct tl_file_new *file, const char *path);
int tl_file_new_commit(struct tl_file_new *file);
void tl_file_new_abort(struct tl_file_new *file);

/* Does a path name what no file may replace: a device, a FIFO, a socket, or an
 * open descriptor as /dev/stdout and /dev/fd/3 do? */
bool tl_file_is_special(const char *path);
/* Open it to write.  The descriptor, which the caller closes, or -errno. */
int tl_file_open_special(const char *path);

/*
 * == storage ==
 *
 * bytes at rest that can be read at any offset: a plain file, or
 * what another layer makes look like one.
 */

struct tl_storage {
	uint64_t size;
	/* As tl_read_at: how many there were, or -errno. */
	int64_t (*read_at)(struct tl_storage *storage, void *data, size_t size,
	    uint64_t offset);
	/* Read all of it, so that damage is reported: 0 or -errno.
	 * NULL where there is nothing to be found. */
	int (*check)(struct tl_storage *storage);
	void (*close)(struct tl_storage *storage);
	/*
	 * Set by the reader: called once for each part that is damaged and
	 * reads as zeros.  at is a byte of the file itself.  NULL: no report.
	 */
	void (*damaged)(void *context, uint64_t at, const char *what);
	void *context;
};

/* Storage for the file of fd, which is duplicated, with its present size: bytes
 * appended later are not read. */
int tl_storage_of_fd(struct tl_storage **storage, int fd);
/* Storage of memory, which stays where it is until the storage is closed.  0,
 * -ENOMEM. */
int tl_storage_of_memory(struct tl_storage **storage, const void *data,
    size_t size);

static inline int64_t
tl_storage_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	return storage->read_at(storage, data, size, offset);
}

/* NULL is none. */
static inline void
tl_storage_close(struct tl_storage *storage)
{
	if (storage)
		storage->close(storage);
}

#endif
