-- SPDX-License-Identifier: Apache-2.0
--
-- entries.lua - reads the entries of a snapshot in the simplest way: no clock,
-- no windows, no checks, only the bytes as include/timeline_layout.h draws
-- them.  The tests compare the entries of the binding with the result.

local ffi = require("ffi")

local HEAD_SIZE, ENTRY_SIZE = 128, 64

local function bytes_of(path)
	local file = assert(io.open(path, "rb"))
	local bytes = file:read("*a")

	file:close()
	return bytes
end

local function u64(bytes, at)
	return ffi.cast("uint64_t *", ffi.cast("const char *", bytes) + at)[0]
end

local function u32(bytes, at)
	return ffi.cast("uint32_t *", ffi.cast("const char *", bytes) + at)[0]
end

local function text_at(bytes, record, field)
	local start = record + u32(bytes, record + field)

	return bytes:sub(start + 1, start + u32(bytes, record + field + 4))
end

local kinds = { "instant", "span", "counter" }

-- entry_at returns the entry at the byte at.
local function entry_at(bytes, at, strings)
	local word = u32(bytes, at + 16)
	local record = strings + word - word % 16
	local entry = {
		tsc = u64(bytes, at), pid = u32(bytes, at + 12),
		is_end = word % 2 == 1,
		flags = word % 16,
		kind = kinds[bytes:byte(record + 4 + 1)],
		level = bytes:byte(record + 5 + 1),
		scope = bytes:byte(record + 25 + 1),
		category = text_at(bytes, record, 36),
		message = text_at(bytes, record, 44),
		file = text_at(bytes, record, 52),
		line = u32(bytes, record + 32),
	}

	for i = 1, 4 do
		entry[i] = u64(bytes, at + 24 + 8 * (i - 1))
	end
	return entry
end

-- entries returns all entries of a snapshot oldest first, without the library's
-- own.
local function entries(path)
	local bytes = bytes_of(path)
	local cpus, tiers = u32(bytes, 64), u32(bytes, 72)
	local lanes = cpus + u32(bytes, 68)
	local heads = tonumber(u64(bytes, 80))
	local strings = tonumber(u64(bytes, 96))
	local all = {}

	for lane = 0, lanes * tiers - 1 do
		local tier, row = lane % tiers, math.floor(lane / tiers)
		local n = tonumber(u64(bytes, 128 + 8 * tier))
		local first = tonumber(u64(bytes, 160 + 8 * tier)) +
		    math.min(row, cpus) * n * ENTRY_SIZE
		if row >= cpus then -- a fallback lane
			n = tonumber(u64(bytes, 768 + 8 * tier))
			first = first + (row - cpus) * n * ENTRY_SIZE
		end
		local head = heads + lane * HEAD_SIZE
		local q = u64(bytes, head + 72)
		while q < u64(bytes, head + 80) do
			local at = first + tonumber(q % n) * ENTRY_SIZE
			local entry = entry_at(bytes, at, strings)
			if entry.category ~= "timeline" then
				all[#all + 1] = entry
			end
			q = q + 1
		end
	end
	table.sort(all, function(a, b) return a.tsc < b.tsc end)
	return all
end

return { read = entries, u64 = u64, bytes = bytes_of }
