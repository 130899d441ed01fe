/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compressed.h - a compressed file as storage: a part of the file is read by
 * decoding the few frames that contain the part (frames.h).
 *
 * Memory is bounded whatever the file contains.  A damaged frame is reported
 * once (tl_storage in base/file.h) and reads as zeros.
 */
#ifndef TL_SNAP_COMPRESSED_H
#define TL_SNAP_COMPRESSED_H

#include "base/bytes.h"
#include "base/fault.h"
#include "base/file.h"
#include "snap/snap.h"

/* Open a compressed file.  Takes the file over, even on failure.  Errors as in
 * frames.h. */
int tl_zst_open(struct tl_storage **storage, struct tl_storage *file,
    struct tl_fault *fault);

/* Does a file with these first bytes look like a timeline, compressed or not?
 * 0: no; 100: yes. */
unsigned tl_snap_recognise(struct tl_bytes first);

/* Like tl_snap_open_fd(), for a path.  Compression is detected. */
int tl_zst_snap_open(struct tl_snap **snap, const char *path, uint64_t tail,
    struct tl_fault *fault);
/* Like tl_zst_snap_open(), for an open file, which stays the caller's.
 * compressed may be NULL. */
int tl_zst_snap_open_fd(struct tl_snap **snap, int fd, uint64_t tail,
    bool *compressed, struct tl_fault *fault);

/* Decode a compressed file into an unnamed temporary file.  Returns its
 * descriptor; -EBADMSG: damaged; -errno; with a fault. */
int tl_zst_decode(int fd, struct tl_fault *fault);

/* The level of zstd for snapshots. */
enum { TL_ZST_LEVEL = 3 };

/* Compress `from` at a level of zstd into out, an empty file of the caller's.
 * 0 or -errno. */
int tl_zst_write(int out, struct tl_storage *from, int level);
/* The same, from a file. */
int tl_zst_write_fd(int out, int from, int level);

#endif
