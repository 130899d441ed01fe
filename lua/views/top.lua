-- SPDX-License-Identifier: Apache-2.0
-- top: messages by count and by share of time.
local options, words = timeline.arguments([[
usage: top [COUNT] [--category=GLOB] [--message=GLOB] [--priority=P] [--time]
Print the COUNT messages (20; 0 means all) seen most often, with how long
their spans took and the share of all time that is; --time sorts by that.
Rates are of all time of an input, closed or not: --stats has those of observed
time.
Where a ring has overwritten entries, the time from which on it is complete is
used, and said.]],
    ...)
if not options then return end

local seen, order, total, first, last, oldest = {}, {}, 0, nil, nil, nil
local firsts, lasts = {}, {} -- of each input
for e in timeline.events(timeline.select(options,
    { order = "oldest", pair = true })) do
	oldest, last = oldest or e.ns, e.ns
	if e.overwritten then -- what came before is not all there was
		seen, order, total, first, firsts = {}, {}, 0, nil, {}
	elseif e.message and timeline.complete(e) then
		first = first or e.ns
		local from = firsts[e.source] or
		    #timeline.inputs == 1 and first or e.ns
		firsts[e.source], lasts[e.source] = from, e.ns
		local of_id = e.source << 32 | e.id
		local named = seen[of_id] or {}
		seen[of_id] = named
		local name = e.name
		local message = named[name]
		if not message then
			message = { count = 0, time = 0, within = 0,
			    source = e.source, category = e.category, text = name }
			named[name] = message
			order[#order + 1] = message
		end
		if e.kind ~= "end" then
			message.count = message.count + 1
			total = total + 1
		end
		local took = not e.lossy and e.duration or 0
		local begun = e.kind == "end" and e.ns - took or e.ns
		message.time = timeline.add(message.time, took)
		message.within = timeline.add(message.within,
		    math.max(0, took - math.max(0, from - begun)))
	end
end

if not first then
	print("no events")
	return
end

local windows = {}
for i, input in ipairs(timeline.inputs) do
	local to = math.max(lasts[i] or first, input.complete_to or first)
	last = math.max(last, to)
	windows[i] = math.max(1, to - (firsts[i] or first))
end
local t = timeline.table { columns = { "count",
    { name = "share", format = "percent" },
    { name = "rate", format = "rate" },
    { name = "in spans", format = "duration" },
    { name = "of time", format = "percent" }, "category", "message" } }
for _, m in ipairs(order) do
	local window = windows[m.source]
	t:row(m.count, 100 * m.count / math.max(1, total),
	    m.count * 1e9 / window, m.time, 100 * m.within / window,
	    m.category, m.text)
end
t:sort(options.time and 4 or 1, true)
local most = timeline.count(words[1], 20)
t:print(most > 0 and most or nil)
print(("%d events in %s%s"):format(total, timeline.duration(math.max(1, last - first)),
    timeline.since(oldest, first)))
