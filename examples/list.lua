-- SPDX-License-Identifier: Apache-2.0
-- list.lua: the newest events, a line each.
--
--	timeline-dump FILE -s list.lua 10
local options, words = timeline.arguments([[
usage: list [COUNT] [--category=GLOB] [--message=GLOB] [--priority=P]
            [--oldest-first]
Print COUNT events (100; 0 means all), the newest first.]], ...)
if not options then return end

local most = timeline.count(words[1], 100)
local wanted = timeline.select(options)
wanted.order = options["oldest-first"] and "oldest" or "newest"
local shown = 0
local several = #timeline.hosts() > 1
for e in timeline.events(wanted) do
	if not e.message then
		print(e.text)
	elseif several then
		print(("%s%s %-10s %-10s %s"):format(e.time,
		    e.overlaps and "~" or " ", e.host or "?", e.category, e.text))
	else
		print(("%s %-10s %s"):format(e.time, e.category, e.text))
	end
	shown = shown + 1
	if shown == most then break end
end
