# SPDX-License-Identifier: Apache-2.0
# brackets.awk - JSON lines of tests/tool/brackets and its kernel events, oldest
# first: how many switches straight from one thread to the other lie between
# the entry before and the entry after them?  LEAST: how many are many.

function number(key) {
	if (!match($0, "\"" key "\":[0-9]+")) return ""
	return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
}
# between a loss and the next event of the kernel nothing is known
/"lost":/ { lost = 1 }
lost && /"category":"sched"/ { lost = 0; from = "" }
lost { next }
/"message":"leaves it"/ { from = number("tid"); to = current = "" }
/"message":"switched out/ { if (number("tid") == from) to = number("next") }
/"message":"switched in"/ { current = number("tid") }
/"message":"has the CPU"/ {
	if (from == "" || (to != "" && to != number("tid"))) next # by way of another
	if (to == number("tid") && current == to) inside++; else outside++
}
END {
	# a busy machine puts other tasks between some of them
	if (LEAST == "") LEAST = 10000
	print (inside >= LEAST ? "many" : inside + 0) " inside, " outside + 0 " outside"
}
