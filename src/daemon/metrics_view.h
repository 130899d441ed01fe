/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_view.h - everything that is asked of the daemon's parts for one
 * scrape, asked once: a few small reads for each timeline.
 */
#ifndef TL_DAEMON_METRICS_VIEW_H
#define TL_DAEMON_METRICS_VIEW_H

#include "daemon/actions.h"
#include "daemon/daemon.h"
#include "daemon/snapshots.h"
#include "daemon/target.h"
#include "snap/glance.h"

#include <stdbool.h>

/* What the daemon itself costs. */
struct tl_metrics_own {
	int64_t cpu_ns;
	uint64_t rss; /* bytes */
	uint64_t fds;
	bool has_rss; /* /proc told */
	bool has_fds;
	struct tl_actions_status programs;
};

/* One timeline, or the daemon as a whole (target is NULL). */
struct tl_metrics_view {
	const struct tl_daemon *daemon;
	const struct tl_metrics_own *own;
	const struct tl_snapshots_status *snapshots;
	const struct tl_target *target;
	struct tl_glance glance; /* lane_count 0 when has_glance is false */
	bool has_glance;
	struct tl_bursts_status bursts;
	struct tl_calibrator_status clock;
	struct tl_record_status record;
	bool has_record; /* it is recorded, or should be */
	size_t writers_alive;
	size_t writers_dead;
};

struct tl_metrics {
	struct tl_metrics_own own;
	struct tl_snapshots_status snapshots;
	struct tl_metrics_view whole;
	struct tl_metrics_view *views; /* one for each target */
	size_t count;
};

/* Ask.  -ENOMEM.  Points into metrics: do not move it. */
int tl_metrics_gather(struct tl_metrics *metrics, const struct tl_daemon *d);
void tl_metrics_release(struct tl_metrics *metrics);

#endif
