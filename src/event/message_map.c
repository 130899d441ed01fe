/* SPDX-License-Identifier: Apache-2.0 */
/* message_map.c - values by the address of a message. */
#include "event/message_map.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t
hash_of(const struct tl_message *message)
{
	return tl_hash_number((uint64_t)(uintptr_t)message);
}

void *
tl_message_map_look(struct tl_message_map *map,
    const struct tl_message *message)
{
	struct tl_probe probe = tl_table_probe(&map->table, hash_of(message));
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		if (map->slots[at].message == message) {
			map->last = map->slots[at];
			return map->last.value;
		}
	}
	return NULL;
}

int
tl_message_map_add(struct tl_message_map *map, const struct tl_message *message,
    void *value)
{
	int rc;

	if (map->count == TL_MESSAGE_MAP_MAX)
		return -ENOSPC;
	if (TL_ARRAY_ROOM(map->slots, map->capacity, map->count) < 0)
		return -ENOMEM;
	rc = tl_table_add(&map->table, hash_of(message), map->count);
	if (rc < 0)
		return rc;
	map->last = (struct tl_message_slot){ message, value };
	map->slots[map->count++] = map->last;
	return 0;
}

void
tl_message_map_free(struct tl_message_map *map, void (*release)(void *value))
{
	for (size_t i = 0; release && i < map->count; i++)
		release(map->slots[i].value);
	tl_table_free(&map->table);
	free(map->slots);
	*map = (struct tl_message_map){ 0 };
}
