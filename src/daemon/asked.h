/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked.h - a snapshot that a person asked for, over the socket or from the
 * page: saved like any other, and whoever asked hears what came of it.
 */
#ifndef TL_DAEMON_ASKED_H
#define TL_DAEMON_ASKED_H

#include "base/text.h"
#include "daemon/daemon.h"
#include "daemon/snapshots.h"

/* Lives with the one who asked; must not move while it is open. */
struct tl_asked {
	struct tl_daemon *daemon;
	tl_snapshot_done *done;
	void *context;
};

/* Queue one: 0, and done will be called; -ENOENT no such timeline, -EBUSY,
 * -EAGAIN, -EDQUOT too many were asked for, -ENOTSUP this daemon saves
 * none. */
int tl_asked_take(struct tl_asked *asked, const char *name);
/* done will not be called any more. */
void tl_asked_forget(struct tl_asked *asked);
/* Why not, for a person. */
const char *tl_asked_words(int rc);
/* What came of it, as a JSON object. */
void
tl_asked_json(struct tl_text *text, const struct tl_snapshot_result *result);

#endif
