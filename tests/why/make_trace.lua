-- SPDX-License-Identifier: Apache-2.0
-- make_trace.lua SEED KIND: prints JSON lines of a server whose requests are
-- slow for one known cause; a trace of KIND null has no cause.  A trace of KIND
-- stopped has none either, but all threads stop at random times, which nothing
-- logs; in one of KIND one_stop they stop once, and the first requests after the
-- stop are slow, too.  KIND with_stop and with_tick have a cause, and beside it
-- one stop, or a tick that explains less; so has KIND outweighs, whose cause makes
-- few spans very slow, while the tick makes ten times as many a little slow.  The
-- cause goes to standard error: kind, name, op, value, the number of spans and the
-- argument, separated by tabs ("*": any value).  Without arguments the kinds are
-- printed.

local kinds = { "string", "integer", "least", "most", "double", "cpu",
	"migrated", "pid", "tid", "run", "start", "10ms", "100ms", "second",
	"before", "before_span", "inside", "retries", "spent", "gap", "beside",
	"beside_span", "queue", "idle", "hurry", "any_long", "any_short", "lost",
	"state_thread", "state_cpu", "absence", "before_argument", "before_same",
	"enclosed", "around", "tick", "children", "with_stop", "with_tick",
	"outweighs" }
if not arg[1] then
	print(table.concat(kinds, " "))
	os.exit(0)
end
local seed, kind = tonumber(arg[1]), arg[2]

-- == chance: the same numbers with every Lua ==
local s1, s2, s3 = seed % 30268 + 1, seed * 7 % 30306 + 1, seed * 13 % 30322 + 1
local function uniform()
	s1, s2, s3 = 171 * s1 % 30269, 172 * s2 % 30307, 170 * s3 % 30323
	return (s1 / 30269 + s2 / 30307 + s3 / 30323) % 1
end
for _ = 1, 50 do uniform() end
local function between(a, b) return a + (b - a) * uniform() end
local function whole(a, b) return math.floor(between(a, b + 1)) end
local function normal()
	return math.sqrt(-2 * math.log(1 - uniform())) * math.cos(2 * math.pi * uniform())
end
local function lognormal(median, sigma) return median * math.exp(sigma * normal()) end
local function log_between(a, b) return math.exp(between(math.log(a), math.log(b))) end
local function quantile(draw, q)
	local list = {}
	for i = 1, 4000 do list[i] = draw() end
	table.sort(list)
	return list[math.max(1, math.min(4000, math.ceil(q * 4000)))]
end

-- == the plan ==
local stops_once = kind == "one_stop" or kind == "with_stop"
local is_stopped = kind == "stopped" or kind == "one_stop"
local outweighs = kind == "outweighs"
local has_tick = kind == "tick" or kind == "with_tick" or outweighs
local is_null = kind == "null" or is_stopped
local thread_count = whole(4, 16)
local process_count = math.min(whole(2, 5), thread_count)
local cpu_count = whole(4, 10)
local span_count = whole(5000, tonumber(os.getenv("SPANS_MAX") or 12000))
local slow_share = log_between(0.004, 0.05)
if span_count * slow_share < 30 then slow_share = 30 / span_count end
local covers = between(0.6, 1)
local precision = log_between(0.1, 1)
-- with is the share of spans that have the cause, if the share can be chosen.
local with = slow_share * covers / precision
if with > 0.3 then with = 0.3; precision = slow_share * covers / with end
if with < 0.003 then with = 0.003; precision = slow_share * covers / with end
local given = { cpu = 1 / cpu_count, pid = 1 / process_count, tid = 1 / thread_count }
if given[kind] then with = given[kind] end
-- A common cause must cover more slow spans, so that a span with the cause is
-- twice as likely to be slow.
local function enough_covers()
	covers = math.max(covers, math.min(1, 4 * with / (1 + 3 * with)))
	precision = slow_share * covers / with
end
if kind == "run" or kind:match("^%d") or kind == "second" then
	with = between(0.02, 0.12)
end
if kind == "start" then with = between(0.01, 0.05) end
enough_covers()
local p_with = math.min(1, slow_share * covers / with)
local p_without = slow_share * (1 - covers) / (1 - with)
local base_ns = log_between(20e3, 2e6)
-- ticks of kernels
local ticks = { { "1ms", 1e6 }, { "2.5ms", 2.5e6 }, { "3.33ms", 1e9 / 300 }, { "4ms", 4e6 },
	{ "10ms", 1e7 } }
local tick = has_tick and ticks[whole(1, 5)]
local tick_at = has_tick and uniform()
if has_tick then base_ns = log_between(tick[2] / 200, tick[2] / 20) end
if outweighs then
	base_ns = tick[2] / 40
	with, p_with, p_without = 0.004, 1, 0
end
local places = { "everywhere", "random", "same" }
local place = places[whole(1, is_null and 2 or 3)]
if kind == "spent" or kind == "gap" then place = kind end
local tail = ({ "lognormal", "pareto", "rare" })[whole(1, 3)]

local modes = { 1, between(0.5, 0.9), between(1.1, 1.6) }
local sigma = between(0.08, 0.25)
local function duration()
	return lognormal(base_ns * modes[whole(1, 3)], sigma)
end
local median_ns = quantile(duration, 0.5)
local utilisation = between(0.2, 0.6)
local idle_ns = median_ns * (1 - utilisation) / utilisation
local periods = { ["10ms"] = 1e7, ["100ms"] = 1e8, second = 1e9 }
if periods[kind] then -- long enough for sixteen periods
	idle_ns = math.max(idle_ns, 16 * periods[kind] * thread_count / span_count)
end
local function idle() return lognormal(idle_ns * 0.8, 0.7) end
local run_ns = (idle_ns + median_ns) * span_count / thread_count

local sizes = function() return math.floor(lognormal(4096, 1.2)) + 1 end
local loads = function() return between(0, 1) ^ 2 end
local size_least, size_most = quantile(sizes, 1 - with), quantile(sizes, with)
local load_least = quantile(loads, 1 - with)
local idle_least, idle_most = quantile(idle, 1 - with), quantile(idle, with)

-- == stops of all threads: everything after a stop comes later ==
local stops = {}
if stops_once then
	stops[1] = { between(0.1, 0.9) * run_ns, median_ns * log_between(40, 300) }
elseif is_stopped then
	local ns = 0
	for i = 1, whole(8, 60) do stops[i] = { between(0, run_ns), median_ns * log_between(3, 60) } end
	table.sort(stops, function(a, b) return a[1] < b[1] end)
	for _, stop in ipairs(stops) do
		ns = ns + stop[2]
		stop[2] = ns
	end
end
local function after_stops(ns)
	local low, high = 0, #stops
	while low < high do
		local middle = math.floor((low + high + 1) / 2)
		if stops[middle][1] < ns then low = middle else high = middle - 1 end
	end
	return low > 0 and ns + stops[low][2] or ns
end
local rests = stops_once and whole(1, 2) -- requests of a thread that are slow after the one stop

-- == lines ==
local start_ns = 1000000000000000
local lines, times, order = {}, {}, {}
-- Where entries are lost, only an end that proves its begin, with the stamp that
-- the begin's put() returned, ends a span.
local function put(ns, thread, cpu, category, message, what, args, begun)
	local n = #lines + 1
	if stops_once and ns > stops[1][1] then ns = ns + (thread.late or 0) end
	ns = math.floor(thread.runs_on and ns or after_stops(ns))
	lines[n] = string.format('{"ns":%.0f,"tsc":%.0f,"cpu":%d,"pid":%d,"tid":%d,%s' ..
		'"priority":"info","category":"%s","message":"%s","kind":"%s","args":{%s}}',
		start_ns + ns, ns, cpu, thread.pid, thread.tid, kind == "lost" and begun and
		string.format('"duration_ns":%.0f,"proven":true,"begun_tsc":%.0f,', ns - begun,
			begun) or "", category, message, what, args or "")
	times[n], order[n] = ns, n
	return ns
end

local threads = {}
for i = 1, thread_count do
	local process = i <= process_count and i or whole(1, process_count)
	threads[i] = { pid = 100 + process, tid = 1000 + i, cpu = whole(0, cpu_count - 1),
		ns = between(0, idle_ns * 2), ended = 0, rank = 0, open_until = 0,
		late = stops_once and between(0, 0.3) * stops[1][2], rests = rests }
end
local chosen_cpu, chosen = whole(0, cpu_count - 1), threads[whole(1, thread_count)]
-- A thread alone in its process would be both causes.
if kind == "tid" then
	chosen = threads[1]
	threads[2].pid = chosen.pid
end
local chosen_pid = chosen.pid
if kind == "pid" then
	local n = 0
	for _, t in ipairs(threads) do n = n + (t.pid == chosen_pid and 1 or 0) end
	with = n / thread_count
	enough_covers()
	p_with = math.min(1, slow_share * covers / with)
	p_without = slow_share * (1 - covers) / math.max(1 - with, 0.05)
end
local run_from = between(0.1, 0.8) * run_ns
local run_to = run_from + with * run_ns
local phase_from = between(0, 1 - with)
local start_most = math.max(8, math.floor(with * span_count / thread_count))
local queue_least, any_least, any_most

-- In the background are [begin, end) of spans, instants and losses.
local background = { pid = 90, tid = 90 }
local helper = { pid = 91, tid = 91, runs_on = is_stopped and uniform() < 0.5 }
local marks = {} -- by time, for beside, lost and state_cpu
local function fill_marks(length_ns)
	local ns, share = 0, with / 1.1
	while ns < run_ns * 1.5 do
		local each = length_ns + median_ns
		ns = ns + each + lognormal(each * (1 / share - 1), 0.5)
		marks[#marks + 1] = { ns, ns + length_ns, whole(0, cpu_count - 1) }
	end
end
local beside_span = kind == "beside_span"
if kind == "beside" then fill_marks(0) end
if beside_span then fill_marks(median_ns * between(1, 6)) end
if kind == "lost" or kind == "state_cpu" then
	with = math.min(with * cpu_count, 0.5) / cpu_count
	local save = with
	with = with * cpu_count * 0.9
	fill_marks(0)
	with = save
	p_with = math.min(1, slow_share * covers / with)
	p_without = slow_share * (1 - covers) / (1 - with)
end
local mark_at = 1
local function marked(ns, cpu)
	while marks[mark_at] and marks[mark_at][2] < ns do mark_at = mark_at + 1 end
	for i = mark_at, #marks do
		local m = marks[i]
		if m[1] > ns + median_ns then return false end
		if m[2] >= ns and (not cpu or m[3] == cpu) then return true end
	end
	return false
end

local routes = { "/cart", "/search", "/login", "/item", "/pay", "/help", "/home" }
local function route() return routes[1 + math.floor(7 * uniform() ^ 2)] end

-- factor returns how much longer a span takes.
local function factor(slow)
	if not is_null then return slow and between(4, 20) or 1 end
	if is_stopped and place == "random" then return 1 end
	if tail == "lognormal" then return math.max(1, lognormal(1, between(0.6, 1.1))) end
	if tail == "pareto" then return (1 - uniform()) ^ (-1 / 1.6) end
	return uniform() < slow_share and between(4, 20) or 1
end

local begun, last_begin, dry = 0, {}, nil
local seen_queue, seen_any = {}, {}

-- request prints a request of a thread, from t.ns on.
local function request(t)
	local ns, cpu, gap = t.ns, t.cpu, t.ns - t.ended
	local queue = 0
	for _, other in ipairs(threads) do
		queue = queue + (other ~= t and other.open_until > ns and 1 or 0)
	end
	local any = last_begin[t.pid] and ns - last_begin[t.pid]
	last_begin[t.pid] = ns
	t.rank = t.rank + 1
	begun = begun + 1
	if dry then
		seen_queue[#seen_queue + 1] = queue
		if any then seen_any[#seen_any + 1] = any end
		t.open_until = ns + duration()
		t.ended = t.open_until
		t.ns = t.ended + idle()
		return
	end
	local r, size, shard, load = route(), sizes(), whole(0, 7), loads()
	local coin = uniform() < with
	local follows = kind == "before_same" and t.flushed
	if kind == "before_same" then
		t.flushed = coin
		if coin then r = "/flush" end
		coin = follows
	end
	if (kind == "string" or kind == "with_stop" or kind == "with_tick" or outweighs) and coin then
		r = "/export"
	end
	if kind == "integer" then
		if coin then shard = 5 elseif shard == 5 then shard = 4 end
	end
	local phase = periods[kind] and ns % periods[kind] / periods[kind]
	local retries = uniform() < 0.05 and whole(1, 2) or 0
	if kind == "retries" and coin then retries = whole(3, 6) end
	local has
	if kind == "least" then has = size >= size_least
	elseif kind == "most" then has = size <= size_most
	elseif kind == "double" then has = load >= load_least
	elseif kind == "cpu" then has = cpu == chosen_cpu
	elseif kind == "pid" then has = t.pid == chosen_pid
	elseif kind == "tid" then has = t == chosen
	elseif kind == "run" then has = ns >= run_from and ns < run_to
	elseif kind == "start" then has = t.rank <= start_most
	elseif phase then has = phase >= phase_from and phase < phase_from + with
	elseif kind == "beside" or beside_span then has = marked(ns)
	elseif kind == "lost" or kind == "state_cpu" then has = marked(ns, cpu)
	elseif kind == "queue" then has = queue >= queue_least
	elseif kind == "idle" then has = t.rank > 1 and gap >= idle_least
	elseif kind == "hurry" then has = t.rank > 1 and gap <= idle_most
	elseif kind == "any_long" then has = any and any >= any_least
	elseif kind == "any_short" then has = any and any <= any_most
	elseif kind == "spent" or kind == "gap" then has = nil
	else has = coin end
	local slow = uniform() < (has == nil and slow_share or has and p_with or p_without)
	local usual = duration()
	if kind == "tick" then slow = false end
	local more = usual * (factor(slow) - 1) * (outweighs and 15 or 1)
	if has_tick then
		local after = (tick_at - ns / tick[2]) % 1 * tick[2]
		if after < usual then
			more = more + usual * (kind == "tick" and between(2, 10) or outweighs and between(2, 4) or between(1, 2))
		end
	end
	if stops_once and ns > stops[1][1] and t.rests > 0 then
		t.rests = t.rests - 1
		more = usual * between(4, 20)
	end

	-- The parts are a gap, parse, query, a gap, render and a gap.
	local weights, sum = { 1, 2, 4, 1, 3, 1 }, 12
	local part = {}
	for i = 1, 6 do part[i] = usual * weights[i] / sum * between(0.7, 1.3) end
	local total = 0
	for i = 1, 6 do total = total + part[i] end
	for i = 1, 6 do part[i] = part[i] * usual / total end
	if place == "everywhere" then
		for i = 1, 6 do part[i] = part[i] * (usual + more) / usual end
	else
		local at = place == "random" and whole(1, 6) or
			place == "gap" and 4 or 3
		part[at] = part[at] + more
	end

	if (kind == "before" and coin) or uniform() < 0.02 then
		put(ns - math.min(gap, median_ns) * 0.3, t, cpu, "pool",
			kind == "before" and coin and "reconnected to $host" or "woke after $wait",
			"instant", kind == "before" and coin and '"host":3' or '"wait":5')
	end
	if kind == "before_span" and coin then
		local from = ns - math.min(gap, median_ns) * 0.6
		put(from, t, cpu, "heap", "collect", "begin")
		put(from + math.min(gap, median_ns) * 0.2, t, cpu, "heap", "collect", "end")
	end
	local around = (kind == "around" and coin) or uniform() < 0.2
	if kind == "around" and around then
		put(ns, t, cpu, "jobs", "batch of $what%s", "begin",
			string.format('"what":"%s"', coin and "nightly" or "hourly"))
	end
	if kind == "before_argument" and (coin or uniform() < 0.3) then
		local from = ns - math.min(gap, median_ns) * 0.6
		put(from, t, cpu, "heap", "collect $generation", "begin",
			'"generation":' .. (coin and 7 or whole(0, 3)))
		put(from + math.min(gap, median_ns) * 0.2, t, cpu, "heap", "collect $generation", "end")
	end
	local name = "request $id for $route%s of $size"
	local args = string.format('"id":%d,"route":"%s","size":%d', begun, r, size)
	if kind == "double" then
		name, args = name .. " at $load%f", args .. string.format(',"load":%.6f', load)
	else
		name, args = name .. " on $shard", args .. string.format(',"shard":%d', shard)
	end
	local begun = put(ns, t, cpu, "server", name, "begin", args)
	if kind == "state_thread" then
		if coin or uniform() < 0.05 then
			put(ns + median_ns * 0.2, t, cpu, "sched", "off cpu for $what%s", "instant",
				string.format('"what":"%s"', coin and "disk" or "timer"))
		end
	end
	local at = ns + part[1]
	if kind == "absence" and not coin then
		put(ns + part[1] * 0.5, t, cpu, "cache", "hit $key", "instant", '"key":' .. whole(1, 1e9))
	end
	if kind == "enclosed" then
		put(ns + part[1] * 0.3, t, cpu, "db", "execute $command%s", "begin", string.format(
			'"command":"%s"', coin and "KEYS" or ({ "GET", "SET", "DEL" })[whole(1, 3)]))
		put(ns + part[1] * 0.6, t, cpu, "db", "execute $command%s", "end")
	end
	put(at, t, cpu, "server", "parse", "begin")
	at = at + part[2]
	put(at, t, cpu, "server", "parse", "end")
	put(at, t, cpu, "db", "query $table", "begin", '"table":' .. whole(1, 4))
	if kind == "inside" and coin then
		put(at + part[3] * 0.4, t, cpu, "db", "grew $from to $to", "instant", '"from":1,"to":2')
	end
	at = at + part[3]
	put(at, t, cpu, "db", "query $table", "end")
	for i = 1, kind == "children" and (coin and whole(60, 200) or whole(1, 3)) or 0 do
		put(at + part[4] * i / 300, t, cpu, "db", "command " .. whole(1, 500), "instant")
	end
	for i = 1, retries do
		put(at + part[4] * i / (retries + 1), t, cpu, "db", "retry $n", "instant", '"n":' .. i)
	end
	at = at + part[4]
	put(at, t, cpu, "server", "render", "begin")
	at = at + part[5]
	put(at, t, cpu, "server", "render", "end")
	at = at + part[6]
	local end_cpu = cpu
	if (kind == "migrated" and coin) or (kind ~= "migrated" and uniform() < 0.01) then
		end_cpu = (cpu + 1) % cpu_count
	end
	put(at, t, end_cpu, "server", name, "end", nil, begun)
	if kind == "around" and around then
		put(at, t, end_cpu, "jobs", "batch of $what%s", "end")
	end
	t.open_until, t.ended = at, at
	t.ns = at + idle()
	if uniform() < 0.03 then t.cpu = whole(0, cpu_count - 1) end
end

local function run(count)
	for _ = 1, count do
		local first = threads[1]
		for _, t in ipairs(threads) do
			if t.ns < first.ns then first = t end
		end
		request(first)
	end
end

if kind == "queue" or kind:match("^any") then -- find the usual values first
	dry = true
	run(3000)
	table.sort(seen_queue)
	table.sort(seen_any)
	queue_least = math.max(1, seen_queue[math.floor(#seen_queue * 0.97)])
	if kind == "queue" then
		local n = 0
		for _, queue in ipairs(seen_queue) do n = n + (queue >= queue_least and 1 or 0) end
		with = n / #seen_queue
		enough_covers()
		p_with = math.min(1, slow_share * covers / with)
		p_without = slow_share * (1 - covers) / (1 - with)
	end
	any_least = seen_any[math.floor(#seen_any * (1 - with))]
	any_most = seen_any[math.max(1, math.ceil(#seen_any * with))]
	dry, begun, last_begin = nil, 0, {}
	for _, t in ipairs(threads) do
		t.ns, t.ended, t.rank, t.open_until = between(0, idle_ns * 2), 0, 0, 0
	end
end
run(span_count)
local end_ns = 0
for _, t in ipairs(threads) do end_ns = math.max(end_ns, t.ended) end

-- Other things happen at regular times.
local function by_the_clock(every_ns, f)
	local ns = between(0, every_ns)
	while ns < end_ns do
		f(ns)
		ns = ns + lognormal(every_ns, 0.4)
	end
end
by_the_clock(median_ns * between(4, 20), function(ns)
	put(ns, helper, whole(0, cpu_count - 1), "net", "packet of $bytes", "instant", '"bytes":' .. whole(60, 1500))
end)
by_the_clock(median_ns * between(10, 40), function(ns)
	put(ns, helper, 0, "log", "flush", "begin")
	put(ns + median_ns * 2, helper, 0, "log", "flush", "end")
end)
by_the_clock(median_ns * between(3, 10), function(ns)
	put(ns, { pid = 0, tid = 0 }, whole(0, cpu_count - 1), "irq", "irq of $name%s", "instant",
		string.format('"name":"%s"', uniform() < 0.5 and "timer" or "disk"))
end)
by_the_clock(end_ns / 12, function(ns)
	put(ns, helper, 0, "admin", "reloaded $file", "instant", '"file":1')
end)
for _, m in ipairs(marks) do
	if m[1] < end_ns then
		if kind == "beside" then
			put(m[1], background, 1, "store", "checkpoint $number", "instant", '"number":4')
		elseif beside_span then
			put(m[1], background, 1, "store", "compact $level", "begin", '"level":4')
			put(m[2], background, 1, "store", "compact $level", "end")
		elseif kind == "state_cpu" then
			put(m[1], { pid = 0, tid = 0 }, m[3], "irq", "irq of $name%s", "instant", '"name":"net"')
		elseif kind == "lost" then
			local n = #lines + 1
			lines[n] = string.format('{"lost":%d,"cpu":%d}', whole(1, 90), m[3])
			times[n], order[n] = m[1], n
		end
	end
end

table.sort(order, function(a, b)
	if times[a] ~= times[b] then return times[a] < times[b] end
	return a < b
end)
for _, n in ipairs(order) do print(lines[n]) end

local truth = { string = { "argument", "route", "=", '"/export"' },
	integer = { "argument", "shard", "=", "5" }, least = { "argument", "size", ">=" },
	most = { "argument", "size", "<=" }, double = { "argument", "load", ">=" },
	cpu = { "cpu", "cpu", "=", tostring(chosen_cpu) },
	migrated = { "cpu", "migrated", "=", "true" },
	pid = { "pid", "pid", "=", tostring(chosen_pid) },
	tid = { "tid", "tid", "=", tostring(chosen.tid) },
	run = { "time", "run", "in" }, start = { "time" },
	["10ms"] = { "time" }, ["100ms"] = { "time" }, second = { "time" },
	before = { "before", "reconnected to $host", ">=", "1" },
	before_span = { "before", "collect", ">=", "1" },
	inside = { "inside", "grew $from to $to", ">=" },
	retries = { "inside", "retry $n", ">=" },
	spent = { "inside", "query $table", ">=" },
	gap = { "gap", "query $table -> render", ">=" },
	beside = { "beside", "checkpoint $number", ">=", "1" },
	beside_span = { "beside", "compact $level", ">=", "1" },
	queue = { "queue", "open", ">=" }, idle = { "interval", "thread", ">=" },
	hurry = { "interval", "thread", "<=" }, any_long = { "interval", "any", ">=" },
	any_short = { "interval", "any", "<=" }, lost = { "lost", "entries", ">=" },
	state_thread = { "state", "off cpu for $what%s", "=", '"disk"' },
	state_cpu = { "state", "irq of $name%s", "=", '"net"' },
	absence = { "inside", "hit $key", "=", "0" },
	before_argument = { "before", "collect $generation", "=", "7", "generation" },
	before_same = { "before", "*", "=", '"/flush"', "route" },
	enclosed = { "inside", "execute $command%s", "=", '"KEYS"', "command" },
	around = { "around", "batch of $what%s", "=", '"nightly"', "what" },
	tick = { "time", tick and tick[1] }, children = { "children", "children", ">=" },
	with_stop = { "argument", "route", "=", '"/export"' },
	outweighs = { "argument", "route", "=", '"/export"' },
	with_tick = { "argument", "route", "=", '"/export"' },
	null = { "none" }, stopped = { "none" }, one_stop = { "none" } }
local t = truth[kind] or error("unknown kind: " .. kind)
io.stderr:write(table.concat({ t[1], t[2] or "*", t[3] or "*", t[4] or "*", tostring(span_count), t[5] or "*" }, "\t"), "\n")
