/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storage.h - bytes at rest that can be read at any offset: a plain file, or
 * what another layer makes look like one.
 */
#ifndef TL_BASE_STORAGE_H
#define TL_BASE_STORAGE_H

#include <stddef.h>
#include <stdint.h>

struct tl_storage {
	uint64_t size;
	/* As tl_read_at: how many there were, or -errno. */
	int64_t (*read_at)(struct tl_storage *storage, void *data, size_t size,
	    uint64_t offset);
	/* Look at all of it, so that what is damaged is told of: 0 or -errno.
	 * NULL where there is nothing to be found. */
	int (*check)(struct tl_storage *storage);
	void (*close)(struct tl_storage *storage);
	/*
	 * Set by who reads: told once of each part that is damaged and reads
	 * as zeros.  at is a byte of the file itself.  NULL: nobody asks.
	 */
	void (*damaged)(void *context, uint64_t at, const char *what);
	void *context;
};

/* The file of fd, which is duplicated, as large as it is now: what it grows by
 * is not read. */
int tl_storage_of_fd(struct tl_storage **storage, int fd);

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
