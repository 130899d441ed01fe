/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - what is defined in an input, and what is known of it. */
#include "script/host.h"

#include <string.h>

static void
set_bytes(lua_State *L, const char *name, struct tl_bytes bytes)
{
	lua_pushlstring(L, bytes.size > 0 ? bytes.data : "", bytes.size);
	lua_setfield(L, -2, name);
}

static void
set_number(lua_State *L, const char *name, uint64_t number)
{
	lua_pushinteger(L, (lua_Integer)number);
	lua_setfield(L, -2, name);
}

static void
set_word(lua_State *L, const char *name, const char *word)
{
	lua_pushstring(L, word);
	lua_setfield(L, -2, name);
}

/* A name of the header: ends at a NUL or with its room. */
static void
set_field(lua_State *L, const char *name, const char *field, size_t size)
{
	set_bytes(L, name, tl_bytes(field, strnlen(field, size)));
}

/* == messages == */

static const char *
format_word(unsigned format)
{
	static const char *const words[] = { "unsigned", "signed", "hex",
		"double", "duration", "string" };

	return format < sizeof(words) / sizeof(words[0]) ? words[format]
							 : "unknown";
}

static void
push_args(lua_State *L, const struct tl_message *message)
{
	lua_createtable(L, message->argc, 0);
	for (int i = 0; i < message->argc; i++) {
		lua_createtable(L, 0, 2);
		set_bytes(L, "name", message->args[i].name);
		set_word(L, "format", format_word(message->args[i].format));
		lua_rawseti(L, -2, i + 1);
	}
}

static void
push_message(lua_State *L, const struct tl_message *message, size_t place)
{
	lua_createtable(L, 0, 14);
	set_bytes(L, "category", message->category);
	set_bytes(L, "message", message->line1);
	set_bytes(L, "explain", message->explain);
	set_bytes(L, "file", message->file);
	set_number(L, "line", message->line);
	set_number(L, "id", message->id);
	set_number(L, "level", message->level);
	set_number(L, "gate", message->gate);
	set_number(L, "scope", message->scope);
	set_number(L, "source", place + 1);
	set_word(L, "priority", tl_level_name(message->level));
	set_word(L, "kind", tl_record_kind_name(message->kind));
	push_args(L, message);
	lua_setfield(L, -2, "args");
}

static const struct tl_message *
message_of(const struct tl_script_input *input, size_t i)
{
	return input->messages ? input->messages[i]
			       : tl_snap_message(input->snap, i);
}

static size_t
message_count(const struct tl_script_input *input)
{
	if (input->messages)
		return input->message_count;
	return input->snap ? tl_snap_message_count(input->snap) : 0;
}

/* messages(): an array, oldest definition first, input after input. */
int
tl_describe_messages(lua_State *L)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	lua_Integer n = 0;

	lua_newtable(L);
	for (size_t i = 0; i < source->count; i++) {
		const struct tl_script_input *input = &source->inputs[i];
		const size_t count = message_count(input);

		for (size_t j = 0; j < count; j++) {
			push_message(L, message_of(input, j),
			    source->first + i);
			lua_rawseti(L, -2, ++n);
		}
	}
	return 1;
}

/* == info == */

static void
push_lanes(lua_State *L, const struct tl_snap *snap)
{
	const size_t count = tl_snap_lane_count(snap);

	lua_createtable(L, (int)count, 0);
	for (size_t i = 0; i < count; i++) {
		const struct tl_snap_lane *lane = tl_snap_lane(snap, i);

		lua_createtable(L, 0, 9);
		if (lane->cpu != TL_CPU_UNKNOWN)
			set_number(L, "cpu", lane->cpu);
		set_number(L, "tier", lane->tier);
		set_number(L, "entries", lane->entries);
		set_number(L, "head", lane->head);
		set_number(L, "cleared", lane->cleared);
		set_number(L, "shown", lane->end - lane->first);
		set_number(L, "torn", lane->torn);
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
		set_word(L, "text", fault->text);
		if (fault->at != TL_FAULT_NOWHERE)
			set_number(L, "at", fault->at);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void
push_drops(lua_State *L, const struct timeline_header *header)
{
	static const char *const names[TIMELINE_DROP_CAUSES] = { "busy",
		"lapped", "raced", "table_full", "knots" };

	lua_createtable(L, 0, TIMELINE_DROP_CAUSES);
	for (int i = 0; i < TIMELINE_DROP_CAUSES; i++)
		set_number(L, names[i], header->drops[i]);
}

static void
set_header(lua_State *L, const struct timeline_header *header)
{
	set_number(L, "created_ns", (uint64_t)header->created_ns);
	set_number(L, "saved_ns", (uint64_t)header->saved_ns);
	set_number(L, "size", header->total_size);
	set_number(L, "creator_pid", header->creator_pid);
	set_number(L, "creator_uid", header->creator_uid);
	set_number(L, "tsc_khz", header->tsc_khz);
	set_number(L, "cpu_lanes", header->cpu_lanes);
	set_number(L, "fallback_lanes", header->fallback_lanes);
	set_number(L, "tiers", header->tiers);
	set_field(L, "host", header->creator_host,
	    sizeof(header->creator_host));
	set_field(L, "command", header->creator_command,
	    sizeof(header->creator_command));
	set_word(L, "clock",
	    header->clock_kind == TIMELINE_CLOCK_TSC ? "tsc" : "realtime");
	push_drops(L, header);
	lua_setfield(L, -2, "drops");
}

static void
push_info(lua_State *L, const struct tl_script_input *input)
{
	lua_newtable(L);
	set_word(L, "name", input->name);
	set_word(L, "format", input->format ? input->format : "timeline");
	set_number(L, "messages", message_count(input));
	if (!input->snap)
		return;
	lua_pushboolean(L, tl_snap_was_live(input->snap));
	lua_setfield(L, -2, "live");
	set_header(L, tl_snap_header(input->snap));
	push_lanes(L, input->snap);
	lua_setfield(L, -2, "lanes");
	push_faults(L, input->snap);
	lua_setfield(L, -2, "faults");
}

/* info(): that of the first input; in [1], [2], ... that of each. */
int
tl_describe_info(lua_State *L)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);

	if (source->count == 0) {
		lua_newtable(L);
		return 1;
	}
	push_info(L, &source->inputs[0]);
	lua_pushvalue(L, -1);
	lua_rawseti(L, -2, 1);
	for (size_t i = 1; i < source->count; i++) {
		push_info(L, &source->inputs[i]);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}
