/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.c - a file is open only while a piece is appended to it: a trace
 * may have more files than a process may have open.
 */
#include "format/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct tl_directory {
	struct tl_files files; /* first: what writers see */
	int fd;
};

static int
write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		const ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static int
append(struct tl_files *files, const char *name, const char *data, size_t size)
{
	const struct tl_directory *d = (struct tl_directory *)(void *)files;
	const int fd = openat(d->fd, name,
	    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	int rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, data, size);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

int
tl_directory_new(struct tl_directory **directory, const char *path)
{
	struct tl_directory *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return -ENOMEM;
	d->files.write = append;
	if (mkdir(path, 0777) < 0) {
		rc = -errno;
		goto free_d;
	}
	d->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (d->fd < 0) {
		rc = -errno;
		goto remove;
	}
	*directory = d;
	return 0;
remove:
	rmdir(path);
free_d:
	free(d);
	return rc;
}

struct tl_files *
tl_directory_files(struct tl_directory *directory)
{
	return &directory->files;
}

void
tl_directory_free(struct tl_directory *directory)
{
	if (!directory)
		return;
	close(directory->fd);
	free(directory);
}
