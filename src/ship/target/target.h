/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - where blocks are sent: a cluster, a table, a directory, standard
 * output
 *
 *	send --> in flight --> acked(0): the target has it
 *	             |
 *	             +-------> acked(-errno), or wait fails: send it again
 *
 * Delivery.  A block that is not acknowledged remains in the spool and is sent
 * again after any fault, in the order of its chain: each block arrives at least
 * once.  It arrives exactly once because a second copy is recognised by its id
 * CHAIN-NUMBER: by the target for NATS, which looks at the last message of the
 * subject before it sends a block again, by the directory because the file has
 * the same name, by a table of ClickHouse because its rows have the same keys,
 * and by every reader of blocks.
 *
 * Invariants.  acked is called in the order of sending.  On failure a target
 * drops everything in flight, so nothing late is taken for something newer.  No
 * function blocks longer than its timeout, so that the loop can be stopped.
 *
 * One thread, that of the loop, calls all functions of a target.
 *
 * Rejected: two-phase commit with the target, which no target offers; and one
 * message for each event, which costs a hundred times as much.
 */
#ifndef TL_SHIP_TARGET_TARGET_H
#define TL_SHIP_TARGET_TARGET_H

#include "base/fault.h"
#include "format/parquet/write.h"
#include "format/registry.h"
#include "ship/block.h"
#include "ship/nats/url.h"

#include <stdbool.h>

struct tl_target;

/* Called in the order of sending.  rc 0: the target has the block; -errno: it
 * does not, and this block and all after it have to be sent again. */
typedef void
tl_target_acked(void *context, const char *chain, uint64_t number, int rc);

struct tl_target {
	/* Send a block; its bytes are copied.  0: it is in flight; -EAGAIN:
	 * too much is in flight, call wait first; -EMSGSIZE for a block larger
	 * than size_max: it can never be sent, and nothing else has changed;
	 * -errno and the fault: disconnected. */
	int (*send)(struct tl_target *target, const struct tl_block *block,
	    struct tl_fault *fault);
	/* Wait for acknowledgements, at most timeout_ms.  0; -errno and the
	 * fault: disconnected, nothing in flight will be acknowledged; send
	 * tries to connect again. */
	int (*wait)(struct tl_target *target, int timeout_ms,
	    struct tl_fault *fault);
	/* Finish open files, wait for all acknowledgements.  0 or -errno. */
	int (*finish)(struct tl_target *target, struct tl_fault *fault);
	void (*free)(struct tl_target *target);
	size_t size_max; /* of a block, if known; 0: no bound */
	bool is_busy;    /* sending: wait is to be called again at once */
	/* Why the first attempt to connect failed; rc 0: it did not. */
	struct tl_fault unreachable;
	tl_target_acked *acked;
	void *context; /* of acked */
};

static inline void
tl_target_free(struct tl_target *target)
{
	if (target)
		target->free(target);
}

/* == NATS JetStream == */

/* options and what they point to outlive the target.  A cluster that cannot be
 * reached is no failure: send tries again.  0, -EINVAL and the fault,
 * -ENOMEM. */
int tl_nats_target_new(struct tl_target **target,
    const struct tl_nats_options *options, struct tl_fault *fault);

/* == opening a target == */

enum { TL_TARGET_CHAINS_MAX = 1024 }; /* remembered, if not needed */

/* Strings outlive the target. */
struct tl_target_options {
	const char *url;
	const struct tl_format_row *format; /* NULL: blocks as they are */
	enum tl_parquet_time parquet_time;
	const char *expression; /* rows that pass it; NULL: all */
	uint64_t part_size;     /* at which a part ends */
	uint64_t part_ns;       /* age at which a part ends */
	uint64_t held_max;      /* bytes of blocks in all unfinished parts */
	const struct tl_report *report;
	struct tl_nats_options nats;
};

/* 0; -EINVAL: unknown kind of target; -errno; the fault. */
int tl_target_open(struct tl_target **target,
    const struct tl_target_options *options, struct tl_fault *fault);
/* Is it a directory or standard output, which accept --format? */
bool tl_target_takes_formats(const char *url);

/* The table of ClickHouse that the URL names.  A server that cannot be reached
 * is no failure: wait tries again.  0, -EINVAL and the fault, -ENOMEM. */
int tl_click_target_new(struct tl_target **target,
    const struct tl_target_options *options, struct tl_fault *fault);
/* A file for each block.  0, -ENOMEM. */
int tl_dir_target_new(struct tl_target **target,
    const struct tl_target_options *options);
/* Files of events of many blocks.  0, -ENOMEM. */
int tl_events_target_new(struct tl_target **target,
    const struct tl_target_options *options);
/* Write to a descriptor, which remains the caller's.  0, -ENOMEM. */
int tl_stdout_target_new(struct tl_target **target, int fd,
    const struct tl_target_options *options);

#endif
