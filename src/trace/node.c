/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - nodes, and their children in chunks of TL_NODE_CHUNK. */
#include "trace/read.h"

#include "base/ns.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_MIN = 4 /* places of the first chunk */ };

static size_t
chunk_count(uint64_t children)
{
	return (size_t)((children + TL_NODE_CHUNK - 1) / TL_NODE_CHUNK);
}

/* The size of a chunk.  The first chunk is a power of two that fits the
 * children, because most nodes have few. */
static size_t
chunk_size(uint64_t children, uint64_t chunk)
{
	size_t places = FIRST_MIN;

	while (chunk == 0 && places < children && places < TL_NODE_CHUNK)
		places *= 2;
	return (chunk == 0 ? places : TL_NODE_CHUNK) * sizeof(struct tl_node *);
}

/* Allocate zeroed memory within the budget.  NULL: *rc is set. */
static void *
take(struct tl_node_budget *budget, size_t size, int *rc)
{
	void *memory = NULL;

	if (budget->max > 0 && size > budget->max - budget->used)
		*rc = -EDQUOT;
	else if (!(memory = calloc(1, size)))
		*rc = -ENOMEM;
	else
		budget->used += size;
	return memory;
}

static void
give_back(struct tl_node_budget *budget, void *memory, size_t size)
{
	if (!memory)
		return;
	free(memory);
	budget->used -= size;
}

int64_t
tl_node_duration(const struct tl_node *node)
{
	if (node->ended == TL_NODE_ENDED && tl_event_is_stamped(&node->end))
		return node->end.duration_ns;
	return node->ended == TL_NODE_ENDED
		   ? tl_ns_between(node->event.ns, node->end.ns)
		   : 0;
}

struct tl_node *
tl_node_new(struct tl_node_budget *budget, int *rc)
{
	return take(budget, sizeof(struct tl_node), rc);
}

int
tl_node_adopt(struct tl_node *node, uint64_t i, struct tl_node *child,
    struct tl_node_budget *budget)
{
	const size_t count = chunk_count(node->child_count);
	struct tl_node ***chunk;
	int rc = 0;

	if (!node->chunks)
		node->chunks = take(budget, count * sizeof(*chunk), &rc);
	if (!node->chunks)
		return rc;
	chunk = &node->chunks[i / TL_NODE_CHUNK];
	if (!*chunk)
		*chunk = take(budget,
		    chunk_size(node->child_count, i / TL_NODE_CHUNK), &rc);
	if (!*chunk)
		return rc;
	(*chunk)[i % TL_NODE_CHUNK] = child;
	child->parent = node;
	child->depth = node->depth + 1;
	child->thread = node->thread;
	child->owner = node->owner;
	node->loaded++;
	return 0;
}

/* Free the chunks of a node whose children have been freed. */
static void
free_chunks(struct tl_node *node, struct tl_node_budget *budget)
{
	const size_t count = chunk_count(node->child_count);

	if (!node->chunks)
		return;
	for (size_t i = 0; i < count; i++)
		give_back(budget, node->chunks[i],
		    chunk_size(node->child_count, i));
	give_back(budget, node->chunks,
	    chunk_count(node->child_count) * sizeof(*node->chunks));
	node->chunks = NULL;
	node->loaded = 0;
}

/* The next loaded child, starting at *i. */
static struct tl_node *
any_child(const struct tl_node *node, uint64_t *i)
{
	while (*i < node->child_count) {
		struct tl_node **chunk = node->chunks[*i / TL_NODE_CHUNK];

		if (!chunk) {
			*i = (*i / TL_NODE_CHUNK + 1) * TL_NODE_CHUNK;
			continue;
		}
		if (chunk[*i % TL_NODE_CHUNK])
			return chunk[*i % TL_NODE_CHUNK];
		++*i;
	}
	return NULL;
}

/* Free the children without recursion.  A node that is being freed keeps the
 * position among its children in a member that is no longer needed. */
void
tl_node_forget(struct tl_node *node, struct tl_node_budget *budget)
{
	struct tl_node *at = node;
	uint64_t i = 0;

	for (;;) {
		struct tl_node *child = at->chunks ? any_child(at, &i) : NULL;
		struct tl_node *parent = at->parent;

		if (child) {
			if (at != node)
				at->content = i;
			else
				node->loaded = i; /* set to 0 below */
			at->chunks[i / TL_NODE_CHUNK][i % TL_NODE_CHUNK] = NULL;
			at = child;
			i = 0;
			continue;
		}
		free_chunks(at, budget);
		if (at == node)
			break;
		give_back(budget, at, sizeof(*at));
		at = parent;
		i = at == node ? node->loaded : at->content;
	}
	node->loaded = 0;
}

void
tl_node_forget_child(struct tl_node *node, uint64_t i,
    struct tl_node_budget *budget)
{
	struct tl_node *child = tl_node_child(node, i);

	if (!child)
		return;
	node->chunks[i / TL_NODE_CHUNK][i % TL_NODE_CHUNK] = NULL;
	node->loaded--;
	tl_node_free(child, budget);
}

/* Free a chunk if it has no children. */
static void
drop_chunk(struct tl_node *node, uint64_t chunk, struct tl_node_budget *budget)
{
	const size_t size = chunk_size(node->child_count, chunk);
	struct tl_node **places = node->chunks[chunk];

	for (size_t i = 0; places && i < size / sizeof(*places); i++)
		if (places[i])
			return;
	give_back(budget, places, size);
	node->chunks[chunk] = NULL;
}

void
tl_node_forget_range(struct tl_node *node, uint64_t first, uint64_t count,
    struct tl_node_budget *budget)
{
	uint64_t end;

	if (!node->chunks || first >= node->child_count || count == 0)
		return;
	if (count > node->child_count - first)
		count = node->child_count - first;
	if (count == node->child_count) {
		tl_node_forget(node, budget);
		return;
	}
	end = first + count;
	for (uint64_t i = first; i < end;) {
		const uint64_t chunk = i / TL_NODE_CHUNK;
		const uint64_t next = (chunk + 1) * TL_NODE_CHUNK;

		if (node->chunks[chunk]) {
			for (; i < end && i < next; i++)
				tl_node_forget_child(node, i, budget);
			drop_chunk(node, chunk, budget);
		}
		i = next;
	}
}

void
tl_node_free(struct tl_node *node, struct tl_node_budget *budget)
{
	if (!node)
		return;
	tl_node_forget(node, budget);
	give_back(budget, node, sizeof(*node));
}

void
tl_trees_free(struct tl_trees *trees)
{
	for (size_t i = 0; trees->roots && i < trees->count; i++)
		tl_node_forget(&trees->roots[i], &trees->budget);
	free(trees->roots);
	free(trees->threads);
}
