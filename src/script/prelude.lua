-- SPDX-License-Identifier: Apache-2.0
-- prelude.lua - the part of the table "timeline" that is written in Lua:
-- tables, bars, drawn histograms, arguments of a command line.

local timeline, histogram = ...
local insert, concat = table.insert, table.concat
local floor = math.floor
local print = timeline.print

-- Text on one line, cut or filled to a width.
local function pad(text, width, right)
	local fill = (" "):rep(width - timeline.width(text))
	return right and fill .. text or text .. fill
end

-- How a value of a column reads.
local formats = {
	duration = timeline.duration,
	time = timeline.time,
	unsigned = timeline.unsigned,
	hex = timeline.hex,
	percent = function(x) return ("%.1f%%"):format(x) end,
	rate = function(x)
		return (x >= 100 and "%.0f/s" or "%.2f/s"):format(x)
	end,
}

local function show(column, value)
	local format = column.format
	if value == nil then
		return ""
	elseif type(value) == "string" then
		return (value:gsub("[\n\t]", " "))
	elseif type(format) == "function" then
		return tostring(format(value))
	elseif format then
		return formats[format](value)
	elseif math.type(value) == "float" then
		return ("%.2f"):format(value)
	end
	return (tostring(value):gsub("[\n\t]", " "))
end

-- timeline.table{columns = {"message", {name = "time", format = "duration"}}}
local methods = {}
methods.__index = methods

function timeline.table(options)
	local columns = {}
	for i, column in ipairs(options.columns) do
		if type(column) == "string" then
			column = { name = column }
		end
		local format = column.format
		if type(format) == "string" and not formats[format] then
			error("no such format: '" .. format .. "'", 2)
		end
		columns[i] = column
	end
	return setmetatable({ columns = columns, rows = {} }, methods)
end

function methods:row(...)
	insert(self.rows, { n = select("#", ...), ... })
	return self
end

-- Sort the rows by the values of a column, which its name or number says,
-- greatest first if asked so; equal ones stay as they were, and rows without a
-- value come last.
function methods:sort(column, descending)
	local place, names = nil, {}
	for i, c in ipairs(self.columns) do
		names[i] = c.name
		if i == column or c.name == column then place = place or i end
	end
	if not place then
		error(("no such column: %s; the columns are %s"):format(
		    tostring(column), concat(names, ", ")), 2)
	end
	for i, row in ipairs(self.rows) do
		row.at = i
	end
	table.sort(self.rows, function(a, b)
		local x, y = a[place], b[place]
		if x == y then
			return a.at < b.at
		elseif x == nil or y == nil then
			return y == nil
		elseif descending then
			return y < x
		end
		return x < y
	end)
	return self
end

-- Lines as text, ready to print: at most limit rows.
function methods:lines(limit)
	local texts, widths, right = {}, {}, {}
	local last = math.min(limit or #self.rows, #self.rows)
	for c, column in ipairs(self.columns) do
		widths[c] = timeline.width(column.name)
		right[c] = column.align == "right"
	end
	for r = 1, last do
		local row = {}
		for c, column in ipairs(self.columns) do
			local value = self.rows[r][c]
			row[c] = show(column, value)
			widths[c] = math.max(widths[c], timeline.width(row[c]))
			if not column.align and type(value) == "number" then
				right[c] = true
			end
		end
		texts[r] = row
	end
	local lines = {}
	local function line(row)
		for c = 1, #row do
			row[c] = pad(row[c], widths[c], right[c])
		end
		insert(lines, (concat(row, "  "):gsub(" +$", "")))
	end
	local names = {}
	for c, column in ipairs(self.columns) do
		names[c] = column.name
	end
	line(names)
	for r = 1, last do
		line(texts[r])
	end
	return lines
end

function methods:print(limit)
	for _, line in ipairs(self:lines(limit)) do
		print(line)
	end
	return self
end

-- A bar as long as value is of greatest; a little is never nothing.
function timeline.bar(value, greatest, width)
	width = width or 40
	if greatest <= 0 or value <= 0 then
		return ""
	end
	local length = floor(width * value / greatest + 0.5)
	return ("#"):rep(math.min(width, math.max(1, length)))
end

-- The number of the step 1 2 5 10 20 50 ... that a value belongs to, and the
-- value where a step begins.  Step 0 is everything below 1.
local step_starts = {}
for decade = 0, 18 do
	local one = math.tointeger(10 ^ decade)
	for _, factor in ipairs({ 1, 2, 5 }) do
		insert(step_starts, one * factor)
	end
end

function timeline.step(value)
	local low, high = 0, #step_starts
	while low < high do
		local middle = (low + high + 1) // 2
		if step_starts[middle] <= value then
			low = middle
		else
			high = middle - 1
		end
	end
	return low
end

function timeline.step_start(step)
	return step < 1 and 0 or step_starts[math.min(step, #step_starts)]
end

-- h:summary{unit = "duration"}: one line of the usual figures.
function histogram:summary(options)
	local unit = options and options.unit
	local format = unit and formats[unit] or tostring
	if self:count() == 0 then
		return "count 0"
	end
	local mean = unit and format(self:mean()) or ("%.1f"):format(self:mean())
	return ("count %d  min %s  mean %s  p50 %s  p90 %s  p99 %s  max %s"):format(
	    self:count(), format(self:min()), mean,
	    format(self:percentile(50)), format(self:percentile(90)),
	    format(self:percentile(99)), format(self:max()))
end

-- h:draw{unit = "duration", width = 40, title = "..."}
function histogram:draw(options)
	options = options or {}
	local format = formats[options.unit] or tostring
	local counts, first, last, greatest = {}, nil, nil, 0
	for low, _, count in self:buckets() do
		local step = timeline.step(low)
		counts[step] = (counts[step] or 0) + count
		first = first or step
		last = step
		greatest = math.max(greatest, counts[step])
	end
	if options.title then
		print(options.title)
	end
	print(self:summary(options))
	for step = first or 1, last or 0 do
		local count = counts[step] or 0
		local line = ("%10s  %10d  %5.1f%%  %s"):format(
		    format(timeline.step_start(step)), count,
		    100 * count / self:count(),
		    timeline.bar(count, greatest, options.width))
		print((line:gsub(" +$", "")))
	end
	return self
end

-- End with a message for the user of the command, without a place in a script.
function timeline.fail(text)
	error({ failure = text })
end

-- timeline.arguments(usage, ...): the words and the --name=value options of
-- a command line; nothing when --help was asked for, which prints the usage.
-- Options must stand in the usage.
function timeline.arguments(usage, ...)
	local words, options = {}, {}
	for _, word in ipairs({ ... }) do
		local name, value = word:match("^%-%-([%w-]+)=?(.*)$")
		if word == "--help" or word == "-h" then
			print(usage)
			return nil
		elseif not name then
			insert(words, word)
		elseif not usage:find("--" .. name, 1, true) then
			timeline.fail("no such option: " .. word)
		else
			options[name] = word:find("=", 1, true) and value or true
		end
	end
	return options, words
end

-- The count that a word of a command line means.
function timeline.count(word, default)
	if word == nil then
		return default
	end
	local n = math.tointeger(tonumber(word))
	if not n or n < 0 then
		timeline.fail("not a count: '" .. tostring(word) .. "'")
	end
	return n
end

-- The hosts that the inputs are of, each once.
function timeline.hosts()
	local hosts = {}
	for _, input in ipairs(timeline.inputs or {}) do
		local host = input.host
		if host and not hosts[host] then
			hosts[host] = true
			insert(hosts, host)
		end
	end
	return hosts
end

-- Is nothing overwritten of the time of an event and after it?  Before, others of
-- its input have lost entries, and what is added up is wrong.
local complete_from = {}
function timeline.complete(e)
	local from = complete_from[e.source] or
	    timeline.inputs[e.source].complete_from or math.mininteger
	complete_from[e.source] = from
	return e.ns >= from
end

-- A remark for events from first on, if older events are left out because their
-- ring had overwritten others.
function timeline.since(oldest, first)
	if not oldest or first <= oldest then return "" end
	return (", complete since %s; older events are left out: others of "
	    .. "their time are overwritten"):format(timeline.time(first))
end

-- Does a glob, or one of a table of globs, match?  None matches all.
local function any(globs, text)
	if type(globs) ~= "table" then globs = { globs } end
	for _, glob in ipairs(globs) do
		if timeline.matches(glob, text) then return true end
	end
	return #globs == 0
end

-- asked{category, message, priority}: the messages that a report is about, in
-- an array, and each under the number asked.key(e) of its events.  Those that
-- timeline itself logs are no activity of a program: they are there only if
-- they were asked for alone.
function timeline.asked(options)
	local function key(e) return e.source << 32 | e.id end
	local all, own = { key = key }, { key = key }
	for _, m in ipairs(timeline.messages()) do
		if m.selected and (not options.priority or m.level >=
			timeline.level(options.priority)) and
		    any(options.category, m.category) and
		    any(options.message, m.message) then
			local list = m.builtin and own or all
			list[#list + 1], list[key(m)] = m, m
		end
	end
	return #all > 0 and all or own
end

-- The messages of the highest priority of each input, which are open when
-- others are; four of an input are enough.
local function highest(messages)
	local chosen, tops, counts = {}, {}, {}
	for _, m in ipairs(messages) do
		tops[m.source] = math.max(tops[m.source] or 0, m.level)
	end
	for _, m in ipairs(messages) do
		local count = counts[m.source] or 0
		if m.level == tops[m.source] and count < 4 then
			counts[m.source] = count + 1
			insert(chosen, m)
		end
	end
	return chosen
end

local function by_from(a, b) return a.from < b.from end

-- observed{category, message, priority}: a function that tells of a range of
-- time for how many nanoseconds one of these messages was observed, and why not
-- in the first of the rest.  observed{messages}: of an array of messages.
function timeline.observed(options)
	local open, closed = {}, {}
	for _, m in ipairs(highest(options.messages or timeline.asked(options))) do
		local list = timeline.inputs[m.source]:intervals(m.id) or {}
		for at = 1, #list, 3 do
			insert(list[at + 2] == "observed" and open or closed,
			    { from = list[at], to = list[at + 1],
			        why = list[at + 2] })
		end
	end
	table.sort(open, by_from)
	table.sort(closed, by_from)
	local joined = {} -- apart, and in order
	for _, piece in ipairs(open) do
		local last = joined[#joined]
		if last and piece.from <= last.to then
			last.to = math.max(last.to, piece.to)
		else
			insert(joined, piece)
		end
	end
	local reach = math.mininteger -- of a piece and all before it
	for _, piece in ipairs(closed) do
		reach = math.max(reach, piece.to)
		piece.reach = reach
	end
	-- the first piece that ends after a time
	local function find(pieces, field, from)
		local low, high = 1, #pieces + 1
		while low < high do
			local middle = (low + high) // 2
			if pieces[middle][field] <= from then low = middle + 1
			else high = middle end
		end
		return low
	end
	return function(from, to)
		local at, ns = find(joined, "to", from), 0
		while joined[at] and joined[at].from < to do
			ns = ns + math.min(joined[at].to, to) -
			    math.max(joined[at].from, from)
			at = at + 1
		end
		if ns == to - from then return ns end
		local first = closed[find(closed, "reach", from)]
		return ns, first and first.from < to and first.why or "no input"
	end
end

-- The part of a command line's options that events{} understands.
function timeline.select(options, more)
	local selected = more or {}
	for _, name in ipairs({ "category", "message", "priority" }) do
		selected[name] = selected[name] or options[name]
	end
	return selected
end
