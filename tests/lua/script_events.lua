-- SPDX-License-Identifier: Apache-2.0
-- Iterators are compared with each other, over two inputs. test_script_views
-- runs this file.

local function collect(iterator)
	local list = {}
	for e in iterator do list[#list + 1] = e end
	return list
end

-- Newest first is the reverse of oldest first, for each input and for both.
local sources = { timeline, timeline.inputs[1], timeline.inputs[2] }
local sizes = {}
for i, source in ipairs(sources) do
	local function events(order)
		if source == timeline then
			return collect(timeline.events { order = order })
		end
		return collect(source:events { order = order })
	end
	local down, up = events("newest"), events("oldest")
	assert(#down == #up and #up > 0)
	sizes[i] = #up
	for j = 2, #up do
		assert(up[j].ns >= up[j - 1].ns)
		assert(up[j].delta == up[j].ns - up[j - 1].ns)
	end
	for j = 2, #down do assert(down[j].ns <= down[j - 1].ns) end
end
assert(sizes[1] == sizes[2] + sizes[3])

-- Pairing begins and ends in Lua gives the same spans.
local input = timeline.inputs[2]
local open, durations = {}, {}
for e in input:events { order = "oldest" } do
	if e.kind == "begin" then
		open[e.id] = open[e.id] or {}
		table.insert(open[e.id], e)
	elseif e.kind == "end" and open[e.id] and #open[e.id] > 0 then
		local begin = table.remove(open[e.id])
		durations[#durations + 1] = e.ns - begin.ns
	end
end
local spans = collect(input:spans())
assert(#spans == #durations and #spans > 0)
for i, span in ipairs(spans) do
	assert(span.duration == durations[i])
	assert(span.end_ns - span.begin_ns == span.duration)
end

-- A coroutine may stop in the middle of a loop and go on.
local step = coroutine.wrap(function()
	for e in timeline.events { order = "oldest" } do coroutine.yield(e.ns) end
end)
local first = step()
for e in timeline.events { order = "oldest" } do
	assert(e.ns == first)
	first = step()
	if not first then break end
end

-- Iterators are values: two at a time do not disturb each other.
local a, b = timeline.events(), timeline.events()
for _ = 1, 5 do assert(a().ns == b().ns) end
