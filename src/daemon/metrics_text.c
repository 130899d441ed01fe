/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics_text.c - metrics as Prometheus reads them, text format 0.0.4.
 *
 *	# HELP timeline_entries_appended_total Entries appended to a lane ...
 *	# TYPE timeline_entries_appended_total counter
 *	timeline_entries_appended_total{timeline="a",cpu="0",tier="0"} 17
 */
#include "daemon/metrics.h"
#include "daemon/metrics_table.h"

/*
 * A label's value.  First what could steer a terminal is escaped as
 * everywhere, and so is what is no UTF-8: two names stay two.  Then \ and "
 * once more, as the format wants it (no newline is left by then).
 */
static void
put_label(struct tl_text *text, const char *name, struct tl_bytes value)
{
	struct tl_text plain = { 0 };

	tl_put_plain(&plain, value);
	tl_put_string(text, name);
	tl_put_string(text, "=\"");
	for (size_t i = 0; i < plain.size; i++) {
		if (plain.data[i] == '\\' || plain.data[i] == '"')
			tl_put_char(text, '\\');
		tl_put_char(text, plain.data[i]);
	}
	tl_put_char(text, '"');
	if (plain.rc != 0)
		text->rc = plain.rc;
	tl_text_free(&plain);
}

static void
put_labels(struct tl_text *text, const struct tl_metrics_view *view,
    const struct tl_metric_labels *labels)
{
	const char *before = "{";

	if (view->target) {
		tl_put_string(text, before);
		put_label(text, "timeline", tl_bytes_of(view->target->name));
		before = ",";
	}
	for (size_t i = 0; i < labels->count; i++) {
		tl_put_string(text, before);
		put_label(text, labels->label[i].name, labels->label[i].value);
		before = ",";
	}
	if (*before == ',')
		tl_put_char(text, '}');
}

static void
put_samples(struct tl_text *text, const struct tl_metric *metric,
    const struct tl_metrics_view *view)
{
	const size_t count = tl_metric_set_size(metric->set, view);

	for (size_t i = 0; i < count; i++) {
		const size_t before = text->size;
		struct tl_metric_labels labels;
		struct tl_metric_value value;

		if (!tl_metric_set_labels(metric->set, view, i, &labels) ||
		    !metric->get(view, i, &value))
			continue;
		tl_put_string(text, metric->name);
		put_labels(text, view, &labels);
		tl_put_char(text, ' ');
		if (tl_metric_put(text, &value))
			tl_put_char(text, '\n');
		else
			text->size = before;
	}
}

/* All samples of a metric stand together; one without any is not named. */
static void
put_metric(struct tl_text *text, const struct tl_metric *metric,
    const struct tl_metrics *metrics)
{
	const size_t before = text->size;
	size_t head;

	tl_put_format(text, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
	    metric->help, metric->name,
	    metric->type == TL_METRIC_COUNTER ? "counter" : "gauge");
	head = text->size;
	if (metric->set < TL_METRIC_TIMELINE)
		put_samples(text, metric, &metrics->whole);
	else
		for (size_t i = 0; i < metrics->count; i++)
			put_samples(text, metric, &metrics->views[i]);
	if (text->size == head)
		text->size = before;
}

void
tl_metrics_text(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_metrics metrics;
	const int rc = tl_metrics_gather(&metrics, daemon);

	if (rc == 0)
		for (size_t i = 0; i < tl_metrics_table_count; i++)
			put_metric(text, &tl_metrics_table[i], &metrics);
	else
		text->rc = rc;
	tl_metrics_release(&metrics);
}
