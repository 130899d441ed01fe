/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - require "timeline" in a plain Lua, on real files. */
#include "lib/test.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeline.h>
#include <unistd.h>

int luaopen_timeline(lua_State *L);

static char path[64];
static char saved[80];
static lua_State *L;

/* A live timeline with 100 events and a span, and a snapshot of it. */
static void
setup(void)
{
	struct timeline *tl;
	struct timeline_event *proc;
	struct timeline_event *span;

	snprintf(path, sizeof(path), "/dev/shm/test-script-module-%d",
	    (int)getpid());
	snprintf(saved, sizeof(saved), "%s.saved", path);
	timeline_remove(path);
	ck_assert_ok(timeline_new(&tl, path, NULL));
	ck_assert_ok(timeline_priority(tl, "trace+++"));
	ck_assert_ok(timeline_define(tl, "example", "trace",
	    "processed $tcp, $udp, and $other", &proc));
	ck_assert_ok(timeline_define_span(tl, "work", "info", "request $id",
	    TIMELINE_THREAD, &span));
	timeline_begin(span, 7);
	for (uint64_t i = 0; i < 100; i++)
		timeline_log(proc, i, UINT64_MAX - i, 3);
	timeline_end(span);
	ck_assert_ok(timeline_save(tl, saved));
	timeline_close(tl);
	L = luaL_newstate();
	ck_assert_ptr_nonnull(L);
	luaL_openlibs(L);
	luaL_requiref(L, "timeline", luaopen_timeline, 0);
	lua_setglobal(L, "timeline");
	lua_pushstring(L, path);
	lua_setglobal(L, "live");
	lua_pushstring(L, saved);
	lua_setglobal(L, "saved");
}

static void
teardown(void)
{
	if (L)
		lua_close(L);
	L = NULL;
	timeline_remove(path);
	unlink(saved);
}

static void
holds(const char *script)
{
	const int rc = luaL_dostring(L, script);

	ck_assert_msg(rc == LUA_OK, "%s", lua_tostring(L, -1));
}

TEST_FILE(.setup = setup, .teardown = teardown, .timeout = 60);

TEST(events_are_read_from_live_and_saved_files)
{
	holds("for _, name in ipairs{live, saved} do\n"
	      "local tl, n, last = timeline.open(name), 0, nil\n"
	      "for e in tl:events{category='example'} do\n"
	      "if e.kind == 'instant' then\n"
	      "assert(e.args.tcp == 99 - n and e.args.udp == -1 - (99 - n))\n"
	      "assert(not last or e.ns <= last) last = e.ns\n"
	      "assert(e.text:find('tcp(' .. 99 - n .. ')', 1, true))\n"
	      "n = n + 1 end end\n"
	      "assert(n == 100)\n"
	      "for s in tl:spans() do assert(s.args.id == 7 and "
	      "s.duration >= 0 and s.kind == 'begin') n = n + 1 end\n"
	      "assert(n == 101)\n"
	      "assert(tl:info().live == (name == live))\n"
	      "assert(tl.name == name)\n"
	      "local found = 0 for _, m in ipairs(tl:messages()) do\n"
	      "if m.category == 'example' then found = found + 1\n"
	      "assert(m.args[2].name == 'udp' and m.priority == 'trace') end "
	      "end assert(found == 1)\n"
	      "local lanes = tl:info().lanes assert(#lanes > 0 and "
	      "lanes[1].entries > 0)\n"
	      "assert(tl:info().creator_pid > 0 and #tl:info().faults == 0)\n"
	      "end");
}

TEST(a_tail_bounds_what_is_read)
{
	holds("local n = 0 for e in timeline.open(saved, 5):events() do "
	      "n = n + 1 end assert(n > 0 and n < 100)");
}

TEST(a_file_that_cannot_be_read_is_an_error_with_text)
{
	holds("local ok, e = pcall(timeline.open, '/nowhere/x') "
	      "assert(not ok and e:find('/nowhere/x: ', 1, true) and "
	      "#e > 15, e)");
	holds("local ok, e = pcall(timeline.open, '/proc/self/status') "
	      "assert(not ok and type(e) == 'string')");
	holds("assert(not pcall(timeline.open))");
	holds("assert(not pcall(timeline.open, saved, -1))");
}

TEST(events_and_iterators_outlive_what_they_came_from)
{
	holds("local e, it do local tl = timeline.open(saved)\n"
	      "it = tl:events() e = it() end\n"
	      "collectgarbage() collectgarbage()\n"
	      "assert(e.category and it().ns and e.args)\n"
	      "local tl = timeline.open(saved) tl:close()\n"
	      "assert(not pcall(tl.events, tl))");
}

/* A finalizer may hold an event whose timeline was collected before. */
TEST(a_dead_event_is_an_error_and_no_crash)
{
	holds("local box = setmetatable({}, { __gc = function(b)\n"
	      "local ok, e = pcall(function() return b.event.category end)\n"
	      "local ok2, e2 = pcall(function() return b.args.tcp end)\n"
	      "seen = { ok, e, ok2, e2 } end })\n"
	      "do local tl = timeline.open(saved)\n"
	      "box.event = tl:events()() box.args = box.event.args end\n"
	      "box = nil collectgarbage() collectgarbage() collectgarbage()\n"
	      "assert(seen and not seen[1] and not seen[3], seen and seen[2])\n"
	      "assert(seen[2]:find('collected') and seen[4]:find("
	      "'collected'))");
}

TEST(a_finalizer_may_use_what_was_collected_before)
{
	/* the table is the oldest object, so its finalizer runs last */
	holds("local t = setmetatable({}, { __gc = function(t) for _, f in "
	      "ipairs(t) do pcall(f) end "
	      "for _, name in ipairs{'events', 'spans', 'info', 'close'} do "
	      "pcall(t.source[name], t.source) end "
	      "pcall(t.h.add, t.h, 1) pcall(tostring, t.e) end }) "
	      "t.source = timeline.open(saved) t.h = timeline.histogram() "
	      "t.h:add(1) t[1] = t.h:buckets() t[2] = t.source:events() "
	      "t[3] = t.source:spans() t.e = t[2]()");
	lua_close(L);
	L = NULL;
}

TEST(the_helpers_are_there_too)
{
	holds("assert(timeline.unsigned(-1) == '18446744073709551615')\n"
	      "assert(timeline.histogram():add(5):count() == 1)\n"
	      "local lines = timeline.table{columns={'a'}}:row(1):lines()\n"
	      "assert(lines[1] == 'a' and lines[2] == '1')\n"
	      "assert(not timeline.events)");
}

TEST(many_opens_leave_nothing)
{
	holds("for i = 1, 200 do local tl = timeline.open(saved)\n"
	      "for e in tl:events() do break end end collectgarbage()");
}
