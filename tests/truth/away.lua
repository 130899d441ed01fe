-- SPDX-License-Identifier: Apache-2.0
-- away.lua - asks for the records again after they left home: converted,
-- recorded, rotated, shipped, merged.  check.lua runs this file with its own
-- functions.
--
-- A copy must tell what its snapshot tells, in both orders, entry by entry.  A
-- recording is held against the truth, and its two orders against each other.
-- A way is a format or two, and a reader with an order.  Each snapshot goes a
-- few ways, drawn from the seed; the line "ways" has their names.
local home = ...
local no, lines_of, quote = home.no, home.lines_of, home.quote
local spans, messages, names = home.spans, home.messages, home.names
local FORMATS = { "jsonl", "csv", "trace", "packedtrace", "tl", "tl.zst" }
local away, gone_ways, statements = {}, {}, {}
local STEP_NS = 100
-- A short run asks for a part.
local function will() return home.count > 3 or math.random(6) == 1 end

-- Raw stamps are not kept in a timeline that was made of another format.
local function without_stamps(text)
	text = text:gsub('"tsc":%d+,', ""):gsub('"begun_tsc":%d+,', "")
	text = text:gsub("(\n%a+ )%d+ ", "%1") -- read.c
	return (text:gsub("(\n%a+\t%S+)\t%d+\t%d+", "%1")) -- spans.lua
end

-- A timeline has one loss for several at one place, without their CPUs, and
-- calls a few overwritten entries between two others lost.  An unsure span does
-- not go on from file to file, so its end may lack the arguments.
local function summed(text)
	local sum = 0
	text = without_stamps(text):gsub("[^\n]+", function(line)
		if not line:find('"unsure":true', 1, true) then return end
		return (line:gsub('"bare":true,', "")
		    :gsub('"args":{.-}', '"args":{}'))
	end)
	text = text:gsub('\n{"(%a+)":(%d+),"cpu":[^}]*}',
	    function(word, n)
		if word ~= "lost" and word ~= "overwritten" then return end
		sum = sum + n
		return ""
	end)
	return text .. "\nlost " .. sum
end

-- sure_spans: of Chrome, only the spans that are sure come back, and those of
-- a source without the thread.
local function sure_spans(text)
	local spans = {}
	for line in text:gmatch('[^\n]*"duration_ns"[^\n]*') do
		if not line:find('"unsure"', 1, true) then
			spans[#spans + 1] = "sure: " ..
			    line:match('"ns":%d+') .. " " ..
			    (line:find('"message":"shared ', 1, true) and "" or
			    line:match('"pid":%d+,"tid":%d+')) .. " " ..
			    line:match('"duration_ns":%d+') .. " " ..
			    line:match('"message":"%a+')
		end
	end
	table.sort(spans)
	return table.concat(spans, "\n")
end

local commands = { lua = { home.dump, "-s", home.here .. "/spans.lua" },
    ["json-oldest"] = { home.dump, "--json", "--oldest-first" },
    ["json-newest"] = { home.dump, "--json" },
    ["c-oldest"] = { home.read, "oldest" },
    ["c-newest"] = { home.read, "newest" } }

local function command_of(reader, files)
	local words = { table.unpack(commands[reader]) }
	for _, file in ipairs(files) do words[#words + 1] = file end
	return table.unpack(words)
end

local ways = {}
for _, first in ipairs { "jsonl", "csv", "trace", "packedtrace", "tl",
    "tl.zst", "chrome" } do
	for i = 0, #FORMATS do
		local last = FORMATS[i] or first
		for reader in pairs(commands) do
			local is_json = reader:find("json")
			-- libtimeline-read reads no other formats.
			if is_json or first ~= "chrome" and (reader == "lua" or
			    last:find("^t")) then
				ways[#ways + 1] = { first, FORMATS[i],
				    reader = reader }
			end
		end
	end
end
local function name_of(way)
	return table.concat(way, ">") .. ":" .. way.reader
end
table.sort(ways, function(a, b) return name_of(a) < name_of(b) end)

-- told returns what a reader prints of files, and how many lines.  Whether a
-- begin or an end alone is in doubt is not asked of libtimeline-read; which
-- spans are unsure is asked of all but Lua, which pairs them in another way.
local function told(reader, change, ...)
	local text = "\n" .. home.text_of(command_of(reader, { ... }))
	local n = select(2, text:gsub("\n", "\n"))
	if reader:find("^c") then
		text = text:gsub("(\n[^\n]* %-1 )%a+", "%1"):gsub(
		    "(\nlost) %d+", "%1") -- nor when entries were lost
	end
	if reader == "lua" then
		text = text:gsub("[^\n]*\tunsure\t[^\n]*\n?", "")
	end
	return change and change(text) or text, n
end

local function count_lines(text)
	local lines = {}
	for line in text:gmatch("[^\n]+") do
		lines[line] = (lines[line] or 0) + 1
	end
	return lines
end

-- drop_close leaves out the lines of a timeline whose duration is that of home
-- but for a step of the clock: its duration is the difference of the times.
local function drop_close(there, here)
	local function split(line)
		local took = line:match('"duration_ns":(%d+)')
		return line:gsub('"duration_ns":%d+,', "")
		    :gsub('"proven":true,', ""), math.tointeger(took)
	end
	local homes = {}
	for line, n in pairs(here) do
		local key, took = split(line)
		if took and n > (there[line] or 0) then
			homes[key] = { line, took }
		end
	end
	for line, n in pairs(there) do
		local key, took = split(line)
		local home = n > (here[line] or 0) and took and homes[key]
		if home and math.abs(home[2] - took) <= STEP_NS then
			there[line], here[home[1]] = nil, nil
			homes[key] = nil
		end
	end
end

-- compare: a copy has the lines that the record has at home.
local function compare(there, here, is_timeline)
	if there == here then return end
	there, here = count_lines(there), count_lines(here)
	if is_timeline then drop_close(there, here) end
	local function differ(from, to, sure, other)
		for line, n in pairs(from) do
			if n > (to[line] or 0) then
				no(line:find("unsure") and other or
				    (line:find("duration_ns") or
					line:find("^%d+ %d+ ") or
					line:find("sure")) and sure or other,
				    line)
			end
		end
	end
	differ(there, here, "pair", "entry")
	differ(here, there, "recall", "gone")
end

local function convert(format, file, ...)
	local to = format == "chrome" and "trace.json" or format
	local out = home.truth_file .. "." .. file .. "." .. to
	for _ in lines_of(home.convert, "-f", "--to",
	    ({ packedtrace = "packed", tl = "timeline", ["tl.zst"] = "timeline" })
		[format] or format, "-o", out, ...) do end
	return out
end

-- asks the copies of a snapshot.
function away.copies(record)
	for _ = 1, home.count do
		local way = ways[math.random(#ways)]
		local is_chrome = way[1] == "chrome"
		local change = is_chrome and sure_spans or
		    way[2] and way[2]:find("^tl") and
		    not way[1]:find("^tl") and without_stamps
		home.surface(name_of(way))
		gone_ways[#gone_ways + 1] = name_of(way)
		local file = convert(way[1], "1", record.file)
		local first = file
		if way[2] then file = convert(way[2], "2", file) end
		local there, n = told(way.reader, change, file)
		compare(there, (told(way.reader, change, record.file)))
		statements.copies = (statements.copies or 0) + n
		os.remove(first)
		os.remove(file)
	end
end

local function end_of(line)
	local tsc, tid, took, word = line:match('"tsc":(%d+).-"tid":(%d+)' ..
	    '.-"duration_ns":(%d+).-"message":"(%a+)')
	return tsc .. " " .. tid .. " " .. word .. " " .. took ..
	    (line:find('"unsure"', 1, true) and "?" or "")
end

-- true_spans holds what a reader tells about files against the truth.  Returns
-- the ids of sure spans, a set of (end, duration, sure), and whether entries
-- were lost.
-- is_double: a snapshot and a recording together show entries twice, and
-- say so.
local function true_spans(route, files, is_double)
	local sure, ends, begins, lost = {}, {}, {}, false
	for line in lines_of(command_of("json-oldest", files)) do
		statements[route] = (statements[route] or 0) + 1
		local pid, tid, thread =
		    line:match('"pid":(%d+),"tid":(%d+),"thread":"(.-)"')
		if thread and thread ~= names[pid .. "/" .. tid] then
			no("name", pid, tid, thread, "is",
			    names[pid .. "/" .. tid])
		end
		local word, kind, id = line:match('"category":"truth",' ..
		    '"message":"(%a+) .-","kind":"(%a+)","args":{"?i?d?"?:?(%d*)')
		id = math.tointeger(id) or 0
		lost = lost or line:find('^{"[lo]')
		if not word or not messages[word] then
			goto continue
		elseif kind == "begin" then
			if not spans[id] then
				no("entry", "begin", word, id)
			elseif begins[id] and not is_double and
			    not line:find('"continued":true') then
				no("entry", "twice: begin of", word, id)
			end
			begins[id] = true
		elseif kind == "end" then
			local took = line:match('"duration_ns":(%d+)')
			local doubt = line:find('"unsure":true')
			if took then
				local key = end_of(line)
				ends[key] = (ends[key] or 0) + 1
			end
			if took and not doubt then
				local tsc = math.tointeger(
				    line:match('"tsc":(%d+)'))
				if id == 0 then
					id = home.id_by_end(word, tsc,
					    math.tointeger(tid))
				end
				local begun = math.tointeger(
				    line:match('"begun_tsc":(%d+)'))
				if id and sure[id] and not is_double then
					no("entry", "twice:", word, id)
				end
				sure[id or 0] = home.true_span(word, id, begun,
				    tsc) and true
			end
		end
		::continue::
	end
	return sure, ends, lost
end

-- both_orders: and the newest first has the same ends, durations and doubts.
local function both_orders(route, files, is_double)
	local sure, here, lost = true_spans(route, files, is_double)
	for line in lines_of(command_of("json-newest", files)) do
		if line:find('"duration_ns"', 1, true) and
		    line:find('"category":"truth"', 1, true) then
			local key = end_of(line)
			here[key] = (here[key] or 0) - 1
		end
	end
	for key, n in pairs(here) do
		if n ~= 0 then
			no("agree", n > 0 and "oldest" or "newest",
			    "first alone:", key)
		end
	end
	return sure, lost
end

-- asks a recording, its files, copies and its merge with the last snapshot.
function away.recording(how, from, to, folder, record, at_home)
	local files = {}
	for file in lines_of("find", folder .. "/files", "-name", "*.trace") do
		files[#files + 1] = file
	end
	table.sort(files)
	if #files == 0 then return end
	local blocks = files
	if #files > 60 then -- too many for one command: a stream
		local stream = folder .. "/stream.trace"
		os.execute("find " .. folder .. "/files -name '*.trace' | " ..
		    "sort -V | xargs cat >" .. stream)
		files = { stream }
	end
	home.surface(how)
	local sure, lost = both_orders(how, files)
	if not lost then
		local inner = home.find_inner({ t0 = to, t1 = to, file = folder },
		    { [0] = from, from }, {})
		local n = 0
		for _ in pairs(inner) do n = n + 1 end
		home.check_recall(inner, sure)
		statements["recall of " .. how] = n
	end
	-- one file alone; its spans are those of the whole
	local alone = blocks[math.random(#blocks)]
	if will() then
		home.surface(how .. "-alone")
		local some = both_orders(how .. "-alone", { alone })
		for id in pairs(some) do
			if id ~= 0 and not sure[id] then
				no("agree", "sure in one file alone:", id)
			end
		end
		for _, order in ipairs { "c-newest", "c-oldest" } do
			home.surface(how .. "-alone-" .. order)
			for id in pairs(home.asked[order]({ file = alone })) do
				if not some[id] then
					no("agree", "sure in C alone:", id)
				end
			end
		end
	end
	-- the whole in one file
	if will() then
		local way = FORMATS[math.random(#FORMATS)]
		home.surface(how .. ">" .. way)
		gone_ways[#gone_ways + 1] = how .. ">" .. way
		local file = convert(way, "1", table.unpack(files))
		for _, order in ipairs { "json-oldest", "json-newest" } do
			local there, n = told(order, summed, file)
			compare(there, (told(order, summed,
			    table.unpack(files))), way:find("^tl"))
			statements.copies = (statements.copies or 0) + n
		end
		os.remove(file)
	end
	-- the snapshot and the recording
	if will() then
		home.surface("snapshot+" .. how)
		local merged = both_orders("snapshot+" .. how,
		    { record.file, table.unpack(files) }, true)
		local missing = 0
		for id in pairs(at_home) do
			if not merged[id] then missing = missing + 1 end
		end
		if missing > 0 then no("recall", missing, "of the snapshot") end
	end
end

-- Two hosts with the same threads at the same time: no pair crosses them.
function away.hosts(record)
	if not will() then return end
	home.surface("two-hosts")
	local file = convert("jsonl", "0", record.file)
	local both = {}
	for i, host in ipairs { "one", "two" } do
		both[i] = home.truth_file .. "." .. host .. ".jsonl"
		local out = io.open(both[i], "w")
		for line in io.lines(file) do
			out:write((line:gsub('"cpu":',
			    '"host":"' .. host .. '",%0', 1)), "\n")
		end
		out:close()
	end
	for _, order in ipairs { "json-oldest", "json-newest" } do
		local here = told(order, without_stamps, file)
		local there, n = told(order, without_stamps, both[1], both[2])
		there = there:gsub('"overlaps":true,', ""):gsub(
		    ',"timeline":"%w+"', ""):gsub(
		    '"sync_error_us":null,', "") .. "\n"
		for _, host in ipairs { "one", "two" } do
			local lines = {}
			for line in there:gmatch('\n({"ns"[^\n]+)') do
				local rest, m = line:gsub(
				    '"host":"' .. host .. '",', "", 1)
				if m > 0 then lines[#lines + 1] = rest end
			end
			compare("\n" .. table.concat(lines, "\n"),
			    (here:gsub('\n{"[lo][^\n]*', "")))
		end
		statements["two hosts"] = (statements["two hosts"] or 0) + n
	end
	for _, name in ipairs(both) do os.remove(name) end
	os.remove(file)
end

function away.print()
	for route, n in pairs(statements) do
		print("asked", route:gsub(" ", "-"), n)
	end
	print("ways", #ways, table.concat(gone_ways, " "))
end

return away
