/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen.c - chains by name, and the gaps of each in the order of their numbers
 */
#include "ship/block.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static struct tl_seen_chain *
find(const struct tl_seen *seen, const char *name)
{
	for (size_t i = 0; i < seen->count; i++) {
		if (strcmp(seen->chains[i]->name, name) == 0)
			return seen->chains[i];
	}
	return NULL;
}

/* Begin a chain, in place of the one that was not used for longest if there are
 * too many. */
static struct tl_seen_chain *
begin(struct tl_seen *seen, const struct tl_block *block)
{
	struct tl_seen_chain *chain;

	if (seen->count == TL_SEEN_CHAINS_MAX) {
		chain = seen->chains[0];
		for (size_t i = 1; i < seen->count; i++) {
			if (seen->chains[i]->used < chain->used)
				chain = seen->chains[i];
		}
	} else {
		chain = calloc(1, sizeof(*chain));
		if (!chain || TL_ARRAY_ROOM(seen->chains, seen->capacity,
				  seen->count) < 0) {
			free(chain);
			return NULL;
		}
		seen->chains[seen->count++] = chain;
	}
	memset(chain, 0, sizeof(*chain));
	memcpy(chain->name, block->chain, sizeof(chain->name));
	memcpy(chain->host, block->host, sizeof(chain->host));
	memcpy(chain->timeline, block->timeline, sizeof(chain->timeline));
	chain->begun = block->number;
	return chain;
}

static void
remove_gap(struct tl_seen_chain *chain, size_t i)
{
	chain->gap_count--;
	memmove(&chain->gaps[i], &chain->gaps[i + 1],
	    (chain->gap_count - i) * sizeof(chain->gaps[0]));
}

static void
insert_gap(struct tl_seen_chain *chain, size_t i, uint64_t first, uint64_t last)
{
	if (chain->gap_count == TL_SEEN_GAPS_MAX) {
		remove_gap(chain, 0);
		i -= i > 0;
	}
	memmove(&chain->gaps[i + 1], &chain->gaps[i],
	    (chain->gap_count - i) * sizeof(chain->gaps[0]));
	chain->gaps[i] = (struct tl_seen_gap){ first, last };
	chain->gap_count++;
}

/* Remove a range from a gap; returns its size. */
static uint64_t
fill(struct tl_seen_chain *chain, size_t i, uint64_t first, uint64_t last)
{
	const struct tl_seen_gap gap = chain->gaps[i];

	if (last > gap.last)
		last = gap.last;
	remove_gap(chain, i);
	if (last < gap.last)
		insert_gap(chain, i, last + 1, gap.last);
	if (first > gap.first)
		insert_gap(chain, i, gap.first, first - 1);
	return last - first + 1;
}

static int
place(struct tl_seen *seen, struct tl_seen_chain *chain, uint64_t number,
    uint64_t last)
{
	const uint64_t next = chain->next;

	if (number < next) {
		size_t i = 0; /* of the gap that the number is in */

		while (
		    i < chain->gap_count && (number < chain->gaps[i].first ||
						number > chain->gaps[i].last))
			i++;
		if (i == chain->gap_count)
			return TL_SEEN_DUPLICATE;
		seen->missing -= fill(chain, i, number, last);
		return TL_SEEN_LATE;
	}
	if (number > next) {
		insert_gap(chain, chain->gap_count, next, number - 1);
		seen->missing += number - next;
	}
	chain->next = last < UINT64_MAX ? last + 1 : last;
	return number > next ? TL_SEEN_AHEAD : TL_SEEN_NEXT;
}

int
tl_seen_add(struct tl_seen *seen, const struct tl_block *block, uint64_t last,
    const struct tl_seen_chain **found)
{
	struct tl_seen_chain *chain = find(seen, block->chain);
	const bool known = chain != NULL;
	int at;

	if (!chain)
		chain = begin(seen, block);
	if (!chain)
		return -ENOMEM;
	chain->used = ++seen->used;
	*found = chain;
	if (!known) /* blocks before the first are not missing */
		chain->next = block->number;
	if ((chain->kept || block->kept) && block->number > chain->next) {
		seen->discarded += block->number - chain->next;
		chain->next = block->number;
	}
	chain->kept = block->kept;
	at = place(seen, chain, block->number, last);
	return known ? at : TL_SEEN_FIRST;
}

void
tl_seen_free(struct tl_seen *seen)
{
	for (size_t i = 0; i < seen->count; i++)
		free(seen->chains[i]);
	free(seen->chains);
	*seen = (struct tl_seen){ 0 };
}
