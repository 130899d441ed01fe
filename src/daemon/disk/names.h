/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - names of snapshots and of recorded traces: make and parse.
 *
 *	NAME-20261121T195501.123456Z-REASON.tl[.zst]
 *	NAME-20261121T195501.123456Z.trace	(its index: .trace.idx)
 *
 * NAME is the timeline's and may contain anything but a slash; REASON has no
 * dot, so that the last one but the suffix's is that of the seconds.
 */
#ifndef TL_DAEMON_DISK_NAMES_H
#define TL_DAEMON_DISK_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons that are not the name of a trigger. */
#define TL_REASON_DEATH    "writer-died"
#define TL_REASON_REQUEST  "request"
#define TL_REASON_SCHEDULE "schedule"

enum {
	TL_REASON_MAX = 64,
	TL_FILE_NAME_MAX = 256,         /* with its zero */
	TL_SNAPSHOT_STAMP_SIZE = 23,    /* characters of the time */
	TL_SNAPSHOT_TIMELINE_MAX = 222, /* characters of NAME, so that all of
					   it fits with a reason of one */
	TL_RECORD_TIMELINE_MAX = 221    /* the same of a trace and its index */
};

/* The reason for the name of a trigger: letters, digits, '_', and
 * one '-' for whatever is between them; never empty. */
void tl_snapshot_reason_make(char reason[TL_REASON_MAX + 1], const char *name);

/* Time is Unix time; microseconds are kept.  What a reason may not contain
 * becomes '_'; one that is too long is cut.  -EINVAL the timeline is empty or
 * has a slash, -ENAMETOOLONG. */
int tl_snapshot_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns, const char *reason, bool compressed);

struct tl_snapshot_name {
	size_t timeline_size;
	const char *stamp; /* sorts by time */
	int64_t ns;
	const char *reason; /* of a snapshot */
	size_t reason_size; /* 0: of a trace */
};

/* Is it one that we could have made? */
bool tl_snapshot_name_parse(struct tl_snapshot_name *parts, const char *name);

/* The same of a recorded trace. */
int tl_record_name_make(char name[TL_FILE_NAME_MAX], const char *timeline,
    int64_t ns);
bool tl_record_name_parse(struct tl_snapshot_name *parts, const char *name);

#endif
