/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - read the events of a stream while it grows, block by block. */
#include "trace/chain/chain.h"

#include "base/file.h"
#include "base/pqueue.h"
#include "base/process.h"
#include "clock/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	PIECE_SIZE = 64 << 10,
	PIECES_MAX = 64, /* pieces read at once */
	MARKS_MAX = 32,
	MARK_NS = TL_CHAIN_HOLD_NS / MARKS_MAX * 2,
	/* least number of bytes of the file to release at once */
	FORGET_SIZE = 4 << 20
};

struct held {
	struct tl_event event;
	uint64_t order; /* order of arrival */
};

/* Up to this time, no event newer than newest_ns had arrived. */
struct mark {
	int64_t at_ns; /* CLOCK_MONOTONIC */
	int64_t newest_ns;
};

struct tl_chain_follow {
	int fd;
	bool ended;
	struct tl_chains *chains;
	struct tl_blocks blocks;
	uint64_t size;         /* bytes of the file with blocks */
	uint64_t forgotten;    /* bytes released at the start of the file */
	struct tl_pqueue held; /* of struct held, oldest first */
	uint64_t order;
	struct mark marks[MARKS_MAX]; /* by time, starting at first */
	unsigned first;
	unsigned mark_count;
	int64_t free_ns; /* events up to this time are no longer held */
	/* the block being read */
	struct tl_chain_opened *opened; /* NULL: none */
	struct tl_chain_block block;
	struct tl_chain *chain;
};

int
tl_chain_follow_new(struct tl_chain_follow **follow, int fd)
{
	struct tl_chain_follow *f = calloc(1, sizeof(*f));
	const int file = f ? tl_file_unnamed() : -ENOMEM;
	int rc = file < 0 ? file : tl_chains_new(&f->chains, file, true);

	if (file >= 0)
		close(file);
	if (rc == 0) {
		const struct tl_trace_report report = { tl_chains_note,
			f->chains };

		rc = tl_blocks_init(&f->blocks, f->chains->bytes->fd, &report);
		if (rc < 0)
			tl_chains_free(f->chains);
	}
	if (rc < 0) {
		close(fd);
		free(f);
		return rc;
	}
	f->fd = fd;
	f->free_ns = INT64_MIN;
	*follow = f;
	return 0;
}

void
tl_chain_follow_free(struct tl_chain_follow *f)
{
	if (!f)
		return;
	close(f->fd);
	tl_chain_block_close(f->opened);
	tl_blocks_free(&f->blocks);
	tl_chains_free(f->chains);
	tl_pqueue_free(&f->held);
	free(f);
}

/* == events that are held == */

static bool
is_older(const void *context, const void *first, const void *second)
{
	const struct held *a = first, *b = second;

	(void)context;
	if (a->event.ns != b->event.ns)
		return a->event.ns < b->event.ns;
	return a->order < b->order;
}

static const struct tl_pqueue_order oldest_first = { sizeof(struct held),
	is_older };

static int
hold(struct tl_chain_follow *f, const struct tl_event *event)
{
	const struct held one = { *event, f->order++ };

	return tl_pqueue_push(&f->held, &oldest_first, NULL, &one);
}

/* == how long events are held == */

/* Note that an event with this time has arrived. */
static void
mark(struct tl_chain_follow *f, int64_t newest_ns)
{
	const int64_t now = tl_clock_read(CLOCK_MONOTONIC);
	struct mark *last =
	    &f->marks[(f->first + f->mark_count - 1) % MARKS_MAX];

	if (f->mark_count > 0 &&
	    (now - last->at_ns < MARK_NS || f->mark_count == MARKS_MAX)) {
		if (newest_ns > last->newest_ns)
			last->newest_ns = newest_ns;
		return;
	}
	f->marks[(f->first + f->mark_count++) % MARKS_MAX] =
	    (struct mark){ now, newest_ns };
}

/* May the oldest event be returned?  Releases the events that have been held
 * long enough. */
static bool
is_free(struct tl_chain_follow *f)
{
	const int64_t now = tl_clock_read(CLOCK_MONOTONIC);
	const struct held *oldest = tl_pqueue_first(&f->held);

	while (f->mark_count > 0 &&
	       now - f->marks[f->first].at_ns >= TL_CHAIN_HOLD_NS) {
		if (f->marks[f->first].newest_ns > f->free_ns)
			f->free_ns = f->marks[f->first].newest_ns;
		f->first = (f->first + 1) % MARKS_MAX;
		f->mark_count--;
	}
	if (f->ended)
		f->free_ns = INT64_MAX;
	return oldest && (oldest->event.ns <= f->free_ns ||
			     f->held.count > TL_CHAIN_HELD_MAX);
}

/* == blocks == */

/* Hold the events of the block, until too many events are held. */
static int
hold_events(struct tl_chain_follow *f)
{
	struct tl_event event;
	int rc = 1;

	if (!f->opened)
		return 0;
	while (f->held.count <= TL_CHAIN_HELD_MAX &&
	       (rc = tl_chain_block_next(f->opened, &event)) > 0) {
		event.source = (uint16_t)f->chain->number;
		if ((rc = hold(f, &event)) < 0)
			return rc;
		rc = 1;
	}
	if (rc > 0) /* the block may have more events */
		return 0;
	tl_chain_block_close(f->opened);
	f->opened = NULL;
	return rc;
}

static int
open_block(struct tl_chain_follow *f)
{
	struct tl_chain *chain = f->chain;
	struct tl_chain_block *block = &f->block;
	int rc = tl_chain_block_open(&f->opened, chain, block, TL_OLDEST_FIRST);

	if (block->events > 0)
		mark(f, block->max_ns);
	if (rc == 0)
		rc = hold_events(f);
	else
		f->opened = NULL;
	if (rc < 0 && rc != -EBADMSG)
		return rc;
	/* of a chain that is followed only the newest block is kept */
	chain->block_count = 0;
	rc = tl_chain_add(chain, block);
	if (rc == 0 && !block->dropped && block->max_ns > block->told_ns)
		chain->blocks[0].told_ns = block->max_ns;
	return rc;
}

static int
take_block(struct tl_chain_follow *f)
{
	struct tl_chain_block *block = &f->block;
	const struct tl_chain_block *newest =
	    f->chain->block_count > 0 ? &f->chain->blocks[0] : NULL;
	int rc = 0;

	if (newest && f->chain->numbered) {
		if (block->last <= newest->last)
			/* the block, or a later one, has already been read */
			return 0;
		block->told_ns = newest->told_ns;
		block->follows =
		    block->number == newest->last + 1 && !newest->dropped;
		if (block->number > newest->last + 1) {
			/* hold the loss for the blocks that are missing */
			struct tl_event hole = { .kind = TL_LOST,
				.ns = tl_chain_block_end(newest),
				.cpu = TL_CPU_UNKNOWN,
				.source = (uint16_t)f->chain->number };

			tl_chain_miss(f->chain, newest, block);
			hole.lost = block->missing;
			rc = hold(f, &hole);
		}
	}
	return rc < 0 ? rc : open_block(f);
}

static int
take_trace(struct tl_chain_follow *f)
{
	struct tl_blocks_trace *trace = &f->blocks.trace;
	int rc = tl_chains_find(f->chains, trace, &f->chain);

	if (rc < 0 || !f->chain)
		return rc;
	if (!f->chain->name)
		rc = tl_chain_make_name(f->chain, f->chain->number);
	if (rc == 0)
		rc = tl_chain_learn(f->chain, &trace->context);
	if (rc < 0)
		return rc;
	tl_chain_describe(&f->block, trace);
	return take_block(f);
}

/* Release the part of the file that has been read.  A failure does no harm. */
static void
forget(struct tl_chain_follow *f)
{
	const uint64_t read =
	    f->blocks.inside ? f->blocks.trace.at : f->blocks.scan.at;

	if (read - f->forgotten < FORGET_SIZE)
		return;
	if (fallocate(f->chains->bytes->fd,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)f->forgotten,
		(off_t)(read - f->forgotten)) == 0)
		f->forgotten = read;
}

/* Read one piece of the stream.  Returns its size; 0: nothing has arrived;
 * -EPIPE: the end; -errno. */
static int64_t
read_piece(struct tl_chain_follow *f)
{
	static char piece[PIECE_SIZE];
	struct pollfd in = { .fd = f->fd, .events = POLLIN };
	ssize_t n;
	int rc;

	if (poll(&in, 1, 0) <= 0)
		return 0;
	n = read(f->fd, piece, sizeof(piece));
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n == 0)
		return -EPIPE;
	rc = tl_write_at(f->chains->bytes->fd, piece, (size_t)n, f->size);
	if (rc < 0)
		return rc;
	f->size += (uint64_t)n;
	return n;
}

/* Read what has arrived.  1: there is more to read, or to return; 0; -EPIPE;
 * -errno. */
static int
read_more(struct tl_chain_follow *f)
{
	bool any = false;
	int64_t n = 1;
	int rc;

	for (unsigned i = 0; i < PIECES_MAX && n > 0 && !f->ended && !f->opened;
	     i++)
		any |= (n = read_piece(f)) > 0;
	if (n < 0 && n != -EPIPE)
		return (int)n;
	f->ended |= n == -EPIPE;
	rc = hold_events(f);
	while (rc == 0 && !f->opened &&
	       (rc = tl_blocks_next(&f->blocks, f->size, f->ended)) > 0)
		rc = take_trace(f);
	if (!f->opened)
		forget(f);
	if (rc < 0)
		return rc;
	if (f->ended)
		return f->held.count > 0 || f->opened ? 1 : -EPIPE;
	return any || f->opened;
}

int
tl_chain_follow_next(struct tl_chain_follow *f, struct tl_event *event)
{
	int rc = 1;

	while (!is_free(f) && rc > 0)
		rc = read_more(f);
	if (rc <= 0)
		return rc;
	*event = ((const struct held *)tl_pqueue_first(&f->held))->event;
	tl_pqueue_pop(&f->held, &oldest_first, NULL);
	return 1;
}

const struct tl_chains *
tl_chain_follow_chains(const struct tl_chain_follow *f)
{
	return f->chains;
}
