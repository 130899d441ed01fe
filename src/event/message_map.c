/* SPDX-License-Identifier: Apache-2.0 */
/* message_map.c - an open hash table, probed in steps of one. */
#include "event/message_map.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SIZE = 64 };

/* The slot of a message, or the free one where it belongs.  There always is a
 * free one: the table is never more than half full. */
static struct tl_message_slot *
find_slot(struct tl_message_slot *slots, size_t size,
    const struct tl_message *message)
{
	uint64_t hash = (uint64_t)(uintptr_t)message * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(hash >> 32) & (size - 1);

	while (slots[i].message && slots[i].message != message)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

void *
tl_message_map_look(struct tl_message_map *map,
    const struct tl_message *message)
{
	const struct tl_message_slot *slot;

	if (map->size == 0)
		return NULL;
	slot = find_slot(map->slots, map->size, message);
	if (!slot->message)
		return NULL;
	map->last = *slot;
	return slot->value;
}

static int
grow(struct tl_message_map *map)
{
	const size_t size = map->size ? map->size * 2 : FIRST_SIZE;
	struct tl_message_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->size; i++) {
		const struct tl_message_slot *old = &map->slots[i];

		if (old->message)
			*find_slot(slots, size, old->message) = *old;
	}
	free(map->slots);
	map->slots = slots;
	map->size = size;
	return 0;
}

int
tl_message_map_add(struct tl_message_map *map, const struct tl_message *message,
    void *value)
{
	int rc;

	if (map->count == TL_MESSAGE_MAP_MAX)
		return -ENOSPC;
	if (map->count * 2 == map->size && (rc = grow(map)) < 0)
		return rc;
	map->last = (struct tl_message_slot){ message, value };
	*find_slot(map->slots, map->size, message) = map->last;
	map->count++;
	return 0;
}

void
tl_message_map_free(struct tl_message_map *map, void (*release)(void *value))
{
	for (size_t i = 0; release && i < map->size; i++) {
		if (map->slots[i].message)
			release(map->slots[i].value);
	}
	free(map->slots);
	*map = (struct tl_message_map){ 0 };
}
