/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.c - a directory of files.  A file is open only while a piece is
 * appended, because a trace may have more files than a process may have open.
 */
#include "format/ctf/directory.h"

#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct tl_directory {
	struct tl_files files; /* first: writers see the files */
	int fd;
};

static int
append(struct tl_files *files, const char *name, const char *data, size_t size)
{
	const struct tl_directory *d = (struct tl_directory *)(void *)files;
	const int fd = openat(d->fd, name,
	    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return -errno;
	rc = tl_write_all(fd, data, size);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

static void
close_files(struct tl_files *files)
{
	struct tl_directory *d = (struct tl_directory *)(void *)files;

	close(d->fd);
	free(d);
}

int
tl_directory_new(struct tl_files **files, const char *path)
{
	struct tl_directory *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return -ENOMEM;
	d->files = (struct tl_files){ .write = append, .close = close_files };
	if (mkdir(path, 0777) < 0) {
		rc = -errno;
		goto free_d;
	}
	d->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0) {
		rc = -errno;
		goto remove;
	}
	*files = &d->files;
	return 0;
remove:
	rmdir(path);
free_d:
	free(d);
	return rc;
}

int
tl_ctf_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct tl_files *files;
	int rc = tl_directory_new(&files, path);

	if (rc == 0 && (rc = tl_ctf_write_new(writer, files, report)) < 0)
		files->close(files);
	return rc;
}
