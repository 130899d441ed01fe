/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot_file.c - files that are complete or absent; copies of timelines. */
#include "daemon/disk/snapshot_file.h"

#include "base/file.h"
#include "base/word.h"
#include "ring/ring.h"
#include "snap/compressed.h"
#include "snap/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* == files == */

enum { NAMES_TRIED_MAX = 1000, PROC_PATH_MAX = 40 };

#define TEMPORARY_PREFIX ".timelined-"
#define TEMPORARY_SUFFIX ".tmp"

static void
put_proc_path(char path[PROC_PATH_MAX], int fd)
{
	snprintf(path, PROC_PATH_MAX, "/proc/self/fd/%d", fd);
}

/* Can files be made in the folder without a name, and be given a name later? */
static bool
has_nameless(int folder)
{
	char path[PROC_PATH_MAX];
	const int fd =
	    openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	bool has;

	if (fd < 0)
		return false;
	put_proc_path(path, fd);
	has = faccessat(AT_FDCWD, path, F_OK, 0) == 0;
	close(fd);
	return has;
}

/* Is the name .timelined-PID-COUNT.tmp? */
static bool
is_temporary(const char *name)
{
	const char *p = name + strlen(TEMPORARY_PREFIX);

	if (strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) != 0)
		return false;
	p += strspn(p, "0123456789");
	if (*p != '-')
		return false;
	p++;
	p += strspn(p, "0123456789");
	return strcmp(p, TEMPORARY_SUFFIX) == 0;
}

/* Remove a file that a daemon which ended left.  A daemon that still writes a
 * file holds a lock of it. */
static int
remove_temporary(void *context, const char *name)
{
	const int folder = *(const int *)context;
	const int one =
	    is_temporary(name)
		? openat(folder, name,
		      O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
		: -1;

	if (one < 0)
		return 0;
	if (flock(one, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
	close(one);
	return 0;
}

int
tl_snapshot_folder_open(struct tl_snapshot_folder *folder, const char *path,
    struct tl_fault *fault)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	*folder = (struct tl_snapshot_folder){ .fd = open(path, flags) };
	if (folder->fd < 0 && errno == ENOENT && mkdir(path, 0750) == 0)
		folder->fd = open(path, flags);
	if (folder->fd < 0) /* ENOTDIR: path may be a link */
		return tl_fail(fault, -errno, "snapshot directory %s: %s", path,
		    strerror(errno));
	folder->nameless = has_nameless(folder->fd);
	(void)tl_folder_each(folder->fd, remove_temporary, &folder->fd);
	return 0;
}

void
tl_snapshot_folder_close(struct tl_snapshot_folder *folder)
{
	close(folder->fd);
	folder->fd = -1;
}

int
tl_snapshot_file_open(struct tl_snapshot_file *file,
    struct tl_snapshot_folder *folder, mode_t mode)
{
	file->temporary[0] = '\0';
	if (!folder->nameless) {
		for (int i = 0; i < NAMES_TRIED_MAX; i++) {
			snprintf(file->temporary, sizeof(file->temporary),
			    TEMPORARY_PREFIX "%d-%u" TEMPORARY_SUFFIX,
			    (int)getpid(),
			    tl_fetch_add_32(&folder->counter, 1));
			file->fd = openat(folder->fd, file->temporary,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    mode);
			if (file->fd >= 0) {
				(void)flock(file->fd, LOCK_EX | LOCK_NB);
				return 0;
			}
			if (errno != EEXIST)
				break;
		}
		file->temporary[0] = '\0';
		return -errno;
	}
	file->fd =
	    openat(folder->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	return file->fd < 0 ? -errno : 0;
}

/* Give the file its name, and never replace another file. */
static int
give_name(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder, const char *name)
{
	char path[PROC_PATH_MAX];

	if (file->temporary[0] == '\0') {
		put_proc_path(path, file->fd);
		return linkat(AT_FDCWD, path, folder->fd, name,
			   AT_SYMLINK_FOLLOW) != 0
			   ? -errno
			   : 0;
	}
	if (renameat2(folder->fd, file->temporary, folder->fd, name,
		RENAME_NOREPLACE) != 0) {
		/* EINVAL: the file system lacks RENAME_NOREPLACE */
		if (errno != EINVAL)
			return -errno;
		if (linkat(folder->fd, file->temporary, folder->fd, name, 0) !=
		    0)
			return -errno;
		unlinkat(folder->fd, file->temporary, 0);
	}
	file->temporary[0] = '\0';
	return 0;
}

int
tl_snapshot_file_commit(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder, const char *name)
{
	int rc;

	if (fsync(file->fd) != 0)
		return -errno;
	if ((rc = give_name(file, folder, name)) != 0)
		return rc;
	return fsync(folder->fd) != 0 ? -errno : 0;
}

void
tl_snapshot_file_close(struct tl_snapshot_file *file,
    const struct tl_snapshot_folder *folder)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary[0])
		unlinkat(folder->fd, file->temporary, 0);
	file->fd = -1;
	file->temporary[0] = '\0';
}

/* == copies == */

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
	/* the group that may read the timeline may read the snapshot */
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
	for (uint32_t i = 0;
	     rc == 0 && i < timeline_lane_count(&copy->geometry); i++)
		copy->left_out += take.heads[i].first - take.heads[i].wanted;
	free(take.heads);
	free(faults);
	close(copy->live);
	copy->live = -1;
	return rc;
}

/* Copy the bytes from at to end, to the same place. */
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

/* Copy a file; holes stay holes. */
static int
copy_plain(int from, int to)
{
	void *chunk = malloc(CHUNK_SIZE);
	struct stat st;
	off_t at = 0;
	int rc = chunk ? 0 : -ENOMEM;

	if (rc == 0 && fstat(from, &st) != 0)
		rc = -errno;
	if (rc == 0)
		rc = tl_file_resize(to, (uint64_t)st.st_size);
	while (rc == 0 && (at = lseek(from, at, SEEK_DATA)) >= 0) {
		const off_t end = lseek(from, at, SEEK_HOLE);

		if (end < 0)
			break;
		rc = copy_stretch(from, to, at, end, chunk);
		at = end;
	}
	if (rc == 0 && errno != ENXIO) /* ENXIO: past the last data */
		rc = -errno;
	free(chunk);
	return rc;
}

int
tl_snapshot_copy_finish(struct tl_snapshot_copy *copy,
    struct tl_snapshot_folder *folder, int level, uint64_t *used)
{
	struct tl_snapshot_file out;
	struct stat st;
	int rc = 0;

	if (copy->in_memory || level != 0) {
		rc = tl_snapshot_file_open(&out, folder, copy->mode);
		if (rc != 0)
			return rc;
		rc = level != 0 ? tl_zst_write_fd(out.fd, copy->file.fd, level)
				: copy_plain(copy->file.fd, out.fd);
		tl_snapshot_file_close(&copy->file, folder);
		copy->file = out;
		copy->in_memory = false;
	}
	if (rc == 0 && fstat(copy->file.fd, &st) != 0)
		rc = -errno;
	if (rc == 0)
		*used = tl_file_used(&st);
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
