# SPDX-License-Identifier: Apache-2.0
# brackets.awk - reads the JSON lines of tests/tool/brackets and its kernel
# events, oldest first, and counts the switches straight from one thread to the
# other: how many lie between the entry before and the entry after the switch?
#
# LEAST switches or more are reported as "many".

function number(key) {
	if (!match($0, "\"" key "\":[0-9]+")) return ""
	return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
}
# Events may be missing between a loss and the next event of the kernel.
/"lost":/ { lost = 1 }
lost && /"category":"sched"/ { lost = 0; from = "" }
lost { next }
/"message":"leaves it"/ { from = number("tid"); to = current = "" }
/"message":"switched out/ { if (number("tid") == from) to = number("next") }
/"message":"switched in"/ { current = number("tid") }
/"message":"has the CPU"/ {
	if (from == "" || (to != "" && to != number("tid"))) next # through a third
	if (to == number("tid") && current == to) inside++; else outside++
}
END {
	# A busy machine runs other tasks between some switches.
	if (LEAST == "") LEAST = 10000
	print (inside >= LEAST ? "many" : inside + 0) " inside, " outside + 0 " outside"
}
