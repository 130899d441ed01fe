/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - an event as a Lua value, and its arguments.
 *
 * A value is a copy of its event, so a script may keep it as long as it
 * likes; the message it points to lives as long as the source, which the
 * value keeps alive.  What an event has is pushed when it is asked for.
 */
#include "script/host.h"

#include "event/render.h"
#include "format/label.h"

#include <string.h>

/* What tl_event_push_names turns names into; ARGS is number 1. */
enum field {
	NS = TL_FIELD_ARGS + 1,
	TIME,
	TSC,
	CPU,
	PID,
	TID,
	KIND,
	LEVEL,
	PRIORITY,
	CATEGORY,
	MESSAGE,
	NAME,
	EXPLAIN,
	FILE_NAME,
	LINE,
	ID,
	TEXT,
	DELTA,
	DURATION,
	BEGIN_NS,
	DEPTH,
	LOST,
	NUMBER,
	LANE,
	ERROR_NS,
	EPOCH,
	SOURCE,
	SCOPE,
	END_NS,
	END_TSC,
	END_CPU,
	NESTING,
	LOSSY,
	OPEN,
	HOST,
	SYNC_ERROR,
	OVERLAPS
};

static const struct {
	const char *name;
	enum field field;
} fields[] = { { "ns", NS }, { "time", TIME }, { "tsc", TSC }, { "cpu", CPU },
	{ "pid", PID }, { "tid", TID }, { "kind", KIND }, { "level", LEVEL },
	{ "priority", PRIORITY }, { "category", CATEGORY },
	{ "message", MESSAGE }, { "name", NAME }, { "explain", EXPLAIN },
	{ "file", FILE_NAME }, { "line", LINE }, { "id", ID }, { "text", TEXT },
	{ "delta", DELTA }, { "duration", DURATION }, { "begin_ns", BEGIN_NS },
	{ "depth", DEPTH }, { "lost", LOST }, { "number", NUMBER },
	{ "lane", LANE }, { "error_ns", ERROR_NS }, { "epoch", EPOCH },
	{ "source", SOURCE }, { "scope", SCOPE }, { "end_ns", END_NS },
	{ "end_tsc", END_TSC }, { "end_cpu", END_CPU }, { "nesting", NESTING },
	{ "lossy", LOSSY }, { "open", OPEN }, { "host", HOST },
	{ "sync_error_us", SYNC_ERROR }, { "overlaps", OVERLAPS } };

/* The key of the metatable in the registry, by its address. */
static const char event_key;

/* Values: 1 the cache, 2 the arguments once they were asked for. */
enum { USER_CACHE = 1, USER_ARGS = 2 };

/* == texts of messages, kept by message so that Lua hashes them once == */

enum text { TEXT_CATEGORY = 1, TEXT_MESSAGE, TEXT_EXPLAIN, TEXT_FILE };

static void
make_texts(lua_State *L, const struct tl_message *message, int cache)
{
	const struct tl_bytes texts[] = { message->category, message->line1,
		message->explain, message->file };

	lua_createtable(L, 4, 0);
	for (int i = 0; i < 4; i++) {
		lua_pushlstring(L, texts[i].size > 0 ? texts[i].data : "",
		    texts[i].size);
		lua_rawseti(L, -2, i + 1);
	}
	lua_pushvalue(L, -1);
	lua_rawsetp(L, cache, message);
}

static void
push_text(lua_State *L, const struct tl_message *message, int cache,
    enum text which)
{
	if (lua_rawgetp(L, cache, message) != LUA_TTABLE) {
		lua_pop(L, 1);
		make_texts(L, message, cache);
	}
	lua_rawgeti(L, -1, which);
	lua_remove(L, -2);
}

/* == fields == */

static void
push_line(lua_State *L, const struct tl_event *event)
{
	struct tl_host *host = tl_host(L);

	tl_render_line(tl_host_scratch(host), event);
	tl_host_push_scratch(L, host);
}

static void
push_time(lua_State *L, const struct tl_event *event)
{
	struct tl_host *host = tl_host(L);

	tl_put_time(tl_host_scratch(host), event->ns);
	tl_host_push_scratch(L, host);
}

/* The first line, with the label where a message has one. */
static void
push_name(lua_State *L, const struct tl_event *event, int cache)
{
	struct tl_host *host = tl_host(L);

	if (!tl_label_is(event->message)) {
		push_text(L, event->message, cache, TEXT_MESSAGE);
		return;
	}
	tl_label_name(tl_host_scratch(host), event);
	tl_host_push_scratch(L, host);
}

/* What only a message has. */
static void
push_of_message(lua_State *L, const struct tl_event *event, enum field field,
    int cache)
{
	const struct tl_message *message = event->message;

	if (!message) {
		lua_pushnil(L);
		return;
	}
	switch (field) {
	case CATEGORY:
		push_text(L, message, cache, TEXT_CATEGORY);
		return;
	case MESSAGE:
		push_text(L, message, cache, TEXT_MESSAGE);
		return;
	case NAME:
		push_name(L, event, cache);
		return;
	case EXPLAIN:
		push_text(L, message, cache, TEXT_EXPLAIN);
		return;
	case FILE_NAME:
		push_text(L, message, cache, TEXT_FILE);
		return;
	case LINE:
		lua_pushinteger(L, message->line);
		return;
	case ID:
		lua_pushinteger(L, message->id);
		return;
	case SCOPE:
		lua_pushinteger(L, message->scope);
		return;
	default:
		lua_pushstring(L, tl_level_name(event->level));
	}
}

static void
push_if(lua_State *L, bool known, int64_t value)
{
	if (known)
		lua_pushinteger(L, value);
	else
		lua_pushnil(L);
}

/* What was worked out beside the event. */
static void
push_worked_out(lua_State *L, const struct tl_event_value *value,
    enum field field)
{
	switch (field) {
	case DELTA:
		push_if(L, value->has_delta, value->delta_ns);
		return;
	case DEPTH:
		push_if(L, value->has_depth, value->depth);
		return;
	case DURATION:
		push_if(L, value->paired, value->span.duration_ns);
		return;
	case BEGIN_NS:
		push_if(L, value->paired || value->open, value->span.begin_ns);
		return;
	case END_NS:
		push_if(L, value->paired, value->span.end_ns);
		return;
	case END_TSC:
		push_if(L, value->paired, (int64_t)value->span.end_tsc);
		return;
	case END_CPU:
		push_if(L,
		    value->paired && value->span.end_cpu != TL_CPU_UNKNOWN,
		    value->span.end_cpu);
		return;
	case NESTING:
		push_if(L, value->paired, value->span.nesting);
		return;
	case LOSSY:
		lua_pushboolean(L, value->span.lossy);
		return;
	default:
		lua_pushboolean(L, value->open);
	}
}

static void
push_host(lua_State *L, const struct tl_event *event)
{
	const struct tl_host *host = tl_host(L);

	lua_pushstring(L, host->host_name
			      ? host->host_name(host->hosts, event->source)
			      : NULL);
}

/* The fields that are asked for rarely. */
static void
push_rare(lua_State *L, const struct tl_event *event, enum field field)
{
	switch (field) {
	case TIME:
		push_time(L, event);
		return;
	case TEXT:
		push_line(L, event);
		return;
	case LOST:
		push_if(L, event->kind == TL_LOST, (int64_t)event->lost);
		return;
	case NUMBER:
		lua_pushinteger(L, (lua_Integer)event->number);
		return;
	case LANE:
		lua_pushinteger(L, event->lane);
		return;
	case ERROR_NS:
		lua_pushinteger(L, event->error_ns);
		return;
	case EPOCH:
		lua_pushinteger(L, event->epoch);
		return;
	case HOST:
		push_host(L, event);
		return;
	case SYNC_ERROR:
		push_if(L, event->sync_us != TL_SYNC_UNBOUNDED, event->sync_us);
		return;
	case OVERLAPS:
		lua_pushboolean(L, event->overlaps);
		return;
	default:
		lua_pushinteger(L, event->source + 1);
	}
}

void
tl_event_push_field(lua_State *L, const struct tl_event_value *value,
    lua_Integer field, int cache)
{
	const struct tl_event *event = &value->event;

	switch ((enum field)field) {
	case NS:
		lua_pushinteger(L, event->ns);
		return;
	case TSC:
		lua_pushinteger(L, (lua_Integer)event->tsc);
		return;
	case CPU:
		push_if(L, event->cpu != TL_CPU_UNKNOWN, event->cpu);
		return;
	case PID:
		lua_pushinteger(L, event->pid);
		return;
	case TID:
		lua_pushinteger(L, event->tid);
		return;
	case KIND:
		lua_pushstring(L, tl_kind_name(event->kind));
		return;
	case LEVEL:
		lua_pushinteger(L, event->level);
		return;
	case PRIORITY:
	case CATEGORY:
	case MESSAGE:
	case NAME:
	case EXPLAIN:
	case FILE_NAME:
	case LINE:
	case ID:
	case SCOPE:
		push_of_message(L, event, (enum field)field, cache);
		return;
	case DELTA:
	case DURATION:
	case BEGIN_NS:
	case DEPTH:
	case END_NS:
	case END_TSC:
	case END_CPU:
	case NESTING:
	case LOSSY:
	case OPEN:
		push_worked_out(L, value, (enum field)field);
		return;
	default:
		push_rare(L, event, (enum field)field);
	}
}

void
tl_event_push_names(lua_State *L)
{
	const size_t count = sizeof(fields) / sizeof(fields[0]);

	lua_createtable(L, 0, (int)count + 1);
	for (size_t i = 0; i < count; i++) {
		lua_pushinteger(L, fields[i].field);
		lua_setfield(L, -2, fields[i].name);
	}
	lua_pushinteger(L, TL_FIELD_ARGS);
	lua_setfield(L, -2, "args");
}

void
tl_event_check_alive(lua_State *L, int index)
{
	if (!tl_script_source_collected)
		return;
	lua_getiuservalue(L, index, USER_CACHE);
	tl_script_source_check_alive(L, lua_gettop(L));
	lua_pop(L, 1);
}

/* The arguments of the event at index 1, made at the first question. */
static void
push_own_args(lua_State *L, struct tl_event_value *value)
{
	if (lua_getiuservalue(L, 1, USER_ARGS) == LUA_TUSERDATA)
		return;
	lua_pop(L, 1);
	tl_arguments_push(L, &value->event);
	lua_pushvalue(L, 1);
	lua_setiuservalue(L, -2, 1); /* the event lives as long */
	lua_pushvalue(L, -1);
	lua_setiuservalue(L, 1, USER_ARGS);
}

/* == the value == */

/* Upvalue 1: fields and methods by name. */
static int
event_index(lua_State *L)
{
	struct tl_event_value *value = lua_touserdata(L, 1);
	lua_Integer field;

	tl_event_check_alive(L, 1);
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TFUNCTION)
		return 1;
	field = lua_tointeger(L, -1);
	if (field == 0)
		return luaL_error(L, "an event has no '%s'",
		    luaL_tolstring(L, 2, NULL));
	if (field == TL_FIELD_ARGS) {
		push_own_args(L, value);
		return 1;
	}
	lua_getiuservalue(L, 1, USER_CACHE);
	tl_event_push_field(L, value, field, lua_gettop(L));
	return 1;
}

static int
event_text(lua_State *L)
{
	const struct tl_event_value *value = lua_touserdata(L, 1);
	struct tl_host *host = tl_host(L);
	struct tl_text *text = tl_host_scratch(host);

	tl_event_check_alive(L, 1);
	tl_put_time(text, value->event.ns);
	tl_put_char(text, ' ');
	if (value->event.message) {
		tl_put_plain(text, value->event.message->category);
		tl_put_char(text, ' ');
	}
	tl_render_line(text, &value->event);
	tl_host_push_scratch(L, host);
	return 1;
}

/* e:raw(name): the 64 bits of an argument, whatever its format. */
static int
event_raw(lua_State *L)
{
	const struct tl_event_value *value =
	    tl_host_check_type(L, 1, "event", &event_key);
	int i;

	tl_event_check_alive(L, 1);
	i = tl_arguments_find(L, &value->event, 2);

	push_if(L, i >= 0, i < 0 ? 0 : (int64_t)value->event.args[i]);
	return 1;
}

struct tl_event_value *
tl_event_push(lua_State *L, int cache)
{
	struct tl_event_value *value;

	cache = lua_absindex(L, cache);
	value = lua_newuserdatauv(L, sizeof(*value), 2);
	memset(value, 0, sizeof(*value));
	lua_pushvalue(L, cache);
	lua_setiuservalue(L, -2, USER_CACHE);
	lua_rawgetp(L, LUA_REGISTRYINDEX, &event_key);
	lua_setmetatable(L, -2);
	return value;
}

void
tl_event_register(lua_State *L)
{
	static const luaL_Reg event_functions[] = { { "__index", event_index },
		{ "__tostring", event_text }, { NULL, NULL } };

	tl_event_push_names(L);
	lua_pushcfunction(L, event_raw);
	lua_setfield(L, -2, "raw");
	tl_host_register_type(L, "event", &event_key, event_functions);
	lua_pop(L, 1);
}
