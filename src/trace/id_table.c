/* SPDX-License-Identifier: Apache-2.0 */
/* id_table.c - an open hash table, probed in steps of one. */
#include "trace/id_table.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 64 };

static struct tl_id_slot *
find_slot(const struct tl_id_table *table, int32_t id)
{
	const size_t last = table->size - 1;
	size_t i = (size_t)tl_hash_key((uint32_t)id, table->seed) & last;

	while (table->slots[i].number > 0 && table->slots[i].id != id)
		i = (i + 1) & last;
	return &table->slots[i];
}

static int
grow(struct tl_id_table *table)
{
	struct tl_id_table grown = *table;

	grown.size = table->size ? table->size * 2 : SLOTS_FIRST;
	if (table->size == 0)
		grown.seed = tl_hash_seed(table);
	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].number > 0)
			*find_slot(&grown, table->slots[i].id) =
			    table->slots[i];
	free(table->slots);
	*table = grown;
	return 0;
}

int
tl_id_table_get(struct tl_id_table *table, int32_t id, size_t *number)
{
	struct tl_id_slot *slot;

	if (table->count * 2 >= table->size && grow(table) < 0)
		return -ENOMEM;
	slot = find_slot(table, id);
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
