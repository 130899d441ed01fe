/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - an event as a Lua value, and its arguments.
 *
 * A value is a copy of its event, so a script may keep the value as long as it
 * likes; the message lives as long as the source, which the value keeps alive.
 * A field is pushed when a script reads it.
 */
#include "script/host.h"

#include "base/array.h"
#include "event/names.h"
#include "event/render.h"
#include "format/label.h"

#include <string.h>

/* The numbers in the table of tl_event_set_names; ARGS is number 1. */
enum field {
	ARGS = TL_FIELD_ARGS,
#define FIELD(constant, name, of_span, set) constant,
#include "script/fields.def"
#undef FIELD
};

static const struct {
	const char *name;
	enum field field;
	bool of_span; /* the field belongs to a span, not to one event */
} fields[] = {
#define FIELD(constant, name, of_span, set) { name, constant, of_span },
#include "script/fields.def"
#undef FIELD
};

/* The address is the key of the metatable in the registry. */
static const char event_key;

/* User values: the cache; the arguments, once they were read; the states of a
 * span, once they were stored. */
enum { USER_CACHE = 1, USER_ARGS, USER_STATES };

/* == texts of messages, cached by message so that Lua hashes them once == */

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

/* == fields == */

static void
set_integer(struct tl_scalar *to, bool known, int64_t value)
{
	if (known)
		*to = (struct tl_scalar){ TL_SCALAR_INTEGER, .integer = value };
}

static void
set_boolean(struct tl_scalar *to, bool value)
{
	*to = (struct tl_scalar){ TL_SCALAR_BOOLEAN, .boolean = value };
}

static void
set_text(struct tl_scalar *to, struct tl_bytes text)
{
	*to = (struct tl_scalar){ TL_SCALAR_TEXT, .text = text };
}

static void
set_string(struct tl_scalar *to, const char *text)
{
	if (text)
		set_text(to, tl_bytes_of(text));
}

static void
set_name(struct tl_scalar *to, struct tl_bytes name)
{
	if (name.size > 0)
		set_text(to, name);
}

static void
set_host(lua_State *L, struct tl_scalar *to, unsigned source)
{
	const struct tl_state *host = tl_host(L);

	if (host->host_name)
		set_string(to, host->host_name(host->hosts, source));
}

/* Set a field whose text is rendered in the scratch text of the host. */
static void
set_rendered(lua_State *L, const struct tl_event *event,
    void (*render)(struct tl_text *, const struct tl_event *),
    struct tl_scalar *to)
{
	struct tl_text *text = tl_host_scratch(tl_host(L));

	render(text, event);
	if (text->rc < 0)
		to->kind = TL_SCALAR_UNKNOWN;
	else
		set_text(to, tl_bytes(text->data, text->size));
}

bool
tl_event_field_is_rendered(int field)
{
	return field == TIME || field == TEXT || field == NAME;
}

void
tl_event_get_field(lua_State *L, const struct tl_event *event,
    const struct tl_event_value *value, int field, struct tl_scalar *to)
{
	const struct tl_message *message = event->message;
	const bool is_lost = event->kind == TL_LOST;
	const struct tl_span *span = &value->span;

	to->kind = TL_SCALAR_NIL;
	if (!message && field >= PRIORITY && field <= ID)
		return;
	switch ((enum field)field) {
#define FIELD(constant, name, of_span, set) \
	case constant: \
		set; \
		return;
#include "script/fields.def"
#undef FIELD
	case ARGS: /* the caller pushes them */
		return;
	}
}

void
tl_scalar_push(lua_State *L, const struct tl_scalar *scalar)
{
	switch (scalar->kind) {
	case TL_SCALAR_BOOLEAN:
		lua_pushboolean(L, scalar->boolean);
		return;
	case TL_SCALAR_INTEGER:
		lua_pushinteger(L, scalar->integer);
		return;
	case TL_SCALAR_REAL:
		lua_pushnumber(L, scalar->real);
		return;
	case TL_SCALAR_TEXT:
		lua_pushlstring(L,
		    scalar->text.size > 0 ? scalar->text.data : "",
		    scalar->text.size);
		return;
	case TL_SCALAR_UNKNOWN:
		luaL_error(L, "not enough memory");
		return;
	default:
		lua_pushnil(L);
	}
}

/* The cached text that a field shows; 0: the field has no cached text. */
static enum text
cached_text(const struct tl_message *message, int field)
{
	static const uint8_t texts[] = { [CATEGORY] = TEXT_CATEGORY,
		[NAME] = TEXT_MESSAGE,
		[MESSAGE] = TEXT_MESSAGE,
		[EXPLAIN] = TEXT_EXPLAIN,
		[FILE_NAME] = TEXT_FILE,
		[STATES] = 0 };

	return field == NAME && tl_label_is(message) ? 0 : texts[field];
}

void
tl_event_push_field(lua_State *L, const struct tl_event_value *value, int field,
    int cache)
{
	const struct tl_message *message = value->event.message;
	const enum text text = message ? cached_text(message, field) : 0;
	struct tl_scalar scalar;

	if (text) {
		if (lua_rawgetp(L, cache, message) != LUA_TTABLE) {
			lua_pop(L, 1);
			make_texts(L, message, cache);
		}
		lua_rawgeti(L, -1, text);
		lua_remove(L, -2);
		return;
	}
	tl_event_get_field(L, &value->event, value, field, &scalar);
	tl_scalar_push(L, &scalar);
}

int
tl_event_find_field(struct tl_bytes name)
{
	for (size_t i = 0; i < TL_COUNT(fields); i++)
		if (!fields[i].of_span &&
		    tl_bytes_equal(name, tl_bytes_of(fields[i].name)))
			return (int)fields[i].field;
	return 0;
}

void
tl_event_set_names(lua_State *L, bool of_spans)
{
	for (size_t i = 0; i < TL_COUNT(fields); i++) {
		if (fields[i].of_span && !of_spans)
			continue;
		tl_set_number(L, fields[i].name, fields[i].field);
	}
	tl_set_number(L, "args", TL_FIELD_ARGS);
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

/* Push the arguments of the event at index 1.  The arguments are made when they
 * are read first. */
static void
push_own_args(lua_State *L, struct tl_event_value *value)
{
	if (lua_getiuservalue(L, 1, USER_ARGS) == LUA_TUSERDATA)
		return;
	lua_pop(L, 1);
	tl_arguments_push(L, &value->event);
	lua_pushvalue(L, 1);
	lua_setiuservalue(L, -2, 1); /* the arguments keep the event alive */
	lua_pushvalue(L, -1);
	lua_setiuservalue(L, 1, USER_ARGS);
}

/* == the value == */

/* Upvalue 1: fields and methods by name. */
static int
event_index(lua_State *L)
{
	struct tl_event_value *value =
	    tl_host_check_type(L, 1, "event", &event_key);
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
	if (field == STATES) {
		lua_getiuservalue(L, 1, USER_STATES);
		return 1;
	}
	lua_getiuservalue(L, 1, USER_CACHE);
	tl_event_push_field(L, value, (int)field, lua_gettop(L));
	return 1;
}

static int
event_text(lua_State *L)
{
	const struct tl_event_value *value =
	    tl_host_check_type(L, 1, "event", &event_key);
	struct tl_state *host = tl_host(L);
	struct tl_text *text = tl_host_scratch(host);

	tl_event_check_alive(L, 1);
	tl_render_time(text, &value->event);
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

	if (i < 0)
		lua_pushnil(L);
	else
		lua_pushinteger(L, (lua_Integer)value->event.args[i]);
	return 1;
}

struct tl_event_value *
tl_event_push(lua_State *L, int cache, bool with_states)
{
	struct tl_event_value *value;

	cache = lua_absindex(L, cache);
	value = tl_host_push(L, sizeof(*value),
	    with_states ? USER_STATES : USER_ARGS, &event_key);
	lua_pushvalue(L, cache);
	lua_setiuservalue(L, -2, USER_CACHE);
	return value;
}

void
tl_event_set_states(lua_State *L, const struct tl_parts *parts)
{
	lua_createtable(L, 0, TL_PARTS);
	for (unsigned i = 0; i < TL_PARTS; i++) {
		tl_set_number(L, tl_part_name(i), (uint64_t)parts->ns[i]);
	}
	lua_setiuservalue(L, -2, USER_STATES);
}

void
tl_event_register(lua_State *L)
{
	static const luaL_Reg methods[] = { { "raw", event_raw },
		{ NULL, NULL } };
	static const luaL_Reg event_functions[] = { { "__index", event_index },
		{ "__tostring", event_text }, { NULL, NULL } };

	tl_host_register_type(L, "event", &event_key, event_functions, methods);
	tl_event_set_names(L, true);
	lua_pop(L, 1);
}
