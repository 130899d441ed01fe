-- SPDX-License-Identifier: Apache-2.0
-- The call trees of a trace of tests/read/write.c: 3000 events, 1000 in a span.
-- tests/read/run runs this file with the installed module; arg[1] is the trace,
-- arg[2] a snapshot.

local timeline = require "timeline"
local trace = timeline.open(arg[1])

local events = 0
for e in trace:events() do events = events + 1 end
assert(events == 3000 + 30 * 3 + 2 * 3, events)
assert(#trace:messages() == 3 and trace:info().format == "trace")

local roots = trace:roots()
assert(#roots == 1 and #roots[1] == 3)
local root = roots[1]
assert(root:event() == nil and root:parent() == nil)
assert(root:thread().pid > 0 and root:thread().events == events)
assert(root:text():find("%S"))

-- A child is loaded when the program asks for the child.
assert(not root:is_loaded(2))
local span = root:child(2)
assert(root:is_loaded(2) and not root:is_loaded(1) and not root:is_loaded(3))
assert(root:child(0) == nil and root:child(4) == nil)
assert(span:text() == "batch number(1000)", span:text())
assert(tostring(span) == span:text() and #span == 1000)
assert(span:event().kind == "begin" and span:event().args.number == 1000)
assert(span:last().kind == "end" and span:last().args.number == 1999)
assert(span:event().duration == span:last().ns - span:event().ns)
assert(rawequal(span:parent(), root))

-- children loads a range of children at once.
local some = span:children(500, 10)
assert(#some == 10 and some[1]:text():match("^found n%(1499%)"), some[1]:text())
assert(not span:is_loaded(499) and span:is_loaded(509) and not span:is_loaded(510))
assert(#span:children(995, 100) == 6 and #span:children(1001) == 0)
assert(not pcall(span.children, span, 0))

-- A forgotten node cannot be used; loading the node again brings it back.
local event = some[3]:event()
span:forget(502, 1)
assert(not span:is_loaded(502) and span:is_loaded(503))
local ok, why = pcall(some[3].text, some[3])
assert(not ok and why:find("the node was forgotten", 1, true), why)
assert(some[4]:text():find("n(1502)", 1, true))
assert(event.args.n == 1501)
span:child(502)
assert(some[3]:text():find("n(1501)", 1, true))
root:forget()
assert(not pcall(some[4].text, some[4]) and not pcall(function() return #span end))
assert(#root:children() == 3 and span:text() == "batch number(1000)")
assert(not pcall(some[4].text, some[4]))
assert(#span:child(1) == 2) -- an item around two events

-- Two traces are open at once, and only a node refers to the second one.
local other = timeline.open(arg[1]):roots()[1]:child(1):child(1)
collectgarbage()
collectgarbage()
assert(#other == 2 and other:text() == "item number(0)", other:text())

-- A timeline has no call trees, and the error says so.
ok, why = pcall(function() return timeline.open(arg[2]):roots() end)
assert(not ok and why:find("only a recorded trace has call trees", 1, true), why)
ok, why = pcall(timeline.open, "/dev/null")
assert(not ok and why:find("/dev/null: the file is empty", 1, true), why)
-- A program cannot reach the nodes' library through the metatable.
assert(getmetatable(root) == false)
print("nodes in Lua are right")
