/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - a hash table with open addressing, and its hash functions. */
#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

enum { SIZE_FIRST = 16 };

uint64_t tl_hash_seed_chosen;

uint64_t
tl_hash_seed_make(void)
{
	uint64_t seed, none = 0;

	/* Before the system has random bytes, an address must do. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = tl_hash_mix((uint64_t)(uintptr_t)&seed);
	if (seed == 0)
		seed = 1;
	/* Two threads may come here at once: both take the first's seed. */
	if (!__atomic_compare_exchange_n(&tl_hash_seed_chosen, &none, seed,
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		seed = none;
	return seed;
}

uint64_t
tl_hash_fixed(struct tl_bytes bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes.size; i++)
		hash =
		    (hash ^ (uint8_t)bytes.data[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* There is a free slot. */
static void
put(struct tl_table_slot *slots, size_t size, struct tl_table_slot slot)
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
			put(slots, size, table->slots[i]);
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
	put(table->slots, table->size,
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
