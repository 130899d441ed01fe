/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - one pass over all events keeps the states of each span. */
#include "dump/tree/parts.h"

#include "base/array.h"
#include "base/table.h"
#include "dump/kernel.h"
#include "event/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct span_parts {
	int64_t ns[TL_PARTS]; /* all 0: unknown */
};

struct tl_tree_parts {
	struct tl_states *states;
	struct tl_spans *spans;
	struct tl_id_map ids;     /* of thread, begin and end */
	struct span_parts *parts; /* by id */
	size_t capacity;
	uint64_t left_out;
};

/* The element of a span, made if there is none: 0, -ENOSPC, -ENOMEM. */
static int
element_of(struct tl_tree_parts *p, uint32_t pid, uint32_t tid,
    int64_t begin_ns, int64_t duration_ns, struct span_parts **element)
{
	/* nested spans may begin at the same time */
	const struct tl_id_key key = { (uint64_t)pid << 32 | tid,
		tl_hash_pair((uint64_t)begin_ns, (uint64_t)duration_ns) };
	uint32_t id;
	int rc = tl_id_map_get(&p->ids, key, &id);

	if (rc >= 0)
		rc = TL_ARRAY_ZEROS(p->parts, p->capacity, id);
	if (rc == 0)
		*element = &p->parts[id];
	return rc;
}

static int
take(struct tl_tree_parts *p, const struct tl_event *event)
{
	struct span_parts *element;
	struct tl_parts parts;
	struct tl_span span;
	int rc = tl_states_put(p->states, event);

	if (rc < 0 || (rc = tl_spans_put(p->spans, event, &span)) <= 0 ||
	    !tl_states_span(p->states, &span, &parts))
		return rc;
	rc = element_of(p, span.pid, span.tid, span.begin_ns, span.duration_ns,
	    &element);
	if (rc == -ENOSPC) {
		p->left_out++;
		return 0;
	}
	if (rc == 0)
		memcpy(element->ns, parts.ns, sizeof(element->ns));
	return rc;
}

static int
read_all(struct tl_tree_parts *p, const struct tl_sources *inputs)
{
	struct tl_cursor *cursor;
	struct tl_event event;
	int rc = tl_spans_new(&p->spans);

	if (rc == 0)
		rc = tl_sources_cursor(inputs, TL_OLDEST_FIRST, &cursor);
	if (rc < 0)
		return rc;
	while (rc >= 0 && (rc = tl_cursor_next(cursor, &event)) > 0)
		rc = take(p, &event);
	tl_cursor_close(cursor);
	return rc;
}

int
tl_tree_parts_new(struct tl_tree_parts **parts, const struct tl_sources *inputs)
{
	struct tl_states *states;
	struct tl_tree_parts *p;
	int rc = tl_kernel_states_new(&states, inputs);

	*parts = NULL;
	if (rc < 0 || !states)
		return rc;
	p = calloc(1, sizeof(*p));
	if (!p) {
		tl_states_free(states);
		return -ENOMEM;
	}
	p->states = states;
	rc = read_all(p, inputs);
	if (rc < 0)
		tl_tree_parts_free(p);
	else
		*parts = p;
	return rc < 0 ? rc : 0;
}

void
tl_tree_parts_free(struct tl_tree_parts *p)
{
	if (!p)
		return;
	tl_states_free(p->states);
	tl_spans_free(p->spans);
	tl_id_map_free(&p->ids);
	free(p->parts);
	free(p);
}

const int64_t *
tl_tree_parts_find(struct tl_tree_parts *p, const struct tl_node *node)
{
	struct span_parts *element;
	int64_t all = 0;

	if (!p || node->ended != TL_NODE_ENDED ||
	    element_of(p, node->event.pid, node->event.tid, node->event.ns,
		tl_node_duration(node), &element) < 0)
		return NULL;
	for (unsigned i = 0; i < TL_PARTS; i++)
		all |= element->ns[i];
	return all ? element->ns : NULL;
}

uint64_t
tl_tree_parts_left_out(const struct tl_tree_parts *p)
{
	return p ? p->left_out : 0;
}
