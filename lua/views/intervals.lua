-- SPDX-License-Identifier: Apache-2.0
-- intervals: when each process of a profile was executed.
local options, words = timeline.arguments([[
usage: intervals [--category=GLOB] [--message=GLOB] [--priority=P]
When each scope was executed, first begun first, a line for each name:

  Process reader was executed two times in the intervals (10,1000) and (1210,1910)

Times are microseconds from the start of an LMS profile, or from the first
begin of other inputs.  Where a ring has overwritten entries, scopes are those
that ended when it was complete.]], ...)
if not options then return end

local numbers = { "one time", "two times", "three times", "four times",
    "five times", "six times", "seven times", "eight times", "nine times",
    "ten times", "eleven times", "twelve times" }

local function is_profile(s)
	return s.category == "lms" and s.scope == 1 and s.explain and
	    s.explain:match("^id ")
end

-- In order of their begins: spans come in order of their ends.
local spans, lonely, older = {}, 0, 0
for _, input in ipairs(timeline.inputs) do
	local from = input.complete_from or math.mininteger
	for s in input:spans(timeline.select(options, { open = true })) do
		if s.open or s.lossy then
			lonely = lonely + 1
		elseif s.end_ns < from then
			older = older + 1
		else
			spans[#spans + 1] = { name = s.name, at = #spans,
			    from = s.ns, to = s.end_ns, profile = is_profile(s) }
		end
	end
end
table.sort(spans, function(a, b)
	if a.from ~= b.from then return a.from < b.from end
	return a.at < b.at
end)

local processes, order = {}, {}
local start = spans[1] and not spans[1].profile and spans[1].from or 0
for _, s in ipairs(spans) do
	local process = processes[s.name]
	if not process then
		process = { name = s.name }
		processes[s.name] = process
		order[#order + 1] = process
	end
	process[#process + 1] = ("(%d,%d)"):format((s.from - start) // 1000,
	    (s.to - start) // 1000)
end

for _, process in ipairs(order) do
	local count = #process
	local last = table.remove(process)
	print(("Process %s was executed %s in the interval%s %s%s"):format(
	    timeline.plain(process.name),
	    numbers[count] or count .. " times", count == 1 and "" or "s",
	    count > 1 and table.concat(process, ", ") .. " and " or "", last))
end
if lonely > 0 then
	print(lonely .. (lonely == 1 and " scope" or " scopes")
	    .. " without an end left out")
end
if older > 0 then
	print(older .. (older == 1 and " older scope" or " older scopes")
	    .. " left out: others of their time are overwritten")
end
