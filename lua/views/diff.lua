-- SPDX-License-Identifier: Apache-2.0
-- diff: two timelines beside each other, message by message.
local options = timeline.arguments([[
usage: diff [--category=GLOB] [--message=GLOB] [--priority=P]
Of the two timelines given, A and B: how often and at what rate each message
was seen, the percentiles of the intervals between two, and of spans.  Rates are
of the time in which the message was observed; there is none if it never was.
Where a ring has overwritten entries, the time from which on it is complete is
used, and said.]], ...)
if not options then return end
if #timeline.inputs ~= 2 then
	timeline.fail("diff compares two timelines, not " .. #timeline.inputs)
end

local messages, order = {}, {}
local function key_of(m) return m.category .. "\0" .. m.message end
local function entry(e)
	local key = key_of(e)
	if not messages[key] then
		messages[key] = { category = e.category, text = e.message }
		order[#order + 1] = messages[key]
	end
	return messages[key]
end

local function side_of(message, side)
	message[side] = message[side] or { count = 0, seen = 0,
	    intervals = timeline.histogram(2), spans = timeline.histogram(2) }
	return message[side]
end

local firsts, lasts = {}, {}
for side, input in ipairs(timeline.inputs) do
	local oldest, first, last
	for e in input:events(timeline.select(options,
	    { order = "oldest", pair = true })) do
		oldest, last = oldest or e.ns, e.ns
		if e.overwritten then -- what came before is not all there was
			first = nil
			for _, message in ipairs(order) do message[side] = nil end
		end
		local m
		if timeline.complete(e) then
			first = first or e.ns
			m = e.message and side_of(entry(e), side)
		end
		if m and e.kind == "end" then
			if e.duration and not e.lossy then
				m.spans:add(e.duration)
			end
		elseif m then
			if m.last and m.observed and m.observed == e.observed then
				m.intervals:add(math.max(0, e.ns - m.last))
			end
			m.count, m.last, m.observed = m.count + 1, e.ns, e.observed
			m.seen = m.seen + (e.observed and 1 or 0)
		end
	end
	last = last and math.max(last, input.complete_to or last)
	firsts[side], lasts[side] = first or 0, last or 0
	print(("%s: %s, %s%s"):format(side == 1 and "A" or "B", input.name,
	    timeline.duration(lasts[side] - firsts[side]),
	    timeline.since(oldest, first)))
end

-- How long each message was observed: those of one level that are logged from
-- one priority on are so together.
for side, input in ipairs(timeline.inputs) do
	local looks = {}
	for _, defined in ipairs(input:messages()) do
		local message = messages[key_of(defined)]
		if message then
			local gate = defined.level << 8 | defined.gate
			looks[gate] = looks[gate] or
			    timeline.observed { messages = { defined } }
			local m = side_of(message, side)
			m.ns = looks[gate](firsts[side], lasts[side])
		end
	end
end

local function change(a, b)
	if not a or not b then return "" end
	if a == 0 then return b == 0 and "" or "new" end
	if b == 0 then return "gone" end
	return ("%+.1f%%"):format(100 * (b - a) / a)
end
local none = { count = 0, seen = 0, intervals = timeline.histogram(2),
    spans = timeline.histogram(2) }
local counts = timeline.table { columns = { "count A", "count B",
    { name = "rate A", format = "rate" }, { name = "rate B", format = "rate" },
    { name = "change", align = "right" }, "category", "message" } }
for _, m in ipairs(order) do
	local a, b = m[1] or none, m[2] or none
	local function rate(of)
		if of.ns ~= 0 then return of.seen * 1e9 / (of.ns or 1) end
	end
	if a.count + b.count > 0 then
		counts:row(a.count, b.count, rate(a), rate(b),
		    change(rate(a), rate(b)), m.category, m.text)
	end
end
counts:print()

for _, what in ipairs { "intervals", "spans" } do
	local t = timeline.table { columns = { what } }
	for _, name in ipairs { "p50 A", "p50 B", "p99 A", "p99 B", "max A",
	    "max B" } do
		table.insert(t.columns,
		    { name = name, format = "duration", align = "right" })
	end
	table.insert(t.columns, { name = "p50", align = "right" })
	for _, m in ipairs(order) do
		local a, b = (m[1] or none)[what], (m[2] or none)[what]
		if #a + #b > 0 then
			local function of(h, percent)
				return #h > 0 and h:percentile(percent) or nil
			end
			t:row(m.text, of(a, 50), of(b, 50), of(a, 99), of(b, 99),
			    of(a, 100), of(b, 100),
			    change(of(a, 50) or 0, of(b, 50) or 0))
		end
	end
	if #t.rows > 0 then
		print("")
		t:print()
	end
end
