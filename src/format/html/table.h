/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - numbers for things that are told once and named often.
 *
 * Numbers count up from 0 and are never given twice.  A table that is full
 * forgets what it gave and goes on counting: what comes again is told again.
 */
#ifndef TL_FORMAT_HTML_TABLE_H
#define TL_FORMAT_HTML_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { TL_HTML_TABLE_MAX = 1 << 18 };

struct tl_html_key {
	uint64_t a;
	uint64_t b;
	uint64_t c;
};

struct tl_html_slot {
	struct tl_html_key key;
	uint32_t number; /* + 1; 0: free */
};

/* Starts from all zeros. */
struct tl_html_table {
	struct tl_html_slot *slots;
	size_t size; /* 0 or a power of two, at least twice count */
	size_t count;
	uint32_t next;
};

/* The number of a key: 1 it had one, 0 it is new, -ENOMEM. */
int tl_html_table_number(struct tl_html_table *table,
    const struct tl_html_key *key, uint32_t *number);
void tl_html_table_free(struct tl_html_table *table);

#endif
