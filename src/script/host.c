/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the host of a Lua state: output, scratch text, failures. */
#include "script/host.h"

#include <errno.h>
#include <string.h>

enum { WRITE_AT_ONCE = 16384 };

/* The address is the key of the host in the registry of a state. */
static const char host_key;

void
tl_host_set(lua_State *L, struct tl_state *host)
{
	lua_pushlightuserdata(L, host);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &host_key);
}

int
tl_host_open(lua_State *L)
{
	tl_host_set(L, lua_touserdata(L, 1));
	return 0;
}

struct tl_state *
tl_host(lua_State *L)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &host_key);
	struct tl_state *host = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return host;
}

struct tl_text *
tl_host_scratch(struct tl_state *host)
{
	tl_text_clear(&host->text);
	host->text.rc = 0;
	return &host->text;
}

void
tl_host_push_scratch(lua_State *L, struct tl_state *host)
{
	if (host->text.rc < 0)
		luaL_error(L, "not enough memory");
	lua_pushlstring(L, host->text.size > 0 ? host->text.data : "",
	    host->text.size);
}

int
tl_host_fail(lua_State *L, struct tl_state *host, int rc, const char *what)
{
	host->rc = rc;
	return luaL_error(L, "%s: %s", what, strerror(-rc));
}

void
tl_put_printed(struct tl_text *text, struct tl_bytes bytes)
{
	size_t from = 0;

	for (size_t i = 0; i < bytes.size; i++) {
		const char c = bytes.data[i];

		if (c != '\\' && c != '\t')
			continue;
		tl_put_lines(text, tl_bytes(bytes.data + from, i - from));
		tl_put_char(text, c);
		from = i + 1;
	}
	if (from < bytes.size)
		tl_put_lines(text,
		    tl_bytes(bytes.data + from, bytes.size - from));
}

/* The size of the next piece to write: a few pages at most.  A character of
 * UTF-8 is not cut in two. */
static size_t
piece_size(struct tl_bytes bytes)
{
	size_t size = WRITE_AT_ONCE;

	if (bytes.size <= size)
		return bytes.size;
	for (int i = 0;
	     i < 3 && ((unsigned char)bytes.data[size] & 0xc0) == 0x80; i++)
		size--;
	return size;
}

void
tl_host_write(lua_State *L, struct tl_state *host, struct tl_bytes bytes)
{
	while (bytes.size > 0) {
		const size_t size = piece_size(bytes);
		struct tl_text *text = tl_host_scratch(host);
		int rc;

		tl_put_printed(text, tl_bytes(bytes.data, size));
		if ((rc = text->rc) == 0) {
			tl_watch_guard(&host->watch);
			rc = host->io.write(host->io.context, text->data,
			    text->size);
			tl_watch_unguard(&host->watch);
		}
		if (rc < 0)
			tl_host_fail(L, host, rc, "cannot write");
		bytes = tl_bytes(bytes.data + size, bytes.size - size);
	}
}

void
tl_host_register_type(lua_State *L, const char *name, const void *key,
    const luaL_Reg *functions, const luaL_Reg *methods)
{
	lua_newtable(L);
	if (methods)
		luaL_setfuncs(L, methods, 0);
	lua_newtable(L);
	if (methods) {
		lua_pushvalue(L, -2);
		lua_setfield(L, -2, "__index");
	}
	lua_pushvalue(L, -2);
	luaL_setfuncs(L, functions, 1);
	lua_pushstring(L, name);
	lua_setfield(L, -2, "__name");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_rawsetp(L, LUA_REGISTRYINDEX, key);
	if (!methods)
		lua_pop(L, 1);
}

void *
tl_host_push(lua_State *L, size_t size, int values, const void *key)
{
	void *value = lua_newuserdatauv(L, size, values);

	memset(value, 0, size);
	lua_rawgetp(L, LUA_REGISTRYINDEX, key);
	lua_setmetatable(L, -2);
	return value;
}

void *
tl_host_check_type(lua_State *L, int index, const char *name, const void *key)
{
	void *value = lua_touserdata(L, index);
	bool right = false;

	if (value && lua_getmetatable(L, index)) {
		right = lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE &&
			lua_topointer(L, -1) == lua_topointer(L, -2);
		lua_pop(L, 2);
	}
	if (!right)
		luaL_typeerror(L, index, name);
	return value;
}
