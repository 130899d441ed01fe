/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - the metrics as text for people: a paragraph for the daemon and one
 * for each timeline.  Absent values are left out.
 *
 *	example: room for 163840 entries, 10.0M bytes; logs info
 *	  entries    12345 appended, 0 lost; 12345 read, 0 overwritten before
 *	  history    1m02s of 1m00s
 *	  bursts     9: 9 trace; 1 skipped, 0 by triggers; 100us each 10ms, ...
 *	  clock      within 81ns (at most 203ns), 120 points
 *	  writers    2 alive, 0 ended
 *	  trigger    slow: fired 3 times, 1 suppressed
 *	  snapshots  3 saved, 0 failed
 *	  recording  12345 entries, 0 lost; 2 files, 1.2M bytes, now FILE
 *	  kernel     2345 entries, 0 lost, of 4 threads
 */
#include "base/ns.h"
#include "base/text.h"
#include "clock/clock.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/table.h"
#include "daemon/sandbox/seccomp.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LABEL_WIDTH = 11 };

static void
put_label(struct tl_text *text, const char *label)
{
	tl_put_format(text, "  %-*s", LABEL_WIDTH, label);
}

static void
put_name(struct tl_text *text, const char *name)
{
	tl_put_plain(text, tl_bytes_of(name));
}

static void
put_bytes(struct tl_text *text, uint64_t bytes)
{
	tl_put_size(text, bytes);
	tl_put_string(text, " bytes");
}

static void
put_ns(struct tl_text *text, uint64_t ns)
{
	tl_put_duration(text, ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
}

static void
put_daemon(struct tl_text *text, const struct tl_metrics *m)
{
	const struct tl_daemon *d = m->whole.daemon;
	const int64_t up_ns = tl_clock_read(CLOCK_REALTIME) - d->started_ns;

	tl_put_format(text, "timelined %s, process %d, up ", TIMELINE_VERSION,
	    (int)getpid());
	if (up_ns < TL_NS_PER_S)
		tl_put_string(text, "0s");
	else
		tl_put_duration(text, up_ns / TL_NS_PER_S * TL_NS_PER_S);
	tl_put_string(text, "; used ");
	tl_put_duration(text, m->own.cpu_ns / 1000000 * 1000000);
	tl_put_string(text, " of CPU");
	if (m->own.has_rss) {
		tl_put_string(text, ", ");
		put_bytes(text, m->own.rss);
	}
	tl_put_char(text, '\n');
	put_label(text, "configured");
	put_name(text, d->config->path);
	tl_put_string(text, "; ");
	tl_put_count(text, d->reloads, "reload");
	tl_put_format(text, ", %lu refused\n", d->reload_faults);
	put_label(text, "seccomp");
	put_name(text, tl_seccomp_state());
	tl_put_char(text, '\n');
	put_label(text, "timelines");
	tl_put_format(text, "%zu attached, %lu refused so far", d->target_count,
	    d->refused);
	if (d->ending_count > 0)
		tl_put_format(text, "; %zu recording%s of others end",
		    d->ending_count, d->ending_count == 1 ? "" : "s");
	tl_put_char(text, '\n');
}

static void
put_snapshots(struct tl_text *text, const struct tl_metrics *m)
{
	const struct tl_snapshots_status *s = &m->snapshots;

	put_label(text, "snapshots");
	tl_put_format(text,
	    "%lu saved, %lu failed, %lu removed, %zu waiting; %lu "
	    "files, ",
	    s->saved, s->failed, s->removed, s->queued, s->files);
	put_bytes(text, s->bytes);
	tl_put_string(text, " in ");
	put_name(text, m->whole.daemon->config->directory);
	tl_put_char(text, '\n');
}

/* The first line of a timeline, after its name. */
static void
put_inspection(struct tl_text *text, const struct tl_inspection *inspection)
{
	uint64_t entries = 0;

	for (size_t i = 0; i < inspection->lane_count; i++)
		entries += inspection->lanes[i].entries;
	tl_put_string(text, "room for ");
	tl_put_unsigned(text, entries);
	tl_put_string(text, " entries, ");
	put_bytes(text, inspection->used);
	tl_put_string(text, "; logs ");
	tl_put_string(text, inspection->threshold > TIMELINE_LEVEL_MAX
				? "nothing"
				: tl_level_name(inspection->threshold));
	if (inspection->burst) {
		tl_put_string(text, " for ");
		put_ns(text, inspection->burst_left_ns);
		tl_put_string(text, " more, then ");
		tl_put_string(text, inspection->base > TIMELINE_LEVEL_MAX
					? "nothing"
					: tl_level_name(inspection->base));
	}
	tl_put_char(text, '\n');
}

static void
put_entries(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_target_counts *counts = &v->target->counts;

	put_label(text, "entries");
	tl_put_format(text,
	    "%lu appended, %lu lost; %lu read, %lu overwritten before\n",
	    v->inspection.appended, (v->inspection.dropped + counts->lost),
	    counts->entries, counts->overwritten);
}

static void
put_history(struct tl_text *text, const struct tl_metrics_view *v)
{
	const int64_t kept_ns =
	    v->bursts.kept_ns >= 0 ? v->bursts.kept_ns : v->inspection.kept_ns;
	const uint64_t wanted_ns =
	    v->target->config ? v->target->config->keep_ns : 0;

	if (kept_ns < 0 && wanted_ns == 0)
		return;
	put_label(text, "history");
	if (kept_ns < 0)
		tl_put_string(text, "unknown");
	else
		tl_put_duration(text, kept_ns);
	if (wanted_ns > 0) {
		tl_put_string(text, " of ");
		put_ns(text, wanted_ns);
		if (v->target->bursts && !v->bursts.keeps)
			tl_put_string(text, ": too little");
	}
	tl_put_char(text, '\n');
}

static void
put_slots(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_bursts_status *b = &v->bursts;

	if (b->slot_ns == 0)
		return;
	put_label(text, "slots");
	put_ns(text, b->slot_ns);
	tl_put_string(text, " each, ");
	tl_put_rounded(text, b->share * 100, 3);
	tl_put_string(text, " % of them open, scale ");
	tl_put_rounded(text, b->scale, 3);
	tl_put_string(text, "; ");
	put_ns(text, b->starved_ns / 1000000 * 1000000);
	tl_put_string(text, " starved\n");
}

static void
put_bursts(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_bursts_status *b = &v->bursts;
	const char *before = ": ";

	if (!v->target->bursts || (b->period_ns == 0 && b->made == 0))
		return;
	put_label(text, "bursts");
	tl_put_unsigned(text, b->made);
	for (unsigned level = 1; level <= TIMELINE_LEVEL_MAX; level++) {
		if (b->by_level[level] == 0)
			continue;
		tl_put_format(text, "%s%lu %s", before, b->by_level[level],
		    tl_level_name(level));
		before = ", ";
	}
	tl_put_format(text, "; %lu skipped, %lu by triggers", b->skipped,
	    b->triggered);
	if (b->period_ns > 0) {
		tl_put_string(text, "; ");
		put_ns(text, b->length_ns);
		tl_put_string(text, " each ");
		put_ns(text, b->period_ns);
		tl_put_string(text, ", scale ");
		tl_put_rounded(text, b->scale, 3);
	}
	tl_put_char(text, '\n');
}

static void
put_clock(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_calibrator_status *c = &v->clock;

	if (!v->target->calibrator)
		return;
	put_label(text, "clock");
	if (c->busy)
		tl_put_string(text, "calibrated by another process; ");
	tl_put_string(text, "within ");
	tl_put_duration(text, c->est_err_ns);
	tl_put_string(text, " (at most ");
	tl_put_duration(text, c->max_err_ns);
	tl_put_string(text, "), ");
	tl_put_count(text, c->points, "point");
	if (c->steps > 0) {
		tl_put_string(text, ", ");
		tl_put_count(text, c->steps, "step");
	}
	if (c->suspect)
		tl_put_string(text, "; the TSC is not trusted");
	tl_put_char(text, '\n');
}

static void
put_triggers(struct tl_text *text, const struct tl_rules *rules)
{
	const size_t count = rules ? tl_rules_count(rules) : 0;

	for (size_t i = 0; i < count; i++) {
		struct tl_rule_status s = { 0 };

		tl_rules_status(rules, i, &s);
		put_label(text, "trigger");
		put_name(text, s.rule->name);
		tl_put_format(text, ": fired %lu times, %lu suppressed%s",
		    s.fired, s.suppressed, s.off ? "; OFF: it failed" : "");
		if (s.suspended) {
			tl_put_string(text, "; suspended for ");
			put_ns(text, (uint64_t)s.suspended_now_ns);
			tl_put_string(text, ": its messages are not logged");
		}
		tl_put_char(text, '\n');
	}
}

static void
put_record(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_recorder_status *r = &v->record.recorder;

	if (!v->has_record)
		return;
	put_label(text, "recording");
	tl_put_count(text, r->events, "entry");
	tl_put_format(text, ", %lu lost; ", r->lost);
	tl_put_count(text, r->files, "file");
	tl_put_string(text, ", ");
	put_bytes(text, r->bytes);
	if (r->path[0]) {
		tl_put_string(text, ", now ");
		put_name(text, r->path);
	}
	if (v->record.rc < 0) {
		tl_put_string(text, "; FAILS: ");
		put_name(text, strerror(-v->record.rc));
	}
	tl_put_char(text, '\n');
}

static void
put_kernel(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_kernel_events_status *k = &v->kernel;

	if (!v->has_kernel)
		return;
	put_label(text, "kernel");
	tl_put_count(text, k->entries, "entry");
	tl_put_format(text, ", %lu lost, of ", k->lost);
	tl_put_count(text, k->threads, "thread");
	if (!k->on) {
		tl_put_string(text, "; OFF: ");
		put_name(text, k->why[0] ? k->why : "waiting for the keeper");
	}
	tl_put_char(text, '\n');
}

static void
put_timeline(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_target *t = v->target;

	tl_put_char(text, '\n');
	put_name(text, t->name);
	tl_put_string(text, ": ");
	if (!v->is_inspected) {
		tl_put_string(text, "cannot be inspected\n");
		return;
	}
	put_inspection(text, &v->inspection);
	put_entries(text, v);
	put_history(text, v);
	put_bursts(text, v);
	put_slots(text, v);
	put_clock(text, v);
	if (t->writers) {
		put_label(text, "writers");
		tl_put_format(text, "%zu alive, %zu ended\n", v->writers_alive,
		    v->writers_ended);
	}
	put_triggers(text, t->rules);
	put_label(text, "snapshots");
	tl_put_format(text, "%lu saved, %lu failed\n", t->counts.snapshots,
	    t->counts.snapshot_faults);
	put_record(text, v);
	put_kernel(text, v);
}

void
tl_metrics_status(struct tl_text *text, const struct tl_daemon *daemon)
{
	struct tl_metrics metrics;
	const int rc = tl_metrics_gather(&metrics, daemon);

	if (rc == 0) {
		put_daemon(text, &metrics);
		put_snapshots(text, &metrics);
		for (size_t i = 0; i < metrics.count; i++)
			put_timeline(text, &metrics.views[i]);
	} else {
		text->rc = rc;
	}
	tl_metrics_release(&metrics);
}
