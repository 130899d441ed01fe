-- SPDX-License-Identifier: Apache-2.0
--
-- hello.lua - create a timeline, define an event, log it, print the listing,
-- all from LuaJIT.
--
--	luajit hello.lua
--
-- TIMELINE=/name logs to another timeline, TIMELINE_PRIORITY=info leaves the
-- trace out.

local timeline = require("timeline")

local name = os.getenv("TIMELINE") or "/timeline-example"
local tl = timeline.new(name)
if os.getenv("TIMELINE_PRIORITY") then
	timeline.priority(tl, os.getenv("TIMELINE_PRIORITY"))
end

local proc = timeline.define(tl, 'example', 'trace',
    "processed $tcp, $udp, and $other")
proc(10, 20, 3)
proc(50, 60, 8)

-- More than the first lines: a span around a function, a double, a string.
local _, _, run = timeline.span(tl, 'example', 'info', "sum of $count")
local result = timeline.define(tl, 'example', 'debug', "$what%s is $value%f")
local harmonic = timeline.string(tl, "the harmonic series")

run(function(count)
	local sum = 0
	for i = 1, count do
		sum = sum + 1 / i
	end
	result(harmonic, sum)
end, 1000)

timeline.dump(name, 5)
