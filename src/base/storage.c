/* SPDX-License-Identifier: Apache-2.0 */
/* storage.c - a plain file as storage. */
#include "base/storage.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct plain {
	struct tl_storage storage; /* first: what callers hold */
	int fd;
};

static int64_t
plain_read_at(struct tl_storage *storage, void *data, size_t size,
    uint64_t offset)
{
	const struct plain *p = (struct plain *)storage;

	/* what it has grown by since is not there */
	if (offset >= storage->size)
		return 0;
	if (size > storage->size - offset)
		size = (size_t)(storage->size - offset);
	return tl_read_at(p->fd, data, size, offset);
}

static void
plain_close(struct tl_storage *storage)
{
	struct plain *p = (struct plain *)storage;

	close(p->fd);
	free(p);
}

int
tl_storage_of_fd(struct tl_storage **storage, int fd)
{
	struct plain *p = calloc(1, sizeof(*p));
	struct stat st;
	int rc;

	if (!p)
		return -ENOMEM;
	p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (p->fd < 0 || fstat(p->fd, &st) != 0) {
		rc = -errno;
		if (p->fd >= 0)
			close(p->fd);
		free(p);
		return rc;
	}
	p->storage.size = (uint64_t)st.st_size;
	p->storage.read_at = plain_read_at;
	p->storage.close = plain_close;
	*storage = &p->storage;
	return 0;
}
