/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox_data.c - what of Lua a chunk sees that only returns data.
 *
 * Less than a script: nothing of which one call can run for long (patterns,
 * string.rep of nothing, sort and move of tables that only claim to be long),
 * because only instructions can be stopped and not the inside of a function;
 * no metatables, so that no operator calls one.
 */
#include "script/host.h"

#include <lualib.h>

/* table.insert at the end only: to move what is behind a place takes as long
 * as the table claims to be.  Upvalue 1: Lua's. */
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

/* Leave of the table on top only these names. */
static void
keep_names(lua_State *L, const char *const *names)
{
	lua_newtable(L);
	for (; *names; names++) {
		lua_getfield(L, -2, *names);
		lua_setfield(L, -2, *names);
	}
}

/* Push the part of a library that is kept. */
static void
open_part(lua_State *L, const luaL_Reg *library, const char *const *names)
{
	luaL_requiref(L, library->name, library->func, 0);
	keep_names(L, names);
	lua_remove(L, -2);
}

static void
open_string(lua_State *L)
{
	static const luaL_Reg library = { LUA_STRLIBNAME, luaopen_string };
	static const char *const names[] = { "byte", "char", "format", "len",
		"lower", "reverse", "sub", "upper", NULL };

	open_part(L, &library, names);
	/* ("x"):upper() finds them, too; and nothing else. */
	lua_pushstring(L, "");
	lua_getmetatable(L, -1);
	lua_pushvalue(L, -3);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 2);
	lua_setglobal(L, LUA_STRLIBNAME);
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

	open_part(L, &base, of_base);
	lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
	lua_pushglobaltable(L);
	lua_setglobal(L, LUA_GNAME);
	open_string(L);
	open_part(L, &table, of_table);
	lua_getfield(L, -1, "insert");
	lua_pushcclosure(L, insert, 1);
	lua_setfield(L, -2, "insert");
	lua_setglobal(L, LUA_TABLIBNAME);
	luaL_requiref(L, math.name, math.func, 0);
	lua_setglobal(L, LUA_MATHLIBNAME);
}
