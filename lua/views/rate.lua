-- SPDX-License-Identifier: Apache-2.0
-- rate: events per slice of time, as bars.
local options, words = timeline.arguments([[
usage: rate [SLICES] [--slice=DURATION] [--category=GLOB] [--message=GLOB]
            [--priority=P]
Divide the time from the oldest event to the newest, or to the end of what was
observed, into SLICES (20), or into slices of DURATION, and draw how many events
fell into each.  Where a ring has overwritten entries, the time begins where it
is complete, which is said.  What timeline itself logs, as a burst, is no event.
Rates are of observed time.  A slice without any has no rate, but a reason; of
several messages those of the highest priority decide.]], ...)
if not options then return end

local asked = timeline.asked(options)
local wanted = timeline.select(options, { order = "oldest" })
local oldest, first, last
for e in timeline.events(wanted) do
	if e.overwritten then first, last = nil, nil
	elseif e.message and asked[asked.key(e)] then
		oldest, last = oldest or e.ns, e.ns
		if timeline.complete(e) then first = first or e.ns end
	end
end
if not first then
	print("no events")
	return
end
for _, input in ipairs(timeline.inputs) do
	last = math.max(last, input.complete_to or last)
end

local slices = math.max(1, timeline.count(words[1], 20))
local slice = math.max(1, -((first - last) // slices))
if type(options.slice) == "string" then
	slice = timeline.duration(options.slice)
	if slice <= 0 then timeline.fail("a slice must be longer than nothing") end
	slices = (last - first) // slice + 1
	if slices > 10000 then timeline.fail("more than 10000 slices") end
end

local counts, seen, lost, greatest = {}, {}, {}, 0
wanted.order, wanted.since = "newest", first
for e in timeline.events(wanted) do
	local i = math.min(slices - 1, math.max(0, (e.ns - first) // slice))
	if e.lost then
		lost[i] = (lost[i] or 0) + e.lost
	elseif e.message and asked[asked.key(e)] then
		counts[i] = (counts[i] or 0) + 1
		if e.observed then seen[i] = (seen[i] or 0) + 1 end
		greatest = math.max(greatest, counts[i])
	end
end
local observed = timeline.observed(options)

local width = math.max(10, timeline.columns - 60)
print(("%d slices of %s%s"):format(slices, timeline.duration(slice),
    timeline.since(oldest, first)))
for i = 0, slices - 1 do
	local n, from = counts[i] or 0, first + i * slice
	local to = math.min(from + slice, last)
	local ns, why = observed(from, to)
	if to == from then ns, why = slice, nil end -- one moment
	local rate = ns == 0 and ("%14s"):format("-") or
	    ("%12.0f/s"):format((seen[i] or 0) * 1e9 / ns)
	local remark = not why and "" or ns == 0 and "  not observed: " .. why or
	    ("  (%.0f %% observed; %s)"):format(100 * ns / (to - from), why)
	local line = ("%s  %9d  %s  %s%s%s"):format(
	    timeline.time(from):sub(12, 29), n, rate,
	    timeline.bar(n, greatest, width), remark,
	    lost[i] and ("  (%d lost)"):format(lost[i]) or "")
	print((line:gsub(" +$", "")))
end
