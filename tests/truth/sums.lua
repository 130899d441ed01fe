-- SPDX-License-Identifier: Apache-2.0
-- sums.lua - holds what the tools add up against sums of the truth: check.lua
-- runs this file with its own functions.
--
-- The truth knows a stamp before and after each call, so a sum of it has a
-- lower and an upper bound.  The spans that are added up are those that Lua
-- shows as sure, each of which check.lua has found true, and which end in the
-- window; the window is found here from the oldest entry of each lane.
--
--	sum	a number is not the sum of the truth: count, total, percentile
--	rate	entries, observed time, their quotient, or a share
--	parts	own time of spans, or a part of it
--	depth	a span is deeper than in the program, or less deep
local home = ...
local no, lines_of, spans, messages = home.no, home.lines_of, home.spans,
    home.messages
local NEVER, per_ns = math.maxinteger, home.per_ns
local SLEW = 1.001 -- between the clock of the truth and that of the record
local statements = 0
local sums = {}

-- hold says no unless a value is within bounds.
local function hold(rule, what, value, low, high)
	statements = statements + 1
	if not value or value < low or value > high then
		no(rule, what, value or "nothing", "not within", low, high)
	end
end

-- hold_ns holds nanoseconds against bounds in ticks.  rounded is the greatest
-- error, relative, of a number that is printed.
local function hold_ns(rule, what, ns, low, high, count, rounded)
	local wide = SLEW + (rounded or 0)
	hold(rule, what, ns, low / per_ns / wide - 5 * count - 50,
	    high / per_ns * wide + 5 * count + 50)
end

-- == bounds of one span ==

local function low_of(s) return s.e0 - s.b1 end
local function high_of(s) return s.e1 - s.b0 end

-- find_around sets the innermost span around each span of a thread.
local function find_around()
	local threads = {}
	for _, s in pairs(spans) do
		local key = s.pid .. "/" .. s.tid
		threads[key] = threads[key] or {}
		if messages[s.word].kind ~= "source" then
			table.insert(threads[key], s)
		end
	end
	for _, list in pairs(threads) do
		local open = {}
		table.sort(list, function(a, b)
			if a.b0 ~= b.b0 then return a.b0 < b.b0 end
			return a.id < b.id
		end)
		for _, s in ipairs(list) do
			while #open > 0 and open[#open].e0 ~= 0 and
			    open[#open].e0 <= s.b0 do open[#open] = nil end
			s.around = open[#open]
			s.depth = #open
			open[#open + 1] = s
		end
	end
end

-- == which spans are added up ==

-- window returns bounds of the stamp from which the lanes of tier 1, or of all
-- tiers, are complete: without the levels, which are in tier 1, nothing is known
-- of tier 0.
local function window(lanes, events, tier)
	local low, high, first = events[1].tsc - 2, 0, {}
	for _, e in ipairs(events) do
		-- the begin of a timer is before its entry
		if not (e.kind == "begin" and
		    messages[e.word].kind == "timer") then
			first[e.lane] = first[e.lane] or e.tsc
		end
	end
	for number, l in pairs(lanes) do
		if l.first > 0 and (tier ~= 1 or l.tier == 1) then
			low = math.max(low, (first[number] or 0) - 2)
			high = math.max(high, l.from, first[number] or 0)
		end
	end
	return low, math.max(low, high) + 2
end

-- population returns lists of the sure spans of a message that end in a window,
-- and of those that may.
local function population(word, sure, low, high)
	local must, may = {}, {}
	for _, s in ipairs(messages[word].spans) do
		local ended = sure[s.id] and sure[s.id].ended
		if ended and ended > low then may[#may + 1] = s end
		if ended and ended > high then must[#must + 1] = s end
	end
	return must, may
end

local function sum_of(list, of)
	local sum = 0
	for _, s in ipairs(list) do sum = sum + of(s) end
	return sum
end

-- hold_quantile: of so many spans, one of this rank has the duration.
local function hold_quantile(what, ns, share, must, may)
	if #may == 0 then return end -- their count was held already
	local lows, highs = {}, {}
	for i, s in ipairs(may) do lows[i], highs[i] = low_of(s), high_of(s) end
	table.sort(lows)
	table.sort(highs)
	local apart = #may - #must
	local rank = math.ceil(#may * share)
	hold_ns("sum", what, ns, lows[math.max(1, rank - apart)],
	    highs[math.min(#may, math.max(1, rank) + apart)], 1, 2e-3)
end

-- == times in which a message may have been logged ==

-- maybe_times: a level may be that before or after a change while the change is
-- made, and a burst that opens a level keeps it open while bursts follow each
-- other without a gap.
local function maybe_times(word, until_stamp)
	local times, defined = {}, messages[word].level
	local gates = { { 0, NEVER, defined } } -- from, to, gate
	local bases = { { 0, NEVER, 1 } } -- not known before the first change
	local bursts, plans = {}, {} -- from, to, level or plan
	local function next_of(list, c, value)
		local last = list[#list]
		if last then last[2] = math.min(last[2], c.t1) end
		list[#list + 1] = value and { c.t0, NEVER, value }
	end
	for _, c in ipairs(home.changes) do
		local level = math.tointeger(c[c.what == "level" and 2 or 1])
		if c.t0 > until_stamp then break end
		if c.what == "priority" then
			next_of(bases, c, level)
		elseif c.what == "level" and c[1] == word then
			next_of(gates, c, level < 0 and defined or level)
		elseif c.what == "burst" then
			local last = bursts[#bursts]
			local to = c.t1 + math.ceil(c[2] * per_ns * 1.01) +
			    20000
			if last and last[2] >= c.t0 then
				level = math.min(level, last[3])
				to = math.max(to, last[2])
			end
			bursts[#bursts + 1] = { c.t0, to, level }
		elseif c.what == "plan" then
			next_of(plans, c, { shift = level, seed =
			    math.tointeger(c[4]), [4] = math.tointeger(c[2]),
			    [5] = math.tointeger(c[3]) })
			plans[#plans][2] = c.t1 +
			    math.ceil(c[5] * per_ns * 1.01) + 20000
		elseif c.what == "no-plan" then
			next_of(plans, c)
		end
	end
	-- add the time in which all of a, b and the record overlap
	local function add(a, b, c)
		local from = math.max(a[1], b[1], c and c[1] or 0)
		local to = math.min(a[2], b[2], until_stamp,
		    c and c[2] or NEVER)
		if from < to then times[#times + 1] = { from, to } end
	end
	for _, g in ipairs(gates) do
		for _, list in ipairs { bases, bursts } do
			for _, b in ipairs(list) do
				if g[3] >= b[3] then add(g, b) end
			end
		end
		for _, b in ipairs(g[3] >= 3 and plans or {}) do
			local p = b[3]
			local share = p[g[3] < 5 and 4 or 5]
			for slot = b[1] >> p.shift,
			    math.min(b[2], until_stamp) >> p.shift do
				if home.slot_hash(slot, p.seed) < share then
					add(g, b, { slot << p.shift,
					    slot + 1 << p.shift })
				end
			end
		end
	end
	table.sort(times, function(x, y) return x[1] < y[1] end)
	return times
end

-- length returns how long a list of times, which may overlap, is in a range.
local function length(times, from, to)
	local sum, at = 0, from
	for _, t in ipairs(times) do
		local a, b = math.max(t[1], at), math.min(t[2], to)
		if b > a then
			sum = sum + b - a
			at = b
		end
	end
	return sum
end

-- bounds_of_time returns how long a message was observed from one stamp to
-- another, at least and at most; the ends are not known to be exact.
local function bounds_of_time(word, r, low, high, t0, t1)
	local may = maybe_times(word, t1)
	local must = home.open_times(word, high, t0)
	local least = r.is_exact and length(must, high, t0) or 0
	return least, length(may, low, t1), must, may
end

-- hold_time: the observed time of a message, from bounds of its beginning.
local function hold_time(what, ns, word, r, low, high)
	local least, most, must, may = bounds_of_time(word, r, low, high,
	    r.record.t0, r.record.t1)
	hold_ns("rate", what, ns, least, most, 1)
	return must, may
end

-- == surfaces ==

-- a JSON line of --stats
local function hold_row(r, line, word)
	local m = messages[word]
	local tier = m.level >= 7 and 1 or 0
	local low, high = window(r.lanes, r.events, tier)
	local function number(name)
		return tonumber(line:match('"' .. name .. '":([%-%d.e+]+)'))
	end
	local count, ns = number("observed_count"), number("observed_ns")
	local rate = number("rate_per_s")
	if ns and ns > 0 then
		hold("rate", word .. " quotient", rate, count / ns * 1e9 *
		    (1 - 1e-9), count / ns * 1e9 * (1 + 1e-9))
		high = r.begin_after(high)
		local must, may = hold_time(word .. " observed_ns", ns, word,
		    r, low, high)
		local least, most = 0, 0
		for _, s in ipairs(m.kind == "timer" and {} or m.spans) do
			local b1 = s.b1 == NEVER and s.b0 or s.b1
			if s.b0 > high and s.b1 < r.record.t0 and
			    r.is_exact and home.is_within(must, s.b0, s.b1) then
				least = least + 1
			end
			if b1 >= low and s.b0 <= r.record.t1 and
			    home.touches(may, s.b0, b1) then most = most + 1 end
		end
		if m.kind ~= "timer" then
			hold("rate", word .. " observed_count", count, least,
			    most)
		end
		local all_low = r.record.t0 - high
		local share = number("observed_share")
		local shortest, longest = bounds_of_time(word, r, low, high,
		    r.record.t0, r.record.t1)
		if all_low > 0 then
			hold("rate", word .. " observed_share", share,
			    shortest / (r.record.t1 - low) * 0.999 - 1e-9,
			    longest / all_low * 1.001 + 1e-9)
		end
	end
	if m.kind == "timer" then
		local timer = line:match('"timer":(%b{})')
		-- it counts while it is open
		local must_be_open = home.open_times(word, 0, r.record.t0)
		local all = {}
		for _, s in ipairs(m.spans) do
			if s.e0 ~= 0 and s.e1 ~= NEVER and
			    s.e1 < r.record.t0 then all[#all + 1] = s end
		end
		if timer and r.is_last and #must_be_open == 1 and
		    #all > 0 and must_be_open[1][1] <= all[1].b0 then
			hold("sum", word .. " timer.count",
			    tonumber(timer:match('"count":(%d+)')), #all, #all)
			hold_ns("sum", word .. " timer.sum_ns",
			    tonumber(timer:match('"sum_ns":(%d+)')),
			    sum_of(all, low_of), sum_of(all, high_of), #all)
		end
		return
	end
	low, high = window(r.lanes, r.events, tier)
	local must, may = population(word, r.sure, low, high)
	local d = line:match('"duration_ns":(%b{})')
	local n = tonumber(d and d:match('"count":(%d+)')) or 0
	hold("sum", word .. " duration.count", n, #must, #may)
	if n == 0 then return end
	local function of(name)
		return tonumber(d:match('"' .. name:gsub("%.", "%%.") ..
		    '":([%-%d.e+]+)'))
	end
	hold_ns("sum", word .. " mean", of "mean" * n,
	    sum_of(must, low_of), sum_of(may, high_of), n)
	for name, share in pairs { min = 0, p50 = .5, p90 = .9, p99 = .99,
	    ["p99.9"] = .999, max = 1 } do
		hold_quantile(word .. " " .. name, of(name), share, must, may)
	end
end

function sums.stats(r)
	for line in lines_of(home.dump, "--stats", "--json", r.record.file) do
		local word = line:find('"category":"truth"', 1, true) and
		    line:match('"message":"(%a+) ')
		if word and messages[word] and
		    messages[word].kind ~= "instant" then
			hold_row(r, line, word)
		end
	end
end

-- own returns bounds of the time of spans that no shown span within covers, and
-- the part of it that certainly was observed, in ticks.
local function own(r, list)
	local low, high, certain = 0, 0, 0
	for _, s in ipairs(list) do
		local from, since = s.b1, s.b0
		low, high = low + low_of(s), high + high_of(s)
		for _, c in ipairs(r.inner[s.id] or {}) do
			low = low - high_of(c)
			high = high - (c.around == s and low_of(c) or 0)
			if r.all_open(since, c.b1) then
				certain = certain + math.max(0, c.b0 - from)
			end
			from, since = c.e1, c.b0
		end
		if r.all_open(since, s.e1) then
			certain = certain + math.max(0, s.e0 - from)
		end
	end
	return low, high, certain
end

-- true_own returns the least and the most time that spans spent in themselves.
local function true_own(r, list)
	local low, high = 0, 0
	for _, s in ipairs(list) do
		local ended = s.e0 ~= 0 and s.e1 ~= NEVER
		low = low + (ended and low_of(s) or 0)
		high = ended and high + high_of(s) or math.huge
		for _, c in ipairs(r.children[s.id] or {}) do
			if c.e0 ~= 0 and c.e1 ~= NEVER then
				low = low - high_of(c)
				-- A fast timer is no entry, and that a message
				-- is a detail must be in the record.
				if messages[c.word].kind ~= "timer" and
				    r.lowest[s.word] <=
				    messages[c.word].level then
					high = high - math.max(0, low_of(c))
				end
			end
		end
	end
	return low, high
end

local units = { ns = 1, us = 1e3, ms = 1e6, s = 1e9, m = 60e9 }
local function ns_of(text)
	local n, unit = text:match("^([%d.]+)(%a+)$")
	return n and n * units[unit]
end

-- hold_own: itself, and all parts of own time, of the spans of a list.
local function hold_own(r, word, list, itself, all, rounded)
	local low, high, certain = own(r, list)
	-- A proven end may come as a surprise: what was within it was not known.
	if r.is_proven and messages[word].kind ~= "source" then
		low, high, certain = 0, math.huge, 0
	end
	hold_ns("parts", word .. " own time", all, low, high, #list, rounded)
	hold_ns("parts", word .. " itself", itself, certain,
	    select(2, true_own(r, list)), #list, rounded)
end

function sums.scopes(r)
	local low, high = window(r.lanes, r.events)
	local titles
	for line in lines_of(home.dump, "--view", "scopes", "--category",
	    "truth", r.record.file) do
		if line:find("^ *calls") then
			titles = {}
			for title in line:gsub("details ", ""):gmatch("%S+") do
				titles[#titles + 1] = title
			end
		end
		local word = line:match("truth +(%a+) %$")
		local row, i = {}, 0
		for value in line:gmatch("%S+") do
			i = i + 1
			if word and titles[i] then row[titles[i]] = value end
		end
		if word and messages[word].kind ~= "timer" then
			local must, may = population(word, r.sure, low, high)
			local n = tonumber(row.calls)
			hold("sum", word .. " calls", n, #must, #may)
			hold_ns("sum", word .. " mean",
			    ns_of(row.mean) * n, sum_of(must, low_of),
			    sum_of(may, high_of), n, 2e-3)
			-- a span in a span of its message is no more time
			local least, most = 0, 0
			for _, s in ipairs(may) do
				local is_within, may_be_within = false, false
				local o = s.around
				while o do
					if o.word == word then
						may_be_within = true
						is_within = is_within or
						    r.sure[o.id] and
						    r.is_exact and
						    not o.proven
					end
					o = o.around
				end
				if not may_be_within and
				    r.sure[s.id].ended > high then
					least = least + low_of(s)
				end
				if not is_within then
					most = most + high_of(s)
				end
			end
			hold_ns("sum", word .. " total", ns_of(row.total),
			    least, most, n, 2e-3)
			hold_quantile(word .. " min", ns_of(row.min), 0, must,
			    may)
			hold_quantile(word .. " max", ns_of(row.max), 1, must,
			    may)
			if #must == #may and n > 0 then
				local all = 0
				for _, part in ipairs { "self", "closed",
				    "overwritten", "lost" } do
					all = all + (row[part] and
					    ns_of(row[part]) or 0)
				end
				hold_own(r, word, must, ns_of(row.self), all,
				    2e-3)
			end
		end
	end
end

-- The time of each frame of folded stacks, by its message.
function sums.folded(r)
	local out = home.truth_file .. ".folded"
	for _ in lines_of(home.convert, "-f", "--to", "folded", "-o", out,
	    r.record.file) do end
	local itself, all = {}, {}
	local file = io.open(out)
	for line in file and file:lines() or function() end do
		local stack, ns = line:match("^(.*) (%d+)$")
		local rest = stack:match(";details %a+$")
		local word = stack:gsub(";details %a+$", ""):match(
		    "truth: (%a+) %a+$")
		if word then
			all[word] = (all[word] or 0) + ns
			itself[word] = (itself[word] or 0) +
			    (rest and 0 or ns)
		end
	end
	if file then file:close() end
	os.remove(out)
	if r.is_cut then return end -- of all that is kept, not of a window
	for word, ns in pairs(all) do
		if messages[word].kind ~= "timer" then
			local list = population(word, r.sure, 0, 0)
			local _, _, certain = own(r, list)
			-- frames also have spans that are open or cut
			local least = true_own(r, list)
			if r.is_proven then certain, least = 0, 0 end
			hold_ns("parts", word .. " own time", ns, least,
			    math.huge, #list)
			hold_ns("parts", word .. " itself", itself[word],
			    certain, select(2, true_own(r,
			    messages[word].spans)), #list)
		end
	end
end

-- --why: how many spans, and how many are slow.
function sums.why(r)
	for line in lines_of("sh", "-c", '"$@" || [ $? = 1 ]', "sh", home.dump,
	    "--why", "*", "--json", r.record.file) do
		local word, n, slow, threshold = line:match('^{"message":"(%a+) ' ..
		    '[^"]*","spans":(%d+),"slow":(%d+),"threshold_ns":(%d+)')
		if word and messages[word].kind == "thread" then
			local low, high = window(r.lanes, r.events)
			local must = population(word, r.sure, low, high)
			low = window(r.lanes, r.events,
			    messages[word].level >= 7 and 1 or 0)
			local _, may = population(word, r.sure, low, low)
			local least, most = 0, 0
			for _, s in ipairs(must) do
				if low_of(s) / per_ns > threshold * SLEW + 10 then
					least = least + 1
				end
			end
			for _, s in ipairs(may) do
				if high_of(s) / per_ns * SLEW + 10 >=
				    tonumber(threshold) then
					most = most + 1
				end
			end
			hold("sum", word .. " spans", tonumber(n), #must, #may)
			hold("sum", word .. " slow", tonumber(slow), least,
			    most)
		end
	end
end

-- The levels of --info.
function sums.info(r)
	local names = { trace = "job", debug = "step", info = "part",
	    warning = "alarm" }
	for line in lines_of(home.dump, "--info", "--json", r.record.file) do
		for level, ns, of in line:gmatch('{"level":"(%a+)",' ..
		    '"open_ns":(%d+),"of_ns":(%d+)') do
			local word = names[level]
			if word and not r.has_named then
				local _, high = window(r.lanes, r.events)
				hold_time(level ..
				    " open_ns", tonumber(ns), word, r,
				    r.events[1].tsc - 2, r.begin_after(high))
				hold("rate", level .. " of_ns", tonumber(of),
				    tonumber(ns), (r.record.t1 -
				    r.events[1].tsc) / per_ns * SLEW + 50)
			end
		end
	end
end

-- libtimeline-read: own time and depth of each span, observed time of each
-- message.
function sums.read(r)
	local _, from = window(r.lanes, r.events)
	for line in lines_of(home.read, "spans", r.record.file) do
		local word, id, depth, self, took = line:match(
		    "^(%a+) (%d+) (%d+) (%-?%d+) (%d+) sure$")
		local s = word and spans[math.tointeger(id)]
		if s and r.sure[s.id] and messages[word].kind == "thread" then
			local n, known, o = 0, true, s.around
			while o do
				n = n + 1
				known = known and r.sure[o.id] and not o.proven
				o = o.around
			end
			if s.b0 <= from then n, known = math.huge, false end
			hold("depth", word .. " " .. id, tonumber(depth),
			    known and n or 0, n)
			hold_ns("sum", word .. " " .. id, tonumber(took),
			    low_of(s), high_of(s), 1)
			local low, high = own(r, { s })
			if tonumber(self) >= 0 and (not r.is_proven or
			    not s.proven) then
				hold_ns("parts", word .. " " .. id .. " self",
				    tonumber(self), low, high, 1)
			end
		end
	end
end

function sums.intervals(r)
	local low, high = window(r.lanes, r.events)
	for line in lines_of(home.read, "intervals", r.record.file) do
		local word, ns = line:match("^(%a+) (%d+)")
		if word and messages[word] and
		    messages[word].kind ~= "instant" then
			local tier = messages[word].level >= 7 and 1 or 0
			local l, h = window(r.lanes, r.events, tier)
			hold_time(word .. " observed", tonumber(ns), word, r, l,
			    r.begin_after(h))
		end
	end
end

-- Frames of Python: count and total of the sure spans.
function sums.python(r)
	for line in lines_of("env", "PYTHONPATH=" .. home.here ..
	    "/../../src/python", "PYTHONDONTWRITEBYTECODE=1", "python3",
	    home.here .. "/sums.py", r.record.file) do
		local how, word, n, ns = line:match("^(%a+) (%a+) (%d+) (%d+)$")
		if word and messages[word] and
		    messages[word].kind == "thread" then
			local list = population(word, r.sure, 0, 0)
			hold("sum", how .. " " .. word .. " count",
			    tonumber(n), #list, #list)
			hold_ns("sum", how .. " " .. word .. " total",
			    tonumber(ns), sum_of(list, low_of),
			    sum_of(list, high_of), #list)
		end
	end
end

-- The metrics of timelined, which followed from one stamp to another: how long
-- each level was open, and the ends of spans.
function sums.metrics(folder, from, to)
	local names = { trace = "job", debug = "step", info = "part",
	    warning = "alarm" }
	local file = io.open(folder .. "/metrics")
	local text = file and file:read("a") or ""
	if file then file:close() end
	home.surface("sums-metrics")
	local function number(name, level)
		return tonumber(text:match("\n" .. name .. "{[^}]*" .. (level and
		    'priority="' .. level .. '"' or "") .. "[^}]*} ([%d.e+-]+)"))
	end
	local known = (number "timeline_watched_seconds_total" or 0) * 1e9
	hold_ns("rate", "watched", known, to - from, math.huge, 1)
	-- a ring that turned too fast for the daemon, or was cleared before it
	-- was read
	local is_whole = number "timeline_stream_overwritten_total" == 0 and
	    number "timeline_stream_lost_total" == 0
	for _, c in ipairs(home.changes) do
		is_whole = is_whole and c.what ~= "clear"
	end
	-- nothing changed after the last change
	local after = math.max(0, known * per_ns - (to - from))
	local ended, must_end = 0, 0
	local has_named = false
	for _, c in ipairs(home.changes) do
		has_named = has_named or c.what == "level"
	end
	for level, word in pairs(names) do
		local must = home.open_times(word, 0, to)
		for _, s in ipairs(messages[word].spans) do
			if s.e0 ~= 0 then
				ended = ended + 1
				if s.e1 < to and home.is_within(must, s.e0,
				    s.e1) and s.e0 > from then
					must_end = must_end + 1
				end
			end
		end
		if not has_named then
			local open = number("timeline_priority_open_seconds_total",
			    level)
			hold_ns("rate", level .. " open", open and open * 1e9,
			    is_whole and length(must, from, to) or 0,
			    length(maybe_times(word, to), from, to) + after, 1)
			local ratio = number("timeline_priority_open_ratio",
			    level)
			open = open or 0
			hold("rate", level .. " ratio", ratio,
			    open * 1e9 / known - 1e-6, open * 1e9 / known + 1e-6)
		end
	end
	for word, m in pairs(messages) do
		for _, s in ipairs(m.kind ~= "thread" and m.spans or {}) do
			ended = ended + (s.e0 ~= 0 and 1 or 0)
		end
		ended = ended + m.strays
	end
	hold("sum", "spans_total", number "timeline_stream_spans_total",
	    is_whole and must_end or 0, ended)
end

-- == a record ==

local found_around = false
-- hold asks each surface about a record.
function sums.hold(record, events, lanes, from, losses, sure, is_last)
	if not found_around then find_around() end
	found_around = true
	local r = { record = record, events = events, lanes = lanes, sure = sure,
	    is_last = is_last, inner = {}, children = {}, lowest = {} }
	local words = {}
	for word, m in pairs(messages) do
		if m.kind == "thread" then words[#words + 1] = word end
		r.lowest[word] = math.huge
	end
	for _, s in pairs(spans) do
		r.is_proven = r.is_proven or s.proven
	end
	for _, c in ipairs(home.changes) do
		r.has_named = r.has_named or c.what == "level"
		r.has_cleared = r.has_cleared or c.what == "clear"
	end
	for _, l in pairs(lanes) do r.is_cut = r.is_cut or l.first > 0 end
	r.is_exact = #losses == 0 and not (r.is_cut and r.has_named)

	-- the first entry from a stamp on at which the levels are known
	function r.begin_after(stamp)
		stamp = math.max(stamp, from[0], from[1])
		for _, e in ipairs(events) do
			if e.tsc >= stamp then return e.tsc + 2 end
		end
		return record.t1
	end
	-- all_open: the details of all spans were observed from one stamp to
	-- another
	local times = {}
	for i, word in ipairs(words) do
		times[i] = home.open_times(word, math.max(from[0], from[1]),
		    record.t0)
	end
	local start = r.begin_after(0)
	function r.all_open(b, e)
		if #losses > 0 or r.has_named or b < start or
		    e > record.t0 then
			return false
		end
		for _, t in ipairs(times) do
			if not home.is_within(t, b, e) then return false end
		end
		return true
	end
	local by_begin = {}
	for _, s in pairs(spans) do
		if messages[s.word].kind ~= "source" then
			by_begin[#by_begin + 1] = s
		end
	end
	table.sort(by_begin, function(a, b)
		if a.b0 ~= b.b0 then return a.b0 < b.b0 end
		return a.id < b.id
	end)
	for _, s in ipairs(by_begin) do
		if s.around then
			local list = r.children[s.around.id] or {}
			r.children[s.around.id] = list
			list[#list + 1] = s
		end
		local o = sure[s.id] and s.around
		while o and not sure[o.id] do o = o.around end
		if o then
			local list = r.inner[o.id] or {}
			r.inner[o.id] = list
			list[#list + 1] = s
			r.lowest[o.word] = math.min(r.lowest[o.word],
			    messages[s.word].level)
		end
	end
	for _, name in ipairs { "stats", "scopes", "folded", "why", "info",
	    "read", "intervals", "python" } do
		home.surface("sums-" .. name)
		sums[name](r)
	end
end

function sums.print() print("asked", "sums", statements) end

return sums
