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

#endif
