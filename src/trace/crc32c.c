/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c.c - one instruction for 8 bytes, or eight tables for them. */
#include "trace/crc32c.h"

#include <pthread.h>
#include <string.h>

enum { SLICES = 8, BYTES = 256 };

static const uint32_t polynomial = 0x82f63b78; /* its bits turned round */
static uint32_t tables[SLICES][BYTES];

static void
make_tables(void)
{
	for (uint32_t byte = 0; byte < BYTES; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
		tables[0][byte] = crc;
	}
	for (int slice = 1; slice < SLICES; slice++)
		for (uint32_t byte = 0; byte < BYTES; byte++) {
			const uint32_t crc = tables[slice - 1][byte];

			tables[slice][byte] =
			    crc >> 8 ^ tables[0][crc & (BYTES - 1)];
		}
}

/* The checksum behind 8 more bytes: those of the word, the lowest first. */
static uint32_t
step(uint32_t crc, uint64_t word)
{
	uint32_t next = 0;

	word ^= crc;
	for (int slice = SLICES - 1; slice >= 0; slice--, word >>= 8)
		next ^= tables[slice][word & (BYTES - 1)];
	return next;
}

uint32_t
tl_crc32c_by_table(uint32_t crc, const void *data, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uint8_t *at = data;

	pthread_once(&once, make_tables);
	crc = ~crc;
	for (uint64_t word; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		crc = step(crc, word);
		at += sizeof(word);
	}
	while (size-- > 0)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & (BYTES - 1)];
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const void *data, size_t size)
{
	const uint8_t *at = data;
	uint64_t sum = (uint32_t)~crc;

	for (uint64_t word; size >= sizeof(word); size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		sum = __builtin_ia32_crc32di(sum, word);
		at += sizeof(word);
	}
	while (size-- > 0)
		sum = __builtin_ia32_crc32qi((uint32_t)sum, *at++);
	return (uint32_t)~sum;
}
#endif

uint32_t
tl_crc32c(uint32_t crc, const void *data, size_t size)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(crc, data, size);
#endif
	return tl_crc32c_by_table(crc, data, size);
}
