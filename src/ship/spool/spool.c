/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spool.c - open a spool, find chains, put blocks
 */
#include "clock/clock.h"
#include "ship/spool/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* == the spool == */

static int
no_folder(struct tl_fault *fault, int rc)
{
	return tl_fail(fault, rc, "%s", strerror(-rc));
}

int
tl_spool_open(struct tl_spool **spool, const struct tl_spool_options *options,
    struct tl_fault *fault)
{
	const char *path = options->path;
	struct tl_spool *s = calloc(1, sizeof(*s));
	int rc = 0;

	if (!s)
		return tl_fail(fault, -ENOMEM, "no memory");
	s->options = *options;
	s->folder = s->lock_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	if (!path)
		goto out;
	if ((mkdir(path, 0700) != 0 && errno != EEXIST) ||
	    (s->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
	    (s->lock_fd = openat(s->folder, "lock",
		 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
		 0600)) < 0)
		rc = no_folder(fault, -errno);
	else if (flock(s->lock_fd, LOCK_EX | LOCK_NB) != 0)
		rc = tl_fail(fault, -EBUSY, "in use by another timeline-ship");
	else
		rc = tl_spool_scan(s, fault);
out:
	if (rc < 0)
		tl_spool_free(s);
	else
		*spool = s;
	return rc;
}

void
tl_spool_free(struct tl_spool *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->chain_count; i++)
		tl_spool_chain_free(s->chains[i]);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	if (s->folder >= 0)
		close(s->folder);
	tl_text_free(&s->data);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void
tl_spool_status(struct tl_spool *s, struct tl_spool_status *status)
{
	pthread_mutex_lock(&s->lock);
	*status = s->status;
	status->chains = s->chain_count;
	pthread_mutex_unlock(&s->lock);
}

/* == chains == */

void
tl_spool_chain_free(struct tl_spool_chain *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(tl_spooled_at(c, i)->data);
	free(c->blocks);
	tl_text_free(&c->positions);
	if (c->folder >= 0)
		close(c->folder);
	free(c);
}

/* Remove the unused empty chain that was used least recently from the table;
 * NULL: all are in use. */
static struct tl_spool_chain *
take_idle(struct tl_spool *s)
{
	struct tl_spool_chain *idle = NULL;
	size_t at = 0;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->chain_count; i++) {
		struct tl_spool_chain *c = s->chains[i];

		if (c->used || c->count > 0 ||
		    (idle && c->used_ns >= idle->used_ns))
			continue;
		idle = c;
		at = i;
	}
	if (idle)
		s->chains[at] = s->chains[--s->chain_count];
	pthread_mutex_unlock(&s->lock);
	return idle;
}

int
tl_spool_add(struct tl_spool *s, struct tl_spool_chain **chain)
{
	struct tl_spool_chain *c;

	if (s->chain_count == TL_SPOOL_CHAINS_MAX) {
		if (!(c = take_idle(s)))
			return -ENOSPC;
		tl_spool_folder_remove(c);
		tl_spool_chain_free(c);
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->spool = s;
	c->folder = -1;
	pthread_mutex_lock(&s->lock);
	s->chains[s->chain_count++] = c;
	pthread_mutex_unlock(&s->lock);
	*chain = c;
	return 0;
}

/* Make a chain with a name of its own, and its folder. */
static int
make_chain(struct tl_spool_chain **chain, struct tl_spool *s, const char *host,
    const char *timeline)
{
	uint8_t random[(TL_CHAIN_SIZE - 1) / 2];
	struct tl_text name = { 0 };
	struct tl_spool_chain *c;
	const char *path;
	int rc;

	if (strlen(host) >= sizeof(c->host) ||
	    strlen(timeline) >= sizeof(c->timeline))
		return -ENAMETOOLONG;
	if ((rc = tl_spool_add(s, &c)) < 0)
		return rc;
	strcpy(c->host, host);
	strcpy(c->timeline, timeline);
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
		rc = -EIO;
		goto out;
	}
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(c->name + 2 * i, 3, "%02x", random[i]);
	if (s->folder < 0)
		goto out;
	tl_spool_folder_name(&name, host, timeline);
	if ((rc = name.rc) < 0)
		goto out;
	path = tl_text_string(&name);
	if ((mkdirat(s->folder, path, 0700) != 0 && errno != EEXIST) ||
	    (c->folder = openat(s->folder, path,
		 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		rc = -errno;
out:
	tl_text_free(&name);
	if (rc == 0) {
		*chain = c;
		return 0;
	}
	pthread_mutex_lock(&s->lock);
	s->chain_count--;
	pthread_mutex_unlock(&s->lock);
	tl_spool_chain_free(c);
	return rc;
}

int
tl_spool_chain(struct tl_spool_chain **chain, struct tl_spool *s,
    const char *host, const char *timeline, struct tl_fault *fault)
{
	int rc = 0;

	*chain = NULL;
	for (size_t i = 0; i < s->chain_count && !*chain; i++) {
		if (strcmp(s->chains[i]->host, host) == 0 &&
		    strcmp(s->chains[i]->timeline, timeline) == 0)
			*chain = s->chains[i];
	}
	if (!*chain)
		rc = make_chain(chain, s, host, timeline);
	if (rc < 0)
		return no_folder(fault, rc);
	(*chain)->used = true;
	return 0;
}

void
tl_spool_chain_leave(struct tl_spool_chain *c)
{
	c->used = false;
	c->used_ns = tl_clock_read(CLOCK_REALTIME);
}

const char *
tl_spool_chain_name(const struct tl_spool_chain *c)
{
	return c->name;
}

uint64_t
tl_spool_chain_next(const struct tl_spool_chain *c)
{
	return c->next;
}

const char *
tl_spool_chain_identity(const struct tl_spool_chain *c)
{
	return c->identity;
}

const char *
tl_spool_chain_positions(const struct tl_spool_chain *c)
{
	return c->positions.data ? c->positions.data : "";
}

/* Where the chain continues: 0; -ENOMEM: unchanged. */
static int
set_positions(struct tl_spool_chain *c, const char *positions)
{
	const size_t size = strlen(positions);
	char *room;

	tl_text_clear(&c->positions);
	room = tl_text_reserve(&c->positions, size);
	if (!room)
		return -ENOMEM;
	memcpy(room, positions, size + 1);
	c->positions.size = size;
	return 0;
}

int
tl_spool_chain_begin(struct tl_spool_chain *c, const char *identity,
    const char *boot, const char *positions)
{
	int rc;

	pthread_mutex_lock(&c->spool->lock);
	snprintf(c->identity, sizeof(c->identity), "%s", identity);
	snprintf(c->boot, sizeof(c->boot), "%s", boot);
	rc = set_positions(c, positions);
	if (rc == 0)
		rc = tl_spool_state_write(c);
	pthread_mutex_unlock(&c->spool->lock);
	return rc;
}

/* == put == */

/* Free space until size more fits, or nothing can be dropped.  at_least: free
 * some in any case, since the disk is full. */
static int
make_room(struct tl_spool_chain *c, uint64_t size, bool at_least)
{
	struct tl_spool *s = c->spool;
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = tl_spool_list_room(c);
	while (rc == 0 &&
	       (at_least || s->status.size + size > s->options.size_max)) {
		rc = tl_spool_shrink(s);
		at_least = false;
	}
	pthread_mutex_unlock(&s->lock);
	return rc == -ENOENT && !at_least ? 0 : rc;
}

int
tl_spool_put(struct tl_spool_chain *c, const struct tl_block *block,
    const char *positions)
{
	struct tl_spool *s = c->spool;
	struct tl_spooled b = { .first = c->next,
		.last = c->next,
		.known = true,
		.from_ns = block->from_ns,
		.to_ns = block->to_ns,
		.entries = block->entries,
		.lost = block->lost,
		.withheld = block->withheld,
		.put_ns = tl_clock_read(CLOCK_REALTIME),
		.size = (uint32_t)block->data.size };
	int rc = make_room(c, tl_spooled_size(&b), false);

	if (rc == 0 && c->folder >= 0)
		rc = tl_spool_block_write(c, &b, block->data);
	else if (rc == 0 && !(b.data = malloc(block->data.size)))
		rc = -ENOMEM;
	else if (rc == 0)
		memcpy(b.data, block->data.data, block->data.size);
	if (rc == -ENOSPC || rc == -EDQUOT) {
		if (make_room(c, 0, true) == 0)
			rc = tl_spool_block_write(c, &b, block->data);
	}
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&s->lock);
	tl_spool_list_add(c, &b);
	c->next = b.last + 1;
	if (set_positions(c, positions) != 0)
		tl_text_clear(&c->positions); /* the block has them */
	s->status.entries += b.entries;
	s->status.lost += b.lost;
	pthread_mutex_unlock(&s->lock);
	if (s->options.wake)
		s->options.wake(s->options.context);
	return 0;
}

/* == the list of a chain == */

enum { CAPACITY_FIRST = 64 };

int
tl_spool_list_room(struct tl_spool_chain *c)
{
	const size_t capacity = c->capacity ? c->capacity * 2 : CAPACITY_FIRST;
	struct tl_spooled *blocks;

	if (c->begin + c->count < c->capacity)
		return 0;
	if (c->begin > c->capacity / 2) {
		/* Use the space of removed blocks at the front. */
		memmove(c->blocks, c->blocks + c->begin,
		    c->count * sizeof(*c->blocks));
		c->begin = 0;
		return 0;
	}
	if (capacity > TL_SPOOL_BLOCKS_MAX)
		return -ENOSPC;
	blocks = realloc(c->blocks, capacity * sizeof(*blocks));
	if (!blocks)
		return -ENOMEM;
	c->blocks = blocks;
	c->capacity = capacity;
	return 0;
}

void
tl_spool_list_add(struct tl_spool_chain *c, const struct tl_spooled *b)
{
	c->blocks[c->begin + c->count++] = *b;
	c->spool->status.blocks++;
	c->spool->status.size += tl_spooled_size(b);
}

void
tl_spool_list_remove(struct tl_spool_chain *c, size_t i)
{
	struct tl_spooled *b = tl_spooled_at(c, i);

	c->spool->status.blocks--;
	c->spool->status.size -= tl_spooled_size(b);
	free(b->data);
	if (i == 0)
		c->begin++;
	else
		memmove(b, b + 1, (c->count - i - 1) * sizeof(*b));
	c->count--;
	if (i < c->in_flight)
		c->in_flight--;
}
