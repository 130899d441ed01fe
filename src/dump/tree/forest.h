/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forest.h - the trees of all inputs: a recorded trace has them, of
 * anything else a trace is made in a file without a name.
 *
 *	trace, everything wanted, no offset -------------+--> forest
 *	other  --> cursor --> select --> trace writer ---+
 */
#ifndef TL_DUMP_TREE_FOREST_H
#define TL_DUMP_TREE_FOREST_H

#include "dump/options.h"
#include "script/select.h"
#include "source/sources.h"

struct tl_tree_source {
	const char *name; /* of the file */
	uint16_t input;   /* its index among the inputs */
	struct tl_trace *trace;
	bool is_own;    /* made here */
	uint64_t first; /* number of its first thread, from 0 */
	/* Threads as a foreign format has them, or NULL. */
	struct tl_reader_thread *known;
	size_t known_count;
};

/* Threads are numbered through all of them. */
struct tl_forest {
	struct tl_tree_source *sources;
	size_t count;
	uint64_t thread_count;
};

/* Without inputs of kernel events that options do not name.  0; -ENOENT: no
 * input is open; -errno, and select->fault where its expression failed.  The
 * inputs must outlive the forest. */
int tl_forest_open(struct tl_forest *forest, const struct tl_sources *inputs,
    struct tl_select *select);
void tl_forest_close(struct tl_forest *forest);

/* The source of thread i, which must be below thread_count. */
const struct tl_tree_source *
tl_forest_source(const struct tl_forest *forest, uint64_t i);
/* The root of its tree. */
const struct tl_node *
tl_forest_root(const struct tl_forest *forest, uint64_t i);
/* The thread as its format has it; NULL: the format does not have it. */
const struct tl_reader_thread *
tl_forest_known(const struct tl_forest *forest, uint64_t i);
/* The thread as the trace has it. */
const struct tl_trace_thread *
tl_forest_thread(const struct tl_forest *forest, uint64_t i);

#endif
