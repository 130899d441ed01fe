-- SPDX-License-Identifier: Apache-2.0
-- pair.lua - pairs begin and end events as the analysis of a tracer does.
--
--	lua5.4 pair.lua stack|key <EVENTS >CLAIMS
--
-- An event: ns, thread, B or E, name, id.  A claim: name, id, thread, duration.
--	stack	an end belongs to the last open begin of its thread, as in the
--		call stacks of Trace Compass, in Perfetto and in catapult
--	key	an end belongs to the begin with the same name and id, which the
--		user has to log and to name
local how = arg[1]
local open = {}
for line in io.lines() do
	local ns, tid, edge, name, id =
	    line:match("^(%d+) (%d+) (%u) (%a+) (%d+)$")
	local key = how == "stack" and tid or ("%s %s %s"):format(tid, name, id)
	local begins = open[key]
	if edge == "B" then
		begins = begins or {}
		begins[#begins + 1] = { math.tointeger(ns), name,
		    math.tointeger(id) }
		open[key] = begins
	elseif edge == "E" and begins then
		local begin = table.remove(begins)
		if #begins == 0 then open[key] = nil end
		print(begin[2], begin[3], tid, math.tointeger(ns) - begin[1])
	end
end
