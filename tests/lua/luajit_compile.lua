-- SPDX-License-Identifier: Apache-2.0
-- A loop that logs is compiled: jit.v reports the trace.

local check = require("check")
local timeline = require("timeline")
local test = check.test

local ROUNDS = 2000

if not jit.status() then
	check.done() -- the compiler is off
end

local v = require("jit.v")

-- traces_of returns the messages of jit.v while source, a function of two
-- parameters, runs alone.
local function traces_of(source, a, b)
	local file = check.new_file()
	local body = assert(loadstring(source, "=loop"))

	-- A finalizer that runs while a trace is recorded ends the recording;
	-- the finalizers of earlier tests would hide the result of this loop.
	collectgarbage()
	collectgarbage("stop")
	jit.flush()
	v.on(file)
	body(a, b)
	v.off()
	collectgarbage("restart")
	return check.read(file)
end

-- is_compiled: a trace was made of the loop (line 2 of its chunk), and nothing
-- was given up.
local function is_compiled(said)
	return said:find("%[TRACE +%d+ loop:2 loop%]") and
	    not said:find("abort") and not said:find("NYI") and
	    not said:find("%-%-%-") and not said:find("blacklist")
end

local function test_loop(sentence, statement, event)
	test(sentence, function()
		local said = traces_of(("local event, n = ...\n" ..
		    "for i = 1, n do %s end"):format(statement), event, ROUNDS)
		assert(is_compiled(said), said)
	end)
end

local tl = timeline.new(check.new_name(), 8192)
local function define(message)
	return tl:define("compile", "trace", message)
end

local function test_all(when)
	test_loop("no argument compiles, " .. when, "event()",
	    define("nothing"))
	test_loop("one argument compiles, " .. when, "event(i)", define("$a"))
	test_loop("two arguments compile, " .. when, "event(i, -i)",
	    define("$a $b%d"))
	test_loop("three arguments compile, " .. when, "event(i, 2^52, -1)",
	    define("processed $tcp, $udp, and $other"))
	test_loop("four arguments compile, " .. when, "event(i, 1, 2, 3)",
	    define("$a $b $c $d"))
	test_loop("doubles compile, " .. when, "event(i / 3, i, -i, 1)",
	    define("$a%f $b $c%f $d%f"))
	test_loop("64-bit cdata compiles, " .. when,
	    "event(i * 3ULL, -5LL * i)", define("$a $b"))
	test_loop("a counter compiles, " .. when, "event(i)",
	    tl:counter("compile", "trace", "count $a"))
	test_loop("a span compiles, " .. when, "event[1](i) event[2]()",
	    { tl:span("compile", "trace", "span $a") })
	test_loop("a span whose end has arguments compiles, " .. when,
	    "event[1](i) event[2](i)",
	    { tl:span("compile", "trace", "end $a") })
	test_loop("a span that proves itself compiles, " .. when,
	    "event[4](event[1](i), i)",
	    { tl:span("compile", "trace", "proven $a") })
	test_loop("a stamp that is kept compiles, " .. when,
	    "local begun = event[1](i) event[4](begun)",
	    { tl:span("compile", "trace", "kept $a") })
	test_loop("several events in one loop compile, " .. when,
	    "event[1](i) event[2](i) event[3](i) event[4](i) event[5](i)",
	    { define("1 $a"), define("2 $a"), define("3 $a"), define("4 $a"),
	      define("5 $a") })
end

test_all("open")
tl:priority("off")
test_all("closed")

-- LuaJIT never compiles code again after giving it up once: heavy use must not
-- make it give up the binding's code.
test("a loop compiles after much use by the interpreter", function()
	local event = define("much $a $b%f")
	local begin, finish, run = tl:span("compile", "trace", "much $a")
	local function use(i)
		local make = function() return i end -- never compiled
		event(i, 1)
		begin(i)
		finish()
		run(make, i)
	end

	jit.flush()
	for i = 1, 300000 do
		use(i)
	end
	local said = traces_of("local event, n = ...\n" ..
	    "for i = 1, n do event[1](i, 2) event[2](i) event[3]() end",
	    { event, begin, finish }, ROUNDS)
	assert(is_compiled(said), said)
end)

-- jit.v must report a loop that does not compile, or the tests above prove
-- nothing.
test("a loop that cannot be compiled is told apart", function()
	local said = traces_of("local _, n = ...\n" ..
	    "for i = 1, n do _ = function() return i end end", 0, ROUNDS)
	assert(not is_compiled(said), said)
end)

check.done()
