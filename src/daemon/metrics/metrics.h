/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - the state of the daemon, in four forms.
 */
#ifndef TL_DAEMON_METRICS_METRICS_H
#define TL_DAEMON_METRICS_METRICS_H

#include "base/text.h"
#include "daemon/daemon.h"

/* Put all metrics in the Prometheus text format 0.0.4. */
void tl_metrics_text(struct tl_text *text, const struct tl_daemon *daemon);
/* Put all metrics as one JSON object, which `timelinectl status --json`
 * shows. */
void tl_metrics_json(struct tl_text *text, const struct tl_daemon *daemon);
/* Put all metrics as text for people, which `timelinectl status` shows. */
void tl_metrics_status(struct tl_text *text, const struct tl_daemon *daemon);
/* Put the recordings as JSON: path, counts, error. */
void tl_metrics_record(struct tl_text *text, const struct tl_daemon *daemon);
/*
 * Put the timers of one timeline as JSON.  The timers are read while the
 * timeline is written:
 *
 *	{"timers":[{"category":"http","message":"request $id","count":9,
 *		    "p50_ns":1,"p99_ns":2,"p999_ns":3,"max_ns":4,"sum_ns":20,
 *		    "slower_ns":1000000}]}
 *
 * Spans of at least slower_ns are entries; null: no spans are entries.
 */
void tl_metrics_timers(struct tl_text *text, const struct tl_target *target);

#endif
