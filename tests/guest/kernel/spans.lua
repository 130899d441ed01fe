-- SPDX-License-Identifier: Apache-2.0
-- spans.lua: reads the spans of tests/tool/stalls with kernel events.  How many
-- spans have parts that add up to the whole, and how many of each kind have the
-- planted part as their largest?  The argument is the length of a stall in us:
-- a host that takes the guest's CPUs away makes spans longer and changes their
-- parts, so spans that are a quarter longer do not count for the second
-- question.
--
-- With the argument "losses": how many spans overlap a loss on their CPU, and
-- how many of these have no unknown part?
local planted = {
	preemption = "runnable",
	futex = "blocked_task",
	sleep = "blocked_timer",
}

-- A loss lies between the events before and after it in its lane.
local function losses()
	local lanes, lost = {}, 0
	for e in timeline.events({ order = "oldest" }) do
		if not e.message or e.category == "sched" then
			local lane = lanes[e.lane] or { tsc = 0, gaps = {} }
			lanes[e.lane] = lane
			if not e.message then
				lost = lost + e.lost
				lane.from = lane.from or lane.tsc
			else
				if lane.from then
					table.insert(lane.gaps, { lane.from, e.tsc })
					lane.from = nil
				end
				lane.tsc = e.tsc
			end
		end
	end
	for _, lane in pairs(lanes) do
		if lane.from then
			table.insert(lane.gaps, { lane.from, math.maxinteger })
		end
	end
	return lanes, lost
end

local function touches(lane, span)
	for _, gap in ipairs(lane and lane.gaps or {}) do
		if span.tsc < gap[2] and span.end_tsc > gap[1] then
			return true
		end
	end
	return false
end

-- show prints a span whose largest part is not the planted one.
local wrong = ""
local function show(s)
	local text = s.text .. " " .. s.duration .. " ns:"
	for _, part in ipairs({ "running", "interrupted", "runnable", "blocked_task",
		"blocked_timer", "blocked_io", "unknown" }) do
		if s.states[part] > 0 then
			text = text .. " " .. part .. " " .. s.states[part]
		end
	end
	return text
end

local lanes, lost
if arg[1] == "losses" then
	lanes, lost = losses()
end
local longest = 1250 * (tonumber(arg[1]) or 0)
local count, whole, touching, certain = 0, 0, 0, 0
local pids, writers, all, right = {}, 0, {}, {}
for s in timeline.spans({ category = "stalls", states = true }) do
	local sum, largest = 0, "unknown"
	for part, ns in pairs(s.states) do
		sum = sum + ns
		if ns > s.states[largest] then
			largest = part
		end
	end
	count = count + 1
	whole = whole + (sum == s.duration and 1 or 0)
	if not pids[s.pid] then
		pids[s.pid] = true
		writers = writers + 1
	end
	local kind = s.message:match("^stall of (%a+)")
	if planted[kind] and s.duration <= longest then
		all[kind] = (all[kind] or 0) + 1
		if largest == planted[kind] then
			right[kind] = (right[kind] or 0) + 1
		else
			wrong = wrong .. "\n" .. show(s)
		end
	end
	if lanes and touches(lanes[s.cpu], s) then
		touching = touching + 1
		certain = certain + (s.states.unknown == 0 and 1 or 0)
	end
end
if lanes then
	print("lost " .. lost .. " touching " .. touching .. " certain " .. certain)
else
	print("spans " .. count .. " writers " .. writers .. " not whole " .. count - whole)
	for _, kind in ipairs({ "preemption", "futex", "sleep" }) do
		print(kind .. " " .. (right[kind] or 0) .. " of " .. (all[kind] or 0))
	end
	timeline.write(wrong:gsub("\n", "\nwrong "):sub(2), wrong ~= "" and "\n" or "")
end
