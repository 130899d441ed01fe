/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - the state of the daemon, in four forms.
 */
#ifndef TL_DAEMON_METRICS_METRICS_H
#define TL_DAEMON_METRICS_METRICS_H

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/disk/snapshots.h"
#include "daemon/programs.h"
#include "daemon/target.h"
#include "snap/inspect.h"

#include <stdbool.h>

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

/* == table == */

/*
 * The table of all metrics (metrics.def), and the status of all parts of the
 * daemon, read once for each scrape.
 *
 * To add a metric:
 *
 *   1. metrics.def: a line METRIC(set, type, name, form, when, value, help).
 *      value is an expression of v, the view below, and i, the number of the
 *      member of the set; there is no value unless when is true.
 *   2. If v has no such value yet: a member of struct tl_metrics_view, set in
 *      read_target() of table.c from the _status() function of the part.
 *   3. timelined-metrics(5): a line with the same name.
 *
 * Prometheus text, JSON and `timelinectl status --json` then have the metric;
 * tests/daemon/cases_metrics.sh fails if the manual page lacks the metric.  A
 * line for people in `timelinectl status` is a function in status.c.
 *
 * A metric belongs to a set: one of the daemon, one of each timeline, or one of
 * each lane, priority, ... of a timeline.
 */

/* The cost of the daemon itself. */
struct tl_metrics_own {
	int64_t cpu_ns;
	uint64_t rss; /* bytes */
	uint64_t fds;
	bool has_rss; /* /proc was readable */
	bool has_fds;
	struct tl_programs_status programs;
};

/* One timeline, or the daemon as a whole (target is NULL). */
struct tl_metrics_view {
	const struct tl_daemon *daemon;
	const struct tl_metrics_own *own;
	const struct tl_snapshots_status *snapshots;
	const struct tl_target *target;
	/* lane_count is 0 if is_inspected is false */
	struct tl_inspection inspection;
	bool is_inspected;
	struct tl_bursts_status bursts;
	struct tl_calibrator_status clock;
	struct tl_record_status record;
	bool has_record; /* the timeline is recorded, or should be */
	struct tl_kernel_events_status kernel;
	bool has_kernel; /* the kernel's events are kept, or should be */
	size_t writers_alive;
	size_t writers_ended;
};

struct tl_metrics {
	struct tl_metrics_own own;
	struct tl_snapshots_status snapshots;
	struct tl_metrics_view whole;
	struct tl_metrics_view *views; /* one for each timeline */
	size_t count;
};

/* Read the status of all parts.  Returns 0 or -ENOMEM.  metrics has pointers
 * into itself and must not move. */
int tl_metrics_gather(struct tl_metrics *metrics, const struct tl_daemon *d);
void tl_metrics_release(struct tl_metrics *metrics);

enum tl_metric_set {
	TL_METRIC_DAEMON,
	TL_METRIC_BUILD,
	TL_METRIC_TIMELINE,
	TL_METRIC_LANE, /* first set within a timeline */
	TL_METRIC_TIER,
	TL_METRIC_CAUSE,
	TL_METRIC_PRIORITY,
	TL_METRIC_WRITER,
	TL_METRIC_RULE,
	TL_METRIC_SETS
};

enum tl_metric_type { TL_METRIC_COUNTER, TL_METRIC_GAUGE };

enum tl_metric_form {
	TL_METRIC_COUNT,
	TL_METRIC_SECONDS, /* kept in ns */
	TL_METRIC_RATIO
};

struct tl_metric_value {
	enum tl_metric_form form;
	uint64_t count;
	int64_t ns;
	double ratio;
};

struct tl_metric {
	enum tl_metric_set set;
	enum tl_metric_type type;
	const char *name;
	const char *help;
	/* Get the value of member i of the set.  Returns false if there is no
	 * value. */
	bool (*get)(const struct tl_metrics_view *view, size_t i,
	    struct tl_metric_value *value);
};

extern const struct tl_metric tl_metrics_table[];
extern const size_t tl_metrics_table_count;

enum { TL_METRIC_LABELS_MAX = 2, TL_METRIC_LANES_MAX = 1024 };

/* A label.  The value is foreign text. */
struct tl_metric_label {
	const char *name;
	struct tl_bytes value;
	char own[64]; /* memory for a value that was made */
};

struct tl_metric_labels {
	struct tl_metric_label label[TL_METRIC_LABELS_MAX];
	size_t count;
};

/* The name of a nested set in the JSON object. */
const char *tl_metric_set_key(enum tl_metric_set set);
size_t
tl_metric_set_size(enum tl_metric_set set, const struct tl_metrics_view *view);
/* Get the labels of member i.  Returns false if the member is left out. */
bool
tl_metric_set_labels(enum tl_metric_set set, const struct tl_metrics_view *view,
    size_t i, struct tl_metric_labels *labels);

/* Put a value as a plain number.  Returns false if the value is not finite. */
bool tl_metric_put(struct tl_text *text, const struct tl_metric_value *value);

#endif
