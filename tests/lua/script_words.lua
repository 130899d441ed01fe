-- SPDX-License-Identifier: Apache-2.0
-- The helpers are compared with simple reference code. test_script_views runs
-- this file.

-- step gives the greatest of the steps 1 2 5 10 ... that is not above the
-- value.
for value = 0, 3000 do
	local step, start = 0, 0
	while timeline.step_start(step + 1) <= value do
		step = step + 1
		start = timeline.step_start(step)
	end
	assert(timeline.step(value) == step)
	assert(timeline.step_start(step) == start)
end
assert(timeline.step(math.maxinteger) == 57)

-- Every duration that a person may type survives the round trip.
for _, text in ipairs { "1ns", "999ns", "1.5us", "12.345ms", "59s" } do
	assert(timeline.duration(timeline.duration(text)) == text)
end
assert(timeline.add(5, -7) == -2)
assert(timeline.add(math.maxinteger, 1) == math.maxinteger)
assert(timeline.add(math.mininteger, -0.5e19) == math.mininteger)
for level = 1, 9 do
	assert(timeline.level(timeline.level(level)) == level)
end
assert(timeline.unsigned(math.mininteger) == "9223372036854775808")
assert(timeline.time(timeline.time("2025-11-20T19:24:18.5Z"))
    == "2025-11-20T19:24:18.500000000+00:00")

-- A bar is never longer than its width, and empty only for nothing.
for value = 0, 100 do
	local bar = timeline.bar(value, 100, 10)
	assert(#bar <= 10 and (#bar == 0) == (value == 0))
end

-- A table keeps the order of equal rows when it is sorted.
local t = timeline.table { columns = { "k", "v" } }
for i = 1, 50 do t:row(i % 3, i) end
t:sort(1)
for i = 2, 50 do
	local a, b = t.rows[i - 1], t.rows[i]
	assert(a[1] < b[1] or a[1] == b[1] and a[2] < b[2])
end

-- A column has a name and a number, and there is no other; rows without a value
-- come last.
local by_name = timeline.table { columns = { "k", { name = "v" } } }
by_name:row("a", 2):row("b", 3):row("c"):row("d", 3):row("e", 1)
local function order()
	local keys = {}
	for i, row in ipairs(by_name.rows) do keys[i] = row[1] end
	return table.concat(keys)
end
by_name:sort("v", true)
assert(order() == "bdaec")
by_name:sort(2)
assert(order() == "eabdc")
for _, column in ipairs { "w", 0, 3, 1.5, "2" } do
	local held, words = pcall(by_name.sort, by_name, column)
	assert(not held and words:find("no such column: " .. column
	    .. "; the columns are k, v", 1, true), words)
end

local words = { timeline.arguments("--a=X --b", "w", "--a=1=2", "--b", "v") }
assert(words[1].a == "1=2" and words[1].b == true)
assert(words[2][1] == "w" and words[2][2] == "v")
