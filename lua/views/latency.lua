-- SPDX-License-Identifier: Apache-2.0
-- latency: how long from each message A to the next message B.
local options, words = timeline.arguments([[
usage: latency A B [--same=thread|process|cpu|host] [--worst=COUNT]
A and B are globs over the first line of messages.  From each event that
matches A to the next that matches B (of the same thread, process, CPU
or host where asked): the histogram, and the COUNT worst (5).  Left out
are those between which levels were closed for B.
Files stand first: timeline-dump FILE --view latency 'A*' 'B*'.]], ...)
if not options then return end
if #words ~= 2 then
	timeline.fail("latency needs two messages behind the view: "
	    .. "timeline-dump FILE --view latency 'A*' 'B*'")
end

for _, word in ipairs(words) do timeline.expect(word) end

local as = timeline.asked { message = words[1] }
local bs = timeline.asked { message = words[2] }

local same = options.same
local groups = {} -- by host, which may have the same numbers as another
local function group_of(e)
	if not same then return 0 end
	local of_host = groups[e.host or 0] or {}
	groups[e.host or 0] = of_host
	local key = same == "thread" and (e.pid << 32 | e.tid)
	    or same == "process" and e.pid or same == "cpu" and e.cpu or -1
	of_host[key] = of_host[key] or {}
	return of_host[key]
end

local h, worst, waiting, unanswered = timeline.histogram(), {}, {}, 0
local unseen = 0
local most = timeline.count(options.worst, 5)

local function count(from, e)
	local took = math.max(0, e.ns - from.ns)
	h:add(took)
	local at = #worst + 1
	while at > 1 and worst[at - 1].took < took do at = at - 1 end
	if at <= most then
		table.insert(worst, at, { took = took, from = from, to = e })
		worst[most + 1] = nil
	end
end

-- The observed interval of each level of each input: its number, and since
-- when an event shows it.
local intervals = {}
local function interval_of(e)
	local key = e.source << 8 | e.level
	local interval = intervals[key]
	if not interval or interval.number ~= e.observed then
		interval = { number = e.observed, since = e.ns }
		intervals[key] = interval
	end
	return interval
end

-- Is no event like e missing since the other one?  Levels whose intervals have
-- one number were opened together.
local function is_whole(from, e, interval)
	return e.observed and from.source == e.source
	    and (from.observed == e.observed or interval.since <= from.ns)
end

for e in timeline.events { order = "oldest", message = words } do
	if not e.message then
		waiting = {} -- the answer may be among what is missing
	else
		local key, group = as.key(e), group_of(e)
		local interval = interval_of(e)
		if bs[key] and waiting[group] then
			for _, from in ipairs(waiting[group]) do
				if is_whole(from, e, interval) then
					count(from, e)
				else
					unseen = unseen + 1
				end
			end
			waiting[group] = nil
		end
		if as[key] then
			waiting[group] = waiting[group] or {}
			table.insert(waiting[group], e)
		end
	end
end
for _, list in pairs(waiting) do unanswered = unanswered + #list end

h:draw { unit = "duration", title = words[1] .. "  ->  " .. words[2] }
if unseen > 0 then
	print(("%d left out, whose answer was not observed"):format(unseen))
end
if unanswered > 0 then
	print(("%d without an answer"):format(unanswered))
end
for _, w in ipairs(worst) do
	print(("%12s  %s  %s  ->  %s"):format(timeline.duration(w.took),
	    w.from.time, w.from.text, w.to.text))
end
