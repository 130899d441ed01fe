/* SPDX-License-Identifier: Apache-2.0 */
/* memo.c - one slot for each hash: who collides is replaced. */
#include "event/message_cache.h"

#include <stdlib.h>

/* The first eight bytes; of fewer, all. */
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

/* The ends of a part tell most of it. */
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
slot_of(const struct tl_memo_key *key)
{
	uint64_t hash = (uint64_t)key->scope << 8 | key->kind;

	for (unsigned i = 0; i < TL_MEMO_PARTS; i++)
		hash = hash_part(hash, key->parts[i]);
	return (size_t)(hash % TL_MEMO_SLOTS);
}

const struct tl_memo_slot *
tl_memo_find(const struct tl_memo *memo, const struct tl_memo_key *key)
{
	const struct tl_memo_slot *slot = &memo->slots[slot_of(key)];
	const char *data = slot->data;

	if (!slot->message || slot->kind != key->kind ||
	    slot->scope != key->scope)
		return NULL;
	for (unsigned i = 0; i < TL_MEMO_PARTS; i++) {
		if (!tl_bytes_equal(tl_bytes(data, slot->sizes[i]),
			key->parts[i]))
			return NULL;
		data += slot->sizes[i];
	}
	return slot;
}

void
tl_memo_add(struct tl_memo *memo, const struct tl_memo_key *key,
    const struct tl_message *message)
{
	struct tl_memo_slot *slot = &memo->slots[slot_of(key)];
	size_t size = 0;
	char *data;

	for (unsigned i = 0; i < TL_MEMO_PARTS; i++)
		size += key->parts[i].size;
	if (size > TL_MEMO_SIZE_MAX || !(data = malloc(size + 1)))
		return;
	free(slot->data);
	*slot = (struct tl_memo_slot){ .message = message,
		.data = data,
		.kind = key->kind,
		.scope = key->scope };
	for (unsigned i = 0; i < TL_MEMO_PARTS; i++) {
		slot->sizes[i] = (uint16_t)key->parts[i].size;
		if (key->parts[i].size > 0)
			memcpy(data, key->parts[i].data, key->parts[i].size);
		data += key->parts[i].size;
	}
}

void
tl_memo_free(struct tl_memo *memo)
{
	for (size_t i = 0; i < TL_MEMO_SLOTS; i++)
		free(memo->slots[i].data);
}
