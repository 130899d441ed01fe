/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_json.c - metrics as one JSON object.
 *
 *	{"version":"0.1.0","daemon":{"process_cpu_seconds":0.1,...},
 *	 "timelines":[{"timeline":"a","kept_seconds":60.5,...,
 *	   "lanes":[{"cpu":"0","tier":"0","entries_appended":17},...],
 *	   "priorities":[{"priority":"trace","open_ratio":...},...],...}]}
 *
 * A metric's key is its name for Prometheus without "timeline_" or
 * "timelined_" and "_total"; what has no value now is null.
 */
#include "daemon/metrics.h"
#include "daemon/metrics_table.h"

static struct tl_bytes
key_of(const char *name)
{
	static const char *const drop[] = { "timelined_", "timeline_" };
	static const char total[] = "_total";
	const size_t end = sizeof(total) - 1;
	struct tl_bytes key = tl_bytes_of(name);

	for (size_t i = 0; i < sizeof(drop) / sizeof(drop[0]); i++) {
		const size_t size = strlen(drop[i]);

		if (key.size > size && memcmp(key.data, drop[i], size) == 0)
			key = tl_bytes(key.data + size, key.size - size);
	}
	if (key.size > end && strcmp(key.data + key.size - end, total) == 0)
		key.size -= end;
	return key;
}

/* Names of the kind "key": with what separates it from the one before. */
static void
put_key(struct tl_text *text, struct tl_bytes key)
{
	const char last = text->size > 0 ? text->data[text->size - 1] : '{';

	if (last != '{' && last != '[')
		tl_put_char(text, ',');
	tl_put_char(text, '"');
	tl_put_bytes(text, key);
	tl_put_string(text, "\":");
}

static void
put_text(struct tl_text *text, const char *key, struct tl_bytes value)
{
	put_key(text, tl_bytes_of(key));
	tl_put_char(text, '"');
	tl_put_json(text, value);
	tl_put_char(text, '"');
}

/* The values of the i-th thing of a set. */
static void
put_values(struct tl_text *text, enum tl_metric_set set,
    const struct tl_metrics_view *view, size_t i)
{
	for (size_t m = 0; m < tl_metrics_table_count; m++) {
		const struct tl_metric *metric = &tl_metrics_table[m];
		struct tl_metric_value value;

		if (metric->set != set)
			continue;
		put_key(text, key_of(metric->name));
		if (!metric->get(view, i, &value) ||
		    !tl_metric_put(text, &value))
			tl_put_string(text, "null");
	}
}

static void
put_set(struct tl_text *text, enum tl_metric_set set,
    const struct tl_metrics_view *view)
{
	const size_t count = tl_metric_set_size(set, view);
	const char *before = "";

	put_key(text, tl_bytes_of(tl_metric_set_key(set)));
	tl_put_char(text, '[');
	for (size_t i = 0; i < count; i++) {
		struct tl_metric_labels labels;

		if (!tl_metric_set_labels(set, view, i, &labels))
			continue;
		tl_put_string(text, before);
		tl_put_char(text, '{');
		for (size_t n = 0; n < labels.count; n++)
			put_text(text, labels.label[n].name,
			    labels.label[n].value);
		put_values(text, set, view, i);
		tl_put_char(text, '}');
		before = ",";
	}
	tl_put_char(text, ']');
}

static void
put_timeline(struct tl_text *text, const struct tl_metrics_view *view)
{
	tl_put_char(text, '{');
	put_text(text, "timeline", tl_bytes_of(view->target->name));
	put_values(text, TL_METRIC_TIMELINE, view, 0);
	for (unsigned set = TL_METRIC_LANE; set < TL_METRIC_SETS; set++)
		put_set(text, (enum tl_metric_set)set, view);
	tl_put_char(text, '}');
}

static void
put_all(struct tl_text *text, const struct tl_metrics *metrics)
{
	tl_put_char(text, '{');
	put_text(text, "version", tl_bytes_of(TIMELINE_VERSION));
	put_key(text, tl_bytes_of("daemon"));
	tl_put_char(text, '{');
	put_values(text, TL_METRIC_DAEMON, &metrics->whole, 0);
	tl_put_char(text, '}');
	put_key(text, tl_bytes_of("timelines"));
	tl_put_char(text, '[');
	for (size_t i = 0; i < metrics->count; i++) {
		if (i > 0)
			tl_put_char(text, ',');
		put_timeline(text, &metrics->views[i]);
	}
	tl_put_string(text, "]}\n");
}

void
tl_metrics_json(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_metrics metrics;
	const int rc = tl_metrics_gather(&metrics, daemon);

	if (rc == 0)
		put_all(text, &metrics);
	else
		text->rc = rc;
	tl_metrics_release(&metrics);
}
