/* SPDX-License-Identifier: Apache-2.0 */
/* memo.c - one slot for each hash: who collides is replaced. */
#include "format/memo.h"

#include <stdlib.h>

/* The ends of a part tell most of it. */
static uint64_t
hash_part(uint64_t hash, struct tl_bytes part)
{
	uint64_t word = 0;
	const size_t size = part.size < sizeof(word) ? part.size : sizeof(word);

	if (size > 0)
		memcpy(&word, part.data, size);
	hash = (hash ^ word) * UINT64_C(0x9e6c63d0876a3f6b);
	hash ^= hash >> 29;
	if (size > 0)
		memcpy(&word, part.data + part.size - size, size);
	hash = (hash ^ word ^ part.size) * UINT64_C(0xd3833e804f4c574b);
	return hash ^ hash >> 32;
}

static size_t
slot_of(const struct tl_memo_key *key)
{
	uint64_t hash = key->kind;

	for (unsigned i = 0; i < TL_MEMO_PARTS; i++)
		hash = hash_part(hash, key->parts[i]);
	return (size_t)(hash % TL_MEMO_SLOTS);
}

const struct tl_message *
tl_memo_find(const struct tl_memo *memo, const struct tl_memo_key *key)
{
	const struct tl_memo_slot *slot = &memo->slots[slot_of(key)];
	const char *data = slot->data;

	if (!slot->message || slot->kind != key->kind)
		return NULL;
	for (unsigned i = 0; i < TL_MEMO_PARTS; i++) {
		if (!tl_bytes_equal(tl_bytes(data, slot->sizes[i]),
			key->parts[i]))
			return NULL;
		data += slot->sizes[i];
	}
	return slot->message;
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
	*slot = (struct tl_memo_slot){ message, data, { 0 }, key->kind };
	for (unsigned i = 0; i < TL_MEMO_PARTS; i++) {
		slot->sizes[i] = key->parts[i].size;
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
