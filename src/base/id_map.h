/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id_map.h - ids for keys of two numbers: 0, 1, 2, ... in the order in which
 * the keys first come.  An owner keeps what it knows of a key in an array,
 * at the key's id.
 */
#ifndef TL_BASE_ID_MAP_H
#define TL_BASE_ID_MAP_H

#include "base/table.h"

enum { TL_ID_MAP_MAX = 1 << 20 };

struct tl_id_key {
	uint64_t a;
	uint64_t b;
};

/* Starts from all zeros. */
struct tl_id_map {
	struct tl_table table;
	struct tl_id_key *keys; /* by id */
	size_t capacity;
	uint32_t count;
	uint32_t last; /* plus 1: the id that was given last */
};

/* As tl_id_map_get, for a key that is not that of the last id. */
int tl_id_map_search(struct tl_id_map *map, struct tl_id_key key, uint32_t *id);

/* The id of a key: 0 it was known, 1 it is new, -ENOSPC, -ENOMEM. */
static inline int
tl_id_map_get(struct tl_id_map *map, struct tl_id_key key, uint32_t *id)
{
	const struct tl_id_key *last =
	    map->last > 0 ? &map->keys[map->last - 1] : NULL;

	if (!last || last->a != key.a || last->b != key.b)
		return tl_id_map_search(map, key, id);
	*id = map->last - 1;
	return 0;
}

void tl_id_map_free(struct tl_id_map *map);

#endif
