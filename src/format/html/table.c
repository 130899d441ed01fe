/* SPDX-License-Identifier: Apache-2.0 */
/* html_table.c - a hash table with open addresses and a bound. */
#include "format/html/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_FIRST = 64 };

static size_t
hash(const struct tl_html_key *key)
{
	uint64_t x = key->a * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32 ^ key->b) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 32 ^ key->c) * 0x94d049bb133111ebu;
	return (size_t)(x ^ x >> 32);
}

static struct tl_html_slot *
find(const struct tl_html_table *table, const struct tl_html_key *key)
{
	size_t i = hash(key) & (table->size - 1);

	while (table->slots[i].number != 0 &&
	       (table->slots[i].key.a != key->a ||
		   table->slots[i].key.b != key->b ||
		   table->slots[i].key.c != key->c))
		i = (i + 1) & (table->size - 1);
	return &table->slots[i];
}

static int
grow(struct tl_html_table *table)
{
	struct tl_html_table grown = *table;

	grown.size = table->size > 0 ? table->size * 2 : SIZE_FIRST;
	grown.slots = calloc(grown.size, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++) {
		if (table->slots[i].number != 0)
			*find(&grown, &table->slots[i].key) = table->slots[i];
	}
	free(table->slots);
	*table = grown;
	return 0;
}

/* Room for one more. */
static int
make_room(struct tl_html_table *table)
{
	if (table->count == TL_HTML_TABLE_MAX) {
		memset(table->slots, 0, table->size * sizeof(*table->slots));
		table->count = 0;
	}
	return 2 * (table->count + 1) > table->size ? grow(table) : 0;
}

int
tl_html_table_number(struct tl_html_table *table, const struct tl_html_key *key,
    uint32_t *number)
{
	struct tl_html_slot *slot;
	int rc;

	if (table->size > 0 && (slot = find(table, key))->number != 0) {
		*number = slot->number - 1;
		return 1;
	}
	if (table->next == UINT32_MAX - 1)
		return -ENOMEM;
	if ((rc = make_room(table)) != 0)
		return rc;
	slot = find(table, key);
	slot->key = *key;
	slot->number = table->next + 1;
	table->count++;
	*number = table->next++;
	return 0;
}

void
tl_html_table_free(struct tl_html_table *table)
{
	free(table->slots);
	*table = (struct tl_html_table){ 0 };
}
