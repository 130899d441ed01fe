/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - the table "timeline" of every state. */
#include "script/host.h"

enum { COLUMNS_DEFAULT = 80 };

/* print(...): as in Lua, but escaped, and to the output of the host. */
static int
print(lua_State *L)
{
	struct tl_state *host = tl_host(L);
	const int count = lua_gettop(L);

	for (int i = 1; i <= count; i++) {
		struct tl_bytes text;

		if (i > 1)
			tl_host_write(L, host, tl_bytes("\t", 1));
		text.data = luaL_tolstring(L, i, &text.size);
		tl_host_write(L, host, text);
		lua_pop(L, 1);
	}
	tl_host_write(L, host, tl_bytes("\n", 1));
	return 0;
}

/* write(...): text and numbers, escaped, without separators and newline. */
static int
write_text(lua_State *L)
{
	struct tl_state *host = tl_host(L);
	const int count = lua_gettop(L);

	for (int i = 1; i <= count; i++) {
		struct tl_bytes text;

		text.data = luaL_checklstring(L, i, &text.size);
		tl_host_write(L, host, text);
	}
	return 0;
}

/* raw(text): write text unescaped, even to a terminal.  Only for trusted
 * scripts. */
static int
write_raw(lua_State *L)
{
	struct tl_state *host = tl_host(L);
	struct tl_bytes text;
	int rc;

	if (!host->trusted)
		return luaL_error(L, "timeline.raw needs --trusted");
	text.data = luaL_checklstring(L, 1, &text.size);
	rc = host->io.write(host->io.context, text.data, text.size);
	if (rc < 0)
		tl_host_fail(L, host, rc, "cannot write");
	return 0;
}

void
tl_library_push(lua_State *L)
{
	const struct tl_state *host = tl_host(L);
	static const luaL_Reg functions[] = { { "print", print },
		{ "write", write_text }, { "raw", write_raw },
		{ "histogram", tl_histogram_create }, { NULL, NULL } };
	struct tl_bytes text;

	tl_event_register(L);
	tl_arguments_register(L);
	tl_script_source_register(L);
	tl_iterate_register(L);
	lua_newtable(L);
	luaL_setfuncs(L, functions, 0);
	luaL_setfuncs(L, tl_words, 0);
	tl_set_flag(L, "terminal", host->io.terminal);
	tl_set_number(L, "columns",
	    host->io.columns ? host->io.columns : COLUMNS_DEFAULT);
	/* Run the part of the library that is written in Lua: prelude(timeline,
	 * histogram_methods). */
	text = tl_prelude();
	if (luaL_loadbufferx(L, text.data, text.size, "=timeline", "t") !=
	    LUA_OK)
		lua_error(L);
	lua_pushvalue(L, -2);
	tl_histogram_register(L);
	lua_call(L, 2, 0);
}
