-- SPDX-License-Identifier: Apache-2.0
-- The lifetime of a timeline's memory: who keeps it, and how long.

local check = require("check")
local entries = require("entries")
local timeline = require("timeline")
local test, equal = check.test, check.equal
local luajit = os.getenv("LUAJIT") or "luajit"

-- Two rounds are needed: the second round frees objects that finalizers of the
-- first let go.  Traces hold the functions that they were made of.
local function collect()
	jit.flush()
	collectgarbage()
	collectgarbage()
end

-- attach returns a timeline whose mapping has a name: the process that creates
-- the file maps it before it has a name.
local function attach(name)
	timeline.new(name):close()
	return timeline.new(name)
end

test("a logging function keeps its timeline", function()
	local name, file = check.new_name(), check.new_file()
	local event = attach(name):define("memory", "info", "event $n")

	collect()
	equal(check.count_maps(name), 1)
	for i = 1, 300 do
		event(i)
	end
	timeline.open(name):save(file)
	equal(#entries.read(file), 300)
end)

test("each function of a span keeps its timeline", function()
	for which = 1, 4 do
		local name = check.new_name()
		local kept = ({ attach(name):span("m", "info", "s") })[which]
		collect()
		equal(check.count_maps(name), 1)
		if which == 3 then
			kept(function() end)
		elseif which == 4 then
			kept(0ULL)
		else
			kept()
		end
		kept = nil
		collect()
		equal(check.count_maps(name), 0)
	end
end)

test("the last to go gives the memory back", function()
	local name = check.new_name()
	local tl = attach(name)
	local event = tl:define("memory", "info", "event $n")

	tl = nil
	collect()
	equal(check.count_maps(name), 1)
	event(1)
	event = nil
	collect()
	equal(check.count_maps(name), 0)
end)

test("close gives the memory back at once if nothing logs", function()
	local name = check.new_name()
	local tl = attach(name)

	equal(check.count_maps(name), 1)
	tl:close()
	equal(check.count_maps(name), 0)
end)

test("close leaves the memory to functions that log", function()
	local name, file = check.new_name(), check.new_file()
	local tl = attach(name)
	local event = tl:define("memory", "info", "event $n")

	tl:close()
	collect()
	equal(check.count_maps(name), 1)
	event(1)
	timeline.open(name):save(file)
	equal(#entries.read(file), 1)
	event = nil
	collect()
	equal(check.count_maps(name), 0)
end)

test("a closed timeline says so", function()
	local tl = timeline.new(check.new_name(), 8192)

	tl:close()
	local calls = { "priority", "save", "define", "close", "clear" }
	for _, call in ipairs(calls) do
		local why = check.error_of(timeline[call], tl, "x", "x", "x")
		assert(why:find("the timeline is closed", 1, true), why)
	end
	assert(tostring(tl):find("closed", 1, true))
end)

test("more timelines than there are files fit one after the other", function()
	local name = check.new_name()

	for _ = 1, 1200 do
		timeline.new(name, 64, 8192):close()
	end
	equal(check.count_maps(name), 0)
end)

-- status_of runs a program in another LuaJIT and returns the exit status.
local function status_of(program, ...)
	local file = check.write(check.new_file(), program)
	local flag = jit.status() and "" or "-joff "

	return os.execute(("%s %s%s %s"):format(luajit, flag, file,
	    table.concat({ ... }, " ")))
end

test("finalizers may log while the state ends", function()
	local name, file = check.new_name(), check.new_file()

	equal(status_of([[
		local ffi = require("ffi")
		local timeline = require("timeline")
		local event = timeline.new(arg[1]):define("m", "info", "end $n")
		local objects = {}
		for i = 1, 200 do
			objects[i] = ffi.gc(ffi.new("char[1]"),
			    function() event(i) end)
			local object = newproxy(true)
			getmetatable(object).__gc = function() event(i) end
			objects[200 + i] = object
		end
	]], name), 0)
	timeline.open(name):save(file)
	equal(#entries.read(file), 400)
end)

test("a state that ends while it logs leaves what it logged", function()
	local name, file = check.new_name(), check.new_file()

	equal(status_of([[
		local tl = require("timeline").new(arg[1])
		local event = tl:define("m", "info", "n $n")
		for i = 1, 1000 do event(i) end
		os.exit(3)
	]], name) / 256, 3)
	timeline.open(name):save(file)
	equal(#entries.read(file), 1000)
end)

test("the library stays where it is when the module is collected", function()
	equal(status_of([[
		local timeline = require("timeline")
		local event = timeline.new(arg[1]):define("m", "info", "n $n")
		event(1)
		timeline, event, package.loaded.timeline = nil
		collectgarbage() collectgarbage()
		local maps = io.open("/proc/self/maps"):read("*a")
		assert(maps:find("libtimeline", 1, true))
		timeline = require("timeline")
		timeline.new(arg[1]):define("m", "info", "n $n")(2)
	]], check.new_name()), 0)
end)

test("coroutines log", function()
	local name, file = check.new_name(), check.new_file()
	local tl = timeline.new(name)
	local event = tl:define("m", "info", "n $n")
	local logger = coroutine.wrap(function()
		for i = 1, 300 do
			event(i)
			coroutine.yield()
		end
	end)

	for _ = 1, 300 do
		logger()
	end
	tl:save(file)
	equal(#entries.read(file), 300)
end)

check.done()
