-- SPDX-License-Identifier: Apache-2.0
-- mutant.lua - the mutants that the files *.list in this folder describe.
--
--	mutant.lua names			print the name of each mutant
--	mutant.lua get NAME FIELD		print a field of NAME
--	mutant.lua files NAME			print the changed files
--	mutant.lua apply NAME TREE		change the files below TREE
--	mutant.lua check TREE			do all mutants apply?
--
-- A mutant is
--
--	== NAME
--	Promise: the promise of the product that the change breaks
--	Tests: the tests that must fail
--	File: src/ring/open.c
--	-	the lines that are replaced, which the file has exactly once
--	+	the lines in their place; none: the "-" lines are deleted
--
-- and a blank line.  Equivalent, in place of Tests, says why no test can see
-- the change.  A mutant may have several files, and a file several pairs of "-"
-- and "+"; "File:" stands again after lines that are deleted.
local folder = arg[0]:match("^(.*)/[^/]*$") or "."

local function fail(...)
	io.stderr:write(string.format(...), "\n")
	os.exit(1)
end

local function read(path)
	local file, error = io.open(path, "rb")
	if not file then fail("%s", error) end
	local text = file:read("a")
	file:close()
	return text
end

-- parse reads one list and calls each(mutant).
local function parse(path, each)
	local mutant, change
	local number = 0
	for line in read(path):gmatch("([^\n]*)\n") do
		number = number + 1
		local mark, rest = line:sub(1, 1), line:sub(2)
		local name = line:match("^== (.+)$")
		local field, value = line:match("^(%u%l+): +(.*)$")
		if name then
			if mutant then each(mutant) end
			mutant = {name = name, fields = {}, changes = {}}
			change = nil
		elseif field == "File" then
			change = {file = value}
		elseif mark == "-" and change then
			if not change.old or change.new then
				change = {file = change.file, old = {}}
				table.insert(mutant.changes, change)
			end
			table.insert(change.old, rest)
		elseif mark == "+" and change and change.old then
			change.new = change.new or {}
			table.insert(change.new, rest)
		elseif field then
			mutant.fields[field] = value
		elseif line ~= "" then
			fail("%s:%d: not a line of a mutant", path, number)
		end
	end
	if mutant then each(mutant) end
end

local mutants, by_name = {}, {}
local lists = io.popen("ls '" .. folder .. "'/*.list")
for path in lists:lines() do
	parse(path, function(m)
		if by_name[m.name] then fail("%s: twice %s", path, m.name) end
		by_name[m.name] = m
		table.insert(mutants, m)
	end)
end
lists:close()

local function block(lines)
	return lines and #lines > 0 and table.concat(lines, "\n") .. "\n" or ""
end

-- changed returns the text with a change, or nil and the reason.
local function changed(text, change)
	local old = "\n" .. block(change.old)
	text = "\n" .. text
	local from, to = text:find(old, 1, true)
	if not from then
		return nil, "has no such line: " .. change.old[1]
	end
	if text:find(old, from + 1, true) then
		return nil, "has it more than once: " .. change.old[1]
	end
	return (text:sub(1, from) .. block(change.new) ..
		text:sub(to + 1)):sub(2)
end

-- apply calls write(path, text) with each changed file, or returns nil and the
-- reason.
local function apply(mutant, tree, write)
	local texts = {}
	if #mutant.changes == 0 then
		return nil, "changes nothing"
	end
	for _, change in ipairs(mutant.changes) do
		local path = tree .. "/" .. change.file
		local text, error = changed(texts[path] or read(path), change)
		if not text then
			return nil, change.file .. " " .. error
		end
		texts[path] = text
	end
	for path, text in pairs(texts) do write(path, text) end
	return true
end

local function find(name)
	return by_name[name] or fail("no mutant is called %s", name)
end

local verbs = {}

function verbs.names()
	for _, m in ipairs(mutants) do print(m.name) end
end

function verbs.get(name, field)
	print(find(name).fields[field] or "")
end

function verbs.files(name)
	local seen = {}
	for _, change in ipairs(find(name).changes) do
		if not seen[change.file] then print(change.file) end
		seen[change.file] = true
	end
end

function verbs.apply(name, tree)
	local is_done, error = apply(find(name), tree, function(path, text)
		local file = assert(io.open(path, "wb"))
		assert(file:write(text))
		assert(file:close())
	end)
	if not is_done then fail("%s: %s", name, error) end
end

function verbs.check(tree)
	local faults = 0
	for _, m in ipairs(mutants) do
		local is_done, error = apply(m, tree, function() end)
		if is_done and not (m.fields.Promise and
		    (m.fields.Tests or m.fields.Equivalent)) then
			is_done, error = nil, "has no promise, or no test"
		end
		if not is_done then
			io.stderr:write(m.name, ": ", error, "\n")
			faults = faults + 1
		end
	end
	os.exit(faults == 0)
end

if not verbs[arg[1]] then
	fail("usage: mutant.lua names|get|files|apply|check ...")
end
verbs[arg[1]](arg[2], arg[3])
