-- SPDX-License-Identifier: Apache-2.0
-- diff: two timelines beside each other, message by message.
local options = timeline.arguments([[
usage: diff [--category=GLOB] [--message=GLOB] [--priority=P]
Of the two timelines given, A and B: how often and at what rate each message
was seen, the percentiles of the intervals between two, and of spans.]], ...)
if not options then return end
if #timeline.inputs ~= 2 then
	timeline.fail("diff compares two timelines, not " .. #timeline.inputs)
end

local messages, order = {}, {}
local function entry(e)
	local key = e.category .. "\0" .. e.message
	if not messages[key] then
		messages[key] = { category = e.category, text = e.message }
		order[#order + 1] = messages[key]
	end
	return messages[key]
end

local windows = {}
for side, input in ipairs(timeline.inputs) do
	local sides, first, last = {}, nil, nil
	for e in input:events(timeline.select(options,
	    { order = "oldest", pair = true })) do
		first, last = first or e.ns, e.ns
		local m = e.message ~= nil and sides[e.id]
		if m == nil then
			m = { count = 0, intervals = timeline.histogram(2),
			    spans = timeline.histogram(2) }
			sides[e.id] = m
			entry(e)[side] = m
		end
		if e.kind == "end" then
			if e.duration and not e.lossy then
				m.spans:add(e.duration)
			end
		elseif m then
			if m.last and m.observed and m.observed == e.observed then
				m.intervals:add(math.max(0, e.ns - m.last))
			end
			m.count, m.last, m.observed = m.count + 1, e.ns, e.observed
		end
	end
	last = last and math.max(last, input.complete_to or last)
	windows[side] = math.max(1, (last or 0) - (first or 0))
	print(("%s: %s, %s"):format(side == 1 and "A" or "B", input.name,
	    timeline.duration(windows[side])))
end

local function change(a, b)
	if a == 0 then return b == 0 and "" or "new" end
	if b == 0 then return "gone" end
	return ("%+.1f%%"):format(100 * (b - a) / a)
end
local none = { count = 0, intervals = timeline.histogram(2),
    spans = timeline.histogram(2) }
local counts = timeline.table { columns = { "count A", "count B",
    { name = "rate A", format = "rate" }, { name = "rate B", format = "rate" },
    { name = "change", align = "right" }, "category", "message" } }
for _, m in ipairs(order) do
	local a, b = (m[1] or none).count, (m[2] or none).count
	local per_s = { a * 1e9 / windows[1], b * 1e9 / windows[2] }
	counts:row(a, b, per_s[1], per_s[2], change(table.unpack(per_s)),
	    m.category, m.text)
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
