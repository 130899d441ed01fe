-- SPDX-License-Identifier: Apache-2.0
-- A first reader of timeline(3lua) writes programs like these.

local check = require("check")
local entries = require("entries")
local timeline = require("timeline")
local test, equal = check.test, check.equal

local function saved(tl)
	local file = check.new_file()

	timeline.save(tl, file)
	return entries.read(file)
end

test("two events are logged as the usage section has them", function()
	local tl = timeline.new(check.new_name(), 8192)
	local proc = timeline.define(tl, 'example', 'trace',
	    "processed $tcp, $udp, and $other")
	proc(10, 20, 3)
	proc(50, 60, 8)

	local e = saved(tl)
	equal(#e, 2)
	equal(e[1].category, "example")
	equal(e[1].message, "processed $tcp, $udp, and $other")
	equal(e[1].level, 4)
	equal(e[1].kind, "instant")
	equal(e[1].pid, check.pid)
	for i, value in ipairs({ 10, 20, 3, 0 }) do
		equal(e[1][i], value)
	end
	for i, value in ipairs({ 50, 60, 8, 0 }) do
		equal(e[2][i], value)
	end
end)

test("a timeline's functions are its methods, too", function()
	local tl = timeline.new(check.new_name(), 8192)

	tl:define("example", "info", "hello")()
	equal(saved(tl)[1].message, "hello")
end)

test("a definition keeps the file and the line of its caller", function()
	local tl = timeline.new(check.new_name(), 8192)
	local line = debug.getinfo(1, "l").currentline

	tl:define("place", "info", "direct")()
	local _, protected = pcall(timeline.define, tl, "place", "info", "pcall")
	protected()
	loadstring("local tl = ...\n\ntl:define('place', 'info', 'chunk')()",
	    "=chunk")(tl)
	local e = saved(tl)
	assert(e[1].file:match("luajit_usage%.lua$"), e[1].file)
	equal(e[1].line, line + 2)
	equal(e[2].line, line + 3)
	assert(e[3].file == "chunk", e[3].file)
	equal(e[3].line, 3)
end)

test("entries and stringtablesize are asked for by place or name", function()
	local name, file = check.new_name(), check.new_file()

	timeline.new(name, 4096, 65536):save(file)
	equal(entries.u64(entries.bytes(file), 112), 4096)
	equal(entries.u64(entries.bytes(file), 104), 65536)
	timeline.remove(name)
	timeline.new(name, { entries = 2048, stringtablesize = 131072,
	    mode = tonumber("640", 8) }):save(file)
	equal(entries.u64(entries.bytes(file), 112), 2048)
	equal(entries.u64(entries.bytes(file), 104), 131072)
end)

test("a timeline knows that its file was removed", function()
	local name = check.new_name()
	local tl = timeline.new(name, 64)

	equal(tl:superseded(), false)
	timeline.remove(name)
	equal(tl:superseded(), true)
	equal(timeline.superseded(timeline.new(name, 64)), false)
end)

test("options that do not exist or do not fit are refused", function()
	local name = check.new_name()

	for _, options in ipairs({ { entriez = 1 }, { 1 }, { mode = 2 ^ 33 },
	    { entries = -1 }, { entries = 0.5 }, { entries = "many" } }) do
		check.error_of(timeline.new, name, options)
	end
	check.error_of(timeline.new, name, "many")
	check.error_of(timeline.new, name, 1024, -1)
	check.error_of(timeline.new, nil)
	equal(io.open("/dev/shm" .. name), nil)
end)

test("open attaches to what new made and to nothing else", function()
	local name = check.new_name()
	local why = check.error_of(timeline.open, name)

	assert(why:find("timeline%-test"), why)
	local made = timeline.new(name)
	timeline.open(name):define("example", "info", "attached")()
	equal(saved(made)[1].message, "attached")
end)

test("remove removes the file and spares what is no timeline", function()
	local name, file = check.new_name(), check.new_file()

	timeline.new(name)
	timeline.remove(name)
	equal(io.open("/dev/shm" .. name), nil)
	check.write(file, "something else")
	assert(check.error_of(timeline.remove, file):find("not a timeline"))
	equal(check.read(file), "something else")
end)

test("a closed priority logs nothing, an open one does", function()
	local tl = timeline.new(check.new_name(), 8192)
	local trace = tl:define("gate", "trace", "trace $n")
	local error = tl:define("gate", "error", "error $n")

	timeline.priority(tl, "warning")
	trace(1) error(1)
	timeline.priority(tl, "trace")
	trace(2) error(2)
	timeline.priority(tl, "off")
	trace(3) error(3)
	local e = saved(tl)
	equal(#e, 3)
	equal(e[1].level, 8)
	equal(e[1][1] + e[2][1] + e[3][1], 5)
end)

test("a burst opens what the priority closed and ends", function()
	local tl = timeline.new(check.new_name(), 8192)
	local trace = tl:define("burst", "trace", "trace $n")

	tl:priority("info")
	trace(1)
	tl:burst("trace", 3600e9)
	trace(2)
	equal(#saved(tl), 1)
	equal(saved(tl)[1][1], 2)
	local other = timeline.new(check.new_name(), 8192)
	local closed = other:define("burst", "trace", "trace $n")
	other:priority("info")
	other:burst("trace", 1)
	local past = os.clock() + 0.01
	while os.clock() < past do end
	closed(3)
	equal(#saved(other), 0)
	check.error_of(timeline.burst, tl, "trace", 0)
	check.error_of(timeline.burst, tl, "trace", 3601e9)
	check.error_of(timeline.burst, tl, "trace", "soon")
	tl:burst("trace", 1000LL)
end)

test("one message is turned off and back by a glob", function()
	local tl = timeline.new(check.new_name(), 8192)
	local a = tl:define("one", "info", "a $n")
	local b = tl:define("two", "info", "b $n")

	tl:level("o*", "*", "off")
	a(1) b(1)
	tl:level("*", "a *", "default")
	a(2)
	local e = saved(tl)
	equal(#e, 2)
	equal(e[1].category, "two")
	equal(e[2][1], 2)
	check.error_of(timeline.level, tl, "nobody", "*", "off")
end)

test("clear hides what was logged before", function()
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("clear", "info", "event $n")

	event(1)
	tl:clear()
	event(2)
	equal(saved(tl)[1][1], 2)
end)

test("a string has one number, in every handle", function()
	local name = check.new_name()
	local tl, other = timeline.new(name), timeline.open(name)
	local eth0 = tl:string("eth0")

	equal(type(eth0), "number")
	equal(tl:string("eth0"), eth0)
	equal(timeline.string(other, "eth0"), eth0)
	assert(tl:string("eth1") ~= eth0)
	tl:define("string", "info", "up $port%s")(eth0)
	equal(saved(tl)[1][1], eth0)
end)

test("a counter is one", function()
	local tl = timeline.new(check.new_name(), 8192)

	tl:counter("counter", "info", "queue $depth")(17)
	local e = saved(tl)[1]
	equal(e.kind, "counter")
	equal(e[1], 17)
end)

test("a span begins and ends, with and without arguments", function()
	local tl = timeline.new(check.new_name(), 8192)
	local begin, finish = tl:span("span", "info", "request $id $load%f")
	local source = tl:span("span", "info", "source", "source")

	begin(1, 0.5)
	finish()
	begin(2, 1.5)
	finish(3, 2.5)
	source()
	local e = saved(tl)
	equal(#e, 5)
	for i = 1, 4 do
		equal(e[i].kind, "span")
		equal(e[i].is_end, i % 2 == 0)
		equal(e[i].scope, 0)
	end
	-- an end without arguments has those of its begin
	equal(e[2].flags, 3)
	equal(e[2][1], 0)
	equal(e[2][2], 0)
	equal(e[4].flags, 1)
	equal(e[4][1], 3)
	equal(e[5].scope, 1)
	check.error_of(timeline.span, tl, "span", "info", "x", "process")
end)

test("a span runs a function and ends whatever it does", function()
	local tl = timeline.new(check.new_name(), 8192)
	local _, _, run = tl:span("span", "info", "run $id")
	local a, b, c = run(function(id) return id + 1, nil, "c" end, 41)

	equal(a, 42)
	equal(b, nil)
	equal(c, "c")
	local thrown = {}
	local ok, why = pcall(run, function() error(thrown) end, 7)
	equal(ok, false)
	equal(why, thrown)
	local e = saved(tl)
	equal(#e, 4)
	equal(e[3][1], 7)
	equal(e[4].is_end, true)
end)

local END, BARE, WHOLE = 1, 2, 4

test("the end of a stamp proves its span", function()
	local tl = timeline.new(check.new_name(), 8192)
	local begin, _, _, finish_of = tl:span("span", "info",
	    "request $id $load%f")
	local begun = begin(1, 0.5)

	tl:priority("off")
	finish_of(begun)
	equal(tostring(begin(2, 1.5)), "0ULL")
	finish_of(begin(2, 1.5), 2, 1.5)
	tl:priority("info")
	local begun_too = begin(3, 2.5)
	finish_of(begun_too, 3, 2.5)
	local e = saved(tl)
	equal(#e, 4)
	equal(e[1].tsc, begun)
	equal(e[1].flags, 0)
	equal(e[2].flags, END + BARE + WHOLE)
	equal(e[2][1], begun)
	equal(e[4].flags, END + WHOLE)
	equal(e[4][1], 3)
	equal(e[4][2], e[3][2])
	equal(e[4][4], begun_too)
end)

test("an end of four arguments has no room for a stamp", function()
	local tl = timeline.new(check.new_name(), 8192)
	local begin, _, _, finish_of = tl:span("span", "info", "$a $b $c%f $d")
	local begun = begin(1, 2, 3, 4)

	finish_of(begun, 5, 6, 7, 8)
	finish_of(begun, 5, 6, 7)
	finish_of(begun)
	local e = saved(tl)
	equal(e[2].flags, END)
	equal(e[2][4], 8)
	equal(e[3].flags, END + WHOLE)
	equal(e[3][2], 6)
	equal(e[3][4], begun)
	equal(e[4].flags, END + BARE + WHOLE)
	equal(e[4][1], begun)
end)

test("only the stamp of a begin ends its span", function()
	local tl = timeline.new(check.new_name(), 8192)
	local begin, _, _, finish_of = tl:span("span", "info", "$a")
	local begun = begin(1)

	for _, value in ipairs({ false, 0, "begun", {} }) do
		assert(check.error_of(finish_of, value):find(
		    "argument 1: the stamp of a begin expected"))
	end
	assert(check.error_of(finish_of):find("got nil"))
	assert(check.error_of(finish_of, begun, "text"):find("argument 2"))
	equal(#saved(tl), 1)
end)

test("a span that runs a function ends whatever the level is", function()
	local tl = timeline.new(check.new_name(), 8192)
	local _, _, run = tl:span("span", "trace", "run $id")

	tl:priority("info")
	run(function() tl:priority("trace") end, 1)
	run(function() tl:priority("off") end, 2)
	local e = saved(tl)
	equal(#e, 2)
	equal(e[1][1], 2)
	equal(e[1].flags, WHOLE)
	equal(e[2].flags, END + BARE + WHOLE)
	equal(e[2][1], e[1].tsc)
end)

test("the version is that of the library", function()
	assert(timeline.version():match("^%d+%.%d+%.%d+$"))
end)

test("the module can be loaded a second time", function()
	package.loaded.timeline = nil
	local again = require("timeline")
	again.new(check.new_name()):define("again", "info", "x")()
end)

check.done()
