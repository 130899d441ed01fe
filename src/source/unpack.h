/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.h - read a file that gzip or zstd compressed, and decode it piece by
 * piece.
 *
 *	first, fd --read--> packed bytes --decode--> pieces
 *
 * The memory needed is the decoder's, whatever the file contains: 32 KiB for
 * gzip, at most 128 MiB for zstd.
 */
#ifndef TL_SOURCE_UNPACK_H
#define TL_SOURCE_UNPACK_H

#include "base/bytes.h"
#include "base/fault.h"

struct tl_unpack;

/* The program that compressed a file with these first bytes, or NULL. */
const char *tl_unpack_recognise(struct tl_bytes first);

/* Decode first, which tl_unpack_recognise knows, and the bytes that follow in
 * fd.  The caller keeps fd until tl_unpack_own.  Returns 0 or -ENOMEM. */
int tl_unpack_new(struct tl_unpack **unpack, struct tl_bytes first, int fd);
/* Read from a duplicate of fd from here on; tl_unpack_free closes the
 * duplicate.  Returns 0 or -errno. */
int tl_unpack_own(struct tl_unpack *unpack);
void tl_unpack_free(struct tl_unpack *unpack);

/* Read up to size decoded bytes.  Returns their number, 0 at the end or if the
 * file is damaged or cut, or -errno of reading. */
int64_t tl_unpack_read(struct tl_unpack *unpack, char *data, size_t size);

/* After the last read: the fault of the file and its byte, with rc -EFBIG if
 * the decoder would need too much memory; NULL if there is no fault. */
const struct tl_fault *tl_unpack_fault(const struct tl_unpack *unpack);

#endif
