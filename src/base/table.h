/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the hash table: from a key to a place in its owner's array.
 *
 *	owner's array	| element 0 | element 1 | element 2 |
 *	                     ^            ^           ^
 *	slots		| h 2 | free | h 0 | h 1 | free | free | ...
 *
 * The owner keeps keys and values in an array of its own, in the order in
 * which they came; the table only finds them.  So the table needs to know
 * neither the type of a key nor how two are compared, a slot is 8 bytes, and
 * an element's place is at once a small number for it.
 *
 *	uint32_t place;
 *	struct tl_probe probe = tl_table_probe(&table, hash);
 *
 *	while (tl_probe_next(&probe, &place))
 *		if (list[place].key == key)
 *			return &list[place];
 *	if (TL_ARRAY_ROOM(list, capacity, count) < 0 ||
 *	    tl_table_add(&table, hash, count) < 0)
 *		return NULL;
 *	list[count++] = ...
 *
 * Slots are probed one after the other.  At most half of them are taken, so
 * that a search ends, and the hash is of base/hash.h, whose seed no file
 * knows, so that it ends soon.  Elements are never removed one by one: no
 * owner needs it, and without it a free slot ends every search.
 *
 * A table starts from all zeros.  One thread uses it at a time.
 */
#ifndef TL_BASE_TABLE_H
#define TL_BASE_TABLE_H

#include "base/hash.h"

enum { TL_TABLE_MAX = 1 << 30 /* elements */ };

struct tl_table_slot {
	uint32_t hash;  /* the low half */
	uint32_t place; /* plus 1; 0: free */
};

struct tl_table {
	struct tl_table_slot *slots;
	size_t size; /* 0 or a power of two, at least twice count */
	size_t count;
};

/* A search: elements of one hash, or whose hashes have the same low half. */
struct tl_probe {
	const struct tl_table *table;
	size_t at;
	uint32_t hash;
};

static inline struct tl_probe
tl_table_probe(const struct tl_table *table, uint64_t hash)
{
	return (struct tl_probe){ table, (uint32_t)hash, (uint32_t)hash };
}

/* The place of the next element that may be the one; false: it is absent. */
static inline bool
tl_probe_next(struct tl_probe *probe, uint32_t *place)
{
	const struct tl_table *table = probe->table;

	if (table->size == 0)
		return false;
	for (;;) {
		const struct tl_table_slot *slot =
		    &table->slots[probe->at++ & (table->size - 1)];

		if (slot->place == 0)
			return false;
		if (slot->hash == probe->hash) {
			*place = slot->place - 1;
			return true;
		}
	}
}

/* Room for one more element, so that adding it cannot fail: 0, -ENOMEM,
 * -ENOSPC. */
int tl_table_reserve(struct tl_table *table);
/* An element that is not in the table yet: 0, -ENOMEM, -ENOSPC; then the
 * table is as it was. */
int tl_table_add(struct tl_table *table, uint64_t hash, size_t place);

/* Forgets all elements and keeps the memory. */
void tl_table_clear(struct tl_table *table);
void tl_table_free(struct tl_table *table);

#endif
