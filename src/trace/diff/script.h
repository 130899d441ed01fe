/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script.h - the script that turns one list into another by removing and adding
 * elements.
 *
 *	left   a b c d	   removed 1 (a), added 0, same 2 (b c)
 *	right  b c e d	   removed 0, added 1 (e), same 1 (d)
 *
 * As few elements as possible are removed and added (Myers 1986, in linear
 * space), unless the lists differ so much that the search would take too long.
 */
#ifndef TL_TRACE_DIFF_SCRIPT_H
#define TL_TRACE_DIFF_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Differences up to the middle of two lists.  Beyond the limit the way
	 * that got furthest is taken. */
	TL_DIFF_COST_MAX = 512
};

/* A run: removed, then added, then equal elements. */
struct tl_diff_run {
	uint64_t removed;
	uint64_t added;
	uint64_t same;
};

/* Starts from all zeros. */
struct tl_diff_script {
	struct tl_diff_run *runs;
	size_t count;
	size_t capacity;
	bool guessed; /* there may be a shorter script */
};

struct tl_diff_list {
	const uint64_t *items;
	uint64_t count;
};

/* 0 or -ENOMEM. */
int tl_diff_script_make(struct tl_diff_script *script, struct tl_diff_list left,
    struct tl_diff_list right);
void tl_diff_script_free(struct tl_diff_script *script);

#endif
