/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - the hash functions: one for tables in memory, one for names that
 * other processes must find again.
 *
 * Keys of tables come out of files.  Their hashes start from a random number
 * of this process, so that no file can be written whose keys all collide.
 * Such a hash is never stored and never sent.
 *
 * tl_hash_fixed() is the same in every process and every release (FNV-1a): it
 * picks a shard or a file name.  It must not choose the slot of a table.
 * The string area of a timeline has a hash of its own (ring/record.c), which
 * is part of the layout.
 */
#ifndef TL_BASE_HASH_H
#define TL_BASE_HASH_H

#include "base/bytes.h"

/* 0 until tl_hash_seed_make() has chosen it. */
extern uint64_t tl_hash_seed_chosen;

/* Chooses the seed, once; any thread. */
uint64_t tl_hash_seed_make(void);

static inline uint64_t
tl_hash_seed(void)
{
	const uint64_t seed =
	    __atomic_load_n(&tl_hash_seed_chosen, __ATOMIC_RELAXED);

	return seed != 0 ? seed : tl_hash_seed_make();
}

/* The halves of a 128 bit product, folded: every input bit reaches every
 * output bit. */
static inline uint64_t
tl_hash_mix(uint64_t number)
{
	const unsigned __int128 product =
	    (unsigned __int128)number * UINT64_C(0x9fb21c651e98df25);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The hash of what was hashed so far and a number. */
static inline uint64_t
tl_hash_more(uint64_t hash, uint64_t number)
{
	return tl_hash_mix(hash ^ number);
}

/* The hash of a number, or of a pair: the second round keeps the seed out of
 * reach of one who sees which keys collide. */
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

/* The hash of what was hashed so far and bytes, eight at a time. */
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

/* The same in every process: not for tables. */
uint64_t tl_hash_fixed(struct tl_bytes bytes);

#endif
