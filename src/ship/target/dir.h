/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir.h - partitions of a directory by host, date and hour, named as query
 * engines expect it
 *
 *	DIR/host=web1/date=2026-11-22/hour=03/TIMELINE-CHAIN-NUMBER.trace
 *
 * CHAIN and NUMBER contain no "-", so that names can be parsed from their end.
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

/* The hour of a time, in hours since 1970. */
int64_t tl_partition_hour(int64_t ns);
/* Open the folder of a host and an hour, and create it if it is missing: a
 * descriptor, or -errno. */
int tl_partition_open(struct tl_partitions *partitions, const char *host,
    int64_t hour);
void tl_partitions_close(struct tl_partitions *partitions);

/* "TIMELINE-CHAIN-": the prefix of the files of a chain. */
void tl_partition_prefix(struct tl_text *name, const struct tl_block *block);
/* The name of a file until it is finished. */
void tl_partition_hidden(char hidden[TL_PARTITION_NAME_MAX], const char *name);

#endif
