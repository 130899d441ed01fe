-- SPDX-License-Identifier: Apache-2.0
-- gaps: the longest silences, overall and of each CPU.
local options, words = timeline.arguments([[
usage: gaps [COUNT] [--category=GLOB] [--message=GLOB] [--priority=P]
Print the COUNT longest silences (10) between one event and the next: of all
CPUs together and of each.  Gaps are left out in which entries were lost, or
levels closed, as between two bursts.]], ...)
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

-- A gap counts if nothing of the lower level of its two events is missing in
-- it: if their observed interval, of which another event stands before or
-- behind, has both.  Inputs and levels have intervals of their own; between two
-- inputs, the second must have been there before.
local function see(name, e)
	local place = places[name]
	if not place then
		place = { name = name, gaps = {}, seen = {}, waits = {} }
		places[name], places[#places + 1] = place, place
	end
	local last, own = place.last, e.source << 8 | e.level
	local waits = place.waits[own]
	if waits and waits.from.observed == e.observed then
		add(place, waits.from, waits.to)
	end
	place.waits[own] = nil
	if last and last.observed and e.observed then
		local same = last.source == e.source
		if same and last.observed == e.observed
		    or (not same or e.level <= last.level)
		    and place.seen[own] == e.observed then
			add(place, last, e)
		elseif same and last.level < e.level then
			place.waits[last.source << 8 | last.level] =
			    { from = last, to = e }
		end
	end
	place.last, place.seen[own] = e, e.observed
end

places.all = { name = "all", gaps = {}, seen = {}, waits = {} }
places[1] = places.all
for e in timeline.events(timeline.select(options, { order = "oldest" })) do
	if e.lost then
		for _, place in pairs { places.all, e.cpu and places[cpu_of(e)] } do
			place.last, place.seen, place.waits = nil, {}, {}
		end
	elseif e.message then
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
