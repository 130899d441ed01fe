/* SPDX-License-Identifier: Apache-2.0 */
/*
 * part.h - a file of the events of many blocks of one chain and one hour,
 * which appears when it is whole, by the numbers of its blocks.
 *
 *	.app-CHAIN-17.parquet.new  -->  app-CHAIN-17-90.parquet
 */
#ifndef TL_SHIP_PART_H
#define TL_SHIP_PART_H

#include "ship/events.h"
#include "ship/partition.h"
#include "ship/target_queue.h"

struct tl_part {
	int folder;
	int fd;
	const struct tl_format_row *format;
	struct tl_events *events; /* NULL: there is none */
	struct tl_text prefix;    /* of its name */
	char hidden[TL_PARTITION_NAME_MAX];
	int64_t hour;
	int64_t begun_ns; /* CLOCK_MONOTONIC */
	uint64_t first;
	uint64_t last;
	uint64_t size;                      /* of the file */
	uint64_t held;                      /* bytes of its blocks */
	struct tl_target_queue held_blocks; /* that are settled with it */
};

/* Begin with a block that goes into this folder, which is taken over, even on
 * failure.  part is all zeros but for its queue.  0 or -errno. */
int
tl_part_begin(struct tl_part *part, int folder, const struct tl_block *block,
    const struct tl_format_row *format, const struct tl_report *report);
/* Its events, up to the last block that it stands for; gap: those before it
 * were dropped.  0; -errno: the part is of no use any
 * more. */
int tl_part_put(struct tl_part *part, const struct tl_block *block,
    uint64_t last, bool gap);
/* It is whole, and there; or it is not, and gone.  0 or -errno. */
int tl_part_finish(struct tl_part *part);
/* Without a trace; its queue is empty. */
void tl_part_abandon(struct tl_part *part);

/* The last block of a part in this folder that has this block; UINT64_MAX:
 * none has. */
uint64_t tl_part_find(int folder, const struct tl_block *block,
    const struct tl_format_row *format);

#endif
