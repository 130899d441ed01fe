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

static int
open_cursor(const struct tl_script_input *input, enum tl_order order,
    struct tl_cursor **cursor)
{
	const struct tl_script_source *source = input->context;

	return tl_sources_cursor(&source->sources, order, cursor);
}

/* List the messages of a stream of traces, concatenated by source. */
static int
list_messages(struct tl_script_source *source, size_t *count)
{
	const struct tl_sources *sources = &source->sources;

	for (size_t i = 0; i < sources->count; i++)
		*count += tl_source_message_count(&sources->items[i]);
	source->listed = calloc(*count + 1, sizeof(*source->listed));
	if (!source->listed)
		return -ENOMEM;
	*count = 0;
	for (size_t i = 0; i < sources->count; i++) {
		const struct tl_source *item = &sources->items[i];

		for (size_t k = 0; k < tl_source_message_count(item); k++)
			source->listed[(*count)++] = tl_source_message(item, k);
	}
	return 0;
}

/* Open the file or directory that path names, and find its hosts. */
static int
open_sources(lua_State *L, struct tl_script_source *source, const char *path,
    const struct tl_source_plan *plan)
{
	const struct tl_source_from from = { .name = path };
	const struct tl_fault *fault;

	if (tl_sources_add(&source->sources, &from, plan) < 0)
		return luaL_error(L, "%s: %s", path, strerror(ENOMEM));
	fault = &source->sources.items[0].fault;
	if (!tl_source_is_open(&source->sources.items[0]))
		return luaL_error(L, "%s: %s", path, fault->text);
	if (tl_sources_find_hosts(&source->sources) < 0)
		return luaL_error(L, "%s: %s", path, strerror(ENOMEM));
	return 0;
}

/* open(path, tail): tail limits the number of the newest entries of each
 * lane. */
static int
open_source(lua_State *L)
{
	const char *path = luaL_checkstring(L, 1);
	const lua_Integer tail = luaL_optinteger(L, 2, 0);
	const struct tl_source_plan plan = { .tail = (uint64_t)tail };
	struct tl_script_source *source;

	luaL_argcheck(L, tail >= 0, 2, "how many of the newest entries");
	source = tl_script_source_push(L);
	tl_script_source_keep_name(L, 1);
	source->is_owned = true;
	open_sources(L, source, path, &plan);
	source->own.name = path;
	source->own.snap = tl_source_snap(&source->sources.items[0]);
	source->inputs = &source->own;
	source->count = 1;
	if (source->sources.count == 1)
		source->own.source = &source->sources.items[0];
	if (source->own.snap)
		return 1;
	if (source->own.source)
		source->trace = tl_source_trace(source->own.source);
	source->own.format = "trace";
	source->own.open = open_cursor;
	source->own.context = source;
	if (list_messages(source, &source->own.message_count) < 0)
		return luaL_error(L, "%s: %s", path, strerror(ENOMEM));
	source->own.messages = source->listed;
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
