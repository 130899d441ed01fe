/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array.h - arrays that grow by doubling.
 *
 *	void *items = tl_array_room(list->items, &list->capacity, list->count,
 *	    sizeof(*list->items));
 *
 *	if (!items)
 *		return -ENOMEM;
 *	list->items = items;
 *	list->items[list->count++] = item;
 */
#ifndef TL_BASE_ARRAY_H
#define TL_BASE_ARRAY_H

#include <stddef.h>

/* The array (NULL at first, of capacity 0), maybe elsewhere now, with room for
 * one more than count elements; NULL: no memory, and it is as it was. */
void *
tl_array_room(void *array, size_t *capacity, size_t count, size_t element_size);

#endif
