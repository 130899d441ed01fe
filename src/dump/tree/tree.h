/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the call tree of each thread as text or JSON.
 *
 *	inputs --> forest --> walk over each thread --> line --> output
 *
 * A recorded trace has trees on disk, and so has a Lincheck trace with an
 * index; forest.c copies any other input, or what is selected of it, into a
 * trace, in a file without a name.  The code behind forest.c thus reads one
 * format, and no tree has to fit into memory.  walk.c loads children in windows
 * and unloads them again; tree.c prints as it walks.
 */
#ifndef TL_DUMP_TREE_TREE_H
#define TL_DUMP_TREE_TREE_H

#include "dump/options.h"
#include "dump/output.h"
#include "dump/tree/parts.h"
#include "script/select.h"
#include "source/sources.h"

/* == forest.c == */

struct tl_tree_source {
	const char *name; /* name of the file */
	uint16_t input;   /* index among the inputs */
	struct tl_trees *trees;
	struct tl_trace *made; /* has the trees; NULL: the input has them */
	uint64_t first;        /* number of the first thread, from 0 */
	/* The threads as a foreign format has them.  NULL: none. */
	struct tl_reader_thread *known;
	size_t known_count;
};

/* Threads are numbered over all sources. */
struct tl_forest {
	struct tl_tree_source *sources;
	size_t count;
	uint64_t thread_count;
};

/* Open the trees of all inputs, except inputs of kernel events that the options
 * do not name.  The inputs must outlive the forest.  0; -ENOENT: no input is
 * open; -errno, with select->fault if its expression failed. */
int tl_forest_open(struct tl_forest *forest, const struct tl_sources *inputs,
    struct tl_select *select);
void tl_forest_close(struct tl_forest *forest);

/* The source of thread i.  i < thread_count. */
const struct tl_tree_source *
tl_forest_source(const struct tl_forest *forest, uint64_t i);
/* The root of the tree of thread i. */
const struct tl_node *
tl_forest_root(const struct tl_forest *forest, uint64_t i);
/* Thread i as its format has it.  NULL: the format does not have the thread. */
const struct tl_reader_thread *
tl_forest_known(const struct tl_forest *forest, uint64_t i);
/* Thread i as its trace has it. */
const struct tl_trace_thread *
tl_forest_thread(const struct tl_forest *forest, uint64_t i);

/* == tree.c == */

/* Print the part of a forest that the options select, with the states of
 * spans in parts.  0; -errno, with a fault if the path leads nowhere. */
int tl_tree_print(const struct tl_forest *forest,
    const struct tl_tree_parts *parts, const struct tl_options *options,
    struct tl_output *output, struct tl_fault *fault);

#endif
