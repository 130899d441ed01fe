/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.c - the parts of Lua that an untrusted chunk has.
 *
 * A script has: base without dofile, loadfile, collectgarbage and warn; string
 * without dump; table, math, utf8, coroutine.  load takes text only, because
 * bytecode can crash the machine that runs it.  Finalizers are refused, because
 * no hook could stop them.
 *
 * A chunk that only returns data has less.  No function can run for long in one
 * call (patterns, string.rep of an empty string, sort and move of tables with a
 * false length), because a hook stops instructions but not a library function.
 * No metatables exist, so that no operator calls a function.
 */
#include "script/host.h"

#include <lualib.h>

/* == scripts == */

/* load(chunk, name, mode, environment) with mode "t".  Upvalue 1: Lua's
 * load. */
static int
load_text(lua_State *L)
{
	const bool has_environment = lua_gettop(L) >= 4;

	lua_settop(L, 4);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_pushstring(L, "t");
	lua_replace(L, 4);
	if (!has_environment)
		lua_settop(L, 4);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return lua_gettop(L);
}

/* setmetatable, which refuses finalizers.  Upvalue 1: Lua's setmetatable. */
static int
set_metatable(lua_State *L)
{
	lua_settop(L, 2);
	if (lua_istable(L, 2)) {
		lua_pushstring(L, "__gc");
		if (lua_rawget(L, 2) != LUA_TNIL)
			return luaL_error(L,
			    "no finalizers (__gc) without --trusted");
		lua_pop(L, 1);
	}
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 2, 1);
	return 1;
}

/* coroutine.create and wrap, which extend the time cap to the new thread.
 * Upvalue 1: Lua's function. */
static int
make_coroutine(lua_State *L)
{
	lua_State *coroutine;

	lua_settop(L, 1);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 1, 1);
	coroutine = lua_tothread(L, -1);
	if (!coroutine && lua_getupvalue(L, -1, 1)) {
		coroutine = lua_tothread(L, -1);
		lua_pop(L, 1);
	}
	if (coroutine)
		tl_watch_coroutine(coroutine);
	return 1;
}

/* Replace a function of the table on top. */
static void
wrap(lua_State *L, const char *name, lua_CFunction function)
{
	lua_getfield(L, -1, name);
	lua_pushcclosure(L, function, 1);
	lua_setfield(L, -2, name);
}

static void
remove_names(lua_State *L, const char *const *names)
{
	for (; *names; names++) {
		lua_pushnil(L);
		lua_setfield(L, -2, *names);
	}
}

static void
open_part(lua_State *L)
{
	static const luaL_Reg libraries[] = { { LUA_GNAME, luaopen_base },
		{ LUA_STRLIBNAME, luaopen_string },
		{ LUA_TABLIBNAME, luaopen_table },
		{ LUA_MATHLIBNAME, luaopen_math },
		{ LUA_UTF8LIBNAME, luaopen_utf8 },
		{ LUA_COLIBNAME, luaopen_coroutine }, { NULL, NULL } };
	static const char *const of_base[] = { "dofile", "loadfile",
		"collectgarbage", "warn", NULL };
	static const char *const of_string[] = { "dump", NULL };

	for (const luaL_Reg *lib = libraries; lib->name; lib++) {
		luaL_requiref(L, lib->name, lib->func, 1);
		lua_pop(L, 1);
	}
	lua_pushglobaltable(L);
	remove_names(L, of_base);
	wrap(L, "load", load_text);
	wrap(L, "setmetatable", set_metatable);
	lua_getfield(L, -1, LUA_STRLIBNAME);
	remove_names(L, of_string);
	lua_getfield(L, -2, LUA_COLIBNAME);
	wrap(L, "create", make_coroutine);
	wrap(L, "wrap", make_coroutine);
	lua_pop(L, 3);
}

void
tl_sandbox_open(lua_State *L, bool trusted)
{
	if (trusted)
		luaL_openlibs(L);
	else
		open_part(L);
}

/* == data == */

/* table.insert at the end only, because moving elements takes as long as the
 * length that the table claims.  Upvalue 1: Lua's table.insert. */
static int
insert(lua_State *L)
{
	if (lua_gettop(L) != 2)
		return luaL_error(L,
		    "here only table.insert(list, value): at the end");
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, 2, 0);
	return 0;
}

/* Push the part of a library that a chunk has. */
static void
open_names(lua_State *L, const luaL_Reg *library, const char *const *names)
{
	luaL_requiref(L, library->name, library->func, 0);
	/* Push a table with only these names of the table on top. */
	lua_newtable(L);
	for (; *names; names++) {
		lua_getfield(L, -2, *names);
		lua_setfield(L, -2, *names);
	}
	lua_remove(L, -2);
}

void
tl_sandbox_open_data(lua_State *L)
{
	static const luaL_Reg base = { LUA_GNAME, luaopen_base };
	static const luaL_Reg table = { LUA_TABLIBNAME, luaopen_table };
	static const luaL_Reg math = { LUA_MATHLIBNAME, luaopen_math };
	static const char *const of_base[] = { "assert", "error", "ipairs",
		"next", "pairs", "select", "tonumber", "tostring", "type",
		"_VERSION", NULL };
	static const char *const of_table[] = { "concat", "insert", "pack",
		"unpack", NULL };
	static const luaL_Reg library = { LUA_STRLIBNAME, luaopen_string };
	static const char *const names[] = { "byte", "char", "format", "len",
		"lower", "reverse", "sub", "upper", NULL };

	open_names(L, &base, of_base);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	lua_pushglobaltable(L);
	lua_setglobal(L, LUA_GNAME);
	open_names(L, &library, names);
	/* methods such as ("x"):upper() use this table as well */
	lua_pushstring(L, "");
	lua_getmetatable(L, -1);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 2);
	lua_setglobal(L, LUA_STRLIBNAME);
	open_names(L, &table, of_table);
	lua_getfield(L, -1, "insert");
	lua_pushcclosure(L, insert, 1);
	lua_setfield(L, -2, "insert");
	lua_setglobal(L, LUA_TABLIBNAME);
	luaL_requiref(L, math.name, math.func, 0);
	lua_setglobal(L, LUA_MATHLIBNAME);
}
