-- SPDX-License-Identifier: Apache-2.0
-- timeline.dump and the program behind it.

local check = require("check")
local timeline = require("timeline")
local test, equal = check.test, check.equal
local luajit = os.getenv("LUAJIT") or "luajit"

-- The program writes its arguments to a file, each in brackets.
local said = check.new_file()
local echo = check.write(check.new_file(), ([[#!/bin/sh
printf '[%%s]' "$@" >%s
]]):format(said))
os.execute("chmod +x " .. echo)

local function arguments_of(...)
	check.write(said, "")
	check.setenv("TIMELINE_DUMP", echo)
	timeline.dump(...)
	check.setenv("TIMELINE_DUMP", nil)
	return check.read(said)
end

test("the file name is one argument whatever is in it", function()
	local marker = check.new_file()
	local names = {
		"plain.tl", "with blank.tl", "it's.tl", "-n", "--help", "''",
		"$(touch " .. marker .. ")", "`touch " .. marker .. "`",
		"; touch " .. marker .. " #", "a\nb", "\\", "*", "\"", "$HOME",
		"'; touch " .. marker .. "; '", "\1\127\255", "",
	}
	for _, name in ipairs(names) do
		equal(arguments_of(name), "[--][" .. name .. "]")
	end
	equal(io.open(marker), nil)
end)

test("the count is passed as a whole number", function()
	equal(arguments_of("x", 20), "[-n][20][--][x]")
	equal(arguments_of("x", 2 ^ 53), "[-n][9007199254740992][--][x]")
	for _, count in ipairs({ -1, 1.5, 1 / 0, 0 / 0, "5; true", {} }) do
		check.error_of(timeline.dump, "x", count)
	end
end)

test("a name with a NUL is refused", function()
	check.error_of(timeline.dump, "x\0y")
	check.error_of(timeline.dump, nil)
end)

test("a program that fails raises an error", function()
	check.setenv("TIMELINE_DUMP", "/bin/false")
	local why = check.error_of(timeline.dump, "x.tl")
	check.setenv("TIMELINE_DUMP", nil)
	assert(why:find("x.tl", 1, true), why)
end)

test("a program whose name needs quoting is found", function()
	local odd = "/tmp/timeline-test-lua it's " .. check.pid
	os.execute(("cp %s \"%s\""):format(echo, odd))
	check.setenv("TIMELINE_DUMP", odd)
	check.write(said, "")
	timeline.dump("x")
	check.setenv("TIMELINE_DUMP", nil)
	os.remove(odd)
	equal(check.read(said), "[--][x]")
end)

-- output_of returns the output of a program that dumps; a child runs the
-- program, so that the output can be read.
local function output_of(program, ...)
	local file = check.write(check.new_file(), program)
	local pipe = io.popen(("%s %s %s"):format(luajit, file,
	    table.concat({ ... }, " ")))
	local text = pipe:read("*a")

	pipe:close()
	return text
end

local build = os.getenv("TIMELINE_BUILD")
local tool = build and io.open(build .. "/bin/timeline-dump")
if not tool then
	check.skip("the listing is that of timeline-dump", "it is not built")
	check.done()
end
tool:close()

local program = [[
	local timeline = require("timeline")
	local tl = timeline.new(arg[1])
	local proc = tl:define("example", "trace",
	    "processed $tcp, $udp, and $other")
	for i = 1, 10 do proc(i, 20, 3) end
	print("before")
	tl:save(arg[2])
	timeline.dump(arg[3], tonumber(arg[4]))
]]

test("exactly so many entries are printed, newest first", function()
	local name, file = check.new_name(), check.new_file()

	for _, what in ipairs({ name, file }) do
		local text = output_of(program, name, file, what, 3)
		timeline.remove(name)
		local tcp = {}
		for line in text:gmatch("[^\n]+") do
			tcp[#tcp + 1] = line:match("example    processed " ..
			    "tcp%((%d+)%), udp%(20%), and other%(3%)$")
		end
		equal(table.concat(tcp, " "), "10 9 8")
		equal(text:match("^[^\n]*"), "before")
		equal(select(2, text:gsub("\n", "")), 4)
	end
end)

test("without a count all are printed", function()
	local name, file = check.new_name(), check.new_file()
	local text = output_of(program, name, file, name)

	equal(select(2, text:gsub("processed tcp", "")), 10)
end)

check.done()
