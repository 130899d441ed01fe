-- SPDX-License-Identifier: Apache-2.0
-- gaps: the longest silences, overall and of each CPU.
local options, words = timeline.arguments([[
usage: gaps [COUNT] [--category=GLOB] [--message=GLOB] [--priority=P]
Print the COUNT longest silences (10) between one event and the next, or the end
of what was observed: of all CPUs together and of each.  The column "of" has the
messages that were observed all that time: all, or those of a priority and up
while levels were closed for others.  A gap is left out in which entries were
lost, or levels were closed for all that is logged before and after.  What
timeline itself logs, as a burst, is no event.]], ...)
if not options then return end

local most = math.max(1, timeline.count(words[1], 10))
local asked = timeline.asked(options)
local wanted = timeline.select(options, { order = "oldest" })
local several = #timeline.hosts() > 1
local function cpu_of(e)
	return (several and (e.host or "?") .. " " or "") .. "cpu " .. e.cpu
end

-- The levels of which there are events, lowest first, with the times between
-- which these or higher ones stand.
local levels, lowest = {}, nil
for e in timeline.events(wanted) do
	local level = e.message and asked[asked.key(e)] and e.level
	for at = 1, level or 0 do
		local l = levels[at] or { first = e.ns }
		levels[at], l.last, l.any = l, e.ns, l.any or at == level
	end
end
for _, m in ipairs(asked) do lowest = math.min(lowest or m.level, m.level) end

-- When an input was observed for messages from a level on: the lowest of these
-- decides.  Nothing if the input has no such message.
local looks = {}
local function look_at(source, level)
	local key = source << 8 | level
	if looks[key] == nil then
		local chosen, low = {}, math.maxinteger
		for _, m in ipairs(asked) do
			if m.source == source and m.level >= level then
				if m.level < low then chosen, low = {}, m.level end
				if m.level == low then chosen[#chosen + 1] = m end
			end
		end
		looks[key] = #chosen > 0 and
		    timeline.observed { messages = chosen }
	end
	return looks[key]
end

-- Were the messages of a level observed from one time to another, in one input
-- all the time, and in none closed?
local function is_observed(sources, level, from, to)
	local any = false
	for source in pairs(sources) do
		local look = look_at(source, level)
		local ns, why = 0, "no input"
		if look then ns, why = look(from, to) end
		if why and why ~= "no input" then return false end
		any = any or ns == to - from
	end
	return any
end

-- Keep the longest few silences of a place, longest first.
local function add(place, from, to, before)
	local gaps, gap = place.gaps, to - from.ns
	if gap <= 0 or #gaps == most and gaps[most].gap >= gap then return end
	local level = 1
	while level <= #levels and not (levels[level].any and
	    levels[level].first <= from.ns and
	    (not before or levels[level].last >= to) and
	    is_observed(place.sources, level, from.ns, to)) do
		level = level + 1
	end
	if level > #levels then return end
	local at = #gaps + 1
	while at > 1 and gaps[at - 1].gap < gap do at = at - 1 end
	table.insert(gaps, at, { gap = gap, from = from, before = before,
	    of = level == lowest and "all" or timeline.level(level) .. " up" })
	gaps[most + 1] = nil
end

local places = {}
local function see(name, e)
	local place = places[name]
	if not place then
		place = { name = name, gaps = {}, sources = {} }
		places[name], places[#places + 1] = place, place
	end
	place.sources[e.source] = true
	if place.last then add(place, place.last, e.ns, e) end
	place.last = e
end

for e in timeline.events(wanted) do
	if e.lost then
		for _, name in ipairs { "all", e.cpu and cpu_of(e) } do
			if places[name] then places[name].last = nil end
		end
	elseif e.message and asked[asked.key(e)] then
		see("all", e)
		if e.cpu then see(cpu_of(e), e) end
	end
end
for _, place in ipairs(places) do
	local to = math.mininteger
	for source in pairs(place.sources) do
		to = math.max(to, timeline.inputs[source].complete_to or to)
	end
	if place.last then add(place, place.last, to) end
end

table.sort(places, function(a, b)
	if #a.name ~= #b.name then return #a.name < #b.name end
	return a.name < b.name
end)
local t = timeline.table { columns = { "where",
    { name = "silence", format = "duration", align = "right" },
    "of", "from", "after", "before" } }
for _, place in ipairs(places) do
	for _, g in ipairs(place.gaps) do
		t:row(place.name, g.gap, g.of, g.from.time, g.from.text,
		    g.before and g.before.text or "(until the end)")
	end
end
t:print()
