/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - a timeline that the daemon is attached to, and the parts that work
 * on the timeline.
 */
#ifndef TL_DAEMON_TARGET_H
#define TL_DAEMON_TARGET_H

#include "daemon/calibrator.h"
#include "daemon/daemon.h"
#include "daemon/disk/record.h"
#include "daemon/kernel_events.h"
#include "daemon/log.h"
#include "daemon/rules/rules.h"
#include "daemon/sampling/bursts.h"
#include "daemon/writers.h"
#include "event/cursor.h"
#include "event/levels.h"

#include <limits.h>
#include <sys/stat.h>

/* Counts of the stream since the timeline was attached. */
struct tl_target_counts {
	uint64_t entries;     /* entries read */
	uint64_t overwritten; /* before they were read */
	uint64_t lost;        /* appended, but never readable */
	uint64_t by_level[TIMELINE_LEVEL_NONE + 1];
	uint64_t spans; /* end events */
	uint64_t snapshots;
	uint64_t snapshot_faults;
	/* The time for which each level was observed, of known_ns. */
	int64_t open_ns[TIMELINE_LEVEL_NONE + 1];
	int64_t known_ns;
};

struct tl_target {
	struct tl_daemon *daemon;
	const struct tl_config_timeline *config;
	char name[NAME_MAX + 1]; /* without a slash */
	struct timeline *tl;     /* attached */
	struct stat status;      /* of the file when attached */
	struct tl_cursor *stream;
	/* The ticks of each level at the last count of open time, and its
	 * stamp; 0: none yet. */
	uint64_t open_ticks[TIMELINE_LEVEL_NONE + 1];
	uint64_t open_tsc;
	struct tl_target_counts counts;
	struct tl_bursts *bursts;
	struct tl_rules *rules;
	uint64_t newest_message; /* at the last read of the gates */
	uint64_t looked_up; /* bit i: the arguments of rule i (lacking.c) */
	struct tl_writers *writers;
	struct tl_calibrator *calibrator; /* NULL: not calibrated */
	struct tl_record *record;         /* NULL: not recorded */
	/* NULL: no page shows the timeline */
	struct tl_watch *watch;
	struct tl_kernel_events *kernel_events; /* NULL: not kept */
	int record_rc; /* why the recording could not start; or 0 */
	ev_timer snapshot_timer;
	ev_timer slower_timer; /* sets thresholds at percentiles */
	struct tl_timers_past *timers_past;
	struct tl_throttle deaths;   /* limit of snapshots on death */
	struct tl_throttle requests; /* limit of snapshots on request */
	struct tl_log_limit no_burst;
	double busy;     /* recent entries, fading */
	bool has_logged; /* an entry that is no change of levels was read */
	/* CLOCK_MONOTONIC: when an entry was read last, and until when the
	 * heads are not looked at */
	int64_t read_ns;
	int64_t rest_ns;
};

/* Attach to the file at path if it is still the inspected file.  Returns 0,
 * -EAGAIN if the file was replaced, -EBUSY if another daemon is attached, or
 * -errno, with a fault. */
int tl_target_open(struct tl_target **target, struct tl_daemon *daemon,
    const char *path, const struct stat *inspected,
    const struct tl_config_timeline *config, struct tl_fault *fault);
/* Apply another section.  Returns 0, or -errno with a fault; on failure the old
 * section stays in force. */
int tl_target_configure(struct tl_target *target,
    const struct tl_config_timeline *config, struct tl_fault *fault);
/* Retry to start the recording if it could not be started. */
void tl_target_retry(struct tl_target *target);
/* The reason why the timeline is unusable (removed, truncated), or NULL. */
const char *tl_target_fault(const struct tl_target *target);
void tl_target_close(struct tl_target *target);

/* Count and log the result of a snapshot.  target NULL: it was detached. */
struct tl_snapshot_result;
void tl_target_count_snapshot(struct tl_target *target,
    const struct tl_snapshot_result *result);

/* The callbacks of a target's rules; target is the context. */
void tl_target_rule_fired(void *target, const struct tl_firing *firing);
void tl_target_rule_failed(void *target, const struct tl_config_rule *rule,
    const char *why);

/* Is the target recorded, or would it be if the recording could start? */
static inline bool
tl_target_is_recorded(const struct tl_target *target)
{
	return target->record || target->record_rc < 0;
}

/* Get the status of the recording: all 0 with rc if the recording could not
 * start. */
static inline void
tl_target_record_status(const struct tl_target *target,
    struct tl_record_status *status)
{
	*status = (struct tl_record_status){ .rc = target->record_rc };
	if (target->record)
		tl_record_status(target->record, status);
}

/* == lacking == */

/*
 * Triggers that never fire, because their condition names a message that the
 * timeline does not have, or an argument that no message has.
 */

/* Warn of each trigger that lacks an argument, once its messages are defined,
 * and of each once. */
void tl_lacking_warn(struct tl_target *target);

/* For timelined -n: warn of each such trigger of the timelines that are in
 * /dev/shm and may be read. */
void tl_lacking_check(const struct tl_config *config);

#endif
