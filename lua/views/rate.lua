-- SPDX-License-Identifier: Apache-2.0
-- rate: events per slice of time, as bars.
local options, words = timeline.arguments([[
usage: rate [SLICES] [--slice=DURATION] [--category=GLOB] [--message=GLOB]
            [--priority=P]
Divide the time from the oldest to the newest event into SLICES (20), or into
slices of DURATION, and draw how many events fell into each.  Where a ring has
overwritten entries, the time begins where it is complete, which is said.  A
slice that lies between two inputs is empty, not 0.]], ...)
if not options then return end

local wanted = timeline.select(options, { order = "oldest" })
local oldest, first, last
for e in timeline.events(wanted) do
	if e.overwritten then first, last = nil, nil
	elseif e.message then
		oldest, first, last = oldest or e.ns, first or e.ns, e.ns
	end
end
if not first then
	print("no events")
	return
end

local slices = math.max(1, timeline.count(words[1], 20))
local slice = math.max(1, -((first - last) // slices))
if type(options.slice) == "string" then
	slice = timeline.duration(options.slice)
	if slice <= 0 then timeline.fail("a slice must be longer than nothing") end
	slices = (last - first) // slice + 1
	if slices > 10000 then timeline.fail("more than 10000 slices") end
end

-- The slices in which an input was looking, from its oldest to its newest event.
local ranges = {}
local function is_observed(i)
	for _, range in pairs(ranges) do
		if range.from <= i and i <= range.to then return true end
	end
	return false
end

local counts, lost, greatest = {}, {}, 0
wanted.order, wanted.since = "newest", first
for e in timeline.events(wanted) do
	local i = math.min(slices - 1, math.max(0, (e.ns - first) // slice))
	if e.lost then
		lost[i] = (lost[i] or 0) + e.lost
	elseif e.message then
		counts[i] = (counts[i] or 0) + 1
		greatest = math.max(greatest, counts[i])
		local range = ranges[e.source] or { to = i }
		ranges[e.source], range.from = range, i
	end
end

local width = math.max(10, timeline.columns - 60)
print(("%d slices of %s%s"):format(slices, timeline.duration(slice),
    timeline.since(oldest, first)))
for i = 0, slices - 1 do
	local n = counts[i] or 0
	local at = timeline.time(first + i * slice):sub(12, 29)
	local line = is_observed(i) and ("%s  %9d  %12.0f/s  %s%s"):format(
	    at, n, n * 1e9 / slice, timeline.bar(n, greatest, width),
	    lost[i] and ("  (%d lost)"):format(lost[i]) or "") or
	    at .. "  not observed"
	print((line:gsub(" +$", "")))
end
