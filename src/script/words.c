/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - numbers, durations, times, priorities and text for scripts. */
#include "script/host.h"

#include "base/ns.h"

#include <errno.h>

/* unsigned(x): all 64 bits of x as a decimal number. */
static int
put_unsigned(lua_State *L)
{
	struct tl_state *host = tl_host(L);

	tl_put_unsigned(tl_host_scratch(host),
	    (uint64_t)luaL_checkinteger(L, 1));
	tl_host_push_scratch(L, host);
	return 1;
}

static int
put_hex(lua_State *L)
{
	struct tl_state *host = tl_host(L);

	tl_put_hex(tl_host_scratch(host), (uint64_t)luaL_checkinteger(L, 1));
	tl_host_push_scratch(L, host);
	return 1;
}

/* A number of nanoseconds.  Floats (means, quotients) are cut to an integer
 * that fits. */
static int64_t
check_ns(lua_State *L, int index)
{
	lua_Number value;

	if (lua_isinteger(L, index))
		return lua_tointeger(L, index);
	value = luaL_checknumber(L, index);
	luaL_argcheck(L, value == value, index, "not a number");
	if (value >= 9223372036854775807.0)
		return INT64_MAX;
	if (value <= -9223372036854775808.0)
		return INT64_MIN;
	return (int64_t)value;
}

/* Convert text to a number by parse, and a number to text by put. */
static int
convert(lua_State *L, int (*parse)(const char *, int64_t *),
    void (*put)(struct tl_text *, int64_t), const char *what)
{
	struct tl_state *host = tl_host(L);
	int64_t ns;

	if (lua_type(L, 1) == LUA_TSTRING) {
		if (parse(lua_tostring(L, 1), &ns) < 0)
			return luaL_error(L, "not a %s: '%s'", what,
			    lua_tostring(L, 1));
		lua_pushinteger(L, ns);
		return 1;
	}
	ns = check_ns(L, 1);
	put(tl_host_scratch(host), ns);
	tl_host_push_scratch(L, host);
	return 1;
}

/* duration(1500) is "1.500us", duration("1.5us") is 1500. */
static int
duration(lua_State *L)
{
	return convert(L, tl_parse_duration, tl_put_duration, "duration");
}

/* add(a, b): the sum of two durations, saturating. */
static int
add(lua_State *L)
{
	lua_pushinteger(L, tl_add_ns(check_ns(L, 1), check_ns(L, 2)));
	return 1;
}

/* time(0) is "1970-01-01T00:00:00.000000000+00:00", and the reverse. */
static int
time_of(lua_State *L)
{
	return convert(L, tl_parse_time, tl_put_time, "time");
}

/* level("error") is 8, level(8) is "error". */
static int
level(lua_State *L)
{
	int n;

	if (lua_isinteger(L, 1)) {
		const lua_Integer number = lua_tointeger(L, 1);

		luaL_argcheck(L, number >= 0 && number <= TIMELINE_LEVEL_MAX, 1,
		    "no such level");
		lua_pushstring(L, tl_level_name((unsigned)number));
		return 1;
	}
	n = tl_level_parse(luaL_checkstring(L, 1));
	if (n < 0)
		return luaL_error(L, "no such priority: '%s': %s",
		    lua_tostring(L, 1), tl_level_names());
	lua_pushinteger(L, n);
	return 1;
}

/* plain(text): text escaped, on one line, as listings show it. */
static int
plain(lua_State *L)
{
	struct tl_state *host = tl_host(L);
	struct tl_bytes bytes;

	bytes.data = luaL_checklstring(L, 1, &bytes.size);
	/* escaping may make four bytes of one */
	if (bytes.size > host->memory.size_max / 4)
		return luaL_error(L, "not enough memory");
	tl_put_plain(tl_host_scratch(host), bytes);
	tl_host_push_scratch(L, host);
	return 1;
}

/* width(text): the columns of a terminal that the printed text takes.  A
 * backslash takes one column, because printing does not double it. */
static int
width(lua_State *L)
{
	struct tl_bytes bytes;
	size_t columns;

	bytes.data = luaL_checklstring(L, 1, &bytes.size);
	columns = tl_text_width(bytes);
	for (size_t i = 0; i < bytes.size; i++)
		if (bytes.data[i] == '\\')
			columns--;
	lua_pushinteger(L, (lua_Integer)columns);
	return 1;
}

/* matches(glob, text): compare as the filters of events{} do. */
static int
matches(lua_State *L)
{
	const char *glob = luaL_checkstring(L, 1);
	struct tl_bytes text;

	text.data = luaL_checklstring(L, 2, &text.size);
	lua_pushboolean(L, tl_glob_matches(glob, text));
	return 1;
}

const luaL_Reg tl_words[] = { { "unsigned", put_unsigned }, { "hex", put_hex },
	{ "duration", duration }, { "add", add }, { "time", time_of },
	{ "level", level }, { "plain", plain }, { "width", width },
	{ "matches", matches }, { NULL, NULL } };
