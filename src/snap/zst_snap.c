/* SPDX-License-Identifier: Apache-2.0 */
/* zst_snap.c - open a timeline, whether it is compressed or not. */
#include "base/file.h"
#include "snap/zst.h"
#include "snap/zst_read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_compressed(int fd)
{
	uint8_t magic[4];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       tl_read_at(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       tl_zst_is_magic(magic);
}

/* As one frame, which zstd makes unless it is told otherwise. */
static int
open_whole(struct tl_snap **snap, int fd, uint64_t tail, struct tl_fault *fault)
{
	const int decoded = tl_zst_decode(fd, fault);
	int rc;

	if (decoded < 0)
		return decoded;
	rc = tl_snap_open_fd(snap, decoded, tail, fault);
	close(decoded);
	return rc;
}

static int
open_compressed(struct tl_snap **snap, int fd, uint64_t tail,
    struct tl_fault *fault)
{
	struct tl_storage *file, *decoded;
	int rc = tl_storage_of_fd(&file, fd);

	if (rc != 0)
		return tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s",
		    strerror(-rc));
	rc = tl_zst_open(&decoded, file, fault);
	if (rc == -EFBIG) {
		*fault = (struct tl_fault){ 0 };
		return open_whole(snap, fd, tail, fault);
	}
	return rc < 0 ? rc : tl_snap_open_storage(snap, decoded, tail, fault);
}

int
tl_zst_snap_open_fd(struct tl_snap **snap, int fd, uint64_t tail,
    bool *compressed, struct tl_fault *fault)
{
	const bool packed = is_compressed(fd);

	if (compressed)
		*compressed = packed;
	return packed ? open_compressed(snap, fd, tail, fault)
		      : tl_snap_open_fd(snap, fd, tail, fault);
}

int
tl_zst_snap_open(struct tl_snap **snap, const char *path, uint64_t tail,
    struct tl_fault *fault)
{
	const int fd = tl_open_read(path);
	int rc;

	if (fd < 0)
		return tl_fault(fault, fd, TL_FAULT_NOWHERE, "%s",
		    strerror(-fd));
	rc = tl_zst_snap_open_fd(snap, fd, tail, NULL, fault);
	close(fd);
	return rc;
}
