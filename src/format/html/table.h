/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - ids for things that the page defines once and references by id.
 *
 * Ids count up from 0 and are never reused.  A full table forgets its keys and
 * goes on counting, so that a forgotten key gets a new id when it comes again.
 */
#ifndef TL_FORMAT_HTML_TABLE_H
#define TL_FORMAT_HTML_TABLE_H

#include "base/table.h"

enum { TL_HTML_TABLE_MAX = 1 << 18 };

struct tl_html_key {
	uint64_t a;
	uint64_t b;
	uint64_t c;
};

/* Starts from all zeros. */
struct tl_html_table {
	struct tl_table table;
	struct tl_html_key *keys; /* keys of ids first, first + 1, ... */
	size_t capacity;
	uint32_t count;
	uint32_t first;
};

/* Return the id of a key: 1 known, 0 new, -ENOMEM. */
int tl_html_table_number(struct tl_html_table *table,
    const struct tl_html_key *key, uint32_t *number);
void tl_html_table_free(struct tl_html_table *table);

#endif
