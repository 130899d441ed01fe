/* SPDX-License-Identifier: Apache-2.0 */
/*
 * absent.c - stands for link, reader, stream and target where libnats was not
 * found when timeline was built.
 */
#include "ship/nats/protocol.h"
#include "ship/target/target.h"

#include <errno.h>

static int
refuse(struct tl_fault *fault)
{
	return tl_fail(fault, -ENOTSUP,
	    "built without NATS: install libnats-dev and build again");
}

int
tl_nats_target_new(struct tl_target **target,
    const struct tl_nats_options *options, struct tl_fault *fault)
{
	(void)options;
	*target = NULL;
	return refuse(fault);
}

int
tl_nats_reader_new(struct tl_nats_reader **reader,
    const struct tl_nats_reading *reading, struct tl_fault *fault)
{
	(void)reading;
	*reader = NULL;
	return refuse(fault);
}

/* No reader is made, so none of these is called. */
int
tl_nats_reader_next(struct tl_nats_reader *reader, struct tl_nats_read *read,
    struct tl_fault *fault)
{
	(void)reader;
	(void)read;
	return refuse(fault);
}

uint64_t
tl_nats_reader_first(const struct tl_nats_reader *reader)
{
	(void)reader;
	return 0;
}

void
tl_nats_reader_free(struct tl_nats_reader *reader)
{
	(void)reader;
}
