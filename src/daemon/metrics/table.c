/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - read the status of all parts, and the table of metrics. */
#include "daemon/metrics/metrics.h"

#include "base/array.h"
#include "base/file.h"
#include "base/ns.h"
#include "base/text.h"
#include "clock/clock.h"
#include "daemon/sandbox/sandbox.h"
#include "ring/ring.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* == gathering == */

enum { STATM_MAX = 256 };

/* Read the resident size: the second number of statm, in pages. */
static bool
read_rss(uint64_t *rss)
{
	char text[STATM_MAX];

	if (tl_read_start(text, sizeof(text), "/proc/self/statm") == 0 ||
	    sscanf(text, "%*s %lu", rss) != 1)
		return false;
	*rss *= (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

static bool
count_fds(uint64_t *fds)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!dir)
		return false;
	*fds = 0;
	while ((entry = readdir(dir)) != NULL)
		*fds += entry->d_name[0] != '.';
	closedir(dir);
	*fds -= *fds > 0; /* without the open directory */
	return true;
}

static void
read_target(struct tl_metrics_view *view, const struct tl_target *target)
{
	const struct tl_writers *writers = target->writers;
	const size_t count = writers ? tl_writers_count(writers) : 0;
	struct tl_fault fault = { 0 };

	view->target = target;
	view->is_inspected =
	    target->tl && tl_inspect_fd(&view->inspection, target->tl->fd,
			      false, &fault) == 0;
	view->bursts.kept_ns = -1;
	if (target->bursts)
		tl_bursts_status(target->bursts, &view->bursts);
	if (target->calibrator)
		tl_calibrator_status(target->calibrator, &view->clock);
	view->has_record = tl_target_is_recorded(target);
	tl_target_record_status(target, &view->record);
	view->has_kernel = target->kernel_events != NULL;
	if (view->has_kernel)
		tl_kernel_events_status(target->kernel_events, &view->kernel);
	for (size_t i = 0; i < count; i++) {
		if (tl_writers_get(writers, i)->died_ns != 0)
			view->writers_ended++;
		else
			view->writers_alive++;
	}
}

int
tl_metrics_gather(struct tl_metrics *metrics, const struct tl_daemon *d)
{
	*metrics = (struct tl_metrics){ .count = d->target_count };
	metrics->whole = (struct tl_metrics_view){ .daemon = d,
		.own = &metrics->own,
		.snapshots = &metrics->snapshots };
	metrics->views = calloc(metrics->count + 1, sizeof(*metrics->views));
	if (!metrics->views)
		return -ENOMEM;
	metrics->own.cpu_ns = tl_clock_read(CLOCK_PROCESS_CPUTIME_ID);
	metrics->own.has_rss = read_rss(&metrics->own.rss);
	metrics->own.has_fds = count_fds(&metrics->own.fds);
	tl_programs_status(&metrics->own.programs);
	if (d->snapshots)
		tl_snapshots_status(d->snapshots, &metrics->snapshots);
	for (size_t i = 0; i < metrics->count; i++) {
		metrics->views[i] = metrics->whole;
		read_target(&metrics->views[i], d->targets[i]);
	}
	return 0;
}

void
tl_metrics_release(struct tl_metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (metrics->views[i].is_inspected)
			tl_inspection_free(&metrics->views[i].inspection);
	free(metrics->views);
	metrics->views = NULL;
	metrics->count = 0;
}

/* == the table == */

enum { NS_DIGITS = 9 };

/* The history that the control of retention measures, or else the
 * inspection's. */
static int64_t
kept_ns_of(const struct tl_metrics_view *view)
{
	if (view->bursts.kept_ns >= 0 || !view->is_inspected)
		return view->bursts.kept_ns;
	return view->inspection.kept_ns;
}

static struct tl_rule_status
rule_of(const struct tl_metrics_view *view, size_t i)
{
	struct tl_rule_status status = { 0 };

	tl_rules_status(view->target->rules, i, &status);
	return status;
}

#define VALUE_COUNT(x)   .count = (x)
#define VALUE_SECONDS(x) .ns = (x)
#define VALUE_RATIO(x)   .ratio = (x)
#define METRIC(set, type, name, form_, when, value, help) \
	static bool get_##name(const struct tl_metrics_view *v, size_t i, \
	    struct tl_metric_value *out) \
	{ \
		(void)v; \
		(void)i; \
		if (!(when)) \
			return false; \
		*out = (struct tl_metric_value){ .form = TL_METRIC_##form_, \
			VALUE_##form_(value) }; \
		return true; \
	}
#include "daemon/metrics/metrics.def"
#undef METRIC

const struct tl_metric tl_metrics_table[] = {
#define METRIC(set, type, name, form, when, value, help) \
	{ TL_METRIC_##set, TL_METRIC_##type, #name, help, get_##name },
#include "daemon/metrics/metrics.def"
#undef METRIC
};
const size_t tl_metrics_table_count = TL_COUNT(tl_metrics_table);

static const char *const causes[] = { [TIMELINE_DROP_BUSY] = "busy",
	[TIMELINE_DROP_LAPPED] = "lapped",
	[TIMELINE_DROP_RACED] = "raced" };
static const char *const states[] = { "alive", "ended" };

const char *
tl_metric_set_key(enum tl_metric_set set)
{
	static const char *const keys[TL_METRIC_SETS] = {
		[TL_METRIC_LANE] = "lanes",
		[TL_METRIC_TIER] = "tiers",
		[TL_METRIC_CAUSE] = "drops",
		[TL_METRIC_PRIORITY] = "priorities",
		[TL_METRIC_WRITER] = "writers",
		[TL_METRIC_RULE] = "triggers",
	};

	assert(set >= TL_METRIC_LANE && set < TL_METRIC_SETS);
	return keys[set];
}

size_t
tl_metric_set_size(enum tl_metric_set set, const struct tl_metrics_view *view)
{
	switch (set) {
	case TL_METRIC_LANE:
		return view->is_inspected ? view->inspection.lane_count : 0;
	case TL_METRIC_TIER:
		return view->is_inspected ? view->inspection.header.tiers : 0;
	case TL_METRIC_CAUSE:
		return view->is_inspected ? TL_COUNT(causes) : 0;
	case TL_METRIC_PRIORITY:
		return TIMELINE_LEVEL_MAX;
	case TL_METRIC_WRITER:
		return TL_COUNT(states);
	case TL_METRIC_RULE:
		return view->target->rules ? tl_rules_count(view->target->rules)
					   : 0;
	default:
		return 1;
	}
}

static struct tl_metric_label *
add_label(struct tl_metric_labels *labels, const char *name)
{
	struct tl_metric_label *label = &labels->label[labels->count++];

	assert(labels->count <= TL_METRIC_LABELS_MAX);
	label->name = name;
	return label;
}

static void
add_text(struct tl_metric_labels *labels, const char *name, const char *value)
{
	add_label(labels, name)->value = tl_bytes_of(value);
}

static void
add_number(struct tl_metric_labels *labels, const char *name,
    const char *before, uint64_t n)
{
	struct tl_metric_label *label = add_label(labels, name);

	snprintf(label->own, sizeof(label->own), "%s%lu", before, n);
	label->value = tl_bytes_of(label->own);
}

/* Label a lane.  On a machine with very many lanes, lanes that never held an
 * entry are left out.  Several fallback lanes are numbered. */
static bool
label_lane(struct tl_metric_labels *labels, const struct tl_metrics_view *view,
    size_t i)
{
	const struct timeline_header *h = &view->inspection.header;
	const struct tl_inspection_lane *lane = &view->inspection.lanes[i];

	if (lane->head == 0 &&
	    view->inspection.lane_count > TL_METRIC_LANES_MAX)
		return false;
	if (!timeline_lane_is_fallback(h, (uint32_t)i))
		add_number(labels, "cpu", "", lane->cpu);
	else if (h->fallback_lanes == 1)
		add_text(labels, "cpu", "fallback");
	else
		add_number(labels, "cpu", "fallback ",
		    i / h->tiers - h->cpu_lanes);
	add_number(labels, "tier", "", lane->tier);
	return true;
}

bool
tl_metric_set_labels(enum tl_metric_set set, const struct tl_metrics_view *view,
    size_t i, struct tl_metric_labels *labels)
{
	labels->count = 0;
	switch (set) {
	case TL_METRIC_BUILD:
		add_text(labels, "version", TIMELINE_VERSION);
		return true;
	case TL_METRIC_LANE:
		return label_lane(labels, view, i);
	case TL_METRIC_TIER:
		add_number(labels, "tier", "", i);
		return true;
	case TL_METRIC_CAUSE:
		add_text(labels, "cause", causes[i]);
		return true;
	case TL_METRIC_PRIORITY:
		add_text(labels, "priority", tl_level_name((unsigned)i + 1));
		return true;
	case TL_METRIC_WRITER:
		add_text(labels, "state", states[i]);
		return true;
	case TL_METRIC_RULE:
		add_text(labels, "trigger", rule_of(view, i).rule->name);
		return true;
	default:
		return true;
	}
}

/* Put seconds with the decimals that the value has. */
static void
put_seconds(struct tl_text *text, int64_t ns)
{
	const uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t rest = size % TL_NS_PER_S;
	int digits = NS_DIGITS;

	if (ns < 0)
		tl_put_char(text, '-');
	tl_put_unsigned(text, size / TL_NS_PER_S);
	if (rest == 0)
		return;
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	tl_put_format(text, ".%0*lu", digits, rest);
}

bool
tl_metric_put(struct tl_text *text, const struct tl_metric_value *value)
{
	switch (value->form) {
	case TL_METRIC_COUNT:
		tl_put_unsigned(text, value->count);
		return true;
	case TL_METRIC_SECONDS:
		put_seconds(text, value->ns);
		return true;
	case TL_METRIC_RATIO:
		if (!isfinite(value->ratio))
			return false;
		tl_put_double(text, value->ratio);
		return true;
	}
	assert(0);
	return false;
}
