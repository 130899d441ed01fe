/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of snapshots and of recorded traces: make and parse.
 *
 *	NAME-20261121T195501.123456Z-REASON.tl[.zst]
 *	NAME-20261121T195501.123456Z.trace	(its index: .trace.idx)
 *
 * NAME is the timeline's name and may contain anything but a slash; REASON has
 * no dot, so that the last dot before the suffix is the dot of the seconds.
 */
#ifndef TL_DAEMON_DISK_NAMES_H
#define TL_DAEMON_DISK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons besides the names of triggers. */
#define TL_REASON_DEATH    "writer-died"
#define TL_REASON_REQUEST  "request"
#define TL_REASON_SCHEDULE "schedule"

#define TL_RECORD_INDEX_SUFFIX ".idx"

enum {
	TL_REASON_MAX = 64,
	TL_FILE_NAME_MAX = 256,      /* including the NUL */
	TL_SNAPSHOT_STAMP_SIZE = 23, /* characters of the time */
	/* limit of NAME, so that a name with a reason of one character fits */
	TL_SNAPSHOT_TIMELINE_MAX = 222,
	/* limit of NAME of a trace with an index */
	TL_RECORD_TIMELINE_MAX = 221
};

/* Make the reason for the name of a trigger: letters, digits, '_', and one '-'
 * for each run of other characters; never empty. */
void tl_snapshot_reason_make(char reason[TL_REASON_MAX + 1], const char *name);

/* Make the name of a snapshot.  ns is Unix time; the name has microseconds.
 * Characters that a reason may not contain become '_', and a long reason is
 * cut.  Returns 0, -EINVAL if the timeline's name is empty or has a slash, or
 * -ENAMETOOLONG. */
int tl_snapshot_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns, const char *reason, bool compressed);

struct tl_snapshot_name {
	size_t timeline_size;
	const char *stamp; /* order of text is order of time */
	int64_t ns;
	const char *reason; /* of a snapshot only */
	size_t reason_size; /* 0: a trace */
};

/* Parse the name of a snapshot.  Returns false if tl_snapshot_name_make could
 * not have made the name. */
bool tl_snapshot_name_parse(struct tl_snapshot_name *parts, const char *name);

/* Make and parse the name of a recorded trace, in the same way. */
int tl_record_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns);
bool tl_record_name_parse(struct tl_snapshot_name *parts, const char *name);

#endif
