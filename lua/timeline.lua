-- SPDX-License-Identifier: Apache-2.0
--
-- timeline.lua - write to a timeline from LuaJIT.  See timeline(3lua).
--
--	local timeline = require("timeline")
--	local tl = timeline.new("/timeline")
--	local proc = timeline.define(tl, "example", "trace",
--	    "processed $tcp, $udp, and $other")
--	proc(10, 20, 3)
--
-- Owns the way from Lua values to the 64-bit words of an event, and how long
-- the memory of a timeline is kept.  What the words mean is timeline.h's,
-- which also is where the cdef comes from: the Makefile cuts it out.

local ffi = require("ffi")

local M = {}

local ARGS_MAX = 4
local FRAMES_MAX = 100
local INTEGER_MAX = 2 ^ 53

local here = debug.getinfo(1, "S").source
local MADE = "=timeline" -- the source of functions made by new_logger
local folder = here:match("^@(.*)/[^/]*$") or "."

-- Loaded a second time, the module finds its types declared.
if not pcall(ffi.sizeof, "struct timeline_event") then
	ffi.cdef(require("timeline_cdef"))
end

-- The library built or installed together with this file comes first.
local function load_library()
	local name = "libtimeline.so.0"
	local ok, library = pcall(ffi.load, folder .. "/../../../lib/" .. name)

	if ok then
		return library
	end
	return ffi.load(name)
end
local C = load_library()

-- The first Lua frame outside this file: its level as fail sees it, and what
-- is known of it.
local function find_caller()
	for level = 3, FRAMES_MAX do
		local info = debug.getinfo(level, "Sl")
		if not info then
			break
		end
		if info.source ~= here and info.source ~= MADE and
		    info.what ~= "C" then
			return level - 1, info
		end
	end
	return 0, nil
end

-- Raise an error where the module was called, not in here.
local function fail(words)
	local level = find_caller()

	error(words, level)
end

local function check(rc)
	if rc ~= 0 then
		fail(ffi.string(C.timeline_error()))
	end
end

local function check_string(value, name)
	if type(value) ~= "string" then
		fail(("%s: string expected, got %s"):format(name, type(value)))
	end
	if value:find("\0", 1, true) then
		fail(name .. ": a NUL in the middle")
	end
	return value
end

local function check_count(value, name)
	if type(value) ~= "number" or value < 0 or value > INTEGER_MAX or
	    value % 1 ~= 0 then
		fail(name .. ": not a whole number from 0 up")
	end
	return value
end

-- What new and open return.  Its methods are the functions of the module.
local Timeline = { __index = M }

function Timeline.__tostring(tl)
	return ("timeline: %s%s"):format(tl.path, tl.core and "" or " (closed)")
end

local function core_of(tl)
	if getmetatable(tl) ~= Timeline then
		fail("timeline expected, got " .. type(tl))
	end
	if not tl.core then
		fail("the timeline is closed")
	end
	return tl.core
end

-- When a Lua state ends, all finalizers run in no order that is of use, and
-- those of other objects may still log.  No Lua frame is then on the stack;
-- such a timeline waits for the oldest userdata, which goes last.
local ending = { last = newproxy(true) }

local function release(core)
	if find_caller() > 0 then
		C.timeline_close(core)
	else
		ending[#ending + 1] = core
	end
end

getmetatable(ending.last).__gc = function()
	for _, core in ipairs(ending) do
		C.timeline_close(core)
	end
end

local function new_handle(out, path)
	return setmetatable({
		core = ffi.gc(out[0], release),
		path = path,
		is_used = false, -- does a logging function refer to it?
	}, Timeline)
end

-- struct timeline_options from (entries, stringtablesize) or from a table.
local function options_of(entries, stringtablesize)
	local options = ffi.new("struct timeline_options")
	local given = entries

	if type(entries) ~= "table" then
		given = { entries = entries, stringtablesize = stringtablesize }
	end
	for name, value in pairs(given) do
		check_count(value, tostring(name))
		if not pcall(function() options[name] = value end) then
			fail("no such option: " .. tostring(name))
		end
		if tonumber(options[name]) ~= value then
			fail(name .. ": too large")
		end
	end
	return options
end

function M.new(path, entries, stringtablesize)
	local out = ffi.new("struct timeline *[1]")

	check_string(path, "path")
	check(C.timeline_new(out, path, options_of(entries, stringtablesize)))
	return new_handle(out, path)
end

function M.open(path)
	local out = ffi.new("struct timeline *[1]")

	check(C.timeline_open(out, check_string(path, "path")))
	return new_handle(out, path)
end

-- Logging functions keep the memory of their timeline; the last one to be
-- collected gives it back.
function M.close(tl)
	local core = core_of(tl)

	tl.core = nil
	if not tl.is_used then
		C.timeline_close(ffi.gc(core, nil))
	end
end

function M.superseded(tl)
	return C.timeline_superseded(core_of(tl)) ~= 0
end

function M.remove(path)
	check(C.timeline_remove(check_string(path, "path")))
end

-- timeline_log as Lua calls it.  The arguments are words; they are declared
-- signed here because compiled code turns a negative number into an unsigned
-- word wrongly.
local log = ffi.cast("void (*)(struct timeline_event *, " ..
    "int64_t, int64_t, int64_t, int64_t)", C.timeline_log)
-- ... and what returns the stamp, of a begin and of an end whose begin was
-- logged.
local stamped = "uint64_t (*)(struct timeline_event *, " ..
    "int64_t, int64_t, int64_t, int64_t)"
local log_begin = ffi.cast(stamped, C.timeline_span_log)
local append = ffi.cast(stamped, C.timeline_span_append)
local double = ffi.typeof(
    "union { double value; int64_t word; char text[8]; }")

-- How a message's arguments are passed, a letter each: f a double, i a word, p
-- a word where no suffix says that a fraction is not wanted, 8 a word or a text
-- of which eight bytes are logged.
-- (A suffix is one only where no letter follows, hence the frontier.)
local function shape_of(message)
	local line = message:match("^[^\n]*")
	local shape = {}

	for after in line:gmatch("%$[%w_]+()") do
		local suffix = line:match("^%%([duxofts])%f[^%w_]", after) or
		    line:match("^%%(8)s%f[^%w_]", after)
		shape[#shape + 1] = (suffix == "f" or suffix == "8") and
		    suffix or suffix and "i" or "p"
	end
	return table.concat(shape)
end

-- Say which argument of a logging function is none.
local function refuse(n, value, is_stamp)
	if type(value) == "number" and not is_stamp then
		fail(("argument %d: %s is no integer: write $name%%f in the " ..
		    "message, or %%d to cut it off"):format(n, value))
	end
	fail(("argument %d: %s expected, got %s"):format(n,
	    is_stamp and "the stamp of a begin" or "number or 64-bit cdata",
	    type(value)))
end

local function refuse_more(n)
	fail(("argument %d: one more than the message has"):format(n))
end

-- Add the code that checks argument n, which is that number i of the message;
-- returns the word to log.
local function take_argument(lines, shape, i, n, is_optional)
	local function add(line)
		lines[#lines + 1] = line:gsub("#", i)
	end

	if is_optional then
		add("if a# == nil then a# = 0 end")
	end
	if shape:sub(i, i) == "8" then
		add("if type(a#) == 'string' then d#.word = 0")
		add("copy(d#.text, a#, a#:len() < 8 and a#:len() or 8)")
		add("a# = d#.word end")
	end
	add("if type(a#) ~= 'number' and type(a#) ~= 'cdata' then")
	add(("refuse(%d, a#) end"):format(n))
	if shape:sub(i, i) == "p" then
		add("if type(a#) == 'number' and a# % 1 ~= 0 then")
		add(("refuse(%d, a#) end"):format(n))
	end
	if shape:sub(i, i) ~= "f" then
		return "a" .. i
	end
	add("d#.value = a#")
	return ("d%d.word"):format(i)
end

-- The code of one logging function: of few steps, so that the interpreter is
-- fast, too.  core is never used; a function that could return it keeps the
-- timeline's memory.  A tail call would be shorter, but the compiler cannot
-- end a trace of the function there, gives up on it after some tries, and
-- then on every loop that calls it.
local function source_of(shape, is_optional, is_begin)
	local names, lines, words = {}, {}, { "0", "0", "0", "0" }

	if is_optional and #shape > 0 then
		lines[1] = "if a1 == nil then log(bare, 0, 0, 0, 0) return end"
	end
	for i = 1, #shape do
		names[i] = "a" .. i
		words[i] = take_argument(lines, shape, i, i, is_optional)
	end
	names[#shape + 1] = "more"
	return ([[
		local log, event, core, type, refuse, refuse_more, copy, d1,
		    d2, d3, d4, bare = ...
		return function(%s)
			if false then return core end
			if more ~= nil then refuse_more(%d) end
			%s
			%s log(event, %s)
			%s
		end
	]]):format(table.concat(names, ", "), #names,
	    table.concat(lines, "\n"), is_begin and "local begun =" or "", table.concat(words, ", "),
	    is_begin and "return begun" or "")
end

-- The code of the function that ends the span of a stamp: an end has the stamp
-- in a word that it does not use.  With four arguments there is none.
local function source_of_end(shape)
	local names, lines = { "begun" }, {}
	local words = { "0", "0", "0", "begun" }

	for i = 1, #shape do
		names[i + 1] = "a" .. i
		if i == 1 then
			lines[1] = "if a1 == nil then log(bare, begun, 0, 0, 0) " ..
			    "return end"
		elseif i == 4 then
			lines[#lines + 1] = ("if a4 == nil then " ..
			    "log(event, %s) return end"):format(
			    table.concat(words, ", "))
		end
		words[i] = take_argument(lines, shape, i, i + 1, true)
	end
	names[#shape + 2] = "more"
	return ([[
		local log, event, core, type, refuse, refuse_more, copy, d1,
		    d2, d3, d4, bare, four = ...
		return function(%s)
			if false then return core end
			if more ~= nil then refuse_more(%d) end
			if type(begun) ~= 'cdata' then refuse(1, begun, true) end
			if begun == 0 then return end
			%s
			log(%s, %s)
		end
	]]):format(table.concat(names, ", "), #names,
	    table.concat(lines, "\n"), #shape == 0 and "bare" or #shape == 4 and "four" or "event",
	    #shape == 0 and "begun, 0, 0, 0" or table.concat(words, ", "))
end

-- A function that logs event.  Each has code of its own, since traces are
-- made of code: those of one event need not make way for another's.
local function new_function(tl, source, ...)
	tl.is_used = true
	return assert(loadstring(source, MADE))(...)
end

local function new_logger(tl, event, shape, is_optional)
	return new_function(tl, source_of(shape, is_optional), log, event,
	    tl.core, type, refuse, refuse_more,
	    ffi.copy, double(), double(), double(), double(), event + 1)
end

local function new_begin(tl, event, shape)
	return new_function(tl, source_of(shape, false, true), log_begin, event,
	    tl.core, type, refuse, refuse_more,
	    ffi.copy, double(), double(), double(), double())
end

local function new_end(tl, span, shape)
	return new_function(tl, source_of_end(shape), append,
	    span + C.TIMELINE_PART_END_OF, tl.core, type, refuse, refuse_more,
	    ffi.copy, double(), double(), double(), double(),
	    span + C.TIMELINE_PART_SCOPE_END, span + C.TIMELINE_PART_END_OF_4)
end

local function caller_place()
	local _, info = find_caller()

	if not info then
		return nil, 0
	end
	return info.source:match("^@(.*)") or info.short_src,
	    math.max(info.currentline, 0)
end

-- The event of a definition, and the shape of its arguments.
local function define(tl, kind, scope, category, priority, message)
	local core = core_of(tl)
	local file, line = caller_place()
	local out = ffi.new("struct timeline_event *[1]")
	local definition = ffi.new("struct timeline_definition", {
		category = check_string(category, "category"),
		priority = check_string(priority, "priority"),
		message = check_string(message, "message"),
		kind = kind, scope = scope, file = file, line = line,
	})

	check(C.timeline_define_event(core, definition, out))
	return out[0], shape_of(message)
end

function M.define(tl, category, priority, message)
	local event, shape = define(tl, C.TIMELINE_INSTANT, C.TIMELINE_THREAD,
	    category, priority, message)

	return (new_logger(tl, event, shape, false))
end

function M.counter(tl, category, priority, message)
	local event, shape = define(tl, C.TIMELINE_COUNTER, C.TIMELINE_THREAD,
	    category, priority, message)

	return (new_logger(tl, event, shape, false))
end

local scopes = { thread = C.TIMELINE_THREAD, source = C.TIMELINE_SOURCE }

local function finished(finish_of, begun, ok, ...)
	finish_of(begun)
	if not ok then
		error((...), 0)
	end
	return ...
end

-- Returns begin(...), finish(...), run(f, ...): begin, f(...), finish, which
-- ends the span even if f raises an error, and finish_of(begun, ...), which ends
-- the span of the stamp that begin returned.
function M.span(tl, category, priority, message, scope)
	local number = scopes[scope or "thread"]
	if not number then
		fail("no such scope: " .. tostring(scope))
	end
	local event, shape = define(tl, C.TIMELINE_SPAN, number, category,
	    priority, message)
	local begin = new_begin(tl, event, shape)
	local finish = new_logger(tl, event + 1, shape, true)
	local finish_of = new_end(tl, event, shape)
	local begin_whole = new_begin(tl, event + C.TIMELINE_PART_SCOPE, shape)
	local finish_whole = new_end(tl, event, shape)

	return begin, finish, function(f, ...)
		return finished(finish_whole, begin_whole(...), pcall(f, ...))
	end, finish_of
end

-- A string's number is an offset into the table and fits a Lua number.
function M.string(tl, text)
	local core = core_of(tl)
	local number = ffi.new("uint64_t[1]")

	check(C.timeline_string(core, check_string(text, "text"), number))
	return tonumber(number[0])
end

function M.priority(tl, level)
	check(C.timeline_priority(core_of(tl), check_string(level, "level")))
end

function M.burst(tl, level, duration_ns)
	check(C.timeline_burst(core_of(tl), check_string(level, "level"),
	    check_count(tonumber(duration_ns), "duration_ns")))
end

function M.level(tl, category_glob, message_glob, level)
	check(C.timeline_level(core_of(tl),
	    check_string(category_glob, "category_glob"),
	    check_string(message_glob, "message_glob"),
	    check_string(level, "level")))
end

function M.clear(tl)
	check(C.timeline_clear(core_of(tl)))
end

function M.save(tl, filename)
	check(C.timeline_save(core_of(tl), check_string(filename, "filename")))
end

function M.version()
	return ffi.string(C.timeline_version())
end

-- The program as the shell is to be told: what TIMELINE_DUMP names, the one
-- built or installed together with this file, or the first in PATH.
local function dump_program()
	local program = os.getenv("TIMELINE_DUMP")
	local beside = folder .. "/../../../bin/timeline-dump"

	if program and program ~= "" then
		return program
	end
	local file = io.open(beside)
	if file then
		file:close()
		return beside
	end
	return "timeline-dump"
end

-- One word for the shell, whatever is in it.
local function quote(word)
	return "'" .. word:gsub("'", "'\\''") .. "'"
end

-- Print a timeline, live or saved, newest entry first.
function M.dump(filename, maxentries)
	local command = { quote(dump_program()) }

	check_string(filename, "filename")
	if maxentries then
		check_count(maxentries, "maxentries")
		command[2] = ("-n %.0f"):format(maxentries)
	end
	command[#command + 1] = "-- " .. quote(filename)
	io.stdout:flush()
	local status = os.execute(table.concat(command, " "))
	if status ~= 0 and status ~= true then
		fail(("timeline-dump could not show all of %s"):format(filename))
	end
end

return M
