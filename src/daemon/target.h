/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - one timeline that the daemon looks after.
 */
#ifndef TL_DAEMON_TARGET_H
#define TL_DAEMON_TARGET_H

#include "daemon/bursts.h"
#include "daemon/calibrator.h"
#include "daemon/daemon.h"
#include "daemon/record.h"
#include "daemon/rules.h"
#include "daemon/window.h"
#include "daemon/writers.h"
#include "event/cursor.h"
#include "event/levels.h"

#include <limits.h>
#include <sys/stat.h>

/* What the stream has shown since it was opened. */
struct tl_target_counts {
	uint64_t entries; /* seen */
	uint64_t lost;    /* overwritten before they were */
	uint64_t by_level[TIMELINE_LEVEL_NONE + 1];
	uint64_t spans; /* ends */
	uint64_t snapshots;
	uint64_t snapshot_faults;
	int64_t open_ns[TIMELINE_LEVEL_NONE + 1]; /* of a gate, so long */
	int64_t known_ns;                         /* of this time */
};

struct tl_target {
	struct tl_daemon *daemon;
	const struct tl_config_timeline *config;
	char name[NAME_MAX + 1]; /* without a slash */
	struct timeline *tl;     /* attached: priority, bursts, its fd */
	struct stat status;      /* of the file when it was attached */
	struct tl_cursor *stream;
	struct tl_level_state levels; /* how long each was open */
	struct tl_target_counts counts;
	struct tl_bursts *bursts;
	struct tl_rules *rules;
	struct tl_writers *writers;
	struct tl_calibrator *calibrator; /* NULL: no clock to keep */
	struct tl_record *record;         /* NULL: not recorded ... */
	int record_rc; /* ... and why, where it should be; 0 */
	ev_timer snapshot_timer;
	struct tl_throttle deaths;   /* snapshots because of one */
	struct tl_throttle requests; /* ... because a person asked */
};

/* Is it recorded, or would be if that could begin? */
static inline bool
tl_target_is_recorded(const struct tl_target *target)
{
	return target->record || target->record_rc < 0;
}

/* How its recording is: all 0 and why, where it could not begin. */
static inline void
tl_target_record_status(const struct tl_target *target,
    struct tl_record_status *status)
{
	*status = (struct tl_record_status){ .rc = target->record_rc };
	if (target->record)
		tl_record_status(target->record, status);
}

/* Save a snapshot soon: 0, -EBUSY while one of this timeline waits. */
int tl_target_snapshot(struct tl_target *target, const char *reason);

#endif
