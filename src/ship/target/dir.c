/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir.c - a directory of blocks
 */
#include "ship/target/dir.h"

#include "base/ns.h"
#include "ship/files.h"
#include "ship/target/target.h"
#include "ship/target/window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* == folders by host, date and hour == */

enum { DATE_SIZE = 10, HOUR_AT = 11, HOUR_SIZE = 2 };

int64_t
tl_partition_hour(int64_t ns)
{
	return ns / TL_NS_PER_H - (ns % TL_NS_PER_H < 0);
}

/* Open a folder in another, which is closed. */
static int
enter(int folder, const char *name)
{
	int rc, fd;

	if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST)
		rc = -errno;
	else if ((fd = openat(folder, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		rc = -errno;
	else
		rc = fd;
	close(folder);
	return rc;
}

int
tl_partition_open(struct tl_partitions *p, const char *host, int64_t hour)
{
	struct tl_text name = { 0 }, time = { 0 };
	char date[sizeof("date=") + DATE_SIZE];
	char of_day[sizeof("hour=") + HOUR_SIZE];
	int rc;

	if (p->root < 0) {
		if (mkdir(p->path, 0777) != 0 && errno != EEXIST)
			return -errno;
		p->root = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (p->root < 0)
			return -errno;
	}
	tl_put_string(&name, "host=");
	tl_put_file_part(&name, host);
	tl_put_time(&time, hour * TL_NS_PER_H);
	rc = name.rc < 0 ? name.rc : time.rc;
	if (rc == 0 && (rc = fcntl(p->root, F_DUPFD_CLOEXEC, 0)) < 0)
		rc = -errno;
	if (rc >= 0) {
		snprintf(date, sizeof(date), "date=%.*s", DATE_SIZE, time.data);
		snprintf(of_day, sizeof(of_day), "hour=%.*s", HOUR_SIZE,
		    time.data + HOUR_AT);
		rc = enter(rc, tl_text_string(&name));
	}
	if (rc >= 0)
		rc = enter(rc, date);
	if (rc >= 0)
		rc = enter(rc, of_day);
	tl_text_free(&time);
	tl_text_free(&name);
	/* the root was removed: open it again */
	if (rc == -ENOENT || rc == -ESTALE)
		tl_partitions_close(p);
	return rc;
}

void
tl_partitions_close(struct tl_partitions *p)
{
	if (p->root >= 0)
		close(p->root);
	p->root = -1;
}

void
tl_partition_prefix(struct tl_text *name, const struct tl_block *block)
{
	tl_put_file_part(name, block->timeline);
	tl_put_char(name, '-');
	tl_put_string(name, block->chain);
	tl_put_char(name, '-');
}

void
tl_partition_hidden(char hidden[TL_PARTITION_NAME_MAX], const char *name)
{
	snprintf(hidden, TL_PARTITION_NAME_MAX, ".%s.new", name);
}

/* == a file for each block == */

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
