/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h - the format of compressed snapshots, and their table of frames.
 *
 * A compressed snapshot consists of zstd frames that are decoded independently,
 * and a table of their places, so that a reader decodes only the frames that it
 * needs.  The format is zstd's "seekable format", version 0.1.0, as its
 * contrib/seekable_format/zstd_seekable_compression_format.md defines it:
 *
 *	frame | frame | ... | skippable frame
 *	                      0x184D2A5E | size |
 *	                      { packed size | decoded size [ | checksum ] } ...
 *	                      number of frames | descriptor | 0x8F92EAB1
 *
 * Numbers are little-endian and have 32 bits.  The descriptor has 8 bits: the
 * top bit means that rows have checksums, the next five bits must be 0.  Every
 * zstd decodes such a file and skips the table.
 *
 * If the table is missing or wrong, it is rebuilt from the headers of the
 * frames, without decoding the frames.
 */
#ifndef TL_SNAP_FRAMES_H
#define TL_SNAP_FRAMES_H

#include "base/fault.h"
#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>

#define TL_ZST_MAGIC           UINT32_C(0xFD2FB528)
#define TL_ZST_MAGIC_SKIPPABLE UINT32_C(0x184D2A50) /* to ...5F */
#define TL_ZST_MAGIC_TABLE     UINT32_C(0x184D2A5E)
#define TL_ZST_MAGIC_FOOTER    UINT32_C(0x8F92EAB1)

enum {
	/* decoded size of a written frame */
	TL_ZST_FRAME_SIZE = 256 << 10,
	/* largest decoded size of a frame that is read */
	TL_ZST_FRAME_MAX = 16 << 20,
	TL_ZST_FRAMES_MAX = 1 << 22,
	TL_ZST_SKIPPABLE_SIZE = 8, /* header of a skippable frame */
	TL_ZST_ROW_SIZE = 8,       /* size of a row without a checksum */
	TL_ZST_ROW_MAX = 12,
	TL_ZST_FOOTER_SIZE = 9,
	TL_ZST_HAS_CHECKSUMS = 0x80,
	TL_ZST_RESERVED = 0x7c
};

static inline uint32_t
tl_zst_get32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

static inline void
tl_zst_put32(uint8_t *at, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

/* Do four bytes begin data that zstd decodes? */
static inline bool
tl_zst_is_magic(const uint8_t *at)
{
	const uint32_t magic = tl_zst_get32(at);

	return magic == TL_ZST_MAGIC ||
	       (magic & ~UINT32_C(15)) == TL_ZST_MAGIC_SKIPPABLE;
}

struct tl_zst_frame {
	uint64_t at;    /* offset in the file */
	uint64_t begin; /* offset in the decoded bytes of all frames */
	uint32_t size;  /* size in the file */
	/* the frame could not be decoded, which has been reported */
	bool damaged;
};

struct tl_zst_table {
	/* in order; an extra element marks the end */
	struct tl_zst_frame *frames;
	size_t count;
	size_t capacity;
	uint64_t decoded_max; /* decoded size of the largest frame */
	/* A fault of the file that does not prevent reading. */
	struct tl_fault fault;
};

/* Read the table, or rebuild it from the frames.  0; -EBADMSG: not a compressed
 * file; -EFBIG: a frame decodes to more than TL_ZST_FRAME_MAX, or its decoded
 * size is unknown; -ENOMEM; -errno of reading; with a fault. */
int tl_zst_table_read(struct tl_zst_table *table, struct tl_storage *file,
    struct tl_fault *fault);
void tl_zst_table_free(struct tl_zst_table *table);

/* The frame that contains a byte of the decoded file.  The byte must be before
 * the end. */
size_t tl_zst_table_find(const struct tl_zst_table *table, uint64_t offset);

static inline uint64_t
tl_zst_table_size(const struct tl_zst_table *table)
{
	return table->frames[table->count].begin;
}

#endif
