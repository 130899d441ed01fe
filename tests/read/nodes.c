/*
 * nodes.c TRACE - ranges, placeholders, forgetting and reloading of the first
 * span of a trace, which has at least 1000 children.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>
#include <timeline_read.h>

int
main(int argc, char **argv)
{
	struct timeline_node *const *roots, *span, *child;
	struct timeline_reader *reader;
	char before[100], after[100], tiny[4];
	uint64_t memory;
	size_t count;

	assert(argc == 2 && timeline_read_open(&reader, argv[1], NULL) == 0);
	assert(timeline_read_roots(reader, &roots, &count) == 0 && count > 0);
	assert(
	    !timeline_node_event(roots[0]) && !timeline_node_parent(roots[0]));
	assert(!timeline_node_child(roots[0], 0));
	assert(timeline_node_load(roots[0], 0, 1) == 0);
	span = timeline_node_child(roots[0], 0);
	assert(span && timeline_node_parent(span) == roots[0]);
	assert(timeline_node_children(span) >= 1000);
	memory = timeline_read_memory(reader);
	assert(timeline_node_load(span, 500, 10) == 0);
	assert(timeline_node_loaded(span) == 10);
	assert(
	    !timeline_node_child(span, 499) && !timeline_node_child(span, 510));
	assert(!timeline_node_child(span, UINT64_MAX));
	child = timeline_node_child(span, 505);
	assert(child && timeline_node_text(child, before, 100) > 3);
	assert(timeline_node_text(child, tiny, 4) == (int)strlen(before));
	assert(strlen(tiny) == 3 && timeline_node_text(child, NULL, 0) > 3);
	timeline_node_forget(span, 505, 1);
	assert(
	    !timeline_node_child(span, 505) && timeline_node_child(span, 504));
	timeline_node_forget(span, 0, UINT64_MAX);
	assert(timeline_node_loaded(span) == 0);
	assert(timeline_read_memory(reader) == memory);
	assert(timeline_node_load(span, 505, 1) == 0);
	assert(
	    timeline_node_text(timeline_node_child(span, 505), after, 100) > 3);
	assert(strcmp(before, after) == 0);
	assert(timeline_node_load(span, 1 << 30, 5) == 0);
	timeline_read_close(reader);
	return 0;
}
