/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - the metrics for programs.
 *
 * Prometheus text format 0.0.4:
 *
 *	# HELP timeline_entries_appended_total Entries appended to a lane ...
 *	# TYPE timeline_entries_appended_total counter
 *	timeline_entries_appended_total{timeline="a",cpu="0",tier="0"} 17
 *
 * JSON, where a key is the name of the metric without "timeline_" or
 * "timelined_" and "_total", and a metric without a value is null:
 *
 *	{"version":"0.1.0","daemon":{"process_cpu_seconds":0.1,...},
 *	 "timelines":[{"timeline":"a","kept_seconds":60.5,...,
 *	   "lanes":[{"cpu":"0","tier":"0","entries_appended":17},...],
 *	   "priorities":[{"priority":"trace","open_ratio":...},...],...}]}
 *
 * Recordings:
 *
 *	{"recordings":[{"timeline":"a","entries":17,"lost":0,"files":1,
 *	  "bytes":4096,"queued":0,"faults":0,"path":"/...","error":null},...]}
 */
#include "daemon/metrics/metrics.h"

#include "base/array.h"
#include "base/fields.h"
#include "ring/ring.h"
#include "snap/timers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 64 };

/* == Prometheus == */

/*
 * Put a label's value.  First the value is escaped as everywhere: characters
 * that could control a terminal and bytes that are not UTF-8, so that two names
 * stay two.  Then \ and " are escaped as the format requires; no newline is
 * left by then.
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

/* Put all samples of a metric; a metric without samples is left out. */
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

/* == timers == */

static const char timer_name[] = "timeline_timer_duration_seconds";

/* Put one sample of a histogram. */
static void
put_timer_sample(struct tl_text *text, const char *suffix,
    struct tl_bytes labels, const char *le, double value)
{
	tl_put_format(text, "%s%s", timer_name, suffix);
	tl_put_bytes(text, labels);
	if (le)
		tl_put_format(text, ",le=\"%s\"", le);
	tl_put_format(text, "} %.17g\n", value);
}

/* Put buckets with bounds at 1, 2.5 and 5 times the powers of ten from 100 ns
 * to 100 s.  A bucket of the file counts in the bucket that contains its
 * middle. */
static void
put_timer_buckets(struct tl_text *text, const struct tl_timer *timer,
    struct tl_bytes labels)
{
	static const double steps[] = { 1, 2.5, 5 };
	uint64_t count = 0;
	uint32_t bucket = 0;
	double power = 100;
	char le[32];

	for (int i = 0; i < 3 * 9 + 1; i++) {
		const double bound = power * steps[i % 3];

		for (; bucket < TIMELINE_BUCKETS; bucket++) {
			const uint64_t middle =
			    (timeline_bucket_low(bucket) +
				timeline_bucket_low(bucket + 1)) /
			    2;

			if ((double)tl_timer_ns(timer, middle) > bound)
				break;
			count += timer->values[bucket];
		}
		snprintf(le, sizeof(le), "%.9g", bound / 1e9);
		put_timer_sample(text, "_bucket", labels, le, (double)count);
		if (i % 3 == 2)
			power *= 10;
	}
	put_timer_sample(text, "_bucket", labels, "+Inf", (double)timer->count);
	put_timer_sample(text, "_sum", labels, NULL,
	    (double)tl_timer_ns(timer, timer->sum) / 1e9);
	put_timer_sample(text, "_count", labels, NULL, (double)timer->count);
}

/* Read the message of a timer, with only the first line of its text.  Returns
 * false if the message is damaged. */
static bool
timer_record(struct tl_record *r, const struct timeline *tl,
    const struct tl_timer *timer)
{
	const char *newline;

	if (tl_record_at(r, tl->strings, tl->geometry.strings_size,
		timer->fixed.record, 0, NULL) != 0)
		return false;
	newline = memchr(r->text.data, '\n', r->text.size);
	if (newline)
		r->text.size = (size_t)(newline - r->text.data);
	return true;
}

static void
put_timer(struct tl_text *text, const struct tl_target *target,
    const struct tl_timer *timer)
{
	struct tl_text labels = { 0 };
	struct tl_record r;

	if (!timer_record(&r, target->tl, timer))
		return;
	tl_put_char(&labels, '{');
	put_label(&labels, "timeline", tl_bytes_of(target->name));
	tl_put_char(&labels, ',');
	put_label(&labels, "category", r.category);
	tl_put_char(&labels, ',');
	put_label(&labels, "message", r.text);
	if (labels.rc == 0)
		put_timer_buckets(text, timer,
		    tl_bytes(labels.data, labels.size));
	tl_text_free(&labels);
}

void
tl_metrics_text(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_timer *timer = malloc(sizeof(*timer));
	struct tl_metrics metrics;
	const int rc = tl_metrics_gather(&metrics, daemon);
	bool any = false;

	if (rc == 0)
		for (size_t i = 0; i < tl_metrics_table_count; i++)
			put_metric(text, &tl_metrics_table[i], &metrics);
	else
		text->rc = rc;

	if (!timer)
		text->rc = -ENOMEM;
	for (size_t i = 0; timer && i < daemon->target_count; i++) {
		const struct tl_target *t = daemon->targets[i];

		for (uint32_t k = 0; t->tl && tl_timer_read(timer, t->tl->fd,
						  &t->tl->geometry, k) > 0;
		     k++) {
			if (!any)
				tl_put_format(text,
				    "# HELP %s How long spans of a timer "
				    "took.\n# TYPE %s histogram\n",
				    timer_name, timer_name);
			any = true;
			put_timer(text, t, timer);
		}
	}
	free(timer);

	tl_metrics_release(&metrics);
}

/* == JSON == */

/* Put the values of member i of a set.  A key is the name of the metric without
 * "timeline_" or "timelined_" and "_total". */
static void
put_values(struct tl_fields *f, enum tl_metric_set set,
    const struct tl_metrics_view *view, size_t i)
{
	static const char *const drop[] = { "timelined_", "timeline_" };

	for (size_t m = 0; m < tl_metrics_table_count; m++) {
		const struct tl_metric *metric = &tl_metrics_table[m];
		const char *name = metric->name;
		struct tl_metric_value value;
		char key[KEY_MAX];

		if (metric->set != set)
			continue;
		for (size_t k = 0; k < TL_COUNT(drop); k++)
			if (strncmp(name, drop[k], strlen(drop[k])) == 0)
				name += strlen(drop[k]);
		snprintf(key, sizeof(key), "%s", name);
		if (tl_bytes_end_with(tl_bytes_of(key), "_total"))
			key[strlen(key) - strlen("_total")] = '\0';
		tl_fields_member(f, key);
		if (!metric->get(view, i, &value) ||
		    !tl_metric_put(f->text, &value))
			tl_put_string(f->text, "null");
	}
}

static void
put_timeline(struct tl_fields *f, const struct tl_metrics_view *view)
{
	struct tl_metric_labels labels;

	tl_fields_object(f, NULL);
	tl_fields_string(f, "timeline", view->target->name);
	put_values(f, TL_METRIC_TIMELINE, view, 0);
	for (enum tl_metric_set set = TL_METRIC_LANE; set < TL_METRIC_SETS;
	     set++) {
		const size_t count = tl_metric_set_size(set, view);

		tl_fields_array(f, tl_metric_set_key(set));
		for (size_t i = 0; i < count; i++) {
			if (!tl_metric_set_labels(set, view, i, &labels))
				continue;
			tl_fields_object(f, NULL);
			for (size_t n = 0; n < labels.count; n++)
				tl_fields_bytes(f, labels.label[n].name,
				    labels.label[n].value);
			put_values(f, set, view, i);
			tl_fields_object_end(f);
		}
		tl_fields_array_end(f);
	}
	tl_fields_object_end(f);
}

void
tl_metrics_json(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_fields f = { .text = text, .json = true };
	struct tl_metrics metrics;
	const int rc = tl_metrics_gather(&metrics, daemon);

	if (rc == 0) {
		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "version", TIMELINE_VERSION);
		tl_fields_object(&f, "daemon");
		put_values(&f, TL_METRIC_DAEMON, &metrics.whole, 0);
		tl_fields_object_end(&f);
		tl_fields_array(&f, "timelines");
		for (size_t i = 0; i < metrics.count; i++)
			put_timeline(&f, &metrics.views[i]);
		tl_fields_array_end(&f);
		tl_fields_object_end(&f);
	} else {
		text->rc = rc;
	}
	tl_metrics_release(&metrics);
}

/* == recordings == */

/* Put a member; "" becomes null. */
static void
put_optional(struct tl_fields *f, const char *name, const char *words)
{
	if (words[0])
		tl_fields_string(f, name, words);
	else
		tl_fields_null(f, name);
}

void
tl_metrics_record(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_fields f = { .text = text, .json = true };
	struct tl_record_status status;

	tl_fields_object(&f, NULL);
	tl_fields_array(&f, "recordings");
	for (size_t i = 0; i < daemon->target_count; i++) {
		const struct tl_target *target = daemon->targets[i];
		const struct tl_recorder_status *r = &status.recorder;

		if (!tl_target_is_recorded(target))
			continue;
		tl_target_record_status(target, &status);
		tl_fields_object(&f, NULL);
		tl_fields_string(&f, "timeline", target->name);
		tl_fields_unsigned(&f, "entries", r->events);
		tl_fields_unsigned(&f, "lost", r->lost);
		tl_fields_unsigned(&f, "files", r->files);
		tl_fields_unsigned(&f, "bytes", r->bytes);
		tl_fields_unsigned(&f, "queued", r->queued);
		tl_fields_unsigned(&f, "faults", r->faults);
		put_optional(&f, "path", r->path);
		put_optional(&f, "error",
		    status.rc < 0 ? strerror(-status.rc) : "");
		tl_fields_object_end(&f);
	}
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
}

void
tl_metrics_timers(struct tl_text *text, const struct tl_target *target)
{
	const struct timeline *tl = target->tl;
	struct tl_timer *timer = malloc(sizeof(*timer));
	struct tl_fields f = { .text = text, .json = true };
	struct tl_record r;

	if (!timer) {
		text->rc = -ENOMEM;
		return;
	}
	tl_fields_object(&f, NULL);
	tl_fields_array(&f, "timers");
	for (uint32_t k = 0;
	     tl && tl_timer_read(timer, tl->fd, &tl->geometry, k) > 0; k++)
		if (timer_record(&r, tl, timer)) {
			tl_fields_object(&f, NULL);
			tl_fields_bytes(&f, "category", r.category);
			tl_fields_bytes(&f, "message", r.text);
			tl_timer_put(&f, timer);
			tl_timer_put_slower(&f, timer);
			tl_fields_object_end(&f);
		}
	tl_fields_array_end(&f);
	tl_fields_object_end(&f);
	tl_put_char(text, '\n');
	free(timer);
}
