/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - a timeline round by round: what it is like, and which messages
 * come how often.
 *
 * The work of a round is bounded.  Where more was logged than can be looked
 * at, the newest of it stands for all.
 */
#ifndef TL_CTL_SAMPLE_H
#define TL_CTL_SAMPLE_H

#include "ctl/call.h"
#include "ctl/look.h"
#include "ctl/tally.h"
#include "event/cursor.h"

enum { TL_SAMPLE_MAX = 50000 }; /* entries looked at in a round */

struct tl_sample {
	struct tl_name name;
	struct tl_look look;
	struct tl_cursor *cursor;
	uint64_t *heads; /* of the lanes, when the last round ended */
	size_t lane_count;
	struct tl_tally tally;
	uint64_t dropped; /* before this round */
	uint64_t lost;    /* in this round: never stored */
	double share;     /* of the entries of this round that were seen */
};

/* From now on.  0, or -errno and the call's fault. */
int tl_sample_open(struct tl_sample *sample, struct tl_call *call,
    const struct tl_name *name);
/* What has come since.  -EPIPE: it was removed, and that is an end like any
 * other (tl_call_removed); -ENOENT: and more was wanted of it. */
int tl_sample_round(struct tl_sample *sample, struct tl_call *call);
void tl_sample_close(struct tl_sample *sample);

#endif
