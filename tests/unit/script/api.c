/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - the values that a script receives and returns. */
#include "lib/script_fixture.h"
#include "lib/test.h"

#include <errno.h>

static struct feed feed;
static struct result result;

static void
setup(void)
{
	feed_init(&feed, "a.tl");
	feed_story(&feed);
	memset(&result, 0, sizeof(result));
}

static void
teardown(void)
{
	/* no cursor may be left, whatever happened */
	ck_assert_int_eq(feed.open, 0);
	result_free(&result);
}

/* Expect the script to succeed and to write exactly this. */
static void
prints(const char *script, const char *expected)
{
	run_text(&result, &feed, script);
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_str_eq(tl_text_string(&result.out), expected);
	tl_text_clear(&result.out);
}

/* Expect the script to fail with this in the error text. */
static void
fails(const char *script, int rc, const char *expected)
{
	memset(&result.fault, 0, sizeof(result.fault));
	run_text(&result, &feed, script);
	ck_assert_int_eq(result.rc, rc);
	ck_assert_int_eq(result.fault.rc, rc);
	ck_assert_msg(strstr(result.fault.text, expected),
	    "'%s' is not in '%s'", expected, result.fault.text);
}

TEST_FILE(.setup = setup, .teardown = teardown);

TEST(events_come_newest_first_by_default)
{
	prints("local n = {} for e in timeline.events() do "
	       "n[#n + 1] = e.number end print(table.concat(n, ' '))",
	    "13 12 11 10 9 8 7 6 5 4 3 2 1 0\n");
	prints("local n = {} for e in timeline.events{order='oldest'} do "
	       "n[#n + 1] = e.number end print(table.concat(n, ' '))",
	    "0 1 2 3 4 5 6 7 8 9 10 11 12 13\n");
}

TEST(arguments_are_exact_to_the_last_bit)
{
	prints("for e in timeline.events{order='oldest', message='proc*'} do\n"
	       "print(e.args.tcp, e.args[2], #e.args, "
	       "timeline.unsigned(e.args.tcp), timeline.hex(e.args.tcp))\n"
	       "break end",
	    "10\t20\t3\t10\t0xa\n");
	prints("local n = 0\n"
	       "for e in timeline.events{order='oldest', message='proc*'} do\n"
	       "n = n + 1 if n == 2 then print(e.args.tcp, "
	       "timeline.unsigned(e.args.tcp), math.type(e.args.tcp)) end end",
	    "-1\t18446744073709551615\tinteger\n");
}

TEST(an_argument_has_the_type_its_format_says)
{
	prints("for e in timeline.events{order='oldest', category='math'} do\n"
	       "if e.message then print(e.args.x, math.type(e.args.x), "
	       "e.args.d, "
	       "e:raw('x') == 0x4004000000000000, e:raw(2)) end end",
	    "2.5\tfloat\t-7\ttrue\t-7\n");
	prints("for e in timeline.events{order='oldest', category='net'} do\n"
	       "if e.message then print(e.args.name, #e.args.name, e.args.t, "
	       "e.args.none) end end",
	    "eth0\t4\t1234\tnil\nbad\\x1b[31m\t8\t1234\tnil\n"
	    "#9\t2\t1234\tnil\n");
}

TEST(arguments_are_walked_in_the_order_defined)
{
	prints("for e in timeline.events{message='proc*', order='oldest'} do\n"
	       "for name, value in pairs(e.args) do timeline.write(name, '=', "
	       "value, ' ') end break end",
	    "tcp=10 udp=20 other=3 ");
}

TEST(an_event_has_its_fields)
{
	prints("local e = timeline.events{order='oldest'}()\n"
	       "print(e.ns, e.tsc, e.cpu, e.pid, e.tid, e.kind, e.level)\n"
	       "print(e.priority, e.category, e.message, e.file, e.line)\n"
	       "print(e.text) print(e.time) print(e) print(e.explain)\n"
	       "print(e.delta, e.lost, e.duration, e.depth, e.source, e.id)",
	    "1763666658123456789\t1000\t0\t100\t101\tinstant\t4\n"
	    "trace\texample\tprocessed $tcp, $udp, and $other\texample.c\t10\n"
	    "processed tcp(10), udp(20), and other(3)\n"
	    "2025-11-20T19:24:18.123456789+00:00\n"
	    "2025-11-20T19:24:18.123456789+00:00 example "
	    "processed tcp(10), udp(20), and other(3)\n"
	    "Long explanation.\n"
	    "nil\tnil\tnil\tnil\t1\t16\n");
	fails("print(timeline.events()().typo)", -ECANCELED,
	    "an event has no 'typo'");
}

TEST(a_loss_is_an_event_of_its_own)
{
	prints("for e in timeline.events() do if e.kind == 'lost' then\n"
	       "print(e.lost, e.cpu, e.message, e.priority, #e.args, "
	       "e.args.tcp) for k in pairs(e.args) do print(k) end end end",
	    "1234\t0\tnil\tnil\t0\tnil\n");
}

TEST(an_event_may_be_kept_after_its_iterator)
{
	prints("local kept = {} for e in timeline.events() do\n"
	       "kept[#kept + 1] = e.args end\n"
	       "local junk = {} for i = 1, 1e5 do junk = { junk } "
	       "if i % 100 == 0 then junk = {} end end\n"
	       "print(kept[14].tcp, kept[13].tcp, kept[6].tcp)",
	    "10\t-1\t1\n");
}

TEST(delta_is_the_distance_to_the_event_yielded_before)
{
	prints("local d = {} for e in timeline.events{category='work'} do\n"
	       "d[#d + 1] = e.delta or '-' end print(table.concat(d, ' '))",
	    "- 1000 5000 2000 2000 1000\n");
	prints("local d = {} for e in timeline.events{category='work', "
	       "order='oldest'} do\n"
	       "d[#d + 1] = e.delta or '-' end print(table.concat(d, ' '))",
	    "- 1000 2000 2000 5000 1000\n");
}

TEST(a_filter_of_options_agrees_with_one_in_lua)
{
	prints("local function count(options, passes)\n"
	       "local native, slow = 0, 0\n"
	       "for e in timeline.events(options) do native = native + 1 end\n"
	       "for e in timeline.events() do\n"
	       "if e.kind == 'lost' or passes(e) then slow = slow + 1 end end\n"
	       "print(native - slow == 0, native) end\n"
	       "count({category='net'}, function(e) "
	       "return e.category == 'net' end)\n"
	       "count({priority='info'}, function(e) "
	       "return e.level >= 6 end)\n"
	       "count({category={'m*', 'q*'}}, function(e) "
	       "return e.category:find('^[mq]') end)\n",
	    "true\t4\ntrue\t8\ntrue\t3\n");
	prints("local function count(options)\n"
	       "local n = 0 for e in timeline.events(options) do\n"
	       "if e.kind ~= 'lost' then n = n + 1 end end return n end\n"
	       "local times, all = {}, count{}\n"
	       "for e in timeline.events{order='oldest'} do\n"
	       "if e.kind ~= 'lost' then times[#times + 1] = e.ns end end\n"
	       "local newer = 0 for _, t in ipairs(times) do\n"
	       "if t >= times[#times] - 1000 then newer = newer + 1 end end\n"
	       "print(count{since='-1us'} == newer, newer < all,\n"
	       "count{since='1970-01-01'} == all,\n"
	       "count{since='2200-01-01'},\n"
	       "count{since='-1us'} + count{before='-1us'} == all)",
	    "true\ttrue\ttrue\t0\ttrue\n");
	fails("timeline.events{catgory='x'}", -ECANCELED,
	    "no such option: 'catgory'");
	fails("timeline.events{priority='loud'}", -ECANCELED,
	    "no such priority: 'loud': fatal, error, ");
	fails("timeline.events{pid='x'}", -ECANCELED, "takes numbers");
	fails("timeline.events{since='yesterdy'}", -ECANCELED,
	    "option 'since': yesterdy: not a time; did you mean yesterday?");
	fails("timeline.events{before='5'}", -ECANCELED, "unit");
	fails("timeline.events{pair=true}", -ECANCELED, "oldest");
}

TEST(spans_are_paired_with_depth_and_duration)
{
	prints("for s in timeline.spans{open=true} do\n"
	       "print(s.text, s.args[1], s.duration, s.depth, s.open, "
	       "s.end_ns and s.end_ns - s.begin_ns) end",
	    "> step n(1)\t1\t2000\t1\tfalse\t2000\n"
	    "> request id(7)\t7\t5000\t0\tfalse\t5000\n"
	    "> request id(8)\t8\tnil\t0\ttrue\tnil\n");
	prints("for e in timeline.events{order='oldest', pair=true} do\n"
	       "if e.duration then timeline.write(e.message, ' ', e.duration, "
	       "' ', e.depth, '\\n') end end",
	    "step $n 2000 1\nrequest $id 5000 0\n");
}

TEST(every_format_of_an_argument_has_a_name)
{
	feed.messages[PROC].args[0].format = TIMELINE_ARG_OCTAL;
	feed.messages[PROC].args[1].format = TIMELINE_ARG_TEXT8;
	prints("for _, a in ipairs(timeline.messages()[1].args) do "
	       "timeline.write(a.format, ' ') end",
	    "octal string signed ");
}

TEST(spans_have_states_where_the_kernel_has_events)
{
	static const char ask[] =
	    "for s in timeline.spans{states=true, message='request*'} do\n"
	    "local p = s.states; print(p.running, p.interrupted, p.runnable,\n"
	    "p.blocked_task, p.blocked_timer, p.blocked_io, p.unknown) end";

	prints("for s in timeline.spans{states=true} do print(s.states) end",
	    "nil\nnil\n");
	feed_init(&feed, "kernel");
	feed.input.message_count = ALL_MESSAGES;
	for (int i = 0; i < 2; i++) {
		feed_add(&feed, IN, TL_INSTANT, 0, 0, 0, 0)->cpu = 0;
		feed_add(&feed, WORK, TL_BEGIN, 100, 7, 0, 0)->cpu = 0;
		feed_add(&feed, OUT, TL_INSTANT, 200, 3, 50, 1)->cpu = 0;
		feed_add(&feed, WOKEN, TL_INSTANT, 300, 50, 1, 4)->cpu = 1;
		feed_add(&feed, IN, TL_INSTANT, 50, 0, 0, 0)->cpu = 0;
		feed_add(&feed, WORK, TL_END, 400, 0, 0, 0)->cpu = 0;
	}
	prints(ask, "600\t0\t50\t300\t0\t0\t0\n"
		    "200\t0\t50\t300\t0\t0\t400\n");
	prints("for s in timeline.spans{} do print(s.states) end",
	    "nil\nnil\n");
	fails("timeline.spans{state=true}", -ECANCELED, "'states'");
}

TEST(several_inputs_are_one_stream_and_apart)
{
	static struct feed other;
	struct feed *feeds[] = { &feed, &other };

	feed_init(&other, "b.tl");
	feed_add(&other, PROC, TL_INSTANT, 500, 99, 0, 0);
	run_with(&result, feeds, 2, NULL, "test",
	    "local seen = {} for e in timeline.events{order='oldest'} do\n"
	    "seen[#seen + 1] = e.source end\n"
	    "print(table.concat(seen, '', 1, 4))\n"
	    "print(#timeline.inputs, timeline.inputs[2].name)\n"
	    "for e in timeline.inputs[2]:events() do\n"
	    "print(e.source, e.args.tcp) end\n"
	    "print(#timeline.messages(), #timeline.inputs[1]:messages(), "
	    "timeline.info()[2].name)",
	    0, NULL);
	ck_assert_msg(result.rc == 0, "%s", result.fault.text);
	ck_assert_str_eq(tl_text_string(&result.out),
	    "1211\n2\tb.tl\n2\t99\n12\t6\tb.tl\n");
	ck_assert_int_eq(other.open, 0);
}

TEST(messages_tell_what_is_defined)
{
	prints("local m = timeline.messages()\n"
	       "print(#m, m[1].category, m[1].message, m[1].explain, "
	       "m[1].priority, m[1].kind, m[1].file, m[1].line)\n"
	       "for _, a in ipairs(m[3].args) do print(a.name, a.format) end\n"
	       "print(m[4].kind, m[6].kind)",
	    "6\texample\tprocessed $tcp, $udp, and $other\tLong explanation."
	    "\ttrace\tinstant\texample.c\t10\n"
	    "name\tstring\nt\tduration\nspan\tcounter\n");
}

TEST(a_histogram_agrees_with_a_sorted_list)
{
	prints("local h, list, x = timeline.histogram(3), {}, 12345\n"
	       "for i = 1, 5000 do x = (x * 1103515245 + 12345) & 0x7fffffff\n"
	       "h:add(x >> 8) list[i] = x >> 8 end table.sort(list)\n"
	       "local bad = 0 for _, p in ipairs{1, 10, 50, 90, 99, 100} do\n"
	       "local want = list[math.max(1, math.ceil(p * 50))]\n"
	       "if math.abs(h:percentile(p) - want) > want / 1000 + 1 then "
	       "bad = bad + 1 end end\n"
	       "local sum, n = 0, 0 for low, high, count in h:buckets() do "
	       "n = n + count end\n"
	       "print(bad, n, #h, h:min() == list[1], h:max() == list[5000])\n"
	       "local g = timeline.histogram(3):merge(h):add(1, 2)\n"
	       "print(g:count(), h:reset():count())",
	    "0\t5000\t5000\ttrue\ttrue\n5002\t0\n");
	fails("timeline.histogram():add(-1)", -ECANCELED, "from 0 up");
	fails("timeline.histogram(9)", -ECANCELED, "1 to 5 digits");
	fails("timeline.histogram():percentile(101)", -ECANCELED, "0 to 100");
}

TEST(a_histogram_draws_itself)
{
	prints("timeline.histogram():add(1):add(3, 2):add(100):draw{width=4}",
	    "count 4  min 1  mean 26.8  p50 3  p90 100  p99 100  max 100\n"
	    "         1           1   25.0%  ##\n"
	    "         2           2   50.0%  ####\n"
	    "         5           0    0.0%\n"
	    "        10           0    0.0%\n"
	    "        20           0    0.0%\n"
	    "        50           0    0.0%\n"
	    "       100           1   25.0%  ##\n");
	prints("timeline.histogram():draw{}", "count 0\n");
}

TEST(a_table_is_aligned_by_what_one_sees)
{
	prints("local t = timeline.table{columns={'name', 'n', "
	       "{name='took', format='duration'}}}\n"
	       "t:row('b', 10, 1500) t:row('\xc3\xa4\\n', 2, nil)\n"
	       "t:row('\xe6\x97\xa5', 300, 7) t:sort(2) t:print()",
	    "name    n   took\n"
	    "\xc3\xa4       2\n"
	    "b      10  1.5us\n"
	    "\xe6\x97\xa5    300    7ns\n");
}

TEST(nothing_reaches_the_output_that_steers_a_terminal)
{
	prints("print('a\\27[31mb\\0c\\r', 'back\\\\slash', '\xc3\xa4')",
	    "a\\x1b[31mb\\x00c\\x0d\tback\\slash\t\xc3\xa4\n");
	prints("timeline.write('x\\u{202e}y', 1, '\\n')",
	    "x\\xe2\\x80\\xaey1\n");
	fails("timeline.raw('\\27')", -ECANCELED, "--trusted");
}

TEST(a_long_text_is_escaped_in_pieces_without_a_seam)
{
	run_text(&result, &feed,
	    "for cut = 0, 2 do timeline.write(('a'):rep(cut) .. "
	    "('\xe2\x82\xac'):rep(20000)) end");
	ck_assert_int_eq(result.rc, 0);
	ck_assert_uint_eq(result.out.size, 3 * 60000 + 3);
	ck_assert_ptr_null(memchr(result.out.data, '\\', result.out.size));
}

TEST(words_turn_into_numbers_and_back)
{
	prints("print(timeline.duration(1234), timeline.duration('1.5ms'), "
	       "timeline.duration(2.7))\n"
	       "print(timeline.time('2025-11-20T19:24:18Z'), "
	       "timeline.time(0))\n"
	       "print(timeline.level('fatal'), timeline.level(4), "
	       "timeline.matches('a*', 'abc'), timeline.matches('b*', 'abc'))\n"
	       "print(timeline.plain('a\\nb'), timeline.width('\xe6\x97\xa5'), "
	       "timeline.step(37), timeline.step_start(5))\n"
	       "print(timeline.bar(5, 10, 4), timeline.columns, "
	       "timeline.terminal)",
	    "1.234us\t1500000\t2ns\n"
	    "1763666658000000000\t1970-01-01T00:00:00.000000000+00:00\n"
	    "9\ttrace\ttrue\tfalse\n"
	    "a\\nb\t2\t5\t20\n"
	    "##\t80\tfalse\n");
	fails("timeline.duration('soon')", -ECANCELED, "not a duration");
	fails("timeline.level('loud')", -ECANCELED,
	    "no such priority: 'loud': fatal, error, ");
}

TEST(a_script_has_its_words)
{
	const char *const words[] = { "one", "two" };
	struct feed *feeds[] = { &feed };

	run_with(&result, feeds, 1, NULL, "name.lua",
	    "#!/usr/bin/env x\nprint(arg[0], arg[1], #arg, ...)", 2, words);
	ck_assert_str_eq(tl_text_string(&result.out),
	    "name.lua\tone\t2\tone\ttwo\n");
}

TEST(an_error_names_script_line_and_event)
{
	fails("local x\nfor e in timeline.events{order='oldest'} do\n"
	      "x = e.args.nope + 1 end",
	    -ECANCELED,
	    "test:3: attempt to perform arithmetic on a nil value (field "
	    "'nope'); last event: 2025-11-20T19:24:18.123456789+00:00 example "
	    "processed tcp(10), udp(20), and other(3)");
	ck_assert_ptr_nonnull(strstr(result.error, "stack traceback"));
	fails("error({})", -ECANCELED, "test:1: table: ");
	fails("error('\\27[1m')", -ECANCELED, "test:1: \\x1b[1m");
	fails("x = = 1", -ENOEXEC, "test:1: unexpected symbol");
	fails("\033Lua", -ENOEXEC, "binary chunk");
}

TEST(a_failing_cursor_ends_the_script_with_its_code)
{
	feed.fail_after = 3;
	fails("for e in timeline.events() do end", -EIO, "cannot read");
	/* pcall hides the error text, but not the failure */
	fails("pcall(function() for e in timeline.events() do end end)\n"
	      "error('later')",
	    -EIO, "later");
}

TEST(a_failing_output_ends_the_script_with_its_code)
{
	result.write_rc = -EPIPE;
	fails("print('x')", -EPIPE, "cannot write");
}

TEST(a_loop_may_be_left_anywhere)
{
	/*
	 * Lua 5.4.4 does not close the value of the first loop, and closes
	 * another value in its place later.
	 */
	static const char *const loops[] = {
		"for e in timeline.events() do local f = function() return e "
		"end break end print(1) print(2) "
		"for i, v in pairs{1, 2} do end",
		"for s in timeline.spans() do local f = function() return s "
		"end goto out end ::out:: print(1) print(2)",
		"for e in timeline.events() do for f in timeline.events() do "
		"local g = function() return e, f end goto out end end ::out:: "
		"print(1) print(2) for i, v in pairs{1, 2} do end",
		"local function f() for e in timeline.events() do "
		"local g = function() return e end if e.message then break end "
		"end print(1) for s in timeline.spans() do return s end end "
		"assert(f()) print(2)",
		"local c = coroutine.wrap(function() "
		"for e in timeline.events() do local f = function() return e "
		"end coroutine.yield(print(1)) break end print(2) "
		"for i, v in pairs{1, 2} do end end) c() c()",
		"local c = coroutine.create(function() "
		"for e in timeline.events() do local f = function() return e "
		"end break end print(1) for e in timeline.events() do "
		"coroutine.yield() end end) coroutine.resume(c) "
		"assert(coroutine.close(c)) print(2)",
		"local ok = pcall(function() for e in timeline.events() do "
		"local f = function() return e end break end print(1) "
		"for e in timeline.events() do error{} end end) "
		"assert(not ok) print(2)",
		"local n = timeline.events() for e in n do "
		"local f = function() return e end break end "
		"assert(n()) print(1) print(2) while n() do end "
		"assert(not n())",
		"do local x <close> = setmetatable({}, { __close = function() "
		"print(2) end }) for e in timeline.events() do "
		"local f = function() return e, x end break end print(1) end",
	};

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		prints(loops[i], "1\n2\n");
}

TEST(loops_that_were_left_use_no_iterators_up)
{
	prints("for i = 1, 1000 do for e in timeline.events() do break end end "
	       "print('done')",
	    "done\n");
}
