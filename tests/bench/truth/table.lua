-- SPDX-License-Identifier: Apache-2.0
-- table.lua - medians and ranges of the runs of each tracer and shape.
--
--	lua5.4 table.lua RESULTS
--
-- A line of RESULTS: shape, tracer, the numbers of judge.lua, open ns as the
-- record has them (0: those of judge.lua), and whether the tracer reported that
-- spans are missing from the record.
local cells, shapes, tracers, seen = {}, {}, {}, {}
local function list(values, value)
	if not seen[value] then values[#values + 1] = value end
	seen[value] = true
end
for line in io.lines(arg[1]) do
	local shape, tracer, claims, false_claims, worst, missing, open,
	    claimed, real, record_open, said = line:match(
	    ("([^\t]+)\t"):rep(10) .. "(%S+)$")
	local cell = cells[shape .. tracer] or { claims = {}, share = {},
	    missing = {}, yield = {}, tail = {}, worst = 0, said = 0,
	    false_claims = {} }
	cells[shape .. tracer] = cell
	list(shapes, shape)
	list(tracers, tracer)
	local function put(name, value)
		table.insert(cell[name], value)
	end
	if tonumber(record_open) > 0 then open = record_open end
	put("claims", tonumber(claims))
	put("false_claims", tonumber(false_claims))
	put("share", 100 * false_claims / math.max(1, tonumber(claims)))
	put("missing", tonumber(missing))
	put("yield", tonumber(open) > 0 and claims / open * 1e6 or 0)
	put("tail", claimed / math.max(1, tonumber(real)))
	cell.worst = math.max(cell.worst, tonumber(worst))
	cell.said = cell.said + (tonumber(said) > 0 and 1 or 0)
end

-- range: the median, and the least and the greatest in brackets.
local function range(values, form)
	table.sort(values)
	local n = #values
	local middle = (values[(n + 1) // 2] + values[n // 2 + 1]) / 2
	local text = form:format(middle)
	if values[1] ~= values[n] then
		text = text .. (" [" .. form .. ".." .. form .. "]"):format(
		    values[1], values[n])
	end
	return text
end

local title = {
	whole = "a record that keeps everything",
	ring = "a ring that overwrites",
	bursts = "bursts of 30 us each 3 ms",
	loaded = "the same bursts beside two busy loops",
	kill = "kill -9",
}
local analysis = {
	ours = "timeline, timeline_end: timeline-dump",
	proven = "timeline, timeline_end_of: timeline-dump",
	away = "timeline, recorded, to Chrome and back",
	lttng = "LTTng, babeltrace2: stack of the thread",
	lttng_key = "LTTng, babeltrace2: name and id",
	ftrace = "ftrace marker, trace-cmd: stack",
	ftrace_key = "ftrace marker, trace-cmd: name and id",
	uftrace = "uftrace dump --chrome: stack",
	bpftrace = "bpftrace: begin by thread in a map",
}
for _, shape in ipairs(shapes) do
	local burst = shape == "bursts" or shape == "loaded"
	print(("\n# %s"):format(title[shape]))
	print((("%-41s %-22s %-15s %-20s %8s  %-22s %-18s %s"):format(
	    "tracer: how spans are paired", "claims", "false", "false, %",
	    "worst", burst and "incomplete" or "missing",
	    burst and "p99 / true p99" or "",
	    burst and "claims / open ms" or ""):gsub("%s+$", "")))
	for _, tracer in ipairs(tracers) do
		local cell = cells[shape .. tracer]
		if cell then
			local missing = burst and "" or
			    range(cell.missing, "%.0f")
			if cell.said > 0 then
				missing = missing .. (missing ~= "" and ", "
				    or "") .. "reported"
			end
			print((("%-41s %-22s %-15s %-20s %8s  %-22s %-18s %s")
			    :format(analysis[tracer],
			    range(cell.claims, "%.0f"),
			    range(cell.false_claims, "%.0f"),
			    range(cell.share, "%.2g"),
			    cell.worst > 0 and ("x%.0f"):format(cell.worst)
			    or "-", missing,
			    burst and range(cell.tail, "%.2f") or "",
			    burst and range(cell.yield, "%.0f") or "")
			    :gsub("%s+$", "")))
		end
	end
end
