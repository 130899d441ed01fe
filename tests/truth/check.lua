-- SPDX-License-Identifier: Apache-2.0
-- check.lua - compares the output of the tools with the truth of generate.c.
--
--	lua5.4 check.lua BUILD READ TRUTH
--
-- Asks the tools of BUILD about each record of TRUTH and prints a line for each
-- kind of false statement: surface, rule, how often, an example.  A line "inner"
-- has the number of spans that had to be shown.
--
-- Each rule names a false statement:
--	pair	a span that is not marked as doubtful was no span, or began or
--		ended at another time, or in another thread
--	entry	an entry was not logged, or is shown twice
--	argument  an argument comes from a begin that is not in the record
--	gone	an entry is missing that must be in the record
--	recall	a span that must be shown as sure is not
--	count	a count is above the number of calls
--	longest	a duration is above the longest sure span's
--	name	a thread or process has the name of another one
--	agree	the sure spans are not the sure spans of Lua
--	interval  an interval is above the longest between two calls
--	failed	a tool ends with an error
collectgarbage("incremental", 1000) -- the run is short: collect rarely
local build, read, truth_file = arg[1], arg[2], arg[3]
local here = arg[0]:match("^(.*)/") or "."
local DUMP = build .. "/bin/timeline-dump"
local CONVERT = build .. "/bin/timeline-convert"

-- == the truth ==

local messages, spans, names, changes, records = {}, {}, {}, {}, {}
local followed
local logged, per_ns = {}, nil

local function by_id(word, id, ...)
	local v = { ... }
	local how = table.remove(v, 9)
	for i = 1, #v do v[i] = math.tointeger(v[i]) end
	local s = { word = word, id = math.tointeger(id), pid = v[1],
	    tid = v[2], b0 = v[3], b1 = v[4], end_pid = v[5], end_tid = v[6],
	    e0 = v[7], e1 = v[8],
	    proven = how == "proven", begun = v[9] }
	spans[s.id] = s
	local m = messages[word]
	m.spans[#m.spans + 1] = s
end

local take = {}
function take.clock(early, early_ns, late, late_ns)
	per_ns = (late - early) / (late_ns - early_ns)
end
function take.message(level, kind, word)
	messages[word] = { level = math.tointeger(level), kind = kind,
	    spans = {} }
end
function take.thread(pid, tid, name) names[pid .. "/" .. tid] = name end
function take.stray(count, word)
	messages[word].strays = math.tointeger(count)
end
function take.logged(count, word) logged[word] = math.tointeger(count) end
take.span = by_id
function take.change(t0, t1, what, ...)
	changes[#changes + 1] = { t0 = math.tointeger(t0),
	    t1 = math.tointeger(t1), what = what, ... }
end
function take.record(t0, t1, file)
	records[#records + 1] = { t0 = math.tointeger(t0),
	    t1 = math.tointeger(t1), file = file }
end
function take.away(how, t0, t1, folder)
	followed = { how, math.tointeger(t0), math.tointeger(t1), folder }
end
function take.case(name, seed)
	math.randomseed(math.tointeger(seed), name:byte(1) * #name)
end

for line in io.lines(truth_file) do
	local words = {}
	for word in line:gmatch("%S+") do words[#words + 1] = word end
	take[words[1]](table.unpack(words, 2))
end
-- The margin covers differences between two CPUs' counters, and the time until
-- stores become visible.
local margin = math.floor(2000 * per_ns)
-- The process was killed before the call was reached or returned.
local NEVER = math.maxinteger
for _, s in pairs(spans) do
	s.b1 = s.b1 == 0 and NEVER or s.b1
	s.e1 = s.e1 == 0 and s.e0 ~= 0 and NEVER or s.e1
end

-- == false statements ==

local surface
local falsehoods, order = {}, {}
local function no(rule, ...)
	local key = surface .. "\t" .. rule
	local f = falsehoods[key]
	if not f then
		f = { count = 0, example = table.concat({ ... }, " ") }
		falsehoods[key], order[#order + 1] = f, key
	end
	f.count = f.count + 1
end

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end
local function command(...)
	local words = { ... }
	for i = 1, #words do words[i] = quote(words[i]) end
	return assert(io.popen(table.concat(words, " ") ..
	    " 2>" .. quote(truth_file .. ".err") .. " || echo FAILED"))
end

local function text_of(...)
	local file = command(...)
	local text = file:read("a")
	file:close()
	if text:find("FAILED\n$") then
		no("failed", (...), io.open(truth_file .. ".err"):read("l"))
	end
	return text
end

local function lines_of(...)
	local words = { ... }
	local file = command(...)
	return function()
		local line = file:read("l")
		if line == "FAILED" then
			local why = io.open(truth_file .. ".err"):read("l") or ""

			-- Everything but changes of levels may have been
			-- cleared.
			if not why:find("no entry matches$") and
			    not why:find("no category matches$") then
				no("failed", table.concat(words, " "), why)
			end
			line = nil
		end
		if not line then file:close() end
		return line
	end
end

-- logged_id returns the shown id, if there is one.  There is no id 0.
local function logged_id(word, text)
	local id = math.tointeger(text)
	if id ~= 0 then return id end
	no("argument", word, "is shown with 0, which was not logged")
end

-- id_by_end finds the id of a span that is shown without an id because its
-- begin is not in the record.  A thread never logs two ends at once.
local ends_of = {}
local function id_by_end(word, ended, tid)
	local key = word .. "/" .. tid
	local list = ends_of[key]
	if not list then
		list = {}
		for _, s in ipairs(messages[word].spans) do
			if s.end_tid == tid and s.e0 ~= 0 then
				list[#list + 1] = s
			end
		end
		table.sort(list, function(a, b) return a.e0 < b.e0 end)
		ends_of[key] = list
	end
	local low, high = 1, #list
	while low <= high do
		local i = (low + high) // 2
		if ended < list[i].e0 then high = i - 1
		elseif ended > list[i].e1 then low = i + 1
		else return list[i].id end
	end
	return 0
end

-- true_span returns the span if it is true.
local function true_span(word, id, begun, ended, pid, tid)
	local s = spans[id]
	local function what(why)
		no("pair", word, id, why, begun, ended, s and ("(truth: " ..
		    s.b0 .. ".." .. s.b1 .. " " .. s.e0 .. ".." .. s.e1 ..
		    ")") or "")
	end
	if not s or s.word ~= word then return what("was not logged") end
	-- the begin of a proven span may be overwritten, with its thread
	local by_end = messages[word].kind == "source" and s.proven and
	    pid == s.end_pid and tid == s.end_tid
	if pid and (pid ~= s.pid or tid ~= s.tid) and not by_end then
		return what("is of another thread") end
	if messages[word].kind == "timer" then
		-- The stamp of a timer is moved behind entries that others
		-- logged on the CPU while the thread stood still; the duration
		-- stays.
		if s.e0 == 0 or ended - begun < s.e0 - s.b1 - 2 or
		    ended - begun > s.e1 - s.b0 + 2 then
			return what("took another time") end
		begun = math.min(begun, s.b1)
	end
	if begun < s.b0 - 2 or begun > s.b1 then
		return what("began at another time") end
	if s.e0 == 0 or ended < s.e0 or ended > s.e1 then
		return what("ended at another time") end
	return s
end

-- == times in which the record had to have entries ==

-- slot_hash is splitmix64, as in timeline_slot_hash().
local function slot_hash(slot, seed)
	local x = slot + seed + 0x9e3779b97f4a7c15
	x = (x ~ x >> 30) * 0xbf58476d1ce4e5b9
	x = (x ~ x >> 27) * 0x94d049bb133111eb
	return (x ~ x >> 31) >> 32
end

-- open_times returns the times in which the gate of a message was surely open
-- and unchanged, oldest first.  If entries before the start were overwritten,
-- only the lower of level and gate is known.
local function open_times(word, start, until_stamp)
	local defined = messages[word].level
	local times, gate = {}, defined
	local base, since -- the base keeps the gate open since then
	local function add(from, to)
		from, to = from + margin, to - margin
		if from < to then times[#times + 1] = { from, to } end
	end
	local function stop(at)
		if since then add(since, at) end
		since = nil
	end
	local lower -- opens gates below the base: { from, to, plan }
	-- A span from a burst into an open slot may be called unsure: slots
	-- count only after the last burst.
	local burst_over = 0
	local function stop_lower(at)
		local l = lower
		lower = nil
		if not l then return end
		local to = math.min(l.to, at)
		if not l.plan then return add(l.from, to) end
		local first -- the first slot of a run of open slots
		local shift = l.plan.shift
		for slot = (l.from >> shift) + 1, to >> shift do
			local open = slot < to >> shift and
			    slot_hash(slot, l.plan.seed) < l.plan.share
			if open and not first then
				first = slot
			elseif not open and first then
				add(first << shift, slot << shift)
				first = nil
			end
		end
	end
	local take = {}
	function take.priority(c)
		local level = math.tointeger(c[1])
		local was = base or level
		if gate < math.max(was, level) then
			stop_lower(c.t0)
			if gate < was or gate < level then stop(c.t0) end
		end
		base = level
		if gate >= level and not since then since = c.t1 end
	end
	function take.burst(c)
		burst_over = math.max(burst_over, c.t1 +
		    math.ceil(c[2] * per_ns * 1.01) + 20000)
		if gate >= base then return end
		stop_lower(c.t0)
		if gate >= math.tointeger(c[1]) then
			lower = { from = c.t1,
			    to = c.t0 + math.floor(c[2] * per_ns * 0.99) }
		end
	end
	take["no-plan"] = function(c)
		if gate < base then stop_lower(c.t0) end
	end
	function take.plan(c)
		if gate >= base then return end
		stop_lower(c.t0)
		local share = math.tointeger(c[gate < 5 and 2 or 3])
		if gate < 3 then share = 0 end
		lower = { from = math.max(c.t1, burst_over),
		    to = c.t0 + math.floor(c[5] * per_ns * 0.99),
		    plan = { shift = math.tointeger(c[1]), share = share,
			seed = math.tointeger(c[4]) } }
	end
	local function all_closed(c)
		stop_lower(c.t0)
		stop(c.t0)
		if base and gate >= base then since = c.t1 end
	end
	take.clear = all_closed
	function take.level(c)
		if c[1] ~= word then return end
		local to = math.tointeger(c[2])
		stop_lower(c.t0)
		stop(c.t0)
		gate = to < 0 and defined or to
		if c.t0 < start then gate = math.min(gate, defined) end
		if base and gate >= base then since = c.t1 end
	end
	for _, c in ipairs(changes) do
		if c.t0 > until_stamp then break end
		if take[c.what] then take[c.what](c) end
	end
	stop_lower(until_stamp)
	stop(until_stamp)
	table.sort(times, function(a, b) return a[1] < b[1] end)
	return times
end

-- is_within: [from, to] lies in one of the times.
local function is_within(times, from, to)
	local low, high = 1, #times
	while low <= high do
		local middle = (low + high) // 2
		local t = times[middle]
		if from < t[1] then high = middle - 1
		elseif from > t[2] then low = middle + 1
		else return to <= t[2] end
	end
	return false
end

local function touches(times, from, to)
	for _, t in ipairs(times) do
		if from <= t[2] and to >= t[1] then return true end
	end
	return false
end

-- slowest returns a bound: a timer faster than the bound may be missing.
local function slowest()
	local most = 0
	for _, c in ipairs(changes) do
		if c.what == "slower" then
			most = math.max(most, math.tointeger(c[1]))
		end
	end
	return most * per_ns * 1.02 + margin
end

-- == the record ==

-- read_events returns the events and the lanes of a record.
local function read_events(record)
	local events, lanes = {}, {}
	surface = "lua-events"
	for line in lines_of(DUMP, "-s", here .. "/events.lua", record.file) do
		local kind, tsc, ns, pid, tid, lane, number, word, id =
		    line:match("^(%a+)\t(%d+)\t(%-?%d+)\t(%d+)\t(%d+)\t" ..
			"(%d+)\t(%d+)\t(%S+)\t(%-?%d+)")
		if not kind then
			no("failed", "cannot read", line)
		else
			events[#events + 1] = { kind = kind,
			    tsc = math.tointeger(tsc), ns = math.tointeger(ns),
			    pid = math.tointeger(pid),
			    tid = math.tointeger(tid),
			    lane = math.tointeger(lane),
			    number = math.tointeger(number), word = word,
			    id = math.tointeger(id) }
		end
	end
	surface = "info"
	for line in lines_of(DUMP, "--info", "--json", record.file) do
		for lane, cpu, tier, cleared, first, last in line:gmatch(
		    '"lane":(%d+),"cpu":(%w+),"tier":(%d+),"room":%d+,' ..
		    '"logged":%d+,"cleared":(%d+),"first":(%d+),"end":(%d+)') do
			lanes[math.tointeger(lane)] = { cpu = cpu,
			    tier = math.tointeger(tier),
			    first = math.tointeger(first),
			    last = math.tointeger(last),
			    cleared = math.tointeger(cleared), from = 0,
			    seen = 0 }
		end
	end
	return events, lanes
end

local function find_bounds(events, lanes)
	local from, losses, last, cut = { [0] = 0, 0 }, {}, {}, false
	local pending, said, cleared = {}, {}, 0
	for _, e in ipairs(events) do
		local l = lanes[e.lane]
		if e.kind == "lost" or e.kind == "overwritten" then
			pending[e.lane] = pending[e.lane] or
			    { last[e.lane] or 0, NEVER }
		else
			if e.word == "priority" or e.word == "burst" then
				said[#said + 1] = e.tsc
			end
			if e.word == "cleared" then cleared = e.tsc end
			if pending[e.lane] then
				pending[e.lane][2] = e.tsc
				losses[#losses + 1] = pending[e.lane]
				pending[e.lane] = nil
			end
			last[e.lane] = e.tsc
			if l.first > 0 and (l.cpu ~= "null" and l.seen < 1 or
			    l.cpu == "null" and e.number < l.first + 256) then
				l.seen = l.seen + 1
				l.from = math.max(l.from, e.tsc)
			end
		end
	end
	for _, p in pairs(pending) do losses[#losses + 1] = p end
	for _, l in pairs(lanes) do
		cut = cut or l.first > 0
		if l.first > 0 and l.seen == 0 then l.from = cleared end
		from[l.tier] = math.max(from[l.tier], l.from)
	end
	from[0] = math.max(from[0], from[1])
	-- The first change since then tells which levels held: an earlier
	-- change may not have been the last.
	for _, change in ipairs(said) do
		if cut and change >= from[1] then
			from[0] = math.max(from[0], change)
			from[1] = math.max(from[1], change)
			break
		end
	end
	return from, losses
end

-- find_inner returns the spans that must be shown and the calls that must have
-- left an entry.
local function find_inner(record, from, losses)
	local inner, entries = {}, {}
	local slow = slowest()
	local cleared = 0 -- a lane without entries shows no bound
	for _, c in ipairs(changes) do
		if c.what == "clear" and c.t0 < record.t1 then
			cleared = math.max(cleared, c.t1)
		end
	end
	for word, m in pairs(messages) do
		local start = from[m.level >= 7 and 1 or 0]
		local times = open_times(word, start, record.t0)
		local function must(b, e)
			return b > start and b > cleared and e < record.t0 and
			    is_within(times, b, e) and
			    not touches(losses, b, e)
		end
		-- kept ignores the gate.
		local function kept(b, e)
			return b > start and b > cleared and e < record.t0 and
			    not touches(losses, b, e)
		end
		for _, s in ipairs(m.spans) do
			local ended = s.e0 ~= 0 and s.e1 ~= NEVER
			if s.proven then
				local logged = s.b1 ~= NEVER and s.begun ~= 0
				if logged and kept(s.b0, s.b1) then
					entries[#entries + 1] = { s, "begin" }
				elseif not logged and s.b1 ~= NEVER and
				    must(s.b0, s.b1) then
					no("gone", "begin of", s.word, s.id,
					    "returned 0 at", s.b0)
				end
				if logged and ended and kept(s.e0, s.e1) then
					inner[s.id] = s
					entries[#entries + 1] = { s, "end" }
				end
			elseif m.kind == "timer" then
				if ended and s.e0 - s.b1 > slow and
				    must(s.b0, s.e1) then
					inner[s.id] = s
				end
			else
				if ended and must(s.b0, s.e1) then
					inner[s.id] = s
				end
				if s.b1 ~= NEVER and must(s.b0, s.b1) then
					entries[#entries + 1] = { s, "begin" }
				end
				if ended and must(s.e0, s.e1) then
					entries[#entries + 1] = { s, "end" }
				end
			end
		end
	end
	return inner, entries
end

-- == surfaces ==

-- check_events: each entry was logged once, and the required entries are there.
local function check_events(events, entries)
	local begins, ends, by_time = {}, {}, {}
	surface = "lua-events"
	for _, e in ipairs(events) do
		local m = messages[e.word]
		if e.kind == "begin" then
			local s = spans[e.id]
			local late = m.kind == "timer" and s and s.e1 or
			    s and s.b1
			if not s or s.word ~= e.word or e.tsc < s.b0 - 2 or
			    e.tsc > late or e.pid ~= s.pid or
			    e.tid ~= s.tid or begins[e.id] then
				no("entry", "begin", e.word, e.id, e.tsc)
			elseif s.proven and s.b1 ~= NEVER and
			    s.begun ~= e.tsc then
				no("entry", "begin", e.word, e.id, e.tsc,
				    "returned", s.begun)
			end
			begins[e.id] = e
		elseif e.kind == "end" then
			local list = ends[e.pid .. e.word .. e.tid]
			if not list then
				list = {}
				ends[e.pid .. e.word .. e.tid] = list
			end
			list[#list + 1] = e
		end
		if m then
			by_time[e.word .. e.kind .. e.ns] = e
		end
	end
	local function has_end(s)
		local list = ends[s.end_pid .. s.word .. s.end_tid] or {}
		local low, high = 1, #list
		while low <= high do
			local i = (low + high) // 2
			if list[i].tsc < s.e0 then low = i + 1
			elseif list[i].tsc > s.e1 then high = i - 1
			else return true end
		end
	end
	for _, s in pairs(spans) do
		if s.proven and s.begun == 0 and s.b1 ~= NEVER and
		    s.e0 ~= 0 and s.e1 ~= NEVER and has_end(s) then
			no("entry", "end of", s.word, s.id,
			    "which was not begun")
		end
	end
	for _, must in ipairs(entries) do
		local s = must[1]
		if must[2] == "begin" and not begins[s.id] then
			no("gone", "begin of", s.word, s.id, s.b0, s.b1)
		elseif must[2] == "end" then
			if not has_end(s) then
				no("gone", "end of", s.word, s.id, s.e0, s.e1)
			end
		end
	end
	return by_time
end

-- is_shown: a tree shows only spans of threads.
local function is_shown(s)
	return surface ~= "tree" or messages[s.word].kind ~= "source"
end

local function check_recall(inner, sure)
	local missing, example, all = 0, nil, 0
	for id, s in pairs(inner) do
		all = all + 1
		if not sure[id] and is_shown(s) then
			missing = missing + 1
			if not example or s.b0 < example.b0 then
				example = s
			end
		end
	end
	if missing * 1000 > all then
		no("recall", missing, "of", all, "such as", example.word,
		    example.id, example.b0, example.e1)
	end
end

local function check_agree(sure, others)
	local more, less, example = 0, 0, nil
	for id in pairs(sure) do
		if not others[id] then more, example = more + 1, id end
	end
	for id in pairs(others) do
		if not sure[id] and is_shown(spans[id]) then less, example = less + 1, id end
	end
	if more + less > 0 then
		no("agree", more, "more,", less, "less, such as", example)
	end
end

local asked = {}

-- near moves a stamp computed from a duration into its bounds if the stamp is
-- outside by no more than the duration's error.
local function near(stamp, low, high, error)
	if stamp < low and stamp + error >= low then return low end
	if stamp > high and stamp - error <= high then return high end
	return stamp
end

-- asked.lua also returns the stamps at which sure spans are said to end.
function asked.lua(record)
	local sure, shown = {}, {}
	for line in lines_of(DUMP, "-s", here .. "/spans.lua", record.file) do
		local word, id, begun, ended, pid, tid, how =
		    line:match("^(%a+)\t(%S+)\t(%d+)\t(%d+)\t(%d+)\t(%d+)\t(%a+)")
		id = logged_id(word, id)
		if not id then
			id = id_by_end(word, math.tointeger(ended),
			    math.tointeger(tid))
		end
		if how == "sure" then
			if sure[id] then no("entry", "twice:", word, id) end
			sure[id] = true_span(word, id, math.tointeger(begun),
			    math.tointeger(ended), math.tointeger(pid),
			    math.tointeger(tid)) and true
			shown[id] = sure[id] and
			    { ended = math.tointeger(ended) }
		end
	end
	return sure, shown
end

local units = { ns = 1, us = 1e3, ms = 1e6, s = 1e9 }
local function listing(record, ...)
	local sure = {}
	-- status 1: no entry matches, because every level was closed
	for line in lines_of("sh", "-c", '"$@" || [ $? = 1 ]', "sh", DUMP,
	    "--columns", "tsc,pid,tid,category,message", "--category", "truth",
	    record.file, ...) do
		line = line:gsub(" %[stamp moved%]$", "")
		local ended, tid, word, id, n, unit, doubt = line:match(
		    "^%s*(%d+)%s+%S*/?%d+%s+%S-/?(%d+)%s+truth%s+" ..
		    "< (%a+) ?i?d?%(?(%d*)%)?  ([%d.]+)([nmu]?s)(%??)$")
		id = math.tointeger(id)
		if n and not id then
			id = id_by_end(word, math.tointeger(ended),
			    math.tointeger(tid))
		end
		if n and doubt == "" then
			local ns = n * units[unit]
			local s = spans[id]
			ended = math.tointeger(ended)
			-- The listing shows four digits of another clock, which
			-- is slewed.
			local ticks = math.floor(ns * per_ns + 0.5)
			local error = math.ceil(ticks * 2e-3) + 10
			local begun = ended - ticks
			if s then begun = near(begun, s.b0, s.b1, error) end
			sure[id] = true_span(word, id, begun, ended) and true
			if s and s.end_tid ~= math.tointeger(tid) then
				no("pair", word, id, "ended in another thread")
			end
		end
	end
	return sure
end
function asked.listing(record) return listing(record) end
asked["listing-oldest"] = function(record)
	return listing(record, "--oldest-first")
end

local function c_api(record, how)
	local sure = {}
	for line in lines_of(read, how, record.file) do
		local kind, tsc, pid, tid, duration, doubt, word, id =
		    line:match("^(%a+) (%d+) (%d+) (%d+) (%-?%d+) (%a+) " ..
			"(%a+) (%d+) %d+$")
		id, duration = math.tointeger(id), math.tointeger(duration)
		if id == 0 and kind == "end" then
			id = id_by_end(word, math.tointeger(tsc),
			    math.tointeger(tid))
		end
		if duration and duration >= 0 and doubt == "sure" then
			local s = spans[id]
			local stamp = math.tointeger(tsc)
			local ticks = math.floor(duration * per_ns)
			local ended = kind == "end" and stamp or stamp + ticks
			local begun = kind == "end" and stamp - ticks or stamp
			-- The nanoseconds are of another clock, which is
			-- slewed.
			local error = math.ceil(ticks * 1e-3) + 10
			if s and kind == "end" then
				begun = near(begun, s.b0, s.b1, error)
			elseif s then
				ended = near(ended, s.e0, s.e1, error)
			end
			if true_span(word, id, begun, ended) and
			    kind == "end" then
				sure[id] = true
			end
		end
	end
	return sure
end
asked["c-newest"] = function(record) return c_api(record, "newest") end
asked["c-oldest"] = function(record) return c_api(record, "oldest") end

-- stamp_of returns the stamp and the thread of the event at a surface's time.
local function stamp_of(by_time, word, kind, ns)
	for _, n in ipairs { ns, ns - 1, ns + 1 } do
		local e = by_time[word .. kind .. n]
		if e then return e.tsc, e.tid end
	end
end

-- true_times returns the span's id and true if the span is true.  When the
-- begin is not in the record, its stamp follows from the end.
local function true_times(by_time, word, id, begin_ns, end_ns, pid, tid)
	local begun = stamp_of(by_time, word, "begin", begin_ns)
	local ended, end_tid = stamp_of(by_time, word, "end", end_ns)
	if not id and ended then id = id_by_end(word, ended, end_tid) end
	local s = spans[id]
	if not begun and ended and s and s.proven then
		local ticks = math.floor((end_ns - begin_ns) * per_ns + 0.5)
		begun = near(ended - ticks, s.b0, s.b1,
		    math.ceil(ticks * 1e-3) + 10)
	end
	if not begun or not ended then
		no("pair", word, id, "at times without an event:", begin_ns,
		    end_ns)
		return id or 0
	end
	return id, true_span(word, id, begun, ended, pid, tid) and true
end

function asked.tree(record, by_time)
	local sure = {}
	local pid, tid
	for line in lines_of(DUMP, "--tree", "--json", record.file) do
		local kind = line:match('"kind":"(%a+)"')
		local word, id = line:match('"message":"(%a+) .*"args":{"?i?d?"?:?(%d*)')
		if kind == "thread" then
			pid, tid = line:match('"pid":(%d+),"tid":(%d+)')
		elseif kind == "span" and id and line:find('"end":"ended"') and
		    not line:find('"unsure":true') then
			local ns = math.tointeger(line:match('"ns":(%d+)'))
			local took = math.tointeger(
			    line:match('"duration_ns":(%d+)'))
			local known, is_true = true_times(by_time, word,
			    logged_id(word, id), ns, ns + took,
			    math.tointeger(pid), math.tointeger(tid))
			sure[known] = is_true
		end
	end
	return sure
end

function asked.chrome(record, by_time)
	local sure, base = {}, nil
	local out = truth_file .. ".json"
	for _ in lines_of(CONVERT, "-f", "--to", "chrome", "-o", out,
	    record.file) do end
	local file = io.open(out)
	for line in file and file:lines() or function() end do
		base = base or
		    math.tointeger(line:match('"base_ns":"(%d+)"'))
		local word, id = line:match('"name":"(%a+) id","args":{"?i?d?"?:?(%d*)')
		local us, dur = line:match('"ph":"X".*"ts":([%d.]+),"dur":([%d.]+)')
		if us and id and not line:find('"unsure":true') then
			local ns = base + math.floor(us * 1000 + 0.5)
			local known, is_true = true_times(by_time, word,
			    logged_id(word, id), ns,
			    ns + math.floor(dur * 1000 + 0.5))
			sure[known] = is_true
		end
	end
	if file then file:close() end
	os.remove(out)
	return sure
end

function asked.sqlite(record, by_time)
	local sure = {}
	local out = truth_file .. ".db"
	for _ in lines_of(CONVERT, "-f", "--to", "sqlite", "-o", out,
	    record.file) do end
	for line in lines_of("sqlite3", "-separator", " ", out, [[
	    SELECT m.line, e.value1, e.begin_ns, e.end_ns, t.pid, t.tid
	    FROM spans e JOIN messages m ON m.id = e.message
	    JOIN threads t ON t.id = e.thread
	    WHERE e.end_ns IS NOT NULL AND e.lossy = 0]]) do
		local word, id, begun, ended, pid, tid = line:match(
		    "^(%a+) %S+ (%d*) (%d+) (%d+) (%d+) (%d+)$")
		if word then
			local known, is_true = true_times(by_time, word,
			    logged_id(word, id), math.tointeger(begun),
			    math.tointeger(ended), math.tointeger(pid),
			    math.tointeger(tid))
			sure[known] = is_true
		end
	end
	os.remove(out)
	return sure
end

-- JSON has every entry once, with the names of its thread and process.
function asked.json(record, _, events)
	local count, all = 0, 0
	for _, e in ipairs(events) do
		if e.kind ~= "lost" and e.kind ~= "overwritten" then all = all + 1 end
	end
	for line in lines_of(DUMP, "--json", record.file) do
		local pid, tid = line:match('"pid":(%d+),"tid":(%d+)')
		local thread = line:match('"thread":"(.-)"')
		local process = line:match('"process":"(.-)"')
		count = count + (pid and 1 or 0)
		if thread and thread ~= names[pid .. "/" .. tid] then
			no("name", pid, tid, thread, "is",
			    names[pid .. "/" .. tid])
		end
		if process and process ~= names[pid .. "/" .. pid] then
			no("name", "process", pid, process, "is",
			    names[pid .. "/" .. pid])
		end
	end
	if count ~= all then no("agree", count, "entries, not", all) end
end

-- longest_interval returns the longest time between two calls of a message.
local function longest_interval(word)
	local list, most = {}, 0
	for _, s in ipairs(messages[word].spans) do
		list[#list + 1] = s
	end
	table.sort(list, function(a, b) return a.b0 < b.b0 end)
	for i = 2, #list do
		most = math.max(most, list[i].b1 - list[i - 1].b0)
	end
	return most / per_ns
end

function asked.stats(record, _, _, lua_sure)
	for line in lines_of(DUMP, "--stats", "--json", record.file) do
		local word = line:match('"message":"(%a+) ')
		local m = line:find('"category":"truth"') and messages[word]
		local count = math.tointeger(line:match('"count":(%d+)'))
		local limit, most, sure, ended = m and m.strays or 0, 0, 0, 0
		for _, s in ipairs(m and m.spans or {}) do
			limit = limit + (s.e0 ~= 0 and 2 or 1)
			ended = ended + (s.e0 ~= 0 and 1 or 0)
			if lua_sure[s.id] then
				sure = sure + 1
				most = math.max(most, s.e1 - s.b0)
			end
		end
		if m and m.kind ~= "instant" then
			local claimed = math.tointeger(line:match(
			    '"spans":(%d+)') or 0)
			local d = line:match('"duration_ns":{"count":(%d+)')
			local max = line:match('"duration_ns":{[^}]*"max":(%d+)')
			if count > limit then
				no("count", word, count, "of", limit) end
			if claimed > ended then
				no("count", word, claimed, "spans of", ended)
			end
			if max and max + 0 > most / per_ns * 1.001 + 10 then
				no("longest", word, max, "above", most / per_ns)
			end
			local older = line:match('"older":(%d+)') or 0
			d = math.tointeger(d or 0) + math.tointeger(older)
			if m.kind ~= "timer" and d ~= sure then
				no("agree", word, d, "durations of",
				    sure, "sure spans")
			end
			local interval = line:match(
			    '"interval_ns":{[^}]*"max":(%d+)')
			if interval and m.kind ~= "timer" and interval + 0 >
			    longest_interval(word) * 1.001 + 10 then
				no("interval", word, interval, "above",
				    longest_interval(word))
			end
		elseif m and count > logged[word] then
			no("count", word, count, "of", logged[word])
		end
	end
end

-- The examples of slow spans are true spans.
function asked.why(record, by_time)
	for line in lines_of("sh", "-c", '"$@" || [ $? = 1 ]', "sh", DUMP,
	    "--why", "*", "--json", record.file) do
		for ns, took, pid, tid, word, id in line:gmatch(
		    '{"ns":(%d+),"duration_ns":(%d+),"pid":(%d+),"tid":(%d+)' ..
		    '[^}]-"text":"(%a+) id%((%d+)%)"') do
			true_times(by_time, word, math.tointeger(id),
			    math.tointeger(ns), math.tointeger(ns) +
			    math.tointeger(took), math.tointeger(pid),
			    math.tointeger(tid))
		end
	end
end

-- --slower gives the whole spans that are as long in Lua.
function asked.slower(record, _, _, lua_sure)
	local times, begun, ended, count = {}, {}, {}, 0
	local function took(s)
		return (s.e0 - s.b1) / per_ns, (s.e1 - s.b0) / per_ns
	end
	for id in pairs(lua_sure) do times[#times + 1] = select(2, took(spans[id])) end
	table.sort(times)
	if #times == 0 then return end
	local limit = math.max(1, math.floor(times[(#times + 1) // 2]))
	for line in lines_of("sh", "-c", '"$@" || [ $? = 1 ]', "sh", DUMP,
	    "--json", "--oldest-first", "--slower", limit .. "ns",
	    record.file) do
		local word, id = line:match('"message":"(%a+) .*"args":{"?i?d?"?:?(%d*)')
		local tsc, tid = line:match('"tsc":(%d+).*"tid":(%d+)')
		id = math.tointeger(id)
		if line:find('"kind":"begin"') and id then
			begun[id] = word
		elseif line:find('"kind":"end"') and messages[word] then
			if messages[word].kind ~= "timer" then
				id = id_by_end(word, math.tointeger(tsc),
				    math.tointeger(tid))
			end
			ended[id or 0], count = word, count + 1
		end
	end
	for id, word in pairs(ended) do
		local s = spans[id]
		count = count - 1
		if not lua_sure[id] then
			no("agree", word, id, "is slow, and of no sure span")
		elseif select(2, took(s)) < limit - 100 then
			no("longest", word, id, "is not as long as", limit)
		end
		-- A proven begin may be missing from the record.
		if not begun[id] and not (s and s.proven) then
			no("agree", word, id, "has no begin")
		end
	end
	for id, word in pairs(begun) do
		if not ended[id] then no("agree", word, id, "has no end") end
	end
	if count ~= 0 then no("agree", count, "ends of no span") end
	for id in pairs(lua_sure) do
		local s = spans[id]
		if not ended[id] and took(s) > limit * 1.001 + 100 then
			no("recall", s.word, id, "is longer than", limit)
		end
	end
end

-- == the order of questions ==

local away = assert(loadfile(here .. "/away.lua"))({ no = no,
    lines_of = lines_of, text_of = text_of, spans = spans, messages = messages,
    names = names, asked = asked, true_span = true_span, id_by_end = id_by_end,
    find_inner = find_inner, check_recall = check_recall, read = read,
    count = math.tointeger(os.getenv("WAYS") or 2),
    dump = DUMP, convert = CONVERT, here = here, truth_file = truth_file,
    surface = function(name) surface = name end })
local sums = assert(loadfile(here .. "/sums.lua"))({ no = no,
    lines_of = lines_of, spans = spans, messages = messages,
    changes = changes, per_ns = per_ns, open_times = open_times,
    is_within = is_within, touches = touches, slot_hash = slot_hash,
    read = read, dump = DUMP, convert = CONVERT, here = here,
    truth_file = truth_file,
    surface = function(name) surface = name end })
local inner_count, all_count = 0, 0
for i, record in ipairs(records) do
	local events, lanes = read_events(record)
	local from, losses = find_bounds(events, lanes)
	local inner, entries = find_inner(record, from, losses)
	for _ in pairs(inner) do inner_count = inner_count + 1 end
	local by_time = check_events(events, entries)
	surface = "lua"
	local lua_sure, shown = asked.lua(record)
	for _ in pairs(lua_sure) do all_count = all_count + 1 end
	check_recall(inner, lua_sure)
	for _, name in ipairs { "listing", "listing-oldest", "c-newest",
	    "c-oldest", "tree", "chrome", "sqlite", "json", "stats", "why",
	    "slower" } do
		surface = name
		local sure = asked[name](record, by_time, events, lua_sure)
		if sure then
			check_recall(inner, sure)
			check_agree(sure, lua_sure)
		end
	end
	sums.hold(record, events, lanes, from, losses, shown, i == #records)
	away.copies(record)
	if i == #records then
		away.hosts(record)
		if followed then
			if followed[1] == "rotate" then
				sums.metrics(followed[4], followed[2],
				    followed[3])
			end
			away.recording(followed[1], followed[2], followed[3],
			    followed[4], record, lua_sure)
		end
	end
end
for _, key in ipairs(order) do
	local f = falsehoods[key]
	print(key, f.count, f.example)
end
away.print()
sums.print()
print("inner", inner_count, "sure", all_count)
