/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - places in a hash table for keys that a file chooses: no file can
 * foresee which of them meet.
 */
#ifndef TL_BASE_HASH_H
#define TL_BASE_HASH_H

#include <stdint.h>
#include <sys/random.h>

/* What one table starts from; its address does where the system has nothing
 * random yet. */
static inline uint64_t
tl_hash_seed(const void *table)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uint64_t)(uintptr_t)table;
	return seed;
}

/* Both halves of a product: every bit in reaches every bit out. */
static inline uint64_t
tl_hash_mix(uint64_t a)
{
	const unsigned __int128 product =
	    (unsigned __int128)a * UINT64_C(0x9fb21c651e98df25);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t
tl_hash_key(uint64_t key, uint64_t seed)
{
	return tl_hash_mix(tl_hash_mix(key ^ seed) ^ seed);
}

#endif
