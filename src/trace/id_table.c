/* SPDX-License-Identifier: Apache-2.0 */
/* id_table.c - places for ids of threads. */
#include "trace/id_table.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int
tl_id_table_get(struct tl_id_table *ids, int32_t id, size_t *number)
{
	const uint64_t hash = tl_hash_number((uint32_t)id);
	struct tl_probe probe = tl_table_probe(&ids->table, hash);
	uint32_t at;

	while (tl_probe_next(&probe, &at)) {
		if (ids->ids[at] == id) {
			*number = at;
			return 0;
		}
	}
	if (TL_ARRAY_ROOM(ids->ids, ids->capacity, ids->count) < 0 ||
	    tl_table_add(&ids->table, hash, ids->count) < 0)
		return -ENOMEM;
	*number = ids->count;
	ids->ids[ids->count++] = id;
	return 1;
}

void
tl_id_table_free(struct tl_id_table *ids)
{
	tl_table_free(&ids->table);
	free(ids->ids);
	*ids = (struct tl_id_table){ 0 };
}
