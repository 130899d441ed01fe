/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.h - the bytes of a file that gzip or zstd compressed, decoded as they
 * are read.
 *
 *	first, fd --read--> packed bytes --decode--> pieces
 *
 * Memory is that of the decoder, whatever the file contains: 32 KiB for gzip,
 * at most 128 MiB for zstd.
 */
#ifndef TL_SOURCE_UNPACK_H
#define TL_SOURCE_UNPACK_H

#include "base/bytes.h"
#include "base/fault.h"

struct tl_unpack;

/* The program that compressed a file which begins so, or NULL. */
const char *tl_unpack_recognise(struct tl_bytes first);

/* Decode first, which tl_unpack_recognise knows, and what follows it in fd.  fd
 * stays the caller's until tl_unpack_own.  0 or -ENOMEM. */
int tl_unpack_new(struct tl_unpack **unpack, struct tl_bytes first, int fd);
/* Read from a duplicate of fd, which free closes: 0 or -errno. */
int tl_unpack_own(struct tl_unpack *unpack);
void tl_unpack_free(struct tl_unpack *unpack);

/* The next up to size decoded bytes: how many, 0 at the end or where the file is
 * damaged or cut, or -errno of reading. */
int64_t tl_unpack_read(struct tl_unpack *unpack, char *data, size_t size);

/* At the end: what was wrong, at a byte of the file, with rc -EFBIG where the
 * decoder would need too much memory; NULL: nothing. */
const struct tl_fault *tl_unpack_fault(const struct tl_unpack *unpack);

#endif
