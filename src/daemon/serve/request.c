/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c - a snapshot that a person asked for. */
#include "daemon/serve/request.h"
#include "clock/clock.h"
#include "daemon/targets.h"
#include "ring/ring.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* The timeline may be gone by now: it is looked for again, by its name. */
static void
note(void *context, const struct tl_snapshot_result *result)
{
	struct tl_request *asked = context;
	struct tl_target *target =
	    tl_daemon_find(asked->daemon, result->timeline);

	if (target && result->rc == 0)
		target->counts.snapshots++;
	else if (target)
		target->counts.snapshot_faults++;
	if (result->rc == 0)
		tl_daemon_log(TL_LOG_INFO, "%s: saved %s", result->timeline,
		    result->path);
	else
		tl_daemon_log(TL_LOG_ERROR, "%s: cannot save %s: %s",
		    result->timeline, result->path, strerror(-result->rc));
	asked->done(asked->context, result);
}

int
tl_request_snapshot(struct tl_request *asked, const char *name)
{
	struct tl_target *target = tl_daemon_find(asked->daemon, name);

	if (!target || !target->tl)
		return -ENOENT;
	if (!asked->daemon->snapshots)
		return -ENOTSUP;
	if (!tl_throttle_claim(&target->requests,
		tl_clock_read(CLOCK_MONOTONIC)))
		return -EDQUOT;
	return tl_snapshots_take(asked->daemon->snapshots, target->name,
	    target->tl->fd, TL_REASON_REQUEST, &target->config->snapshots, note,
	    asked);
}

void
tl_request_cancel(struct tl_request *asked)
{
	if (asked->daemon->snapshots)
		tl_snapshots_cancel(asked->daemon->snapshots, asked);
}

const char *
tl_request_error(int rc)
{
	switch (rc) {
	case -ENOENT:
		return "the daemon looks after no timeline of this name";
	case -EBUSY:
		return "a snapshot of this timeline waits already";
	case -EAGAIN:
		return "too many snapshots wait already";
	case -EDQUOT:
		return "too many snapshots were asked for lately: see "
		       "snapshots.on_request in timelined.conf(5)";
	case -ENOTSUP:
		return "this daemon saves no snapshots";
	default:
		return strerror(-rc);
	}
}

void
tl_request_json(struct tl_text *text, const struct tl_snapshot_result *result)
{
	tl_put_string(text, "{\"timeline\":\"");
	tl_put_json(text, tl_bytes_of(result->timeline));
	tl_put_string(text, "\",\"path\":\"");
	tl_put_json(text, tl_bytes_of(result->path));
	tl_put_string(text, "\",\"bytes\":");
	tl_put_unsigned(text, result->size);
	tl_put_string(text, "}\n");
}
