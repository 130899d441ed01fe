# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# The examples of timeline-script(7) run, and their rows are in the order that
# the page promises.

page=$top/src/script/timeline-script.7
# display N prints a literal display of the page as a reader sees it.
display() {
	awk -v n="$1" '/^\.Bd -literal/ { at++; shown = 1; next } /^\.Ed/ { shown = 0 }
		shown && at == n' "$page" | sed 's/\\&//g; s/\\-/-/g; s/\\e/\\/g; s/\\(dq/"/g'
}
# run_example N [OPTION...] FILE
run_example() {
	display "$1" >"$work/example.lua"
	"$dump" "${@:2}" -s "$work/example.lua"
}
is 'each display of timeline-script(7) is tried here' "$(grep -c '^\.Bd -literal' "$page")" 6

event() { # MS PID CATEGORY MESSAGE
	printf '{"ns":%d,"tsc":1,"cpu":0,"pid":%d,"tid":%d,"priority":"error","category":"%s","message":"%s","kind":"instant","args":{"tcp":%d}}\n' \
		"$(($1 * 1000000))" "$2" "$2" "$3" "$4" "$1"
}
events=$work/example.jsonl
{
	event 1 7 network 'packet $tcp'
	for ms in 2 3; do event $ms 7 example 'read $tcp'; done
	for ms in 5 7 11; do event $ms 8 network 'packet $tcp'; done
	for ms in 12 13 14 15; do event $ms 9 example 'read $tcp'; done
} >"$events"

is '1: the distances of network events' "$(run_example 1 "$events" | head -n 1)" \
	'count 3  min 2ms  mean 3.333ms  p50 4ms  p90 4ms  p99 4ms  max 4ms'
mapfile -t expressions < <(display 2)
selected() { "$dump" -e "$1" --columns message "$events" 2>&1 | tr '\n' ' '; }
is '2: expressions, of arguments' "$(selected "${expressions[0]}")" \
	'read tcp(15) read tcp(14) read tcp(13) read tcp(12) '
has '... of time and text' "$(selected "${expressions[1]}")" 'no entry matches'
is '... of distance and level' "$(selected "${expressions[2]}" | grep -o tcp | wc -l)" 3
is '... and there are no more' "${#expressions[@]}" 3
if command -v lua5.4 >/dev/null && [ -f "$build/lib/lua/5.4/timeline.so" ]; then
	is '3: plain Lua reads' "$(display 3 | sed "s|build/|$build/|; s|/timeline\"|$known\"|" | bash | awk '{ print $2 }' | xargs)" \
		"$("$dump" --json "$known" | jq -r '.args.tcp // "nil"' | xargs)"
	"$bin/timeline-convert" -q -o "$work/example.trace" "$known"
	{
		display 4 | sed 's/^local function visit(node)$/local seen = 0\n&\n	seen = seen + 1/'
		echo 'for _, root in ipairs(require("timeline").open(arg[1]):roots()) do visit(root) end print(seen)'
	} >"$work/walk.lua"
	is '4: a walk sees each node' "$(LUA_CPATH="$build/lib/lua/5.4/?.so;;" lua5.4 "$work/walk.lua" "$work/example.trace")" \
		"$("$dump" --tree --paths "$work/example.trace" | grep -cE '^# Thread|\[[0-9/]+\]$')"
else
	skip '3, 4: no lua5.4 with the module'
fi
is '5: the most frequent messages come first' "$(run_example 5 "$events" | tr -s ' ')" \
'entries message
 4 read $tcp of 9
 3 packet $tcp of 8
 2 read $tcp of 7
 1 packet $tcp of 7'
printf '\n\nfor e in timeline.events{} do print(e.args.x + 1) end\n' >"$work/a.lua"
ends '6: an error' 1 "$dump" "$events" -s "$work/a.lua"
said=$(display 6 | sed -n '1s/;$//p')
is '... names script, line and reason' "$(sed -nE 's/.*(a\.lua:3: .*)/\1/p' <<<"$err" | cut -c "1-${#said}" | head -n 1)" "$said"

echo 'timeline.table{columns = {"what", "tok"}}:row("a", 1):sort("tik", true):print()' >"$work/a.lua"
ends 'a column that a table does not have is an error' 1 "$dump" "$events" -s "$work/a.lua"
has '... which names the columns' "$err" 'a\.lua:1: no such column: tik; the columns are what, tok'
