/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guarded.h - bytes between two pages without access: reading a byte before the
 * first or after the last byte crashes.
 *
 *	| no access | ... bytes | no access | at the end
 *	| no access | bytes ... | no access | at the start
 */
#ifndef TESTS_LIB_GUARDED_H
#define TESTS_LIB_GUARDED_H

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARDED_PAGE = 4096, GUARDED_PAGES = 16 };

struct guarded {
	char *pages; /* GUARDED_PAGES and two guards */
};

static inline void
guarded_make(struct guarded *g)
{
	const size_t size = GUARDED_PAGE * (GUARDED_PAGES + 2);

	g->pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(g->pages != MAP_FAILED);
	assert(mprotect(g->pages, GUARDED_PAGE, PROT_NONE) == 0);
	assert(mprotect(g->pages + size - GUARDED_PAGE, GUARDED_PAGE,
		   PROT_NONE) == 0);
}

/* Memory that ends at the last accessible byte, or starts at the first one. */
static inline char *
guarded_to(struct guarded *g, size_t size, bool at_end)
{
	const size_t room = GUARDED_PAGE * GUARDED_PAGES;
	char *to = g->pages + GUARDED_PAGE;

	assert(size <= room);
	return at_end ? to + (room - size) : to;
}

/* Copy bytes into guarded memory. */
static inline const char *
guarded_copy(struct guarded *g, const void *bytes, size_t size, bool at_end)
{
	return memcpy(guarded_to(g, size, at_end), bytes, size);
}

static inline void
guarded_free(struct guarded *g)
{
	munmap(g->pages, GUARDED_PAGE * (GUARDED_PAGES + 2));
}

#endif
