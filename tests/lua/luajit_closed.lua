-- SPDX-License-Identifier: Apache-2.0
-- Closed events through the FFI: each function that logs leaves the head of
-- the thread as it is, and logs nothing.

local ffi = require("ffi")
local check = require("check")
local timeline = require("timeline")
local test, equal = check.test, check.equal

local C = ffi.load(os.getenv("TIMELINE_BUILD") .. "/lib/libtimeline.so.0")

ffi.cdef[[
	int arch_prctl(int code, uint64_t *address);
]]

local ARCH_GET_FS = 0x1003

-- The first 64 bytes of the thread: its table of thread-local blocks is there.
local function head()
	local fs = ffi.new("uint64_t[1]")

	equal(ffi.C.arch_prctl(ARCH_GET_FS, fs), 0)
	return ffi.string(ffi.cast("const char *", fs[0]), 64)
end

local function closed_event(tl, priority, kind)
	local out = ffi.new("struct timeline_event *[1]")
	local definition = ffi.new("struct timeline_definition", {
		category = "closed", priority = priority, message = "$a $b",
		kind = kind, scope = C.TIMELINE_SOURCE,
	})

	equal(C.timeline_define_event(tl, definition, out) ~= 0, true)
	return out[0]
end

local function call(event)
	for i = 0, C.TIMELINE_PART_COUNT - 1 do
		local e = event + i

		C.timeline_log(e, 1, 2, 3, 4)
		C.timeline_append(e, 1, 2, 3, 4)
		equal(C.timeline_span_log(e, 1, 2, 3, 4), 0ULL)
		equal(C.timeline_span_append(e, 1, 2, 3, 4), 0ULL)
		C.timeline_log_at(e, 1, 1, 2, 3, 4)
		C.timeline_append_at(e, 1, 1, 2, 3, 4)
		equal(C.timeline_stamp(e), 0ULL)
		equal(C.timeline_timer_begin(e), 0ULL)
		C.timeline_timer_end(e, 1, 1, 2, 3, 4)
		C.timeline_timer_append(e, 1, 1, 2, 3, 4)
	end
	equal(C.timeline_begin(event, 1, 2, 3, 4), 0ULL)
	C.timeline_end_of(event, 1, 1, 2, 3)
end

test("a closed event stores nothing in the head of the thread", function()
	local tl = timeline.new(check.new_name())
	local before = head()

	for kind = C.TIMELINE_INSTANT, C.TIMELINE_TIMER do
		call(closed_event(nil, "info", kind))
		call(closed_event(tl.core, "no such", kind))
	end
	equal(head(), before)
	tl:close()
end)

check.done()
