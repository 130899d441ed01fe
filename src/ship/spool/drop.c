/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drop.c - free space in a full spool
 *
 * Detail is removed first, as in the lanes of a timeline: the oldest block with
 * entries below warning is rewritten without them.  If no block has any, the
 * oldest block is replaced by a placeholder that counts its entries; adjacent
 * placeholders are merged.
 *
 *	17.trace 18.trace 19.trace --> 17.trace 18-18.lost 19.trace
 *	                           --> 17.trace 18-19.lost
 *
 * A block that the target may have received is dropped last: its entries could
 * arrive and be counted as lost as well.  The new file exists before the old
 * ones are removed; if both exist after a crash, folder.c removes the old ones.
 */
#include "ship/block.h"
#include "ship/spool/private.h"

#include <errno.h>
#include <stdlib.h>

/* == the content of a block == */

int
tl_spooled_load(struct tl_spool_chain *c, const struct tl_spooled *b,
    struct tl_text *text, struct tl_bytes *data)
{
	char name[TL_SPOOL_FILE_MAX];
	int rc;

	*data = tl_bytes(b->data, b->size);
	if (b->data)
		return 0;
	tl_text_clear(text);
	tl_spool_file_name(name, b);
	rc = tl_spool_file_read(c->folder, name, text);
	*data = tl_bytes(text->data, text->size);
	return rc;
}

static bool
is_of(const struct tl_block_facts *facts, const struct tl_spool_chain *c,
    const struct tl_spooled *b)
{
	const struct tl_block *is = &facts->block;

	return strcmp(is->chain, c->name) == 0 &&
	       strcmp(is->host, c->host) == 0 &&
	       strcmp(is->timeline, c->timeline) == 0 &&
	       is->number == b->first && facts->last == b->last &&
	       facts->dropped == b->dropped;
}

int
tl_spooled_inspect(struct tl_spool_chain *c, struct tl_spooled *b,
    struct tl_bytes data, struct tl_fault *fault)
{
	struct tl_block_facts facts = { 0 };
	int rc = tl_block_describe(&facts, data, fault);

	if (rc == 0 && !is_of(&facts, c, b))
		rc = tl_fail(fault, -EBADMSG,
		    "it belongs to another chain than its name");
	if (rc == 0) {
		b->known = true;
		b->from_ns = facts.block.from_ns;
		b->to_ns = facts.block.to_ns;
		b->entries = facts.block.entries;
		b->lost = facts.block.lost;
		b->detail = tl_levels_total(facts.thinned);
		b->thinned = b->detail > 0;
	}
	tl_block_facts_free(&facts);
	return rc;
}

/* Inspect a block that was found in the folder.  A damaged one counts as
 * empty. */
static void
inspect(struct tl_spool_chain *c, struct tl_spooled *b)
{
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	struct tl_bytes data;

	if (!b->known && tl_spooled_load(c, b, &text, &data) == 0)
		(void)tl_spooled_inspect(c, b, data, &fault);
	b->known = true;
	tl_text_free(&text);
}

/* == placeholders == */

/* The INFOs of a block; of a damaged one all are empty. */
static struct tl_block_facts
read_infos_of(struct tl_spool_chain *c, const struct tl_spooled *b)
{
	struct tl_block_facts facts = { 0 };
	struct tl_fault fault = { 0 };
	struct tl_text text = { 0 };
	struct tl_bytes data;
	bool wrong = false;

	if (tl_spooled_load(c, b, &text, &data) < 0 ||
	    tl_block_read_infos(&facts, data, &fault) < 0)
		wrong = true;
	tl_text_free(&text);
	if (wrong)
		tl_block_facts_free(&facts);
	return wrong ? (struct tl_block_facts){ 0 } : facts;
}

/* Make the placeholder b of the blocks from first to last, and store it.  It
 * begins at the positions of the first block and ends at those of the last.  If
 * it is the newest of the chain, it has the place where the chain continues. */
static int
keep(struct tl_spool_chain *c, struct tl_spooled *b,
    const struct tl_spooled *first, const struct tl_spooled *last)
{
	struct tl_block_facts facts = tl_spool_facts_of(c);
	struct tl_block_facts x = read_infos_of(c, first),
			      y = read_infos_of(c, last);
	const bool newest = last->last + 1 == c->next;
	const bool known = !newest && y.identity[0];
	const struct tl_text *ends = newest ? &c->positions : &y.positions;
	struct tl_text text = { 0 };
	int rc;

	facts.dropped = true;
	facts.last = b->last;
	facts.block.number = b->first;
	facts.block.from_ns = b->from_ns;
	facts.block.lost = b->lost;
	if (known) {
		memcpy(facts.identity, y.identity, sizeof(facts.identity));
		memcpy(facts.boot, y.boot, sizeof(facts.boot));
	}
	if (strcmp(x.identity, facts.identity) == 0)
		tl_put_bytes(&facts.begins,
		    tl_bytes(x.begins.data, x.begins.size));
	tl_put_bytes(&facts.positions, tl_bytes(ends->data, ends->size));
	rc = facts.begins.rc < 0 ? facts.begins.rc : facts.positions.rc;
	if (rc == 0)
		rc = tl_block_make(&text, &facts);
	b->size = (uint32_t)text.size;
	if (rc == 0 && c->folder >= 0) {
		rc = tl_spool_block_write(c, b, tl_bytes(text.data, text.size));
	} else if (rc == 0) {
		b->data = text.data;
		text = (struct tl_text){ 0 };
	}
	tl_text_free(&text);
	tl_block_facts_free(&facts);
	tl_block_facts_free(&x);
	tl_block_facts_free(&y);
	return rc;
}

/* One placeholder for two adjacent blocks; a may be b. */
static struct tl_spooled
placeholder_for(const struct tl_spooled *a, const struct tl_spooled *b)
{
	return (struct tl_spooled){ .first = a->first,
		.last = b->last,
		.dropped = true,
		.known = true,
		.from_ns = a->from_ns,
		.to_ns = a->from_ns,
		.lost = a == b ? a->lost + a->entries
			       : a->lost + a->entries + b->lost + b->entries,
		.withheld = a->withheld | b->withheld,
		.put_ns = a->put_ns };
}

/* Replace blocks i to k of the list by one. */
static void
replace(struct tl_spool_chain *c, size_t i, size_t k,
    const struct tl_spooled *one)
{
	struct tl_spool_status *status = &c->spool->status;

	for (size_t at = i; at <= k; at++) {
		struct tl_spooled *old = tl_spooled_at(c, at);

		if (!old->dropped) {
			status->dropped_blocks++;
			status->dropped +=
			    old->entries + old->lost - old->detail;
		}
		if (!(old->dropped && old->first == one->first &&
			old->last == one->last))
			tl_spool_file_remove(c, old);
	}
	if (k > i)
		tl_spool_list_remove(c, k);
	status->size -= tl_spooled_size(tl_spooled_at(c, i));
	free(tl_spooled_at(c, i)->data);
	*tl_spooled_at(c, i) = *one;
	status->size += tl_spooled_size(one);
}

/* Is block i taken, to be sent? */
static bool
is_taken(const struct tl_spool_chain *c, size_t i)
{
	return c->spool->taken == c && i == c->in_flight;
}

/* May this placeholder be merged with another? */
static bool
may_grow(const struct tl_spool_chain *c, size_t i)
{
	return i >= c->in_flight && i < c->count && !is_taken(c, i) &&
	       tl_spooled_at(c, i)->dropped && !tl_spooled_at(c, i)->tried;
}

/* Count the entries of a block that is dropped, by level.  Entries that were
 * lost before, and those of an unreadable block, have no known level. */
static void
count_dropped(struct tl_spool_chain *c, const struct tl_spooled *b)
{
	uint64_t *by = c->spool->status.dropped_by;
	uint64_t counts[TIMELINE_LEVEL_NONE] = { 0 };
	const uint64_t all = b->entries + b->lost - b->detail;
	struct tl_text text = { 0 };
	struct tl_bytes data;
	uint64_t known;

	if (tl_spooled_load(c, b, &text, &data) == 0)
		(void)tl_block_count_levels(counts, data);
	tl_text_free(&text);
	known = tl_levels_total(counts);
	for (unsigned k = 0; known <= all && k < TIMELINE_LEVEL_NONE; k++)
		by[k] += counts[k];
	by[0] += known <= all ? all - known : all;
}

int
tl_spool_drop(struct tl_spool_chain *c, size_t i)
{
	size_t from = i > 0 && may_grow(c, i - 1) ? i - 1 : i;
	struct tl_spooled one;
	int rc;

	inspect(c, tl_spooled_at(c, i));
	inspect(c, tl_spooled_at(c, from));
	one = placeholder_for(tl_spooled_at(c, from), tl_spooled_at(c, i));
	rc = keep(c, &one, tl_spooled_at(c, from), tl_spooled_at(c, i));
	if (rc < 0)
		return rc;

	count_dropped(c, tl_spooled_at(c, i));
	replace(c, from, i, &one);
	if (!may_grow(c, from + 1))
		return 0;
	inspect(c, tl_spooled_at(c, from + 1));
	one =
	    placeholder_for(tl_spooled_at(c, from), tl_spooled_at(c, from + 1));
	if (keep(c, &one, tl_spooled_at(c, from), tl_spooled_at(c, from + 1)) ==
	    0)
		replace(c, from, from + 1, &one);
	return 0;
}

/* == which block == */

enum choice { WITH_DETAIL, UNTRIED, ANY };

static bool
is_eligible(const struct tl_spooled *b, enum choice choice)
{
	if (b->dropped || (choice != ANY && b->tried))
		return false;
	return choice != WITH_DETAIL || !b->thinned;
}

/* The oldest waiting block; ANY: or one that the target may have. */
static bool
find_oldest(const struct tl_spool *spool, enum choice choice,
    struct tl_spool_chain **chain, size_t *index)
{
	int64_t oldest_ns = INT64_MAX;

	for (size_t n = 0; n < spool->chain_count; n++) {
		struct tl_spool_chain *c = spool->chains[n];

		for (size_t i = c->in_flight; i < c->count; i++) {
			const struct tl_spooled *b = tl_spooled_at(c, i);

			if (is_taken(c, i) || !is_eligible(b, choice))
				continue;
			if (b->put_ns < oldest_ns) {
				oldest_ns = b->put_ns;
				*chain = c;
				*index = i;
			}
			break;
		}
	}
	return oldest_ns < INT64_MAX;
}

/* Replace a block by its thinned copy, in its file or in memory, and count what
 * was removed. */
static int
take_detail(struct tl_spool_chain *c, struct tl_spooled *b,
    const struct tl_block_facts *facts, struct tl_text *text)
{
	struct tl_spool_status *status = &c->spool->status;
	int rc;

	if (c->folder >= 0 && (rc = tl_spool_block_write(c, b,
				   tl_bytes(text->data, text->size))) < 0)
		return rc;
	status->size -= tl_spooled_size(b);
	b->size = (uint32_t)text->size;
	if (c->folder < 0) {
		free(b->data);
		b->data = text->data;
		*text = (struct tl_text){ 0 };
	}
	status->size += tl_spooled_size(b);
	for (unsigned i = 0; i < TIMELINE_LEVEL_NONE; i++)
		status->dropped_by[i] += facts->thinned[i];
	b->entries = facts->block.entries;
	b->lost = facts->block.lost;
	b->detail = tl_levels_total(facts->thinned);
	status->dropped += b->detail;
	status->thinned_blocks++;
	return 0;
}

int
tl_spool_thin(struct tl_spool_chain *c, size_t i)
{
	struct tl_spooled *b = tl_spooled_at(c, i);
	struct tl_text old = { 0 }, text = { 0 };
	struct tl_block_facts facts = { 0 };
	struct tl_bytes data;
	int rc;

	inspect(c, b);
	if (b->thinned)
		return -EALREADY;
	b->thinned = true; /* also on failure: it is not tried again */
	rc = tl_spooled_load(c, b, &old, &data);
	if (rc == 0)
		rc = tl_block_thin(&text, &facts, data);
	/* only detail: a placeholder is smaller */
	if (rc == 0 && facts.block.entries == 0)
		rc = tl_spool_drop(c, i);
	else if (rc == 0)
		rc = take_detail(c, b, &facts, &text);
	tl_block_facts_free(&facts);
	tl_text_free(&text);
	tl_text_free(&old);
	return rc;
}

int
tl_spool_shrink(struct tl_spool *spool)
{
	struct tl_spool_chain *c;
	size_t i;

	while (find_oldest(spool, WITH_DETAIL, &c, &i)) {
		if (tl_spool_thin(c, i) == 0)
			return 0;
	}
	if (!find_oldest(spool, UNTRIED, &c, &i) &&
	    !find_oldest(spool, ANY, &c, &i))
		return -ENOENT;
	return tl_spool_drop(c, i);
}
