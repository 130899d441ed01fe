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
 * Make the path of a timeline's name.  The library and every tool follow the
 * same rule: "name" and "/name" are the timeline /dev/shm/name; a name with
 * another slash, "." and ".." are paths themselves: "./name", "folder/name",
 * "/folder/name".  0; -ENAMETOOLONG; -EINVAL for NULL, "" and "/".
 */
int tl_name_path(const char *name, char path[TL_PATH_MAX]);

/* Like tl_name_path(), for reading: if /dev/shm has no "name", the path is that
 * of the file "name" in the current directory. */
int tl_name_find(const char *name, char path[TL_PATH_MAX]);

/* Open the path of tl_name_find() for reading.  Neither a FIFO without a writer
 * nor a terminal blocks the call.  The descriptor or -errno. */
int tl_open_read(const char *path);

/* Create a file in TMPDIR or /tmp that no other process can open and that is
 * removed when it is closed.  The descriptor or -errno. */
int tl_file_unnamed(void);

/* Read up to `size` bytes of a file or pipe.  Waits for bytes even if the
 * descriptor is non-blocking.  Returns the number of bytes, 0 at the end, or
 * -errno. */
int64_t tl_read_waiting(int fd, void *data, size_t size);

/* Copy the bytes of first and then all bytes of fd to an unnamed file.  Returns
 * its descriptor, -ENOMEM, or -errno. */
int tl_file_copy(int fd, const void *first, size_t size);

/* Read up to `size` bytes at an offset, continuing after short reads and
 * signals.  Returns the number of bytes, which is less than size at the end of
 * the file, or -errno. */
int64_t tl_read_at(int fd, void *data, size_t size, uint64_t offset);

/* Read `size` bytes at an offset.  Bytes after the end of the file read as
 * zeros.  0 or -errno. */
int tl_read_zero_filled(int fd, void *data, size_t size, uint64_t offset);

/* Append the content of an ordinary file of at most size_max bytes to text.  0,
 * -EISDIR, -EINVAL not an ordinary file, -EFBIG, -ENOMEM, or -errno of opening
 * or reading. */
int tl_read_file(const char *path, size_t size_max, struct tl_text *text);
/* The same of an open file. */
int tl_read_whole(int fd, size_t size_max, struct tl_text *text);

/* Append a file of unknown size, as the kernel's are, up to its end or to a part
 * beyond size_max bytes.  0, -ENOMEM or -errno. */
int tl_read_rest(int fd, size_t size_max, struct tl_text *text);

/* Read the first size - 1 bytes of a small file, usually of the kernel, as a
 * string.  Returns the number of bytes; 0 and "" if the file is empty or
 * unreadable. */
size_t tl_read_start(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Protect calls that make a file longer.  Beyond the limit of the process
 * (ulimit -f) the kernel also sends the thread SIGXFSZ, which by default ends a
 * program.  Between hold and release such a call only fails with -EFBIG.  A
 * signal that was already pending stays pending.  release returns rc.
 */
struct tl_file_limit {
	sigset_t before;
	bool waited;
};

void tl_file_limit_hold(struct tl_file_limit *limit);
int tl_file_limit_release(const struct tl_file_limit *limit, int rc);

/* Write all bytes to any kind of file.  0 or -errno. */
int tl_write_all(int fd, const void *data, size_t size);
/* Write all bytes at an offset.  0 or -errno. */
int tl_write_at(int fd, const void *data, size_t size, uint64_t offset);
/* Set the size of a file.  0 or -errno. */
int tl_file_resize(int fd, uint64_t size);
/* Reserve disk space for a part of a file now; a store into a hole would raise
 * SIGBUS later.  0 or -errno. */
int tl_file_reserve(int fd, uint64_t offset, uint64_t size);
/* The bytes that a file takes on its disk or in memory, without its holes. */
static inline uint64_t
tl_file_used(const struct stat *st)
{
	enum { BLOCK = 512 }; /* unit of st_blocks */

	return (uint64_t)st->st_blocks * BLOCK;
}
/* The text for an error of a call that makes a file longer.  If the limit of
 * the process is the reason, the text has the remedy. */
const char *tl_file_error(int rc);

/*
 * The permission bits that a file made from another file must not have.  These
 * are the bits that the other file withholds from group and others; for those
 * who may not read also the right to enter a folder.  The new file has the
 * group of the process; if the other file has another group, the new group gets
 * only the rights of others.  0 if the other file is not regular: a pipe
 * withholds nothing.  The bits of the owner are left out, because the owner of
 * the new file has read the other file.
 */
mode_t tl_file_withheld(const struct stat *st);
/* Add permission bits to the umask.  For programs; a library must not change
 * the umask. */
void tl_umask_add(mode_t withheld);
/* Give the file of fd the mode 0666 less the umask.  0 or -errno. */
int tl_file_give_usual(int fd);

/*
 * A file that gets its name only when it is finished.  Begin opens path.XXXXXX
 * with mode 0600; commit renames it to path, and replaces an existing file;
 * abort removes it.  Begin returns -EISDIR for a directory and -EEXIST for a
 * special file (below).  0 or -errno.
 */
struct tl_file_new {
	int fd;
	char path[TL_PATH_MAX];
	char temporary[TL_PATH_MAX];
};

int tl_file_new_begin(struct tl_file_new *file, const char *path);
int tl_file_new_commit(struct tl_file_new *file);
void tl_file_new_abort(struct tl_file_new *file);

/* Does the path name something that no file may replace: a device, a FIFO, a
 * socket, or an open descriptor, such as /dev/stdout or /dev/fd/3? */
bool tl_file_is_special(const char *path);
/* Open a special file for writing.  The descriptor, which the caller closes, or
 * -errno. */
int tl_file_open_special(const char *path);

/* Called for each name in a folder but "." and ".."; a result other than 0 ends
 * it. */
typedef int tl_folder_name(void *context, const char *name);
/* 0, the result of each, or -errno. */
int tl_folder_each(int folder, tl_folder_name *each, void *context);

/*
 * == storage ==
 *
 * Bytes that do not change and can be read at any offset: a plain file, or an
 * object that another layer makes look like a file.
 */

struct tl_storage {
	uint64_t size;
	/* As tl_read_at(). */
	int64_t (*read_at)(struct tl_storage *storage, void *data, size_t size,
	    uint64_t offset);
	/* Read all bytes, so that damage is reported.  0 or -errno.  NULL: the
	 * storage cannot be damaged. */
	int (*check)(struct tl_storage *storage);
	void (*close)(struct tl_storage *storage);
	/*
	 * Set by the reader.  Called once for each part that is damaged and
	 * reads as zeros; at is an offset in the file itself.  NULL: no report.
	 */
	void (*damaged)(void *context, uint64_t at, const char *what);
	void *context;
};

/* Make a storage for the file of fd, which is duplicated.  The storage has the
 * present size of the file; bytes appended later are not read.  0 or -errno. */
int tl_storage_of_fd(struct tl_storage **storage, int fd);
/* Make a storage of `size` bytes of the file of fd from a place on.  The caller
 * closes fd after the storage.  0 or -ENOMEM. */
int tl_storage_of_part(struct tl_storage **storage, int fd, uint64_t at,
    uint64_t size);
/* Make a storage of memory, which must stay in place until the storage is
 * closed.  0 or -ENOMEM. */
int tl_storage_of_memory(struct tl_storage **storage, const void *data,
    size_t size);

static inline int64_t
tl_storage_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	return storage->read_at(storage, data, size, offset);
}

/* Close a storage.  NULL does nothing. */
static inline void
tl_storage_close(struct tl_storage *storage)
{
	if (storage)
		storage->close(storage);
}

#endif
