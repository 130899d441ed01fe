/* SPDX-License-Identifier: Apache-2.0 */
/* why.c - why{options} of a source: the properties that distinguish slow
 * spans. */
#include "analysis/why.h"
#include "base/json.h"
#include "script/host.h"

#include <errno.h>
#include <string.h>

enum {
	CHECK_EVERY = 4096, /* events between two looks at the clock */
	WHY_CHARGE = 1 << 20,
	DEPTH_MAX = 16
};

/* All resources that a finalizer frees after any error. */
struct why {
	struct tl_state *host;
	struct tl_why *why;
	struct tl_cursor *cursor;
	struct tl_text text;
	struct tl_json json;
	size_t charged;
};

static const char why_key;

static int
collect(lua_State *L)
{
	struct why *w = tl_host_check_type(L, 1, "why", &why_key);

	tl_cursor_close(w->cursor);
	tl_why_free(w->why);
	tl_text_free(&w->text);
	tl_json_free(&w->json);
	tl_memory_release(w->host, w->charged);
	*w = (struct why){ .host = w->host };
	return 0;
}

void
tl_script_why_register(lua_State *L)
{
	static const luaL_Reg functions[] = { { "__gc", collect },
		{ NULL, NULL } };

	tl_host_register_type(L, "why", &why_key, functions, NULL);
}

/* == options == */

/* Check the table of options at index 2, which keeps the glob alive. */
static struct tl_why_plan
check_options(lua_State *L)
{
	static const char *const known[] = { "message", "slower", "slowest",
		"all", NULL };
	struct tl_why_plan plan = { 0 };
	int64_t ns = 0;
	double percent = 0;

	luaL_checktype(L, 2, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, 2)) {
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
	if (lua_getfield(L, 2, "message") != LUA_TSTRING)
		luaL_error(L, "option 'message' is missing");
	plan.glob = lua_tostring(L, -1);
	/* A duration in nanoseconds or as text; 0: not given. */
	if (lua_getfield(L, 2, "slower") == LUA_TSTRING) {
		if (tl_parse_duration(lua_tostring(L, -1), &ns) < 0)
			luaL_error(L, "option 'slower' is no duration: '%s'",
			    lua_tostring(L, -1));
	} else if (!lua_isnil(L, -1)) {
		ns = luaL_checkinteger(L, -1);
	}
	if (!lua_isnil(L, -1) && ns <= 0)
		luaL_error(L, "option 'slower' must be above 0");
	lua_pop(L, 1);
	plan.slower_ns = ns;
	if (lua_getfield(L, 2, "slowest") != LUA_TNIL) {
		percent = luaL_checknumber(L, -1);
		if (!(percent > 0) || !(percent < 100))
			luaL_error(L,
			    "option 'slowest' must be above 0 and below 100");
	}
	lua_pop(L, 1);
	plan.slowest = percent;
	lua_getfield(L, 2, "all");
	plan.all = lua_toboolean(L, -1);
	lua_pop(L, 1);
	if (plan.slower_ns > 0 && plan.slowest > 0)
		luaL_error(L, "'slower' and 'slowest' exclude each other");
	return plan;
}

/* == findings as tables == */

static void
push_number(lua_State *L, struct tl_bytes number)
{
	int64_t integer;
	double real = 0;

	if (!memchr(number.data, '.', number.size) &&
	    tl_json_signed(number, &integer) == 0) {
		lua_pushinteger(L, integer);
		return;
	}
	tl_json_double(number, &real);
	lua_pushnumber(L, real);
}

/* Push an array of all values of the JSON lines that tl_why made. */
static void
push_values(lua_State *L, struct why *w)
{
	struct tl_json_token token;
	bool arrays[DEPTH_MAX] = { true };
	unsigned depth = 0;
	int kind;

	tl_json_feed(&w->json,
	    tl_bytes(tl_text_string(&w->text), w->text.size));
	tl_json_finish(&w->json);
	luaL_checkstack(L, 3 * DEPTH_MAX, NULL);
	lua_newtable(L);
	while ((kind = tl_json_next(&w->json, &token)) > 0 &&
	       kind != TL_JSON_END) {
		switch (kind) {
		case TL_JSON_OBJECT:
		case TL_JSON_ARRAY:
			if (depth + 1 == DEPTH_MAX)
				luaL_error(L, "too deep");
			lua_newtable(L);
			arrays[++depth] = kind == TL_JSON_ARRAY;
			continue;
		case TL_JSON_KEY:
			lua_pushlstring(L, token.text.data, token.text.size);
			continue;
		case TL_JSON_OBJECT_END:
		case TL_JSON_ARRAY_END:
			depth--;
			break;
		case TL_JSON_STRING:
			lua_pushlstring(L, token.text.data, token.text.size);
			break;
		case TL_JSON_NUMBER:
			push_number(L, token.text);
			break;
		case TL_JSON_NULL:
			lua_pushnil(L);
			break;
		default:
			lua_pushboolean(L, kind == TL_JSON_TRUE);
		}
		/* Put the value on top into the table below, at the end or
		 * under the key between. */
		if (arrays[depth])
			lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
		else
			lua_rawset(L, -3);
	}
	if (kind < 0)
		tl_host_fail(L, w->host, kind, "cannot explain");
}

/* == reading == */

static void
charge(lua_State *L, struct why *w)
{
	const size_t size = WHY_CHARGE + tl_why_size(w->why);

	if (size <= w->charged)
		return;
	tl_memory_charge(L, w->host, size - w->charged);
	w->charged = size;
}

static void
read_all(lua_State *L, struct why *w)
{
	struct tl_sink *sink = tl_why_sink(w->why);
	struct tl_event event;
	unsigned count = 0;
	int rc;

	while ((rc = tl_cursor_next(w->cursor, &event)) > 0) {
		rc = sink->put(sink, &event);
		if (rc < 0)
			break;
		if (++count % CHECK_EVERY == 0) {
			tl_watch_check(L, &w->host->watch);
			charge(L, w);
		}
	}
	if (rc == 0)
		rc = sink->finish(sink);
	if (rc == 0)
		rc = tl_why_put_json(w->why, &w->text);
	if (rc < 0)
		tl_host_fail(L, w->host, rc, "cannot explain");
}

int
tl_script_source_why(lua_State *L)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	const struct tl_why_plan plan = check_options(L);
	struct why *w = tl_host_push(L, sizeof(*w), 0, &why_key);
	int rc;

	w->host = tl_host(L);
	rc = tl_why_new(&w->why, &plan);
	if (rc == 0)
		rc = tl_script_source_open(source, TL_OLDEST_FIRST, &w->cursor);
	if (rc < 0)
		tl_host_fail(L, w->host, rc, "cannot read");
	charge(L, w);
	read_all(L, w);
	push_values(L, w);
	return 1;
}
