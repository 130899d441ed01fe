/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir.h - where in a directory the events of a host and an hour lie, as
 * engines that query such directories expect it.
 *
 *	DIR/host=web1/date=2026-11-22/hour=03/TIMELINE-CHAIN-NUMBER.trace
 *
 * A name ends with what cannot hold a "-", so that it can be taken apart.
 */
#ifndef TL_SHIP_TARGET_DIR_H
#define TL_SHIP_TARGET_DIR_H

#include "base/text.h"
#include "ship/block.h"

enum { TL_PARTITION_NAME_MAX = 256, TL_PARTITION_SUFFIX_MAX = 16 };

struct tl_partitions {
	const char *path; /* the caller's */
	int root;         /* -1: not open */
};

/* The hour of a time: those of one partition have the same. */
int64_t tl_partition_hour(int64_t ns);
/* The folder of a host and an hour, made where it is missing: a descriptor,
 * or -errno. */
int tl_partition_open(struct tl_partitions *partitions, const char *host,
    int64_t hour);
void tl_partitions_close(struct tl_partitions *partitions);

/* "TIMELINE-CHAIN-": what the names of a chain's files begin with. */
void tl_partition_prefix(struct tl_text *name, const struct tl_block *block);
/* The name it has until it is whole. */
void tl_partition_hidden(char hidden[TL_PARTITION_NAME_MAX], const char *name);

#endif
