/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host.h - what the files of this folder share.
 *
 * A host stands behind every Lua state that speaks our API: that of a script
 * or a filter, which we made, or a plain Lua that required the module.  Every
 * C resource that Lua code can get at belongs to a userdata that gives it
 * back, so that an error may pass at any time.
 */
#ifndef TL_SCRIPT_HOST_H
#define TL_SCRIPT_HOST_H

#include "analysis/states.h"
#include "base/text.h"
#include "event/filter.h"
#include "event/spans.h"
#include "read/file.h"
#include "script/script.h"
#include "script/watch.h"

#include <lauxlib.h>
#include <lua.h>

enum {
	TL_SCRIPT_CURSORS_MAX = 64, /* open in one state at a time */
	TL_SCRIPT_PLACE_MAX = 200   /* bytes of "script.lua:12:" */
};

/* The bytes that a state may have: those of Lua and those of userdata. */
struct tl_memory {
	lua_State *L; /* to find the place; NULL while there is none */
	struct tl_watch *watch; /* waits while memory is moved; or NULL */
	size_t used;
	size_t size_max;
	bool refused;                    /* ever */
	char place[TL_SCRIPT_PLACE_MAX]; /* where it was refused last */
};

struct tl_host {
	struct tl_memory memory;
	struct tl_watch watch;
	bool trusted;
	/* The libraries in place of those of a script; NULL: those. */
	void (*open)(lua_State *L);
	int rc; /* what a cursor or io.write failed with: the end */
	struct tl_script_io io;
	struct tl_text text;       /* scratch: outlives every error */
	unsigned cursors;          /* open now */
	tl_script_host *host_name; /* of a source; NULL: not known */
	const void *hosts;         /* for host_name */
	struct tl_event current;   /* the event being looked at */
	bool has_current;
};

/* state.c: the allocator of a state and the charge for what is not Lua's. */
void *tl_memory_allocate(void *memory, void *block, size_t size, size_t wanted);
/* Raises Lua's error of memory when it does not fit even after a collection. */
void tl_memory_charge(lua_State *L, struct tl_host *host, size_t size);
void tl_memory_release(struct tl_host *host, size_t size);

/* host.c: a state's host; the scratch text, emptied. */
struct tl_host *tl_host(lua_State *L);
void tl_host_set(lua_State *L, struct tl_host *host);
struct tl_text *tl_host_scratch(struct tl_host *host);
/* Push what the scratch text holds, or raise the error that it has. */
void tl_host_push_scratch(lua_State *L, struct tl_host *host);
/* Write text to io, escaped; raises an error when io fails. */
void tl_host_write(lua_State *L, struct tl_host *host, struct tl_bytes bytes);
/* Text for people: as tl_put_lines, but a backslash and a tab stay. */
void tl_put_printed(struct tl_text *text, struct tl_bytes bytes);
/* Raise the error that rc, which a cursor or io gave, stands for. */
int tl_host_fail(lua_State *L, struct tl_host *host, int rc, const char *what);
/* Make a metatable that scripts cannot get at, kept in the registry under the
 * address key.  Leaves on top what was there: the functions' upvalue. */
void tl_host_register_type(lua_State *L, const char *name, const void *key,
    const luaL_Reg *functions);
/* Is the value at index of that type?  Its address, or an argument error. */
void *
tl_host_check_type(lua_State *L, int index, const char *name, const void *key);
/* Called by lua_pcall with the host as a light userdata: tl_host_set. */
int tl_host_open(lua_State *L);

/* library.c: push the table "timeline" with all that needs no input, its
 * helpers that are written in Lua included. */
void tl_library_push(lua_State *L);

/* words.c: functions that turn values into text and back. */
extern const luaL_Reg tl_words[];

/* event.c: an event as a Lua value. */
struct tl_event_value {
	struct tl_event event;
	int64_t delta_ns;
	struct tl_span span; /* where paired or open */
	uint32_t depth;
	bool has_delta;
	bool has_depth;
	bool paired; /* the event is the end of a span, or the span itself */
	bool open;   /* a span that has not ended */
};
/* Make the types known; leaves nothing. */
void tl_event_register(lua_State *L);
/* Push a new event value; it keeps the cache of texts, and thereby its
 * source, alive. */
struct tl_event_value *tl_event_push(lua_State *L, int cache, bool with_states);
/* Keep the states of the span on top, which was pushed with_states. */
void tl_event_set_states(lua_State *L, const struct tl_parts *parts);
/* A value that needs no Lua: what fields and arguments are. */
enum tl_scalar_kind {
	TL_SCALAR_NIL,
	TL_SCALAR_BOOLEAN,
	TL_SCALAR_INTEGER,
	TL_SCALAR_REAL,
	TL_SCALAR_TEXT,
	TL_SCALAR_UNKNOWN /* a string that is not there; no memory */
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
/* Push a scalar; UNKNOWN raises the error of memory. */
void tl_scalar_push(lua_State *L, const struct tl_scalar *scalar);

/* Push the table that turns the name of a field into its number; of_spans:
 * with the fields that only spans have. */
void tl_event_push_names(lua_State *L, bool of_spans);
/* The number of a field that every event has; 0: no such field. */
int tl_event_find_field(struct tl_bytes name);
/* Is a field made in the scratch text of the host?  It stays until the next
 * one is made. */
bool tl_event_field_is_rendered(int field);
/* Get a field of an event.  value has the fields of spans, and delta; its own
 * event is not looked at.  Raises no error. */
void tl_event_get_field(lua_State *L, const struct tl_event *event,
    const struct tl_event_value *value, int field, struct tl_scalar *to);
/* Push a field; cache is the index of a table that keeps texts by message. */
void tl_event_push_field(lua_State *L, const struct tl_event_value *value,
    int field, int cache);
/* Raises an error when the timeline of the event at index is gone. */
void tl_event_check_alive(lua_State *L, int index);
enum { TL_FIELD_ARGS = 1 }; /* pushed by the caller, not by push_field */

/* arguments.c: those of an event that outlives them, or of whatever event the
 * pointer points to when they are looked at. */
void tl_arguments_register(lua_State *L);
void tl_arguments_push(lua_State *L, const struct tl_event *event);
void
tl_arguments_push_current(lua_State *L, const struct tl_event *const *event);
/* The value of argument number index, by its format. */
void tl_arguments_get(const struct tl_event *event, unsigned index,
    struct tl_scalar *to);
/* The number of the argument of that name; -1: the message has none. */
static inline int
tl_message_find_argument(const struct tl_message *message, struct tl_bytes name)
{
	for (int i = 0; i < message->argc; i++)
		if (tl_bytes_equal(message->args[i].name, name))
			return i;
	return -1;
}
/* The number of the argument that the name or number at index key means;
 * -1 when the event has no such. */
int tl_arguments_find(lua_State *L, const struct tl_event *event, int key);

/* source.c: one or several inputs as a Lua value with methods. */
struct tl_script_source {
	const struct tl_script_input *inputs; /* the caller's, or own */
	struct tl_script_input own;
	size_t count;
	size_t first; /* place of the first input among all of the script */
	/* Of what open() returned: */
	bool is_owned; /* until it is collected */
	struct tl_read_file file;
	const struct tl_message **listed; /* of a trace, for messages() */
	uint64_t forgets;                 /* calls of node:forget() */
	bool closed;
};
void tl_script_source_register(lua_State *L);
/* nodes.c: roots() of the source at index 1, and what it returns. */
void tl_script_nodes_register(lua_State *L);
int tl_script_source_roots(lua_State *L);
/* why.c: why(options) of the source at index 1. */
void tl_script_why_register(lua_State *L);
int tl_script_source_why(lua_State *L);
struct tl_script_source *tl_script_source_push(lua_State *L);
/* Keep the string at index name as long as the source on top. */
void tl_script_source_keep_name(lua_State *L, int name);
struct tl_script_source *tl_script_source_check(lua_State *L, int index);
/* Push the texts by message that belong to the source at index; they keep it
 * alive. */
void tl_script_source_push_cache(lua_State *L, int index);
/* Was the timeline of any source closed?  Then each event has to ask whether
 * its own was, with the cache it has: an error if so. */
extern bool tl_script_source_collected;
void tl_script_source_check_alive(lua_State *L, int cache);
/* A cursor over all inputs of a source: 0 or -errno. */
int tl_script_source_open(const struct tl_script_source *source,
    enum tl_order order, struct tl_cursor **cursor);
/* Put events, spans, messages, info (of the source on top) and inputs into
 * the table below it; pops the source. */
void tl_script_source_bind(lua_State *L);

/* iterate.c: events(options) and spans(options) of a source at index 1. */
void tl_iterate_register(lua_State *L);
int tl_iterate_events(lua_State *L);
int tl_iterate_spans(lua_State *L);

/* iterate.c: what an options table asks for. */
enum tl_order tl_options_order(lua_State *L, int options);
/* Is every word in the table one that we know? */
void tl_options_check(lua_State *L, int options);

/* source.c: messages() and info() of a source at index 1. */
int tl_describe_messages(lua_State *L);
int tl_describe_info(lua_State *L);

/* histogram.c */
void tl_histogram_register(lua_State *L);
int tl_histogram_create(lua_State *L);

/* expression.c: filters that need no Lua. */
enum { TL_EXPRESSION_NODES_MAX = 64 };
struct tl_expression_node;
struct tl_expression {
	struct tl_expression_node *nodes; /* the last one is the root */
	unsigned count;                   /* 0: it was not compiled */
};
/* Compile an expression, of which Lua knows that it is one, if all of it is
 * simple enough; else, and without memory, count is 0.  It points into text. */
void tl_expression_compile(struct tl_expression *expression, lua_State *L,
    const char *text);
void tl_expression_free(struct tl_expression *expression);
/* Does an event pass: 1, 0; -1: Lua must evaluate it. */
int tl_expression_passes(const struct tl_expression *expression, lua_State *L,
    const struct tl_event *event, const struct tl_event_value *value);

/* sandbox.c: the libraries of an untrusted state; print. */
void tl_sandbox_open(lua_State *L, bool trusted);
/* sandbox.c: those of a chunk that only returns data. */
void tl_sandbox_open_data(lua_State *L);

/* views.c: texts that are part of the program. */
bool tl_view_find(const char *name, struct tl_bytes *text);
struct tl_bytes tl_prelude(void);

/* state.c: a state of ours with its host, libraries and caps. */
int tl_state_open(lua_State **L, struct tl_host *host,
    const struct tl_script_limits *limits, const struct tl_script_io *io,
    struct tl_fault *fault);
void tl_state_close(lua_State *L, struct tl_host *host);
/* The message handler of a state of ours. */
int tl_state_explain(lua_State *L);
/* Say what lua_pcall's status and the text on top mean: -errno, and a fault;
 * the whole text into *whole where that is not NULL.  Pops the text. */
int tl_state_failed(lua_State *L, struct tl_host *host, int status,
    struct tl_text *whole, struct tl_fault *fault);

#endif
