/* SPDX-License-Identifier: Apache-2.0 */
/* chain.c - a chain: order its blocks, and find missing ones; positions. */
#include "trace/chain/chain.h"

#include "base/array.h"
#include "clock/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES_WORDS_MAX = 64 };

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

/* == positions == */

/* Read a decimal number and the character behind it.  The end of the text may
 * take the place of a space. */
static bool
read_number(struct tl_bytes *rest, char behind, uint64_t *n)
{
	char digits[TL_UNSIGNED_MAX + 1];
	size_t size = 0;

	while (size < rest->size && size <= TL_UNSIGNED_MAX &&
	       rest->data[size] >= '0' && rest->data[size] <= '9')
		size++;
	if (size == 0 || size > TL_UNSIGNED_MAX)
		return false;
	memcpy(digits, rest->data, size);
	digits[size] = '\0';
	if (tl_parse_unsigned(digits, n) != 0 ||
	    (size == rest->size ? behind != ' ' : rest->data[size] != behind))
		return false;
	size += size < rest->size;
	*rest = tl_bytes(rest->data + size, rest->size - size);
	return true;
}

void
tl_put_positions(struct tl_text *text, const uint64_t *positions,
    size_t lane_count)
{
	for (size_t i = 0; i < lane_count; i++) {
		if (i > 0)
			tl_put_char(text, ' ');
		tl_put_unsigned(text, i);
		tl_put_char(text, ':');
		tl_put_unsigned(text, positions[i]);
	}
}

/* Read the number of a lane, which must be the next lane. */
static bool
read_lane(struct tl_bytes *rest, size_t lane, uint64_t *number)
{
	uint64_t is;

	return lane < TL_POSITIONS_LANES_MAX && read_number(rest, ':', &is) &&
	       is == lane && read_number(rest, ' ', number);
}

int
tl_parse_positions(const char *words, uint64_t **positions, size_t *lane_count)
{
	struct tl_bytes rest = tl_bytes_of(words);
	uint64_t *list = NULL;
	size_t count = 0, capacity = 0;
	int rc = -EINVAL;

	for (; rest.size > 0; count++) {
		if (TL_ARRAY_ROOM(list, capacity, count) < 0) {
			rc = -ENOMEM;
			goto bad;
		}
		if (!read_lane(&rest, count, &list[count]))
			goto bad;
	}
	if (count == 0)
		return rc;
	*positions = list;
	*lane_count = count;
	return 0;
bad:
	free(list);
	return rc;
}

/* == blocks == */

/* Parse "17-42", a range of block numbers. */
static void
read_dropped(struct tl_chain_block *block, struct tl_bytes text)
{
	uint64_t first, last;

	if (!read_number(&text, '-', &first) ||
	    !read_number(&text, ' ', &last) || text.size > 0 || first > last ||
	    block->number < first || block->number > last)
		return;
	block->number = first;
	block->last = last;
	block->dropped = true;
}

/* The entries of the timeline before the positions in an INFO. */
static uint64_t
sum_positions(const struct tl_context *c, const char *name)
{
	struct tl_bytes words = tl_context_info(c, name);
	uint64_t all = 0, number;
	size_t lane = 0;

	for (; words.size > 0; lane++)
		if (!read_lane(&words, lane, &number) ||
		    __builtin_add_overflow(all, number, &all))
			return TL_CHAIN_UNKNOWN;
	return lane > 0 ? all : TL_CHAIN_UNKNOWN;
}

void
tl_chain_describe(struct tl_chain_block *block,
    const struct tl_blocks_trace *trace)
{
	const struct tl_context *c = &trace->context;
	const struct tl_bytes continued = tl_context_info(c, "continued");
	struct tl_bytes number = tl_context_info(c, "block");

	*block = (struct tl_chain_block){ .at = trace->at,
		.size = trace->size,
		.events = trace->events,
		.min_ns = trace->min_ns,
		.max_ns = trace->max_ns,
		.whole = trace->whole,
		.created_ns = trace->header.created_ns,
		.told_ns = INT64_MIN,
		.begins = sum_positions(c, "begins"),
		.goes_on = sum_positions(c, "positions"),
		.identity = tl_hash_bytes(tl_context_info(c, "identity")),
		.repeats = continued.size > 0 &&
			   !tl_bytes_equal(continued, tl_bytes_of("0")) };
	if (!read_number(&number, ' ', &block->number) || number.size > 0)
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
tl_chain_knot_count(const struct tl_chain *chain)
{
	return chain->knots_gone + chain->knot_count;
}

const struct timeline_knot *
tl_chain_knot(const struct tl_chain *chain, size_t i)
{
	return &chain->knots[i > chain->knots_gone ? i - chain->knots_gone : 0];
}
