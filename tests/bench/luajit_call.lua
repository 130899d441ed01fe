-- SPDX-License-Identifier: Apache-2.0
--
-- luajit_call.lua - what a logging function costs in a compiled loop, over
-- the same loop calling an empty C function of as many arguments.
--
--	luajit tests/bench/luajit_call.lua	(LUA_PATH as in tests/lua/run)
--
-- All figures are TSC cycles a call: medians of rounds taken by turns.

local ffi = require("ffi")
local timeline = require("timeline")

local ROUNDS = 301
-- Short rounds: most of them are not interrupted.
local CALLS = jit.status() and 50000 or 5000

ffi.cdef[[
	void *mmap(void *, size_t, int, int, int, long);
	int mprotect(void *, size_t, int);
	int getpid(void);
]]

-- Two functions that need no compiler: ret; and rdtsc, shl rdx 32, or rax
-- rdx, ret.
local code = ffi.C.mmap(nil, 4096, 3, 0x22, -1, 0)
ffi.copy(code, "\xc3")
ffi.copy(ffi.cast("char *", code) + 64,
    "\x0f\x31\x48\xc1\xe2\x20\x48\x09\xd0\xc3")
assert(ffi.C.mprotect(code, 4096, 5) == 0)
local empty = ffi.cast("void (*)(void *, int64_t, int64_t, int64_t, int64_t)",
    code)
local rdtsc = ffi.cast("uint64_t (*)(void)", ffi.cast("char *", code) + 64)

local name = "/timeline-bench-luajit-" .. ffi.C.getpid()
local tl = timeline.new(name)
local open = timeline.define(tl, "bench", "error", "open $a $b $c $d")
local closed = timeline.define(tl, "bench", "trace", "closed $a $b $c $d")
local double = timeline.define(tl, "bench", "trace", "closed $a%f $b $c $d")
local begin, finish, run, finish_of = timeline.span(tl, "bench", "error",
    "span $a")
local closed_begin, closed_finish, closed_run, closed_finish_of =
    timeline.span(tl, "bench", "trace", "closed span $a")
local function nothing() end
timeline.priority(tl, "info")

-- Each loop is code of its own, or they would share a trace.
local function loop(statement, ...)
	return assert(loadstring(([[
		local empty, closed, double, open, begin, finish, run,
		    finish_of, nothing = ...
		return function(n) for i = 1, n do %s end end
	]]):format(statement)))(empty, closed, double, open, ...)
end

local loops = {
	{ "loop", loop("") },
	{ "empty", loop("empty(nil, i, 2, 3, 4)") },
	{ "closed", loop("closed(i, 2, 3, 4)") },
	{ "double", loop("double(i, 2, 3, 4)") },
	{ "open", loop("open(i, 2, 3, 4)") },
	{ "pair", loop("begin(i) finish()", begin, finish) },
	{ "closed pair", loop("begin(i) finish()", closed_begin,
	    closed_finish) },
	{ "run", loop("run(nothing, i)", begin, finish, run, nil, nothing) },
	{ "closed run", loop("run(nothing, i)", closed_begin, closed_finish,
	    closed_run, nil, nothing) },
}
if finish_of then
	loops[#loops + 1] = { "proven", loop("finish_of(begin(i))", begin,
	    finish, run, finish_of) }
	loops[#loops + 1] = { "closed proven", loop("finish_of(begin(i))",
	    closed_begin, closed_finish, closed_run, closed_finish_of) }
end

local cycles = {}
for _, l in ipairs(loops) do
	cycles[l[1]] = {}
	l[2](1000)
end
for round = 1, ROUNDS do
	for _, l in ipairs(loops) do
		local start = rdtsc()
		l[2](CALLS)
		cycles[l[1]][round] = tonumber(rdtsc() - start) / CALLS
	end
end

-- The middle, least and greatest of what one loop takes over another.
local function over(what, base)
	local d = {}

	for round = 1, ROUNDS do
		d[round] = cycles[what][round] -
		    (base and cycles[base][round] or 0)
	end
	table.sort(d)
	return d[(ROUNDS + 1) / 2], d[1], d[ROUNDS]
end

local function report(words, what, base)
	print(("%s [%.1f..%.1f]"):format(words:format(over(what, base)),
	    select(2, over(what, base))))
end

local mode = jit.status() and "luajit" or "luajit -joff"
report(mode .. " empty loop: %.1f cycles", "loop")
report(mode .. " empty call: %.1f cycles", "empty")
report(mode .. " closed event: %.1f cycles over an empty call", "closed",
    "empty")
report(mode .. " closed event with a double: %.1f cycles over an empty call",
    "double", "empty")
report(mode .. " open event: %.1f cycles", "open")
for i = 6, #loops do
	report(mode .. " " .. loops[i][1] .. ": %.1f cycles", loops[i][1])
end
timeline.remove(name)
