/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.c - require "timeline" in plain Lua 5.4: read timelines and traces.
 *
 *	local timeline = require "timeline"
 *	for e in timeline.open("/timeline"):events() do print(e.text) end
 *
 * The module has the values of a script of timeline-dump, but no caps, because
 * the program is the user's own.
 */
#include "script/host.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) int luaopen_timeline(lua_State *L);

/* The keys of the host's type and of the host in the registry.  The host is not
 * collected while the registry holds the host. */
static const char host_key;
static const char keep_key;

static int
write_stdout(void *context, const char *data, size_t size)
{
	(void)context;
	return fwrite(data, 1, size, stdout) == size ? 0 : -EIO;
}

/* open(path, tail): open a file or a directory.  tail limits the number of the
 * newest entries of each lane. */
static int
open_source(lua_State *L)
{
	const char *path = luaL_checkstring(L, 1);
	const lua_Integer tail = luaL_optinteger(L, 2, 0);
	const struct tl_source_plan plan = { .tail = (uint64_t)tail };
	const struct tl_source_from from = { .name = path };
	struct tl_script_source *source;
	const struct tl_source *first;
	int rc;

	luaL_argcheck(L, tail >= 0, 2, "how many of the newest entries");
	source = tl_script_source_push(L);
	source->is_owned = true;
	rc = tl_sources_add(&source->own, &from, &plan);
	first = source->own.items;
	if (rc == 0 && !tl_source_is_open(first))
		return luaL_error(L, "%s: %s", path, first->fault.text);
	if (rc == 0)
		rc = tl_sources_find_hosts(&source->own);
	if (rc == 0)
		rc = tl_script_source_take(source, &source->own);
	if (rc < 0)
		return luaL_error(L, "%s: %s", path, strerror(ENOMEM));
	source->name = first->file;
	if (source->count == 1)
		source->trace = tl_source_trace(first);
	return 1;
}

static int
free_host(lua_State *L)
{
	struct tl_state *host = tl_host_check_type(L, 1, "host", &host_key);

	tl_text_free(&host->text);
	return 0;
}

/* Create the host.  The registry keeps the host as long as the state lives. */
static void
make_host(lua_State *L)
{
	static const luaL_Reg functions[] = { { "__gc", free_host },
		{ NULL, NULL } };
	struct tl_state *host;

	tl_host_register_type(L, "host", &host_key, functions, NULL);
	host = tl_host_push(L, sizeof(*host), 0, &host_key);
	host->memory.size_max = SIZE_MAX;
	host->trusted = true;
	host->io.write = write_stdout;
	tl_host_set(L, host);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &keep_key);
}

int
luaopen_timeline(lua_State *L)
{
	luaL_checkversion(L);
	make_host(L);
	tl_library_push(L);
	lua_pushcfunction(L, open_source);
	lua_setfield(L, -2, "open");
	return 1;
}
