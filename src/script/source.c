/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - one or several inputs as a Lua value, and their description.
 */
#include "script/host.h"

#include "script/search.h"
#include "script/select.h"
#include "source/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == values == */

static const char source_key;

bool tl_script_source_collected;

enum { USER_CACHE = 1 }; /* the user value of a source */

struct tl_script_source *
tl_script_source_check(lua_State *L, int index)
{
	struct tl_script_source *source =
	    tl_host_check_type(L, index, "input", &source_key);

	if (source->closed)
		luaL_argerror(L, index, "it is closed");
	return source;
}

struct tl_script_source *
tl_script_source_push(lua_State *L)
{
	struct tl_script_source *source =
	    tl_host_push(L, sizeof(*source), 1, &source_key);

	lua_newtable(L);
	lua_pushvalue(L, -2);
	lua_rawseti(L, -2, 0); /* the cache keeps the source alive */
	lua_setiuservalue(L, -2, USER_CACHE);
	return source;
}

int
tl_script_source_take(struct tl_script_source *source,
    const struct tl_sources *sources)
{
	source->sources = sources;
	source->inputs = calloc(sources->count + 1, sizeof(*source->inputs));
	if (!source->inputs)
		return -ENOMEM;
	for (size_t i = 0; i < sources->count; i++) {
		if (tl_source_is_open(&sources->items[i]))
			source->inputs[source->count++] = &sources->items[i];
	}
	return 0;
}

void
tl_script_source_check_alive(lua_State *L, int cache)
{
	const struct tl_script_source *source;

	lua_rawgeti(L, cache, 0);
	source = lua_touserdata(L, -1);
	lua_pop(L, 1);
	if (source && source->closed && !source->is_owned)
		luaL_error(L, "the event's timeline was collected");
}

void
tl_script_source_push_cache(lua_State *L, int index)
{
	lua_getiuservalue(L, index, USER_CACHE);
}

/* Open a cursor of the entries of an input that the selection lets through. */
static int
open_input(const struct tl_script_source *source, size_t i, enum tl_order order,
    struct tl_cursor **cursor)
{
	if (!source->select)
		return tl_source_cursor(source->inputs[i], order, cursor);
	return tl_select_source(source->select, source->sources,
	    tl_script_place(source, i), order, cursor);
}

int
tl_script_source_open(const struct tl_script_source *source,
    enum tl_order order, struct tl_cursor **cursor)
{
	const struct tl_hosts *hosts = source->sources->hosts;
	struct tl_cursor **cursors;
	unsigned *clocks;
	size_t i;
	int rc = 0;

	if (source->count == 1)
		return open_input(source, 0, order, cursor);
	cursors = calloc(source->count + 1, sizeof(struct tl_cursor *));
	clocks = calloc(source->count + 1, sizeof(*clocks));
	if (!cursors || !clocks)
		rc = -ENOMEM;
	for (i = 0; rc == 0 && i < source->count; i++) {
		clocks[i] = hosts->of_source[tl_script_place(source, i)];
		rc = open_input(source, i, order, &cursors[i]);
		if (rc < 0)
			cursors[i] = NULL;
	}
	if (rc == 0)
		rc = tl_merge_new(cursor, cursors, clocks, i, order);
	else
		while (i > 0)
			tl_cursor_close(cursors[--i]);
	if (rc == 0 && hosts->are_several)
		tl_merge_mark_overlaps(*cursor);
	free(cursors);
	free(clocks);
	return rc;
}

/* == methods == */

static int
close_source(lua_State *L)
{
	struct tl_script_source *source =
	    tl_host_check_type(L, 1, "input", &source_key);

	if (!source->is_owned)
		return luaL_error(L, "only what open returned can be closed");
	source->closed = true;
	return 0;
}

/* Free the source.  Events and cursors keep the source alive, so nothing points
 * into the snap any more; only finalizers of the program may still see dead
 * events. */
static int
collect(lua_State *L)
{
	struct tl_script_source *source =
	    tl_host_check_type(L, 1, "input", &source_key);

	if (source->is_owned) {
		free(source->inputs);
		tl_sources_free(&source->own);
		tl_script_source_collected = true;
	}
	source->name = NULL;
	source->count = 0;
	source->is_owned = false;
	source->closed = true;
	return 0;
}

/* Find the time of the first event from which on no entry is overwritten:
 * losses stand where their lanes begin, and entries without lanes of CPUs are
 * complete somewhat later. */
static int
find_complete(const struct tl_source *input, struct tl_cursor *cursor,
    int64_t *from_ns)
{
	struct tl_observed_from kept;
	struct tl_event event;
	bool is_before = false;
	int rc = tl_source_complete(input, &kept);

	if (rc < 0)
		return rc;
	while ((rc = tl_cursor_next(cursor, &event)) > 0) {
		const bool was_before = is_before;

		if (event.message)
			is_before =
			    tl_observed_before(tl_observed_place(&event), kept);
		if (event.message ? was_before && !is_before
				  : tl_event_is_start(&event))
			*from_ns = event.ns;
	}
	return rc;
}

/* Push the time from which on no entry of an input is overwritten, or nil if
 * none was, or for all inputs together. */
static int
push_complete_from(lua_State *L, const struct tl_script_source *source)
{
	struct tl_cursor *cursor;
	int64_t from_ns = INT64_MIN;
	int rc;

	if (source->count != 1) {
		lua_pushnil(L);
		return 1;
	}
	rc = tl_script_source_open(source, TL_OLDEST_FIRST, &cursor);
	if (rc >= 0) {
		rc = find_complete(source->inputs[0], cursor, &from_ns);
		tl_cursor_close(cursor);
	}
	if (rc < 0)
		tl_host_fail(L, tl_host(L), rc, "cannot read");
	if (from_ns == INT64_MIN)
		lua_pushnil(L);
	else
		lua_pushinteger(L, from_ns);
	return 1;
}

/* Push the time up to which an input has all entries that the command line
 * selects, or nil. */
static int
push_complete_to(lua_State *L, const struct tl_script_source *source)
{
	const int64_t until_ns =
	    source->select ? source->select->filter.until_ns : INT64_MAX;
	struct tl_event cut;

	if (source->count == 1 && tl_source_cut(source->inputs[0], &cut))
		lua_pushinteger(L, cut.ns < until_ns ? cut.ns : until_ns);
	else
		lua_pushnil(L);
	return 1;
}

const char *
tl_script_host_name(const struct tl_source *input)
{
	const struct tl_host *host = input->host;

	return host && (host->is_marked || host->origin.machine[0]) ? host->name
								    : NULL;
}

/* Upvalue 1: the methods. */
static int
source_index(lua_State *L)
{
	const struct tl_script_source *source =
	    tl_host_check_type(L, 1, "input", &source_key);
	const char *key =
	    lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";

	if (strcmp(key, "host") == 0) {
		lua_pushstring(L, source->count == 1
				      ? tl_script_host_name(source->inputs[0])
				      : NULL);
		return 1;
	}
	if (strcmp(key, "name") == 0) {
		lua_pushstring(L, source->name);
		return 1;
	}
	if (strcmp(key, "complete_from") == 0)
		return push_complete_from(L, source);
	if (strcmp(key, "complete_to") == 0)
		return push_complete_to(L, source);
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
		return luaL_error(L, "an input has no '%s'", key);
	return 1;
}

/* == messages == */

static void
push_message(lua_State *L, const struct tl_script_source *source, size_t input,
    const struct tl_message *message)
{
	lua_createtable(L, 0, 16);
	tl_set_bytes(L, "category", message->category);
	tl_set_bytes(L, "message", message->line1);
	tl_set_bytes(L, "explain", message->explain);
	tl_set_bytes(L, "file", message->file);
	tl_set_number(L, "line", message->line);
	tl_set_number(L, "id", message->id);
	tl_set_number(L, "level", message->level);
	tl_set_number(L, "gate", message->gate);
	tl_set_number(L, "scope", message->scope);
	tl_set_number(L, "source", source->first + input + 1);
	tl_set_word(L, "priority", tl_level_name(message->level));
	tl_set_word(L, "kind", tl_record_kind_name(message->kind));
	tl_set_flag(L, "builtin", message->builtin);
	tl_set_flag(L, "selected",
	    !source->select ||
		tl_filter_message(&source->select->filter, message));
	lua_createtable(L, message->argc, 0);
	for (int i = 0; i < message->argc; i++) {
		lua_createtable(L, 0, 2);
		tl_set_bytes(L, "name", message->args[i].name);
		tl_set_word(L, "format",
		    tl_arg_format_name(message->args[i].format));
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "args");
}

/* expect(glob): end as timeline.fail does if no message matches. */
static int
expect_message(lua_State *L)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	struct tl_fault fault = { 0 };
	struct tl_search search;

	tl_search_init(&search, luaL_checkstring(L, 2));
	for (size_t i = 0; i < source->count; i++) {
		const struct tl_source *input = source->inputs[i];
		const size_t count = tl_source_message_count(input);

		for (size_t k = 0; k < count && !search.is_found; k++)
			tl_search_take(&search,
			    tl_source_message(input, k)->line1);
	}
	if (search.is_found)
		return 0;
	tl_search_fault(&search, "", "no message matches", &fault);
	lua_createtable(L, 0, 1);
	tl_set_word(L, "failure", fault.text);
	return lua_error(L);
}

/* == when a message was observed == */

static const char intervals_key;

static int
close_intervals(lua_State *L)
{
	struct tl_intervals **intervals =
	    tl_host_check_type(L, 1, "intervals", &intervals_key);

	tl_intervals_close(*intervals);
	return 0;
}

/* The message of an input with an id.  NULL: none. */
static const struct tl_message *
find_message(const struct tl_source *input, lua_Integer id)
{
	size_t count = tl_source_message_count(input);

	while (count > 0 && tl_source_message(input, count - 1)->id != id)
		count--;
	return count > 0 ? tl_source_message(input, count - 1) : NULL;
}

/* intervals(id): an array of from, to and a word for each interval; nil for
 * several inputs together. */
static int
describe_intervals(lua_State *L)
{
	static const char *const words[] = { [TL_LOOK_OBSERVED] = "observed",
		[TL_LOOK_NOT_LOGGED] = "levels closed",
		[TL_LOOK_NOT_KEPT] = "overwritten",
		[TL_LOOK_NOT_WHOLE] = "lost",
		[TL_LOOK_NOT_KNOWN] = "levels not known" };
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	const struct tl_message *message;
	struct tl_intervals **intervals;
	struct tl_interval i;
	lua_Integer n = 0;
	int rc;

	if (source->count != 1)
		return 0;
	message = find_message(source->inputs[0], luaL_checkinteger(L, 2));
	luaL_argcheck(L, message, 2, "no id of a message of the input");
	intervals =
	    tl_host_push(L, sizeof(struct tl_intervals *), 0, &intervals_key);
	lua_newtable(L);
	rc = tl_intervals_open(intervals, source->inputs[0], message);
	while (rc >= 0 && (rc = tl_intervals_next(*intervals, &i)) > 0) {
		lua_pushinteger(L, i.from_ns);
		lua_rawseti(L, -2, ++n);
		lua_pushinteger(L, i.to_ns);
		lua_rawseti(L, -2, ++n);
		lua_pushstring(L, words[i.look]);
		lua_rawseti(L, -2, ++n);
	}
	return rc < 0 ? tl_host_fail(L, tl_host(L), rc, "cannot read") : 1;
}

int
tl_script_source_horizon(const struct tl_script_source *source, size_t i,
    int64_t *ns)
{
	struct tl_cursor *cursor;
	int rc;

	*ns = INT64_MIN;
	if (!tl_source_has_kernel(source->inputs[i]))
		return 0;
	rc = open_input(source, i, TL_NEWEST_FIRST, &cursor);
	return rc < 0 ? rc : tl_states_find_horizon(cursor, ns);
}

/* messages(): an array of the messages, oldest definition first, input after
 * input. */
static int
describe_messages(lua_State *L)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	lua_Integer n = 0;

	lua_newtable(L);
	for (size_t i = 0; i < source->count; i++) {
		const struct tl_source *input = source->inputs[i];
		const size_t count = tl_source_message_count(input);

		for (size_t j = 0; j < count; j++) {
			push_message(L, source, i, tl_source_message(input, j));
			lua_rawseti(L, -2, ++n);
		}
	}
	return 1;
}

/* == info == */

/* A name of the header, which ends at a NUL or with the field. */
static void
set_field(lua_State *L, const char *name, const char *field, size_t size)
{
	tl_set_bytes(L, name, tl_bytes(field, strnlen(field, size)));
}

static void
push_lanes(lua_State *L, const struct tl_snap *snap)
{
	const size_t count = tl_snap_lane_count(snap);

	lua_createtable(L, (int)count, 0);
	for (size_t i = 0; i < count; i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		lua_createtable(L, 0, 9);
		if (lane->cpu != TL_CPU_UNKNOWN)
			tl_set_number(L, "cpu", lane->cpu);
		tl_set_number(L, "tier", lane->tier);
		tl_set_number(L, "entries", lane->entries);
		tl_set_number(L, "head", lane->head);
		tl_set_number(L, "cleared", lane->cleared);
		tl_set_number(L, "shown", lane->end - lane->first);
		tl_set_number(L, "torn", lane->torn);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void
push_faults(lua_State *L, const struct tl_snap *snap)
{
	size_t count = tl_snap_fault_count(snap);

	if (count > TL_SNAP_FAULTS_MAX)
		count = TL_SNAP_FAULTS_MAX;
	lua_createtable(L, (int)count, 0);
	for (size_t i = 0; i < count; i++) {
		const struct tl_fault *fault = tl_snap_fault(snap, i);

		lua_createtable(L, 0, 2);
		tl_set_word(L, "text", fault->text);
		if (fault->at != TL_FAULT_NOWHERE)
			tl_set_number(L, "at", fault->at);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void
push_info(lua_State *L, const struct tl_source *input)
{
	const struct tl_snap *snap = tl_source_snap(input);
	const struct timeline_header *header;
	static const char *const names[TIMELINE_DROP_CAUSES] = { "busy",
		"lapped", "raced", "table_full", "knots" };

	lua_newtable(L);
	tl_set_word(L, "name", input->name);
	tl_set_word(L, "format", input->format);
	tl_set_number(L, "messages", tl_source_message_count(input));
	if (!snap)
		return;
	tl_set_flag(L, "live", tl_snap_was_live(snap));
	header = tl_snap_header(snap);
	tl_set_number(L, "created_ns", (uint64_t)header->created_ns);
	tl_set_number(L, "saved_ns", (uint64_t)header->saved_ns);
	tl_set_number(L, "size", header->total_size);
	tl_set_number(L, "creator_pid", header->creator_pid);
	tl_set_number(L, "pid_namespace", header->pidns_inode);
	tl_set_number(L, "creator_uid", header->creator_uid);
	tl_set_number(L, "tsc_khz", header->tsc_khz);
	tl_set_number(L, "cpu_lanes", header->cpu_lanes);
	tl_set_number(L, "fallback_lanes", header->fallback_lanes);
	tl_set_number(L, "tiers", header->tiers);
	set_field(L, "host", header->creator_host,
	    sizeof(header->creator_host));
	set_field(L, "command", header->creator_command,
	    sizeof(header->creator_command));
	tl_set_word(L, "clock",
	    header->clock_kind == TIMELINE_CLOCK_TSC ? "tsc" : "realtime");
	lua_createtable(L, 0, TIMELINE_DROP_CAUSES);
	for (int i = 0; i < TIMELINE_DROP_CAUSES; i++)
		tl_set_number(L, names[i], header->drops[i]);
	lua_setfield(L, -2, "drops");
	push_lanes(L, snap);
	lua_setfield(L, -2, "lanes");
	push_faults(L, snap);
	lua_setfield(L, -2, "faults");
}

/* info(): the table of the first input, with the table of each input in [1],
 * [2], ... */
static int
describe_info(lua_State *L)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);

	if (source->count == 0) {
		lua_newtable(L);
		return 1;
	}
	push_info(L, source->inputs[0]);
	lua_pushvalue(L, -1);
	lua_rawseti(L, -2, 1);
	for (size_t i = 1; i < source->count; i++) {
		push_info(L, source->inputs[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* == the table of methods == */

static const luaL_Reg methods[] = { { "events", tl_iterate_events },
	{ "spans", tl_iterate_spans }, { "messages", describe_messages },
	{ "info", describe_info }, { "close", close_source },
	{ "expect", expect_message }, { "intervals", describe_intervals },
	{ "roots", tl_script_source_roots }, { "why", tl_script_source_why },
	{ NULL, NULL } };

void
tl_script_source_register(lua_State *L)
{
	static const luaL_Reg functions[] = { { "__index", source_index },
		{ "__gc", collect }, { NULL, NULL } };
	static const luaL_Reg closing[] = { { "__gc", close_intervals },
		{ NULL, NULL } };

	tl_host_register_type(L, "input", &source_key, functions, methods);
	lua_pop(L, 1);
	tl_host_register_type(L, "intervals", &intervals_key, closing, NULL);
	tl_script_nodes_register(L);
	tl_script_why_register(L);
}

/* timeline.events(options) is all:events(options).  Upvalues: the method, the
 * source of all inputs. */
static int
call_bound(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(2));
	lua_insert(L, 1);
	return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void
tl_script_source_bind(lua_State *L)
{
	const struct tl_script_source *all = lua_touserdata(L, -1);

	for (const luaL_Reg *method = methods; method->name; method++) {
		if (method->func == close_source ||
		    method->func == tl_script_source_roots)
			continue;
		lua_pushcfunction(L, method->func);
		lua_pushvalue(L, -2);
		lua_pushcclosure(L, call_bound, 2);
		lua_setfield(L, -3, method->name);
	}
	/* An array of sources of one input each. */
	lua_createtable(L, (int)all->count, 0);
	for (size_t i = 0; i < all->count; i++) {
		struct tl_script_source *source = tl_script_source_push(L);

		source->name = all->inputs[i]->name;
		source->sources = all->sources;
		source->select = all->select;
		source->inputs = &all->inputs[i];
		source->count = 1;
		source->first = i;
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_setfield(L, -3, "inputs");
	lua_pop(L, 1);
}
