-- SPDX-License-Identifier: Apache-2.0
-- judge.lua - which claims about spans are false.
--
--	lua5.4 judge.lua TRUTH CLAIMS [SINCE] >RESULT
--
-- TRUTH is what spans.c prints.  A claim: name, id, thread, duration in ns.  A
-- claim is true if the span ended in that thread and if the duration is at
-- least that inside of the events and at most that outside, and 2 us.  A second
-- claim about one span is false.  A thread that was killed in its end event has
-- no time outside: the time at which the truth was printed stands for it.
--
-- SINCE is the Unix time in ns from which the record is complete, as its reader
-- states; without it the record has to be complete from its oldest true claim.
-- Prints the numbers of claims, of false claims, the worst factor between the
-- duration of a false claim and the true one (0: none), the number of spans
-- that are missing, the open ns, and the 99th percentiles of claimed and of
-- true durations of outer spans.
local MARGIN_NS = 2000
local truth_file, claims_file, since = arg[1], arg[2], tonumber(arg[3])
local spans, open_ns, offset, last = {}, 0, 0, 0
for line in io.lines(truth_file) do
	local name, a, b, rest = line:match("^(%a+) (%d+) ?(%d*) ?(.*)$")
	if name == "clock" then
		last = math.tointeger(a)
		offset = math.tointeger(b) - last
	elseif name == "open" then
		open_ns = math.tointeger(a)
	else
		local begin_out, begin_in, end_in, end_out =
		    rest:match("^(%d+) (%d+) (%d+) (%d+)$")
		spans[name .. " " .. a] = { tid = b, name = name,
		    begin_out = math.tointeger(begin_out),
		    begin_in = math.tointeger(begin_in),
		    end_in = math.tointeger(end_in),
		    end_out = math.tointeger(end_out) }
	end
end

local function is_true(span, tid, took)
	if not span or span.is_claimed or span.end_in == 0 then return false end
	local end_out = span.end_out > 0 and span.end_out or last
	return tid == span.tid and
	    took >= span.end_in - span.begin_in - MARGIN_NS and
	    took <= end_out - span.begin_out + MARGIN_NS
end

local claims, falsehoods, worst, oldest = 0, 0, 0, math.huge
local claimed, true_times = {}, {}
for line in io.lines(claims_file) do
	local name, id, tid, took = line:match("^(%a+)%s(%d+)%s(%d+)%s(%d+)$")
	if not name then error("not a claim: " .. line) end
	local span = spans[name .. " " .. id]
	took = math.tointeger(took)
	claims = claims + 1
	if name == "outer" then claimed[#claimed + 1] = took end
	if is_true(span, tid, took) then
		span.is_claimed = true
		oldest = math.min(oldest, span.begin_out)
	else
		falsehoods = falsehoods + 1
		if span and span.end_out > 0 then
			local real = math.max(1, span.end_out - span.begin_out)
			worst = math.max(worst, took / real,
			    real / math.max(1, took))
		end
	end
end

local missing = 0
since = since and since - offset or oldest
for _, span in pairs(spans) do
	if span.end_out > 0 then
		if span.name == "outer" then
			true_times[#true_times + 1] =
			    span.end_in - span.begin_in
		end
		if span.begin_out >= since and not span.is_claimed then
			missing = missing + 1
		end
	end
end

local function percentile(times)
	table.sort(times)
	return times[math.max(1, math.ceil(#times * 0.99))] or 0
end
print(claims, falsehoods, ("%.1f"):format(worst), missing, open_ns,
    percentile(claimed), percentile(true_times))
