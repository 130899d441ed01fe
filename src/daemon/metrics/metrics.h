/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - the state of the daemon, in four forms.
 */
#ifndef TL_DAEMON_METRICS_METRICS_H
#define TL_DAEMON_METRICS_METRICS_H

#include "base/text.h"
#include "daemon/daemon.h"

/* Prometheus text format 0.0.4. */
void tl_metrics_text(struct tl_text *text, const struct tl_daemon *daemon);
/* The same, one JSON object; also what `timelinectl status --json` shows. */
void tl_metrics_json(struct tl_text *text, const struct tl_daemon *daemon);
/* The same as text to read: `timelinectl status`. */
void tl_metrics_status(struct tl_text *text, const struct tl_daemon *daemon);
/* The recordings: path, counts, error.  JSON. */
void tl_metrics_record(struct tl_text *text, const struct tl_daemon *daemon);
/*
 * The timers of one timeline, read from it while it is written, JSON:
 *
 *	{"timers":[{"category":"http","message":"request $id","count":9,
 *		    "p50_ns":1,"p99_ns":2,"p999_ns":3,"max_ns":4,"sum_ns":20,
 *		    "slower_ns":1000000}]}
 *
 * slower_ns	spans of at least so long are entries; null: none are
 */
void tl_metrics_timers(struct tl_text *text, const struct tl_target *target);

#endif
