-- SPDX-License-Identifier: Apache-2.0
-- gaps: the longest silences, overall and of each CPU.
local options, words = timeline.arguments([[
usage: gaps [COUNT] [--category=GLOB] [--message=GLOB] [--priority=P]
Print the COUNT longest silences (10) between one event and the next: of all
CPUs together and of each.  Gaps with lost entries are left out.]], ...)
if not options then return end

local most = math.max(1, timeline.count(words[1], 10))
local places = {}
local several = #timeline.hosts() > 1
local function cpu_of(e)
	return (several and (e.host or "?") .. " " or "") .. "cpu " .. e.cpu
end

-- Keep the longest few of a place, longest first.
local function add(place, from, to)
	local gaps, gap = place.gaps, to.ns - from.ns
	if #gaps == most and gaps[most].gap >= gap then return end
	local at = #gaps + 1
	while at > 1 and gaps[at - 1].gap < gap do at = at - 1 end
	table.insert(gaps, at, { gap = gap, from = from, to = to })
	gaps[most + 1] = nil
end

local function see(name, e)
	local place = places[name]
	if not place then
		place = { name = name, gaps = {} }
		places[name], places[#places + 1] = place, place
	end
	if place.last then add(place, place.last, e) end
	place.last = e
end

see("all", { ns = 0 })
places.all.last = nil
for e in timeline.events(timeline.select(options, { order = "oldest" })) do
	if e.kind == "lost" then
		places.all.last = nil
		local place = e.cpu and places[cpu_of(e)]
		if place then place.last = nil end
	else
		see("all", e)
		if e.cpu then see(cpu_of(e), e) end
	end
end

table.sort(places, function(a, b)
	if #a.name ~= #b.name then return #a.name < #b.name end
	return a.name < b.name
end)
local t = timeline.table { columns = { "where",
    { name = "silence", format = "duration", align = "right" },
    "from", "after", "before" } }
for _, place in ipairs(places) do
	for _, g in ipairs(place.gaps) do
		t:row(place.name, g.gap, g.from.time, g.from.text, g.to.text)
	end
end
t:print()
