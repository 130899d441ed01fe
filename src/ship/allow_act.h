/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allow_act.h - do what is asked with one timeline of this host.
 */
#ifndef TL_SHIP_ALLOW_ACT_H
#define TL_SHIP_ALLOW_ACT_H

#include "ship/ask_request.h"

/* Does it look like a timeline that is in use? */
bool tl_allow_is_one(const char *path);

/* answer starts from all zeros but for its name; afterwards it tells how the
 * timeline is, or why it could not be done. */
void tl_allow_act(struct tl_ask_timeline *answer,
    const struct tl_ask_request *request, const char *path,
    const char *snapshots);

#endif
