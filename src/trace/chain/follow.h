/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - a stream of traces as it comes: the events of its blocks,
 * in order of time as far as that can be had without waiting for long.
 *
 *	pipe --> blocks --> events, held back a little --> oldest first
 *	           | a block is read when it is whole, and then forgotten
 *
 * Hosts send their blocks when these are full or some time has passed, so that
 * what comes now may be older than what came before.  An event is held back
 * until what came for HOLD_NS after it could go before it; what comes later
 * than that is given at once, late as it is.
 */
#ifndef TL_TRACE_CHAIN_FOLLOW_H
#define TL_TRACE_CHAIN_FOLLOW_H

#include "trace/chain/chain.h"

enum {
	TL_CHAIN_HOLD_NS = 1000000000,
	/* Events that are held back at most; of more the oldest go. */
	TL_CHAIN_HELD_MAX = 1 << 18
};

struct tl_chain_follow;

/* Follow what comes of fd, which is taken over, even on failure: 0, -errno. */
int tl_chain_follow_new(struct tl_chain_follow **follow, int fd);
void tl_chain_follow_free(struct tl_chain_follow *follow);

/*
 * The next event that was held back long enough, of what has come by now: 1;
 * 0 there is none yet; -EPIPE the stream has ended, and all was given;
 * -ENOMEM, -errno.  Its source is the number of its chain, in the order in
 * which they came.
 */
int
tl_chain_follow_next(struct tl_chain_follow *follow, struct tl_event *event);

/* The chains that have come so far. */
size_t tl_chain_follow_count(const struct tl_chain_follow *follow);
struct tl_chain *
tl_chain_follow_chain(const struct tl_chain_follow *follow, size_t i);
/* Damage that belongs to none of them. */
struct tl_faults;
const struct tl_faults *
tl_chain_follow_faults(const struct tl_chain_follow *follow);

#endif
