/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pqueue.h - the priority queue: a binary heap of elements of one size.
 *
 *	static bool
 *	is_before(const void *context, const void *a, const void *b) { ... }
 *	static const struct tl_pqueue_order order = { sizeof(struct held),
 *		is_before };
 *
 *	tl_pqueue_push(&queue, &order, context, &held);
 *	const struct held *first = tl_pqueue_first(&queue);
 *	tl_pqueue_pop(&queue, &order, context);
 *
 * Everything is inline: if order is a constant, the compiler knows size and
 * comparison, and a merge of cursors costs as much as a heap written by hand.
 * Elements are copied, so a queue of large elements should hold pointers.
 *
 * Elements of which none is before the other come out in any order.  For a
 * stable order is_before() must also compare a number of the input.
 *
 * A queue starts from all zeros.  items[count] always has room, for an element
 * whose place is being searched.  One thread uses a queue at a time.
 */
#ifndef TL_BASE_PQUEUE_H
#define TL_BASE_PQUEUE_H

#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Force inlining: a call of is_before() through the pointer made listings 6 %
 * slower. */
#define TL_PQUEUE_INLINE __attribute__((always_inline))

struct tl_pqueue_order {
	size_t size; /* size of an element */
	bool (*is_before)(const void *context, const void *a, const void *b);
};

struct tl_pqueue {
	char *items;
	size_t count;
	size_t capacity; /* in elements */
};

/* Element i.  Elements 2 i + 1 and 2 i + 2 are not before element i. */
static inline void *
tl_pqueue_at(const struct tl_pqueue *queue, const struct tl_pqueue_order *order,
    size_t i)
{
	return queue->items + i * order->size;
}

static inline void *
tl_pqueue_first(const struct tl_pqueue *queue)
{
	return queue->count > 0 ? queue->items : NULL;
}

/* Make room for `count` elements, so that pushing them cannot fail.  0 or
 * -ENOMEM. */
static inline int
tl_pqueue_reserve(struct tl_pqueue *queue, const struct tl_pqueue_order *order,
    size_t count)
{
	return count < queue->capacity
		   ? 0
		   : tl_array_grow(&queue->items, &queue->capacity, count,
			 order->size, false);
}

/* Add a copy of an element.  0 or -ENOMEM. */
static inline int
tl_pqueue_push(struct tl_pqueue *queue, const struct tl_pqueue_order *order,
    const void *context, const void *element)
{
	size_t at = queue->count;

	if (tl_pqueue_reserve(queue, order, queue->count + 1) < 0)
		return -ENOMEM;
	while (at > 0) {
		const size_t parent = (at - 1) / 2;

		if (!order->is_before(context, element,
			tl_pqueue_at(queue, order, parent)))
			break;
		memcpy(tl_pqueue_at(queue, order, at),
		    tl_pqueue_at(queue, order, parent), order->size);
		at = parent;
	}
	memcpy(tl_pqueue_at(queue, order, at), element, order->size);
	queue->count++;
	return 0;
}

/* Move the element at items[count] to the first place, and down to where it
 * belongs. */
static inline TL_PQUEUE_INLINE void
tl_pqueue_sink_(struct tl_pqueue *queue, const struct tl_pqueue_order *order,
    const void *context)
{
	const void *moving = tl_pqueue_at(queue, order, queue->count);
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= queue->count)
			break;
		if (child + 1 < queue->count &&
		    order->is_before(context,
			tl_pqueue_at(queue, order, child + 1),
			tl_pqueue_at(queue, order, child)))
			child++;
		if (!order->is_before(context,
			tl_pqueue_at(queue, order, child), moving))
			break;
		memcpy(tl_pqueue_at(queue, order, at),
		    tl_pqueue_at(queue, order, child), order->size);
		at = child;
	}
	memcpy(tl_pqueue_at(queue, order, at), moving, order->size);
}

/* Remove the first element.  The queue must not be empty. */
static inline TL_PQUEUE_INLINE void
tl_pqueue_pop(struct tl_pqueue *queue, const struct tl_pqueue_order *order,
    const void *context)
{
	if (--queue->count > 0)
		tl_pqueue_sink_(queue, order, context);
}

/* Restore the order after the first element has changed. */
static inline TL_PQUEUE_INLINE void
tl_pqueue_changed(struct tl_pqueue *queue, const struct tl_pqueue_order *order,
    const void *context)
{
	memcpy(tl_pqueue_at(queue, order, queue->count), queue->items,
	    order->size);
	tl_pqueue_sink_(queue, order, context);
}

static inline void
tl_pqueue_free(struct tl_pqueue *queue)
{
	free(queue->items);
	*queue = (struct tl_pqueue){ 0 };
}

#endif
