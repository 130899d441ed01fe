/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - a directory of files with the events of many blocks
 *
 * Each chain has at most one unfinished file, the part.  It is finished when it
 * is large or old enough, when the hour ends, or when unfinished parts hold too
 * many blocks; its blocks are acknowledged then and not before.  After a crash
 * a block may come again that is already in a finished part: the name of the
 * part gives its range of numbers.
 */
#include "base/array.h"
#include "base/process.h"
#include "clock/clock.h"
#include "ship/block.h"
#include "ship/files.h"
#include "ship/target/events.h"
#include "ship/target/target.h"
#include "ship/target/window.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* == one file: .app-CHAIN-17.parquet.new, then app-CHAIN-17-90.parquet == */

struct part {
	int folder;
	int fd;
	const struct tl_format_row *format;
	struct tl_events *events; /* NULL: there is none */
	struct tl_text prefix;    /* of its name */
	char hidden[TL_PARTITION_NAME_MAX];
	int64_t hour;
	int64_t begun_ns; /* CLOCK_MONOTONIC */
	uint64_t first;
	uint64_t last;
	uint64_t size;                      /* of the file */
	uint64_t held;                      /* bytes of its blocks */
	struct tl_target_queue held_blocks; /* acked when it is finished */
};

static int
write_on(void *context, const char *data, size_t size)
{
	struct part *p = context;
	const int rc = tl_write_all(p->fd, data, size);

	p->size += rc == 0 ? size : 0;
	return rc;
}

/* Close everything; the queue of blocks is kept. */
static void
leave(struct part *p)
{
	const struct tl_target_queue blocks = p->held_blocks;

	tl_events_free(p->events);
	tl_text_free(&p->prefix);
	if (p->fd >= 0)
		close(p->fd);
	close(p->folder);
	*p = (struct part){ .held_blocks = blocks };
}

/* Remove the unfinished file; its queue is emptied. */
static void
part_abandon(struct part *p)
{
	unlinkat(p->folder, p->hidden, 0);
	p->held_blocks.count = 0;
	leave(p);
}

/* Create the part of a block in this folder, which is taken over, even on
 * failure.  part is all zeros but for its queue.  0 or -errno. */
static int
part_open(struct part *p, int folder, const struct tl_block *block,
    const struct tl_target_options *options)
{
	const struct tl_format_row *format = options->format;
	struct tl_text name = { 0 };
	int rc;

	p->folder = folder;
	p->fd = -1;
	p->format = format;
	p->hour = tl_partition_hour(block->from_ns);
	p->begun_ns = tl_clock_read(CLOCK_MONOTONIC);
	p->first = block->number;
	tl_partition_prefix(&p->prefix, block);
	tl_put_string(&name, tl_text_string(&p->prefix));
	tl_put_unsigned(&name, block->number);
	tl_put_string(&name, format->suffix);
	rc = p->prefix.rc < 0 || name.rc < 0 ? -ENOMEM : 0;
	if (rc == 0) {
		tl_partition_hidden(p->hidden, tl_text_string(&name));
		unlinkat(folder, p->hidden, 0); /* of one that was killed */
		p->fd = openat(folder, p->hidden,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0666 & ~block->withheld);
		rc = p->fd < 0 ? -errno : 0;
	}
	tl_text_free(&name);
	if (rc == 0)
		rc = tl_events_new(&p->events, options, 1, write_on, p);
	if (rc < 0)
		part_abandon(p);
	return rc;
}

/* Withhold what a later block does, whose timeline may be another file. */
static int
withhold(int fd, mode_t withheld)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if ((st.st_mode & withheld) == 0)
		return 0;
	return fchmod(fd, st.st_mode & 0777 & ~withheld) != 0 ? -errno : 0;
}

/* == parts that are there == */

/* The part that has a block. */
struct search {
	struct tl_bytes prefix;
	const char *suffix;
	uint64_t number;
	uint64_t last; /* of the part that has it; UINT64_MAX: none has */
};

static int
look_at(void *context, const char *name)
{
	struct search *s = context;
	uint64_t first, last;

	if (strncmp(name, s->prefix.data, s->prefix.size) != 0 ||
	    !tl_block_range_get(name + s->prefix.size, s->suffix, &first,
		&last) ||
	    s->number < first || s->number > last)
		return 0;
	s->last = last;
	return 1;
}

/* == all chains == */

struct chain_part {
	char name[TL_CHAIN_SIZE];
	struct part part;
	uint64_t covered; /* blocks below are in finished parts */
	bool gap;         /* the last block was a placeholder */
	bool part_gap;    /* gap at the begin of the part */
};

struct events_target {
	struct tl_target target; /* first: what callers hold */
	struct tl_target_options options;
	struct tl_partitions partitions;
	struct chain_part **chains;
	size_t chain_count;
	size_t chain_capacity;
	uint64_t held; /* bytes of blocks in unfinished parts */
	struct tl_target_queue queue;
};

/* == chains == */

/* The chain of a name: a new one in the place of one that has no part, if there
 * are too many. */
static int
find_chain(struct events_target *e, const char *name, struct chain_part **chain)
{
	struct chain_part *c = NULL;

	for (size_t i = 0; i < e->chain_count; i++) {
		*chain = e->chains[i];
		if (strcmp((*chain)->name, name) == 0)
			return 0;
		if (!c && !(*chain)->part.events &&
		    (*chain)->part.held_blocks.count == 0)
			c = *chain;
	}
	if (e->chain_count >= TL_TARGET_CHAINS_MAX && c) {
		tl_queue_free(&c->part.held_blocks);
		*c = (struct chain_part){ 0 };
	} else {
		if (TL_ARRAY_ROOM(e->chains, e->chain_capacity,
			e->chain_count) < 0 ||
		    !(c = calloc(1, sizeof(*c))))
			return -ENOMEM;
		e->chains[e->chain_count++] = c;
	}
	memcpy(c->name, name, TL_CHAIN_SIZE);
	*chain = c;
	return 0;
}

static int
finish_part(struct events_target *e, struct chain_part *c)
{
	struct tl_text name = { 0 };
	int rc;

	if (!c->part.events)
		return 0;
	e->held -= c->part.held;
	rc = tl_events_finish(c->part.events);
	if (close(c->part.fd) != 0 && rc == 0)
		rc = -errno;
	c->part.fd = -1;
	if (rc == 0) {
		tl_put_string(&name, tl_text_string(&c->part.prefix));
		tl_put_unsigned(&name, c->part.first);
		tl_put_char(&name, '-');
		tl_put_unsigned(&name, c->part.last);
		tl_put_string(&name, c->part.format->suffix);
		rc = name.rc;
		if (rc == 0 && renameat(c->part.folder, c->part.hidden,
				   c->part.folder, tl_text_string(&name)) != 0)
			rc = -errno;
	}
	tl_text_free(&name);
	if (rc < 0)
		part_abandon(&c->part);
	else
		leave(&c->part);
	return rc < 0 ? rc : tl_queue_move(&e->queue, &c->part.held_blocks);
}

/* After a fault: all unfinished parts are written again. */
static void
abandon_all(struct events_target *e)
{
	for (size_t i = 0; i < e->chain_count; i++) {
		struct chain_part *c = e->chains[i];

		if (!c->part.events)
			continue;
		part_abandon(&c->part);
		c->gap = c->part_gap;
	}
	e->held = 0;
}

static bool
is_done(const struct events_target *e, const struct part *p, int64_t now_ns)
{
	return p->size >= e->options.part_size ||
	       now_ns - p->begun_ns >= (int64_t)e->options.part_ns;
}

/* == blocks == */

/* Begin a part, unless the block is in a finished one already. */
static int
begin_part(struct events_target *e, struct chain_part *c,
    const struct tl_block *block)
{
	const int folder = tl_partition_open(&e->partitions, block->host,
	    tl_partition_hour(block->from_ns));
	struct tl_text prefix = { 0 };
	struct search search = { .suffix = e->options.format->suffix,
		.number = block->number,
		.last = UINT64_MAX };

	if (folder < 0)
		return folder;
	tl_partition_prefix(&prefix, block);
	search.prefix = tl_bytes(prefix.data, prefix.size);
	if (prefix.rc == 0)
		(void)tl_folder_each(folder, look_at, &search);
	tl_text_free(&prefix);
	if (search.last != UINT64_MAX) {
		c->covered = search.last + 1;
		close(folder);
		return 0;
	}
	c->part_gap = c->gap;
	return part_open(&c->part, folder, block, &e->options);
}

/* Is it a placeholder, and up to which block? */
static bool
is_placeholder(const struct tl_block *block, uint64_t *last)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	bool dropped = false;

	*last = block->number;
	if (block->entries == 0 &&
	    tl_block_describe(&facts, block->data, &fault) == 0) {
		dropped = facts.dropped;
		*last = facts.last;
	}
	tl_block_facts_free(&facts);
	return dropped;
}

static int
put(struct events_target *e, struct chain_part *c, const struct tl_block *block)
{
	struct chain_part *most = NULL;
	uint64_t last;
	bool placeholder;
	int rc = 0;

	if (c->part.events && c->part.hour != tl_partition_hour(block->from_ns))
		rc = finish_part(e, c);
	if (rc == 0 && !c->part.events && block->number >= c->covered)
		rc = begin_part(e, c, block);
	if (rc < 0)
		return rc;
	if (block->number < c->covered)
		return tl_queue_add(&e->queue, block);
	placeholder = is_placeholder(block, &last);
	rc = withhold(c->part.fd, block->withheld);
	if (rc == 0)
		rc = tl_events_put(c->part.events, block, c->gap);
	if (rc == 0)
		rc = tl_queue_add(&c->part.held_blocks, block);
	if (rc < 0)
		return rc;
	c->part.held += block->data.size;
	c->part.last = last;
	c->gap = placeholder;
	e->held += block->data.size;
	if (is_done(e, &c->part, tl_clock_read(CLOCK_MONOTONIC)))
		rc = finish_part(e, c);
	if (rc < 0)
		return rc;

	/* Finish the part with most bytes if all together hold too many. */
	if (e->held <= e->options.held_max)
		return 0;
	for (size_t i = 0; i < e->chain_count; i++)
		if (!most || e->chains[i]->part.held > most->part.held)
			most = e->chains[i];
	return most ? finish_part(e, most) : 0;
}

static int
fail(struct events_target *e, int rc, struct tl_fault *fault)
{
	abandon_all(e);
	tl_queue_ack(&e->queue, &e->target);
	return tl_fail(fault, rc, "%s: %s", e->options.url, strerror(-rc));
}

static int
events_send(struct tl_target *target, const struct tl_block *block,
    struct tl_fault *fault)
{
	struct events_target *e = (struct events_target *)target;
	struct chain_part *c;
	int rc = find_chain(e, block->chain, &c);

	if (rc == 0)
		rc = put(e, c, block);
	return rc < 0 ? fail(e, rc, fault) : 0;
}

static int
finish_due(struct events_target *e, bool all, struct tl_fault *fault)
{
	const int64_t now_ns = tl_clock_read(CLOCK_MONOTONIC);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < e->chain_count; i++) {
		struct chain_part *c = e->chains[i];

		if (c->part.events && (all || is_done(e, &c->part, now_ns)))
			rc = finish_part(e, c);
	}
	if (rc < 0)
		return fail(e, rc, fault);
	tl_queue_ack(&e->queue, &e->target);
	return 0;
}

static int
events_wait(struct tl_target *target, int timeout_ms, struct tl_fault *fault)
{
	(void)timeout_ms;
	return finish_due((struct events_target *)target, false, fault);
}

static int
events_finish(struct tl_target *target, struct tl_fault *fault)
{
	return finish_due((struct events_target *)target, true, fault);
}

static void
events_free(struct tl_target *target)
{
	struct events_target *e = (struct events_target *)target;

	abandon_all(e);
	for (size_t i = 0; i < e->chain_count; i++) {
		tl_queue_free(&e->chains[i]->part.held_blocks);
		free(e->chains[i]);
	}
	free(e->chains);
	tl_partitions_close(&e->partitions);
	tl_queue_free(&e->queue);
	free(e);
}

int
tl_events_target_new(struct tl_target **target,
    const struct tl_target_options *options)
{
	struct events_target *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->target = (struct tl_target){ .send = events_send,
		.wait = events_wait,
		.finish = events_finish,
		.free = events_free };
	e->options = *options;
	e->partitions = (struct tl_partitions){ options->url, -1 };
	*target = &e->target;
	return 0;
}
