/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst.h - compressed snapshots: zstd frames that decode on their own, and a
 * table that says where each lies, so that a reader decodes only what it
 * needs.  zstd's "seekable format", version 0.1.0, as its
 * contrib/seekable_format/zstd_seekable_compression_format.md lays it down:
 *
 *	frame | frame | ... | skippable frame
 *	                      0x184D2A5E | size |
 *	                      { packed size | decoded size [ | checksum ] } ...
 *	                      number of frames | descriptor | 0x8F92EAB1
 *
 * Numbers are little-endian, of 32 bits but for the descriptor of 8: its top
 * bit says that there are checksums, the next five must be 0.  Every zstd
 * decodes it all and skips the table.
 */
#ifndef TL_SNAP_ZST_H
#define TL_SNAP_ZST_H

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

#endif
