/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays that grow by doubling, and search in sorted arrays.
 *
 *	if (TL_ARRAY_ROOM(list->items, list->capacity, list->count) < 0)
 *		return -ENOMEM;
 *	list->items[list->count++] = item;
 *
 * array is a pointer to elements of any type, NULL at first, and capacity a
 * size_t, 0 at first.  The macro evaluates array and capacity several times.
 * Its value is 0, or -ENOMEM with the array unchanged.  Free the array with
 * free().
 *
 *	TL_SEARCH(i, 0, count, list[i].key < key);
 *
 * Binary search: i becomes the first index from 0 to count for which the
 * condition, an expression in i, is false.  The condition must be true for all
 * indices before i and false for all after.  i is count if the condition is
 * true for all.
 *
 * TL_COUNT is the number of elements of an array, which must not be a pointer.
 */
#ifndef TL_BASE_ARRAY_H
#define TL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#define TL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Make room for an element after count elements. */
#define TL_ARRAY_ROOM(array, capacity, count) \
	((size_t)(count) < (capacity) ? 0 \
				      : tl_array_grow(&(array), &(capacity), \
					    (count), sizeof(*(array)), false))

/* Like TL_ARRAY_ROOM, but elements that were never set are all zeros. */
#define TL_ARRAY_ZEROS(array, capacity, count) \
	((size_t)(count) < (capacity) ? 0 \
				      : tl_array_grow(&(array), &(capacity), \
					    (count), sizeof(*(array)), true))

#define TL_SEARCH(i, from, to, condition) \
	do { \
		__typeof__(i) low_ = (from), high_ = (to); \
		while (low_ < high_) { \
			(i) = low_ + (high_ - low_) / 2; \
			if (condition) \
				low_ = (i) + 1; \
			else \
				high_ = (i); \
		} \
		(i) = low_; \
	} while (0)

/* Called by the macros; array is the address of the pointer. */
int tl_array_grow(void *array, size_t *capacity, size_t count,
    size_t element_size, bool zeros);

#endif
