/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked.h - a snapshot that a person asked for, over the socket or from the
 * page: saved like any other, and whoever asked hears what came of it.
 */
#ifndef TL_DAEMON_SERVE_REQUEST_H
#define TL_DAEMON_SERVE_REQUEST_H

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/disk/snapshots.h"

/* Lives with the one who asked; must not move while it is open. */
struct tl_request {
	struct tl_daemon *daemon;
	tl_snapshot_done *done;
	void *context;
};

/* Queue one: 0, and done will be called; -ENOENT no such timeline, -EBUSY,
 * -EAGAIN, -EDQUOT too many were asked for, -ENOTSUP this daemon saves
 * none. */
int tl_request_snapshot(struct tl_request *asked, const char *name);
/* done will not be called any more. */
void tl_request_cancel(struct tl_request *asked);
/* Why not, for a person. */
const char *tl_request_error(int rc);
/* What came of it, as a JSON object. */
void
tl_request_json(struct tl_text *text, const struct tl_snapshot_result *result);

#endif
