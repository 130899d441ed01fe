/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.h - follow a stream of traces: the events of its blocks, in order of
 * time as far as possible without a long wait.
 *
 *	pipe --> blocks --> events, held back a little --> oldest first
 *	           | a block is read when whole, and then dropped
 *
 * Hosts send blocks when they are full or old enough, so that later blocks may
 * have older events.  An event is held for TL_CHAIN_HOLD_NS, so that older
 * events that arrive meanwhile are returned first.  An older event that arrives
 * later is returned at once.
 */
#ifndef TL_TRACE_CHAIN_FOLLOW_H
#define TL_TRACE_CHAIN_FOLLOW_H

#include "base/ns.h"
#include "trace/chain/chain.h"

enum {
	TL_CHAIN_HOLD_NS = TL_NS_PER_S,
	/* Events that are held.  Beyond the limit the oldest events are
	 * released. */
	TL_CHAIN_HELD_MAX = 1 << 18
};

struct tl_chain_follow;

/* Follow the stream of fd.  Takes fd over, even on failure.  0 or -errno. */
int tl_chain_follow_new(struct tl_chain_follow **follow, int fd);
void tl_chain_follow_free(struct tl_chain_follow *follow);

/*
 * The next event that has been held long enough.  The source of the event is
 * the number of its chain, in order of arrival.  1; 0: none yet; -EPIPE: the
 * stream has ended, and all events have been returned; -ENOMEM; -errno.
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
