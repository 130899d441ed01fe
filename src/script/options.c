/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - what stands in the table given to events and spans.
 *
 *	{ order = "oldest", category = "net*", message = { "rx*", "tx*" },
 *	  priority = "warning", pid = 1, tid = { 1, 2 }, cpu = 0,
 *	  since = "2026-11-20", before = ns, pair = true, open = true }
 */
#include "script/host.h"

#include <string.h>

enum tl_order
tl_options_order(lua_State *L, int options)
{
	static const char *const words[] = { "newest", "oldest", NULL };
	enum tl_order order = TL_NEWEST_FIRST;

	if (!lua_istable(L, options))
		return order;
	lua_getfield(L, options, "order");
	if (luaL_checkoption(L, -1, "newest", words) == 1)
		order = TL_OLDEST_FIRST;
	lua_pop(L, 1);
	return order;
}

bool
tl_options_flag(lua_State *L, int options, const char *name)
{
	bool flag;

	if (!lua_istable(L, options))
		return false;
	lua_getfield(L, options, name);
	flag = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return flag;
}

void
tl_options_check(lua_State *L, int options)
{
	static const char *const known[] = { "order", "category", "message",
		"priority", "pid", "tid", "cpu", "since", "before", "pair",
		"open", NULL };

	if (lua_isnoneornil(L, options))
		return;
	luaL_checktype(L, options, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, options)) {
		size_t i = 0;

		lua_pop(L, 1);
		if (lua_type(L, -1) == LUA_TSTRING)
			while (known[i] &&
			       strcmp(known[i], lua_tostring(L, -1)) != 0)
				i++;
		if (lua_type(L, -1) != LUA_TSTRING || !known[i])
			luaL_error(L, "no such option: '%s'",
			    luaL_tolstring(L, -1, NULL));
	}
}

/* The number of values of an option, one value being a list of one; leaves
 * the list on top.  0: not given, and nothing is left. */
static size_t
push_list(lua_State *L, int options, const char *name)
{
	size_t count;

	if (lua_getfield(L, options, name) == LUA_TNIL) {
		lua_pop(L, 1);
		return 0;
	}
	if (!lua_istable(L, -1)) {
		lua_createtable(L, 1, 0);
		lua_insert(L, -2);
		lua_rawseti(L, -2, 1);
	}
	count = lua_rawlen(L, -1);
	if (count == 0 || count > TL_FILTER_LIST_MAX)
		luaL_error(L, "option '%s' takes 1 to %d values", name,
		    TL_FILTER_LIST_MAX);
	return count;
}

/* keep: the index of the table that keeps the strings. */
static size_t
fill_globs(lua_State *L, int options, const char *name, int keep,
    const char **globs)
{
	const size_t count = push_list(L, options, name);

	for (size_t i = 0; i < count; i++) {
		if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TSTRING)
			luaL_error(L, "option '%s' takes text", name);
		globs[i] = lua_tostring(L, -1);
		lua_rawseti(L, keep, (lua_Integer)lua_rawlen(L, keep) + 1);
	}
	if (count > 0)
		lua_pop(L, 1);
	return count;
}

static size_t
fill_numbers(lua_State *L, int options, const char *name, uint32_t *numbers)
{
	const size_t count = push_list(L, options, name);

	for (size_t i = 0; i < count; i++) {
		int is_number;

		lua_rawgeti(L, -1, (lua_Integer)i + 1);
		const lua_Integer n = lua_tointegerx(L, -1, &is_number);
		if (!is_number || n < 0 || n > UINT32_MAX)
			luaL_error(L, "option '%s' takes numbers", name);
		numbers[i] = (uint32_t)n;
		lua_pop(L, 1);
	}
	if (count > 0)
		lua_pop(L, 1);
	return count;
}

static unsigned
level_of(lua_State *L, int options)
{
	int level = 0;

	if (lua_getfield(L, options, "priority") != LUA_TNIL) {
		level = tl_level_parse(luaL_checkstring(L, -1));
		if (level < 0)
			luaL_error(L, "no such priority: '%s'",
			    lua_tostring(L, -1));
	}
	lua_pop(L, 1);
	return (unsigned)level;
}

/* A point in time: nanoseconds or text; otherwise when not given. */
static int64_t
time_of(lua_State *L, int options, const char *name, int64_t otherwise)
{
	int64_t ns = otherwise;

	switch (lua_getfield(L, options, name)) {
	case LUA_TNIL:
		break;
	case LUA_TSTRING:
		if (tl_parse_time(lua_tostring(L, -1), &ns) < 0)
			luaL_error(L, "option '%s' is no time: '%s'", name,
			    lua_tostring(L, -1));
		break;
	default:
		ns = luaL_checkinteger(L, -1);
	}
	lua_pop(L, 1);
	return ns;
}

bool
tl_options_filter(lua_State *L, int options, struct tl_filter *filter)
{
	int keep;

	tl_filter_init(filter);
	lua_newtable(L);
	keep = lua_gettop(L);
	if (!lua_istable(L, options))
		return false;
	filter->category_count =
	    fill_globs(L, options, "category", keep, filter->categories);
	filter->message_count =
	    fill_globs(L, options, "message", keep, filter->messages);
	filter->pid_count = fill_numbers(L, options, "pid", filter->pids);
	filter->tid_count = fill_numbers(L, options, "tid", filter->tids);
	filter->cpu_count = fill_numbers(L, options, "cpu", filter->cpus);
	filter->min_level = level_of(L, options);
	filter->since_ns = time_of(L, options, "since", INT64_MIN);
	filter->until_ns = time_of(L, options, "before", INT64_MAX);
	return filter->category_count || filter->message_count ||
	       filter->pid_count || filter->tid_count || filter->cpu_count ||
	       filter->min_level || filter->since_ns != INT64_MIN ||
	       filter->until_ns != INT64_MAX;
}
