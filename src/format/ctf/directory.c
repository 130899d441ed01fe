/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory.c - a file is open only while a piece is appended to it: a trace
 * may have more files than a process may have open.
 */
#include "format/ctf/directory.h"

#include "base/process.h"

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

static void
close_files(struct tl_files *files)
{
	tl_directory_free((struct tl_directory *)(void *)files);
}

int
tl_ctf_write_at(struct tl_writer **writer, const char *path,
    const struct tl_report *report)
{
	struct tl_directory *directory;
	int rc = tl_directory_new(&directory, path);

	if (rc < 0)
		return rc;
	rc = tl_ctf_write_new(writer, &directory->files, report);
	if (rc < 0)
		tl_directory_free(directory);
	else
		directory->files.close = close_files;
	return rc;
}
