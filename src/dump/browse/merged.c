/* SPDX-License-Identifier: Apache-2.0 */
/* merged.c - build a tree of merged calls during a walk. */
#include "dump/browse/merged.h"

#include "base/array.h"
#include "base/ns.h"

#include <errno.h>
#include <stdlib.h>

/* Find the call of a message inside another call.  NULL: none.  Calls repeat,
 * so the call that was found last is tried first. */
static struct tl_merged_call *
find(struct tl_merged_call *outer, const struct tl_message *message)
{
	struct tl_merged_call **inner = outer->inner;

	for (size_t i = 0; i < outer->inner_count; i++) {
		struct tl_merged_call *call = inner[i];

		if (call->message == message) {
			inner[i] = inner[0];
			inner[0] = call;
			return call;
		}
	}
	return NULL;
}

static struct tl_merged_call *
make(struct tl_merged *merged, struct tl_merged_call *outer,
    const struct tl_message *message)
{
	struct tl_merged_call *call;

	if (TL_ARRAY_ROOM(outer->inner, outer->inner_capacity,
		outer->inner_count) < 0)
		return NULL;
	call = calloc(1, sizeof(*call));
	if (!call)
		return NULL;
	call->message = message;
	call->outer = outer;
	call->max_ns = -1;
	outer->inner[outer->inner_count++] = call;
	merged->count++;
	return call;
}

int
tl_merged_add(struct tl_merged *merged, const struct tl_node *node,
    int64_t duration_ns, uint64_t step)
{
	struct tl_merged_call *outer = merged->at, *call;

	if (!outer)
		outer = &merged->root;
	else if (node->depth <= merged->depth)
		for (uint32_t up = merged->depth - node->depth + 1; up > 0;
		     up--)
			outer = outer->outer;
	call = find(outer, node->event.message);
	if (!call) {
		if (merged->count == TL_MERGED_MAX)
			return -EOVERFLOW;
		call = make(merged, outer, node->event.message);
		if (!call)
			return -ENOMEM;
	}
	merged->depth = node->depth;
	merged->at = call;
	call->count++;
	if (duration_ns >= 0)
		call->total_ns = tl_add_ns(call->total_ns, duration_ns);
	if (duration_ns > call->max_ns || call->count == 1) {
		call->max_ns = duration_ns;
		call->slowest = step;
	}
	return 0;
}

static int
compare_totals(const void *left, const void *right)
{
	const struct tl_merged_call *a = *(struct tl_merged_call *const *)left;
	const struct tl_merged_call *b = *(struct tl_merged_call *const *)right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return a->slowest < b->slowest ? -1 : a->slowest > b->slowest;
}

int
tl_merged_finish(struct tl_merged *merged)
{
	struct tl_merged_call *call = &merged->root;

	for (; call; call = tl_merged_next(call, true)) {
		int64_t inside = 0;

		for (size_t i = 0; i < call->inner_count; i++)
			inside = tl_add_ns(inside, call->inner[i]->total_ns);
		call->self_ns = tl_ns_between(inside, call->total_ns);
		if (call->inner_count > 1)
			qsort(call->inner, call->inner_count,
			    sizeof(struct tl_merged_call *), compare_totals);
		for (size_t i = 0; i < call->inner_count; i++)
			call->inner[i]->number = i;
	}
	return 0;
}

struct tl_merged_call *
tl_merged_next(const struct tl_merged_call *call, bool all)
{
	if (call->inner_count > 0 && (all || call->unfolded || !call->outer))
		return call->inner[0];
	while (call->outer && call->number + 1 == call->outer->inner_count)
		call = call->outer;
	return call->outer ? call->outer->inner[call->number + 1] : NULL;
}

void
tl_merged_free(struct tl_merged *merged)
{
	struct tl_merged_call *call = &merged->root;

	while (call->inner_count > 0 || call->outer) {
		struct tl_merged_call *outer = call->outer;

		if (call->inner_count > 0) {
			call = call->inner[--call->inner_count];
			continue;
		}
		free(call->inner);
		free(call);
		call = outer;
	}
	free(call->inner);
	*merged = (struct tl_merged){ 0 };
}
