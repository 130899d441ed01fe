/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_dir.c - a directory of blocks: each a file, there whole or not at
 * all.  One that comes again is written again, for what stands for others may
 * take the place of the first of them.
 */
#include "ship/targets.h"

#include "ship/folder.h"
#include "ship/partition.h"
#include "ship/target_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct dir_target {
	struct tl_target target; /* first: what callers hold */
	struct tl_partitions partitions;
	struct tl_target_queue queue;
};

static int
write_block(struct dir_target *d, const struct tl_block *block)
{
	char hidden[TL_PARTITION_NAME_MAX];
	struct tl_text name = { 0 };
	const int folder = tl_partition_open(&d->partitions, block->host,
	    tl_partition_hour(block->from_ns));
	int rc = folder < 0 ? folder : 0;

	if (rc < 0)
		return rc;
	tl_partition_prefix(&name, block);
	tl_put_unsigned(&name, block->number);
	tl_put_string(&name, ".trace");
	rc = name.rc;
	if (rc == 0) {
		tl_partition_hidden(hidden, tl_text_string(&name));
		rc = tl_folder_write(folder, tl_text_string(&name), hidden,
		    0666, block->data);
	}
	tl_text_free(&name);
	close(folder);
	return rc;
}

static int
dir_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct dir_target *d = (struct dir_target *)target;
	int rc = write_block(d, block);

	if (rc == 0)
		rc = tl_queue_add(&d->queue, block);
	return rc == 0 ? 0
		       : tl_fault(fault, rc, TL_FAULT_NOWHERE, "%s: %s",
			     d->partitions.path, strerror(-rc));
}

static int
dir_settle(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	struct dir_target *d = (struct dir_target *)target;

	(void)timeout_ms;
	(void)fault;
	tl_queue_settle(&d->queue, target);
	return 0;
}

static int
dir_finish(struct tl_target *target, struct tl_fault *fault)
{
	return dir_settle(target, 0, fault);
}

static void
dir_free(struct tl_target *target)
{
	struct dir_target *d = (struct dir_target *)target;

	tl_partitions_close(&d->partitions);
	tl_queue_free(&d->queue);
	free(d);
}

int
tl_dir_target_new(struct tl_target **target,
    const struct tl_target_options *options)
{
	struct dir_target *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->target = (struct tl_target){ .send = dir_send,
		.settle = dir_settle,
		.finish = dir_finish,
		.free = dir_free };
	d->partitions = (struct tl_partitions){ options->url, -1 };
	*target = &d->target;
	return 0;
}
