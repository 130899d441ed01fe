/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_map.h - what a sink keeps for each message it has met.
 *
 * Finds a sink's own value by the message's address.  Several sinks may keep
 * something about one message, which its user pointer does not allow, and the
 * messages stay constant.  A map lives no longer than its messages.
 */
#ifndef TL_EVENT_MESSAGE_MAP_H
#define TL_EVENT_MESSAGE_MAP_H

#include "base/table.h"
#include "event/message.h"

/* More messages are served without being kept. */
enum { TL_MESSAGE_MAP_MAX = 1 << 20 };

struct tl_message_slot {
	const struct tl_message *message;
	void *value;
};

/* Starts from all zeros. */
struct tl_message_map {
	struct tl_table table;
	struct tl_message_slot *slots; /* as the messages came */
	size_t count;
	size_t capacity;
	struct tl_message_slot last; /* the answer before */
};

/* What tl_message_map_find did not know at once. */
void *tl_message_map_look(struct tl_message_map *map,
    const struct tl_message *message);

/* The value kept for a message; NULL when there is none. */
static inline void *
tl_message_map_find(struct tl_message_map *map,
    const struct tl_message *message)
{
	if (map->last.message == message)
		return map->last.value;
	return tl_message_map_look(map, message);
}

/* Keep a value (not NULL) for a message that has none.  0, -ENOMEM, -ENOSPC;
 * on failure the value stays the caller's. */
int tl_message_map_add(struct tl_message_map *map,
    const struct tl_message *message, void *value);

/* Free the map, and every value by release (which may be NULL). */
void
tl_message_map_free(struct tl_message_map *map, void (*release)(void *value));

#endif
