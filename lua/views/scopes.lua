-- SPDX-License-Identifier: Apache-2.0
-- scopes: where the time went, scope by scope; several inputs are compared.
local options, words = timeline.arguments([[
usage: scopes [COUNT] [--by=WHAT] [--sort=COLUMN] [--category=GLOB]
              [--message=GLOB] [--priority=P]
Of the COUNT scopes (all) that took longest: calls, total time, self (without
the scopes inside), mean and its deviation, min and max.  Time in which scopes
inside were not logged is not self: details closed, overwritten or lost.
WHAT is scope, category, author or thread; COLUMN one of the names above, or
name.  Of several inputs: calls, total and mean of each, and how the mean
changed from the first to the last.]], ...)
if not options then return end

local function author(e)
	return e.explain and e.explain:match("^author: ([^\n]*)") or ""
end
local keys = {
	scope = function(e) return e.category, e.name end,
	category = function(e) return e.category, "" end,
	author = function(e) return "", author(e) end,
	thread = function(e) return "", ("%d/%d"):format(e.pid, e.tid) end,
}
local by = keys[options.by or "scope"]
    or timeline.fail("--by is one of scope, category, author, thread")
local sort = options.sort or "total"

-- A call within a call of the same scope is no further time.
local function add(m, took, is_within)
	m.calls, m.sum = m.calls + 1, m.sum + took
	if not is_within then m.total = timeline.add(m.total, took) end
	m.squares = m.squares + (took + 0.0) ^ 2
	m.min, m.max = math.min(m.min, took), math.max(m.max, took)
	m.mean = m.sum / m.calls
	-- what rounding leaves of nothing can be below nothing
	m.std = math.sqrt(math.max(0, m.squares / m.calls - m.mean ^ 2))
end

-- scopes[i] and scopes[key]: category, name, and per input what was added
local scopes, lonely, older = {}, 0, 0
local function scope_of(e)
	local category, name = by(e)
	local key = category .. "\0" .. name
	if not scopes[key] then
		scopes[#scopes + 1] = { category = category, name = name,
		    at = #scopes + 1 }
		scopes[key] = scopes[#scopes]
	end
	return scopes[key]
end

for i, input in ipairs(timeline.inputs) do
	local spans, own = input:spans(timeline.select(options,
	    { open = true, own = true }))
	local from = input.complete_from or math.mininteger
	for s in spans do
		if s.open or s.lossy then
			lonely = lonely + 1
		elseif s.end_ns < from then
			older = older + 1
		else
			local scope = scope_of(s)
			scope[i] = scope[i] or { calls = 0, total = 0, sum = 0.0,
			    squares = 0.0, min = math.maxinteger, max = 0 }
			add(scope[i], s.duration, by == keys.scope and s.nesting > 0)
			own(scope.at)
		end
	end
	for at, parts in pairs(own()) do
		local m = scopes[at][i]
		m.self, m.closed = parts.itself, parts.closed
		m.overwritten, m.lost = parts.overwritten, parts.lost
	end
end

local none = { calls = 0, total = 0, self = 0, closed = 0, overwritten = 0,
    lost = 0, min = 0, max = 0, mean = 0,
    std = 0 }
local count = #timeline.inputs
if sort == "name" then
	table.sort(scopes, function(a, b)
		return a.category .. "\0" .. a.name < b.category .. "\0" .. b.name
	end)
elseif none[sort] then
	local function most(scope)
		local value = 0
		for i = 1, count do
			value = math.max(value, (scope[i] or none)[sort])
		end
		return value
	end
	for _, scope in ipairs(scopes) do scope.most = most(scope) end
	table.sort(scopes, function(a, b)
		if a.most ~= b.most then return a.most > b.most end
		return a.at < b.at
	end)
else
	timeline.fail("--sort: no column " .. sort)
end

local function duration(name)
	return { name = name, format = "duration", align = "right" }
end
local function change(a, b)
	if a.calls == 0 then return "new" end
	if b.calls == 0 then return "gone" end
	if a.mean == 0 then return b.mean == 0 and "" or "+inf" end
	return ("%+.1f%%"):format(100 * (b.mean - a.mean) / a.mean)
end

local columns, unseen = {}, {}
if count == 1 then
	columns = { "calls", duration "total", duration "self" }
	for _, part in ipairs { "closed", "overwritten", "lost" } do
		for _, scope in ipairs(scopes) do
			if scope[1][part] > 0 then
				unseen[#unseen + 1] = part
				table.insert(columns, duration("details " .. part))
				break
			end
		end
	end
	for _, name in ipairs { "mean", "std", "min", "max" } do
		table.insert(columns, duration(name))
	end
else
	for i, input in ipairs(timeline.inputs) do
		print(("%d: %s"):format(i, input.name))
		table.insert(columns, "calls " .. i)
		table.insert(columns, duration("total " .. i))
		table.insert(columns, duration("mean " .. i))
	end
	table.insert(columns, { name = "change", align = "right" })
end
table.insert(columns, "category")
table.insert(columns, options.by or "scope")

local rounded = function(x) return math.floor(x + 0.5) end
local t = timeline.table { columns = columns }
for _, scope in ipairs(scopes) do
	local row = {}
	for i = 1, count do
		local m = scope[i] or none
		table.move({ m.calls, m.total }, 1, 2, #row + 1, row)
		if count == 1 then row[3] = m.self end
		for _, part in ipairs(unseen) do row[#row + 1] = m[part] end
		row[#row + 1] = rounded(m.mean)
		if count == 1 then
			table.move({ rounded(m.std), m.min, m.max }, 1, 3,
			    #row + 1, row)
		end
	end
	if count > 1 then
		row[#row + 1] = change(scope[1] or none, scope[count] or none)
	end
	row[#row + 1] = scope.category
	row[#row + 1] = scope.name
	t:row(table.unpack(row))
end
local most = timeline.count(words[1], 0)
t:print(most > 0 and most or nil)
if lonely > 0 then
	print(lonely .. (lonely == 1 and " scope" or " scopes")
	    .. " without an end left out")
end
if older > 0 then
	print(older .. (older == 1 and " older scope" or " older scopes")
	    .. " left out: others of their time are overwritten")
end
