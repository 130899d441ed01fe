/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id_map.c - an open hash table, probed in steps of one.
 *
 * Keys come out of files: the hash is mixed with a number of this table, so
 * that nobody can write a file whose keys all meet in one slot.
 */
#include "base/id_map.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 64 };

static struct tl_number_slot *
find_slot(const struct tl_numbers *n, struct tl_number_key key)
{
	const uint64_t hash = tl_hash_mix(tl_hash_mix(key.a ^ n->seed) ^ key.b);
	size_t at = (size_t)hash & (n->size - 1);

	while (n->slots[at].number != 0 &&
	       (n->slots[at].key.a != key.a || n->slots[at].key.b != key.b))
		at = (at + 1) & (n->size - 1);
	return &n->slots[at];
}

static int
grow(struct tl_numbers *n)
{
	struct tl_numbers grown = *n;

	if (n->size == 0)
		grown.seed = tl_hash_seed(n);
	grown.size = n->size ? n->size * 2 : FIRST_SIZE;
	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < n->size; i++) {
		if (n->slots[i].number != 0)
			*find_slot(&grown, n->slots[i].key) = n->slots[i];
	}
	free(n->slots);
	*n = grown;
	return 0;
}

int
tl_numbers_look(struct tl_numbers *n, struct tl_number_key key,
    uint32_t *number)
{
	struct tl_number_slot *slot = n->size ? find_slot(n, key) : NULL;
	const int fresh = !slot || slot->number == 0;
	int rc;

	if (fresh && n->count == TL_NUMBERS_MAX)
		return -ENOSPC;
	if (fresh && (size_t)n->count * 2 >= n->size) {
		if ((rc = grow(n)) < 0)
			return rc;
		slot = find_slot(n, key);
	}
	if (fresh)
		*slot = (struct tl_number_slot){ key, ++n->count };
	n->last = *slot;
	*number = slot->number - 1;
	return fresh;
}

void
tl_numbers_free(struct tl_numbers *n)
{
	free(n->slots);
	*n = (struct tl_numbers){ 0 };
}

int
tl_numbers_room(void **array, size_t *capacity, uint32_t count,
    size_t size_each)
{
	size_t more = *capacity ? *capacity : FIRST_SIZE;
	char *grown;

	if (count < *capacity)
		return 0;
	while (more <= count)
		more *= 2;
	grown = realloc(*array, more * size_each);
	if (!grown)
		return -ENOMEM;
	memset(grown + *capacity * size_each, 0,
	    (more - *capacity) * size_each);
	*array = grown;
	*capacity = more;
	return 0;
}
