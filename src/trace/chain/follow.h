/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - follow a stream of traces: the events of its blocks, in order of
 * time as far as that is possible without a long wait.
 *
 *	pipe --> blocks --> events, held back a little --> oldest first
 *	           | a block is read when it is whole, and then forgotten
 *
 * Hosts send blocks when they are full or old enough, so that later blocks may
 * have older events.  An event is held for HOLD_NS, and events that arrive
 * meanwhile may be sorted before it; an event that arrives later than that is
 * returned at once.
 */
#ifndef TL_TRACE_CHAIN_FOLLOW_H
#define TL_TRACE_CHAIN_FOLLOW_H

#include "base/ns.h"
#include "trace/chain/chain.h"

enum {
	TL_CHAIN_HOLD_NS = TL_NS_PER_S,
	/* Events that are held; beyond the limit the oldest are released. */
	TL_CHAIN_HELD_MAX = 1 << 18
};

struct tl_chain_follow;

/* Follow the stream of fd, which is taken over, even on failure.  0, -errno. */
int tl_chain_follow_new(struct tl_chain_follow **follow, int fd);
void tl_chain_follow_free(struct tl_chain_follow *follow);

/*
 * The next event that was held long enough.  1; 0: none yet; -EPIPE: the stream
 * has ended, and all events were returned; -ENOMEM; -errno.  Its source is the
 * number of its chain, in order of arrival.
 */
int
tl_chain_follow_next(struct tl_chain_follow *follow, struct tl_event *event);

/* The chains so far. */
size_t tl_chain_follow_count(const struct tl_chain_follow *follow);
struct tl_chain *
tl_chain_follow_chain(const struct tl_chain_follow *follow, size_t i);
/* Damage outside of chains. */
struct tl_faults;
const struct tl_faults *
tl_chain_follow_faults(const struct tl_chain_follow *follow);

#endif
