/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - attach to one timeline, start the parts that work on it, and carry
 * out the actions of its triggers.
 */
#include "daemon/target.h"
#include "daemon/serve/answer.h"

#include "base/file.h"
#include "clock/clock.h"
#include "daemon/disk/names.h"
#include "daemon/disk/snapshots.h"
#include "daemon/programs.h"
#include "event/sched.h"
#include "ring/guard.h"
#include "ring/ring.h"
#include "snap/inspect.h"
#include "snap/snap.h"
#include "snap/timers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Lock byte 0 of the file, so that no second daemon attaches.  The kernel
 * releases the lock however this process ends. */
static int
lock_for_daemon(int fd)
{
	struct flock lock = { .l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_len = 1 };

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return 0;
	return errno == EACCES || errno == EAGAIN ? -EBUSY : -errno;
}

void
tl_target_count_snapshot(struct tl_target *target,
    const struct tl_snapshot_result *result)
{
	if (target && result->rc == 0)
		target->counts.snapshots++;
	else if (target)
		target->counts.snapshot_faults++;
	if (result->rc == 0)
		tl_daemon_log(TL_LOG_INFO, "%s: saved %s", result->timeline,
		    result->path);
	else
		tl_daemon_log(TL_LOG_ERROR, "%s: cannot save %s: %s",
		    result->timeline, result->path, tl_file_error(result->rc));
}

static void
snapshot_done(void *context, const struct tl_snapshot_result *result)
{
	struct tl_target *t = context;

	tl_target_count_snapshot(t, result);
	if (result->rc != 0)
		return;
	if (result->left_out > 0)
		tl_daemon_log(TL_LOG_NOTICE,
		    "%s: %s: %lu entr%s overwritten while the file was copied; "
		    "the newest ones are kept",
		    t->name, result->path, result->left_out,
		    result->left_out == 1 ? "y was" : "ies were");
	if (result->why_rc < 0)
		tl_daemon_log(TL_LOG_WARNING, "%s: cannot explain %s: %s",
		    t->name, result->path, strerror(-result->why_rc));
	if (result->kernel_rc < 0)
		tl_daemon_log(TL_LOG_WARNING,
		    "%s: cannot save %s" TL_SCHED_SUFFIX
		    ", the events of the kernel: %s",
		    t->name, result->path, tl_file_error(result->kernel_rc));
}

/* Queue a snapshot, unless a snapshot for this reason is queued already. */
static void
save_soon(struct tl_target *target, const char *reason)
{
	const struct tl_snapshot_beside beside = { .kernel =
						       target->kernel_events };

	(void)tl_snapshots_take(target->daemon->snapshots, target->name,
	    target->tl->fd, reason, &target->config->snapshots, &beside,
	    snapshot_done, target);
}

/* Report the death to the rules, and save a snapshot if on_death is
 * configured. */
static void
writer_died(void *context, const struct tl_writer *writer)
{
	struct tl_target *t = context;

	tl_rules_died(t->rules, writer->pid, writer->command, writer->died_ns);
	if (t->config->snapshots.death.on &&
	    tl_throttle_claim(&t->deaths, tl_clock_read(CLOCK_MONOTONIC)))
		save_soon(t, TL_REASON_DEATH);
}

static void
snapshot_due(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	save_soon(timer->data, TL_REASON_SCHEDULE);
}

static void
slower_due(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct tl_target *t = timer->data;

	(void)loop;
	(void)events;
	if (!t->timers_past && tl_timers_past_new(&t->timers_past,
				   (int64_t)t->config->timer_window_ns) < 0)
		return; /* without memory: try again in a second */
	(void)tl_timers_keep(t->tl, t->timers_past,
	    tl_clock_read(CLOCK_MONOTONIC));
}

/* The burst comes first, because its subject passes by; then the snapshot,
 * which is only queued; then the program; then the log line. */
void
tl_target_rule_fired(void *context, const struct tl_firing *firing)
{
	struct tl_target *t = context;
	const struct tl_config_actions *actions = &firing->rule->actions;
	const char *rule = firing->rule->name;
	int rc;
	char reason[TL_REASON_MAX + 1];

	if (actions->burst_level > 0 && t->bursts) {
		rc = tl_bursts_raise(t->bursts, actions->burst_level,
		    actions->burst_ns);
		if (rc < 0)
			tl_daemon_log_limited(&t->no_burst,
			    ev_now(t->daemon->loop),
			    "%s: trigger %s: no burst: %s", t->name, rule,
			    strerror(-rc));
	}
	if (actions->snapshot) {
		const char *glob = firing->rule->match.message;
		struct tl_snapshot_why why = {
			.slower_ns = (int64_t)firing->rule->limit_ns
		};
		const struct tl_snapshot_beside beside = { .why = actions->why
								      ? &why
								      : NULL,
			.kernel = t->kernel_events };

		snprintf(why.glob, sizeof(why.glob), "%s", glob ? glob : "*");
		tl_snapshot_reason_make(reason, rule);
		rc = tl_snapshots_take(t->daemon->snapshots, t->name, t->tl->fd,
		    reason, &t->config->snapshots, &beside, snapshot_done, t);
		/* -EBUSY: the queued snapshot will show the firing, too */
		if (rc < 0 && rc != -EBUSY)
			tl_daemon_log(TL_LOG_WARNING,
			    "%s: trigger %s: no snapshot: %s", t->name, rule,
			    strerror(-rc));
	}
	if (actions->run && actions->run[0])
		tl_programs_run(t->daemon->loop, t->name, firing);
	tl_daemon_log(TL_LOG_NOTICE, "%s: trigger %s: %s", t->name, rule,
	    firing->text);
}

void
tl_target_rule_failed(void *context, const struct tl_config_rule *rule,
    const char *why)
{
	const struct tl_target *target = context;

	tl_daemon_log(TL_LOG_ERROR, "%s: trigger %s is disabled: %s",
	    target->name, rule->name, why);
}

/* Get the gates of messages that rules watch. */
static bool
gates_of(void *context, const struct tl_config_match *match,
    struct tl_rule_gates *gates)
{
	const struct tl_target *t = context;
	struct tl_gates found;

	if (!tl_gates_find(t->tl, match->category ? match->category : "*",
		match->message ? match->message : "*", &found))
		return false;
	*gates = (struct tl_rule_gates){ found.lowest, found.highest };
	return true;
}

/* Was the timeline created under this configuration?  Then none of its entries
 * was read before, or was meant to be skipped. */
static bool
is_new(const struct tl_target *t)
{
	return t->tl->header->created_ns >= t->daemon->configured_ns;
}

/* Make the parts around an attached timeline.  Triggers and deaths see a new
 * timeline from its first entry: the program may have logged, and died, before
 * the daemon found the timeline. */
static int
open_parts(struct tl_target *t, struct tl_fault *fault)
{
	struct ev_loop *loop = t->daemon->loop;
	struct tl_rules_host host = { .fired = tl_target_rule_fired,
		.failed = tl_target_rule_failed,
		.gates = gates_of,
		.context = t };
	int rc;

	if ((rc = tl_follow_open_fd(&t->stream, t->tl->fd,
		 is_new(t) ? UINT64_MAX : 0, fault)) != 0)
		return rc;
	host.observer = tl_follow_observer(t->stream);
	if ((rc = tl_rules_new(&t->rules, t->config->rules,
		 t->config->rule_count, &host, fault)) != 0)
		return rc;
	if ((rc = tl_writers_new(&t->writers, loop, tl_ids_are_none(t->tl),
		 writer_died, t)) != 0 ||
	    (rc = tl_bursts_new(&t->bursts, loop, t->tl, t->config, 0)) != 0)
		return tl_fail(fault, rc, "%s", strerror(-rc));
	/* the calibrator looks for pids in /proc */
	if (!tl_ids_are_none(t->tl))
		if (t->daemon->config->clock &&
		    (rc = tl_calibrator_new(&t->calibrator, loop, t->tl)) != 0)
			return tl_fail(fault, rc,
			    "cannot calibrate its clock: %s", strerror(-rc));
	return 0;
}

/* Apply the section's schedule of snapshots. */
static void
schedule_snapshots(struct tl_target *t)
{
	const struct tl_config_snapshots *s = &t->config->snapshots;
	const double every = (double)s->every_ns / 1e9;

	ev_timer_stop(t->daemon->loop, &t->snapshot_timer);
	ev_timer_set(&t->snapshot_timer, every, every);
	if (every > 0)
		ev_timer_start(t->daemon->loop, &t->snapshot_timer);
	tl_throttle_configure(&t->deaths, s->death.every_ns, s->death.per_hour);
	tl_throttle_configure(&t->requests, s->request.every_ns,
	    s->request.per_hour);
}

/* Start, change or end the recording as configured.  all: include the entries
 * that the timeline still holds. */
static void
configure_record(struct tl_target *t, bool all)
{
	const struct tl_config_record *how = &t->config->record;
	struct tl_fault fault = { 0 };
	int rc = 0;

	if (!how->on) {
		tl_record_end(t->record);
		t->record = NULL;
	} else if (t->record) {
		rc = tl_record_configure(t->record, t->daemon->config, how);
	} else {
		rc = tl_record_new(&t->record, t->daemon, t->name, t->tl->fd,
		    all, how, &fault);
	}
	if (rc < 0 && rc != t->record_rc)
		tl_daemon_log(TL_LOG_ERROR, "%s: cannot record: %s", t->name,
		    fault.rc ? fault.text : tl_file_error(rc));
	t->record_rc = rc;
}

/* Begin or end to keep the kernel's events, or ask the keeper again if the
 * options have changed. */
static void
configure_kernel(struct tl_target *t)
{
	const struct tl_config_kernel *how = &t->config->kernel;
	const char *keeper = t->daemon->config->keeper;
	int rc = 0;

	if (how->on && t->kernel_events &&
	    tl_kernel_events_is(t->kernel_events, how, keeper))
		return;
	tl_kernel_events_end(t->kernel_events);
	t->kernel_events = NULL;
	if (how->on)
		rc = tl_kernel_events_new(&t->kernel_events, t->daemon->loop,
		    t->name, t->tl->fd, how, keeper, t->writers);
	if (rc < 0)
		tl_daemon_log(TL_LOG_ERROR, "%s: no events of the kernel: %s",
		    t->name, strerror(-rc));
}

static void
set_priority(struct tl_target *t)
{
	const uint8_t level = t->config->priority;

	if (level == 0)
		return;
	if (timeline_priority(t->tl,
		level == TIMELINE_LEVEL_NONE ? "off" : tl_level_name(level)))
		tl_daemon_log(TL_LOG_WARNING, "%s: %s", t->name,
		    timeline_error());
}

int
tl_target_open(struct tl_target **target, struct tl_daemon *daemon,
    const char *path, const struct stat *inspected,
    const struct tl_config_timeline *config, struct tl_fault *fault)
{
	struct tl_target *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return tl_fail(fault, -ENOMEM, "out of memory");
	t->daemon = daemon;
	t->config = config;
	strncpy(t->name, strrchr(path, '/') + 1, sizeof(t->name) - 1);
	ev_init(&t->snapshot_timer, snapshot_due);
	t->snapshot_timer.data = t;
	ev_timer_init(&t->slower_timer, slower_due, 1, 1);
	t->slower_timer.data = t;
	rc = tl_attach(&t->tl, path, inspected->st_uid);
	if (rc != 0) {
		tl_fail(fault, rc, "%s", timeline_error());
		goto fail;
	}
	/* The opened file must be the inspected file. */
	if (fstat(t->tl->fd, &t->status) != 0 ||
	    t->status.st_ino != inspected->st_ino ||
	    t->status.st_dev != inspected->st_dev ||
	    t->status.st_uid != inspected->st_uid) {
		rc = tl_fail(fault, -EAGAIN,
		    "it was replaced while it was being opened");
		goto fail;
	}
	if ((rc = lock_for_daemon(t->tl->fd)) != 0) {
		tl_fail(fault, rc, "another timelined is attached to it");
		goto fail;
	}
	if ((rc = open_parts(t, fault)) != 0)
		goto fail;
	set_priority(t);
	schedule_snapshots(t);
	if (t->tl->geometry.timers_max > 0)
		ev_timer_start(daemon->loop, &t->slower_timer);
	configure_record(t, is_new(t));
	configure_kernel(t);
	*target = t;
	return 0;
fail:
	tl_target_close(t);
	return rc;
}

int
tl_target_configure(struct tl_target *target,
    const struct tl_config_timeline *config, struct tl_fault *fault)
{
	const uint8_t before = target->config->priority;
	const uint64_t window_ns = target->config->timer_window_ns;
	const bool wanted = target->daemon->config->clock;
	const int rc = tl_rules_configure(target->rules, config->rules,
	    config->rule_count, fault);

	if (rc != 0)
		return rc;
	/* The old section stays valid until all targets have changed. */
	target->config = config;
	target->looked_up = 0;
	tl_lacking_warn(target);
	tl_bursts_configure(target->bursts, config);
	if (config->timer_window_ns != window_ns) {
		tl_timers_past_free(target->timers_past);
		target->timers_past = NULL;
	}

	/* Start or stop the calibration as configured. */
	if (wanted != (target->calibrator != NULL)) {
		tl_calibrator_free(target->calibrator);
		target->calibrator = NULL;
		if (wanted && tl_calibrator_new(&target->calibrator,
				  target->daemon->loop, target->tl) != 0)
			tl_daemon_log(TL_LOG_ERROR,
			    "%s: cannot calibrate its clock", target->name);
	}

	target->record_rc = 0; /* report a failure again if it persists */
	if (config->priority != before)
		set_priority(target);
	schedule_snapshots(target);
	configure_record(target, false);
	configure_kernel(target);
	return 0;
}

void
tl_target_retry(struct tl_target *target)
{
	if (target->record_rc < 0 && !target->record)
		configure_record(target, false);
}

const char *
tl_target_fault(const struct tl_target *target)
{
	struct stat st;

	if (fstat(target->tl->fd, &st) != 0)
		return "it cannot be inspected";
	if (st.st_nlink == 0)
		return "it was removed";
	if ((uint64_t)st.st_size < target->tl->geometry.total_size ||
	    tl_guard_is_lost(target->tl->guard))
		return "it was truncated";
	return NULL;
}

void
tl_target_close(struct tl_target *target)
{
	struct tl_target *t = target;

	if (!t)
		return;
	ev_timer_stop(t->daemon->loop, &t->snapshot_timer);
	ev_timer_stop(t->daemon->loop, &t->slower_timer);
	tl_timers_past_free(t->timers_past);
	if (t->daemon->snapshots)
		tl_snapshots_cancel(t->daemon->snapshots, t);
	tl_record_end(t->record);
	tl_kernel_events_end(t->kernel_events);
	tl_watch_end(t);
	tl_calibrator_free(t->calibrator);
	tl_bursts_free(t->bursts);
	tl_writers_free(t->writers);
	if (t->rules)
		tl_rules_free(t->rules);
	tl_cursor_close(t->stream);
	timeline_close(t->tl);
	tl_window_free(&t->deaths.done);
	tl_window_free(&t->requests.done);
	free(t);
}
