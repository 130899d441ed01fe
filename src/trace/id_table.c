/* SPDX-License-Identifier: Apache-2.0 */
/* id_table.c - an open hash table, probed in steps of one. */
#include "trace/id_table.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

static struct tl_id_slot *
find_slot(struct tl_id_slot *slots, size_t size, int32_t id)
{
	const uint64_t hash = (uint32_t)id * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (size - 1);

	while (slots[i].number > 0 && slots[i].id != id)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static int
grow(struct tl_id_table *table)
{
	const size_t size = table->size ? table->size * 2 : SLOTS_FIRST;
	struct tl_id_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].number > 0)
			*find_slot(slots, size, table->slots[i].id) =
			    table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->size = size;
	return 0;
}

int
tl_id_table_get(struct tl_id_table *table, int32_t id, size_t *number)
{
	struct tl_id_slot *slot;

	if (table->count * 2 >= table->size && grow(table) < 0)
		return -ENOMEM;
	slot = find_slot(table->slots, table->size, id);
	if (slot->number > 0) {
		*number = slot->number - 1;
		return 0;
	}
	*number = table->count++;
	*slot = (struct tl_id_slot){ id, (uint32_t)table->count };
	return 1;
}

void
tl_id_table_free(struct tl_id_table *table)
{
	free(table->slots);
	*table = (struct tl_id_table){ 0 };
}
