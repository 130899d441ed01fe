/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - where blocks go: a cluster, a directory, standard output.
 *
 *	send --> on its way --> settled(rc): kept by the target, or not
 *
 * What is not settled is the caller's to send again, in its order, after
 * whatever fault; a target drops what it had before.  One thread uses it.
 */
#ifndef TL_SHIP_TARGET_TARGET_H
#define TL_SHIP_TARGET_TARGET_H

#include "base/fault.h"
#include "format/registry.h"
#include "ship/block.h"
#include "ship/nats/link.h"

#include <stdbool.h>

struct tl_target;

/* Told in the order of sending: 0, the target keeps the block; -errno: it
 * does not, and this and all after it must be sent again. */
typedef void
tl_target_acked(void *context, const char *chain, uint64_t number, int rc);

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
	int (*wait)(struct tl_target *target, int timeout_ms,
	    struct tl_fault *fault);
	/* End what is open; settles all there is.  0 or -errno. */
	int (*finish)(struct tl_target *target, struct tl_fault *fault);
	void (*free)(struct tl_target *target);
	size_t size_max; /* of a block, as far as is known; 0: no bound */
	tl_target_acked *acked;
	void *context; /* of settled */
};

static inline void
tl_target_free(struct tl_target *target)
{
	if (target)
		target->free(target);
}

/* == NATS JetStream == */

/* options and what it points to outlive the target.  A cluster that is away
 * is no failure: send tries to reach it.  0, -EINVAL and the fault says why,
 * -ENOMEM. */
int tl_nats_target_new(struct tl_target **target,
    const struct tl_nats_options *options, struct tl_fault *fault);

/* == Apache Kafka == */

/* Strings outlive the target.  NULL: not said. */
struct tl_kafka_options {
	const char *url;
	const char *tls_ca; /* files, PEM; any of them means TLS */
	const char *tls_cert;
	const char *tls_key;
	const char *user; /* SASL PLAIN, with ... */
	const char *password_file;
};

bool tl_kafka_is_url(const char *url);
/* 0; -EINVAL and the fault says why; -ENOTSUP: built without Kafka; -ENOMEM. */
int tl_kafka_target_new(struct tl_target **target,
    const struct tl_kafka_options *options, struct tl_fault *fault);

/* == opening a target == */

enum { TL_TARGET_CHAINS_MAX = 1024 }; /* remembered, if not needed */

/* Strings outlive the target. */
struct tl_target_options {
	const char *url;
	const struct tl_format_row *format; /* NULL: blocks as they are */
	uint64_t part_size;                 /* of a file of events, about ... */
	uint64_t part_ns;                   /* ... and its age */
	uint64_t held_max; /* bytes of blocks in all files that are not whole */
	const struct tl_report *report;
	struct tl_nats_options nats;
	struct tl_kafka_options kafka;
};

/* 0; -EINVAL: there is no such target; -errno, and the fault says why. */
int tl_target_open(struct tl_target **target,
    const struct tl_target_options *options, struct tl_fault *fault);
/* Is it a folder, or standard output: one that takes any format? */
bool tl_target_takes_formats(const char *url);

/* A file for each block.  0, -ENOMEM. */
int tl_dir_target_new(struct tl_target **target,
    const struct tl_target_options *options);
/* Files of events of many blocks.  0, -ENOMEM. */
int tl_events_target_new(struct tl_target **target,
    const struct tl_target_options *options);
/* A descriptor to write to, which stays the caller's.  0, -ENOMEM. */
int tl_stdout_target_new(struct tl_target **target, int fd,
    const struct tl_target_options *options);

#endif
