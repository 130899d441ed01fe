-- SPDX-License-Identifier: Apache-2.0
-- A loop that logs is compiled: jit.v says so.

local check = require("check")
local timeline = require("timeline")
local test = check.test

local ROUNDS = 2000

if not jit.status() then
	check.skip("a logging loop is compiled", "the compiler is off")
	check.done()
end

local v = require("jit.v")

-- What jit.v says while source, a function of two parameters, runs alone.
local function traces_of(source, a, b)
	local file = check.new_file()
	local body = assert(loadstring(source, "=loop"))

	jit.flush()
	v.on(file)
	body(a, b)
	v.off()
	return check.read(file)
end

-- Was a trace made of the loop (line 2 of its chunk), and nothing given up?
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

local tl = timeline.new(check.new_name())
local function define(message)
	return tl:define("compile", "trace", message)
end

local function test_all(when)
	test_loop("no argument compiles, " .. when, "event()",
	    define("nothing"))
	test_loop("one argument compiles, " .. when, "event(i)", define("$a"))
	test_loop("two arguments compile, " .. when, "event(i, -i)",
	    define("$a $b%d"))
	test_loop("three arguments compile, " .. when, "event(i, 2^52, 0.5)",
	    define("processed $tcp, $udp, and $other"))
	test_loop("four arguments compile, " .. when, "event(i, 1, 2, 3)",
	    define("$a $b $c $d"))
	test_loop("doubles compile, " .. when, "event(i / 3, i, -i, 1)",
	    define("$a%f $b $c%f $d%f"))
	test_loop("64-bit cdata compiles, " .. when,
	    "event(i * 3ULL, -5LL * i)", define("$a $b"))
	test_loop("a counter compiles, " .. when, "event(i)",
	    tl:counter("compile", "trace", "count $a"))
	test_loop("a span compiles, " .. when,
	    "event.begin(i) event.finish() event.begin(i) event.finish(i)",
	    (function()
		local begin, finish = tl:span("compile", "trace", "span $a")
		return { begin = begin, finish = finish }
	    end)())
	test_loop("several events in one loop compile, " .. when,
	    "event[1](i) event[2](i) event[3](i) event[4](i) event[5](i)",
	    { define("1 $a"), define("2 $a"), define("3 $a"), define("4 $a"),
	      define("5 $a") })
end

test_all("open")
tl:priority("off")
test_all("closed")

-- What must be said not to compile, or the tests above prove nothing.
test("a loop that cannot be compiled is told apart", function()
	local said = traces_of("local _, n = ...\n" ..
	    "for i = 1, n do _ = function() return i end end", 0, ROUNDS)
	assert(not is_compiled(said), said)
end)

check.done()
