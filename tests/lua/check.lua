-- SPDX-License-Identifier: Apache-2.0
--
-- check.lua - prints the sentence of each test, counts the tests, and holds
-- the functions that the tests of the LuaJIT binding share: names and files
-- that are removed afterwards.

local ffi = require("ffi")

ffi.cdef[[
	int getpid(void);
	int setenv(const char *name, const char *value, int overwrite);
	int unsetenv(const char *name);
]]

local M = { pid = ffi.C.getpid() }

local passed, failed = 0, 0
local names, files = {}, {}

local function say(verdict, sentence, why)
	io.stdout:write(verdict, " ", sentence, why and ": " .. why or "", "\n")
	io.stdout:flush()
end

function M.test(sentence, f)
	local ok, why = xpcall(f, debug.traceback)

	if ok then
		passed = passed + 1
		say("ok", sentence)
	else
		failed = failed + 1
		say("FAILED", sentence, tostring(why))
	end
end

function M.skip(sentence, why)
	say("skipped", sentence, why)
end

function M.equal(got, expected)
	if got ~= expected then
		error(("%s, expected %s"):format(tostring(got),
		    tostring(expected)), 2)
	end
end

-- error_of returns the error that f(...) must raise.
function M.error_of(f, ...)
	local ok, why = pcall(f, ...)

	if ok then
		error("no error was raised", 2)
	end
	return tostring(why)
end

-- new_name returns a unique name for a timeline; an earlier process of this
-- pid that was killed may have left a file of the name.
function M.new_name()
	names[#names + 1] = ("/timeline-test-lua-%d-%d"):format(M.pid, #names)
	os.remove("/dev/shm" .. names[#names])
	return names[#names]
end

function M.new_file()
	files[#files + 1] = ("/tmp/timeline-test-lua-%d-%d"):format(M.pid,
	    #files)
	os.remove(files[#files])
	return files[#files]
end

function M.write(path, text)
	local file = assert(io.open(path, "wb"))

	file:write(text)
	file:close()
	return path
end

function M.read(path)
	local file = assert(io.open(path, "rb"))
	local text = file:read("*a")

	file:close()
	return text
end

function M.setenv(name, value)
	if value then
		ffi.C.setenv(name, value, 1)
	else
		ffi.C.unsetenv(name)
	end
end

-- count_maps returns how often this process has a timeline's file mapped.
function M.count_maps(name)
	local _, n = M.read("/proc/self/maps"):gsub(
	    "/dev/shm" .. name:gsub("%-", "%%-") .. "\n", "")

	return n
end

function M.done()
	for _, name in ipairs(names) do
		os.remove("/dev/shm" .. name)
	end
	for _, file in ipairs(files) do
		os.remove(file)
	end
	print(("%d passed, %d failed"):format(passed, failed))
	os.exit(failed > 0 and 1 or 0)
end

return M
