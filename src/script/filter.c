/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.c - evaluate an expression for every event.  Lua compiles the
 * expression once, with an environment whose __index returns fields of the
 * current event; only the texts that are read are made.  expression.c compiles
 * comparisons of fields and arguments, which are most expressions; Lua then
 * runs only for events that need its semantics or its errors.
 */
#include "script/host.h"

#include "base/array.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tl_script_filter {
	struct tl_state host;
	lua_State *L; /* 1: the handler of errors, 2: the expression */
	struct tl_expression compiled;
	char *text; /* of the expression; compiled points into text */
	struct tl_event_value value;
	const struct tl_event *current; /* NULL: no event is current */
	bool has_previous;
	int64_t previous_ns;
	struct tl_script_filter *abandoned; /* the next in the list */
};

/* Filters whose memory cannot be freed are kept in a list, so that no leak is
 * reported. */
static struct tl_script_filter *abandoned;

enum { HANDLER = 1, EXPRESSION = 2 };

/* Upvalues: the filter, fields by name, texts by message, the arguments,
 * functions by name. */
static int
look_up(lua_State *L)
{
	const struct tl_script_filter *filter =
	    lua_touserdata(L, lua_upvalueindex(1));
	lua_Integer field;

	lua_pushvalue(L, 2);
	lua_rawget(L, lua_upvalueindex(2));
	field = lua_tointeger(L, -1);
	if (field == TL_FIELD_ARGS) {
		lua_pushvalue(L, lua_upvalueindex(4));
		return 1;
	}
	if (field != 0 && !filter->current)
		return 0; /* check_words: the field exists */
	if (field != 0) {
		tl_event_push_field(L, &filter->value, (int)field,
		    lua_upvalueindex(3));
		return 1;
	}
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(5)) != LUA_TNIL)
		return 1;
	return luaL_error(L, "%san event has no '%s' (arguments are args.%s)",
	    filter->current ? "" : "-e:1: ", luaL_tolstring(L, 2, NULL),
	    luaL_tolstring(L, 2, NULL));
}

static int
refuse(lua_State *L)
{
	return luaL_error(L, "a filter cannot set '%s'",
	    luaL_tolstring(L, 2, NULL));
}

static int
always_nil(lua_State *L)
{
	lua_pushnil(L);
	return 1;
}

static int
always_false(lua_State *L)
{
	lua_pushboolean(L, 0);
	return 1;
}

static void
push_environment(lua_State *L, struct tl_script_filter *filter)
{
	static const char *const hidden[] = { "print", "coroutine", "load",
		"timeline", "_G", NULL };

	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_pushlightuserdata(L, filter);
	lua_newtable(L);
	tl_event_set_names(L, false); /* an event is not a span */
	lua_newtable(L);
	tl_arguments_push_current(L, &filter->current);
	/* Push Lua's functions, and the functions of this program (hex, plain
	 * ...)  under their plain names. */
	lua_newtable(L);
	lua_pushglobaltable(L);
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_rawset(L, -5);
	}
	lua_pop(L, 1);
	for (size_t i = 0; hidden[i]; i++) {
		lua_pushnil(L);
		lua_setfield(L, -2, hidden[i]);
	}
	/* functions with the name of a field get longer names */
	for (const luaL_Reg *word = tl_words; word->name; word++) {
		if (strcmp(word->name, "level") == 0 ||
		    strcmp(word->name, "time") == 0 ||
		    strcmp(word->name, "duration") == 0)
			lua_pushfstring(L, "%s_of", word->name);
		else
			lua_pushstring(L, word->name);
		lua_pushcfunction(L, word->func);
		lua_rawset(L, -3);
	}
	lua_pushcclosure(L, look_up, 5);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, refuse);
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define NAMES   LETTERS "0123456789"

/* The end of a string that begins at a quote or a long bracket, or at itself if
 * none begins there.  The text was compiled, so that the string has an end. */
static const char *
end_of_string(const char *at)
{
	const char quote = *at;
	size_t level;

	if (quote == '"' || quote == '\'') {
		for (at++; *at && *at != quote; at++)
			at += *at == '\\' && at[1];
		return *at ? at + 1 : at;
	}
	level = quote == '[' ? strspn(at + 1, "=") : 0;
	if (quote != '[' || at[level + 1] != '[')
		return at;
	for (at += level + 2; *at; at++)
		if (*at == ']' && strspn(at + 1, "=") == level &&
		    at[level + 1] == ']')
			return at + level + 2;
	return at;
}

/* The end of a comment that begins there, or the place itself. */
static const char *
end_of_comment(const char *at)
{
	const char *end;

	if (strncmp(at, "--", 2) != 0)
		return at;
	end = end_of_string(at + 2);
	return end > at + 2 && at[2] == '[' ? end : at + strcspn(at, "\n");
}

/* Is the word neither a keyword nor the key of a table constructor? */
static bool
is_variable(struct tl_bytes word)
{
	static const char *const others[] = { "and", "else", "elseif", "end",
		"false", "if", "nil", "not", "or", "then", "true", "_ENV" };
	const char *behind = word.data + word.size;

	for (size_t i = 0; i < TL_COUNT(others); i++)
		if (tl_bytes_equal(word, tl_bytes_of(others[i])))
			return false;
	behind += strspn(behind, " \t\r\n");
	return behind[0] != '=' || behind[1] == '=';
}

/* Find the next variable or number of an expression, from *at on.  A function
 * may have variables of its own: the search ends. */
static bool
next_word(const char **at, struct tl_bytes *name)
{
	bool is_member = false;

	while (**at) {
		const char *from = *at;
		const bool was_member = is_member;

		is_member = false;
		if ((*at = end_of_string(from)) > from ||
		    (*at = end_of_comment(from)) > from)
			continue;
		if ((*from >= '0' && *from <= '9') ||
		    (*from == '.' && from[1] >= '0' && from[1] <= '9')) {
			*name = tl_bytes(from, strspn(from, NAMES "."));
			*at = from + name->size;
			return true;
		}
		*name = tl_bytes(from, strspn(from, NAMES));
		if (name->size == 0) {
			const size_t dots = strspn(from, ".");

			is_member = dots == 1 || *from == ':' ||
				    (was_member && strchr(" \t\r\n", *from));
			*at = from + (dots > 0 ? dots : 1);
			continue;
		}
		*at = from + name->size;
		if (tl_bytes_equal(*name, tl_bytes_of("function")))
			return false;
		if (!was_member && is_variable(*name))
			return true;
	}
	return false;
}

/* Raise an error if a number without a point is above 2^63 - 1: it is a double
 * to Lua, which no integer argument of these 64 bits equals.  But -2^63
 * does. */
static void
check_number(lua_State *L, const char *expression, struct tl_bytes number)
{
	const char *before = number.data;
	uint64_t value;
	char hex[20];

	if (tl_number_take(number, &value) != number.size || value <= INT64_MAX)
		return;
	while (before > expression && before[-1] == ' ')
		before--;
	if (value == UINT64_C(1) << 63 && before > expression &&
	    before[-1] == '-')
		return;
	snprintf(hex, sizeof(hex), "0x%" PRIx64, value);
	lua_pushlstring(L, number.data, number.size);
	luaL_error(L,
	    "-e:1: %s is above 2^63 - 1: write %s for an integer, %s.0 for a "
	    "double",
	    lua_tostring(L, -1), hex, lua_tostring(L, -1));
}

struct compile {
	struct tl_script_filter *filter;
	const char *expression;
};

/* Raise the error of an expression that does not compile, with what was meant
 * if that is known. */
static int
explain(lua_State *L, const char *expression)
{
	static const char *const meant[][2] = { { "near '='", "== compares" },
		{ "near '!'", "~= is unequal" }, { "near '&'", "write and" },
		{ "near '|'", "write or" } };
	static const char number[] = "0123456789.abcdefghijklmnopqrstuvwxyz";
	const char *said = lua_tostring(L, -1);
	char word[64];
	size_t size;
	int64_t ns;

	for (size_t i = 0; i < TL_COUNT(meant); i++) {
		if (strstr(said, meant[i][0]))
			return luaL_error(L, "%s: %s", said, meant[i][1]);
	}
	for (; strstr(said, "malformed number") && *expression;
	     expression += size) {
		size = strspn(expression, number);
		snprintf(word, sizeof(word), "%.*s", (int)size, expression);
		if (word[strspn(word, "0123456789.")] != '\0' &&
		    tl_parse_duration(word, &ns) == 0)
			return luaL_error(L, "%s: write %I for %s", said,
			    (lua_Integer)ns, word);
		size += size == 0;
	}
	return lua_error(L);
}

/* Push the compiled function. */
static int
compile(lua_State *L)
{
	const struct compile *asked = lua_touserdata(L, 1);
	size_t size;
	const char *text;
	const char *at = asked->expression;
	struct tl_bytes word;
	static const luaL_Reg functions[] = { { "__add", always_nil },
		{ "__sub", always_nil }, { "__mul", always_nil },
		{ "__div", always_nil }, { "__mod", always_nil },
		{ "__pow", always_nil }, { "__unm", always_nil },
		{ "__idiv", always_nil }, { "__band", always_nil },
		{ "__bor", always_nil }, { "__bxor", always_nil },
		{ "__shl", always_nil }, { "__shr", always_nil },
		{ "__bnot", always_nil }, { "__concat", always_nil },
		{ "__len", always_nil }, { "__index", always_nil },
		{ "__call", always_nil }, { "__lt", always_false },
		{ "__le", always_false }, { NULL, NULL } };
	static const luaL_Reg of_text[] = { { "__lt", always_false },
		{ "__le", always_false }, { NULL, NULL } };

	lua_pushfstring(L, "return %s", asked->expression);
	text = lua_tolstring(L, -1, &size);
	if (luaL_loadbufferx(L, text, size, "=-e", "t") != LUA_OK)
		return explain(L, asked->expression);
	push_environment(L, asked->filter);
	/* Raise an error if a variable of the expression is neither a field nor
	 * a function.  The environment is on the stack. */
	while (next_word(&at, &word)) {
		if (*word.data == '.' ||
		    (*word.data >= '0' && *word.data <= '9')) {
			check_number(L, asked->expression, word);
			continue;
		}
		lua_pushlstring(L, word.data, word.size);
		lua_gettable(L, -2);
		lua_pop(L, 1);
	}
	/* Make arithmetic with nil nil, and < <= > >= with nil false, and of
	 * text with another value. */
	lua_pushnil(L);
	luaL_newlib(L, functions);
	lua_setmetatable(L, -2);
	lua_pop(L, 1);
	lua_pushliteral(L, "");
	if (lua_getmetatable(L, -1)) {
		luaL_setfuncs(L, of_text, 0);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	lua_setupvalue(L, -2, 1);
	return 1;
}

static int
failed(struct tl_script_filter *filter, int status, struct tl_fault *fault)
{
	filter->host.has_current = filter->current != NULL;
	if (filter->current)
		filter->host.current = *filter->current;
	return tl_state_failed(filter->L, &filter->host, status, NULL, fault);
}

int
tl_script_filter_new(struct tl_script_filter **filter, const char *expression,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    struct tl_fault *fault)
{
	struct tl_script_filter *made = calloc(1, sizeof(*made));
	struct compile asked = { made, expression };
	int rc;

	if (!made)
		return tl_fail(fault, -ENOMEM, "not enough memory");
	made->host.watch.what = "-e: expression";
	rc = tl_state_open(&made->L, &made->host, limits, io, fault);
	if (rc < 0)
		goto free;
	lua_pushcfunction(made->L, tl_state_explain);
	lua_pushcfunction(made->L, compile);
	lua_pushlightuserdata(made->L, &asked);
	rc = lua_pcall(made->L, 1, 1, 0);
	if (rc != LUA_OK) {
		rc = failed(made, rc == LUA_ERRRUN ? LUA_ERRSYNTAX : rc, fault);
		tl_state_close(made->L, &made->host);
		goto free;
	}
	/* without memory for the text Lua evaluates the expression */
	if ((made->text = strdup(expression)))
		tl_expression_compile(&made->compiled, made->L, made->text);
	*filter = made;
	return 0;
free:
	free(made);
	return rc;
}

void
tl_script_filter_set_hosts(struct tl_script_filter *filter,
    tl_script_host *host, const void *context)
{
	filter->host.host_name = host;
	filter->host.hosts = context;
}

void
tl_script_filter_free(struct tl_script_filter *filter)
{
	if (!filter)
		return;
	tl_state_close(filter->L, &filter->host);
	tl_expression_free(&filter->compiled);
	free(filter->text);
	free(filter);
}

void
tl_script_filter_abandon(struct tl_script_filter *filter)
{
	tl_watch_stop(&filter->host.watch);
	filter->abandoned = abandoned;
	abandoned = filter;
}

static int
ask_lua(struct tl_script_filter *filter, const struct tl_event *event,
    struct tl_fault *fault)
{
	lua_State *L = filter->L;
	int status;
	int rc;

	assert(lua_gettop(L) == EXPRESSION);
	filter->value.event = *event;
	filter->current = &filter->value.event;
	tl_watch_again(&filter->host.watch);
	tl_watch_enter(&filter->host.watch);
	lua_pushvalue(L, EXPRESSION);
	status = lua_pcall(L, 0, 1, HANDLER);
	if (status == LUA_OK) {
		rc = lua_toboolean(L, -1);
		lua_pop(L, 1);
	} else {
		rc = failed(filter, status, fault);
	}
	tl_watch_leave(&filter->host.watch);
	filter->current = NULL;
	return rc;
}

static int
ask(struct tl_script_filter *filter, const struct tl_event *event,
    struct tl_fault *fault)
{
	int rc = -1;

	if (filter->compiled.count > 0)
		rc = tl_expression_passes(&filter->compiled, filter->L, event,
		    &filter->value);
	return rc >= 0 ? rc : ask_lua(filter, event, fault);
}

int
tl_script_filter_passes(struct tl_script_filter *filter,
    const struct tl_event *event, struct tl_fault *fault)
{
	const int64_t then = filter->previous_ns;

	if (event->kind == TL_LOST)
		return 1;
	/* Set the distance to the previous event, which is newer or older. */
	filter->value.has_delta = filter->has_previous;
	filter->value.delta_ns =
	    (int64_t)(event->ns > then ? (uint64_t)event->ns - (uint64_t)then
				       : (uint64_t)then - (uint64_t)event->ns);
	filter->previous_ns = event->ns;
	filter->has_previous = true;
	return ask(filter, event, fault);
}

int
tl_script_filter_ask(struct tl_script_filter *filter,
    const struct tl_event *event, const int64_t *delta_ns,
    struct tl_fault *fault)
{
	filter->value.has_delta = delta_ns != NULL;
	filter->value.delta_ns = delta_ns ? *delta_ns : 0;
	return ask(filter, event, fault);
}

/* Does an event's value of this name depend on the other event of the span? */
static bool
is_of_spans(struct tl_bytes name)
{
	static const char *const names[] = { "args", "duration", "text", "name",
		"_ENV" };

	for (size_t i = 0; i < TL_COUNT(names); i++)
		if (tl_bytes_equal(name, tl_bytes_of(names[i])))
			return true;
	return false;
}

bool
tl_script_filter_mentions(const char *expression, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *at = expression;

	while (*at) {
		const size_t size = strspn(at, letters);
		const struct tl_bytes word = tl_bytes(at, size);

		if (size == 0) {
			at++;
			continue;
		}
		if (name ? tl_bytes_equal(word, tl_bytes_of(name))
			 : is_of_spans(word))
			return true;
		at += size;
	}
	return false;
}
