/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h - the format of compressed snapshots, and where the frames of a
 * file lie.
 *
 * A compressed snapshot is zstd frames that decode on their own, and a table
 * of where each lies, so that a reader decodes only the frames that it needs.
 * This is zstd's "seekable format", version 0.1.0, as its
 * contrib/seekable_format/zstd_seekable_compression_format.md defines it:
 *
 *	frame | frame | ... | skippable frame
 *	                      0x184D2A5E | size |
 *	                      { packed size | decoded size [ | checksum ] } ...
 *	                      number of frames | descriptor | 0x8F92EAB1
 *
 * Numbers are little-endian, of 32 bits but for the descriptor of 8: its top
 * bit says that there are checksums, the next five must be 0.  Every zstd
 * decodes it all and skips the table.
 *
 * If the table is missing or wrong, it is made again by a walk over the
 * frames, by the sizes in their headers, without decoding.
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
	TL_ZST_FRAME_SIZE = 256 << 10, /* of what we write, decoded */
	TL_ZST_FRAME_MAX = 16 << 20,   /* of what we read, decoded */
	TL_ZST_FRAMES_MAX = 1 << 22,
	TL_ZST_SKIPPABLE_SIZE = 8, /* before what is skipped */
	TL_ZST_ROW_SIZE = 8,       /* of the table, without a checksum */
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

/* Do these four bytes begin what zstd decodes? */
static inline bool
tl_zst_is_magic(const uint8_t *at)
{
	const uint32_t magic = tl_zst_get32(at);

	return magic == TL_ZST_MAGIC ||
	       (magic & ~UINT32_C(15)) == TL_ZST_MAGIC_SKIPPABLE;
}

struct tl_zst_frame {
	uint64_t at;    /* byte of the file */
	uint64_t begin; /* byte of what all of it decodes to */
	uint32_t size;  /* in the file */
	bool damaged;   /* it could not be decoded, which was reported */
};

struct tl_zst_table {
	struct tl_zst_frame *frames; /* in order; one more is their end */
	size_t count;
	size_t capacity;
	uint64_t decoded_max; /* of the largest frame */
	/* A fault of the file that does not prevent reading. */
	struct tl_fault fault;
};

/* -EBADMSG it is none; -EFBIG a frame decodes to more than TL_ZST_FRAME_MAX, or
 * does not say to how much;
 * -ENOMEM, or the error of reading; fault has the reason. */
int tl_zst_table_read(struct tl_zst_table *table, struct tl_storage *file,
    struct tl_fault *fault);
void tl_zst_table_free(struct tl_zst_table *table);

/* The frame that holds this byte of what is decoded, which must be below its
 * end. */
size_t tl_zst_table_find(const struct tl_zst_table *table, uint64_t offset);

static inline uint64_t
tl_zst_table_size(const struct tl_zst_table *table)
{
	return table->frames[table->count].begin;
}

#endif
