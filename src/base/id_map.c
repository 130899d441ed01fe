/* SPDX-License-Identifier: Apache-2.0 */
/* id_map.c - ids for keys of two numbers. */
#include "base/id_map.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

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
	if (map->count == TL_ID_MAP_MAX)
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

void
tl_id_map_free(struct tl_id_map *map)
{
	tl_table_free(&map->table);
	free(map->keys);
	*map = (struct tl_id_map){ 0 };
}
