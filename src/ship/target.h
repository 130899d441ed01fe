/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - where blocks go: a cluster, a directory, standard output.
 *
 *	send --> on its way --> settled(rc): kept by the target, or not
 *
 * What is not settled is the caller's to send again, in its order, after
 * whatever fault; a target drops what it had before.  One thread uses it.
 */
#ifndef TL_SHIP_TARGET_H
#define TL_SHIP_TARGET_H

#include "base/fault.h"
#include "ship/block.h"

#include <stdbool.h>

struct tl_target;

/* Told in the order of sending: 0, the target keeps the block; -errno: it
 * does not, and this and all after it must be sent again. */
typedef void
tl_target_settled(void *context, const char *chain, uint64_t number, int rc);

struct tl_target {
	/* Take a block, whose bytes may go when this returns.  0: it is on
	 * its way; -EAGAIN: no more at a time, settle first; -EMSGSIZE, of one
	 * that is larger than size_max: it cannot be had, ever, and nothing
	 * else has changed; -errno: it cannot be had now, and fault says why.
	 */
	int (*send)(struct tl_target *target, const struct tl_block *block,
	    struct tl_fault *fault);
	/* Wait until something is settled, at most so long: 0, or -errno, the
	 * target is away (nothing that is on its way will be settled), and
	 * fault says why; calling send again tries to reach it again. */
	int (*settle)(struct tl_target *target, int timeout_ms,
	    struct tl_fault *fault);
	/* End what is open; settles all there is.  0 or -errno. */
	int (*finish)(struct tl_target *target, struct tl_fault *fault);
	void (*free)(struct tl_target *target);
	size_t size_max; /* of a block, as far as is known; 0: no bound */
	tl_target_settled *settled;
	void *context; /* of settled */
};

static inline void
tl_target_free(struct tl_target *target)
{
	if (target)
		target->free(target);
}

#endif
