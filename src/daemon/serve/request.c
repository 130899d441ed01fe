/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - a snapshot that a user requested. */
#include "base/file.h"
#include "base/options.h"
#include "clock/clock.h"
#include "daemon/serve/answer.h"
#include "daemon/targets.h"
#include "ring/ring.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Report a snapshot.  The timeline may have been detached meanwhile, so it is
 * found again by name. */
static void
saved(void *context, const struct tl_snapshot_result *result)
{
	struct tl_request *request = context;
	struct tl_target *target =
	    tl_daemon_find(request->daemon, result->timeline);

	tl_target_count_snapshot(target, result);
	request->done(request->context, result);
}

int
tl_request_snapshot(struct tl_request *request, const char *name)
{
	struct tl_target *target = tl_daemon_find(request->daemon, name);
	struct tl_snapshot_beside beside = { 0 };

	if (!target || !target->tl)
		return -ENOENT;
	if (!request->daemon->snapshots)
		return -ENOTSUP;
	if (!tl_throttle_claim(&target->requests,
		tl_clock_read(CLOCK_MONOTONIC)))
		return -EDQUOT;
	beside.kernel = target->kernel_events;
	return tl_snapshots_take(request->daemon->snapshots, target->name,
	    target->tl->fd, TL_REASON_REQUEST, &target->config->snapshots,
	    &beside, saved, request);
}

void
tl_request_cancel(struct tl_request *request)
{
	if (request->daemon->snapshots)
		tl_snapshots_cancel(request->daemon->snapshots, request);
}

int
tl_request_fault(const struct tl_daemon *daemon, const char *name, int rc,
    struct tl_fault *fault)
{
	struct tl_near near = tl_near_to(name);

	switch (rc) {
	case -ENOENT:
		for (size_t i = 0; i < daemon->target_count; i++)
			tl_near_try(&near, daemon->targets[i]->name);
		tl_usage_near(fault, &near,
		    "timelined is not attached to a timeline of this name");
		return rc;
	case -EBUSY:
		return tl_fail(fault, rc,
		    "a snapshot of this timeline is queued already");
	case -EAGAIN:
		return tl_fail(fault, rc,
		    "too many snapshots are queued already");
	case -EDQUOT:
		return tl_fail(fault, rc,
		    "too many snapshots were requested recently: see "
		    "snapshots.on_request in timelined.conf(5)");
	case -ENOTSUP:
		return tl_fail(fault, rc, "this daemon saves no snapshots");
	default:
		return tl_fail(fault, rc, "%s", strerror(-rc));
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
	tl_put_unsigned(text, result->used);
	tl_put_string(text, "}\n");
}
