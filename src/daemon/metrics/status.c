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
#include "daemon/sandbox/sandbox.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

static void
put_name(struct tl_text *text, const char *name)
{
	tl_put_plain(text, tl_bytes_of(name));
}

/* A duration as an argument of tl_put_format(). */
#define NS(ns) TL_DURATION((ns) > INT64_MAX ? INT64_MAX : (int64_t)(ns))

static void
put_daemon(struct tl_text *text, const struct tl_metrics *m)
{
	const struct tl_daemon *d = m->whole.daemon;
	const struct tl_snapshots_status *s = &m->snapshots;
	const int64_t up_ns = tl_clock_read(CLOCK_REALTIME) - d->started_ns;

	tl_put_format(text, "timelined %s, process %d, up %s; used %s of CPU",
	    TIMELINE_VERSION, (int)getpid(),
	    up_ns < TL_NS_PER_S
		? "0s"
		: TL_DURATION(up_ns / TL_NS_PER_S * TL_NS_PER_S),
	    TL_DURATION(m->own.cpu_ns / 1000000 * 1000000));
	if (m->own.has_rss)
		tl_put_format(text, ", %s bytes", TL_SIZE(m->own.rss));
	tl_put_string(text, "\n  configured ");
	put_name(text, d->config->path);
	tl_put_format(text, "; %s, %lu refused\n",
	    TL_COUNTED(d->reloads, "reload"), d->reload_faults);
	tl_put_format(text, "  seccomp    %s\n", tl_seccomp_state());
	tl_put_format(text, "  timelines  %zu attached, %lu refused so far",
	    d->target_count, d->refused);
	if (d->ending_count > 0)
		tl_put_format(text, "; %s of others end",
		    TL_COUNTED(d->ending_count, "recording"));
	tl_put_format(text,
	    "\n  snapshots  %lu saved, %lu failed, %lu removed, %zu waiting; "
	    "%lu files, %s bytes in ",
	    s->saved, s->failed, s->removed, s->queued, s->files,
	    TL_SIZE(s->bytes));
	put_name(text, d->config->directory);
	tl_put_char(text, '\n');
}

static const char *
threshold_name(unsigned threshold)
{
	return threshold > TIMELINE_LEVEL_MAX ? "nothing"
					      : tl_level_name(threshold);
}

/* The first line of a timeline, after its name. */
static void
put_inspection(struct tl_text *text, const struct tl_inspection *g)
{
	tl_put_format(text, "room for %lu entries, %s bytes; logs %s", g->room,
	    TL_SIZE(g->used), threshold_name(g->threshold));
	if (g->burst)
		tl_put_format(text, " for %s more, then %s",
		    NS(g->burst_left_ns), threshold_name(g->base));
	tl_put_char(text, '\n');
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
	tl_put_format(text, "  history    %s",
	    kept_ns < 0 ? "unknown" : TL_DURATION(kept_ns));
	if (wanted_ns > 0)
		tl_put_format(text, " of %s%s", NS(wanted_ns),
		    v->target->bursts && !v->bursts.keeps ? ": too little"
							  : "");
	tl_put_char(text, '\n');
}

static void
put_bursts(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_bursts_status *b = &v->bursts;
	const char *before = ": ";

	if (!v->target->bursts || (b->period_ns == 0 && b->made == 0))
		return;
	tl_put_format(text, "  bursts     %lu", b->made);
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
		tl_put_format(text, "; %s each %s, scale ", NS(b->length_ns),
		    NS(b->period_ns));
		tl_put_rounded(text, b->scale, 3);
	}
	tl_put_char(text, '\n');
}

static void
put_slots(struct tl_text *text, const struct tl_bursts_status *b)
{
	if (b->slot_ns == 0)
		return;
	tl_put_format(text, "  slots      %s each, ", NS(b->slot_ns));
	tl_put_rounded(text, b->share * 100, 3);
	tl_put_string(text, " % of them open, scale ");
	tl_put_rounded(text, b->scale, 3);
	tl_put_format(text, "; %s starved\n",
	    NS(b->starved_ns / 1000000 * 1000000));
}

static void
put_clock(struct tl_text *text, const struct tl_calibrator_status *c)
{
	tl_put_format(text, "  clock      %swithin %s (at most %s), %s",
	    c->busy ? "calibrated by another process; " : "",
	    TL_DURATION(c->est_err_ns), TL_DURATION(c->max_err_ns),
	    TL_COUNTED(c->points, "point"));
	if (c->steps > 0)
		tl_put_format(text, ", %s", TL_COUNTED(c->steps, "step"));
	tl_put_string(text, c->suspect ? "; the TSC is not trusted\n" : "\n");
}

static void
put_triggers(struct tl_text *text, const struct tl_rules *rules)
{
	const size_t count = rules ? tl_rules_count(rules) : 0;

	for (size_t i = 0; i < count; i++) {
		struct tl_rule_status s = { 0 };

		tl_rules_status(rules, i, &s);
		tl_put_string(text, "  trigger    ");
		put_name(text, s.rule->name);
		tl_put_format(text, ": fired %lu times, %lu suppressed%s",
		    s.fired, s.suppressed, s.off ? "; OFF: it failed" : "");
		if (s.suspended)
			tl_put_format(text,
			    "; suspended for %s: its messages are not logged",
			    NS((uint64_t)s.suspended_now_ns));
		tl_put_char(text, '\n');
	}
}

static void
put_record(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_recorder_status *r = &v->record.recorder;

	if (!v->has_record)
		return;
	tl_put_format(text, "  recording  %s, %lu lost; %s, %s bytes",
	    TL_COUNTED(r->events, "entry"), r->lost,
	    TL_COUNTED(r->files, "file"), TL_SIZE(r->bytes));
	if (r->path[0]) {
		tl_put_string(text, ", now ");
		put_name(text, r->path);
	}
	if (v->record.rc < 0)
		tl_put_format(text, "; FAILS: %s", strerror(-v->record.rc));
	tl_put_char(text, '\n');
}

static void
put_kernel(struct tl_text *text, const struct tl_metrics_view *v)
{
	const struct tl_kernel_events_status *k = &v->kernel;

	if (!v->has_kernel)
		return;
	tl_put_format(text, "  kernel     %s, %lu lost, of %s",
	    TL_COUNTED(k->entries, "entry"), k->lost,
	    TL_COUNTED(k->threads, "thread"));
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
	const struct tl_target_counts *counts = &t->counts;

	tl_put_char(text, '\n');
	put_name(text, t->name);
	tl_put_string(text, ": ");
	if (!v->is_inspected) {
		tl_put_string(text, "cannot be inspected\n");
		return;
	}
	put_inspection(text, &v->inspection);
	tl_put_format(text,
	    "  entries    %lu appended, %lu lost; %lu read, %lu overwritten "
	    "before\n",
	    v->inspection.appended, v->inspection.dropped + counts->lost,
	    counts->entries, counts->overwritten);
	put_history(text, v);
	put_bursts(text, v);
	put_slots(text, &v->bursts);
	if (t->calibrator)
		put_clock(text, &v->clock);
	if (t->writers)
		tl_put_format(text, "  writers    %zu alive, %zu ended\n",
		    v->writers_alive, v->writers_ended);
	put_triggers(text, t->rules);
	tl_put_format(text, "  snapshots  %lu saved, %lu failed\n",
	    counts->snapshots, counts->snapshot_faults);
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
		for (size_t i = 0; i < metrics.count; i++)
			put_timeline(text, &metrics.views[i]);
	} else {
		text->rc = rc;
	}
	tl_metrics_release(&metrics);
}
