/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the hash table, ids of keys, and the hash functions for tables in
 * memory.
 *
 * Keys of tables come from files.  Their hashes start from a random number of
 * this process, so that nobody can write a file whose keys all collide.  Such a
 * hash is never stored and never sent: tl_fnv() of base/bytes.h is for these.
 * The string area of a timeline has a hash of its own (ring/record.c), which is
 * part of the layout.
 */
#ifndef TL_BASE_TABLE_H
#define TL_BASE_TABLE_H

#include "base/array.h"
#include "base/bytes.h"
#include "base/word.h"

#include <errno.h>

/* 0 until tl_hash_seed_make() has chosen the seed. */
extern uint64_t tl_hash_seed_chosen;

/* Choose the seed, once.  Any thread may call this function. */
uint64_t tl_hash_seed_make(void);

static inline uint64_t
tl_hash_seed(void)
{
	const uint64_t seed = tl_load_64(&tl_hash_seed_chosen);

	return seed != 0 ? seed : tl_hash_seed_make();
}

/* The two halves of a 128 bit product, folded.  Every input bit reaches every
 * output bit. */
static inline uint64_t
tl_hash_mix(uint64_t number)
{
	const unsigned __int128 product =
	    (unsigned __int128)number * UINT64_C(0x9fb21c651e98df25);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Continue a hash with a number. */
static inline uint64_t
tl_hash_more(uint64_t hash, uint64_t number)
{
	return tl_hash_mix(hash ^ number);
}

/* The hash of a number or a pair.  The second round hides the seed from an
 * attacker who can see which keys collide. */
static inline uint64_t
tl_hash_number(uint64_t number)
{
	const uint64_t seed = tl_hash_seed();

	return tl_hash_more(tl_hash_more(seed, number), seed);
}

static inline uint64_t
tl_hash_pair(uint64_t first, uint64_t second)
{
	return tl_hash_more(tl_hash_more(tl_hash_seed(), first), second);
}

/* Continue a hash with bytes, eight at a time. */
static inline uint64_t
tl_hash_more_bytes(uint64_t hash, struct tl_bytes bytes)
{
	uint64_t word;
	size_t at = 0;

	for (; bytes.size - at > sizeof(word); at += sizeof(word)) {
		memcpy(&word, bytes.data + at, sizeof(word));
		hash = tl_hash_more(hash, word);
	}
	word = 0;
	if (bytes.size > at)
		memcpy(&word, bytes.data + at, bytes.size - at);
	return tl_hash_more(tl_hash_more(hash, word), bytes.size);
}

static inline uint64_t
tl_hash_bytes(struct tl_bytes bytes)
{
	return tl_hash_more_bytes(tl_hash_seed(), bytes);
}

/*
 * == the table ==
 *
 * The hash table maps a key to a place in its owner's array.
 *
 *	owner's array	| element 0 | element 1 | element 2 |
 *	                     ^            ^           ^
 *	slots		| h 2 | free | h 0 | h 1 | free | free | ...
 *
 * The owner keeps keys and values in an array of its own, in the order of
 * insertion; the table only finds them.  So the table needs to know neither the
 * type of a key nor how keys are compared, a slot takes 8 bytes, and the place
 * of an element also serves as a small number for the element.
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
 * Slots are probed one after the other.  At most half of the slots are taken,
 * so that a search ends.  The hash has a seed that no file knows, so that no
 * file can make searches long.  Elements are never removed one by one: no owner
 * needs to, and so a free slot ends every search.
 *
 * A table starts from all zeros.  One thread uses it at a time.
 */

enum { TL_TABLE_MAX = 1 << 30 /* elements */ };

struct tl_table_slot {
	uint32_t hash;  /* the low half of the hash */
	uint32_t place; /* plus 1; 0: free */
};

struct tl_table {
	struct tl_table_slot *slots;
	size_t size; /* 0 or a power of two, at least twice count */
	size_t count;
};

/* A search over the elements whose hashes have the same low half. */
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

/* Get the place of the next candidate.  false: the element is absent. */
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

/* Make room for another element, so that adding it cannot fail.  0, -ENOMEM,
 * -ENOSPC. */
int tl_table_reserve(struct tl_table *table);
/* Add an element that is not in the table.  0; -ENOMEM or -ENOSPC: the table is
 * unchanged. */
int tl_table_add(struct tl_table *table, uint64_t hash, size_t place);

/* Remove all elements, but keep the memory. */
void tl_table_clear(struct tl_table *table);
void tl_table_free(struct tl_table *table);

/*
 * == id map ==
 *
 * Ids for keys of two numbers: 0, 1, 2, ... in the order in which the keys
 * first appear.  The owner keeps the data of a key in an array, at the key's
 * id.
 */

enum { TL_ID_MAP_MAX = 1 << 20 };

struct tl_id_key {
	uint64_t a;
	uint64_t b;
};

/* Starts from all zeros. */
struct tl_id_map {
	struct tl_table table;
	struct tl_id_key *keys; /* by id */
	size_t capacity;
	uint32_t count;
	uint32_t last; /* the id returned last, plus 1 */
	/* TL_ID_MAP_MAX does not apply: the keys are kept by the caller, too */
	bool unbounded;
};

/* Like tl_id_map_get(), for a key other than the last key. */
int tl_id_map_search(struct tl_id_map *map, struct tl_id_key key, uint32_t *id);

/* Get the id of a key.  0: known; 1: new; -ENOSPC; -ENOMEM. */
static inline int
tl_id_map_get(struct tl_id_map *map, struct tl_id_key key, uint32_t *id)
{
	const struct tl_id_key *last =
	    map->last > 0 ? &map->keys[map->last - 1] : NULL;

	if (!last || last->a != key.a || last->b != key.b)
		return tl_id_map_search(map, key, id);
	*id = map->last - 1;
	return 0;
}

/* The same, and room for the element of the id in an array of base/array.h,
 * whose elements are all zeros at first. */
#define TL_ID_MAP_ROOM(map, key, id, array, capacity) \
	tl_id_map_room((map), (key), (id), &(array), &(capacity), \
	    sizeof(*(array)))

static inline int
tl_id_map_room(struct tl_id_map *map, struct tl_id_key key, uint32_t *id,
    void *array, size_t *capacity, size_t element_size)
{
	const int rc = tl_id_map_get(map, key, id);

	return rc < 0 || *id < *capacity ? rc
	       : tl_array_grow(array, capacity, *id, element_size, true) < 0
		   ? -ENOMEM
		   : rc;
}

/*
 * Take a number that no other key has: the wanted number if it is free, else
 * the next free one from *next on.  wanted NULL: any number.  The keys of the map
 * are the taken numbers, each with the same second word.  0; -ENOSPC; -ENOMEM.
 */
int tl_id_map_take(struct tl_id_map *taken, uint64_t second,
    const int64_t *wanted, int64_t *next, int64_t *number);

/* Does a key have an id? */
bool tl_id_map_has(const struct tl_id_map *map, struct tl_id_key key);

void tl_id_map_free(struct tl_id_map *map);

#endif
