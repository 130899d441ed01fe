/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c - require "timeline" in plain Lua 5.4: read timelines.
 *
 *	local timeline = require "timeline"
 *	for e in timeline.open("/timeline"):events() do print(e.text) end
 *
 * The same values as in a script of timeline-dump, without caps: the program
 * is the user's own.
 */
#include "script/host.h"
#include "snap/compressed.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

__attribute__((visibility("default"))) int luaopen_timeline(lua_State *L);

/* Where the registry keeps the host from being collected. */
static const char keep_key;

static int
write_stdout(void *context, const char *data, size_t size)
{
	(void)context;
	return fwrite(data, 1, size, stdout) == size ? 0 : -EIO;
}

/* open(path, tail): tail bounds the newest entries of each lane. */
static int
open_timeline(lua_State *L)
{
	const char *path = luaL_checkstring(L, 1);
	const lua_Integer tail = luaL_optinteger(L, 2, 0);
	struct tl_fault fault = { 0 };
	struct tl_script_source *source;
	int rc;

	luaL_argcheck(L, tail >= 0, 2, "how many of the newest entries");
	source = tl_script_source_push(L);
	tl_script_source_keep_name(L, 1);
	rc = tl_zst_snap_open(&source->snap, path, (uint64_t)tail, &fault);
	if (rc < 0)
		return luaL_error(L, "%s: %s", path,
		    fault.text[0] ? fault.text : strerror(-rc));
	source->own.name = path;
	source->own.snap = source->snap;
	source->inputs = &source->own;
	source->count = 1;
	return 1;
}

static int
free_host(lua_State *L)
{
	struct tl_host *host = lua_touserdata(L, 1);

	tl_text_free(&host->text);
	return 0;
}

/* The host lives as long as the state, in its registry. */
static void
make_host(lua_State *L)
{
	struct tl_host *host = lua_newuserdatauv(L, sizeof(*host), 0);

	memset(host, 0, sizeof(*host));
	host->memory.size_max = SIZE_MAX;
	host->trusted = true;
	host->io.write = write_stdout;
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, free_host);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	tl_host_set(L, host);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &keep_key);
}

int
luaopen_timeline(lua_State *L)
{
	luaL_checkversion(L);
	make_host(L);
	tl_library_push(L);
	lua_pushcfunction(L, open_timeline);
	lua_setfield(L, -2, "open");
	return 1;
}
