/* SPDX-License-Identifier: Apache-2.0 */
/*
 * targets.h - the targets that speak to no cluster, and how any is made from
 * what a user calls it.
 *
 *	nats://... tls://...  a stream of NATS JetStream
 *	kafka://...           a topic of Apache Kafka
 *	-                     standard output
 *	DIR                   a directory, by host, date and hour
 */
#ifndef TL_SHIP_TARGETS_H
#define TL_SHIP_TARGETS_H

#include "format/registry.h"
#include "ship/kafka_target.h"
#include "ship/nats_target.h"
#include "ship/target.h"

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
