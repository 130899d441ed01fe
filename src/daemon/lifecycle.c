/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifecycle.c - start the parts, run the loop, change the configuration of the
 * parts, stop them.
 */
#include "daemon/daemon.h"

#include "base/text.h"
#include "clock/clock.h"
#include "daemon/disk/snapshots.h"
#include "daemon/log.h"
#include "daemon/programs.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/serve/answer.h"
#include "daemon/serve/control.h"
#include "daemon/serve/http.h"
#include "daemon/targets.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <time.h>

static void
no_firing(void *context, const struct tl_firing *firing)
{
	(void)context;
	(void)firing;
}

static void
no_failure(void *context, const struct tl_config_rule *rule, const char *why)
{
	(void)context;
	(void)rule;
	(void)why;
}

int
tl_daemon_check(const struct tl_config *config, struct tl_fault *fault)
{
	const struct tl_rules_host host = { .fired = no_firing,
		.failed = no_failure };

	for (size_t i = 0; i < config->timeline_count; i++) {
		const struct tl_config_timeline *t = &config->timelines[i];
		struct tl_fault inner = { 0 };
		struct tl_rules *rules;
		const int rc = tl_rules_new(&rules, t->rules, t->rule_count,
		    &host, &inner);

		if (rc != 0)
			return tl_fail(fault, rc, "%s: timelines[%zu]: %s",
			    config->path, i + 1, inner.text);
		tl_rules_free(rules);
	}
	return 0;
}

static int
listen_again_at(struct tl_daemon *d, struct tl_http **http, const char *old,
    const char *new, struct tl_fault *fault)
{
	if (*http && tl_config_is_same(old, new))
		return 0;
	tl_http_free(*http);
	*http = NULL;
	return new ? tl_http_new(http, d, new, fault) : 0;
}

/* Return the first of two faults, and log the second. */
static int
keep_first(int rc, int second_rc, const struct tl_fault *second,
    struct tl_fault *fault)
{
	if (rc != 0 && second_rc != 0)
		tl_daemon_log(TL_LOG_ERROR, "%s", second->text);
	if (rc != 0 || second_rc == 0)
		return rc;
	*fault = *second;
	return second_rc;
}

/* Apply changed addresses, and retry addresses that failed before.  A failure
 * of one address does not prevent the others. */
static int
listen_again(struct tl_daemon *d, const struct tl_config *old,
    struct tl_fault *fault)
{
	const struct tl_config *new = d->config;
	struct tl_fault second = { 0 };
	int second_rc = 0;
	int rc = listen_again_at(d, &d->http, old->listen, new->listen, fault);

	rc = keep_first(rc,
	    listen_again_at(d, &d->page, old->page, new->page, &second),
	    &second, fault);
	if (!d->control || !tl_config_is_same(old->socket, new->socket)) {
		tl_control_free(d->control);
		d->control = NULL;
		if (new->socket)
			second_rc = tl_control_new(&d->control, d, new->socket,
			    &second);
	}
	rc = keep_first(rc, second_rc, &second, fault);
	if (!tl_config_is_same(old->directory, new->directory) ||
	    !tl_config_is_same(old->user, new->user) ||
	    old->seccomp != new->seccomp)
		tl_daemon_log(TL_LOG_WARNING,
		    "a change of directory, user or seccomp takes effect at "
		    "the next start");
	return rc;
}

/* Report readiness to the supervisor, at the start and after each reload, and
 * the line that `systemctl status` shows. */
static void
notify_ready(const struct tl_daemon *daemon)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s",
	    TL_COUNTED(daemon->target_count, "timeline"));
}

int
tl_daemon_reload(struct tl_daemon *daemon, struct tl_fault *fault)
{
	struct tl_config *const old = daemon->config;
	struct tl_fault before = { 0 };
	struct tl_config *new;
	int rc;

	/* the time distinguishes the reload from earlier ones */
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%ld",
	    tl_clock_read(CLOCK_MONOTONIC) / 1000);
	rc = tl_config_load(&new, old->path, fault);
	if (rc == 0 && (rc = tl_daemon_check(new, fault)) != 0)
		tl_config_free(new);
	if (rc != 0) {
		daemon->reload_faults++;
		tl_daemon_log(TL_LOG_ERROR, "not reloaded: %s", fault->text);
		notify_ready(daemon);
		return rc;
	}
	/* Attach timelines created until now under the old configuration. */
	(void)tl_targets_scan(daemon->folder, &before);
	daemon->config = new;
	tl_runner_reload();
	daemon->configured_ns = tl_clock_read(CLOCK_REALTIME);
	tl_targets_configure(daemon->folder);
	tl_snapshots_keep(daemon->snapshots, new);
	rc = listen_again(daemon, old, fault);
	if (rc == 0)
		rc = tl_targets_create(daemon->folder, fault);
	if (rc == 0)
		rc = tl_targets_scan(daemon->folder, fault);
	tl_streams_configure(daemon->stream);
	tl_config_free(old);
	daemon->reloads++;
	tl_daemon_log(rc == 0 ? TL_LOG_NOTICE : TL_LOG_ERROR, "reloaded%s%s",
	    rc == 0 ? "" : ", but: ", rc == 0 ? "" : fault->text);
	notify_ready(daemon);
	return rc;
}

static void
on_hangup(struct ev_loop *loop, ev_signal *signal, int events)
{
	struct tl_fault fault = { 0 };

	(void)loop;
	(void)events;
	tl_daemon_reload(signal->data, &fault);
}

static void
on_end(struct ev_loop *loop, ev_signal *signal, int events)
{
	(void)signal;
	(void)events;
	ev_break(loop, EVBREAK_ALL);
}

static void
on_watchdog(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)timer;
	(void)events;
	sd_notify(0, "WATCHDOG=1");
}

/* Open everything that can fail, in the order of daemon.h. */
static int
open_all(struct tl_daemon *d, struct tl_fault *fault)
{
	const struct tl_config *c = d->config;
	int rc;

	if ((rc = tl_http_make_token(d->token)) != 0)
		return tl_fail(fault, rc, "cannot make a token: %s",
		    strerror(-rc));
	/* Detect a second daemon before anything is changed. */
	if (c->socket &&
	    (rc = tl_control_new(&d->control, d, c->socket, fault)) != 0)
		return rc;
	if ((c->listen &&
		(rc = tl_http_new(&d->http, d, c->listen, fault)) != 0) ||
	    (c->page && (rc = tl_http_new(&d->page, d, c->page, fault)) != 0))
		return rc;
	/* Names are resolved.  Data of other users is read only from here
	 * on. */
	tl_seccomp_start(c->seccomp);
	if ((rc = tl_snapshots_new(&d->snapshots, d->loop, c->directory,
		 fault)) != 0)
		return rc;
	tl_snapshots_keep(d->snapshots, d->config);
	if ((rc = tl_targets_new(&d->folder, d, NULL, fault)) != 0 ||
	    (rc = tl_targets_create(d->folder, fault)) != 0 ||
	    (rc = tl_targets_scan(d->folder, fault)) != 0)
		return rc;
	if ((rc = tl_streams_new(&d->stream, d)) != 0)
		return tl_fail(fault, rc, "out of memory");
	return 0;
}

/* Run the loop until a signal stops it. */
static void
run(struct tl_daemon *d)
{
	uint64_t watchdog_us = 0;
	const bool is_watched = sd_watchdog_enabled(0, &watchdog_us) > 0;
	const double watchdog_s = is_watched ? (double)watchdog_us / 2e6 : 0;
	ev_signal hangup, end, interrupt;
	ev_timer watchdog;

	ev_signal_init(&hangup, on_hangup, SIGHUP);
	ev_signal_init(&end, on_end, SIGTERM);
	ev_signal_init(&interrupt, on_end, SIGINT);
	hangup.data = d;
	ev_signal_start(d->loop, &hangup);
	ev_signal_start(d->loop, &end);
	ev_signal_start(d->loop, &interrupt);
	ev_timer_init(&watchdog, on_watchdog, watchdog_s, watchdog_s);
	if (watchdog_s > 0)
		ev_timer_start(d->loop, &watchdog);

	const unsigned port = d->http ? tl_http_port(d->http) : 0;

	if (port)
		tl_daemon_log(TL_LOG_NOTICE, "ready: %s, metrics on port %u",
		    TL_COUNTED(d->target_count, "timeline"), port);
	else
		tl_daemon_log(TL_LOG_NOTICE, "ready: %s",
		    TL_COUNTED(d->target_count, "timeline"));
	notify_ready(d);
	ev_run(d->loop, 0);
	sd_notify(0, "STOPPING=1");
	tl_daemon_log(TL_LOG_NOTICE, "stopping");
	ev_signal_stop(d->loop, &hangup);
	ev_signal_stop(d->loop, &end);
	ev_signal_stop(d->loop, &interrupt);
	ev_timer_stop(d->loop, &watchdog);
}

int
tl_daemon_run(struct tl_config *config, struct tl_fault *fault)
{
	struct tl_daemon *d = calloc(1, sizeof(*d));
	int rc;

	if (!d) {
		tl_config_free(config);
		return tl_fail(fault, -ENOMEM, "out of memory");
	}
	d->config = config;
	d->started_ns = d->configured_ns = tl_clock_read(CLOCK_REALTIME);
	/* only the default loop can watch children */
	d->loop = ev_default_loop(EVFLAG_AUTO | EVFLAG_NOENV);
	rc = d->loop ? open_all(d, fault)
		     : tl_fail(fault, -ENOMEM, "no event loop");
	if (rc == 0)
		run(d);
	tl_http_free(d->http);
	tl_http_free(d->page);
	tl_readings_free(d->readings);
	tl_control_free(d->control);
	tl_streams_free(d->stream);
	tl_targets_free(d->folder);
	while (d->ending)
		tl_record_free(d->ending);
	tl_programs_stop();
	tl_snapshots_free(d->snapshots);
	tl_config_free(d->config);
	if (d->loop)
		ev_loop_destroy(d->loop);
	free(d);
	return rc;
}
