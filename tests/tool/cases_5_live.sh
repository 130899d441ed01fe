# shellcheck shell=bash disable=SC2154,SC2016,SC2013
# SPDX-License-Identifier: Apache-2.0
# --follow, and Lua on the command line.

# followed FILE TEXT [N]: the text is in N lines of the file or more.
followed() { [ "$(grep -c -- "$2" "$1")" -ge "${3:-1}" ]; }

live=$name-live
"$make" "$live" plain=20 || exit 1
"$dump" -f "$live" >"$work/follow1" 2>"$work/err" &
follower=$!
until_true followed "$work/follow1" 'tcp(19)'
is '--follow begins with the newest ten, oldest first' \
	"$(untimed <"$work/follow1")" \
	"$("$dump" -n 10 --oldest-first "$live" | untimed)"
"$make" "$live" known
until_true followed "$work/follow1" 'gave up'
is '--follow shows what comes, oldest first' \
	"$(tail -n +11 "$work/follow1" | untimed)" "$(tac <<<"$newest_first")"
kill -TERM "$follower"
wait "$follower"
is '--follow ends well on SIGTERM' "$? $(cat "$work/err")" '0 '
before=$("$dump" --json -n 1 "$live" | sed -E 's/^\{"ns":([0-9]+),.*/\1/')
"$dump" --follow -n 0 --category disk --json "$live" >"$work/follow2" &
follower=$!
# Nobody can tell when the follower begins to look: the test logs until the
# follower has seen an entry.
log_and_look() { "$make" "$live" known && followed "$work/follow2" 'gave up'; }
until_true log_and_look
kill -TERM "$follower"
wait "$follower"
is '--follow -n 0 shows what comes, filtered, as JSON' \
	"$(head -2 "$work/follow2" | jq -r .message)" 'failed on $device%s
gave up'
is '... only what is new' "$(sed -E 's/^\{"ns":([0-9]+),.*/\1/' "$work/follow2" |
	while read -r ns; do [ "$ns" -gt "$before" ] || echo "$ns"; done)" ''
"$dump" -f -n 3 --category disk "$live" >"$work/follow3" 2>"$work/err" &
follower=$!
until_true followed "$work/follow3" disk 3
is '--follow -n N begins with the newest N that pass' \
	"$(untimed <"$work/follow3")" 'disk       gave up
disk       failed on device(sda one)
disk       gave up'
"$make" "$live" remove
wait "$follower"
is '--follow ends when the timeline is removed' "$?" 0
has '... and says so' "$(cat "$work/err")" "^timeline-dump: $live: removed$"
ends '--follow of a snapshot is refused' 1 "$dump" -f "$known"
has '... with a reason' "$err" 'known\.tl: .*saved'
ends '--follow of nothing fails' 1 "$dump" -f "$name-none"
"$make" "$live" plain=3
"$make" "$live-2" plain=3
"$dump" -f "$live" "$live-2" >"$work/follow4" 2>"$work/err" &
follower=$!
until_true followed "$work/follow4" 'tcp(2)'
"$make" "$live-2" known remove
"$make" "$live" known remove
wait "$follower"
is 'several timelines are followed at once' \
	"$? $(grep -c 'gave up' "$work/follow4") $(grep -c removed "$work/err")" '0 2 2'

# == Lua ==
is '-e keeps entries for which an expression is true' \
	"$("$dump" -e 'args.tcp == 50' "$known" | untimed)" \
	'example    processed tcp(50), udp(60), and other(8)'
is '--expression is the same and works with -n' \
	"$("$dump" --expression 'category == "example"' -n 2 "$known" | wc -l)" 2
is '-e works with --stats' \
	"$("$dump" -e 'kind == "counter"' --stats --json "$known" | jq -r .category)" queue
ends 'a wrong expression is an error' 1 "$dump" -e '(' "$known"
has '... that is told' "$err" '^timeline-dump: -e:1: '
cat >"$work/count.lua" <<'LUA'
local n = 0
for e in timeline.events() do
	if e.message then n = n + 1 end
end
print(n, ...)
LUA
is '-s runs a script over the files left of it, with arguments' \
	"$("$dump" "$known" -s "$work/count.lua" one two)" $'11\tone\ttwo'
is '--script takes the files right of it when none is left of it' \
	"$("$dump" --script "$work/count.lua" "$known" -- one)" $'11\tone'
is '-s with TIMELINE needs no file' \
	"$(TIMELINE=$known "$dump" -s "$work/count.lua" -- one)" $'11\tone'
is 'filters hold for a script, too' \
	"$("$dump" -p error "$known" -s "$work/count.lua")" 2
echo 'error("no " .. tostring(os))' >"$work/bad.lua"
ends 'an error of a script is an error' 1 "$dump" "$known" -s "$work/bad.lua"
has '... that names script and line' "$err" 'bad\.lua:1: no '
cat >"$work/event.lua" <<'LUA'
for e in timeline.events() do
	if e.args.tcp == 50 then error("here") end
end
LUA
ends 'an error while events are read' 1 "$dump" "$known" -s "$work/event.lua"
has '... names script, line and event' "$err" 'event\.lua:2: here.*tcp\(50\)'
ends 'a script that is not there is an error' 1 "$dump" "$known" -s "$work/none.lua"
echo 'print(io ~= nil)' >"$work/io.lua"
is 'a script may not touch files' "$("$dump" "$known" -s "$work/io.lua")" false
echo 'local t = {} while true do t[#t + 1] = { #t } end' >"$work/greedy.lua"
ends 'a script that wants too much memory is stopped' 1 "$dump" "$known" -s "$work/greedy.lua"
has '... and the option that lifts the cap is named' "$err" 'greedy\.lua:1: not enough memory: the cap is 256 MiB; --trusted lifts it'
is '--trusted lets it' "$("$dump" --trusted "$known" -s "$work/io.lua")" true
cat >"$work/finalizer.lua" <<'LUA'
setmetatable({}, { __gc = function()
	for e in timeline.events { message = "depth*" } do print(e.text) end
	print(timeline.inputs[1].name == timeline.info().name)
end })
LUA
is '... and its finalizers, which may read the inputs' \
	"$("$dump" --trusted "$known" -s "$work/finalizer.lua")" '= depth 12
true'
has '--view help lists the views' "$("$dump" --view help)" '^top '
for view in top scopes gaps rate latency diff heat intervals; do
	has "--view help has $view" "$("$dump" --view help)" "^$view "
done
has '--view runs one' "$("$dump" "$known" --view scopes)" 'job'
has 'the example of trees shows spans' "$("$dump" "$known" -s "$top/examples/tree.lua")" 'work job\(1\)'
is "... and the one of a list the newest events" "$("$dump" "$known" -s "$top/examples/list.lua" 2 | wc -l)" 2
ends 'an unknown view is a usage error' 2 "$dump" --view nose "$known"
