/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - files of a folder that others may write to: names that are safe as
 * part of a path, and files that appear whole or not at all
 */
#ifndef TL_SHIP_FILES_H
#define TL_SHIP_FILES_H

#include "base/bytes.h"
#include "base/fault.h"
#include "base/text.h"
#include "ship/block.h"

#include <sys/types.h>

/* Write a file under a hidden name, then rename it over whatever has its name:
 * it appears whole or not at all.  0 or -errno. */
int tl_folder_write(int folder, const char *name, const char *hidden,
    mode_t mode, struct tl_bytes data);

/* == names == */

enum { TL_FILE_PART_MAX = 120 }; /* bytes of one name in that of a file */

/*
 * Append a name as part of a file name.  Letters, digits, _ - and dots but the
 * first are copied; each other byte becomes %XX.  A result longer than
 * TL_FILE_PART_MAX is cut and ends with a hash of the whole name.
 */
void tl_put_file_part(struct tl_text *text, const char *name);

/*
 * == partitions of a directory by host, date and hour ==
 *
 * They are named as query engines expect it:
 *
 *	DIR/host=web1/date=2026-11-22/hour=03/TIMELINE-CHAIN-NUMBER.trace
 *
 * CHAIN and NUMBER contain no "-", so that names can be parsed from their end.
 */

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

/* == a password or token from a file, erased from memory after use == */

enum { TL_SECRET_MAX = 4096 };

/* Read the first line of a file.  0; -EINVAL: it is empty; -errno; the
 * fault. */
int
tl_secret_read(struct tl_text *text, const char *path, struct tl_fault *fault);
void tl_secret_forget(struct tl_text *text);

#endif
