/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id_table.h - ids of threads, numbered as they are met: whatever order they
 * come in, each is found at once.
 */
#ifndef TL_TRACE_ID_TABLE_H
#define TL_TRACE_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct tl_id_slot {
	int32_t id;
	uint32_t number; /* + 1; 0: free */
};

/* Starts from all zeros. */
struct tl_id_table {
	struct tl_id_slot *slots;
	size_t size; /* 0 or a power of two, at least twice count */
	size_t count;
	uint64_t seed;
};

/* The number of an id: 1 it is new, 0 it was met before; -ENOMEM. */
int tl_id_table_get(struct tl_id_table *table, int32_t id, size_t *number);
void tl_id_table_free(struct tl_id_table *table);

#endif
