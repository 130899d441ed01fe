/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zst_table.h - where the frames of a compressed file lie: from its own table,
 * or, where that is missing or wrong, from a walk over the frames.
 */
#ifndef TL_SNAP_ZST_TABLE_H
#define TL_SNAP_ZST_TABLE_H

#include "base/fault.h"
#include "base/storage.h"

#include <stdbool.h>

struct tl_zst_frame {
	uint64_t at;    /* byte of the file */
	uint64_t begin; /* byte of what all of it decodes to */
	uint32_t size;  /* in the file */
	bool damaged;   /* that was said already */
};

struct tl_zst_table {
	struct tl_zst_frame *frames; /* in order; one more is their end */
	size_t count;
	size_t capacity;
	uint64_t decoded_max; /* of the largest frame */
	/* What is wrong with the file but does not keep us from reading. */
	struct tl_fault fault;
};

/* -EBADMSG it is none; -EFBIG a frame decodes to more than TL_ZST_FRAME_MAX, or
 * does not say to how much;
 * -ENOMEM and what reading says; the fault says why. */
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
