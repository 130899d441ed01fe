/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - a table finds what was added to it, and nothing else. */
#include "base/table.h"
#include "base/pqueue.h"
#include "lib/test.h"

enum { COUNT = 20000 };

static bool
find(const struct tl_table *table, const uint64_t *keys, uint64_t key,
    uint32_t *place)
{
	struct tl_probe probe = tl_table_probe(table, tl_hash_number(key));

	while (tl_probe_next(&probe, place))
		if (keys[*place] == key)
			return true;
	return false;
}

TEST(what_was_added_is_found_at_its_place)
{
	static uint64_t keys[COUNT];
	struct tl_table table = { 0 };
	uint32_t place;

	ck_assert(!find(&table, keys, 0, &place));
	for (uint32_t i = 0; i < COUNT; i++) {
		keys[i] = (uint64_t)i * i << 12;
		ck_assert_ok(tl_table_add(&table, tl_hash_number(keys[i]), i));
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		ck_assert(find(&table, keys, keys[i], &place));
		ck_assert_uint_eq(place, i);
		ck_assert(!find(&table, keys, keys[i] + 1, &place));
	}
	ck_assert_uint_ge(table.size, 2 * COUNT);
	tl_table_clear(&table);
	ck_assert(!find(&table, keys, keys[0], &place));
	tl_table_free(&table);
}

TEST(elements_of_one_hash_are_all_found)
{
	struct tl_table table = { 0 };
	struct tl_probe probe;
	bool seen[100] = { false };
	uint32_t place;

	for (uint32_t i = 0; i < 100; i++)
		ck_assert_ok(tl_table_add(&table, 7, i));
	probe = tl_table_probe(&table, 7);
	while (tl_probe_next(&probe, &place))
		seen[place] = true;
	for (uint32_t i = 0; i < 100; i++)
		ck_assert(seen[i]);
	tl_table_free(&table);
}

/* The number of probes up to a free slot, summed over all keys. */
static size_t
probes(const uint64_t *keys)
{
	struct tl_table table = { 0 };
	size_t sum = 0;

	for (uint32_t i = 0; i < COUNT; i++)
		ck_assert_ok(tl_table_add(&table, tl_hash_number(keys[i]), i));
	for (uint32_t i = 0; i < COUNT; i++) {
		size_t at = (uint32_t)tl_hash_number(keys[i]);

		for (; table.slots[at & (table.size - 1)].place != 0; at++)
			sum++;
	}
	tl_table_free(&table);
	return sum;
}

TEST(keys_that_a_file_chooses_do_not_collide)
{
	static uint64_t keys[COUNT];

	for (unsigned shift = 0; shift < 50; shift += 7) {
		for (uint64_t i = 0; i < COUNT; i++)
			keys[i] = i << shift;
		ck_assert_uint_lt(probes(keys), 4 * COUNT);
	}
}

TEST(texts_of_all_sizes_have_hashes_of_their_own)
{
	static const char zeros[64];
	struct tl_table table = { 0 };
	uint32_t place;

	for (uint32_t i = 0; i < sizeof(zeros); i++) {
		const uint64_t hash = tl_hash_bytes(tl_bytes(zeros, i));
		struct tl_probe probe = tl_table_probe(&table, hash);

		ck_assert_uint_eq(hash, tl_hash_bytes(tl_bytes(zeros, i)));
		ck_assert(!tl_probe_next(&probe, &place));
		ck_assert_ok(tl_table_add(&table, hash, i));
	}
	tl_table_free(&table);
	/* file names depend on this hash, so it never changes */
	ck_assert_uint_eq(tl_fnv(TL_FNV_BASIS, tl_bytes_of("a")),
	    UINT64_C(0xaf63dc4c8601ec8c));
}

TEST(ids_count_up_and_stay)
{
	struct tl_id_map map = { 0 };
	uint32_t id;

	for (uint32_t i = 0; i < COUNT; i++) {
		ck_assert_int_eq(tl_id_map_get(&map,
				     (struct tl_id_key){ i, i % 3 }, &id),
		    1);
		ck_assert_uint_eq(id, i);
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		ck_assert_ok(
		    tl_id_map_get(&map, (struct tl_id_key){ i, i % 3 }, &id));
		ck_assert_uint_eq(id, i);
	}
	tl_id_map_free(&map);
	ck_assert_int_eq(tl_id_map_get(&map, (struct tl_id_key){ 5, 5 }, &id),
	    1);
	ck_assert_uint_eq(id, 0);
	tl_id_map_free(&map);
}

TEST(a_wanted_number_is_taken_while_it_is_free)
{
	struct tl_id_map taken = { 0 };
	const int64_t wanted = 1;
	int64_t next = 0, got[4];

	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(tl_id_map_take(&taken, 7,
				     i < 2 ? &wanted : NULL, &next, &got[i]),
		    0);
	ck_assert_int_eq(got[0], 1);
	ck_assert_int_eq(got[1], 0); /* 1 is taken */
	ck_assert_int_eq(got[2], 2);
	ck_assert_int_eq(got[3], 3);
	/* numbers with another second word are others */
	ck_assert_int_eq(tl_id_map_take(&taken, 8, &wanted, &next, got), 0);
	ck_assert_int_eq(got[0], 1);
	tl_id_map_free(&taken);
}

/* == the priority queue == */

struct item {
	uint32_t key;
	uint32_t number;
};

static bool
is_before(const void *context, const void *a, const void *b)
{
	const struct item *p = a, *q = b;

	(void)context;
	return p->key != q->key ? p->key < q->key : p->number < q->number;
}

static const struct tl_pqueue_order order = { sizeof(struct item), is_before };

TEST(the_least_comes_out_first)
{
	struct tl_pqueue queue = { 0 };
	struct item before = { 0, 0 };
	uint32_t key = 1;

	ck_assert_ptr_null(tl_pqueue_first(&queue));
	for (uint32_t i = 1; i <= COUNT; i++) {
		const struct item item = {
			(key = key * 1103515245 + 12345) % 999, i
		};

		ck_assert_ok(tl_pqueue_push(&queue, &order, NULL, &item));
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct item *first = tl_pqueue_first(&queue);

		ck_assert(is_before(NULL, &before, first));
		before = *first;
		tl_pqueue_pop(&queue, &order, NULL);
	}
	ck_assert_ptr_null(tl_pqueue_first(&queue));
	tl_pqueue_free(&queue);
}

TEST(a_first_that_changed_finds_its_place)
{
	struct tl_pqueue queue = { 0 };
	uint32_t last = 0;

	for (uint32_t i = 0; i < 10; i++)
		ck_assert_ok(tl_pqueue_push(&queue, &order, NULL,
		    &(struct item){ i, i }));
	for (uint32_t i = 0; i < COUNT; i++) {
		struct item *first = tl_pqueue_first(&queue);

		ck_assert_uint_ge(first->key, last);
		last = first->key;
		first->key += first->number + 1;
		tl_pqueue_changed(&queue, &order, NULL);
	}
	ck_assert_uint_eq(queue.count, 10);
	tl_pqueue_free(&queue);
}
