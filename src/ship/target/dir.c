/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir.c - a directory with a file for each block
 */
#include "ship/files.h"
#include "ship/target/target.h"
#include "ship/target/window.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct dir_target {
	struct tl_target target; /* first: what callers hold */
	struct tl_partitions partitions;
	struct tl_target_queue queue;
};

static int
dir_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct dir_target *d = (struct dir_target *)target;
	char hidden[TL_PARTITION_NAME_MAX];
	struct tl_text name = { 0 };
	const int folder = tl_partition_open(&d->partitions, block->host,
	    tl_partition_hour(block->from_ns));
	int rc = folder;

	if (folder >= 0) {
		tl_partition_prefix(&name, block);
		tl_put_unsigned(&name, block->number);
		tl_put_string(&name, ".trace");
		if ((rc = name.rc) == 0) {
			tl_partition_hidden(hidden, tl_text_string(&name));
			rc = tl_folder_write(folder, tl_text_string(&name),
			    hidden, 0666 & ~block->withheld, block->data);
		}
		tl_text_free(&name);
		close(folder);
	}
	if (rc == 0)
		rc = tl_queue_add(&d->queue, block);
	return rc == 0 ? 0
		       : tl_fail(fault, rc, "%s: %s", d->partitions.path,
			     strerror(-rc));
}

static int
dir_wait(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	struct dir_target *d = (struct dir_target *)target;

	(void)timeout_ms;
	(void)fault;
	tl_queue_ack(&d->queue, target);
	return 0;
}

static int
dir_finish(struct tl_target *target, struct tl_fault *fault)
{
	return dir_wait(target, 0, fault);
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
		.wait = dir_wait,
		.finish = dir_finish,
		.free = dir_free };
	d->partitions = (struct tl_partitions){ options->url, -1 };
	*target = &d->target;
	return 0;
}
