/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_map.c - values by the address of a message.
 */
#include "event/message_map.h"

#include "base/array.h"

#include <assert.h>
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
			*tl_message_map_lately(map, message) = map->slots[at];
			return map->slots[at].value;
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
	map->slots[map->count] = (struct tl_message_slot){ message, value };
	*tl_message_map_lately(map, message) = map->slots[map->count++];
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

/* == message cache: one slot for each hash; a collision replaces the slot == */

/* The first eight bytes of a part, or all bytes of a shorter part. */
static uint64_t
first_bytes(const char *data, size_t size)
{
	uint64_t word = 0;
	uint32_t half;

	if (size >= sizeof(word)) {
		memcpy(&word, data, sizeof(word));
	} else if (size >= sizeof(half)) {
		memcpy(&half, data, sizeof(half));
		word = half;
		memcpy(&half, data + size - sizeof(half), sizeof(half));
		word = word << 32 | half;
	} else {
		for (size_t i = 0; i < size; i++)
			word = word << 8 | (unsigned char)data[i];
	}
	return word;
}

/* Hash the first and last eight bytes and the size, in which parts differ
 * most. */
static uint64_t
hash_part(uint64_t hash, struct tl_bytes part)
{
	const size_t last = part.size > 8 ? part.size - 8 : 0;
	uint64_t word = first_bytes(part.data, part.size);

	hash = (hash ^ word) * UINT64_C(0x9e6c63d0876a3f6b);
	if (last > 0) {
		word = first_bytes(part.data + last, 8);
		hash =
		    (hash ^ hash >> 29 ^ word) * UINT64_C(0x9e6c63d0876a3f6b);
	}
	hash = (hash ^ hash >> 29 ^ part.size) * UINT64_C(0xd3833e804f4c574b);
	return hash ^ hash >> 32;
}

static size_t
slot_of(const struct tl_message_cache_key *key)
{
	uint64_t hash = (uint64_t)key->scope << 8 | key->kind;

	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++)
		hash = hash_part(hash, key->parts[i]);
	return (size_t)(hash % TL_MESSAGE_CACHE_SLOTS);
}

const struct tl_message_cache_slot *
tl_message_cache_find(const struct tl_message_cache *cache,
    const struct tl_message_cache_key *key)
{
	const struct tl_message_cache_slot *slot = &cache->slots[slot_of(key)];
	const char *data = slot->data;

	if (!slot->message || slot->kind != key->kind ||
	    slot->scope != key->scope)
		return NULL;
	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++) {
		if (!tl_bytes_equal(tl_bytes(data, slot->sizes[i]),
			key->parts[i]))
			return NULL;
		data += slot->sizes[i];
	}
	return slot;
}

void
tl_message_cache_add(struct tl_message_cache *cache,
    const struct tl_message_cache_key *key, const struct tl_message *message)
{
	struct tl_message_cache_slot *slot = &cache->slots[slot_of(key)];
	size_t size = 0;
	char *data;

	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++)
		size += key->parts[i].size;
	if (size > TL_MESSAGE_CACHE_SIZE_MAX || !(data = malloc(size + 1)))
		return;
	free(slot->data);
	*slot = (struct tl_message_cache_slot){ .message = message,
		.data = data,
		.kind = key->kind,
		.scope = key->scope };
	for (unsigned i = 0; i < TL_MESSAGE_CACHE_PARTS; i++) {
		slot->sizes[i] = (uint16_t)key->parts[i].size;
		if (key->parts[i].size > 0)
			memcpy(data, key->parts[i].data, key->parts[i].size);
		data += key->parts[i].size;
	}
}

void
tl_message_cache_free(struct tl_message_cache *cache)
{
	for (size_t i = 0; i < TL_MESSAGE_CACHE_SLOTS; i++)
		free(cache->slots[i].data);
}

/* == the pieces of a message == */

/* The limit of the memory for all kept pieces, because a file may define any
 * number of messages. */
enum { CACHE_SIZE_MAX = 32 << 20 };

void
tl_draft_cut(struct tl_draft *draft)
{
	assert(draft->count < TL_PIECES_MAX);
	draft->piece[draft->count++] =
	    (struct tl_piece){ (uint32_t)draft->start,
		    (uint32_t)(draft->text.size - draft->start) };
	tl_put_repeat(&draft->text, '\0', TL_PIECE_BLOCK);
	draft->start = draft->text.size;
}

static void
start_draft(struct tl_draft *draft)
{
	tl_text_clear(&draft->text);
	draft->start = 0;
	draft->count = 0;
	memset(draft->piece, 0, sizeof(draft->piece));
}

/* Copy the draft into memory of the exact size. */
static struct tl_pieces *
copy_draft(const struct tl_draft *draft, const struct tl_message *message)
{
	const size_t size = draft->text.size;
	struct tl_pieces *pieces = NULL;

	if (draft->text.rc == 0 && size < UINT32_MAX / 2)
		pieces = malloc(sizeof(*pieces) + size);
	if (!pieces)
		return NULL;
	pieces->room = (uint32_t)size + TL_PIECE_BLOCK;
	pieces->argc = message->argc;
	for (unsigned i = 0; i < TL_ARGS_MAX; i++)
		pieces->formats[i] = message->args[i].format;
	memcpy(pieces->piece, draft->piece, sizeof(pieces->piece));
	memcpy(pieces->data, draft->text.data, size);
	return pieces;
}

const struct tl_pieces *
tl_pieces_make(struct tl_pieces_cache *cache, const struct tl_message *message)
{
	struct tl_draft *draft = &cache->draft;
	struct tl_pieces *pieces;

	start_draft(draft);
	cache->make(draft, message);
	if (!(pieces = copy_draft(draft, message)))
		return NULL;
	if (draft->text.size <= CACHE_SIZE_MAX - cache->size &&
	    tl_message_map_add(&cache->map, message, pieces) == 0) {
		cache->size += draft->text.size;
		return pieces;
	}
	free(cache->scratch);
	cache->scratch = pieces;
	return pieces;
}

void
tl_pieces_free(struct tl_pieces_cache *cache)
{
	tl_message_map_free(&cache->map, free);
	tl_text_free(&cache->draft.text);
	free(cache->scratch);
	cache->scratch = NULL;
	cache->size = 0;
}
