/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lincheck_trees.c - any bytes as a Lincheck trace and its index: two bytes
 * with the size of the trace, the trace, the index.  If the reader takes the
 * index, all trees are loaded twice, the children of a node at once and one by
 * one, with the same nodes each time.
 */
#include "foreign.h"

#include "base/file.h"
#include "format/lincheck/lincheck.h"
#include "format/lincheck/print.h"
#include "trace/read.h"

#include <errno.h>

enum { NODES_MAX = 4096, DEPTH_MAX = 64 };

struct seen {
	uint64_t hash;
	unsigned count;
};

static void
see_node(struct seen *seen, const struct tl_node *node)
{
	const struct tl_lincheck_print how = { .children = node->child_count };
	struct tl_text text = { 0 };

	assert(tl_lincheck_print_plain(&text, &node->event, &how));
	assert(node->ended != TL_NODE_ENDED ||
	       (node->end.message == node->event.message &&
		   node->content <= node->content_end));
	seen->hash = tl_fnv(seen->hash, tl_bytes(text.data, text.size));
	seen->hash =
	    tl_fnv(seen->hash, tl_bytes(&node->end.ns, sizeof(node->end.ns)));
	seen->count++;
	tl_text_free(&text);
}

static void
see_below(struct seen *seen, struct tl_trees *trees, struct tl_node *node,
    bool at_once)
{
	if (node->child_count > NODES_MAX || seen->count > NODES_MAX ||
	    node->depth > DEPTH_MAX)
		return;
	if (at_once && tl_trees_load(trees, node, 0, UINT64_MAX) < 0)
		return;
	for (uint64_t i = 0; i < node->child_count; i++) {
		struct tl_node *child;

		if (!at_once && tl_trees_load(trees, node, i, 1) < 0)
			return;
		child = tl_node_child(node, i);
		if (child) {
			see_node(seen, child);
			see_below(seen, trees, child, at_once);
		}
		seen->hash = tl_fnv(seen->hash, tl_bytes(&i, sizeof(i)));
	}
}

static struct seen
see_all(struct tl_trees *trees, bool at_once)
{
	struct seen seen = { .hash = TL_FNV_BASIS };

	for (size_t i = 0; i < trees->count; i++) {
		see_below(&seen, trees, &trees->roots[i], at_once);
		tl_node_forget(&trees->roots[i], &trees->budget);
	}
	assert(trees->budget.used == 0);
	return seen;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_storage *file, *index;
	struct tl_reader *reader;
	struct tl_trees *trees;
	struct tl_sink none = { 0 };
	size_t split;
	int rc;

	if (size < 2)
		return 0;
	split = (size_t)(data[0] << 8 | data[1]);
	data += 2;
	size -= 2;
	if (split > size)
		split = size;
	rc = tl_lincheck_read_new(&reader, &none, NULL);
	assert(rc == 0);
	rc = tl_storage_of_memory(&file, data, split);
	assert(rc == 0);
	rc = tl_storage_of_memory(&index, data + split, size - split);
	assert(rc == 0);
	rc = reader->trees(reader, file, index, &trees);
	assert(rc == 0 || rc == -EBADMSG);
	if (rc == 0) {
		const struct seen once = see_all(trees, true);
		const struct seen each = see_all(trees, false);

		assert(once.hash == each.hash && once.count == each.count);
		reader->trees_free(trees);
	}
	tl_storage_close(index);
	tl_storage_close(file);
	reader->free(reader);
	return 0;
}
