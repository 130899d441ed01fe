/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - ids for things that the page defines once. */
#include "format/html/table.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static bool
is_same(const struct tl_html_key *a, const struct tl_html_key *b)
{
	return a->a == b->a && a->b == b->b && a->c == b->c;
}

int
tl_html_table_number(struct tl_html_table *table, const struct tl_html_key *key,
    uint32_t *number)
{
	const uint64_t hash =
	    tl_hash_more(tl_hash_pair(key->a, key->b), key->c);
	struct tl_probe probe = tl_table_probe(&table->table, hash);
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		if (is_same(&table->keys[at], key)) {
			*number = table->first + at;
			return 1;
		}
	}
	if (table->first + table->count >= UINT32_MAX - 1)
		return -ENOMEM;
	if (table->count == TL_HTML_TABLE_MAX) {
		tl_table_clear(&table->table);
		table->first += TL_HTML_TABLE_MAX;
		table->count = 0;
	}
	if (TL_ARRAY_ROOM(table->keys, table->capacity, table->count) < 0 ||
	    tl_table_add(&table->table, hash, table->count) < 0)
		return -ENOMEM;
	*number = table->first + table->count;
	table->keys[table->count++] = *key;
	return 0;
}

void
tl_html_table_free(struct tl_html_table *table)
{
	tl_table_free(&table->table);
	free(table->keys);
	*table = (struct tl_html_table){ 0 };
}
