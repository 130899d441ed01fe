/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id_map.h - a number, counted from 0, for each key that is met: the place
 * in an array of what its owner keeps about the key.
 */
#ifndef TL_BASE_ID_MAP_H
#define TL_BASE_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

enum { TL_NUMBERS_MAX = 1 << 20 };

struct tl_number_key {
	uint64_t a;
	uint64_t b;
};

struct tl_number_slot {
	struct tl_number_key key;
	uint32_t number; /* plus 1; 0: free */
};

/* Starts from all zeros. */
struct tl_numbers {
	struct tl_number_slot *slots;
	size_t size; /* 0 or a power of two, at least twice count */
	uint32_t count;
	uint64_t seed;
	struct tl_number_slot last; /* the answer before */
};

/* What tl_numbers_get did not know at once. */
int tl_numbers_look(struct tl_numbers *numbers, struct tl_number_key key,
    uint32_t *number);

/* The number of a key: 0 known, 1 new, -ENOSPC, -ENOMEM. */
static inline int
tl_numbers_get(struct tl_numbers *numbers, struct tl_number_key key,
    uint32_t *number)
{
	if (numbers->last.number == 0 || numbers->last.key.a != key.a ||
	    numbers->last.key.b != key.b)
		return tl_numbers_look(numbers, key, number);
	*number = numbers->last.number - 1;
	return 0;
}

void tl_numbers_free(struct tl_numbers *numbers);

/* Room for element number count of an array (NULL at first), in which all is
 * 0 that was not set: 0 or -ENOMEM. */
int tl_numbers_room(void **array, size_t *capacity, uint32_t count,
    size_t size_each);

#endif
