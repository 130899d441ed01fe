-- SPDX-License-Identifier: Apache-2.0
-- heat: how long spans took, over time, as a map.
local options, words = timeline.arguments([[
usage: heat [MESSAGE] [--columns=COUNT] [--intervals]
Time goes right, duration up, and the darker the more spans of MESSAGE (a
glob; all spans if left out) took so long.  --intervals: the time between two
events of one message instead of the duration of spans.  Where a ring has
overwritten entries, time begins where it is complete, which is said.]], ...)
if not options then return end

local wanted = { order = "oldest", message = words[1],
    pair = not options.intervals }
local asked = timeline.asked { message = words[1] }
local first, last, lowest, highest, oldest
local cells, points, previous = {}, {}, {}
for e in timeline.events(wanted) do
	local took = e.kind == "end" and not options.intervals
	    and not e.lossy and e.duration
	local key = e.message and asked.key(e)
	if not key then
		previous = {} -- the next event may be among what is missing
		if e.overwritten then first, points = nil, {} end
	elseif options.intervals and e.kind ~= "end" and asked[key] then
		local before = previous[key]
		took = before and before.observed == e.observed
		    and math.max(0, e.ns - before.ns)
		previous[key] = e.observed and e or nil
	end
	if took then oldest = oldest or e.ns end
	if took and timeline.complete(e) then
		first, last = first or e.ns, e.ns
		points[#points + 1] = e.ns
		points[#points + 1] = timeline.step(took)
	end
end
if not first then
	print("nothing to draw")
	return
end

local columns = math.max(1, timeline.count(
    type(options.columns) == "string" and options.columns or nil,
    math.max(20, timeline.columns - 14)))
local slice = (last - first) // columns + 1
local greatest = 0
for i = 1, #points, 2 do
	local x, y = (points[i] - first) // slice, points[i + 1]
	lowest = math.min(lowest or y, y)
	highest = math.max(highest or y, y)
	local row = cells[y] or {}
	cells[y] = row
	row[x] = (row[x] or 0) + 1
	greatest = math.max(greatest, row[x])
end

local shades = ".:-=+*#%@"
for y = highest, lowest, -1 do
	local line = {}
	for x = 0, columns - 1 do
		local n = cells[y] and cells[y][x]
		local shade = n and 1 + (#shades - 1) * n // greatest
		line[x + 1] = n and shades:sub(shade, shade) or " "
	end
	print(("%10s |%s"):format(timeline.duration(timeline.step_start(y)),
	    (table.concat(line):gsub(" +$", ""))))
end
print((" "):rep(11) .. "+" .. ("-"):rep(columns))
print(("%s%s, %s a column, @ is %d%s"):format((" "):rep(12),
    timeline.time(first), timeline.duration(slice), greatest,
    timeline.since(oldest, first)))
