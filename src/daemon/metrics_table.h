/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_table.h - every metric there is: name, meaning, where its value
 * comes from.  The text for Prometheus, the JSON object and the manual page's
 * test are driven by it.
 *
 * A metric belongs to a set: one of the daemon, one of each timeline, or one
 * of each lane, priority, ... of a timeline.
 */
#ifndef TL_DAEMON_METRICS_TABLE_H
#define TL_DAEMON_METRICS_TABLE_H

#include "base/text.h"
#include "daemon/metrics_view.h"

enum tl_metric_set {
	TL_METRIC_DAEMON,
	TL_METRIC_BUILD,
	TL_METRIC_TIMELINE,
	TL_METRIC_LANE, /* the first of those nested in a timeline */
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
	/* The value of the i-th thing of the set; false: there is none. */
	bool (*get)(const struct tl_metrics_view *view, size_t i,
	    struct tl_metric_value *value);
};

extern const struct tl_metric tl_metrics_table[];
extern const size_t tl_metrics_table_count;

enum { TL_METRIC_LABELS_MAX = 2, TL_METRIC_LANES_MAX = 1024 };

/* A label's value: bytes that may be hostile. */
struct tl_metric_label {
	const char *name;
	struct tl_bytes value;
	char own[64]; /* value points here where it was made up */
};

struct tl_metric_labels {
	struct tl_metric_label label[TL_METRIC_LABELS_MAX];
	size_t count;
};

/* The name of a nested set in the JSON object. */
const char *tl_metric_set_key(enum tl_metric_set set);
size_t
tl_metric_set_size(enum tl_metric_set set, const struct tl_metrics_view *view);
/* What tells the i-th from the others; false: leave this one out. */
bool
tl_metric_set_labels(enum tl_metric_set set, const struct tl_metrics_view *view,
    size_t i, struct tl_metric_labels *labels);

/* A value as a plain number; false when it is not finite. */
bool tl_metric_put(struct tl_text *text, const struct tl_metric_value *value);

#endif
