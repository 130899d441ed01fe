/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_target.h - blocks into a stream of NATS JetStream.
 */
#ifndef TL_SHIP_NATS_TARGET_H
#define TL_SHIP_NATS_TARGET_H

#include "ship/nats_link.h"
#include "ship/target.h"

/* options and what it points to outlive the target.  A cluster that is away
 * is no failure: send tries to reach it.  0, -EINVAL and the fault says why,
 * -ENOMEM. */
int tl_nats_target_new(struct tl_target **target,
    const struct tl_nats_options *options, struct tl_fault *fault);

#endif
