/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - a hash table with open addressing, and its hash functions.
 */
#include "base/table.h"

#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SIZE_FIRST = 16 };

uint64_t tl_hash_seed_chosen;

uint64_t
tl_hash_seed_make(void)
{
	uint64_t seed;

	/* Before the system has random bytes, an address is used. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = tl_hash_mix((uint64_t)(uintptr_t)&seed);
	if (seed == 0)
		seed = 1;
	/* Two threads may run this at once; both then take the first seed. */
	return tl_cas_64(&tl_hash_seed_chosen, 0, seed)
		   ? seed
		   : tl_load_64(&tl_hash_seed_chosen);
}

/* Put a slot.  There must be a free slot. */
static void
insert(struct tl_table_slot *slots, size_t size, struct tl_table_slot slot)
{
	size_t at = slot.hash & (size - 1);

	while (slots[at].place != 0)
		at = (at + 1) & (size - 1);
	slots[at] = slot;
}

static int
grow(struct tl_table *table)
{
	const size_t size = table->size ? table->size * 2 : SIZE_FIRST;
	struct tl_table_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].place != 0)
			insert(slots, size, table->slots[i]);
	free(table->slots);
	table->slots = slots;
	table->size = size;
	return 0;
}

int
tl_table_reserve(struct tl_table *table)
{
	if (table->count == TL_TABLE_MAX)
		return -ENOSPC;
	return 2 * (table->count + 1) > table->size ? grow(table) : 0;
}

int
tl_table_add(struct tl_table *table, uint64_t hash, size_t place)
{
	const int rc = place < UINT32_MAX ? tl_table_reserve(table) : -ENOSPC;

	if (rc < 0)
		return rc;
	insert(table->slots, table->size,
	    (struct tl_table_slot){ (uint32_t)hash, (uint32_t)place + 1 });
	table->count++;
	return 0;
}

void
tl_table_clear(struct tl_table *table)
{
	if (table->size > 0)
		memset(table->slots, 0, table->size * sizeof(*table->slots));
	table->count = 0;
}

void
tl_table_free(struct tl_table *table)
{
	free(table->slots);
	*table = (struct tl_table){ 0 };
}

/* == ids for keys of two numbers == */

int
tl_id_map_search(struct tl_id_map *map, struct tl_id_key key, uint32_t *id)
{
	const uint64_t hash = tl_hash_pair(key.a, key.b);
	struct tl_probe probe = tl_table_probe(&map->table, hash);
	int rc;

	while (tl_probe_next(&probe, id)) {
		if (map->keys[*id].a == key.a && map->keys[*id].b == key.b) {
			map->last = *id + 1;
			return 0;
		}
	}
	if (map->count == TL_ID_MAP_MAX && !map->unbounded)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(map->keys, map->capacity, map->count) < 0)
		return -ENOMEM;
	if ((rc = tl_table_add(&map->table, hash, map->count)) < 0)
		return rc;
	*id = map->count;
	map->keys[map->count++] = key;
	map->last = map->count;
	return 1;
}

int
tl_id_map_take(struct tl_id_map *taken, uint64_t second, const int64_t *wanted,
    int64_t *next, int64_t *number)
{
	struct tl_id_key key = { wanted ? (uint64_t)*wanted : 0, second };
	uint32_t id;
	int rc = wanted ? tl_id_map_get(taken, key, &id) : 0;

	while (rc == 0) {
		key.a = (uint64_t)(*next)++;
		rc = tl_id_map_get(taken, key, &id);
	}
	*number = (int64_t)key.a;
	return rc < 0 ? rc : 0;
}

bool
tl_id_map_has(const struct tl_id_map *map, struct tl_id_key key)
{
	struct tl_probe probe =
	    tl_table_probe(&map->table, tl_hash_pair(key.a, key.b));
	uint32_t id;

	while (tl_probe_next(&probe, &id))
		if (map->keys[id].a == key.a && map->keys[id].b == key.b)
			return true;
	return false;
}

void
tl_id_map_free(struct tl_id_map *map)
{
	tl_table_free(&map->table);
	free(map->keys);
	*map = (struct tl_id_map){ 0 };
}

/* == arrays that grow by doubling == */

enum { CAPACITY_FIRST = 8 };

int
tl_array_grow(void *array, size_t *capacity, size_t count, size_t element_size,
    bool zeros)
{
	size_t more = *capacity > 0 ? *capacity : CAPACITY_FIRST;
	char *elements, *grown;

	/* The type of the pointer is unknown here, so its bytes are copied. */
	memcpy(&elements, array, sizeof(elements));
	while (more <= count)
		if (__builtin_mul_overflow(more, 2, &more))
			return -ENOMEM;
	if (more > SIZE_MAX / element_size)
		return -ENOMEM;
	grown = realloc(elements, more * element_size);
	if (!grown)
		return -ENOMEM;
	if (zeros)
		memset(grown + *capacity * element_size, 0,
		    (more - *capacity) * element_size);
	memcpy(array, &grown, sizeof(grown));
	*capacity = more;
	return 0;
}
