/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iterate.c - iterate over events and spans, as chosen by options.
 */
#include "base/array.h"
#include "base/options.h"
#include "base/table.h"
#include "clock/clock.h"
#include "event/details.h"
#include "script/host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* == options == */

/* The order in a table of options. */
static enum tl_order
order_of(lua_State *L, int options)
{
	static const char *const words[] = { "newest", "oldest", NULL };
	enum tl_order order = TL_NEWEST_FIRST;

	if (!lua_istable(L, options))
		return order;
	lua_getfield(L, options, "order");
	if (luaL_checkoption(L, -1, "newest", words) == 1)
		order = TL_OLDEST_FIRST;
	lua_pop(L, 1);
	return order;
}

static bool
flag_of(lua_State *L, int options, const char *name)
{
	bool flag;

	if (!lua_istable(L, options))
		return false;
	lua_getfield(L, options, name);
	flag = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return flag;
}

/* Raise an error for an unknown option in the table. */
static void
check_options(lua_State *L, int options)
{
	static const char *const known[] = { "order", "category", "message",
		"priority", "pid", "tid", "cpu", "since", "before", "pair",
		"open", "states", "own", NULL };

	if (lua_isnoneornil(L, options))
		return;
	luaL_checktype(L, options, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, options)) {
		size_t i = 0;

		lua_pop(L, 1);
		if (lua_type(L, -1) == LUA_TSTRING)
			while (known[i] &&
			       strcmp(known[i], lua_tostring(L, -1)) != 0)
				i++;
		if (lua_type(L, -1) != LUA_TSTRING || !known[i]) {
			const char *word = luaL_tolstring(L, -1, NULL);
			struct tl_near near = tl_near_to(word);

			for (i = 0; known[i]; i++)
				tl_near_try(&near, known[i]);
			if (near.best[0])
				luaL_error(L,
				    "no such option: '%s'; did you mean '%s'?",
				    word, near.best);
			luaL_error(L, "no such option: '%s'", word);
		}
	}
}

/* Push the list of an option's values; a single value counts as a list of one.
 * Returns the number of values; 0: the option is not given, and nothing is
 * pushed. */
static size_t
push_list(lua_State *L, int options, const char *name)
{
	size_t count;

	if (lua_getfield(L, options, name) == LUA_TNIL) {
		lua_pop(L, 1);
		return 0;
	}
	if (!lua_istable(L, -1)) {
		lua_createtable(L, 1, 0);
		lua_insert(L, -2);
		lua_rawseti(L, -2, 1);
	}
	count = lua_rawlen(L, -1);
	if (count == 0 || count > TL_FILTER_LIST_MAX)
		luaL_error(L, "option '%s' takes 1 to %d values", name,
		    TL_FILTER_LIST_MAX);
	return count;
}

/* keep is the index of the table that keeps the strings alive. */
static size_t
fill_globs(lua_State *L, int options, const char *name, int keep,
    const char **globs)
{
	const size_t count = push_list(L, options, name);

	for (size_t i = 0; i < count; i++) {
		if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TSTRING)
			luaL_error(L, "option '%s' takes text", name);
		globs[i] = lua_tostring(L, -1);
		lua_rawseti(L, keep, (lua_Integer)lua_rawlen(L, keep) + 1);
	}
	if (count > 0)
		lua_pop(L, 1);
	return count;
}

static size_t
fill_numbers(lua_State *L, int options, const char *name, uint32_t *numbers)
{
	const size_t count = push_list(L, options, name);

	for (size_t i = 0; i < count; i++) {
		int is_number;

		lua_rawgeti(L, -1, (lua_Integer)i + 1);
		const lua_Integer n = lua_tointegerx(L, -1, &is_number);
		if (!is_number || n < 0 || n > UINT32_MAX)
			luaL_error(L, "option '%s' takes numbers", name);
		numbers[i] = (uint32_t)n;
		lua_pop(L, 1);
	}
	if (count > 0)
		lua_pop(L, 1);
	return count;
}

/* The time of the newest event; 0: no event. */
static int64_t
newest_of(lua_State *L, const struct tl_script_source *source)
{
	struct tl_cursor *cursor;
	int64_t ns = 0;
	int rc = tl_script_source_open(source, TL_NEWEST_FIRST, &cursor);

	if (rc < 0)
		tl_host_fail(L, tl_host(L), rc, "cannot read");
	(void)tl_cursor_newest(cursor, &ns);
	return ns;
}

/* A point in time: nanoseconds, or text as for --since.  If the option is not
 * given the result is otherwise. */
static int64_t
time_of(lua_State *L, int options, const struct tl_script_source *source,
    const char *name, int64_t otherwise)
{
	struct tl_fault fault = { 0 };
	struct tl_bound bound;
	int64_t ns = otherwise;

	switch (lua_getfield(L, options, name)) {
	case LUA_TNIL:
		break;
	case LUA_TSTRING:
		if (tl_option_bound(lua_tostring(L, -1), &bound, &fault) != 0)
			luaL_error(L, "option '%s': %s", name, fault.text);
		ns = bound.ns;
		if (bound.relative)
			ns = tl_add_ns(newest_of(L, source), ns);
		break;
	default:
		ns = luaL_checkinteger(L, -1);
	}
	lua_pop(L, 1);
	return ns;
}

/*
 * Fill a filter from the table at index options, and push a table that keeps
 * the filter's strings alive.  Returns false if the filter filters nothing.
 */
static bool
fill_filter(lua_State *L, int options, const struct tl_script_source *source,
    struct tl_filter *filter)
{
	int keep;
	int level = 0;

	tl_filter_init(filter);
	lua_newtable(L);
	keep = lua_gettop(L);
	if (!lua_istable(L, options))
		return false;
	filter->category_count =
	    fill_globs(L, options, "category", keep, filter->categories);
	filter->message_count =
	    fill_globs(L, options, "message", keep, filter->messages);
	filter->pid_count = fill_numbers(L, options, "pid", filter->pids);
	filter->tid_count = fill_numbers(L, options, "tid", filter->tids);
	filter->cpu_count = fill_numbers(L, options, "cpu", filter->cpus);
	if (lua_getfield(L, options, "priority") != LUA_TNIL) {
		level = tl_level_parse(luaL_checkstring(L, -1));
		if (level < 0)
			luaL_error(L, "no such priority: '%s': %s",
			    lua_tostring(L, -1), tl_level_names());
	}
	lua_pop(L, 1);
	filter->min_level = (unsigned)level;
	filter->since_ns = time_of(L, options, source, "since", INT64_MIN);
	filter->until_ns = time_of(L, options, source, "before", INT64_MAX);
	return filter->category_count || filter->message_count ||
	       filter->pid_count || filter->tid_count || filter->cpu_count ||
	       filter->min_level || filter->since_ns != INT64_MIN ||
	       filter->until_ns != INT64_MAX;
}

/* == iterators == */

enum {
	/* The approximate memory of a cursor. */
	CURSOR_CHARGE = 16384,
	/* The approximate memory of states before the first thread. */
	STATES_CHARGE = 131072,
	/* The approximate memory of own time. */
	OWN_CHARGE = 131072,
	/* The memory of a begin event that waits for its end, and how many
	 * begin events are charged at a time. */
	OPEN_CHARGE = 192,
	OPEN_AT_ONCE = 1024,
	/* Events skipped between two checks of the time cap. */
	CHECK_EVERY = 1024
};

/* Own time of spans of a message, added up for a key of the script. */
struct sum {
	const struct tl_message *message;
	struct tl_own own;
};

struct iterator {
	struct tl_state *host;
	struct tl_cursor *cursor;   /* NULL: at the end */
	struct tl_spans *spans;     /* NULL: no pairs are needed */
	struct tl_states *states;   /* NULL: not chosen, or no kernel events */
	struct tl_details *details; /* NULL: own time is not asked */
	struct tl_own own;          /* of the last span that has ended */
	const struct tl_message *owner; /* of own; NULL: none */
	struct tl_id_map sum_ids;       /* message and key -> sums */
	struct sum *sums;
	size_t sum_capacity;
	unsigned *machines; /* of each input; NULL: only one machine */
	enum tl_order order;
	size_t charged;
	size_t source; /* number of the input, if there is only one */
	bool one_source;
	bool filtered;
	bool want_open; /* spans: include those without an end */
	bool has_previous;
	int64_t previous_ns;
	size_t open_count; /* begin events that wait, at most */
	size_t open_charged;
	uint32_t open_next;
	const struct tl_message *asked; /* the last message that was filtered */
	bool passed;                    /* the result for asked */
	struct tl_filter filter;
};

static const char iterator_key;

/* User values: the texts by message, the strings of the filter. */
enum { USER_CACHE = 1, USER_STRINGS };

static void
finish_reading(struct iterator *iterator)
{
	if (iterator->cursor)
		iterator->host->cursors--;
	tl_cursor_close(iterator->cursor);
	iterator->cursor = NULL;
}

static int
collect(lua_State *L)
{
	struct iterator *iterator =
	    tl_host_check_type(L, 1, "iterator", &iterator_key);

	finish_reading(iterator);
	tl_spans_free(iterator->spans);
	iterator->spans = NULL;
	tl_states_free(iterator->states);
	iterator->states = NULL;
	tl_details_free(iterator->details);
	iterator->details = NULL;
	tl_id_map_free(&iterator->sum_ids);
	free(iterator->sums);
	iterator->sums = NULL;
	free(iterator->machines);
	iterator->machines = NULL;
	tl_memory_release(iterator->host, iterator->charged);
	iterator->charged = 0;
	return 0;
}

static void
charge(lua_State *L, struct iterator *iterator, size_t size)
{
	tl_memory_charge(L, iterator->host, size);
	iterator->charged += size;
}

/* Push an iterator over the source at index 1, with the options at index 2. */
static struct iterator *
push_iterator(lua_State *L, enum tl_order order, bool pair)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	struct tl_state *host = tl_host(L);
	struct iterator *iterator;
	int rc;

	/* Make room for a cursor.  A collection closes cursors that no Lua
	 * value refers to. */
	if (host->cursors >= TL_SCRIPT_CURSORS_MAX)
		lua_gc(L, LUA_GCCOLLECT);
	if (host->cursors >= TL_SCRIPT_CURSORS_MAX)
		luaL_error(L, "more than %d iterators at a time",
		    TL_SCRIPT_CURSORS_MAX);
	iterator = tl_host_push(L, sizeof(*iterator), 2, &iterator_key);
	iterator->host = host;
	iterator->order = order;
	iterator->source = source->first;
	iterator->one_source = source->count == 1;
	charge(L, iterator, CURSOR_CHARGE);
	tl_script_source_push_cache(L, 1);
	lua_setiuservalue(L, -2, USER_CACHE);
	iterator->filtered = fill_filter(L, 2, source, &iterator->filter);
	lua_setiuservalue(L, -2, USER_STRINGS);
	if (pair && tl_spans_new(&iterator->spans) < 0)
		luaL_error(L, "not enough memory");
	rc = tl_script_source_open(source, order, &iterator->cursor);
	if (rc < 0)
		tl_host_fail(L, host, rc, "cannot read");
	host->cursors++;
	return iterator;
}

/* Make the states, with the machine of each input, because inputs of two
 * machines have no threads in common. */
static int
make_states(const struct tl_script_source *source, struct iterator *iterator)
{
	const struct tl_hosts *hosts = source->sources->hosts;

	if (iterator->states)
		return 0;
	if (source->count == 1)
		return tl_states_new(&iterator->states, INT64_MIN, NULL, 1);
	iterator->machines = calloc(source->count, sizeof(*iterator->machines));
	if (!iterator->machines)
		return -ENOMEM;
	for (size_t i = 0; i < source->count; i++) {
		const size_t place = tl_script_place(source, i);

		iterator->machines[i] = hosts->machine_of[place];
	}
	return tl_states_new(&iterator->states, INT64_MIN, iterator->machines,
	    hosts->count);
}

/* Follow the states of threads, if there are kernel events. */
static void
follow_states(lua_State *L, struct iterator *iterator)
{
	const struct tl_script_source *source = tl_script_source_check(L, 1);
	int64_t horizon;
	int rc = 0;

	for (size_t i = 0; i < source->count && rc == 0; i++) {
		rc = tl_script_source_horizon(source, i, &horizon);
		if (rc < 0 || horizon == INT64_MIN)
			continue;
		charge(L, iterator, STATES_CHARGE);
		rc = make_states(source, iterator);
		if (rc == 0)
			rc = tl_states_set_horizon(iterator->states,
			    (uint16_t)(source->first + i), horizon);
	}
	if (rc < 0)
		tl_host_fail(L, iterator->host, rc, "cannot read");
}

/* Add an event to the pairs, and complete an end.  Did it end a span? */
static bool
pair_event(lua_State *L, struct iterator *iterator, struct tl_event *event,
    struct tl_span *span)
{
	int rc;

	if (event->kind == TL_BEGIN) {
		/* Charge the memory of waiting begin events before more of them
		 * wait. */
		if (iterator->open_count < TL_SPANS_OPEN_MAX &&
		    iterator->open_count++ >= iterator->open_charged) {
			charge(L, iterator, (size_t)OPEN_AT_ONCE * OPEN_CHARGE);
			iterator->open_charged += OPEN_AT_ONCE;
		}
	}
	rc = tl_spans_complete(iterator->spans, event, span);
	if (rc < 0)
		tl_host_fail(L, iterator->host, rc, "cannot pair spans");
	if (rc == 1 && iterator->open_count > 0)
		iterator->open_count--;
	if (iterator->details &&
	    (tl_details_put(iterator->details, iterator->spans, event) < 0 ||
		(rc == 1 && tl_details_own(iterator->details, span,
				&iterator->own) < 0)))
		luaL_error(L, "not enough memory");
	iterator->owner = rc == 1 ? span->message : NULL;
	return rc == 1;
}

/* Read the next event; false: no more. */
static bool
read_event(lua_State *L, struct iterator *iterator, struct tl_event *event)
{
	int rc;

	if (!iterator->cursor)
		return false;
	rc = tl_cursor_next(iterator->cursor, event);
	if (rc > 0) {
		if (iterator->one_source)
			event->source = (uint16_t)iterator->source;
		if (iterator->states &&
		    tl_states_put(iterator->states, event) < 0)
			luaL_error(L, "not enough memory");
		return true;
	}
	iterator->host->has_current = false;
	finish_reading(iterator);
	if (rc < 0)
		tl_host_fail(L, iterator->host, rc, "cannot read");
	return false;
}

static bool
passes(struct iterator *iterator, const struct tl_event *event)
{
	if (!iterator->filtered || event->aside)
		return !event->aside;
	if (event->message && event->message != iterator->asked) {
		iterator->asked = event->message;
		iterator->passed =
		    tl_filter_message(&iterator->filter, event->message);
	}
	return (!event->message || iterator->passed) &&
	       tl_filter_event(&iterator->filter, event);
}

static void
look_at(struct tl_state *host, const struct tl_event *event)
{
	host->current = *event;
	host->has_current = true;
}

static void
fill_delta(struct iterator *iterator, struct tl_event_value *value)
{
	const uint64_t now = (uint64_t)value->event.ns;
	const uint64_t then = (uint64_t)iterator->previous_ns;

	value->has_delta = iterator->has_previous;
	value->delta_ns =
	    (int64_t)(iterator->order == TL_OLDEST_FIRST ? now - then
							 : then - now);
	iterator->previous_ns = value->event.ns;
	iterator->has_previous = true;
}

/* Upvalue 1: the iterator. */
static int
next_event(lua_State *L)
{
	struct iterator *iterator = lua_touserdata(L, lua_upvalueindex(1));
	struct tl_event_value read = { 0 };
	struct tl_event_value *value;
	unsigned passed_over = 0;

	do {
		if (++passed_over % CHECK_EVERY == 0)
			tl_watch_check(L, &iterator->host->watch);
		if (!read_event(L, iterator, &read.event)) {
			lua_pushnil(L);
			return 1;
		}
		/* Set the depth and the span of an event.  The depth is asked
		 * before the event joins the pairs; an end event has the depth
		 * of its span. */
		if (iterator->spans) {
			read.has_depth = true;
			read.depth =
			    tl_spans_depth(iterator->spans, &read.event);
			read.paired =
			    pair_event(L, iterator, &read.event, &read.span);
			if (read.event.kind == TL_END)
				read.depth = read.paired ? read.span.depth : 0;
		}
	} while (!passes(iterator, &read.event));
	fill_delta(iterator, &read);
	look_at(iterator->host, &read.event);
	lua_getiuservalue(L, lua_upvalueindex(1), USER_CACHE);
	value = tl_event_push(L, -1, false);
	*value = read;
	return 1;
}

/* Read the next span that has ended; false: no more. */
static bool
read_ended(lua_State *L, struct iterator *iterator, struct tl_span *span)
{
	struct tl_event event;
	unsigned passed_over = 0;

	while (read_event(L, iterator, &event)) {
		if (++passed_over % CHECK_EVERY == 0)
			tl_watch_check(L, &iterator->host->watch);
		if (event.kind == TL_LOST || passes(iterator, &event) ||
		    tl_observed_is_change(event.message)) {
			if (pair_event(L, iterator, &event, span))
				return true;
		} else if (iterator->details &&
			   tl_details_put(iterator->details, NULL, &event) <
			       0) {
			luaL_error(L, "not enough memory");
		}
	}
	return false;
}

static int
next_span(lua_State *L)
{
	struct iterator *iterator = lua_touserdata(L, lua_upvalueindex(1));
	struct tl_event_value read = { 0 };
	struct tl_event_value *value;
	struct tl_parts parts;

	read.paired = iterator->spans && read_ended(L, iterator, &read.span);
	read.open =
	    !read.paired && iterator->want_open && iterator->spans &&
	    tl_spans_open(iterator->spans, &iterator->open_next, &read.span);
	if (!read.paired && !read.open) {
		iterator->host->has_current = false;
		lua_pushnil(L);
		return 1;
	}
	read.event = tl_span_begin(&read.span);
	read.depth = read.span.depth;
	read.has_depth = true;
	fill_delta(iterator, &read);
	look_at(iterator->host, &read.event);
	lua_getiuservalue(L, lua_upvalueindex(1), USER_CACHE);
	value = tl_event_push(L, -1, iterator->states != NULL);
	*value = read;
	if (iterator->states && read.paired &&
	    !tl_states_is_kernel(&read.event)) {
		tl_states_span(iterator->states, &read.span, &parts);
		tl_event_set_states(L, &parts);
	}
	return 1;
}

/*
 * Push the function of a for loop over the iterator on top.
 *
 * A for loop would take a fourth value and close that value when the loop is
 * left, but Lua 5.4.4 forgets the value if a closure has the loop's variable
 * and the loop ends by break or goto, and later closes another value in its
 * place.  So no fourth value is pushed: a cursor is closed at the last event,
 * or when its iterator is collected, at the latest when another iterator needs
 * room.  A hundred thousand loops with a break then take 4 MiB more of memory
 * and no more time; beside half a million live tables a loop takes 0.5 ms more,
 * its share of a collection.
 */
static int
push_loop(lua_State *L, lua_CFunction next)
{
	lua_pushcclosure(L, next, 1);
	return 1;
}

/* own(key): add the own time of the last span to the sum of the key. */
static void
add_own(lua_State *L, struct iterator *iterator)
{
	const struct tl_id_key key = { (uintptr_t)iterator->owner,
		(uint64_t)luaL_checkinteger(L, 1) };
	struct sum *sum;
	uint32_t id;
	int rc;

	luaL_argcheck(L, iterator->owner, 1, "no span has ended");
	rc = tl_id_map_get(&iterator->sum_ids, key, &id);
	if (rc > 0)
		charge(L, iterator, sizeof(*sum));
	if (rc < 0 ||
	    TL_ARRAY_ZEROS(iterator->sums, iterator->sum_capacity, id) < 0)
		luaL_error(L, "not enough memory");
	sum = &iterator->sums[id];
	sum->message = iterator->owner;
	for (unsigned i = 0; i < TL_OWN_KINDS; i++)
		sum->own.ns[i] = tl_add_ns(sum->own.ns[i], iterator->own.ns[i]);
}

/* own(key), or own(): a table of the sums by key.  Upvalue 1: the iterator. */
static int
own(lua_State *L)
{
	struct iterator *iterator = lua_touserdata(L, lua_upvalueindex(1));

	if (!lua_isnoneornil(L, 1)) {
		add_own(L, iterator);
		return 0;
	}
	lua_settop(L, 0);
	lua_newtable(L);
	for (uint32_t i = 0; i < iterator->sum_ids.count; i++) {
		const lua_Integer key =
		    (lua_Integer)iterator->sum_ids.keys[i].b;
		static const char *const names[TL_OWN_PARTS] = { "itself",
			"closed", "overwritten", "lost" };
		int64_t parts[TL_OWN_PARTS] = { 0 };

		if (lua_rawgeti(L, 1, key) == LUA_TNIL) {
			lua_newtable(L);
			lua_pushvalue(L, -1);
			lua_rawseti(L, 1, key);
		}
		/* Add the parts of a sum to the table of its key, which is on
		 * top. */
		tl_details_divide(iterator->details, iterator->sums[i].message,
		    &iterator->sums[i].own, parts);
		for (unsigned k = 0; k < TL_OWN_PARTS; k++) {
			lua_getfield(L, -1, names[k]);
			lua_pushinteger(L, lua_tointeger(L, -1) + parts[k]);
			lua_setfield(L, -3, names[k]);
			lua_pop(L, 1);
		}
		lua_settop(L, 1);
	}
	return 1;
}

int
tl_iterate_events(lua_State *L)
{
	lua_settop(L, 2);
	check_options(L, 2);
	const bool pair = flag_of(L, 2, "pair");
	const enum tl_order order = order_of(L, 2);

	if (pair && order != TL_OLDEST_FIRST)
		return luaL_error(L, "pair needs order=\"oldest\"");
	push_iterator(L, order, pair);
	return push_loop(L, next_event);
}

int
tl_iterate_spans(lua_State *L)
{
	struct iterator *iterator;

	lua_settop(L, 2);
	check_options(L, 2);
	iterator = push_iterator(L, TL_OLDEST_FIRST, true);
	iterator->want_open = flag_of(L, 2, "open");
	if (flag_of(L, 2, "states"))
		follow_states(L, iterator);
	if (!flag_of(L, 2, "own"))
		return push_loop(L, next_span);
	charge(L, iterator, OWN_CHARGE);
	if (tl_details_new(&iterator->details, true) < 0)
		return luaL_error(L, "not enough memory");
	lua_pushvalue(L, -1);
	push_loop(L, next_span);
	lua_insert(L, -2);
	lua_pushcclosure(L, own, 1);
	return 2;
}

void
tl_iterate_register(lua_State *L)
{
	static const luaL_Reg functions[] = { { "__gc", collect },
		{ NULL, NULL } };

	tl_host_register_type(L, "iterator", &iterator_key, functions, NULL);
}
