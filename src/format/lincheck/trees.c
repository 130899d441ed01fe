/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c - walk along the children of a container, from footer to footer. */
#include "format/lincheck/index.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* What is known of a container after a walk along its children. */
struct known {
	uint32_t lane;
	int32_t last; /* number of its last point, or its own */
	uint64_t content;
	uint64_t points; /* children, without a result */
};

/* A place between the children of a container. */
struct mark {
	uint32_t lane;
	uint64_t content;
	uint64_t number; /* number of the child at the place; 0: no mark */
	uint64_t at;
};

/* A container that has no cell, while its content is read. */
struct open {
	uint64_t content;
	uint8_t class;
};

enum { KNOWN = 1 << 12, MARKS = 1 << 8 };

enum {
	BAD_CELL = 1 << 0,
	NO_OBJECT = 1 << 1,
	NO_CALL = 1 << 2,
	OTHER_THREAD = 1 << 3,
	UNDEFINED = 1 << 4,
	BAD_NAME = 1 << 5,
	LONG = 1 << 6,
	TOO_MANY = 1 << 7
};

struct tl_lincheck_trees {
	struct tl_trees base; /* first: callers see it */
	struct tl_lincheck_messages *messages;
	const struct tl_report *report;
	struct tl_lincheck_dialect dialect;
	struct tl_lincheck_window window;
	struct tl_lincheck_index index;
	uint32_t *lanes; /* number of the lane, by thread */
	unsigned said;   /* kinds of faults that were reported */
	/* containers that have no cell: while they are open, and later the
	 * end of their content times two, plus 1 for a footer */
	struct open *open;
	size_t open_capacity;
	struct tl_id_map uncelled;
	uint64_t *ends;
	size_t ends_capacity;
	struct known known[KNOWN];
	struct mark marks[MARKS];
};

struct walk {
	struct tl_lincheck_trees *t;
	uint32_t number; /* of the lane */
	const struct tl_lincheck_lane *lane;
	size_t block;  /* the block of at, or the next block */
	uint64_t at;   /* logical offset of the next object */
	uint64_t from; /* of the object that was read last */
};

/* A container that the walk has passed. */
struct container {
	uint64_t content;
	uint64_t end; /* of the content: its footer, if there is one */
	int32_t event;
	bool ended; /* it has a footer */
};

/* Report the first fault of a kind. */
static void
say(struct tl_lincheck_trees *t, unsigned kind, int rc, uint64_t at,
    const char *text)
{
	if (t->said & kind)
		return;
	t->said |= kind;
	tl_report_write(t->report, rc, at, "%s", text);
}

/* == a stream == */

static struct walk
walk_of(struct tl_lincheck_trees *t, uint32_t number)
{
	return (struct walk){ .t = t,
		.number = number,
		.lane = &t->index.lanes[number] };
}

static const struct tl_lincheck_block *
block_of(const struct walk *w)
{
	return &w->lane->blocks[w->block];
}

static void
seek(struct walk *w, uint64_t at)
{
	const struct tl_lincheck_lane *lane = w->lane;
	size_t i = w->block;

	w->at = at;
	if (i < lane->block_count && at >= lane->blocks[i].logical &&
	    at - lane->blocks[i].logical < lane->blocks[i].size)
		return;
	TL_SEARCH(i, 0, lane->block_count,
	    lane->blocks[i].logical + lane->blocks[i].size <= at);
	w->block = i;
}

/* The offset in the file of a byte of the walk's block. */
static uint64_t
place_of(const struct walk *w, uint64_t at)
{
	const struct tl_lincheck_block *block = block_of(w);

	return block->at + (at - block->logical);
}

/*
 * Read the next object.  container: the class that a footer here ends.  1; 0:
 * the stream ends; -EBADMSG: no object, the walk is behind the block; -errno.
 */
static int
read_object(struct walk *w, uint8_t container,
    struct tl_lincheck_object *object)
{
	struct tl_lincheck_trees *t = w->t;
	const struct tl_lincheck_block *block;
	int64_t size;

	while (w->block < w->lane->block_count &&
	       w->at == block_of(w)->logical + block_of(w)->size)
		w->block++;
	if (w->block == w->lane->block_count)
		return 0;
	block = block_of(w);
	t->dialect.container = container;
	size = tl_lincheck_window_parse(&t->window, place_of(w, w->at),
	    block->at + block->size, TL_LINCHECK_WINDOW, &t->dialect, object);
	if (size > 0 && (object->kind == TL_LINCHECK_BLOCK_START ||
			    object->kind == TL_LINCHECK_BLOCK_END ||
			    object->kind == TL_LINCHECK_EOF))
		size = -EBADMSG;
	w->from = w->at;
	if (size > 0) {
		w->at += (uint64_t)size;
		return 1;
	}
	if (size == -EBADMSG)
		w->at = block->logical + block->size;
	return (int)size;
}

/* Read the next point or footer, over definitions and damage.  1, 0, -errno. */
static int
next(struct walk *w, uint8_t container, struct tl_lincheck_object *object)
{
	for (;;) {
		const int rc = read_object(w, container, object);

		if (rc == -EBADMSG)
			say(w->t, NO_OBJECT, -EBADMSG, place_of(w, w->from),
			    "no object: the rest of its block is left out");
		else if (rc <= 0 || object->kind == TL_LINCHECK_POINT ||
			 object->kind == TL_LINCHECK_FOOTER)
			return rc;
	}
}

/*
 * Jump behind the footer of the container whose header was read, by its cell:
 * 1; 0: it has no cell that fits, and the walk has not moved; -errno.
 */
static int
jump(struct walk *w, uint8_t class, int32_t event, uint64_t stop, uint64_t *end)
{
	const uint64_t content = w->at;
	struct tl_lincheck_object footer;
	struct tl_cell cell;
	int rc = tl_lincheck_index_find(&w->t->index, w->lane, content, &cell);

	if (rc <= 0)
		return rc;
	*end = (uint64_t)cell.end;
	if (cell.id == event && *end < stop) {
		seek(w, *end);
		rc = read_object(w, class, &footer);
		if (rc < 0 && rc != -EBADMSG)
			return rc;
		if (rc == 1 && footer.kind == TL_LINCHECK_FOOTER &&
		    w->from == *end && w->at <= stop)
			return 1;
	}
	seek(w, content);
	return 0;
}

static struct tl_id_key
key_of(const struct walk *w, uint64_t content)
{
	return (struct tl_id_key){ content, w->number };
}

/* Keep the end of a container that has no cell. */
static int
keep_end(struct walk *w, uint64_t content, uint64_t end, bool ended)
{
	struct tl_lincheck_trees *t = w->t;
	uint32_t i;
	int rc = tl_id_map_get(&t->uncelled, key_of(w, content), &i);

	if (rc >= 0)
		rc = TL_ARRAY_ZEROS(t->ends, t->ends_capacity, i);
	if (rc < 0)
		return rc;
	t->ends[i] = end << 1 | ended;
	return 0;
}

static int
push(struct tl_lincheck_trees *t, size_t *depth, uint64_t content,
    uint8_t class)
{
	if (TL_ARRAY_ROOM(t->open, t->open_capacity, *depth) < 0)
		return -ENOMEM;
	t->open[(*depth)++] = (struct open){ content, class };
	return 0;
}

/* Read the content of a container up to its footer, or up to stop.  The ends of
 * all containers in it that have no cell are kept. */
static int
read_through(struct walk *w, uint8_t class, uint64_t stop)
{
	struct tl_lincheck_trees *t = w->t;
	struct tl_lincheck_object object;
	size_t depth = 0;
	uint64_t end;
	int rc = push(t, &depth, w->at, class);

	while (rc == 0 && depth > 0 && w->at < stop) {
		rc = next(w, t->open[depth - 1].class, &object);
		if (rc <= 0 || w->from >= stop)
			break;
		rc = 0;
		if (object.kind == TL_LINCHECK_FOOTER) {
			rc = keep_end(w, t->open[--depth].content, w->from,
			    true);
			continue;
		}
		if (!tl_lincheck_is_container(object.class))
			continue;
		rc = jump(w, object.class, object.event, stop, &end);
		if (rc == 0)
			rc = push(t, &depth, w->at, object.class);
		else if (rc > 0)
			rc = 0;
	}
	while (rc >= 0 && depth > 0)
		rc = keep_end(w, t->open[--depth].content, stop, false);
	return rc < 0 ? rc : 0;
}

/* Pass the container whose header was read.  stop: end of the content around
 * it. */
static int
pass(struct walk *w, const struct tl_lincheck_object *header, uint64_t stop,
    struct container *c)
{
	const uint64_t at = place_of(w, w->from);
	const uint8_t class = header->class;
	struct tl_lincheck_trees *t = w->t;
	struct tl_lincheck_object footer;
	uint32_t i;
	int rc;

	*c = (struct container){ .content = w->at,
		.event = header->event,
		.ended = true };
	rc = jump(w, class, c->event, stop, &c->end);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	say(t, BAD_CELL, -EBADMSG, at,
	    "index: it has no cell that fits the call here: the calls in it "
	    "are read one by one");
	if (!tl_id_map_has(&t->uncelled, key_of(w, c->content)) &&
	    (rc = read_through(w, class, stop)) < 0)
		return rc;
	rc = tl_id_map_get(&t->uncelled, key_of(w, c->content), &i);
	if (rc < 0)
		return rc;
	c->end = t->ends[i] >> 1;
	c->ended = t->ends[i] & 1;
	if (c->end > stop || (c->ended && c->end == stop)) {
		c->end = stop;
		c->ended = false;
	}
	seek(w, c->end);
	rc = c->ended ? read_object(w, class, &footer) : 0;
	return rc < 0 && rc != -EBADMSG ? rc : 0;
}

/* Find the next child before stop.  1; 0: none; -errno. */
static int
next_child(struct walk *w, uint64_t stop, struct tl_lincheck_object *object)
{
	while (w->at < stop) {
		const int rc = next(w, TL_LINCHECK_CALL, object);

		if (rc <= 0 || w->from >= stop)
			return rc < 0 ? rc : 0;
		if (object->kind == TL_LINCHECK_POINT)
			return 1;
		say(w->t, NO_CALL, -EBADMSG, place_of(w, w->from),
		    "a footer without a call is left out");
	}
	return 0;
}

/* == what is known == */

static struct known *
known_of(struct tl_lincheck_trees *t, uint32_t lane, uint64_t content)
{
	return &t->known[(content + lane) % KNOWN];
}

/*
 * Walk along the children of a container.  *last: the last child, if it is a
 * container; its content is 0 if it is not, and event is the number of the last
 * point.
 */
static int
survey(struct walk *w, const struct container *c, uint64_t *points,
    struct container *last)
{
	struct tl_lincheck_object object;
	int rc;

	*points = 0;
	*last = (struct container){ .event = c->event };
	seek(w, c->content);
	while ((rc = next_child(w, c->end, &object)) > 0) {
		++*points;
		*last = (struct container){ .event = object.event };
		if (!tl_lincheck_is_container(object.class))
			continue;
		rc = pass(w, &object, c->end, last);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/*
 * Find the number of children and of the last point of a container.  The last
 * point is in the last child of the last child ..., each of which is known
 * afterwards.
 */
static int
get_known(struct tl_lincheck_trees *t, uint32_t lane, struct container c,
    struct known *result)
{
	struct walk w = walk_of(t, lane);
	struct known *chain = NULL;
	size_t count = 0, capacity = 0;
	struct container last;
	int32_t event = 0;
	int rc = 0;

	for (;;) {
		const struct known *k = known_of(t, lane, c.content);

		if (k->content == c.content && k->lane == lane &&
		    c.content > 0) {
			event = k->last;
			if (count == 0)
				*result = *k;
			break;
		}
		if (TL_ARRAY_ROOM(chain, capacity, count) < 0)
			rc = -ENOMEM;
		if (rc == 0)
			rc = survey(&w, &c, &chain[count].points, &last);
		if (rc < 0)
			break;
		chain[count].lane = lane;
		chain[count++].content = c.content;
		event = last.event;
		if (last.content == 0 || t->base.untimed)
			break;
		c = last;
	}
	for (size_t i = count; rc == 0 && i > 0; i--) {
		chain[i - 1].last = event;
		*known_of(t, lane, chain[i - 1].content) = chain[i - 1];
	}
	if (rc == 0 && count > 0)
		*result = chain[0];
	free(chain);
	return rc;
}

/* == nodes == */

struct load {
	struct tl_lincheck_trees *t;
	struct tl_node *node;
	struct walk walk;
	uint64_t number; /* of the next child */
	int32_t outer;   /* class of the method of the node, or NONE */
	uint8_t class;
	struct container self;
	const struct tl_message *result; /* message of its result, or NULL */
};

/* Make the event of a point, or of the result in a footer.  *message is NULL if
 * a footer has no result. */
static int
make_event(struct load *l, struct tl_lincheck_object *object, int32_t number,
    struct tl_event *event)
{
	struct tl_lincheck_messages *m = l->t->messages;
	const uint64_t at = place_of(&l->walk, l->walk.from);
	struct tl_lincheck_key missing = { TL_LINCHECK_POINT, 0 };
	int rc;

	*event = (struct tl_event){ .kind = TL_INSTANT,
		.ns = number,
		.tsc = (uint64_t)number,
		.number = (uint32_t)number,
		.cpu = TL_CPU_UNKNOWN };
	if (object->kind == TL_LINCHECK_FOOTER && object->count == 0)
		return 0;
	object->inside =
	    tl_lincheck_context_is_inside(&m->context, object, l->outer);
	rc = tl_lincheck_messages_get(m, object, true, &missing,
	    &event->message);
	if (rc == 0 && missing.kind != TL_LINCHECK_POINT &&
	    tl_lincheck_context_misses(&m->context, object, &missing))
		say(l->t, UNDEFINED, -EBADMSG, at,
		    "what is referred to is never defined");
	if (rc == 0 && object->kind == TL_LINCHECK_FOOTER &&
	    event->message->argc == 0)
		event->message = NULL;
	if (rc == 0 && event->message) {
		event->level = event->message->level;
		rc = tl_lincheck_messages_args(m, object, event->args);
	}

	/* Report what was noticed while a message was made. */
	if (l->t->messages->bad_name > 0)
		say(l->t, BAD_NAME, -EBADMSG, at, "name is not modified UTF-8");
	if (l->t->messages->cut > 0)
		say(l->t, LONG, -ERANGE, at,
		    "a text of more than 64 KiB is cut");
	if (l->t->messages->full > 0)
		say(l->t, TOO_MANY, -ENOSPC, at,
		    "too many things or threads: left out");
	return rc;
}

/* Make the event of a container's result, which has no message if there is
 * none. */
static int
make_result(struct load *l, uint8_t class, const struct container *c,
    int32_t number, struct tl_event *event)
{
	struct tl_lincheck_object footer;
	int rc;

	event->message = NULL;
	if (!c->ended || class != TL_LINCHECK_CALL)
		return 0;
	seek(&l->walk, c->end);
	rc = read_object(&l->walk, class, &footer);
	if (rc == 1 && footer.kind == TL_LINCHECK_FOOTER)
		rc = make_event(l, &footer, number, event);
	return rc == -EBADMSG ? 0 : rc;
}

/* Put a node in its place.  NULL: *rc is -errno. */
static struct tl_node *
adopt(struct load *l, uint64_t number, const struct tl_event *event, int *rc)
{
	struct tl_node_budget *budget = &l->t->base.budget;
	struct tl_node *child = tl_node_new(budget, rc);

	if (!child)
		return NULL;
	child->event = *event;
	*rc = tl_node_adopt(l->node, number, child, budget);
	if (*rc == 0)
		return child;
	tl_node_free(child, budget);
	return NULL;
}

/* Load the child whose header was read, and pass it. */
static int
load_child(struct load *l, struct tl_lincheck_object *object)
{
	const struct walk header = l->walk;
	const uint8_t class = object->class;
	const bool is_span = tl_lincheck_is_container(class);
	struct tl_event event, result;
	struct container c = { 0 };
	struct known known = { 0 };
	struct tl_node *child;
	uint64_t after;
	int rc;

	if (object->thread != l->walk.lane->thread)
		say(l->t, OTHER_THREAD, -EBADMSG,
		    place_of(&header, header.from),
		    "a point is not of its block's thread");
	rc = make_event(l, object, object->event, &event);
	if (rc == 0 && is_span)
		rc = pass(&l->walk, object, l->self.end, &c);
	after = l->walk.at;
	if (rc == 0 && is_span)
		rc = get_known(l->t, l->walk.number, c, &known);
	if (rc == 0 && is_span)
		rc = make_result(l, class, &c, known.last, &result);
	if (rc < 0)
		return rc;
	seek(&l->walk, after);
	event.kind = is_span ? TL_BEGIN : TL_INSTANT;
	child = adopt(l, l->number, &event, &rc);
	if (!child || !is_span)
		return rc;
	child->content = c.content;
	child->content_end = c.end;
	/* the offset of the header times two, plus 1 if there is a footer */
	child->level = header.from << 1 | c.ended;
	child->child_count = known.points + (result.message != NULL);
	child->ended = c.ended ? TL_NODE_ENDED : TL_NODE_UNFINISHED;
	if (c.ended)
		child->end = (struct tl_event){ .message = event.message,
			.kind = TL_END,
			.bare = true,
			.ns = known.last,
			.tsc = (uint64_t)known.last,
			.number = (uint32_t)known.last,
			.level = event.level,
			.cpu = TL_CPU_UNKNOWN };
	return 0;
}

/* Read the header of the node. */
static int
open_node(struct load *l)
{
	const struct tl_node *node = l->node;
	struct tl_lincheck_object header;
	int rc;

	l->outer = TL_LINCHECK_NONE;
	l->class = TL_LINCHECK_CALL;
	l->self = (struct container){ .content = node->content,
		.end = node->content_end };
	if (node->depth == 0)
		return 0;
	seek(&l->walk, node->level >> 1);
	rc = read_object(&l->walk, TL_LINCHECK_CALL, &header);
	if (rc <= 0 || header.kind != TL_LINCHECK_POINT)
		return rc < 0 ? rc : -EBADMSG;
	l->outer =
	    tl_lincheck_context_target(&l->t->messages->context, &header);
	l->class = header.class;
	l->self.event = header.event;
	l->self.ended = node->level & 1;
	return 0;
}

/* Load the result of the node, which is its last child. */
static int
load_result(struct load *l)
{
	const uint64_t number = l->node->child_count - 1;
	struct tl_event event;
	struct known known;
	int rc;

	if (l->node->depth == 0)
		return 0;
	rc = get_known(l->t, l->walk.number, l->self, &known);
	if (rc < 0 || known.points > number || tl_node_child(l->node, number))
		return rc;
	rc = make_result(l, l->class, &l->self, known.last, &event);
	if (rc == 0 && event.message)
		adopt(l, number, &event, &rc);
	return rc;
}

static struct mark *
mark_of(const struct load *l)
{
	return &l->t->marks[(l->self.content + l->walk.number) % MARKS];
}

/* Start at the first child, or behind those that were loaded last. */
static void
start(struct load *l, uint64_t first)
{
	const struct mark *mark = mark_of(l);

	seek(&l->walk, l->self.content);
	if (mark->number == 0 || mark->number > first ||
	    mark->content != l->self.content || mark->lane != l->walk.number)
		return;
	l->number = mark->number;
	seek(&l->walk, mark->at);
}

/* Load the children from first to last, without the result. */
static int
load_points(struct load *l, uint64_t first, uint64_t last)
{
	struct tl_lincheck_object object;
	struct container c;
	int rc = 0;

	start(l, first);
	while (l->number <= last &&
	       (rc = next_child(&l->walk, l->self.end, &object)) > 0) {
		rc = 0;
		if (l->number >= first && !tl_node_child(l->node, l->number))
			rc = load_child(l, &object);
		else if (tl_lincheck_is_container(object.class))
			rc = pass(&l->walk, &object, l->self.end, &c);
		if (rc < 0)
			return rc;
		l->number++;
	}
	if (rc == 0)
		*mark_of(l) = (struct mark){ .lane = l->walk.number,
			.content = l->self.content,
			.number = l->number,
			.at = l->walk.at };
	return rc;
}

static int
load_nodes(struct tl_trees *trees, struct tl_node *node, uint64_t first,
    uint64_t count)
{
	struct tl_lincheck_trees *t = (struct tl_lincheck_trees *)(void *)trees;
	struct load l = { .t = t,
		.node = node,
		.walk = walk_of(t, t->lanes[node->thread]) };
	uint64_t last;
	int rc;

	if (first >= node->child_count || count == 0)
		return 0;
	if (count > node->child_count - first)
		count = node->child_count - first;
	last = first + count - 1;
	rc = open_node(&l);
	if (rc == 0 && last == node->child_count - 1)
		rc = load_result(&l);
	if (rc == 0 && (last > first || !tl_node_child(node, first)))
		rc = load_points(&l, first, last);
	return rc;
}

/* == threads == */

/* Make the tree of a lane, unless it has no points. */
static int
add_thread(struct tl_lincheck_trees *t, uint32_t number)
{
	struct tl_lincheck_lane *lane = &t->index.lanes[number];
	const struct tl_strings *strings = t->messages->context.strings;
	const struct container all = { .end = lane->size };
	struct walk w = walk_of(t, number);
	struct container last;
	uint64_t points;
	const size_t i = t->base.count;
	int rc = survey(&w, &all, &points, &last);

	if (rc < 0 || points == 0)
		return rc;
	lane->has_points = true;
	t->lanes[i] = number;
	t->base.threads[i] =
	    (struct tl_trace_thread){ .tid = (uint32_t)lane->thread };
	if (lane->name)
		t->base.threads[i].name = strings->get(strings, lane->name);
	t->base.roots[i] = (struct tl_node){ .child_count = points,
		.content_end = lane->size,
		.thread = (uint32_t)i };
	t->base.count++;
	return 0;
}

static int
add_threads(struct tl_lincheck_trees *t)
{
	const size_t count = t->index.lane_count;
	int rc = 0;

	t->lanes = calloc(count + 1, sizeof(*t->lanes));
	t->base.threads = calloc(count + 1, sizeof(*t->base.threads));
	t->base.roots = calloc(count + 1, sizeof(*t->base.roots));
	if (!t->lanes || !t->base.threads || !t->base.roots)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add_thread(t, (uint32_t)i);
	/* damaged or unfinished at this level: the file is read whole */
	return rc == 0 && t->said ? -EBADMSG : rc;
}

int
tl_lincheck_trees_new(struct tl_lincheck_trees **trees,
    struct tl_lincheck_messages *messages, struct tl_storage *data,
    struct tl_storage *index, const struct tl_report *report)
{
	struct tl_lincheck_trees *t;
	int rc;

	if (messages->context.version == TL_LINCHECK_SINCE_TRACE_IDS)
		return -EBADMSG;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->base.load = load_nodes;
	t->messages = messages;
	t->dialect.version = messages->context.version;
	t->window.storage = data;
	rc = tl_lincheck_index_open(&t->index, index, &t->window, messages);
	if (rc == 0)
		rc = add_threads(t);
	t->report = report;
	if (rc < 0)
		tl_lincheck_trees_free(t);
	else
		*trees = t;
	return rc;
}

void
tl_lincheck_trees_free(struct tl_lincheck_trees *t)
{
	if (!t)
		return;
	tl_trees_free(&t->base);
	tl_lincheck_index_free(&t->index);
	tl_text_free(&t->window.bytes);
	tl_id_map_free(&t->uncelled);
	free(t->open);
	free(t->ends);
	free(t->lanes);
	free(t);
}

struct tl_trees *
tl_lincheck_trees_base(struct tl_lincheck_trees *t)
{
	return &t->base;
}

const struct tl_lincheck_lane *
tl_lincheck_trees_lane(const struct tl_lincheck_trees *t, size_t i)
{
	return i < t->index.lane_count ? &t->index.lanes[i] : NULL;
}
