/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - a snapshot that a user requested, over the socket or from the
 * page.  The snapshot is saved like any other, and the requester gets the
 * result.
 */
#ifndef TL_DAEMON_SERVE_REQUEST_H
#define TL_DAEMON_SERVE_REQUEST_H

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/disk/snapshots.h"

/* A request, owned by the requester.  The request must not move until done was
 * called. */
struct tl_request {
	struct tl_daemon *daemon;
	tl_snapshot_done *done;
	void *context;
};

/* Queue a snapshot.  Returns 0, and done will be called; or -ENOENT without
 * such a timeline, -EBUSY, -EAGAIN, -EDQUOT after too many requests, or
 * -ENOTSUP if this daemon saves no snapshots. */
int tl_request_snapshot(struct tl_request *request, const char *name);
/* Make sure that done is not called any more. */
void tl_request_cancel(struct tl_request *request);
/* Set the fault for an error of tl_request_snapshot; of -ENOENT, with the
 * nearest name.  Returns rc. */
int tl_request_fault(const struct tl_daemon *daemon, const char *name, int rc,
    struct tl_fault *fault);
/* Put the result as a JSON object. */
void
tl_request_json(struct tl_text *text, const struct tl_snapshot_result *result);

#endif
