/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.c - the call trees of a recorded trace as Lua values.
 *
 * A value identifies a node by its parent and its number, and caches the node's
 * address.  Any forget of the trace makes the cached addresses invalid, and
 * each node is looked up again from the root.  So a script cannot reach a node
 * that was freed, and a node that was loaded again is the same node for the
 * script.
 */
#include "script/host.h"

#include "event/render.h"

#include <errno.h>
#include <string.h>

struct node {
	struct tl_script_source *source; /* kept alive by the cache */
	struct node *parent;             /* NULL: a root */
	/* among the children of the parent; a root: its thread */
	uint64_t number;
	struct tl_node *node;
	uint64_t forgets; /* forgets of the source at the last lookup */
};

static const char node_key;

/* User values: the cache of the source, the value of the parent. */
enum { USER_CACHE = 1, USER_PARENT };

/* Look up the node of a value whose parent is up to date; NULL: not loaded. */
static struct tl_node *
find(struct node *n)
{
	if (n->forgets != n->source->forgets || !n->node) {
		n->node = n->parent ? tl_node_child(n->parent->node, n->number)
				    : tl_trace_root(n->source->trace,
					  (size_t)n->number);
		n->forgets = n->source->forgets;
	}
	return n->node;
}

/* The node of the value at index, at any depth. */
static struct node *
check_node(lua_State *L, int index)
{
	struct node *n = tl_host_check_type(L, index, "node", &node_key);
	struct node **way;
	size_t count = 0;

	if (!n->source->is_owned)
		luaL_error(L, "the node's trace was collected");
	if (n->forgets == n->source->forgets)
		return n;
	for (struct node *at = n; at; at = at->parent)
		count++;
	way = lua_newuserdatauv(L, count * sizeof(*way), 0);
	for (struct node *at = n; at; at = at->parent)
		way[--count] = at;
	for (;; count++) {
		if (!find(way[count])) {
			/* look the node up again next time */
			way[count]->forgets--;
			luaL_error(L, "the node was forgotten");
		}
		if (way[count] == n)
			break;
	}
	lua_pop(L, 1);
	return n;
}

/* Push a node.  The cache and the parent's value (0: no parent) are at these
 * indices. */
static void
push_node(lua_State *L, int cache, int parent, struct tl_script_source *source,
    uint64_t number)
{
	struct node *n = tl_host_push(L, sizeof(*n), 2, &node_key);

	n->source = source;
	n->number = number;
	n->parent = parent ? lua_touserdata(L, parent) : NULL;
	find(n);
	lua_pushvalue(L, cache);
	lua_setiuservalue(L, -2, USER_CACHE);
	if (parent) {
		lua_pushvalue(L, parent);
		lua_setiuservalue(L, -2, USER_PARENT);
	}
}

int
tl_script_source_roots(lua_State *L)
{
	struct tl_script_source *source = tl_script_source_check(L, 1);
	size_t count;

	if (!source->trace)
		return luaL_error(L, "only a recorded trace has call trees");
	count = tl_trace_thread_count(source->trace);
	tl_script_source_push_cache(L, 1);
	lua_createtable(L, (int)count, 0);
	for (size_t i = 0; i < count; i++) {
		push_node(L, lua_gettop(L) - 1, 0, source, i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* A range of children, from 1, cut to the children that exist. */
static uint64_t
check_range(lua_State *L, const struct node *n, uint64_t *count)
{
	const uint64_t children = n->node->child_count;
	const lua_Integer first = luaL_optinteger(L, 2, 1);
	const lua_Integer wanted = luaL_optinteger(L, 3, LUA_MAXINTEGER);

	luaL_argcheck(L, first >= 1, 2, "children count from 1");
	luaL_argcheck(L, wanted >= 0, 3, "how many children");
	*count = 0;
	if ((uint64_t)first <= children)
		*count = children - ((uint64_t)first - 1);
	if (*count > (uint64_t)wanted)
		*count = (uint64_t)wanted;
	return (uint64_t)first - 1;
}

static void
load(lua_State *L, const struct node *n, uint64_t first, uint64_t count)
{
	const int rc = tl_trace_load(n->source->trace, n->node, first, count);

	if (rc < 0)
		luaL_error(L, "children cannot be loaded: %s", strerror(-rc));
}

/* node:child(i): child i, which is loaded if needed; nil: no such child. */
static int
node_child(lua_State *L)
{
	const struct node *n = check_node(L, 1);
	const lua_Integer i = luaL_checkinteger(L, 2);

	if (i < 1 || (uint64_t)i > n->node->child_count) {
		lua_pushnil(L);
		return 1;
	}
	load(L, n, (uint64_t)i - 1, 1);
	lua_getiuservalue(L, 1, USER_CACHE);
	push_node(L, lua_gettop(L), 1, n->source, (uint64_t)i - 1);
	return 1;
}

/* node:children(first, count): an array of children, which are loaded
 * together. */
static int
node_children(lua_State *L)
{
	const struct node *n = check_node(L, 1);
	uint64_t count;
	const uint64_t first = check_range(L, n, &count);

	load(L, n, first, count);
	lua_getiuservalue(L, 1, USER_CACHE);
	lua_createtable(L, count < INT32_MAX ? (int)count : 0, 0);
	for (uint64_t i = 0; i < count; i++) {
		push_node(L, lua_gettop(L) - 1, 1, n->source, first + i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* node:forget(first, count): free children with everything inside them. */
static int
node_forget(lua_State *L)
{
	const struct node *n = check_node(L, 1);
	uint64_t count;
	const uint64_t first = check_range(L, n, &count);

	tl_trace_forget_range(n->source->trace, n->node, first, count);
	n->source->forgets++;
	return 0;
}

/* node:is_loaded(i) */
static int
node_is_loaded(lua_State *L)
{
	const struct node *n = check_node(L, 1);
	const lua_Integer i = luaL_checkinteger(L, 2);

	lua_pushboolean(L,
	    i >= 1 && tl_node_child(n->node, (uint64_t)i - 1) != NULL);
	return 1;
}

static int
node_parent(lua_State *L)
{
	tl_host_check_type(L, 1, "node", &node_key);
	lua_getiuservalue(L, 1, USER_PARENT);
	return 1;
}

static int
node_count(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)check_node(L, 1)->node->child_count);
	return 1;
}

static const struct tl_trace_thread *
thread_of(const struct node *n)
{
	return tl_trace_thread(n->source->trace, n->node->thread);
}

/* node:text(), tostring(node) */
static int
node_text(lua_State *L)
{
	const struct node *n = check_node(L, 1);
	struct tl_state *host = tl_host(L);
	struct tl_text *text = tl_host_scratch(host);

	if (n->parent) {
		tl_render_node(text, &n->node->event,
		    n->node->ended != TL_NODE_LEAF);
	} else if (thread_of(n)->name.size > 0) {
		tl_put_plain(text, thread_of(n)->name);
	} else {
		tl_put_string(text, "thread ");
		tl_put_unsigned(text, thread_of(n)->tid);
	}
	tl_host_push_scratch(L, host);
	return 1;
}

static int
push_event(lua_State *L, const struct node *n, const struct tl_event *event)
{
	const struct tl_node *node = n->node;
	struct tl_event_value *value;

	lua_getiuservalue(L, 1, USER_CACHE);
	value = tl_event_push(L, lua_gettop(L), false);
	value->event = *event;
	value->has_depth = true;
	value->depth = node->depth - 1;
	value->open = node->ended == TL_NODE_UNFINISHED;
	value->span.begin_ns = node->event.ns;
	if (node->ended == TL_NODE_ENDED) {
		value->paired = true;
		value->span.end_ns = node->end.ns;
		value->span.end_tsc = node->end.tsc;
		value->span.end_cpu = node->end.cpu;
		value->span.duration_ns = tl_node_duration(node);
	}
	return 1;
}

/* node:event(): the begin event of a span; nil for a root. */
static int
node_event(lua_State *L)
{
	const struct node *n = check_node(L, 1);

	if (n->parent)
		return push_event(L, n, &n->node->event);
	lua_pushnil(L);
	return 1;
}

/* node:last(): the end event of a span; nil: none. */
static int
node_last(lua_State *L)
{
	const struct node *n = check_node(L, 1);

	if (n->node->ended == TL_NODE_ENDED)
		return push_event(L, n, &n->node->end);
	lua_pushnil(L);
	return 1;
}

/* node:thread(): { pid, tid, name, command, events } */
static int
node_thread(lua_State *L)
{
	const struct tl_trace_thread *t = thread_of(check_node(L, 1));

	lua_createtable(L, 0, 5);
	tl_set_number(L, "pid", t->pid);
	tl_set_number(L, "tid", t->tid);
	tl_set_number(L, "events", t->events);
	tl_set_bytes(L, "name", t->name);
	tl_set_bytes(L, "command", t->command);
	return 1;
}

void
tl_script_nodes_register(lua_State *L)
{
	static const luaL_Reg methods[] = { { "child", node_child },
		{ "children", node_children }, { "forget", node_forget },
		{ "is_loaded", node_is_loaded }, { "parent", node_parent },
		{ "text", node_text }, { "event", node_event },
		{ "last", node_last }, { "thread", node_thread },
		{ NULL, NULL } };
	static const luaL_Reg functions[] = { { "__len", node_count },
		{ "__tostring", node_text }, { NULL, NULL } };

	tl_host_register_type(L, "node", &node_key, functions, methods);
	lua_pop(L, 1);
}
