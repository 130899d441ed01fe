/* SPDX-License-Identifier: Apache-2.0 */
/*
 * id_table.h - number the ids of threads in order of appearance.
 *
 * Like tl_id_map (base/table.h), but without a bound: a trace may have any
 * number of threads, and the index keeps each of them anyway.
 */
#ifndef TL_TRACE_ID_TABLE_H
#define TL_TRACE_ID_TABLE_H

#include "base/table.h"

/* Starts from all zeros. */
struct tl_id_table {
	struct tl_table table;
	int32_t *ids;
	size_t count;
	size_t capacity;
};

/* Find the number of an id.  1: the id is new; 0: known; -ENOMEM. */
int tl_id_table_get(struct tl_id_table *ids, int32_t id, size_t *number);
void tl_id_table_free(struct tl_id_table *ids);

#endif
