/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - a chain: order its blocks, and find missing ones. */
#include "trace/chain/chain.h"

#include "base/array.h"
#include "clock/clock.h"
#include "trace/chain/positions.h"
#include "trace/chain/work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_DIGITS = 20, ENTRIES_WORDS_MAX = 64 };

/* == the bytes of the stream == */

struct tl_chain_bytes *
tl_chain_bytes_hold(struct tl_chain_bytes *bytes)
{
	bytes->refs++;
	return bytes;
}

void
tl_chain_bytes_release(struct tl_chain_bytes *bytes)
{
	if (!bytes || --bytes->refs > 0)
		return;
	if (bytes->fd >= 0)
		close(bytes->fd);
	tl_interner_free(bytes->interner);
	free(bytes);
}

void
tl_chain_free(struct tl_chain *chain)
{
	if (!chain)
		return;
	tl_chain_messages_free(&chain->messages);
	tl_chain_bytes_release(chain->bytes);
	free(chain->blocks);
	free(chain->knots);
	free(chain->faults);
	tl_names_free(&chain->names);
	free(chain->name);
	free(chain);
}

void
tl_chain_say(struct tl_chain *chain, int rc, uint64_t at, const char *format,
    ...)
{
	struct tl_fault *fault;
	va_list args;

	chain->damaged |= rc != 0;
	if (!chain->faults)
		chain->faults = calloc(1, sizeof(*chain->faults));
	if (!chain->faults) /* the chain counts as damaged nevertheless */
		return;
	fault = tl_faults_next(chain->faults);
	*fault = (struct tl_fault){ .rc = rc, .at = at };
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
}

/* == blocks == */

/* Parse "17".  -EINVAL: it is not a number. */
static int
read_number(struct tl_bytes text, uint64_t *number)
{
	char digits[NUMBER_DIGITS + 1];

	if (text.size == 0 || text.size > NUMBER_DIGITS)
		return -EINVAL;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	return tl_parse_unsigned(digits, number);
}

/* Parse "17-42", a range of block numbers. */
static void
read_dropped(struct tl_chain_block *block, struct tl_bytes text)
{
	const char *dash =
	    text.size > 0 ? memchr(text.data, '-', text.size) : NULL;
	uint64_t first, last;
	size_t size;

	if (!dash)
		return;
	size = (size_t)(dash - text.data);
	if (read_number(tl_bytes(text.data, size), &first) < 0 ||
	    read_number(tl_bytes(dash + 1, text.size - size - 1), &last) < 0 ||
	    first > last || block->number < first || block->number > last)
		return;
	block->number = first;
	block->last = last;
	block->dropped = true;
}

static uint64_t
read_positions(const struct tl_context *c, const char *name)
{
	uint64_t sum;

	return tl_sum_positions(tl_context_info(c, name), &sum) < 0
		   ? TL_CHAIN_UNKNOWN
		   : sum;
}

void
tl_chain_describe(struct tl_chain_block *block,
    const struct tl_blocks_trace *trace)
{
	const struct tl_context *c = &trace->context;
	const struct tl_bytes continued = tl_context_info(c, "continued");

	*block = (struct tl_chain_block){ .at = trace->at,
		.size = trace->size,
		.events = trace->events,
		.min_ns = trace->min_ns,
		.max_ns = trace->max_ns,
		.whole = trace->whole,
		.created_ns = trace->header.created_ns,
		.told_ns = INT64_MIN,
		.begins = read_positions(c, "begins"),
		.goes_on = read_positions(c, "positions"),
		.identity = tl_hash_bytes(tl_context_info(c, "identity")),
		.repeats = continued.size > 0 &&
			   !tl_bytes_equal(continued, tl_bytes_of("0")) };
	if (read_number(tl_context_info(c, "block"), &block->number) < 0)
		block->number = 0;
	block->last = block->number;
	read_dropped(block, tl_context_info(c, "dropped"));
}

int
tl_chain_add(struct tl_chain *chain, const struct tl_chain_block *block)
{
	if (chain->block_count == TL_CHAIN_BLOCKS_MAX)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(chain->blocks, chain->block_capacity,
		chain->block_count) < 0)
		return -ENOMEM;
	chain->blocks[chain->block_count] = *block;
	chain->blocks[chain->block_count].order = (uint32_t)chain->block_count;
	chain->block_count++;
	return 0;
}

static int
compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Order by number.  Of blocks with equal numbers the best is first, then the
 * block that came first. */
static int
by_number(const void *a, const void *b)
{
	const struct tl_chain_block *x = a, *y = b;

	if (x->number != y->number)
		return compare(x->number, y->number);
	if (x->last != y->last)
		return compare(x->last, y->last);
	return x->whole != y->whole ? y->whole - x->whole
				    : compare(x->order, y->order);
}

/* Append ": 5 entries", if the number is known. */
static void
say_entries(char words[ENTRIES_WORDS_MAX], uint64_t entries, const char *after)
{
	words[0] = '\0';
	if (entries > 0)
		snprintf(words, ENTRIES_WORDS_MAX, ": %" PRIu64 " %s%s",
		    entries, entries == 1 ? "entry" : "entries", after);
}

void
tl_chain_miss(struct tl_chain *chain, const struct tl_chain_block *before,
    struct tl_chain_block *block)
{
	const uint64_t first = before->last + 1, last = block->number - 1;
	char entries[ENTRIES_WORDS_MAX];

	block->hole = true;
	/* the entries between two blocks, including losses, from the counts in
	 * both; 0: unknown, or the blocks belong to two timelines */
	if (before->identity == block->identity &&
	    before->goes_on != TL_CHAIN_UNKNOWN &&
	    block->begins != TL_CHAIN_UNKNOWN &&
	    block->begins >= before->goes_on)
		block->missing = block->begins - before->goes_on;
	else
		block->missing = 0;
	say_entries(entries, block->missing, "");
	if (first == last)
		tl_chain_say(chain, -ENODATA, TL_FAULT_NOWHERE,
		    "block %" PRIu64 " is missing%s", first, entries);
	else
		tl_chain_say(chain, -ENODATA, TL_FAULT_NOWHERE,
		    "blocks %" PRIu64 " to %" PRIu64 " are missing%s", first,
		    last, entries);
}

/* Report missing blocks before each block.  A block may lie within the range of
 * a placeholder.  Streams discard their oldest blocks, so that is no damage. */
static void
join(struct tl_chain *chain)
{
	struct tl_chain_block *blocks = chain->blocks;
	const struct tl_chain_block *before = &blocks[0];
	char entries[ENTRIES_WORDS_MAX];

	say_entries(entries,
	    before->begins == TL_CHAIN_UNKNOWN ? 0 : before->begins,
	    " of its timeline came before");
	if (before->number != 0)
		tl_chain_say(chain, 0, TL_FAULT_NOWHERE,
		    "it begins with block %" PRIu64 "%s", before->number,
		    entries);
	for (size_t i = 1; i < chain->block_count; i++) {
		if (blocks[i].number > before->last &&
		    blocks[i].number - before->last > 1)
			tl_chain_miss(chain, before, &blocks[i]);
		else if (blocks[i].number > before->last)
			blocks[i].follows = !before->dropped;
		if (blocks[i].last > before->last)
			before = &blocks[i];
	}
}

int64_t
tl_chain_block_end(const struct tl_chain_block *block)
{
	if (block->events > 0)
		return block->max_ns;
	return block->told_ns == INT64_MIN ? block->created_ns
					   : tl_add_ns(block->told_ns, 1);
}

static int
by_time(const void *a, const void *b)
{
	const struct tl_chain_block *x = a, *y = b;

	if (x->created_ns != y->created_ns)
		return x->created_ns > y->created_ns ? 1 : -1;
	return compare(x->order, y->order);
}

void
tl_chain_settle(struct tl_chain *chain)
{
	const bool by_numbers = chain->numbered || chain->lone;
	struct tl_chain_block *blocks = chain->blocks;
	int64_t told_ns = INT64_MIN;
	size_t kept = 0;

	qsort(blocks, chain->block_count, sizeof(*blocks),
	    by_numbers ? by_number : by_time);
	/* keep only the first of blocks with the same number */
	for (size_t i = 0; by_numbers && i < chain->block_count; i++)
		if (kept == 0 || blocks[kept - 1].number != blocks[i].number ||
		    blocks[kept - 1].last != blocks[i].last)
			blocks[kept++] = blocks[i];
	if (by_numbers)
		chain->block_count = kept;
	if (chain->numbered && chain->block_count > 0)
		join(chain);
	chain->knots_gone = 0; /* no caller has counted these knots yet */
	chain->events = 0;
	for (size_t i = 0; i < chain->block_count; i++) {
		/* earlier blocks have returned begin events up to this time */
		blocks[i].told_ns = told_ns;
		if (!blocks[i].dropped && blocks[i].max_ns > told_ns)
			told_ns = blocks[i].max_ns;
		chain->events += blocks[i].events;
	}
}

/* == properties == */

const char *
tl_chain_name(const struct tl_chain *chain)
{
	return chain->name;
}

void
tl_chain_origin(const struct tl_chain *chain, struct tl_origin *origin)
{
	*origin = chain->origin;
}

uint64_t
tl_chain_entries(const struct tl_chain *chain)
{
	return chain->events;
}

int
tl_chain_newest(const struct tl_chain *chain, int64_t *ns)
{
	int64_t newest = INT64_MIN;

	for (size_t i = 0; i < chain->block_count; i++)
		if (chain->blocks[i].max_ns > newest)
			newest = chain->blocks[i].max_ns;
	if (newest == INT64_MIN)
		return -ENODATA;
	*ns = newest;
	return 0;
}

size_t
tl_chain_message_count(const struct tl_chain *chain)
{
	return chain->messages.count;
}

const struct tl_message *const *
tl_chain_messages(const struct tl_chain *chain)
{
	return chain->messages.list;
}

size_t
tl_chain_knot_count(const struct tl_chain *chain)
{
	return chain->knots_gone + chain->knot_count;
}

const struct timeline_knot *
tl_chain_knot(const struct tl_chain *chain, size_t i)
{
	return &chain->knots[i > chain->knots_gone ? i - chain->knots_gone : 0];
}

size_t
tl_chain_fault_count(const struct tl_chain *chain)
{
	return chain->faults ? chain->faults->count : 0;
}

const struct tl_fault *
tl_chain_fault(const struct tl_chain *chain, size_t i)
{
	return &chain->faults->list[i];
}

bool
tl_chain_is_damaged(const struct tl_chain *chain)
{
	return chain->damaged;
}
