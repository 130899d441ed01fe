/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - the arguments of an event as a Lua value, by name or number. */
#include "script/host.h"

#include <string.h>

/* The arguments of the event that *at points to, as a Lua value. */
struct arguments {
	const struct tl_event *const *at;
	/* at points here for the arguments of an event value */
	const struct tl_event *own;
};

/* The address is the key of the metatable in the registry. */
static const char arguments_key;

void
tl_arguments_get(const struct tl_event *event, unsigned index,
    struct tl_scalar *to)
{
	const uint64_t raw = event->args[index];

	if (!tl_event_has_args(event)) {
		to->kind = TL_SCALAR_NIL;
		return;
	}
	switch (event->message->args[index].format) {
	case TIMELINE_ARG_DOUBLE:
		to->kind = TL_SCALAR_REAL;
		memcpy(&to->real, &raw, sizeof(to->real));
		return;
	case TIMELINE_ARG_STRING:
	case TIMELINE_ARG_TEXT8:
		to->text =
		    tl_message_text(event->message, index, &event->args[index]);
		to->kind = to->text.data ? TL_SCALAR_TEXT : TL_SCALAR_UNKNOWN;
		return;
	default:
		to->kind = TL_SCALAR_INTEGER;
		to->integer = (int64_t)raw;
	}
}

/* Push an argument.  A missing string becomes the number of the string, as in
 * listings. */
static void
push_argument(lua_State *L, const struct tl_event *event, unsigned index)
{
	struct tl_state *host;
	struct tl_scalar scalar;

	tl_arguments_get(event, index, &scalar);
	if (scalar.kind != TL_SCALAR_UNKNOWN) {
		tl_scalar_push(L, &scalar);
		return;
	}
	host = tl_host(L);
	tl_put_char(tl_host_scratch(host), '#');
	tl_put_unsigned(&host->text, event->args[index]);
	tl_host_push_scratch(L, host);
}

int
tl_arguments_find(lua_State *L, const struct tl_event *event, int key)
{
	struct tl_bytes name;

	if (!event || !event->message)
		return -1;
	if (lua_isinteger(L, key)) {
		const lua_Integer n = lua_tointeger(L, key);

		return n >= 1 && n <= event->message->argc ? (int)n - 1 : -1;
	}
	if (lua_type(L, key) != LUA_TSTRING)
		return -1;
	name.data = lua_tolstring(L, key, &name.size);
	return tl_message_find_argument(event->message, name);
}

/* The event that the arguments at index belong to; NULL: no event is
 * current. */
static const struct tl_event *
event_of(lua_State *L, int index)
{
	const struct arguments *args =
	    tl_host_check_type(L, index, "arguments", &arguments_key);

	if (args->own && tl_script_source_collected) {
		lua_getiuservalue(L, index, 1);
		tl_event_check_alive(L, lua_gettop(L));
		lua_pop(L, 1);
	}
	return *args->at;
}

static int
args_index(lua_State *L)
{
	const struct tl_event *event = event_of(L, 1);
	const int i = tl_arguments_find(L, event, 2);

	if (i < 0)
		lua_pushnil(L);
	else
		push_argument(L, event, (unsigned)i);
	return 1;
}

static int
args_length(lua_State *L)
{
	const struct tl_event *event = event_of(L, 1);

	lua_pushinteger(L, event && event->message ? event->message->argc : 0);
	return 1;
}

/* Push the name and value of the argument behind the name at index 2, in the
 * order of the definition. */
static int
args_next(lua_State *L)
{
	const struct tl_event *event = event_of(L, lua_upvalueindex(1));
	const int i =
	    lua_isnoneornil(L, 2) ? 0 : tl_arguments_find(L, event, 2) + 1;

	if (!event || !event->message || i >= event->message->argc) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushlstring(L, event->message->args[i].name.data,
	    event->message->args[i].name.size);
	push_argument(L, event, (unsigned)i);
	return 2;
}

static int
args_pairs(lua_State *L)
{
	tl_host_check_type(L, 1, "arguments", &arguments_key);
	lua_pushvalue(L, 1);
	lua_pushcclosure(L, args_next, 1);
	return 1;
}

static struct arguments *
push_arguments(lua_State *L)
{
	struct arguments *args =
	    tl_host_push(L, sizeof(*args), 1, &arguments_key);

	args->at = &args->own;
	return args;
}

void
tl_arguments_push(lua_State *L, const struct tl_event *event)
{
	push_arguments(L)->own = event;
}

void
tl_arguments_push_current(lua_State *L, const struct tl_event *const *event)
{
	push_arguments(L)->at = event;
}

void
tl_arguments_register(lua_State *L)
{
	static const luaL_Reg functions[] = { { "__index", args_index },
		{ "__len", args_length }, { "__pairs", args_pairs },
		{ NULL, NULL } };

	tl_host_register_type(L, "arguments", &arguments_key, functions, NULL);
}
