/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - load a script and run it over inputs. */
#include "script/script.h"

#include "script/host.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { ARGS_MAX = 10000, STREAM_PIECE = 64 << 10 };

struct tl_script {
	struct tl_state host;
	lua_State *L;
	struct tl_text error;
	int chunk; /* reference of the function and its arguments */
	int args;
	bool loaded;
	struct tl_script_source all; /* inputs; finalizers may read them, too */
};

int
tl_script_new(struct tl_script **script, const struct tl_script_limits *limits,
    const struct tl_script_io *io, struct tl_fault *fault)
{
	struct tl_script *made = calloc(1, sizeof(*made));
	int rc;

	assert(io && io->write);
	if (!made)
		return tl_fail(fault, -ENOMEM, "not enough memory");
	made->host.watch.what = "script";
	rc = tl_state_open(&made->L, &made->host, limits, io, fault);
	if (rc < 0) {
		free(made);
		return rc;
	}
	*script = made;
	return 0;
}

void
tl_script_free(struct tl_script *script)
{
	if (!script)
		return;
	tl_state_close(script->L, &script->host);
	tl_text_free(&script->error);
	free(script->all.inputs);
	free(script);
}

const char *
tl_script_error(const struct tl_script *script)
{
	return script->error.size > 0 ? script->error.data : "";
}

/* Set the error.  A NUL ends the text, so that callers get a string. */
static int
failed(struct tl_script *script, int status, struct tl_fault *fault)
{
	const int rc = tl_state_failed(script->L, &script->host, status,
	    &script->error, fault);

	if (!tl_text_reserve(&script->error, 1))
		tl_text_clear(&script->error);
	else
		script->error.data[script->error.size] = '\0';
	return rc;
}

/* == load == */

struct load {
	struct tl_script *script;
	const char *name; /* for Lua: "@file" or "=word" */
	struct tl_bytes text;
	int argc;
	char *const *argv;
};

/* Skip a first line "#!...", which is not Lua.  The newline stays, so that line
 * numbers are right. */
static struct tl_bytes
without_hash_line(struct tl_bytes text)
{
	size_t at = 0;

	if (text.size >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0)
		text = tl_bytes(text.data + 3, text.size - 3);
	if (text.size == 0 || text.data[0] != '#')
		return text;
	while (at < text.size && text.data[at] != '\n')
		at++;
	return tl_bytes(text.data + at, text.size - at);
}

static int
load_protected(lua_State *L)
{
	const struct load *load = lua_touserdata(L, 1);
	const struct tl_bytes text = without_hash_line(load->text);

	if (luaL_loadbufferx(L, text.size > 0 ? text.data : "", text.size,
		load->name, "t") != LUA_OK)
		return lua_error(L);
	load->script->chunk = luaL_ref(L, LUA_REGISTRYINDEX);
	/* Set the table "arg": the name of the script in [0], then its
	 * arguments. */
	lua_createtable(L, load->argc, 1);
	lua_pushstring(L, load->name + 1);
	lua_rawseti(L, -2, 0);
	for (int i = 0; i < load->argc; i++) {
		lua_pushstring(L, load->argv[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_pushvalue(L, -1);
	lua_setglobal(L, "arg");
	load->script->args = luaL_ref(L, LUA_REGISTRYINDEX);
	load->script->loaded = true;
	return 0;
}

int
tl_script_load_text(struct tl_script *script, const char *name,
    struct tl_bytes text, int argc, char *const *argv, struct tl_fault *fault)
{
	struct load load = { script, name, text, argc, argv };
	int status;
	int rc;

	assert(!script->loaded);
	if (argc < 0 || argc > ARGS_MAX)
		return tl_fail(fault, -E2BIG, "more than %d arguments",
		    ARGS_MAX);
	tl_watch_enter(&script->host.watch);
	lua_pushcfunction(script->L, load_protected);
	lua_pushlightuserdata(script->L, &load);
	status = lua_pcall(script->L, 1, 0, 0);
	/* any other error while compiling counts as a syntax error */
	if (status == LUA_ERRRUN)
		status = LUA_ERRSYNTAX;
	rc = status == LUA_OK ? 0 : failed(script, status, fault);
	tl_watch_leave(&script->host.watch);
	return rc;
}

/* Read a pipe or a terminal until its end. */
static int
read_stream(const char *path, struct tl_text *text)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status;
	int64_t n = 1;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 ||
	    (!S_ISFIFO(status.st_mode) && isatty(fd) != 1))
		n = -EINVAL;
	while (n > 0 && text->size <= TL_SCRIPT_FILE_MAX) {
		char *room = tl_text_reserve(text, STREAM_PIECE);

		n = room ? tl_read_waiting(fd, room, STREAM_PIECE) : -ENOMEM;
		text->size += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	if (text->size > TL_SCRIPT_FILE_MAX)
		return -EFBIG;
	return (int)n;
}

int
tl_script_load_file(struct tl_script *script, const char *path, int argc,
    char *const *argv, struct tl_fault *fault)
{
	struct tl_text text = { 0 };
	struct tl_text name = { 0 };
	int rc = tl_read_file(path, TL_SCRIPT_FILE_MAX, &text);

	if (rc == -EINVAL)
		rc = read_stream(path, &text);
	if (rc < 0) {
		tl_fail(fault, rc, "%s: %s", path,
		    rc == -EINVAL ? "neither a file nor a pipe"
				  : strerror(-rc));
		goto free;
	}
	tl_put_char(&name, '@');
	tl_put_string(&name, path);
	rc = tl_script_load_text(script, tl_text_string(&name),
	    tl_bytes(text.data, text.size), argc, argv, fault);
free:
	tl_text_free(&text);
	tl_text_free(&name);
	return rc;
}

int
tl_script_load_view(struct tl_script *script, const char *name, int argc,
    char *const *argv, struct tl_fault *fault)
{
	struct tl_bytes text;
	char chunk[64];

	if (!tl_view_find(name, &text))
		return tl_fail(fault, -ENOENT, "no view '%s'", name);
	snprintf(chunk, sizeof(chunk), "=%s", name);
	return tl_script_load_text(script, chunk, text, argc, argv, fault);
}

/* == run == */

static const char *
host_of(const void *context, unsigned source)
{
	const struct tl_script_source *all = context;

	return source < all->count ? tl_script_host_name(all->inputs[source])
				   : NULL;
}

static int
run_protected(lua_State *L)
{
	const struct tl_script *script = lua_touserdata(L, 1);
	int count;

	/* Add the functions that read inputs to the table "timeline". */
	lua_getglobal(L, "timeline");
	*tl_script_source_push(L) = script->all;
	tl_script_source_bind(L);
	lua_pop(L, 1);
	lua_rawgeti(L, LUA_REGISTRYINDEX, script->chunk);
	lua_rawgeti(L, LUA_REGISTRYINDEX, script->args);
	count = (int)lua_rawlen(L, -1);
	luaL_checkstack(L, count, "too many arguments");
	for (int i = 1; i <= count; i++)
		lua_rawgeti(L, 3, i);
	lua_remove(L, 3);
	lua_call(L, count, 0);
	return 0;
}

int
tl_script_run(struct tl_script *script, const struct tl_sources *sources,
    struct tl_select *select, struct tl_fault *fault)
{
	int status;
	int rc;

	assert(script->loaded);
	script->all =
	    (struct tl_script_source){ .name = "all", .select = select };
	rc = tl_script_source_take(&script->all, sources);
	if (rc < 0)
		return tl_fail(fault, rc, "not enough memory");
	script->loaded = false; /* a script runs once */
	script->host.host_name = host_of;
	script->host.hosts = &script->all;
	tl_watch_enter(&script->host.watch);
	lua_pushcfunction(script->L, tl_state_explain);
	lua_pushcfunction(script->L, run_protected);
	lua_pushlightuserdata(script->L, script);
	status = lua_pcall(script->L, 1, 0, -3);
	rc = status == LUA_OK ? 0 : failed(script, status, fault);
	script->host.host_name = NULL; /* valid during this call only */
	tl_watch_leave(&script->host.watch);
	script->host.has_current = false;
	return rc;
}
