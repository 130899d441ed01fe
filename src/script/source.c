/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - one or several inputs as a Lua value. */
#include "script/host.h"

#include "base/id_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char source_key;

bool tl_script_source_collected;

/* User values of a source. */
enum { USER_CACHE = 1, USER_NAME };

struct tl_script_source *
tl_script_source_check(lua_State *L, int index)
{
	struct tl_script_source *source =
	    tl_host_check_type(L, index, "input", &source_key);

	if (source->closed)
		luaL_argerror(L, index, "it is closed");
	return source;
}

struct tl_script_source *
tl_script_source_push(lua_State *L)
{
	struct tl_script_source *source =
	    lua_newuserdatauv(L, sizeof(*source), 2);

	memset(source, 0, sizeof(*source));
	lua_rawgetp(L, LUA_REGISTRYINDEX, &source_key);
	lua_setmetatable(L, -2);
	lua_newtable(L);
	lua_pushvalue(L, -2);
	lua_rawseti(L, -2, 0); /* whoever has the cache has the source */
	lua_setiuservalue(L, -2, USER_CACHE);
	return source;
}

void
tl_script_source_keep_name(lua_State *L, int name)
{
	lua_pushvalue(L, name);
	lua_setiuservalue(L, -2, USER_NAME);
}

void
tl_script_source_check_alive(lua_State *L, int cache)
{
	const struct tl_script_source *source;

	lua_rawgeti(L, cache, 0);
	source = lua_touserdata(L, -1);
	lua_pop(L, 1);
	if (source && source->closed && !source->snap)
		luaL_error(L, "the event's timeline was collected");
}

void
tl_script_source_push_cache(lua_State *L, int index)
{
	lua_getiuservalue(L, index, USER_CACHE);
}

static int
open_input(const struct tl_script_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	if (input->open)
		return input->open(input, order, cursor);
	if (!input->snap)
		return -ENOTSUP;
	return tl_snap_cursor(input->snap, order, cursor);
}

static bool
have_same_clock(const struct tl_script_input *a,
    const struct tl_script_input *b)
{
	if (a->clock || b->clock)
		return a->clock == b->clock;
	return a->snap && b->snap && tl_snap_same_clock(a->snap, b->snap);
}

/* The number of the first input whose clock this one shares: found by its
 * address, or else among the few timelines that scripts open; -errno. */
static int
clock_of(const struct tl_script_source *source, struct tl_id_map *numbers,
    unsigned *clocks, size_t i)
{
	const struct tl_id_key key = { .a =
					   (uintptr_t)source->inputs[i].clock };
	uint32_t number;
	size_t first = 0;
	int rc;

	while (key.a == 0 && first < i &&
	       !have_same_clock(&source->inputs[i], &source->inputs[first]))
		first++;
	if (key.a == 0)
		return (int)first;
	rc = tl_id_map_get(numbers, key, &number);
	if (rc > 0)
		clocks[number] = (unsigned)i;
	return rc < 0 ? rc : (int)clocks[number];
}

/* While all inputs are opened. */
struct opened {
	struct tl_cursor **cursors;
	unsigned *clocks;
	unsigned *of_numbers; /* the clock of a number */
	struct tl_id_map numbers;
	size_t count;
};

static int
open_all(const struct tl_script_source *source, enum tl_order order,
    struct opened *o)
{
	int rc = 0;

	o->cursors = calloc(source->count + 1, sizeof(struct tl_cursor *));
	o->clocks = calloc(source->count + 1, sizeof(*o->clocks));
	o->of_numbers = calloc(source->count + 1, sizeof(*o->of_numbers));
	if (!o->cursors || !o->clocks || !o->of_numbers)
		return -ENOMEM;
	while (o->count < source->count) {
		rc = clock_of(source, &o->numbers, o->of_numbers, o->count);
		if (rc < 0)
			return rc;
		o->clocks[o->count] = (unsigned)rc;
		rc = open_input(&source->inputs[o->count], order,
		    &o->cursors[o->count]);
		if (rc < 0)
			return rc;
		o->count++;
	}
	return 0;
}

static bool
are_of_several(const struct tl_script_source *source)
{
	for (size_t i = 0; i < source->count; i++) {
		if (source->inputs[i].is_of_several)
			return true;
	}
	return false;
}

int
tl_script_source_open(const struct tl_script_source *source,
    enum tl_order order, struct tl_cursor **cursor)
{
	struct opened o = { 0 };
	int rc;

	if (source->count == 1)
		return open_input(&source->inputs[0], order, cursor);
	rc = open_all(source, order, &o);
	if (rc == 0)
		rc = tl_merge_new(cursor, o.cursors, o.clocks, o.count, order);
	else
		while (o.count > 0)
			tl_cursor_close(o.cursors[--o.count]);
	if (rc == 0 && are_of_several(source))
		tl_merge_mark_overlaps(*cursor);
	free(o.cursors);
	free(o.clocks);
	free(o.of_numbers);
	tl_id_map_free(&o.numbers);
	return rc;
}

/* == methods == */

static int
close_source(lua_State *L)
{
	struct tl_script_source *source =
	    tl_host_check_type(L, 1, "input", &source_key);

	if (!source->snap)
		return luaL_error(L, "only what open returned can be closed");
	source->closed = true;
	return 0;
}

/* Nothing points into the snap any more, as events and cursors keep us alive;
 * except from finalizers of the program, which may still see dead events. */
static int
collect(lua_State *L)
{
	struct tl_script_source *source = lua_touserdata(L, 1);

	if (source->snap) {
		tl_snap_close(source->snap);
		tl_script_source_collected = true;
	}
	source->snap = NULL;
	source->closed = true;
	return 0;
}

/* Upvalue 1: the methods. */
static int
source_index(lua_State *L)
{
	const struct tl_script_source *source = lua_touserdata(L, 1);
	const char *key =
	    lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";

	if (strcmp(key, "host") == 0) {
		lua_pushstring(L,
		    source->count == 1 ? source->inputs[0].host : NULL);
		return 1;
	}
	if (strcmp(key, "name") == 0) {
		lua_pushstring(L,
		    source->count == 1 ? source->inputs[0].name : "all");
		return 1;
	}
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
		return luaL_error(L, "an input has no '%s'", key);
	return 1;
}

static const luaL_Reg methods[] = { { "events", tl_iterate_events },
	{ "spans", tl_iterate_spans }, { "messages", tl_describe_messages },
	{ "info", tl_describe_info }, { "close", close_source },
	{ NULL, NULL } };

void
tl_script_source_register(lua_State *L)
{
	static const luaL_Reg functions[] = { { "__index", source_index },
		{ "__gc", collect }, { NULL, NULL } };

	lua_newtable(L);
	luaL_setfuncs(L, methods, 0);
	tl_host_register_type(L, "input", &source_key, functions);
	lua_pop(L, 1);
}

/* timeline.events(options) is all:events(options).  Upvalues: the method, the
 * source of all inputs. */
static int
call_bound(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(2));
	lua_insert(L, 1);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* An array of sources of one input each. */
static void
push_inputs(lua_State *L, const struct tl_script_source *all)
{
	lua_createtable(L, (int)all->count, 0);
	for (size_t i = 0; i < all->count; i++) {
		struct tl_script_source *source = tl_script_source_push(L);

		source->inputs = &all->inputs[i];
		source->count = 1;
		source->first = i;
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

void
tl_script_source_bind(lua_State *L)
{
	const struct tl_script_source *all = lua_touserdata(L, -1);

	for (const luaL_Reg *method = methods; method->name; method++) {
		if (method->func == close_source)
			continue;
		lua_pushcfunction(L, method->func);
		lua_pushvalue(L, -2);
		lua_pushcclosure(L, call_bound, 2);
		lua_setfield(L, -3, method->name);
	}
	push_inputs(L, all);
	lua_setfield(L, -3, "inputs");
	lua_pop(L, 1);
}
