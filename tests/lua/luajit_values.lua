-- SPDX-License-Identifier: Apache-2.0
-- Lua values become the same words in compiled and interpreted code.

local ffi = require("ffi")
local check = require("check")
local entries = require("entries")
local timeline = require("timeline")
local test, equal = check.test, check.equal

-- After half of these rounds the loop is compiled.
local ROUNDS = 300

local function saved(tl)
	local file = check.new_file()

	timeline.save(tl, file)
	return entries.read(file)
end

-- compare logs value(i) in a loop and compares the entries with expected(i).
local function compare(message, value, expected)
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("values", "info", message)

	for i = 1, ROUNDS do
		event(value(i))
	end
	local e = saved(tl)
	equal(#e, ROUNDS)
	for i = 1, ROUNDS do
		equal(e[i][1], expected(i))
	end
end

local double = ffi.typeof("union { double value; uint64_t word; }")
local function bits(value)
	return double(value).word
end

test("numbers are words", function()
	compare("n $n", function(i) return i * 1e6 end,
	    function(i) return 1000000ULL * i end)
end)

test("negative numbers are two's complement", function()
	compare("n $n%d", function(i) return -i end,
	    function(i) return 0ULL - i end)
	compare("n $n", function(i) return -i * 2 ^ 40 end,
	    function(i) return 0ULL - i * 2ULL ^ 40 end)
end)

test("fractions are cut off towards 0", function()
	compare("n $n%d", function(i) return -i - 0.75 end,
	    function(i) return 0ULL - i end)
end)

test("a fraction for an argument without a suffix is refused", function()
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("values", "info", "$a and $b")

	event(2, -2)
	event(2LL, 2 ^ 60)
	for _, value in ipairs({ 2.5, -0.1, 0 / 0, 1 / 0 }) do
		equal(check.error_of(event, 1, value):match("argument 2: .*"),
		    "argument 2: " .. tostring(value) .. " is no integer: " ..
		    "write $name%f in the message, or %d to cut it off")
	end
	equal(#saved(tl), 2)
end)

test("whole numbers are exact up to 2^53", function()
	compare("n $n", function(i) return 2 ^ 53 - i end,
	    function(i) return 2ULL ^ 53 - i end)
end)

test("unsigned cdata keeps all 64 bits", function()
	compare("n $n", function(i) return 0xffffffffffffffffULL - i end,
	    function(i) return 0xffffffffffffffffULL - i end)
end)

test("signed cdata keeps all 64 bits", function()
	compare("n $n%d", function(i) return -9223372036854775807LL - 1 + i end,
	    function(i) return 0x8000000000000000ULL + i end)
end)

test("narrow cdata is widened", function()
	compare("n $n%d", function(i) return ffi.new("int16_t", -i) end,
	    function(i) return 0ULL - i end)
	compare("n $n%x", function(i) return ffi.new("uint8_t", i % 256) end,
	    function(i) return i % 256 end)
end)

test("a %f argument is the bits of a double", function()
	compare("f $f%f", function(i) return -i / 7 end,
	    function(i) return bits(-i / 7) end)
	compare("f $f%f", function(i) return i * 1e300 end,
	    function(i) return bits(i * 1e300) end)
	compare("f $f%f", function(i) return i end, bits)
end)

test("a %f argument takes an integer cdata as a number", function()
	compare("f $f%f", function(i) return ffi.new("int64_t", -i) end,
	    function(i) return bits(-i) end)
end)

test("infinities and not-a-number pass", function()
	compare("f $f%f", function(i) return i % 2 == 0 and 1 / 0 or -1 / 0 end,
	    function(i) return bits(i % 2 == 0 and 1 / 0 or -1 / 0) end)
	local tl = timeline.new(check.new_name(), 8192)
	tl:define("values", "info", "f $f%f")(0 / 0)
	local e = saved(tl)[1]
	equal(ffi.cast("uint32_t", e[1] / 2 ^ 52) % 2048, 2047)
end)

test("doubles and words mix in one message", function()
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("values", "info",
	    "mixed $a%f, $b%d, $c%f and $d%s\n$e%f is no argument")

	for i = 1, ROUNDS do
		event(i / 4, -i, -i / 8, i)
	end
	for i, e in ipairs(saved(tl)) do
		equal(e[1], bits(i / 4))
		equal(e[2], 0ULL - i)
		equal(e[3], bits(-i / 8))
		equal(e[4], i)
	end
end)

test("eight bytes of a text are an argument of %8s, and so is a word", function()
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("values", "info", "get $key%8s $n")
	local words = { [0] = "", "k", "k\0\255", "12345678", "123456789" }
	local word = ffi.new("union { uint64_t word; char text[8]; }")

	for i = 1, ROUNDS do
		event(words[i % 5], i)
	end
	for i, e in ipairs(saved(tl)) do
		local text = words[i % 5]:sub(1, 8)

		word.word = 0
		ffi.copy(word.text, text, #text)
		equal(e[1], word.word)
		equal(e[2], i)
	end
	check.error_of(function() event("a", "b") end)
	event(0x6261, 1)
	event(0x6261LL, 1)
	local e = saved(tl)
	equal(e[#e][1], 0x6261)
	equal(e[#e - 1][1], 0x6261)
	check.error_of(function() event(true, 1) end)
	local begin, finish, _, finish_of = tl:span("values", "info",
	    "span $key%8s")
	finish_of(begin("abc"), "def")
	finish()
	e = saved(tl)
	equal(e[#e - 1][1], 0x666564)
	equal(e[#e - 2][1], 0x636261)
end)

test("a suffix is one only at the end of a word", function()
	local tl = timeline.new(check.new_name(), 8192)
	tl:define("values", "info", "$a%fast $b%f, $c_2%f")(1, 2, 3)
	local e = saved(tl)[1]
	equal(e[1], 1)
	equal(e[2], bits(2))
	equal(e[3], bits(3))
end)

test("each count of arguments fills the rest with 0", function()
	local tl = timeline.new(check.new_name(), 8192)
	local words = { "none", "$a", "$a $b", "$a $b $c", "$a $b $c $d" }
	local values = { 1, 2, 3, 4 }
	for count, message in ipairs(words) do
		tl:define("values", "info", message)(
		    unpack(values, 1, count - 1))
	end
	local e = saved(tl)
	for count = 0, 4 do
		for i = 1, 4 do
			equal(e[count + 1][i], i <= count and i or 0)
		end
	end
end)

test("a fifth argument cannot be defined", function()
	local tl = timeline.new(check.new_name(), 8192)
	check.error_of(timeline.define, tl, "values", "info", "$a $b $c $d $e")
end)

test("too few arguments are refused, and too many", function()
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("values", "info", "two $x $y")

	equal(check.error_of(event, 1):match("argument 2: .*"),
	    "argument 2: number or 64-bit cdata expected, got nil")
	equal(check.error_of(event, 1, 2, 3):match("argument 3: .*"),
	    "argument 3: one more than the message has")
	event(1, 2)
	local begin, finish, _, finish_of = tl:span("values", "info",
	    "span $a $b $c $d")
	check.error_of(begin, 1, 2, 3, 4, 5)
	check.error_of(finish, 1, 2, 3, 4, 5)
	check.error_of(finish_of, begin(1, 2, 3, 4), 1, 2, 3, 4, 5)
	equal(#saved(tl), 2)
end)

test("what is no number is refused where it is logged", function()
	local tl = timeline.new(check.new_name(), 8192)
	local event = tl:define("values", "info", "event $a $b%f")

	for _, value in ipairs({ "text", {}, print }) do
		local why = check.error_of(function() event(value, 1) end)
		assert(why:match("^[^:]*luajit_values.lua:%d+:"), why)
		check.error_of(function() event(1, value) end)
	end
	check.error_of(event)
	equal(#saved(tl), 0)
end)

test("many functions of one shape keep apart", function()
	local tl = timeline.new(check.new_name(), 8192)
	local events = {}

	for i = 1, 50 do
		events[i] = tl:define("values", "info", "number " .. i .. " $n")
	end
	for round = 1, 20 do
		for i = 1, 50 do
			events[i](round * 100 + i)
		end
	end
	local all = saved(tl)
	equal(#all, 1000)
	for _, e in ipairs(all) do
		equal(e.message, ("number %d $n"):format(tonumber(e[1] % 100)))
	end
end)

check.done()
