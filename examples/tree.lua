-- SPDX-License-Identifier: Apache-2.0
-- tree.lua: spans as an indented tree of each thread, with what happened inside.
--
--	timeline-dump FILE -s tree.lua 3
local options, words = timeline.arguments([[
usage: tree [COUNT] [--category=GLOB] [--priority=P] [--bare]
Print the last COUNT trees of spans (20; 0 means all), the oldest first.
Columns: start from the start of the tree, duration, what.
--bare leaves out what is no span.]], ...)
if not options then return end

local keep = timeline.count(words[1], 20)
local threads, trees, first = {}, {}, 1
local several = #timeline.hosts() > 1

local function finish(tree)
	trees[#trees + 1] = tree
	if keep > 0 and #trees - first >= keep then
		trees[first] = false
		first = first + 1
	end
end

local function add(tree, e, depth)
	local line = { at = e.ns, depth = depth,
	    text = e.text:gsub("^> ", ""), id = e.id }
	tree[#tree + 1] = line
	return line
end

for e in timeline.events(timeline.select(options,
    { order = "oldest", pair = true })) do
	-- Hosts may have the same processes and threads.
	local of_host = threads[e.host or 0] or {}
	threads[e.host or 0] = of_host
	local key = e.pid << 32 | e.tid
	local tree = of_host[key]
	if e.kind == "begin" then
		if not tree then
			tree = { pid = e.pid, tid = e.tid, time = e.time,
			    host = several and (e.host or "?") .. "  " or "", open = {} }
			of_host[key] = tree
		end
		tree.open[#tree.open + 1] = add(tree, e, #tree.open)
	elseif e.kind == "end" and tree then
		local open = tree.open
		for i = #open, 1, -1 do
			if open[i].id == e.id then
				open[i].duration = e.duration
				open[i].mark = e.lossy and "?" or ""
				table.remove(open, i)
				break
			end
		end
		if #open == 0 then
			finish(tree)
			of_host[key] = nil
		end
	elseif e.message and tree and not options.bare then
		add(tree, e, #tree.open).inside = true
	end
end
for _, of_host in pairs(threads) do
	for _, tree in pairs(of_host) do finish(tree) end
end
table.sort(trees, function(a, b)
	return a and b and a[1].at < b[1].at or (not a and b and true) or false
end)

for i = math.max(1, keep > 0 and #trees - keep + 1 or 1), #trees do
	local tree = trees[i]
	print(("%s  %sprocess %d thread %d"):format(
	    tree.time, tree.host, tree.pid, tree.tid))
	for _, line in ipairs(tree) do
		local took = line.inside and "" or line.duration
		    and timeline.duration(line.duration) .. line.mark or "open"
		print(("%12s %12s  %s%s"):format(
		    timeline.duration(line.at - tree[1].at), took,
		    ("  "):rep(line.depth), line.text))
	end
end
