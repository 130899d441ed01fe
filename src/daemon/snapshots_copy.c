/* SPDX-License-Identifier: Apache-2.0 */
/* snapshots_copy.c - the way from a live file to one that stays. */
#include "daemon/snapshots_copy.h"
#include "base/file.h"
#include "ring/ring.h"
#include "snap/take.h"
#include "snap/zst_write.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_SIZE = 256 << 10 };

int
tl_snapshot_copy_check(struct tl_snapshot_copy *copy)
{
	struct timeline_header *h = &copy->geometry;
	struct stat st;
	int64_t n;
	int rc;

	if (fstat(copy->live, &st) != 0)
		return -errno;
	n = tl_read_at(copy->live, h, sizeof(*h), 0);
	if (n < 0)
		return (int)n;
	if (n < (int64_t)sizeof(*h))
		return -ENODATA;
	if ((rc = tl_layout_check(h, NULL)) != 0)
		return rc;
	if (h->state != TIMELINE_LIVE)
		return -EROFS;
	if (h->total_size > (uint64_t)st.st_size)
		return -ENODATA;
	/* who may read the one may read the other */
	copy->mode = S_IRUSR | S_IWUSR;
	if (st.st_gid == getegid())
		copy->mode |= st.st_mode & S_IRGRP;
	return 0;
}

int
tl_snapshot_copy_prepare(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, bool in_memory)
{
	copy->in_memory = in_memory;
	if (!in_memory)
		return tl_snapshot_file_open(&copy->file, folder, copy->mode);
	copy->file.temporary[0] = '\0';
	copy->file.fd = memfd_create("timeline", MFD_CLOEXEC);
	return copy->file.fd < 0 ? -errno : 0;
}

int
tl_snapshot_copy_freeze(struct tl_snapshot_copy *copy)
{
	struct tl_take take = { .close_clock = true };
	struct tl_faults *faults = calloc(1, sizeof(*faults));
	int rc = -ENOMEM;

	if (faults)
		rc = tl_take(&take, copy->live, &copy->geometry, copy->file.fd,
		    faults);
	free(take.heads);
	free(faults);
	close(copy->live);
	copy->live = -1;
	return rc;
}

/* One stretch of bytes, from and to the same place. */
static int
copy_stretch(int from, int to, off_t at, off_t end, void *chunk)
{
	int rc = 0;

	while (rc == 0 && at < end) {
		const size_t size =
		    end - at < CHUNK_SIZE ? (size_t)(end - at) : CHUNK_SIZE;
		const int64_t n = tl_read_at(from, chunk, size, (uint64_t)at);

		if (n <= 0)
			return n < 0 ? (int)n : -ENODATA;
		rc = tl_write_at(to, chunk, (size_t)n, (uint64_t)at);
		at += n;
	}
	return rc;
}

/* Holes stay holes. */
static int
copy_plain(int from, int to, uint64_t size)
{
	void *chunk = malloc(CHUNK_SIZE);
	off_t at = 0;
	int rc = chunk ? 0 : -ENOMEM;

	if (rc == 0 && ftruncate(to, (off_t)size) != 0)
		rc = -errno;
	while (rc == 0 && (at = lseek(from, at, SEEK_DATA)) >= 0) {
		const off_t end = lseek(from, at, SEEK_HOLE);

		if (end < 0)
			break;
		rc = copy_stretch(from, to, at, end, chunk);
		at = end;
	}
	if (rc == 0 && errno != ENXIO) /* which is how the last hole ends */
		rc = -errno;
	free(chunk);
	return rc;
}

static int
pack(int from, int to, int level)
{
	struct tl_storage *storage;
	int rc = tl_storage_of_fd(&storage, from);

	if (rc != 0)
		return rc;
	rc = tl_zst_write(to, storage, level);
	tl_storage_close(storage);
	return rc;
}

int
tl_snapshot_copy_finish(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, int level, uint64_t *size)
{
	struct tl_snapshot_file out;
	struct stat st;
	int rc = 0;

	if (copy->in_memory || level != 0) {
		rc = tl_snapshot_file_open(&out, folder, copy->mode);
		if (rc != 0)
			return rc;
		rc = level != 0 ? pack(copy->file.fd, out.fd, level)
				: copy_plain(copy->file.fd, out.fd,
				      copy->geometry.total_size);
		tl_snapshot_file_close(&copy->file, folder);
		copy->file = out;
		copy->in_memory = false;
	}
	if (rc == 0 && fstat(copy->file.fd, &st) != 0)
		rc = -errno;
	if (rc == 0)
		*size = (uint64_t)st.st_size;
	return rc;
}

void
tl_snapshot_copy_close(struct tl_snapshot_copy *copy,
    const struct tl_snapshot_folder *folder)
{
	tl_snapshot_file_close(&copy->file, folder);
	if (copy->live >= 0)
		close(copy->live);
	copy->live = -1;
}
