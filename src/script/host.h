/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - the interface between the files of this folder.
 *
 * Every Lua state with our API has a host: the state of a script or a filter,
 * which we created, or a plain Lua that loaded the module.  A userdata owns
 * every C resource that Lua code can reach, and its finalizer frees the
 * resource, so that an error may be raised at any time.
 */
#ifndef TL_SCRIPT_HOST_H
#define TL_SCRIPT_HOST_H

#include "analysis/states.h"
#include "base/text.h"
#include "event/filter.h"
#include "event/spans.h"
#include "script/script.h"
#include "script/watch.h"
#include "source/sources.h"
#include "trace/read.h"

#include <lauxlib.h>
#include <lua.h>

enum {
	TL_SCRIPT_CURSORS_MAX = 64, /* open at a time in one state */
	TL_SCRIPT_PLACE_MAX = 200   /* bytes of "script.lua:12:" */
};

/* The memory of a state: Lua's own and that of userdata. */
struct tl_memory {
	lua_State *L;           /* shows the place; NULL: not created yet */
	struct tl_watch *watch; /* guarded while memory is moved; may be NULL */
	size_t used;
	size_t size_max;
	bool refused;                    /* memory was refused at least once */
	char place[TL_SCRIPT_PLACE_MAX]; /* the line of the last refusal */
};

struct tl_state {
	struct tl_memory memory;
	struct tl_watch watch;
	bool trusted;
	const char *lifted_by; /* as in struct tl_script_limits */
	/* Opens other libraries than those of a script; NULL: a script's. */
	void (*open)(lua_State *L);
	/* the error of a cursor or of io.write, which ends the script */
	int rc;
	struct tl_script_io io;
	struct tl_text text;       /* scratch; survives a raised error */
	unsigned cursors;          /* the number of open cursors */
	tl_script_host *host_name; /* of a source; NULL: unknown */
	const void *hosts;         /* the context of host_name */
	struct tl_event current;   /* the event that the script reads */
	bool has_current;
};

/* state.c: the allocator of a state, and the charge for memory outside of
 * Lua. */
void *tl_memory_allocate(void *memory, void *block, size_t size, size_t wanted);
/* Charge size bytes.  Raises Lua's memory error if they do not fit even after a
 * collection. */
void tl_memory_charge(lua_State *L, struct tl_state *host, size_t size);
void tl_memory_release(struct tl_state *host, size_t size);

/* host.c: the host of a state, and its scratch text, which is emptied. */
struct tl_state *tl_host(lua_State *L);
void tl_host_set(lua_State *L, struct tl_state *host);
struct tl_text *tl_host_scratch(struct tl_state *host);
/* Push the scratch text, or raise the error of making the text. */
void tl_host_push_scratch(lua_State *L, struct tl_state *host);
/* Write text to io, escaped.  Raises an error if io fails. */
void tl_host_write(lua_State *L, struct tl_state *host, struct tl_bytes bytes);
/* Append text for the terminal as tl_put_lines does, but keep backslash and
 * tab. */
void tl_put_printed(struct tl_text *text, struct tl_bytes bytes);
/* Raise the error for rc, the result of a cursor or of io. */
int tl_host_fail(lua_State *L, struct tl_state *host, int rc, const char *what);
/* Register a type under the address key in the registry; scripts cannot reach
 * its metatable.  With methods (NULL: none) their table is left on the stack:
 * it is the upvalue of the functions, and "__index" if that is not one of
 * them. */
void tl_host_register_type(lua_State *L, const char *name, const void *key,
    const luaL_Reg *functions, const luaL_Reg *methods);
/* Push a value of this type: size zero bytes and a number of user values. */
void *tl_host_push(lua_State *L, size_t size, int values, const void *key);
/* The address of the value of this type at index.  Raises an argument error if
 * the value has another type. */
void *
tl_host_check_type(lua_State *L, int index, const char *name, const void *key);
/* Set a member of the table on top. */
static inline void
tl_set_bytes(lua_State *L, const char *name, struct tl_bytes bytes)
{
	lua_pushlstring(L, bytes.size > 0 ? bytes.data : "", bytes.size);
	lua_setfield(L, -2, name);
}
static inline void
tl_set_number(lua_State *L, const char *name, uint64_t number)
{
	lua_pushinteger(L, (lua_Integer)number);
	lua_setfield(L, -2, name);
}
static inline void
tl_set_word(lua_State *L, const char *name, const char *word)
{
	lua_pushstring(L, word);
	lua_setfield(L, -2, name);
}
static inline void
tl_set_flag(lua_State *L, const char *name, bool flag)
{
	lua_pushboolean(L, flag);
	lua_setfield(L, -2, name);
}
/* tl_host_set for lua_pcall, with the host as a light userdata. */
int tl_host_open(lua_State *L);

/* library.c: push the table "timeline" with everything that needs no input,
 * including the helpers written in Lua. */
void tl_library_push(lua_State *L);

/* words.c: functions that convert values to text and back. */
extern const luaL_Reg tl_words[];

/* event.c: an event as a Lua value. */
struct tl_event_value {
	struct tl_event event;
	int64_t delta_ns;
	struct tl_span span; /* if paired or open */
	uint32_t depth;
	bool has_delta;
	bool has_depth;
	bool paired; /* the event is the end of a span, or is a span */
	bool open;   /* a span that has not ended */
};
/* Register the type.  Leaves the stack as it was. */
void tl_event_register(lua_State *L);
/* Push a new event value.  The value refers to the cache of texts, which keeps
 * its source alive. */
struct tl_event_value *tl_event_push(lua_State *L, int cache, bool with_states);
/* Store the states of the span on top, which was pushed with_states. */
void tl_event_set_states(lua_State *L, const struct tl_parts *parts);
/* The value of a field or an argument, without Lua. */
enum tl_scalar_kind {
	TL_SCALAR_NIL,
	TL_SCALAR_BOOLEAN,
	TL_SCALAR_INTEGER,
	TL_SCALAR_REAL,
	TL_SCALAR_TEXT,
	TL_SCALAR_UNKNOWN /* a missing string, or no memory */
};
struct tl_scalar {
	enum tl_scalar_kind kind;
	union {
		bool boolean;
		int64_t integer;
		double real;
		struct tl_bytes text;
	};
};
/* Push a scalar; UNKNOWN raises the memory error. */
void tl_scalar_push(lua_State *L, const struct tl_scalar *scalar);

/* Set the numbers of fields by name in the table on top; of_spans adds the
 * fields of spans. */
void tl_event_set_names(lua_State *L, bool of_spans);
/* The number of a field that every event has; 0: no such field. */
int tl_event_find_field(struct tl_bytes name);
/* Is a field rendered in the scratch text of the host?  The text is valid until
 * the next field is rendered. */
bool tl_event_field_is_rendered(int field);
/* Get a field of event.  The value holds the fields of spans and the delta; its
 * own event is not used.  Raises no error. */
void tl_event_get_field(lua_State *L, const struct tl_event *event,
    const struct tl_event_value *value, int field, struct tl_scalar *to);
/* Push a field of the value; cache is the index of the table of texts by
 * message. */
void tl_event_push_field(lua_State *L, const struct tl_event_value *value,
    int field, int cache);
/* Raises an error if the timeline of the event at index was closed. */
void tl_event_check_alive(lua_State *L, int index);
enum { TL_FIELD_ARGS = 1 }; /* the caller pushes them, push_field does not */

/* arguments.c: push the arguments of an event that outlives them, or of the
 * event that a pointer refers to at the time of reading. */
void tl_arguments_register(lua_State *L);
void tl_arguments_push(lua_State *L, const struct tl_event *event);
void
tl_arguments_push_current(lua_State *L, const struct tl_event *const *event);
/* The value of an argument by its number, in its format. */
void tl_arguments_get(const struct tl_event *event, unsigned index,
    struct tl_scalar *to);
/* The number of an argument by its name; -1: there is none. */
static inline int
tl_message_find_argument(const struct tl_message *message, struct tl_bytes name)
{
	for (int i = 0; i < message->argc; i++)
		if (tl_bytes_equal(message->args[i].name, name))
			return i;
	return -1;
}
/* The number of the argument whose name or number is at index key; -1: none. */
int tl_arguments_find(lua_State *L, const struct tl_event *event, int key);

/* source.c: one or several inputs as a Lua value with methods. */
struct tl_script_source {
	const struct tl_script_input *inputs; /* the caller's, or own */
	struct tl_script_input own;
	size_t count;
	/* number of the first input among all inputs of the script */
	size_t first;
	/* of a source that open() returned: */
	bool is_owned; /* the source was not collected */
	struct tl_sources sources;
	struct tl_trace *trace; /* NULL: no file with call trees */
	/* the messages of all sources, for messages() */
	const struct tl_message **listed;
	uint64_t forgets; /* calls of node:forget() */
	bool closed;
};
void tl_script_source_register(lua_State *L);
/* nodes.c: roots() of the source at index 1, and the nodes that roots()
 * returns. */
void tl_script_nodes_register(lua_State *L);
int tl_script_source_roots(lua_State *L);
/* why.c: why(options) of the source at index 1. */
void tl_script_why_register(lua_State *L);
int tl_script_source_why(lua_State *L);
struct tl_script_source *tl_script_source_push(lua_State *L);
/* Keep the string at index name alive as long as the source on top. */
void tl_script_source_keep_name(lua_State *L, int name);
struct tl_script_source *tl_script_source_check(lua_State *L, int index);
/* Push the texts by message of the source at index; the texts keep the source
 * alive. */
void tl_script_source_push_cache(lua_State *L, int index);
/* Was any source collected?  Only then must each event check, by its cache,
 * that its own source is alive; a dead source raises an error. */
extern bool tl_script_source_collected;
void tl_script_source_check_alive(lua_State *L, int cache);
/* A cursor over all inputs of a source: 0 or -errno. */
int tl_script_source_open(const struct tl_script_source *source,
    enum tl_order order, struct tl_cursor **cursor);
/* Set *ns to the time of the last kernel event of an input; INT64_MIN: none.
 * Returns 0 or -errno. */
int tl_script_input_horizon(const struct tl_script_input *input, int64_t *ns);
/* Add events, spans, messages, info and why (of the source on top) and inputs
 * to the table below the source.  Pops the source. */
void tl_script_source_bind(lua_State *L);

/* iterate.c: events(options) and spans(options) of a source at index 1. */
void tl_iterate_register(lua_State *L);
int tl_iterate_events(lua_State *L);
int tl_iterate_spans(lua_State *L);

/* iterate.c: the order in a table of options. */
enum tl_order tl_options_order(lua_State *L, int options);
/* Raise an error for an unknown option in the table. */
void tl_options_check(lua_State *L, int options);

/* source.c: messages() and info() of a source at index 1. */
int tl_describe_messages(lua_State *L);
int tl_describe_info(lua_State *L);

/* histogram.c: histograms. */
void tl_histogram_register(lua_State *L);
int tl_histogram_create(lua_State *L);

/* expression.c: filters that need no Lua. */
enum { TL_EXPRESSION_NODES_MAX = 64 };
struct tl_expression_node;
struct tl_expression {
	struct tl_expression_node *nodes; /* the last one is the root */
	unsigned count;                   /* 0: it was not compiled */
};
/* Compile an expression, which must be valid Lua, if the whole of it is simple
 * enough; otherwise, or without memory, count is 0.  The nodes refer to
 * text. */
void tl_expression_compile(struct tl_expression *expression, lua_State *L,
    const char *text);
void tl_expression_free(struct tl_expression *expression);
/* Does an event pass?  1, 0; -1: Lua must evaluate it. */
int tl_expression_passes(const struct tl_expression *expression, lua_State *L,
    const struct tl_event *event, const struct tl_event_value *value);

/* sandbox.c: open the libraries of a state; trusted: all libraries of Lua. */
void tl_sandbox_open(lua_State *L, bool trusted);
/* sandbox.c: open the libraries of a chunk that only returns data. */
void tl_sandbox_open_data(lua_State *L);

/* views.c: the Lua texts that are built into the program. */
bool tl_view_find(const char *name, struct tl_bytes *text);
struct tl_bytes tl_prelude(void);

/* state.c: create a state with its host, libraries and caps.  Returns 0, or
 * -errno and a fault. */
int tl_state_open(lua_State **L, struct tl_state *host,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    struct tl_fault *fault);
void tl_state_close(lua_State *L, struct tl_state *host);
/* The message handler of a state, which adds the place and the calls. */
int tl_state_explain(lua_State *L);
/* Turn the status of lua_pcall and the text on top, which is popped, into
 * -errno and a fault.  The whole text goes to *whole unless whole is NULL. */
int tl_state_failed(lua_State *L, struct tl_state *host, int status,
    struct tl_text *whole, struct tl_fault *fault);

#endif
