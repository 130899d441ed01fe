/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.c - take blocks to send from the chains in turn, remove them when acked
 */
#include "ship/spool/private.h"

#include <errno.h>

/* The next chain in turn that has a waiting block. */
static struct tl_spool_chain *
next_chain(struct tl_spool *s)
{
	for (size_t i = 0; i < s->chain_count; i++) {
		struct tl_spool_chain *c =
		    s->chains[(s->turn + i) % s->chain_count];

		if (c->in_flight == c->count)
			continue;
		s->turn = (s->turn + i + 1) % s->chain_count;
		return c;
	}
	return NULL;
}

/* Take a block that is damaged or too large out of its chain; the chain
 * continues with the next number. */
static void
skip_block(struct tl_spool_chain *c, const char *why)
{
	const struct tl_spooled *b = tl_spooled_at(c, c->in_flight);
	char name[TL_SPOOL_FILE_MAX];

	if (c->count == 1)
		(void)tl_spool_state_write(c);
	tl_spool_file_name(name, b);
	if (!b->data)
		tl_spool_file_aside(c, name, why);
	tl_spool_list_remove(c, c->in_flight);
}

static int
load(struct tl_spool_chain *c, struct tl_bytes *data)
{
	struct tl_spooled *b = tl_spooled_at(c, c->in_flight);
	struct tl_fault fault = { 0 };
	int rc = tl_spooled_load(c, b, &c->spool->data, data);

	if (rc == 0 && !b->known)
		rc = tl_spooled_inspect(c, b, *data, &fault);
	if (rc == 0 || rc == -ENOMEM || rc == -EMFILE || rc == -ENFILE)
		return rc;
	skip_block(c, fault.text[0] ? fault.text : strerror(-rc));
	return -EBADMSG;
}

int
tl_spool_take(struct tl_spool *s, struct tl_block *block)
{
	struct tl_spool_chain *c;
	struct tl_bytes data;
	int rc = -EBADMSG;

	pthread_mutex_lock(&s->lock);
	while (rc == -EBADMSG && (c = s->taken = next_chain(s)))
		rc = load(c, &data);
	if (rc == 0) {
		/* Record in the state that the target may have the block,
		 * before it is sent.  If the disk is full it is sent anyway:
		 * sending is what frees space. */
		const struct tl_spooled *b = tl_spooled_at(c, c->in_flight);
		const uint64_t before = c->sent;

		if (b->first >= c->sent && c->folder >= 0) {
			c->sent = b->first + TL_SPOOL_SENT_AHEAD;
			if (tl_spool_state_write(c) != 0)
				c->sent = before;
		}
		*block = tl_spool_facts_of(c).block;
		block->number = b->first;
		block->from_ns = b->from_ns;
		block->to_ns = b->to_ns;
		block->entries = b->entries;
		block->lost = b->lost;
		block->withheld = b->withheld;
		block->data = data;
	} else if (!s->taken) {
		rc = -EAGAIN;
	} else {
		s->taken = NULL;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void
tl_spool_give(struct tl_spool *s, int rc)
{
	struct tl_spool_chain *c = s->taken;

	pthread_mutex_lock(&s->lock);
	s->taken = NULL;
	if (rc == 0) {
		tl_spooled_at(c, c->in_flight)->tried = true;
		c->in_flight++;
	}
	pthread_mutex_unlock(&s->lock);
}

/* The thinned block may be small enough.  A placeholder cannot be made smaller:
 * it is skipped. */
void
tl_spool_reject(struct tl_spool *s)
{
	struct tl_spool_chain *c = s->taken;

	pthread_mutex_lock(&s->lock);
	s->taken = NULL;
	if (!tl_spooled_at(c, c->in_flight)->dropped &&
	    tl_spool_thin(c, c->in_flight) == 0) {
		pthread_mutex_unlock(&s->lock);
		return;
	}
	if (tl_spooled_at(c, c->in_flight)->dropped ||
	    tl_spool_drop(c, c->in_flight) != 0)
		skip_block(c, "it is too large, and cannot be replaced");
	pthread_mutex_unlock(&s->lock);
}

/* Mark a block acked, and remove those at the front.  The last block of a chain
 * has the place where it continues, so the state is written before that one is
 * removed. */
static void
take_acked(struct tl_spool_chain *c, uint64_t number)
{
	struct tl_spool_status *status = &c->spool->status;

	for (size_t i = 0; i < c->in_flight; i++) {
		struct tl_spooled *b = tl_spooled_at(c, i);

		if (b->first != number || b->done)
			continue;
		b->done = true;
		status->acked += !b->dropped;
		status->acked_size += b->size;
		break;
	}
	while (c->in_flight > 0 && tl_spooled_at(c, 0)->done) {
		if (c->count == 1 && tl_spool_state_write(c) != 0)
			return;
		tl_spool_file_remove(c, tl_spooled_at(c, 0));
		tl_spool_list_remove(c, 0);
	}
}

void
tl_spool_acked(struct tl_spool *s, const char *chain, uint64_t number)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->chain_count; i++) {
		struct tl_spool_chain *c = s->chains[i];

		if (strcmp(c->name, chain) == 0)
			take_acked(c, number);
	}
	pthread_mutex_unlock(&s->lock);
}

void
tl_spool_disconnected(struct tl_spool *s)
{
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->chain_count; i++) {
		struct tl_spool_chain *c = s->chains[i];

		for (size_t k = 0; k < c->in_flight; k++)
			tl_spooled_at(c, k)->done = false;
		c->in_flight = 0;
	}
	pthread_mutex_unlock(&s->lock);
}
